#include "kane/analysis/inverse_kinematics.hpp"

#include <algorithm>
#include <cmath>

#include "kane/analysis/random_starts.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// Weight of constraints relative to targets, so that the mechanism stays closed when the target is out of reach.
constexpr double kConstraintWeight = 1e4;

template <class List>
auto find_named(const List& list, const std::string& name, const char* what) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& x) { return x.name == name; });
  if (found != list.end()) return found;
  std::vector<std::string> known;
  for (const auto& x : list) known.push_back(x.name);
  throw ModelError(fmt::format("there is no {} '{}'{}", what, name, suggestion(name, known)));
}

}  // namespace

std::array<double, 9> rotation_xyz(double x, double y, double z) {
  const double cx = std::cos(x), sx = std::sin(x), cy = std::cos(y), sy = std::sin(y), cz = std::cos(z),
               sz = std::sin(z);
  return {cy * cz,
          -cy * sz,
          sy,  //
          cx * sz + sx * sy * cz,
          cx * cz - sx * sy * sz,
          -sx * cy,  //
          sx * sz - cx * sy * cz,
          sx * cz + cx * sy * sz,
          cx * cy};
}

std::array<double, 9> rotation_from_quaternion(std::array<double, 4> e) {
  const double length = norm2(e);
  require(length > 0 && std::isfinite(length), "a quaternion of length {} is not an orientation", length);
  for (double& x : e) x /= length;
  const auto [x, y, z, w] = e;
  return {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),  //
          2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),  //
          2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
}

InverseKinematics::InverseKinematics(SystemEvaluator& evaluator, InverseKinematicsOptions options)
    : evaluator_(evaluator),
      options_(std::move(options)),
      projector_(evaluator),
      runner_(nullptr, evaluator.context()),
      scale_(evaluator.system().coordinate_count(), 1.0),
      zeros_(2 * evaluator.system().speed_count() + evaluator.system().constraint_count(), 0.0) {
  const EquationsOfMotion& e = evaluator.system().equations();
  require(!options_.positions.empty() || !options_.orientations.empty(),
          "inverse kinematics needs a point with a position, or a body with an orientation");
  require(options_.length > 0 && options_.tolerance > 0, "length and tolerance of inverse kinematics must be positive");
  std::vector<std::string> names;
  for (const auto& q : e.q) names.push_back(q.name());
  for (const auto& name : options_.held) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      throw ModelError(fmt::format("there is no coordinate '{}'{}", name, suggestion(name, names)));
    scale_[static_cast<std::size_t>(at - names.begin())] = 0;
  }
  check_limits();
  add_targets();
}

void InverseKinematics::check_limits() const {
  const EquationsOfMotion& e = evaluator_.system().equations();
  for (const auto* list : {&options_.lower, &options_.upper})
    ensure(list->empty() || list->size() == e.q.size(), "{} limits for {} coordinates", list->size(), e.q.size());
  for (std::size_t k = 0; k < options_.lower.size() && k < options_.upper.size(); ++k)
    require(options_.lower[k] <= options_.upper[k], "the limits of '{}' are empty: from {} to {}", e.q[k].name(),
            options_.lower[k], options_.upper[k]);
}

void InverseKinematics::add_targets() {
  const KernelWorkshop shop(evaluator_.system());
  const EquationsOfMotion& e = shop.equations();
  std::vector<Expr> values;
  for (const auto& target : options_.positions) {
    const auto point = find_named(e.points, target.point, "point");
    position_rows_.push_back(0);
    for (std::size_t k = 0; k < 3; ++k) {
      if (!target.position[k]) continue;
      require(std::isfinite(*target.position[k]), "the position of '{}' is not a finite number", target.point);
      values.push_back(point->position[k]);
      target_.push_back(*target.position[k]);
      ++position_rows_.back();
    }
    require(position_rows_.back() > 0, "the position of '{}' has no given component", target.point);
  }
  for (const auto& target : options_.orientations) {
    const auto body = find_named(e.bodies, target.body, "body");
    for (std::size_t k = 0; k < 9; ++k) {
      values.push_back(body->rotation[k / 3][k % 3]);
      target_.push_back(target.rotation[k]);
    }
  }
  rows_ = values.size();
  values = shop.with_laws(values);
  const Jacobian j = jacobian(values, e.q);
  std::vector<Expr> outputs = values;
  outputs.resize(rows_ + rows_ * e.q.size());
  for (const auto& entry : j.entries)
    outputs[rows_ + static_cast<std::size_t>(entry.row) * e.q.size() + static_cast<std::size_t>(entry.column)] =
        entry.value;
  kernel_ = std::make_unique<Kernel>(shop.compile("targets", outputs));
  runner_ = KernelRunner(kernel_.get(), evaluator_.context());
}

KinematicSolution InverseKinematics::measure(const Vector& q) {
  KinematicSolution s;
  s.q = q;
  const auto values = runner_.run(q, zeros_);
  std::size_t row = 0;
  double square = 0;
  for (const std::size_t count : position_rows_)
    for (std::size_t k = 0; k < count; ++k, ++row)
      square += (values[row] - target_[row]) * (values[row] - target_[row]);
  s.distance = std::sqrt(square);
  for (; row < rows_; row += 9) {
    double error = 0;  // |R - R*|_F = 2 sqrt(2) sin(angle / 2)
    for (std::size_t k = 0; k < 9; ++k)
      error += (values[row + k] - target_[row + k]) * (values[row + k] - target_[row + k]);
    s.angle = std::max(s.angle, 2 * std::asin(std::min(1.0, std::sqrt(error / 8))));
  }
  const EquationsOfMotion& e = evaluator_.system().equations();
  for (std::size_t k = 0; k < q.size(); ++k)
    if ((!options_.lower.empty() && q[k] <= options_.lower[k]) ||
        (!options_.upper.empty() && q[k] >= options_.upper[k]))
      s.at_limit.push_back(e.q[k].name());
  return s;
}

bool InverseKinematics::try_start(Vector q) {
  const auto clamp = [&] {
    for (std::size_t k = 0; k < q.size(); ++k) {
      if (!options_.lower.empty()) q[k] = std::max(q[k], options_.lower[k]);
      if (!options_.upper.empty()) q[k] = std::min(q[k], options_.upper[k]);
    }
  };
  clamp();
  const double turn = options_.length;
  const auto weight = [&](std::size_t row) {
    std::size_t positions = 0;
    for (const std::size_t n : position_rows_) positions += n;
    return row < positions ? 1.0 : turn / std::sqrt(2.0);  // near the target |R - R*|_F is sqrt(2) times the angle
  };
  const std::size_t constraints = projector_.row_count();
  const auto residual = [&](std::span<const double> x, std::span<double> r) {
    const auto values = runner_.run(x, zeros_);
    for (std::size_t i = 0; i < rows_; ++i) r[i] = weight(i) * (values[i] - target_[i]);
    if (constraints > 0) projector_.calc_configuration(x, r.subspan(rows_), {});
    for (double& v : r.subspan(rows_)) v *= kConstraintWeight;
    return all_finite(r);
  };
  const auto derivatives = [&](std::span<const double> x, MatrixView j) {
    const auto values = runner_.run(x, zeros_);
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t k = 0; k < x.size(); ++k) j(i, k) = weight(i) * values[rows_ + i * x.size() + k];
    if (constraints == 0) return true;
    const MatrixView below(j.row(rows_), constraints, j.columns, j.stride);
    projector_.calc_configuration(x, {}, below);
    for (std::size_t i = 0; i < constraints; ++i)
      for (std::size_t k = 0; k < j.columns; ++k) below(i, k) *= kConstraintWeight;
    return true;
  };
  NewtonOptions options;
  options.tolerance = options_.tolerance / 2;
  options.max_iterations = 300;
  options.max_step = 1;
  options.scale = scale_;
  options.lower = options_.lower, options.upper = options_.upper;
  const NewtonReport report = newton_->solve(residual, derivatives, q, options);
  // Remove full turns that change nothing.
  Vector r(rows_ + constraints);
  for (std::size_t k = 0; k < q.size() && report.ok(); ++k) {
    const double before = q[k], turns = std::round((q[k] - start_q_[k]) / kTurn);
    if (turns == 0 || scale_[k] == 0) continue;
    q[k] -= turns * kTurn;
    const bool outside =
        (!options_.lower.empty() && q[k] < options_.lower[k]) || (!options_.upper.empty() && q[k] > options_.upper[k]);
    if (outside || !residual(q, r) || max_abs(r) > options_.tolerance) q[k] = before;
  }
  KinematicSolution s = measure(q);
  s.reached = report.ok();
  if (s.reached) {
    rank_ = report.rank;
    const auto same = [&](const KinematicSolution& other) {
      for (std::size_t k = 0; k < q.size(); ++k) {
        const double d = q[k] - other.q[k];
        if (std::abs(d - std::round(d / kTurn) * kTurn) > 1e-6) return false;
      }
      return true;
    };
    if (std::none_of(found_.begin(), found_.end(), same)) found_.push_back(s);
    return true;
  }
  const auto error = [&](const KinematicSolution& x) { return std::hypot(x.distance, turn * x.angle); };
  if (constraints > 0 && projector_.calc_residuals(q, Vector(evaluator_.system().speed_count())).configuration > 1e-3)
    return false;
  if (!nearest_ || error(s) < error(*nearest_)) nearest_ = s;
  return false;
}

KinematicReport InverseKinematics::solve(const State& start) {
  const EquationsOfMotion& e = evaluator_.system().equations();
  ensure(start.q.size() == e.q.size(), "a state of another system");
  require(all_finite(start.q), "the start contains a number that is not finite");
  evaluator_.set_time(start.t);
  projector_.update_active();
  newton_.emplace(rows_ + projector_.row_count(), e.q.size());
  found_.clear(), nearest_.reset();
  start_q_ = start.q;
  KinematicReport report;
  const bool first = try_start(start.q);
  const int first_rank = rank_;
  std::mt19937_64 engine(20240229);
  for (int i = 0; i < options_.starts && (options_.all || !first) && (options_.all || found_.empty()); ++i) {
    if (options_.on_start) options_.on_start();
    ++report.starts;
    Vector q = start.q;
    const double radius = i < options_.starts / 3 ? 0.5 : 3.2;
    for (std::size_t k = 0; k < q.size(); ++k)
      if (scale_[k] != 0) q[k] += radius * uniform(engine);
    (void)try_start(q);
  }
  std::stable_sort(found_.begin(), found_.end(), [&](const KinematicSolution& a, const KinematicSolution& b) {
    const auto distance = [&](const KinematicSolution& s) {
      double sum = 0;
      for (std::size_t k = 0; k < s.q.size(); ++k) sum += (s.q[k] - start.q[k]) * (s.q[k] - start.q[k]);
      return sum;
    };
    return distance(a) < distance(b);
  });
  const auto free = std::count_if(scale_.begin(), scale_.end(), [](double s) { return s != 0; });
  report.free = static_cast<int>(free) - (first ? first_rank : rank_);
  report.solutions = found_;
  if (found_.empty() && nearest_) report.solutions.push_back(*nearest_), report.free = 0;
  require(!report.solutions.empty(), "the mechanism cannot be assembled near the start");
  return report;
}

}  // namespace kane
