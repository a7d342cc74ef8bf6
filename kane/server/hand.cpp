#include "kane/server/hand.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kane/base/error.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {

namespace {

using Triple = std::array<double, 3>;

/// Mass of all bodies and particles; 1 kg if that is not known.
double total_mass(const Mechanism& mechanism, const Values& values) {
  const FunctionTable functions = table_functions(mechanism);
  double total = 0;
  const auto add = [&](const Expr& mass) {
    try {
      total += evaluate(mass, values, functions);
    } catch (const ModelError&) {  // a mass that changes with the state
    }
  };
  for (const auto& body : mechanism.bodies) add(body.mass);
  for (const auto& particle : mechanism.particles) add(particle.mass);
  return total > 0 && std::isfinite(total) ? total : 1.0;
}

}  // namespace

Hand::Hand(Simulation& simulation, const LivePicture& picture, const PullHold& hold)
    : simulation_(simulation), hold_(hold), body_{}, centre_(0) {
  const auto& bodies = picture.scene().bodies;
  require(hold.body < bodies.size(), "there is no body {} to pull", hold.body);
  body_ = bodies[hold.body];
  const Mechanism& mechanism = simulation.model().mechanism();
  centre_ = body_.origin;
  for (const ReportItem& item : simulation.model().system()->report_items())
    if (item.kind == ReportItem::Kind::Point && item.name == body_.name + ".com") centre_ = item.first;
  bool found = false;
  for (std::size_t i = 0; i < mechanism.bodies.size() && !found; ++i)
    if (mechanism.bodies[i].name == body_.name)
      if (const auto places = find_pull_inputs(*simulation.model().system(), i)) inputs_ = *places, found = true;
  require(found, "the body '{}' cannot be pulled", body_.name);
  total_mass_ = total_mass(mechanism, simulation.parameters());
  // Stiff enough to carry everything, damped by the mass that is felt at this point.
  constexpr double kFrequency = 1.6;  // Hz
  constexpr double kDampingRatio = 0.6;
  const double rate = 2 * std::numbers::pi * kFrequency;
  coupler_.stiffness = total_mass_ * rate * rate;
  coupler_.damping = 2 * kDampingRatio * std::sqrt(coupler_.stiffness * calc_felt_mass());
  const double handle = 0.05 * total_mass_;
  passivity_.assign(3, PassivityController(kTick, kTick * kTick / (2 * handle)));
  device_.start(point());
  device_.move(hold.target);
}

Hand::~Hand() {
  for (const std::size_t i : inputs_) simulation_.simulator().set_input(i, 0);
}

Triple Hand::place(std::span<const double> reports) const {
  Triple p{};
  for (std::size_t k = 0; k < 3; ++k) {
    p[k] = reports[body_.origin + k];
    for (std::size_t j = 0; j < 3; ++j) p[k] += reports[body_.rotation + 3 * k + j] * hold_.point[j];
  }
  return p;
}

Triple Hand::point() {
  const auto reports = simulation_.simulator().calc_reports(simulation_.state());
  return reports.empty() ? hold_.target : place(reports);
}

/// The least mass that a force along an axis of the ground meets: 1 / (e . J M^-1 J^T e), by a unit force and a small step.
double Hand::calc_felt_mass() {
  const State& state = simulation_.state();
  const Start& start = simulation_.start();
  const auto evaluator = simulation_.model().make_evaluator(start);
  const std::size_t nq = state.q.size(), nu = state.u.size();
  std::vector<double> inputs = start.inputs, qdot(nq), still(nu), moved(nu), rest(nq), lambda;
  const auto reports_at = [&](const std::vector<double>& q) {
    lambda.assign(simulation_.model().system()->row_count(), 0.0);
    const auto all = evaluator->calc_reports(q, state.u, still, lambda);
    return std::vector<double>(all.begin(), all.end());
  };
  const auto now = simulation_.simulator().calc_reports(state);
  evaluator->set_inputs(inputs, state.t);
  if (now.empty() || !evaluator->calc_motion(state.q, state.u, qdot, still).ok()) return total_mass_;
  const std::vector<double> reports(now.begin(), now.end());
  const Triple at = place(reports);
  double mobility = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    Triple arm{}, force{};
    force[k] = 1;
    for (std::size_t j = 0; j < 3; ++j) arm[j] = at[j] - reports[centre_ + j];
    const Triple torque{arm[1] * force[2] - arm[2] * force[1], arm[2] * force[0] - arm[0] * force[2],
                        arm[0] * force[1] - arm[1] * force[0]};
    for (std::size_t j = 0; j < 3; ++j) {
      inputs[inputs_[j]] = inputs[inputs_[3 + j]] = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        inputs[inputs_[j]] += reports[body_.rotation + 3 * i + j] * force[i];
        inputs[inputs_[3 + j]] += reports[body_.rotation + 3 * i + j] * torque[i];
      }
    }
    evaluator->set_inputs(inputs, state.t);
    if (!evaluator->calc_motion(state.q, state.u, qdot, moved).ok()) continue;
    for (std::size_t i = 0; i < nu; ++i) moved[i] -= still[i];
    std::vector<double> zero(nu, 0.0), unused(nu);
    if (!evaluator->calc_motion(state.q, moved, qdot, unused).ok()) continue;
    if (!evaluator->calc_motion(state.q, zero, rest, unused).ok()) continue;
    constexpr double kSmall = 1e-6;
    std::vector<double> q = state.q;
    for (std::size_t i = 0; i < nq; ++i) q[i] += kSmall * (qdot[i] - rest[i]);
    mobility = std::max(mobility, (place(reports_at(q))[k] - place(reports_at(state.q))[k]) / kSmall);
  }
  return mobility > 0 ? std::min(total_mass_, 1 / mobility) : total_mass_;
}

void Hand::apply(const Triple& force, std::span<const double> reports, const Triple& at) {
  Triple arm{};
  for (std::size_t k = 0; k < 3; ++k) arm[k] = at[k] - reports[centre_ + k];
  const Triple torque{arm[1] * force[2] - arm[2] * force[1], arm[2] * force[0] - arm[0] * force[2],
                      arm[0] * force[1] - arm[1] * force[0]};
  for (std::size_t j = 0; j < 3; ++j) {
    double f = 0, m = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      f += reports[body_.rotation + 3 * k + j] * force[k];
      m += reports[body_.rotation + 3 * k + j] * torque[k];
    }
    simulation_.simulator().set_input(inputs_[j], f);
    simulation_.simulator().set_input(inputs_[3 + j], m);
  }
}

void Hand::tick() {
  const auto reports = simulation_.simulator().calc_reports(simulation_.state());
  if (reports.empty()) return;
  const Triple at = place(reports);
  Triple position{}, speed{}, sensed{}, force{}, shown{};
  t_ += kTick;
  (void)device_.read(t_, position, speed, sensed);
  const double most = 60 * 9.81 * total_mass_;
  double size = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double v = started_ ? (at[k] - before_[k]) / kTick : 0.0;
    force[k] = coupler_.calc_force(position[k], speed[k], at[k], v);
    size += force[k] * force[k];
  }
  const double share = size > most * most ? most / std::sqrt(size) : 1.0;
  for (std::size_t k = 0; k < 3; ++k) {
    force[k] *= share;
    shown[k] = -passivity_[k].control_force(force[k], position[k], speed[k]);
  }
  before_ = at, started_ = true;
  force_ = share * std::sqrt(size);
  device_.write(t_, shown, position);
  apply(force, reports, at);
}

double Hand::energy() const {
  double sum = 0;
  for (const auto& p : passivity_) sum += p.energy();
  return sum;
}
double Hand::least_energy() const {
  double least = 0;
  for (const auto& p : passivity_) least = std::min(least, p.least_energy());
  return least;
}
double Hand::energy_error() const {
  double error = 0;
  for (const auto& p : passivity_) error = std::max(error, p.largest_error() + p.turned());
  return error;
}

}  // namespace kane
