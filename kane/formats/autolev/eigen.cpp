#include "kane/formats/autolev/eigen.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <complex>
#include <cstdlib>

#include "kane/base/at.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/autolev/matrices.hpp"

namespace kane::autolev {

struct Eigenwork {
  static Expr imaginary_unit(Session& s) {
    for (const auto& [key, x] : s.w_.scalars)
      if (x.role == Role::Imaginary) return x.symbol;
    const std::string name = s.find("I") == nullptr ? "i" : "imaginary";
    return s.add_scalar(name, 0, Role::Imaginary, 0).symbol;
  }

  static Expr number(Session& s, std::complex<double> z) {
    const double scale = std::abs(z);
    // The last digits of an iteration say nothing.
    const auto rounded = [&](double x) {
      return std::abs(x) < 1e-14 * scale ? 0.0 : std::strtod(fmt::format("{:.14g}", x).c_str(), nullptr);
    };
    const double re = rounded(z.real());
    const double im = rounded(z.imag());
    if (im == 0) return s.graph_->bind(Expr(re));
    return s.graph_->bind(Expr(re)) + Expr(im) * imaginary_unit(s);
  }

  static std::optional<Eigen::MatrixXd> numbers(Session& s, const ExprMatrix& m) {
    Eigen::MatrixXd r(m.rows, m.columns);
    const auto entries = s.explicitly(std::span<const Expr>(m.entries), {.solutions = true});
    for (int i = 0; i < m.rows; ++i)
      for (int j = 0; j < m.columns; ++j) {
        try {
          r(i, j) = kane::evaluate(entries[at(i * m.columns + j)], {});
        } catch (const ModelError&) {
          return std::nullopt;
        }
      }
    return r;
  }

  static std::vector<Expr> pending(Session& s, const ExprMatrix& m, bool vectors) {
    PendingEigen p;
    p.matrix = m;
    std::vector<Expr> values;
    const std::size_t index = s.w_.eigen.size() + 1;
    for (int i = 1; i <= m.rows; ++i) {
      p.real.push_back(s.add_scalar(fmt::format("EIG{}_RE{}", index, i), 0, Role::Defined, 0).symbol);
      p.imaginary.push_back(s.add_scalar(fmt::format("EIG{}_IM{}", index, i), 0, Role::Defined, 0).symbol);
      values.push_back(p.real.back() + p.imaginary.back() * imaginary_unit(s));
    }
    if (vectors)
      for (int i = 0; i < m.rows * m.rows; ++i)
        p.vectors.push_back(s.add_scalar(fmt::format("EIG{}_V{}", index, i + 1), 0, Role::Defined, 0).symbol);
    s.w_.eigen.push_back(std::move(p));
    return values;
  }
};

EigenValues eigenvalues_of(Session& session, const ExprMatrix& m, const Where& where, bool vectors) {
  if (m.rows != m.columns || m.rows == 0)
    throw ModelError(where, fmt::format("only a square matrix has eigenvalues, not one of {} x {}", m.rows, m.columns));
  if (m.rows > 500) throw LimitError(where, "EIG takes matrices of up to 500 rows");
  EigenValues r;
  const auto n = Eigenwork::numbers(session, m);
  if (!n) {
    std::vector<Expr> values = Eigenwork::pending(session, m, vectors);
    r.values = column_of(std::move(values));
    if (vectors) {
      r.vectors = ExprMatrix(m.rows, m.rows);
      r.vectors.entries = session.world().eigen.back().vectors;
    }
    return r;
  }
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(*n, vectors);
  if (solver.info() != Eigen::Success) throw ModelError(where, "the eigenvalues were not found");
  std::vector<int> order(static_cast<std::size_t>(m.rows));
  for (int i = 0; i < m.rows; ++i) order[at(i)] = i;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const auto x = solver.eigenvalues()[a];
    const auto y = solver.eigenvalues()[b];
    return x.real() != y.real() ? x.real() < y.real() : x.imag() < y.imag();
  });
  std::vector<Expr> values;
  for (const int i : order) values.push_back(Eigenwork::number(session, solver.eigenvalues()[i]));
  r.values = column_of(std::move(values));
  if (!vectors) return r;
  r.vectors = ExprMatrix(m.rows, m.rows);
  for (int j = 0; j < m.rows; ++j)
    for (int i = 0; i < m.rows; ++i)
      r.vectors(i, j) = Eigenwork::number(session, solver.eigenvectors()(i, order[at(j)]));
  return r;
}

ExprMatrix roots_of(Session& session, const ExprMatrix& given, const Where& where) {
  std::vector<Expr> c = given.entries;
  while (!c.empty() && c.front().is_zero()) c.erase(c.begin());
  if (c.size() < 2) throw ModelError(where, "a polynomial without its variable has no roots");
  if (c.size() > 101) throw LimitError(where, "ROOTS takes polynomials of up to degree 100");
  const auto n = Eigenwork::numbers(session, column_of(c));
  if (!n) {
    if (c.size() == 2) return column_of({-c[1] / c[0]});
    if (c.size() == 3) {
      const Expr root = sqrt(c[1] * c[1] - 4 * c[0] * c[2]);
      return column_of({(-c[1] + root) / (2 * c[0]), (-c[1] - root) / (2 * c[0])});
    }
    throw ModelError(where,
                     "ROOTS finds the roots of polynomials with symbols up to degree 2; give numbers by EVALUATE");
  }
  // Eigenvalues of the companion matrix.
  const auto degree = static_cast<Eigen::Index>(c.size()) - 1;
  Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(degree, degree);
  for (Eigen::Index i = 0; i < degree; ++i) companion(0, i) = -(*n)(i + 1, 0) / (*n)(0, 0);
  for (Eigen::Index i = 1; i < degree; ++i) companion(i, i - 1) = 1;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(companion, false);
  if (solver.info() != Eigen::Success) throw ModelError(where, "the roots were not found");
  std::vector<std::complex<double>> z(solver.eigenvalues().begin(), solver.eigenvalues().end());
  std::sort(z.begin(), z.end(), [](const auto& a, const auto& b) {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  });
  std::vector<Expr> roots;
  for (const auto& x : z) roots.push_back(Eigenwork::number(session, x));
  return column_of(std::move(roots));
}

}  // namespace kane::autolev
