#include "kane/analysis/resting.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/simulate/switching/hybrid_simulator.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

constexpr double kStill = 1e-9;          ///< accelerations below this, relative to those without contacts, are none
constexpr int kMostRelaxation = 20'000;  ///< of one relaxation
constexpr double kLongestStep = 0.05;    ///< s
constexpr double kFar = 1e6;             ///< a model that has moved this far (m, rad) will not come to rest

}  // namespace

RestFinder::~RestFinder() = default;

RestFinder::RestFinder(const Model& model, const Start& start)
    : model_(model), start_(start), probe_(make()), runner_(make()), free_(model.make_evaluator(start)) {}

std::unique_ptr<HybridSimulator> RestFinder::make() const {
  SimulatorOptions options;
  options.max_step = kLongestStep;
  options.tolerance = 1e-7;
  auto simulator = std::make_unique<HybridSimulator>(model_.system(), std::move(options));
  simulator->set_parameters(start_.parameters);
  simulator->set_inputs(start_.inputs);
  simulator->set_active(start_.active);
  return simulator;
}

bool RestFinder::is_possible(const State& state) {
  try {
    probe_->start(state);
    return true;
  } catch (const ModelError& error) {
    message_ = error.message();
    return false;
  }
}

bool RestFinder::rests(const State& state, RestingState& found) {
  State still = state;
  std::fill(still.u.begin(), still.u.end(), 0.0);
  if (!is_possible(still)) return false;
  if (max_abs(probe_->state().u) != 0) return false;  // a moving constraint or a moving wall strikes it
  if (probe_->stepping()) return rests_in_steps(found);
  const State& at = probe_->state();
  SwitchedDynamics& dynamics = probe_->dynamics();
  std::vector<double> qdot(at.q.size()), udot(at.u.size());
  if (!dynamics.calc_motion(at.q, at.u, qdot, udot).ok()) return false;
  found.state = at;
  found.residual = max_abs(udot);
  found.indeterminate = dynamics.hyperstatic();
  const auto& bilateral = dynamics.bilateral();
  if (found.indeterminate && std::find(bilateral.begin(), bilateral.end(), true) == bilateral.end())
    dynamics.take_settled_forces();
  found.lambda.assign(dynamics.forces().begin(), dynamics.forces().end());
  ContactForceList forces(dynamics);
  forces.refresh(dynamics);
  found.contacts.clear();
  for (const ContactForce& force : forces.forces())
    if (!force.name.empty()) found.contacts.push_back(force);
  found.sticks = std::any_of(found.contacts.begin(), found.contacts.end(),
                             [](const ContactForce& f) { return f.state == ContactForceState::Stick; });
  // Against the accelerations of the system without contacts.
  const double size = free_->calc_motion(at.q, at.u, qdot, udot).ok() ? max_abs(udot) : 0.0;
  if (found.residual > kStill * std::max(1.0, size)) return false;
  find_ranges(found);
  return true;
}

/// Too many places touch for their forces at an instant: those of a short step decide, and stand for them.
bool RestFinder::rests_in_steps(RestingState& found) {
  constexpr double kSpan = 1e-4;  // s
  const State at = probe_->state();
  if (const RunReport run = probe_->run({.until = at.t + kSpan, .intervals = 1}); run.failure) return false;
  found.state = at;
  found.residual = max_abs(probe_->state().u) / kSpan;
  found.indeterminate = true;
  found.ranges.clear();
  if (model_.system()->reports() != nullptr) (void)probe_->calc_reports(probe_->state());  // finds the forces
  found.lambda.assign(probe_->multipliers().begin(), probe_->multipliers().end());
  found.contacts.clear();
  for (const ContactForce& force : probe_->contact_forces())
    if (!force.name.empty()) found.contacts.push_back(force);
  found.sticks = std::any_of(found.contacts.begin(), found.contacts.end(),
                             [](const ContactForce& f) { return f.state == ContactForceState::Stick; });
  std::vector<double> qdot(at.q.size()), udot(at.u.size());
  const double size = free_->calc_motion(at.q, at.u, qdot, udot).ok() ? max_abs(udot) : 0.0;
  return found.residual <= kStill * std::max(1.0, size);
}

void RestFinder::find_ranges(RestingState& found) {
  found.ranges.clear();
  SwitchedDynamics& dynamics = probe_->dynamics();
  const auto idle = [&](const SwitchedContact& c) {  // may press, though it does not in these forces
    return c.state == ContactState::Open && dynamics.contact_set().touches(c);
  };
  const auto& contacts = dynamics.contact_set().contacts;
  if (!found.indeterminate && std::none_of(contacts.begin(), contacts.end(), idle)) return;
  found.ranges = calc_force_ranges(dynamics);
  std::erase_if(found.ranges, [](const ForceRange& range) { return !range.open(); });
  found.indeterminate = found.indeterminate || !found.ranges.empty();
}

bool RestFinder::settle(const State& state, RestingState& found, const Polish& polish) {
  State at = state;
  std::fill(at.u.begin(), at.u.end(), 0.0);
  try {
    runner_->start(at);
    SystemEvaluator& evaluator = runner_->evaluator();
    double before = 0;
    double halted = at.t;
    int halts = 0, next_polish = 4;
    for (int i = 0; i < kMostRelaxation; ++i) {
      if (runner_->step().status != StepStatus::Ok) {
        message_ = runner_->explain_last_step().message(model_.equations());
        return false;
      }
      if (runner_->event_pending()) continue;
      at = runner_->state();
      if (max_abs(at.q) > kFar) {
        message_ = "nothing stops it";
        return false;
      }
      evaluator.calc_mass(at.q, at.u);
      double kinetic = 0;
      for (std::size_t k = 0; k < at.u.size(); ++k)
        kinetic += at.u[k] * dot(evaluator.mass_matrix().row(k), at.u.data(), at.u.size());
      // After a halt, time stands still for a step, in which contacts close and open.
      const bool passed = (at.t > halted && (kinetic < before || kinetic == 0)) || (runner_->event() && kinetic > 0);
      before = kinetic;
      if (!passed) continue;
      std::fill(at.u.begin(), at.u.end(), 0.0);
      at.t = state.t;
      if (rests(at, found)) return true;
      if (++halts >= next_polish) {
        next_polish *= 2;
        if (polish(at, found.contacts)) return true;
      }
      runner_->resume(at);
      before = 0, halted = at.t;
    }
  } catch (const ModelError& error) {
    message_ = error.message();
    return false;
  }
  message_ = fmt::format("it does not come to rest within {} steps", kMostRelaxation);
  return false;
}

}  // namespace kane
