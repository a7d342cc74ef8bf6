#include "kane/mechanics/linearize.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/names.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/mechanics/closed_loop.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "kane/mechanics/local_embedding.hpp"
#include "kane/mechanics/matrix_product.hpp"
#include "kane/mechanics/rank.hpp"

namespace kane {

namespace {

/// Entries that vanish but for rounding (of redundant rows) are below this.
constexpr double kVanishing = 1e-6;

int count(const std::vector<Expr>& v) { return static_cast<int>(v.size()); }

ExprMatrix sum(ExprMatrix a, const ExprMatrix& b) {
  for (std::size_t i = 0; i < a.entries.size(); ++i) a.entries[i] += b.entries[i];
  return a;
}

ExprMatrix negative(ExprMatrix a) {
  for (auto& e : a.entries) e = -e;
  return a;
}

ExprMatrix rows_of(const ExprMatrix& a, const std::vector<int>& rows) {
  ExprMatrix r(static_cast<int>(rows.size()), a.columns);
  for (int i = 0; i < r.rows; ++i)
    for (int j = 0; j < a.columns; ++j) r(i, j) = a(rows[at(i)], j);
  return r;
}

ExprMatrix columns_of(const ExprMatrix& a, const std::vector<int>& columns) {
  ExprMatrix r(a.rows, static_cast<int>(columns.size()));
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < r.columns; ++j) r(i, j) = a(i, columns[at(j)]);
  return r;
}

/// a^-1 b.
ExprMatrix solve(const LinearSolver& a, const ExprMatrix& b) {
  ExprMatrix x(b.rows, b.columns);
  std::vector<Expr> column(at(b.rows));
  for (int j = 0; j < b.columns; ++j) {
    for (int i = 0; i < b.rows; ++i) column[at(i)] = b(i, j);
    const auto solved = a.solve(column);
    for (int i = 0; i < b.rows; ++i) x(i, j) = solved[at(i)];
  }
  return x;
}

class Linearizer {
 public:
  Linearizer(const EquationsOfMotion& e, const LinearizeOptions& options) : e_(e), options_(options) {
    for (const auto& input : e.inputs) inputs_.push_back(input.symbol);
  }

  Linearization run() {
    require(e_.M.rows == e_.speed_count(), "'{}' has no mass matrix to linearize", e_.name);
    set_active();
    set_nominal();
    choose_coordinates();
    form_variations();
    check_dropped();
    form_dynamics();
    return assemble();
  }

 private:
  /// Whether the constraints that act are those that were embedded, if any were.
  void set_active() {
    std::vector<int> own;
    for (int i = 0; i < static_cast<int>(e_.constraints.size()); ++i) {
      const auto& c = e_.constraints[at(i)];
      if (c.active && !c.redundant) own.push_back(i);
      if (options_.active ? options_.active->at(at(i)) : c.active) active_.push_back(i);
    }
    const auto needed = [&](int i) {
      const auto& c = e_.constraints[at(i)];
      return !c.active || !c.redundant;
    };
    std::vector<int> rows;
    std::copy_if(active_.begin(), active_.end(), std::back_inserter(rows), needed);
    own_set_ = rows == own && (own.empty() || e_.embedded.has_value());
  }

  // ---- the nominal motion -------------------------------------------------------------------------------------------
  void set_nominal() {
    std::vector<Expr> all = e_.q;
    all.insert(all.end(), e_.u.begin(), e_.u.end());
    all.insert(all.end(), e_.udot.begin(), e_.udot.end());
    all.push_back(e_.t);
    std::vector<std::string> known = names_of(all);
    for (const auto& s : all) nominal_.set(s, 0);
    for (const auto& input : e_.inputs) nominal_.set(input.symbol, input.value), known.push_back(input.symbol.name());
    for (const auto& [name, value] : options_.nominal) {
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw ModelError(fmt::format("the nominal motion names '{}', which is not a coordinate, speed or input{}", name,
                                     suggestion(name, known)));
      nominal_.set(e_.graph->symbol(name), value);
    }
    choose_embedding();
    complete_speeds();
    check_configuration();
    if (options_.solve_accelerations) solve_accelerations();
  }

  [[nodiscard]] Substitution parameter_values() const {
    Substitution values;
    for (const auto& [name, value] : options_.parameters)
      values.set(e_.graph->symbol(name), e_.graph->number(rational_from_double(value)));
    return values;
  }

  void choose_embedding() {
    if (!own_set_ && !active_.empty()) {
      local_ = form_local_embedding(e_, active_, nominal_, parameter_values());
      embedded_ = &local_->equations;
      independent_ = embedded_->independent;
      dependent_ = embedded_->dependent;
      return;
    }
    if (own_set_ && e_.embedded) {
      local_ = form_local_embedding(e_, nominal_, parameter_values());
      embedded_ = local_ ? &local_->equations : &*e_.embedded;
      independent_ = embedded_->independent;
      dependent_ = embedded_->dependent;
      return;
    }
    for (int i = 0; i < e_.speed_count(); ++i) independent_.push_back(i);
  }

  // A state off the constraints has no linear equations. What depends on parameters may hold for some of them.
  void check_configuration() const {
    for (const int i : active_) {
      const auto& c = e_.constraints[at(i)];
      if ((own_set_ && c.redundant) || !c.phi) continue;
      const Expr value = nominal(*c.phi);
      require(!value.is_number() || std::abs(to_double(value.number())) < 1e-9,
              "the nominal motion does not satisfy constraint {}: it gives {} instead of zero", c.name,
              value.to_string());
    }
  }

  void complete_speeds() {
    if (embedded_ == nullptr) return;
    const auto& m = *embedded_;
    for (std::size_t i = 0; i < dependent_.size(); ++i) {
      const Expr& u = e_.u[at(dependent_[i])];
      nominal_.set(u, nominal(dependent_speed(m, static_cast<int>(i))));
    }
  }

  void solve_accelerations() {
    const ExprMatrix M = nominal(mass());
    require_regular(M);
    const auto udot = LinearSolver(M).solve(nominal(right_hand_side()));
    for (std::size_t i = 0; i < independent_.size(); ++i) nominal_.set(e_.udot[at(independent_[i])], udot[i]);
  }

  /// At single states a mass matrix may be singular, such as that of three angles of a top where two axes coincide.
  void require_regular(const ExprMatrix& M) const {
    require(find_rank(M).rank() == M.rows,
            "the mass matrix of '{}' is singular at the nominal motion, so that there are no linear equations: some "
            "combination of speeds moves nothing that has mass. Choose another state, or other coordinates",
            e_.name);
  }

  [[nodiscard]] const ExprMatrix& mass() const { return embedded_ != nullptr ? embedded_->M : e_.M; }
  [[nodiscard]] const std::vector<Expr>& right_hand_side() const {
    return embedded_ != nullptr ? embedded_->rhs : e_.rhs;
  }

  /// D u_i + E for one dependent speed.
  [[nodiscard]] Expr dependent_speed(const EmbeddedEquations& m, int row) const {
    Expr value = m.E[at(row)];
    for (std::size_t j = 0; j < independent_.size(); ++j)
      value += m.D(row, static_cast<int>(j)) * e_.u[at(independent_[j])];
    return value;
  }

  [[nodiscard]] Expr nominal(const Expr& e) const { return substitute(e, nominal_); }
  [[nodiscard]] std::vector<Expr> nominal(const std::vector<Expr>& es) const { return substitute(es, nominal_); }
  [[nodiscard]] ExprMatrix nominal(ExprMatrix m) const {
    m.entries = substitute(m.entries, nominal_);
    return m;
  }

  /// Derivatives of `es` by `symbols` at the nominal motion.
  [[nodiscard]] ExprMatrix jacobian_at(const std::vector<Expr>& es, const std::vector<Expr>& symbols) const {
    ExprMatrix m(count(es), count(symbols));
    const Jacobian j = jacobian(es, symbols);
    std::vector<Expr> values;
    for (const auto& entry : j.entries) values.push_back(entry.value);
    values = nominal(values);
    for (std::size_t k = 0; k < values.size(); ++k) m(j.entries[k].row, j.entries[k].column) = values[k];
    return m;
  }

  // ---- coordinates --------------------------------------------------------------------------------------------------
  void choose_coordinates() {
    std::vector<Expr> phi;
    if (embedded_ != nullptr)
      for (const int row : embedded_->rows)
        if (const auto& c = e_.constraints[at(row)]; c.phi) phi.push_back(*c.phi);
    // The parameters of an orientation satisfy their own constraint.
    for (const int first : e_.quaternions) {
      Expr length = -1;
      for (int k = 0; k < 4; ++k) length += square(e_.q[at(first + k)]);
      phi.push_back(length);
    }
    const ExprMatrix J = jacobian_at(phi, e_.q);
    std::vector<int> preferred;
    for (const auto& name : options_.dependent_coordinates) preferred.push_back(index_of(e_.q, name, "coordinate"));
    // Where the user does not say, coordinates whose rates are independent speeds are independent too.
    const bool chosen = !preferred.empty();
    for (int i = 0; i < e_.coordinate_count() && !chosen; ++i)
      if (!is_independent_speed(e_.qdot[at(i)])) preferred.push_back(i);
    RankReport rank;
    if (!preferred.empty()) rank = find_rank(J, preferred, Rank::Rounded);
    if (!chosen && rank.rank() < J.rows) rank = find_rank(J, {}, Rank::Rounded);
    require(rank.rank() == J.rows,
            "the configuration constraints of '{}' cannot be solved for {} coordinates at the nominal motion", e_.name,
            J.rows);
    std::vector<int> dependent;
    for (const auto& pivot : rank.pivots) dependent.push_back(pivot.column);
    std::sort(dependent.begin(), dependent.end());
    for (int i = 0; i < e_.coordinate_count(); ++i)
      if (std::find(dependent.begin(), dependent.end(), i) == dependent.end()) q_independent_.push_back(i);

    Cq_ = ExprMatrix(e_.coordinate_count(), static_cast<int>(q_independent_.size()));
    for (std::size_t j = 0; j < q_independent_.size(); ++j) Cq_(q_independent_[j], static_cast<int>(j)) = 1;
    if (dependent.empty()) return;
    const ExprMatrix below = negative(solve(LinearSolver(columns_of(J, dependent)), columns_of(J, q_independent_)));
    for (std::size_t i = 0; i < dependent.size(); ++i)
      for (int j = 0; j < below.columns; ++j) Cq_(dependent[i], j) = below(static_cast<int>(i), j);
  }

  [[nodiscard]] bool is_independent_speed(const Expr& rate) const {
    return std::any_of(independent_.begin(), independent_.end(), [&](int j) { return rate == e_.u[at(j)]; });
  }

  static int index_of(const std::vector<Expr>& symbols, const std::string& name, const char* what) {
    const auto names = names_of(symbols);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw ModelError(fmt::format("there is no {} '{}'{}", what, name, suggestion(name, names)));
    return static_cast<int>(found - names.begin());
  }

  // ---- variations -----------------------------------------------------------------------------------------------------
  void form_variations() {
    const int p = static_cast<int>(independent_.size());
    Cu_ = ExprMatrix(e_.speed_count(), p);
    for (int j = 0; j < p; ++j) Cu_(independent_[at(j)], j) = 1;
    ExprMatrix by_q(e_.speed_count(), e_.coordinate_count());
    if (embedded_ != nullptr) {
      std::vector<Expr> values;
      for (int i = 0; i < static_cast<int>(dependent_.size()); ++i) values.push_back(dependent_speed(*embedded_, i));
      const ExprMatrix d_q = jacobian_at(values, e_.q);
      const ExprMatrix D = nominal(embedded_->D);
      for (int i = 0; i < static_cast<int>(dependent_.size()); ++i) {
        const int row = dependent_[at(i)];
        for (int j = 0; j < p; ++j) Cu_(row, j) = D(i, j);
        for (int j = 0; j < e_.coordinate_count(); ++j) by_q(row, j) = d_q(i, j);
      }
    }
    Gu_ = form_product(by_q, Cq_);
  }

  // Dropped rows must hold nearby too, not only at this place: w = a_i + a_d D and a_d E + b vanish along all changes
  // of configuration that the others allow. They do not where the rank drops at this place alone.
  void check_dropped() const {
    if (!local_ || local_->dropped.empty()) return;
    const Substitution parameters = parameter_values();
    const auto check = [&](const Expr& e, const char* message, const std::string& constraint) {
      const Expr value = substitute(e, parameters);
      require(!value.is_number() || std::abs(to_double(value.number())) < kVanishing, "{}",
              fmt::format(fmt::runtime(message), constraint));
    };
    for (const int row : local_->dropped) {
      const auto& c = e_.constraints[at(row)];
      std::vector<Expr> w;
      for (std::size_t j = 0; j <= independent_.size(); ++j) {
        w.push_back(j == independent_.size() ? c.b : c.a[at(independent_[j])]);
        for (std::size_t i = 0; i < dependent_.size(); ++i)
          w.back() +=
              c.a[at(dependent_[i])] *
              (j == independent_.size() ? embedded_->E[i] : embedded_->D(static_cast<int>(i), static_cast<int>(j)));
      }
      check(nominal(w.back()), "constraint {} contradicts the other constraints at the nominal motion", c.name);
      for (const Expr& change : form_product(jacobian_at(w, e_.q), Cq_).entries)
        check(
            change,
            "the nominal motion is a singular configuration: constraint {} depends on the others there but not nearby, "
            "so that there are no linear equations; linearize about another configuration",
            c.name);
    }
  }

  void form_dynamics() {
    // g = rhs - M u' with u' as symbols, constant under the derivatives.
    const ExprMatrix& M = mass();
    std::vector<Expr> g = right_hand_side();
    for (int r = 0; r < M.rows; ++r)
      for (int s = 0; s < M.columns; ++s) g[at(r)] -= M(r, s) * e_.udot[at(independent_[at(s)])];
    const ExprMatrix g_u = jacobian_at(g, e_.u);
    g_q_ = sum(form_product(jacobian_at(g, e_.q), Cq_), form_product(g_u, Gu_));
    g_u_ = form_product(g_u, Cu_);
    g_r_ = jacobian_at(g, inputs_);
    M_ = nominal(M);
    g_ = nominal(g);

    const ExprMatrix f_u = jacobian_at(e_.qdot, e_.u);
    f_q_ = rows_of(sum(form_product(jacobian_at(e_.qdot, e_.q), Cq_), form_product(f_u, Gu_)), q_independent_);
    f_u_ = rows_of(form_product(f_u, Cu_), q_independent_);
    f_r_ = rows_of(jacobian_at(e_.qdot, inputs_), q_independent_);
  }

  // ---- the result -------------------------------------------------------------------------------------------------------
  /// Positions (among the independent ones) of the variables that are to vary.
  std::vector<int> kept(const std::vector<int>& independent, const std::vector<Expr>& symbols) const {
    std::vector<int> positions;
    for (std::size_t i = 0; i < independent.size(); ++i) {
      const auto& name = symbols[at(independent[i])].name();
      if (options_.only.empty() || std::find(options_.only.begin(), options_.only.end(), name) != options_.only.end())
        positions.push_back(static_cast<int>(i));
    }
    return positions;
  }

  void check_only() const {
    std::vector<std::string> known;
    for (const int i : q_independent_) known.push_back(e_.q[at(i)].name());
    for (const int i : independent_) known.push_back(e_.u[at(i)].name());
    for (const auto& name : options_.only)
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw ModelError(
            fmt::format("'{}' is not an independent coordinate or speed{}", name, suggestion(name, known)));
  }

  Linearization assemble() {
    check_only();
    const auto q_kept = kept(q_independent_, e_.q), u_kept = kept(independent_, e_.u);
    Linearization l;
    for (const int i : q_kept) l.coordinates.push_back(e_.q[at(q_independent_[at(i)])]);
    for (const int i : u_kept) l.speeds.push_back(e_.u[at(independent_[at(i)])]);
    l.inputs = inputs_;
    l.M = columns_of(rows_of(M_, u_kept), u_kept);
    l.C = negative(columns_of(rows_of(g_u_, u_kept), u_kept));
    l.K = negative(columns_of(rows_of(g_q_, u_kept), q_kept));
    l.F = rows_of(g_r_, u_kept);
    require_regular(l.M);
    const LinearSolver mass_solver(l.M);
    const int n = count(l.coordinates), p = count(l.speeds);
    l.A = ExprMatrix(n + p, n + p);
    l.B = ExprMatrix(n + p, count(inputs_));
    const ExprMatrix f_q = columns_of(rows_of(f_q_, q_kept), q_kept), f_u = columns_of(rows_of(f_u_, q_kept), u_kept);
    const ExprMatrix a_q = solve(mass_solver, negative(l.K)), a_u = solve(mass_solver, negative(l.C));
    const ExprMatrix b_q = rows_of(f_r_, q_kept), b_u = solve(mass_solver, l.F);
    const auto paste = [](ExprMatrix& into, const ExprMatrix& part, int row, int column) {
      for (int i = 0; i < part.rows; ++i)
        for (int j = 0; j < part.columns; ++j) into(row + i, column + j) = part(i, j);
    };
    paste(l.A, f_q, 0, 0), paste(l.A, f_u, 0, n), paste(l.A, a_q, n, 0), paste(l.A, a_u, n, n);
    paste(l.B, b_q, 0, 0), paste(l.B, b_u, n, 0);
    for (const int i : q_kept) l.drift.push_back(nominal(e_.qdot[at(q_independent_[at(i)])]));
    for (const int i : u_kept) l.drift.push_back(g_[at(i)]);
    return l;
  }

  const EquationsOfMotion& e_;
  const LinearizeOptions& options_;
  std::vector<int> active_;  ///< constraints that act
  bool own_set_ = true;      ///< ... which are those that the equations embed
  std::optional<LocalEmbedding> local_;
  const EmbeddedEquations* embedded_ = nullptr;
  std::vector<Expr> inputs_;
  std::vector<int> independent_, dependent_, q_independent_;
  Substitution nominal_;
  ExprMatrix Cq_, Cu_, Gu_;
  ExprMatrix M_, g_q_, g_u_, g_r_, f_q_, f_u_, f_r_;
  std::vector<Expr> g_;
};

}  // namespace

Linearization linearize(const EquationsOfMotion& equations, const LinearizeOptions& options) {
  if (std::none_of(equations.inputs.begin(), equations.inputs.end(), has_law))
    return Linearizer(equations, options).run();
  std::vector<std::string> driven;
  for (const auto& [name, value] : options.nominal) driven.push_back(name);
  const EquationsOfMotion closed = form_closed_loop(equations, driven);
  return Linearizer(closed, options).run();
}

}  // namespace kane
