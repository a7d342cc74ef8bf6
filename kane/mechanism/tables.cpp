#include "kane/mechanism/tables.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>

#include "kane/expr/operators.hpp"
#include "kane/expr/replace_calls.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {
namespace {

constexpr int kOrders = 4;

/// Slopes at the knots of the natural spline. With h_i = x_{i+1} - x_i and s_i = (y_{i+1} - y_i)/h_i the second derivative
/// is continuous if  m_{i-1}/h_{i-1} + 2 m_i (1/h_{i-1} + 1/h_i) + m_{i+1}/h_i = 3 (s_{i-1}/h_{i-1} + s_i/h_i)
/// and vanishes at the ends if  2 m_0 + m_1 = 3 s_0  and likewise at the last knot. Tridiagonal, solved by elimination.
std::vector<double> natural_slopes(const std::vector<double>& h, const std::vector<double>& s) {
  const std::size_t n = h.size() + 1;
  std::vector<double> diagonal(n), upper(n), right(n), m(n);
  diagonal[0] = 2, upper[0] = 1, right[0] = 3 * s[0];
  for (std::size_t i = 1; i < n; ++i) {
    const bool last = i + 1 == n;
    const double lower = last ? 1 : 1 / h[i - 1];
    const double factor = lower / diagonal[i - 1];
    diagonal[i] = (last ? 2 : 2 * (1 / h[i - 1] + 1 / h[i])) - factor * upper[i - 1];
    upper[i] = last ? 0 : 1 / h[i];
    right[i] = (last ? 3 * s[i - 1] : 3 * (s[i - 1] / h[i - 1] + s[i] / h[i])) - factor * right[i - 1];
  }
  for (std::size_t i = n; i-- > 0;) m[i] = (right[i] - (i + 1 < n ? upper[i] * m[i + 1] : 0)) / diagonal[i];
  return m;
}

/// Slopes of a curve that is monotone wherever the points are (Fritsch and Butland 1984): zero at a local extremum, else
/// a weighted harmonic mean of the neighbouring chords; one-sided three-point formula, limited, at the ends.
std::vector<double> monotone_slopes(const std::vector<double>& h, const std::vector<double>& s) {
  const std::size_t n = h.size() + 1;
  if (n == 2) return {s[0], s[0]};
  std::vector<double> m(n);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    if (s[i - 1] * s[i] <= 0) continue;
    const double w1 = 2 * h[i] + h[i - 1];
    const double w2 = h[i] + 2 * h[i - 1];
    m[i] = (w1 + w2) / (w1 / s[i - 1] + w2 / s[i]);
  }
  const auto end = [](double h0, double h1, double s0, double s1) {
    const double slope = ((2 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
    if (slope * s0 <= 0) return 0.0;
    return s0 * s1 < 0 && std::abs(slope) > 3 * std::abs(s0) ? 3 * s0 : slope;
  };
  m[0] = end(h[0], h[1], s[0], s[1]);
  m[n - 1] = end(h[n - 2], h[n - 3], s[n - 2], s[n - 3]);
  return m;
}

}  // namespace

TableFunction::TableFunction(const Table& table) {
  const std::size_t n = table.x.size();
  std::vector<double> h, s;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h.push_back(table.x[i + 1] - table.x[i]);
    s.push_back((table.y[i + 1] - table.y[i]) / h.back());
  }
  std::vector<double> m;  // slopes at the knots
  if (table.monotone) {
    m = monotone_slopes(h, s);
  } else if (table.cubic) {
    m = natural_slopes(h, s);
  } else {
    m = s;
    m.push_back(s.back());
  }
  pieces_.push_back({table.x.front(), table.y.front(), m.front(), 0, 0});
  for (std::size_t i = 0; i + 1 < n; ++i) {
    Piece p{table.x[i], table.y[i], m[i], 0, 0};
    if (table.cubic || table.monotone) {
      p.c = (3 * s[i] - 2 * m[i] - m[i + 1]) / h[i];
      p.d = (m[i] + m[i + 1] - 2 * s[i]) / (h[i] * h[i]);
    }
    pieces_.push_back(p);
  }
  pieces_.push_back({table.x.back(), table.y.back(), m.back(), 0, 0});
}

double TableFunction::operator()(double x, int order) const {
  // The last piece that starts at or before x; the first one reaches to the left without end.
  const auto after =
      std::upper_bound(pieces_.begin() + 1, pieces_.end(), x, [](double value, const Piece& p) { return value < p.x; });
  const Piece& p = *(after - 1);
  const double s = x - p.x;
  switch (order) {
    case 0: return p.a + s * (p.b + s * (p.c + s * p.d));
    case 1: return p.b + s * (2 * p.c + s * 3 * p.d);
    case 2: return 2 * p.c + s * 6 * p.d;
    default: return 6 * p.d;
  }
}

Expr TableFunction::form(const Expr& x, int order) const {
  // Binary choice among the pieces from `first` to before `last`; the comparisons are shared by all coefficients.
  const auto choose = [&](auto&& self, double Piece::*coefficient, std::size_t first, std::size_t last) -> Expr {
    if (last - first == 1) return pieces_[first].*coefficient;
    const std::size_t middle = first + (last - first) / 2;
    const Expr left = self(self, coefficient, first, middle);
    const Expr right = self(self, coefficient, middle, last);
    return left == right ? left : select(less(x, pieces_[middle].x), left, right);
  };
  const auto chosen = [&](double Piece::*coefficient) { return choose(choose, coefficient, 0, pieces_.size()); };
  const Expr b = chosen(&Piece::b), c = chosen(&Piece::c), d = chosen(&Piece::d);
  const Expr s = x - chosen(&Piece::x);
  switch (order) {
    case 0: return chosen(&Piece::a) + s * (b + s * (c + s * d));
    case 1: return b + s * (2 * c + s * 3 * d);
    case 2: return 2 * c + s * 6 * d;
    default: return 6 * d;
  }
}

void check_table(const Table& table) {
  const Where& where = table.where;
  require_at(where, table.x.size() == table.y.size(), "the table '{}' has {} values of x but {} of y", table.name,
             table.x.size(), table.y.size());
  require_at(where, table.x.size() >= 2, "the table '{}' needs at least two points", table.name);
  for (std::size_t i = 0; i < table.x.size(); ++i) {
    require_at(where, std::isfinite(table.x[i]) && std::isfinite(table.y[i]),
               "point {} of the table '{}' is not a finite number", i + 1, table.name);
    require_at(where, i == 0 || table.x[i - 1] < table.x[i],
               "the values of x in the table '{}' must increase, but {} follows {}", table.name, table.x[i],
               i == 0 ? 0.0 : table.x[i - 1]);
  }
  for (const OpInfo& op : kOperators) {
    require_at(where, op.kind != OpKind::Function || op.text != table.name,
               "a table cannot be named '{}', which is a function already", table.name);
  }
}

std::string table_function_name(const std::string& table, int order) {
  return order == 0 ? table : fmt::format("{}_d{}", table, order);
}

void declare_table(Graph& graph, const Table& table) {
  for (int order = 0; order < kOrders; ++order) {
    std::string derivative = table_function_name(table.name, order + 1);
    const std::string function = table_function_name(table.name, order);
    if (!graph.has_function(function)) graph.declare_function(function, 1, {std::move(derivative)});
  }
}

FunctionTable table_functions(const Mechanism& mechanism) {
  FunctionTable functions;
  for (const Table& table : mechanism.tables) {
    const auto f = std::make_shared<const TableFunction>(table);
    for (int order = 0; order < kOrders; ++order) {
      functions[table_function_name(table.name, order)] = [f, order](std::span<const double> x) {
        return (*f)(x[0], order);
      };
    }
    // A piecewise cubic has no further derivative.
    functions[table_function_name(table.name, kOrders)] = [](std::span<const double>) { return 0.0; };
  }
  return functions;
}

std::vector<Expr> write_out_tables(const Mechanism& mechanism, Graph& target, std::span<const Expr> expressions) {
  std::map<std::string, std::function<Expr(const Expr&)>> forms;
  for (const Table& table : mechanism.tables) {
    const auto f = std::make_shared<const TableFunction>(table);
    for (int order = 0; order <= kOrders; ++order)
      forms[table_function_name(table.name, order)] = [f, order, &table](const Expr& x) {
        if (table.x.size() > kMaxWrittenKnots)
          throw LimitError(fmt::format("the table '{}' has {} points; written out as code it may have {}", table.name,
                                       table.x.size(), kMaxWrittenKnots));
        return order == kOrders ? Expr() : f->form(x, order);
      };
  }
  return replace_calls(target, expressions, [&](const std::string& name, std::span<const Expr> arguments) {
    const auto form = forms.find(name);
    ensure(form != forms.end(), "the function '{}' is not a table", name);
    return form->second(arguments[0]);
  });
}

}  // namespace kane
