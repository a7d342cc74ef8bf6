#include "kane/analysis/inverse_study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "kane/analysis/joint_ranges.hpp"
#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/simulate/motion/sample_times.hpp"

namespace kane {

namespace {

/// Collects the statistics of columns row by row.
class Statistics {
 public:
  explicit Statistics(const std::vector<std::string>& names) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const auto& name : names) columns_.push_back({name, kInfinity, -kInfinity, 0, 0});
  }
  void add(std::span<const double> values) {
    ++count_;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      ColumnStatistics& c = columns_[i];
      c.smallest = std::min(c.smallest, values[i]), c.largest = std::max(c.largest, values[i]);
      c.rms += values[i] * values[i];
      c.last = values[i];
    }
  }
  [[nodiscard]] std::vector<ColumnStatistics> result() const {
    std::vector<ColumnStatistics> r = columns_;
    for (ColumnStatistics& c : r) c.rms = count_ == 0 ? 0 : std::sqrt(c.rms / static_cast<double>(count_));
    return r;
  }

 private:
  std::vector<ColumnStatistics> columns_;
  long count_ = 0;
};

/// The largest excess over each limit of joints and motors.
class Excesses {
 public:
  Excesses(std::vector<JointRange> ranges, const std::vector<std::string>& actuators) : ranges_(std::move(ranges)) {
    worst_.resize(ranges_.size());
    for (const JointRange& range : ranges_)
      actuator_.push_back(
          static_cast<std::size_t>(std::find(actuators.begin(), actuators.end(), range.actuator) - actuators.begin()));
  }

  void add(double t, std::span<const double> q, std::span<const double> qdot, std::span<const double> force) {
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      const JointRange& r = ranges_[i];
      take(worst_[i][0], t, std::max(r.lower - q[r.place], q[r.place] - r.upper), q[r.place]);
      take(worst_[i][1], t, std::abs(qdot[r.place]) - r.max_speed, qdot[r.place]);
      if (actuator_[i] < force.size())
        take(worst_[i][2], t, std::abs(force[actuator_[i]]) - r.max_force, force[actuator_[i]]);
    }
  }

  [[nodiscard]] std::vector<std::string> sentences() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      const JointRange& r = ranges_[i];
      if (const Worst& w = worst_[i][0]; w.excess > 0)
        all.push_back(
            fmt::format("the motion passes a limit of the joint '{}': {} = {:.6g} at t = {:.6g} s, allowed "
                        "from {:.6g} to {:.6g}",
                        r.joint, r.coordinate, w.value, w.t, r.lower, r.upper));
      if (const Worst& w = worst_[i][1]; w.excess > 0)
        all.push_back(
            fmt::format("the motion is too fast for the motor of the joint '{}': {}' = {:.6g} at t = {:.6g} s, "
                        "its max_speed is {:.6g}",
                        r.joint, r.coordinate, w.value, w.t, r.max_speed));
      if (const Worst& w = worst_[i][2]; w.excess > 0)
        all.push_back(
            fmt::format("the motion needs more than the motor of the joint '{}' gives: {} = {:.6g} at t = {:.6g} s, "
                        "its max_force is {:.6g}",
                        r.joint, r.actuator, w.value, w.t, r.max_force));
    }
    return all;
  }

 private:
  struct Worst {
    double excess = 0, t = 0, value = 0;
  };
  static void take(Worst& worst, double t, double excess, double value) {
    constexpr double kRounding = 1e-9;
    if (excess > std::max(worst.excess, kRounding * std::abs(value))) worst = {excess, t, value};
  }

  std::vector<JointRange> ranges_;
  std::vector<std::size_t> actuator_;  ///< its column; too large: none
  std::vector<std::array<Worst, 3>> worst_;
};

/// Motors without limits.
Model without_motor_limits(const Model& model) {
  const auto limited = [](const Joint& joint) {
    return std::any_of(joint.motions.begin(), joint.motions.end(),
                       [](const ElementaryMotion& m) { return m.law.max_force || m.law.max_speed; });
  };
  const auto& joints = model.mechanism().joints;
  if (!model.mechanism().motor_limits || std::none_of(joints.begin(), joints.end(), limited)) return model;
  ModelOptions options = model.options();
  options.motor_limits = false;
  return model.with_options(std::move(options));
}

}  // namespace

void InverseStudyOptions::check() const {
  require(!motion.empty() || !tables.empty(),
          "no motion is prescribed: give a table, or an expression for a coordinate");
  require(kp >= 0 && kd >= 0 && std::isfinite(kp) && std::isfinite(kd), "the gains kp and kd must not be negative");
  require(period > 0 && std::isfinite(period), "the period of the controller must be positive, but {} was given",
          period);
  require(!step || (*step > 0 && std::isfinite(*step)), "the time between samples must be positive, but {} was given",
          step.value_or(0));
}

InverseStudy::InverseStudy(const Model& model, const StartState& start, InverseStudyOptions options)
    : options_(std::move(options)),
      model_(model),
      start_(start),
      at_(without_motor_limits(model).driving(options_.actuators), start),
      path_(at_.evaluator()) {
  options_.check();
  for (const auto& table : options_.tables) path_.add(table);
  for (const auto& coordinate : options_.motion) path_.add(coordinate.name, coordinate.expression);
  begin_ = options_.from.value_or(std::isfinite(path_.begin()) ? path_.begin() : at_.state().t);
  end_ = options_.until.value_or(std::isfinite(path_.end()) ? path_.end() : end_time(at_.model(), begin_, {}));
  require(begin_ >= path_.begin() && end_ <= path_.end(), "the motion table covers only {} s to {} s", path_.begin(),
          path_.end());
  InverseOptions inverse;
  inverse.actuators = options_.actuators, inverse.generalized = options_.generalized;
  inverse_ = std::make_unique<InverseDynamics>(at_.evaluator(), path_, std::move(inverse));
}

std::vector<std::string> InverseStudy::columns() const {
  const EquationsOfMotion& e = equations();
  std::vector<std::string> names{e.t.name()};
  names.insert(names.end(), inverse_->actuators().begin(), inverse_->actuators().end());
  if (!options_.full) return names;
  for (const auto* symbols : {&e.q, &e.u, &e.udot})
    for (const auto& s : *symbols) names.push_back(s.name());
  for (const auto& c : e.constraints) names.push_back("lambda." + c.name);
  return names;
}

void InverseStudy::check() {
  require_smooth(equations(), "inverse dynamics");
  InverseSample sample;
  sample.state = at_.state();
  inverse_->calc(begin_, sample);
}

InverseReport InverseStudy::run(const OnRow& on_row) {
  require_smooth(equations(), "inverse dynamics");
  const SampleTimes times(begin_, end_, options_.step.value_or(0), 1000);
  Statistics statistics(inverse_->actuators());
  InverseReport report;
  report.model = equations().name, report.t_begin = begin_, report.t_end = end_;
  Excesses excesses(find_joint_ranges(at_.model(), at_.start()), inverse_->actuators());
  InverseSample sample;
  sample.state = at_.state();
  std::vector<double> row;
  for (long k = 0; k <= times.last(); ++k) {
    inverse_->calc(times.time(k), sample);
    row.assign(1, sample.state.t);
    row.insert(row.end(), sample.force.begin(), sample.force.end());
    statistics.add(sample.force);
    excesses.add(sample.state.t, sample.state.q, at_.evaluator().qdot(), sample.force);
    if (options_.full)
      for (const auto* part : {&sample.state.q, &sample.state.u, &sample.udot, &sample.lambda})
        row.insert(row.end(), part->begin(), part->end());
    if (on_row) on_row(row);
    if (sample.missing > report.missing) {
      report.missing = sample.missing, report.missing_time = sample.state.t;
      report.missing_speed = equations().u[at(sample.missing_speed)].name();
    }
  }
  report.samples = times.last() + 1;
  report.actuators = statistics.result();
  report.exceeded = excesses.sentences();
  return report;
}

std::vector<std::string> InverseStudy::track_columns() const {
  const EquationsOfMotion& e = equations();
  std::vector<std::string> names{e.t.name()};
  for (const auto* symbols : {&e.q, &e.u})
    for (const auto& s : *symbols) names.push_back(s.name());
  const auto& inputs = at_.system()->inputs();
  names.insert(names.end(), inputs.begin(), inputs.end());
  return names;
}

TrackReport InverseStudy::track(const OnRow& on_row) {
  require(!options_.generalized, "tracking needs inputs, not generalized forces");
  TrackReport report;
  report.model = equations().name;
  // The controller drives every input that no series of the model drives. The motors it drives have their limits.
  const Situation real(model_.driving(options_.actuators), start_);
  SimulatorOptions simulation = simulator_options(real.model());
  std::vector<std::string> driven;
  std::vector<std::size_t> places;
  const auto& inputs = at_.system()->inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool fed = std::any_of(simulation.inputs.begin(), simulation.inputs.end(), [&](const InputSource& source) {
      if (const auto* series = std::get_if<SeriesInput>(&source)) return series->input == inputs[i];
      const auto& names = std::get<SampledInput>(source).inputs;
      return std::find(names.begin(), names.end(), inputs[i]) != names.end();
    });
    if (!fed) driven.push_back(inputs[i]), places.push_back(i);
  }
  std::vector<double> all(inputs.size());
  simulation.inputs.emplace_back(SampledInput{
      driven, options_.period, 0, [&](const State& state, std::span<const double> now, std::span<double> values) {
        std::copy(now.begin(), now.end(), all.begin());
        at_.evaluator().set_inputs(now, state.t);
        report.lost = report.lost || !inverse_->calc_feedback(state, options_.kp, options_.kd, all);
        for (std::size_t i = 0; i < places.size(); ++i) values[i] = all[places[i]];
      }});
  const auto simulator = make_simulator(real.system(), std::move(simulation));
  simulator->set_parameters(at_.start().parameters);
  simulator->set_inputs(at_.start().inputs);
  if (at_.start().active_given) simulator->set_active(at_.start().active);
  State state = at_.state();
  state.t = begin_;
  simulator->start(simulator->assemble(state, at_.start().given));

  std::vector<std::string> names;
  for (const std::size_t k : path_.coordinates()) names.push_back(equations().q[k].name());
  Statistics statistics(names);
  std::vector<CurvePoint> reference(names.size());
  std::vector<double> row, errors(names.size()), last(names.size());
  report.run = simulator->run({.until = end_, .output_step = options_.step.value_or(0)}, [&](const State& s) {
    row.assign(1, s.t);
    row.insert(row.end(), s.q.begin(), s.q.end()), row.insert(row.end(), s.u.begin(), s.u.end());
    const auto now = simulator->evaluator().inputs();
    row.insert(row.end(), now.begin(), now.end());
    if (on_row) on_row(row);
    path_.calc(s.t, reference);
    for (std::size_t i = 0; i < reference.size(); ++i) {
      last[i] = s.q[path_.coordinates()[i]] - reference[i].value;
      errors[i] = std::abs(last[i]);
    }
    statistics.add(errors);
    return !report.lost;
  });
  report.errors = statistics.result();
  for (std::size_t i = 0; i < last.size(); ++i) report.errors[i].last = last[i];
  return report;
}

}  // namespace kane
