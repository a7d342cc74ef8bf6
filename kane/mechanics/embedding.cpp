#include "kane/mechanics/embedding.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/load_inertia.hpp"
#include "kane/mechanics/rank.hpp"
#include "kane/mechanics/singularity.hpp"

namespace kane {
namespace {

/// A row in terms of the columns that are left: sum a_r u_r + b = 0, sum a_r u_r' = gamma.
struct StageRow {
  std::vector<Expr> a;
  Expr b, gamma;
};

/// The dependent speeds that one group of rows determines.
struct Stage {
  std::vector<int> dependent;    // columns
  std::vector<int> independent;  // columns that are left
  ExprMatrix D;
  std::vector<Expr> E, g;
};

class Embedder {
 public:
  Embedder(const System& s, const Bases& bases, const Kinematical& kinematical, const std::vector<ConstraintRow>& rows,
           std::vector<std::string>& warnings)
      : s_(s), bases_(bases), kinematical_(kinematical), rows_(rows), warnings_(warnings), model_(kinematical.model) {
    const int n = model_.speed_count;
    for (int j = 0; j < n; ++j) left_.push_back(j);
    C_.resize(at(n));
    for (int j = 0; j < n; ++j) C_[at(j)].resize(at(n));
    for (int j = 0; j < n; ++j) C_[at(j)][at(j)] = 1;
    E_.resize(at(n));
    g_.resize(at(n));
  }

  SymbolicEmbedding run() {
    read_wishes();
    for (const std::vector<int>& group : groups()) {
      const Stage stage = solve(group);
      apply(stage);
    }
    return result();
  }

 private:
  // ---- the equations to be solved ----------------------------------------------------------------------------------------

  /// Stated together, or about the same two material points (a wheel that touches and does not slip).
  [[nodiscard]] bool belong_together(int i, int j) const {
    const ConstraintRecord& a = s_.constraints()[at(i)];
    const ConstraintRecord& b = s_.constraints()[at(j)];
    if (a.group == b.group) return true;
    return a.between_points() && b.between_points() && same_point(a.point, b.point) &&
           same_point(a.reference, b.reference);
  }

  [[nodiscard]] bool same_point(PointId p, PointId q) const {
    return p == q || (s_.point(p).carrier.valid() && s_.point(p).carrier == s_.point(q).carrier && s_.located(p, q) &&
                      s_.position(p, q).is_zero());
  }

  std::vector<std::vector<int>> groups() {
    std::vector<std::vector<int>> r;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const ConstraintEquation& e = rows_[i].equation;
      if (!e.active || e.redundant) continue;
      const int row = static_cast<int>(i);
      embedded_.push_back(row);
      const auto known =
          std::find_if(r.begin(), r.end(), [&](const auto& group) { return belong_together(group.front(), row); });
      if (known == r.end())
        r.push_back({row});
      else
        known->push_back(row);
    }
    require(wishes_.empty() || wishes_.size() == embedded_.size(),
            "{} dependent speeds are requested, but {} has {} independent constraints", wishes_.size(), s_.name(),
            embedded_.size());
    check_wishes();
    return r;
  }

  void read_wishes() {
    for (const Expr& u : s_.dependent_speeds()) {
      for (std::size_t j = 0; j < s_.speeds().size(); ++j) {
        if (s_.speeds()[j].symbol == u) wishes_.push_back(static_cast<int>(j));
      }
    }
  }

  void check_wishes() const {
    if (wishes_.empty()) return;
    ExprMatrix a(static_cast<int>(embedded_.size()), model_.speed_count);
    for (int i = 0; i < a.rows; ++i) {
      const auto& row = rows_[at(embedded_[at(i)])].equation.a;
      for (int j = 0; j < a.columns; ++j) a(i, j) = row[at(j)];
    }
    const RankReport rank = find_rank(a, wishes_, Rank::Rounded);
    if (rank.rank() == a.rows) return;
    std::string names, stuck;
    for (const int j : wishes_) names += (names.empty() ? "" : ", ") + s_.speeds()[at(j)].symbol.name();
    std::vector<int> which;
    for (const auto& d : rank.dependencies) which.insert(which.end(), d.begin(), d.end());
    std::sort(which.begin(), which.end());
    which.erase(std::unique(which.begin(), which.end()), which.end());
    for (const int i : which) {
      stuck += (stuck.empty() ? "" : ", ") + rows_[at(embedded_[at(i)])].equation.name;
    }
    const int first = embedded_[at(which.front())];
    throw ModelError(
        Subject{Subject::Kind::Constraint, rows_[at(first)].equation.name},
        fmt::format("the dependent speeds {} cannot be solved for: constraint{} {} do{} not determine them; "
                    "choose others, or leave the choice open",
                    names, which.size() > 1 ? "s" : "", stuck, which.size() > 1 ? "" : "es"));
  }

  // ---- rows --------------------------------------------------------------------------------------------------------------

  Kinematics& kinematics() {
    if (!kinematics_) {
      kinematics_ = std::make_unique<Kinematics>(s_, bases_, model_, kinematical_.time_rates);
      kinematics_->know_direction_cosines();
    }
    return *kinematics_;
  }

  /// From the row in all speeds: a C u_left + (b + a E) = 0, a C u'_left = gamma - a g.
  StageRow substituted_row(int i) const {
    const ConstraintEquation& e = rows_[at(i)].equation;
    StageRow r;
    r.a.resize(C_.size());
    r.b = e.b;
    r.gamma = e.gamma;
    for (std::size_t j = 0; j < e.a.size(); ++j) {
      if (e.a[j].is_zero()) continue;
      for (const int c : left_) {
        const Expr& coefficient = C_[j][at(c)];
        if (!coefficient.is_zero()) r.a[at(c)] += e.a[j] * coefficient;
      }
      r.b += e.a[j] * E_[j];
      r.gamma -= e.a[j] * g_[j];
    }
    return r;
  }

  /// (v_p - v_r) along one axis of a frame (or any direction fixed in the inertial frame).
  StageRow point_row(const ConstraintRecord& c, const Vector& direction) {
    StageRow r;
    r.a.resize(C_.size());
    for (const auto& [p, sign] : {std::pair{c.point, 1}, std::pair{c.reference, -1}}) {
      const VelocityForm& v = kinematics().point(p);
      const Expr3 rate = kinematics().velocity_rate(p);
      if (v.at_rest() && is_zero(rate)) continue;
      const auto along = [&, sign = sign](const Expr3& vector) {  // clang 14 captures no structured bindings
        const Expr value = component(vector, v.basis, direction);
        return sign > 0 ? value : -value;
      };
      for (const PartialVelocity& u : v.partials) {
        if (u.column < model_.speed_count) r.a[at(u.column)] += along(u.c);
      }
      r.b += along(v.remainder);
      r.gamma -= along(rate);
    }
    return r;
  }

  /// A component along an axis is read off the vector expressed there; any other direction is a scalar product.
  [[nodiscard]] Expr component(const Expr3& vector, FrameId basis, const Vector& direction) const {
    if (direction.terms().size() == 1) {
      const auto& [frame, d] = direction.terms().front();
      for (std::size_t i = 0; i < 3; ++i) {
        if (d[i].is_one() && d[(i + 1) % 3].is_zero() && d[(i + 2) % 3].is_zero()) {
          return bases_.express(vector, basis, frame)[i];
        }
      }
    }
    return dot(vector, bases_.express(direction, basis));
  }

  [[nodiscard]] bool by_points(int i) {
    const ConstraintRecord& c = s_.constraints()[at(i)];
    return c.between_points() && is_fixed_direction(s_, kinematics().dependence(), c.direction);
  }

  /// The rows along the directions stated, where coefficients are simplest (1 for the rates of the coordinates of a
  /// point). The speeds to solve for are chosen here: in turned rows every coefficient is a sine or cosine, and a pivot
  /// taken there may vanish although the system is regular.
  ExprMatrix form_stated_rows(const std::vector<int>& group) {
    ExprMatrix a(static_cast<int>(group.size()), model_.speed_count);
    for (int i = 0; i < a.rows; ++i) {
      const int row = group[at(i)];
      const ConstraintRecord& c = s_.constraints()[at(row)];
      const StageRow stated = by_points(row) ? point_row(c, c.direction) : substituted_row(row);
      for (const int column : left_) a(i, column) = stated.a[at(column)];
    }
    return a;
  }

  std::vector<StageRow> form_rows(const std::vector<int>& group) {
    std::vector<StageRow> r;
    std::vector<int> rest = group;
    while (!rest.empty()) {
      const int first = rest.front();
      if (!by_points(first)) {
        r.push_back(substituted_row(first));
        rest.erase(rest.begin());
        continue;
      }
      const ConstraintRecord& c = s_.constraints()[at(first)];
      std::vector<Vector> directions;
      std::erase_if(rest, [&](int i) {
        const ConstraintRecord& other = s_.constraints()[at(i)];
        if (!by_points(i) || other.point != c.point || other.reference != c.reference) return false;
        directions.push_back(other.direction);
        return true;
      });
      for (const Vector& d : best_axes(c, directions)) r.push_back(point_row(c, d));
    }
    return r;
  }

  /// Axes that span the same space as the directions and lie in the frame nearest to where the velocity is known.
  std::vector<Vector> best_axes(const ConstraintRecord& c, const std::vector<Vector>& directions) {
    if (directions.size() < 2) return directions;
    const FrameId home = kinematics().point(c.point).basis;
    const Frames& frames = s_.frames();
    std::vector<Vector> best = directions;
    int least = -1;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const FrameId f(i);
      if (!frames.related(f, home)) continue;
      const int far = bases_.distance(f, home);
      if (least >= 0 && far >= least) continue;
      std::vector<Vector> axes;
      for (const Axis axis : {Axis::X, Axis::Y, Axis::Z}) axes.push_back(unit(f, axis));
      if (directions.size() == 2) {
        // The axis normal to both directions is left out.
        const auto normal = std::find_if(axes.begin(), axes.end(), [&](const Vector& axis) {
          return s_.dot(axis, directions[0]).is_zero() && s_.dot(axis, directions[1]).is_zero();
        });
        if (normal == axes.end()) continue;
        axes.erase(normal);
      }
      best = axes;
      least = far;
    }
    return best;
  }

  // ---- solving ---------------------------------------------------------------------------------------------------------------

  Stage solve(const std::vector<int>& group) {
    const std::vector<StageRow> rows = form_rows(group);
    const int m = static_cast<int>(rows.size());
    ExprMatrix a(m, model_.speed_count);
    for (int i = 0; i < m; ++i) {
      for (const int c : left_) a(i, c) = rows[at(i)].a[at(c)];
    }
    std::vector<int> allowed;
    for (const int c : wishes_.empty() ? left_ : wishes_) {
      if (std::find(left_.begin(), left_.end(), c) != left_.end()) allowed.push_back(c);
    }
    const RankReport rank = find_rank(form_stated_rows(group), allowed, Rank::Rounded);
    ensure(rank.rank() == m, "a group of independent constraints lost its rank");
    Stage stage;
    for (const RankReport::Pivot& p : rank.pivots) stage.dependent.push_back(p.column);
    std::sort(stage.dependent.begin(), stage.dependent.end());
    for (const int c : left_) {
      if (!std::binary_search(stage.dependent.begin(), stage.dependent.end(), c)) stage.independent.push_back(c);
    }
    ExprMatrix square(m, m);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < m; ++j) square(i, j) = a(i, stage.dependent[at(j)]);
    }
    const LinearSolver solver(square);
    const auto solve_for = [&](auto&& value) {
      std::vector<Expr> right;
      for (int i = 0; i < m; ++i) right.push_back(value(i));
      return solver.solve(right);
    };
    stage.D = ExprMatrix(m, static_cast<int>(stage.independent.size()));
    for (int j = 0; j < stage.D.columns; ++j) {
      const int c = stage.independent[at(j)];
      const std::vector<Expr> column = solve_for([&](int i) { return -a(i, c); });
      for (int i = 0; i < m; ++i) stage.D(i, j) = column[at(i)];
    }
    stage.E = solve_for([&](int i) { return -rows[at(i)].b; });
    stage.g = solve_for([&](int i) { return rows[at(i)].gamma; });
    if (const std::string where = singular_conditions(s_, solver.divisors()); !where.empty()) {
      std::string names;
      for (const int c : stage.dependent) {
        names += (names.empty() ? "" : ", ") + s_.speeds()[at(c)].symbol.name();
      }
      warnings_.push_back(fmt::format("the dependent speeds {} cannot be found where {}", names, where));
    }
    return stage;
  }

  void apply(const Stage& stage) {
    // u_j = sum C_jc u_c + E_j with the newly dependent columns replaced.
    for (std::size_t j = 0; j < C_.size(); ++j) {
      for (std::size_t i = 0; i < stage.dependent.size(); ++i) {
        Expr& c = C_[j][at(stage.dependent[i])];
        if (c.is_zero()) continue;
        for (std::size_t k = 0; k < stage.independent.size(); ++k) {
          C_[j][at(stage.independent[k])] += c * stage.D(static_cast<int>(i), static_cast<int>(k));
        }
        E_[j] += c * stage.E[i];
        g_[j] += c * stage.g[i];
        c = 0;
      }
    }
    embed_rates(stage);
    left_ = stage.independent;
    kinematics_.reset();
  }

  void embed_rates(const Stage& stage) {
    Dependence dependence(s_);
    model_.constant = true;
    for (std::size_t k = 0; k < model_.W.size(); ++k) {
      std::vector<Expr> row(at(model_.column_count));
      for (const auto& [column, w] : model_.W[k]) {
        const auto d = std::find(stage.dependent.begin(), stage.dependent.end(), column);
        if (d == stage.dependent.end()) {
          row[at(column)] += w;
          continue;
        }
        const auto i = at(d - stage.dependent.begin());
        for (std::size_t j = 0; j < stage.independent.size(); ++j) {
          const Expr& c = stage.D(static_cast<int>(i), static_cast<int>(j));
          if (!c.is_zero()) row[at(stage.independent[j])] += w * c;
        }
        model_.X[k] += w * stage.E[i];
        model_.second[k] += w * stage.g[i];
      }
      model_.W[k].clear();
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (row[c].is_zero()) continue;
        model_.W[k].emplace_back(static_cast<int>(c), row[c]);
        model_.constant = model_.constant && dependence.constant(row[c]);
      }
    }
  }

  SymbolicEmbedding result() {
    SymbolicEmbedding r;
    r.model = model_;
    EmbeddedEquations& e = r.equations;
    e.rows = embedded_;
    e.independent = left_;
    for (int j = 0; j < model_.speed_count; ++j) {
      if (std::find(left_.begin(), left_.end(), j) == left_.end()) e.dependent.push_back(j);
    }
    e.D = ExprMatrix(static_cast<int>(e.dependent.size()), static_cast<int>(e.independent.size()));
    for (int i = 0; i < e.D.rows; ++i) {
      const auto j = at(e.dependent[at(i)]);
      for (int k = 0; k < e.D.columns; ++k) {
        e.D(i, k) = C_[j][at(e.independent[at(k)])];
      }
      e.E.push_back(E_[j]);
      e.g.push_back(g_[j]);
    }
    return r;
  }

  const System& s_;
  const Bases& bases_;
  const Kinematical& kinematical_;
  const std::vector<ConstraintRow>& rows_;
  std::vector<std::string>& warnings_;
  RateModel model_;
  std::unique_ptr<Kinematics> kinematics_;
  std::vector<int> wishes_;
  std::vector<int> embedded_;
  std::vector<int> left_;             // columns not yet dependent
  std::vector<std::vector<Expr>> C_;  // u_j in terms of the columns left
  std::vector<Expr> E_, g_;
};

}  // namespace

SymbolicEmbedding form_embedding(const System& system, const Bases& bases, const Kinematical& kinematical,
                                 const std::vector<ConstraintRow>& rows, std::vector<std::string>& warnings) {
  return Embedder(system, bases, kinematical, rows, warnings).run();
}

// C = [1; D], g padded with zeros: M~ = C^T M C, rhs~ = C^T (rhs - M g).
void recombine(const ExprMatrix& M, const std::vector<Expr>& rhs, EmbeddedEquations& e) {
  const int p = static_cast<int>(e.independent.size());
  const int m = static_cast<int>(e.dependent.size());
  const auto ind = [&](int j) { return e.independent[at(j)]; };
  const auto dep = [&](int i) { return e.dependent[at(i)]; };
  const bool symmetric = is_symmetric(M);
  ExprMatrix MC(M.rows, p);
  std::vector<Expr> residual = rhs;
  for (int r = 0; r < M.rows; ++r) {
    for (int j = 0; j < p; ++j) {
      MC(r, j) = M(r, ind(j));
      for (int i = 0; i < m; ++i) MC(r, j) += M(r, dep(i)) * e.D(i, j);
    }
    for (int i = 0; i < m; ++i) residual[at(r)] -= M(r, dep(i)) * e.g[at(i)];
  }
  e.M = ExprMatrix(p, p);
  e.rhs.assign(at(p), Expr());
  for (int j = 0; j < p; ++j) {
    for (int l = symmetric ? j : 0; l < p; ++l) {
      Expr sum = MC(ind(j), l);
      for (int i = 0; i < m; ++i) sum += e.D(i, j) * MC(dep(i), l);
      e.M(j, l) = sum;
      if (symmetric) e.M(l, j) = sum;
    }
    Expr sum = residual[at(ind(j))];
    for (int i = 0; i < m; ++i) sum += e.D(i, j) * residual[at(dep(i))];
    e.rhs[at(j)] = sum;
  }
}

}  // namespace kane
