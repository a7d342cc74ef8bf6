#include "kane/simulate/stepping/contact_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/at.hpp"
#include "kane/simulate/system/contact_rows.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

ContactStepper::ContactStepper(SystemEvaluator& evaluator, ContactSet& set, ConstraintProjector& projector,
                               std::function<void(double)> situate)
    : evaluator_(evaluator),
      set_(set),
      projector_(projector),
      situate_(std::move(situate)),
      inertia_(evaluator),
      energy_runner_(
          evaluator.system().extra().energy() == nullptr ? nullptr : &evaluator.system().extra().energy()->kernel,
          evaluator.context()) {
  const std::size_t n = evaluator.system().speed_count(), rows = evaluator.system().row_count();
  if (set.shapes) field_ = std::make_unique<ContactField>(set.shapes->scene());
  for (auto* v : {&force_, &udot_, &u_, &w_, &free_, &inelastic_, &outer_, &part_, &response_}) v->resize(n);
  row_memory_.resize(rows), row_impulses_.resize(rows);
  const EquationsOfMotion& e = evaluator.system().equations();
  own_approach_.resize(e.contacts.size()), own_arrived_.resize(e.contacts.size());
  own_sticks_.assign(e.frictions.size(), true);
  const EnergyKernel* energy = evaluator.system().extra().energy();
  energy_known_ = energy != nullptr && energy->has_potential && energy->has_power;
}

ContactStepper::~ContactStepper() = default;

void ContactStepper::start() {
  staged_ = at_rest_ = false;
  last_h_ = 0;
  rest_failures_.clear();
  for (auto& rests : rests_) rests.clear();
  if (field_) field_->forget();
  std::fill(row_memory_.begin(), row_memory_.end(), 0.0);
  std::fill(own_approach_.begin(), own_approach_.end(), 0.0);
  own_sticks_.assign(own_sticks_.size(), true);
  contacts_.clear();
}

void ContactStepper::save(Memory& memory) const {
  memory = {field_ ? field_->places() : std::vector<ContactPlace>{},
            row_memory_,
            own_sticks_,
            at_rest_,
            last_h_,
            rests_,
            rest_failures_};
}

void ContactStepper::restore(const Memory& memory) {
  start();
  if (field_) field_->places() = memory.places;
  row_memory_ = memory.rows, own_sticks_ = memory.sticks, at_rest_ = memory.at_rest, last_h_ = memory.last_h;
  rests_ = memory.rests, rest_failures_ = memory.rest_failures;
}

// ---- values at a state -----------------------------------------------------------------------------------------------------

MotionReport ContactStepper::evaluate(const State& state) {
  evaluator_.calc_mass(state.q, state.u);
  if (!all_finite(evaluator_.qdot())) {
    const auto rates = evaluator_.qdot();
    const auto bad = std::find_if(rates.begin(), rates.end(), [](double v) { return !std::isfinite(v); });
    return {MotionStatus::RateNotFinite, static_cast<int>(bad - rates.begin())};
  }
  set_.evaluate_rows(state.q, state.u);
  if (field_) set_.shapes->calc_bodies(state.q, state.u);
  return inertia_.update();
}

/// Accelerations without contact forces.
MotionReport ContactStepper::calc_free(const State& state) {
  std::ranges::copy(evaluator_.rhs(), force_.begin());
  add_known_forces(state.u);
  return inertia_.calc_accelerations(force_, udot_);
}

/// A contact of the model with adhesion is closed.
bool ContactStepper::pulls(std::size_t k) const {
  constexpr double kClosed = 1e-9;
  return evaluator_.phi()[set_.contacts[k].row] <= kClosed;
}

/// Forces of compliant contacts: of the model, and Hunt and Crossley's of shapes; and adhesion of what is closed.
void ContactStepper::add_known_forces(std::span<const double> u) {
  const std::size_t own = evaluator_.system().equations().contacts.size();
  for (std::size_t k = 0; k < own; ++k)
    if (set_.contacts[k].compliant && set_.compliant_force(k) != 0)
      set_.add_row(set_.contacts[k].row, set_.compliant_force(k), force_);
    else if (!set_.contacts[k].compliant && set_.adhesion(k) > 0 && pulls(k))
      set_.add_row(set_.contacts[k].row, -set_.adhesion(k), force_);
  (void)u;
  if (!field_) return;
  for (ContactPlace& place : field_->places()) {
    const PairValues v = set_.shapes->pair_values(place.pair);
    const bool compliant = v.stiffness > 0;
    if (!compliant && !(v.adhesion > 0 && place.closed)) continue;
    if (compliant) place.sum_press = 0;
    if (compliant && place.gap >= 0) continue;
    const ContactScene& scene = field_->scene();
    const MovingBody &b1 = scene.body(scene.shapes()[place.first].body),
                     &b2 = scene.body(scene.shapes()[place.second].body);
    const double depth = -place.gap;
    const double rate = dot(place.normal, b1.motion.velocity(place.point1) - b2.motion.velocity(place.point2));
    const double size = compliant ? v.calc_force(depth, rate) : -v.adhesion;
    if (compliant) place.sum_press = size;
    const auto push = [&](const MovingBody& b, const Vec3& point, double sign) {
      if (b.jv == nullptr) return;
      const std::size_t n = b.speeds.size();
      const Vec3 f = (sign * size) * place.normal, torque = cross(point - b.motion.p, f);
      for (std::size_t j = 0; j < n; ++j)
        force_[b.speeds[j]] += f.x * b.jv[j] + f.y * b.jv[n + j] + f.z * b.jv[2 * n + j] + torque.x * b.jw[j] +
                               torque.y * b.jw[n + j] + torque.z * b.jw[2 * n + j];
    };
    push(b1, place.point1, 1), push(b2, place.point2, -1);
  }
}

double ContactStepper::calc_energy(const State& state) {
  if (!energy_known_) return 0;
  const auto y = energy_runner_.run(state.q, state.u);
  return y[0] + y[1];
}

double ContactStepper::suitable_step(const State& state) {
  constexpr double kShortest = 1e-5, kLongest = 2e-3, kPart = 0.014;
  State at = state;
  situate_(state.t);
  if (!field_ || !evaluate(at).ok() || !calc_free(at).ok()) return 1e-3;
  const ContactScene& scene = field_->scene();
  double size = 0, fastest = 0;
  for (const ContactShape& shape : scene.shapes()) {
    if (shape.body == kNoIndex || shape.kind == ContactShape::Kind::Plane) continue;
    const MovingBody& body = scene.body(shape.body);
    if (body.speeds.empty()) continue;
    size = size == 0 ? shape.size() : std::min(size, shape.size());
    Vec3 a = body.motion.a;
    const std::size_t n = body.speeds.size();
    for (std::size_t j = 0; j < n; ++j)
      a += udot_[body.speeds[j]] * Vec3{body.jv[j], body.jv[n + j], body.jv[2 * n + j]};
    fastest = std::max(fastest, norm(a));
  }
  if (!(size > 0) || !(fastest > 0)) return 1e-3;
  return std::clamp(kPart * std::sqrt(size / fastest), kShortest, kLongest);
}

double ContactStepper::longest_step(const State& state) {
  if (!field_) return std::numeric_limits<double>::infinity();
  (void)state;
  return staged_ ? field_->longest_step() : std::numeric_limits<double>::infinity();
}

// ---- one step --------------------------------------------------------------------------------------------------------------

namespace {

/// Places that are looked for, in parts of a step.
constexpr double kAhead = 1.5;
/// Overlaps that are left alone, relative to the size of a shape.
constexpr double kAllowedDepth = 1e-8;

}  // namespace

MotionReport ContactStepper::step(State& state, double h) {
  const State begin = state;
  const auto failed = [&](const MotionReport& report) {
    state = begin;
    staged_ = false;
    situate_(state.t);
    return report;
  };
  situate_(state.t);
  rescale_impulses(h);
  if (const MotionReport report = evaluate(state); !report.ok()) return failed(report);
  const double energy = calc_energy(state);  // before anything is pushed apart
  const bool same = staged_ && stage_.q == state.q;
  if (!same) {
    if (field_) field_->find(kAhead * h);
    if (field_ && calc_deepest() > kAllowedDepth) push_apart(state);
    begin_items();
    add_closed();
  }
  if (const MotionReport report = calc_free(state); !report.ok()) return failed(report);
  arrivals_ = 0;
  std::fill(own_arrived_.begin(), own_arrived_.end(), false);
  inertia_.gather(state.u, u_);
  inertia_.gather(udot_, w_);
  for (std::size_t i = 0; i < w_.size(); ++i) w_[i] = u_[i] + h / 2 * w_[i];
  std::fill(row_impulses_.begin(), row_impulses_.end(), 0.0);
  solve(Half::First, h);
  inertia_.scatter(w_, state.u);
  drift(state, h);
  state.t = begin.t + h;
  situate_(state.t);
  if (const MotionReport report = evaluate(state); !report.ok()) return failed(report);
  if (field_) {
    field_->find(kAhead * h);
    if (calc_deepest() > kAllowedDepth) push_apart(state);
    work_.penetration = std::max(work_.penetration, calc_deepest());
  }
  if (const MotionReport report = calc_free(state); !report.ok()) return failed(report);
  for (std::size_t i = 0; i < udot_.size(); ++i) state.u[i] += h / 2 * udot_[i];
  if (!evaluator_.active_rows().empty() && projector_.project_speeds(state.q, state.u) == ProjectionStatus::Failed)
    return failed({MotionStatus::SingularBlock, -1});
  begin_items();
  add_closed();
  inertia_.gather(state.u, w_);
  solve(Half::Second, h);
  inertia_.scatter(w_, state.u);
  if (!all_finite(state.u) || !all_finite(state.q)) return failed({MotionStatus::NotFinite, 0});
  remove_gain(state, energy);
  staged_ = true, stage_ = state;
  at_rest_ = state.u == begin.u && state.q == begin.q;
  ++work_.steps;
  work_.most_places = std::max(work_.most_places, items_.size());
  collect(h);
  return {};
}

/// Impulses of forces grow with the length of a step: those to start with are in proportion.
void ContactStepper::rescale_impulses(double h) {
  const double ratio = last_h_ > 0 ? h / last_h_ : 1.0;
  last_h_ = h;
  if (ratio == 1) return;
  for (double& p : row_memory_) p *= ratio;
  if (!field_) return;
  for (ContactPlace& place : field_->places()) {
    place.press *= ratio, place.spin *= ratio;
    place.drag = ratio * place.drag, place.roll = ratio * place.roll;
  }
}

/// Depth of the deepest rigid place, relative to the size of its pair. Compliant ones are meant to overlap.
double ContactStepper::calc_deepest() const {
  double depth = 0;
  for (const ContactPlace& place : field_->places()) {
    if (!place.closed || place.gap >= 0 || set_.shapes->pair_values(place.pair).stiffness > 0) continue;
    depth = std::max(depth, -place.gap / field_->size_of_pair(place.pair));
  }
  return depth;
}

void ContactStepper::drift(State& state, double h) {
  std::vector<double>& middle = kept_q_;
  evaluator_.calc_mass(state.q, state.u);
  middle.resize(state.q.size());
  for (std::size_t i = 0; i < middle.size(); ++i) middle[i] = state.q[i] + h / 2 * evaluator_.qdot()[i];
  evaluator_.calc_mass(middle, state.u);
  for (std::size_t i = 0; i < middle.size(); ++i) state.q[i] += h * evaluator_.qdot()[i];
  bring_back(state);
}

/// Quaternions to length one, and coordinates onto the constraints that hold.
void ContactStepper::bring_back(State& state) {
  for (const int first : evaluator_.system().equations().quaternions) {
    double* e = state.q.data() + first;
    const double size = norm2({e, 4});
    if (size > 0)
      for (std::size_t i = 0; i < 4; ++i) e[i] /= size;
  }
  if (!evaluator_.active_rows().empty()) (void)projector_.project_coordinates(state.q);
}

/// The smallest displacement, weighted by the masses, that leaves no overlaps: 0 <= g + J d _|_ p >= 0, M d = J^T p.
void ContactStepper::push_apart(State& state) {
  constexpr int kMostPushes = 8;
  const std::vector<double> speeds = state.u;
  for (int push = 0; push < kMostPushes && calc_deepest() > kAllowedDepth; ++push) {
    ++work_.pushes;
    begin_items();
    add_closed();
    sweep_.finish();
    std::fill(w_.begin(), w_.end(), 0.0);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const bool place = items_[i].kind == ItemRef::Kind::Place;
      sweep_.set_enabled(i, place);
      if (!place) continue;
      for (std::size_t k = 0; k < ContactSweep::kMostFrictions; ++k) sweep_.set_friction(i, k, 0, 0);
      const std::size_t row = sweep_.first_row(i);
      sweep_.set_offset(row, field_->places()[items_[i].index].gap);
    }
    const ContactSweep::Options options{.tolerance = 1e-12, .most_sweeps = 400};
    for (std::size_t k = 0; k < sweep_.island_count(); ++k) (void)sweep_.solve(k, w_, options);
    inertia_.scatter(w_, state.u);
    evaluator_.calc_mass(state.q, state.u);
    kept_q_.assign(evaluator_.qdot().begin(), evaluator_.qdot().end());
    std::fill(state.u.begin(), state.u.end(), 0.0);
    evaluator_.calc_mass(state.q, state.u);
    for (std::size_t i = 0; i < state.q.size(); ++i) state.q[i] += kept_q_[i] - evaluator_.qdot()[i];
    state.u = speeds;
    bring_back(state);
    if (!evaluate(state).ok()) return;
    field_->refresh();
  }
}

/// Where nothing feeds the system, energy gained in a step is an error of the smooth motion.
void ContactStepper::remove_gain(State& state, double energy_before) {
  if (!energy_known_ || moving_ground_ || set_.any_compliant) return;
  const auto y = energy_runner_.run(state.q, state.u);
  const double kinetic = y[0], gain = y[0] + y[1] - energy_before;
  constexpr double kNoPower = 1e-9;
  if (!(gain > 0) || std::abs(y[2]) > kNoPower * std::abs(y[3])) return;
  if (!(gain < 0.5 * kinetic)) return;
  const double factor = std::sqrt(1 - gain / kinetic);
  for (double& u : state.u) u *= factor;
  work_.energy_removed += gain;
}

void ContactStepper::collect(double h) {
  contacts_.clear();
  const EquationsOfMotion& e = evaluator_.system().equations();
  for (std::size_t k = 0; k < e.contacts.size(); ++k) {
    SteppedContact c;
    c.contact = static_cast<int>(k);
    c.gap = evaluator_.phi()[set_.contacts[k].row];
    c.normal_impulse = row_impulses_[set_.contacts[k].row];
    if (!set_.contacts[k].compliant && set_.adhesion(k) > 0 && pulls(k)) c.normal_impulse -= h * set_.adhesion(k);
    c.arrived = own_arrived_[k];
    contacts_.push_back(c);
  }
  if (!field_) return;
  int number = 0;  // places of a pair follow one another
  for (const ContactPlace& place : field_->places()) {
    if (!place.closed && place.sum_press == 0) continue;
    const bool same = !contacts_.empty() && contacts_.back().contact < 0 && contacts_.back().pair == place.pair;
    number = same ? number + 1 : 0;
    const double sign = place.swapped ? -1.0 : 1.0;
    // Compliant places have a force instead of an impulse.
    const PairValues v = set_.shapes->pair_values(place.pair);
    const double press =
        v.stiffness > 0 ? h * place.sum_press : place.sum_press - (place.closed ? h * v.adhesion : 0.0);
    contacts_.push_back({-1, place.pair, number, place.point2, sign * place.normal, place.gap, press,
                         sign * place.sum_drag, place.arrived, place.sticks});
  }
}

std::string ContactStepper::name_of(const SteppedContact& contact) const {
  const EquationsOfMotion& e = evaluator_.system().equations();
  if (contact.contact >= 0) return e.contacts[at(contact.contact)].name;
  const std::string& name = e.contact_pairs[contact.pair].name;
  return contact.number == 0 ? name : fmt::format("{}.{}", name, contact.number + 1);
}

}  // namespace kane
