// HybridSimulator: stepping, which takes over from events where these become too many or have no solution, and hands back.

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/simulate/switching/hybrid_simulator.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// More places than these touch at once: events would cost more than steps.
constexpr std::size_t kMostTouching = 24;
/// More pairs of shapes than these are not watched one by one.
constexpr std::size_t kMostWatched = 400;
/// How much events may cost, in units that are about a second of processor time: at once, and per second of the motion.
constexpr double kReserve = 1, kRate = 2;
/// Systems with more speeds than this have less of both, as the square: their events cost more than is counted, and steps less.
constexpr double kFewSpeeds = 24;
/// Events that may follow one another within a short time.
constexpr long kMostEvents = 3000;
constexpr double kShortTime = 0.1;
/// The first time after which events are tried again, doubled with every failure.
constexpr double kFirstPatience = 0.05;
constexpr double kMostPatience = 1e3;

}  // namespace

/// Stepping needs a symmetric mass matrix, and loads that do not depend on constraint forces.
bool HybridSimulator::can_step() const {
  const EquationsOfMotion& e = system_->equations();
  return system_->has_mass() && e.symmetric && !e.has_given_forces();
}

bool HybridSimulator::may_step() const {
  return !stepping_ && can_step() && !options_.switching.strict_contacts &&
         options_.switching.scheme == ContactScheme::Automatic &&
         (dynamics_.contact_count() > 0 || dynamics_.friction_count() > 0);
}

bool HybridSimulator::crowded() {
  ContactSet& set = dynamics_.contact_set();
  if (!set.shapes) return false;
  if (set.shapes->scene().pairs().size() > kMostWatched) return true;
  (void)set.update_slots(state_.q, state_.u);
  if (set.overflown()) return true;
  set.evaluate_rows(state_.q, state_.u);
  const auto touching =
      std::count_if(set.contacts.begin(), set.contacts.end(), [&](const SwitchedContact& c) { return set.touches(c); });
  return at(touching) > kMostTouching;
}

/// Counts what events have cost, from what was done: the same on every machine.
void HybridSimulator::note_cost() {
  const SwitchingWork& now = dynamics_.work();
  const auto n = static_cast<double>(system_->speed_count());
  const auto contacts = static_cast<double>(dynamics_.contact_count() + 2 * dynamics_.friction_count());
  const ContactRows* shapes = dynamics_.shapes();
  const double pairs = shapes == nullptr ? 0 : static_cast<double>(shapes->scene().pairs().size());
  constexpr double kEvaluation = 1e-5, kFlop = 1e-9, kPair = 2e-6;
  const double rows = static_cast<double>(evaluator_.active_rows().size());
  cost_ += static_cast<double>(now.evaluations - work_before_.evaluations) *
           (kEvaluation + kFlop * (n * n * n / 3 + 3 * rows * n * n));
  cost_ += static_cast<double>(now.pivots - work_before_.pivots) * kFlop * 16 * contacts * contacts;
  cost_ += kPair * pairs;
  work_before_ = now;
}

bool HybridSimulator::too_busy(std::string& why) const {
  if (!may_step()) return false;
  const double since = state_.t - busy_from_;
  const double few = std::min(1.0, kFewSpeeds / static_cast<double>(system_->speed_count()));
  if (cost_ > few * few * (kReserve / static_cast<double>(1 + takeovers_) + kRate * since)) {
    why = "events cost too much";
    return true;
  }
  if (event_count_ - events_before_ > kMostEvents + static_cast<long>(since / kShortTime * kMostEvents)) {
    why = "events follow one another too fast";
    return true;
  }
  return false;
}

void HybridSimulator::make_stepper() {
  if (!stepper_)
    stepper_ = std::make_unique<ContactStepper>(evaluator_, dynamics_.contact_set(), projector_,
                                                [this](double t) { situate(t); });
}

void HybridSimulator::take_over(const std::string& why) {
  ContactSet& set = dynamics_.contact_set();
  make_stepper();
  stepping_ = true;
  ++takeovers_;
  phase_ = Phase::Ready;
  disturbed_ = false;
  // Contacts are no constraints any more; those of the model that hold in both directions are.
  for (SwitchedContact& c : set.contacts) c.state = ContactState::Open;
  for (SwitchedFriction& f : set.frictions) f.state = FrictionState::Idle;
  if (set.shapes) set.shapes->scene().clear();
  set.apply_active();
  projector_.update_active();
  evaluator_.attach(nullptr);
  stepper_->start();
  if (!(contact_step_ > 0))
    contact_step_ =
        options_.switching.contact_step > 0 ? options_.switching.contact_step : stepper_->suitable_step(state_);
  before_ = state_;
  stepped_h_ = 0;
  calm_from_ = state_.t;
  patience_ = std::min(kMostPatience, patience_ > 0 ? 2 * patience_ : kFirstPatience);
  store(state_);
  if (why.empty()) return;
  SwitchRecord record;
  record.t = state_.t;
  record.u_before = record.u_after = state_.u;
  record.mode = mode_;
  situate(state_.t);
  evaluator_.calc_mass(state_.q, state_.u);
  record.kinetic_before = record.kinetic_after = dynamics_.calc_kinetic(state_.u);
  record.changes.push_back("stepping takes over: " + why);
  ++event_count_;
  event_ = std::move(record);
}

/// A body with shapes moves by itself, like a conveyor belt: friction then feeds whatever lies on it.
bool HybridSimulator::shapes_driven() {
  if (dynamics_.shapes() == nullptr) return false;
  const ContactScene& scene = dynamics_.shapes()->scene();
  for (std::size_t i = 0; i < scene.body_count(); ++i)
    if (norm(scene.body(i).v_t) > 0 || norm(scene.body(i).w_t) > 0) return true;
  return false;
}

/// Contacts and friction only take energy away. A stretch between events in which it rises all the same (forces that do not exist,
/// followed through a singularity) is done again, by stepping.
void HybridSimulator::check_energy() {
  constexpr double kAllowed = 1e-3;
  // Compliant contacts store energy that no potential knows.
  if (options_.energy_interval == 0 || dynamics_.contact_set().any_compliant) return;
  driven_ = driven_ || shapes_driven();
  if (driven_) return;
  situate(state_.t);
  const double rise = energy_.check_rise(state_.q, state_.u);
  if (!may_step() || rise <= kAllowed * energy_.report().scale) return;
  energy_.undo_rise();
  state_ = before_;
  event_.reset();
  take_over(fmt::format("the energy rose by {:.3g} J", rise));
}

/// Tries to follow events again. False: they have no solution here, and stepping goes on.
bool HybridSimulator::hand_back() {
  ContactSet& set = dynamics_.contact_set();
  if (set.shapes) evaluator_.attach(set.shapes.get());
  stepping_ = false;
  const State here = state_;
  situate(state_.t);
  const bool too_many = crowded();
  const bool good = !too_many && happen({});
  if (!good) {
    failure_.reset();
    event_.reset();
    state_ = here;
    take_over("");
    return false;
  }
  integrator_->resume(state_.t, y_);
  change_point_.forget();
  busy_from_ = state_.t, cost_ = 0, events_before_ = event_count_, work_before_ = dynamics_.work();
  if (!event_) {
    event_.emplace();
    event_->t = state_.t, event_->u_before = here.u, event_->u_after = state_.u, event_->mode = mode_;
    ++event_count_;
  }
  event_->changes.insert(event_->changes.begin(), "events are followed again");
  return true;
}

bool HybridSimulator::advance_stepping(double limit) {
  if (disturbed_ || state_.t >= inputs_.next_break()) {
    if (state_.t >= inputs_.next_break()) {
      inputs_.pass(state_);
      evaluator_.set_inputs(inputs_.values(), state_.t);
    }
    if (disturbed_) dynamics_.set_bilateral(bilateral_), projector_.update_active();
    disturbed_ = false;
    stepper_->start();
  }
  if (state_.t >= limit) return true;
  const bool automatic = options_.switching.scheme == ContactScheme::Automatic;
  if (automatic && !stepper_->at_rest() && state_.t - calm_from_ > patience_ && hand_back()) return true;
  return make_contact_step(std::min(limit, inputs_.next_break()));
}

bool HybridSimulator::make_contact_step(double limit) {
  constexpr int kMostHalvings = 12;
  constexpr double kShare = 64, kRounding = 1e-9;
  double h = std::max(std::min(contact_step_, stepper_->longest_step(state_)), contact_step_ / kShare);
  const double room = limit - state_.t;
  if (h > room * (1 - kRounding)) h = room;
  before_ = state_;
  const bool rules = !system_->equations().switches.empty();
  if (rules) {
    guards_.resize(system_->equations().switches.size());
    situate(state_.t);
    const auto values = guards_runner_.run(state_.q, state_.u, udot_, lambda_);
    std::copy_n(values.begin(), guards_.size(), guards_.begin());
  }
  MotionReport report;
  for (int k = 0; k < kMostHalvings; ++k, h /= 2) {
    report = stepper_->step(state_, h);
    if (report.ok()) break;
  }
  if (!report.ok()) {
    fail(StepStatus::RhsFailed, "the motion", describe(report, system_->equations()));
    return false;
  }
  if (h == room) state_.t = limit;
  stepped_h_ = state_.t - before_.t;
  for (std::size_t i = 0; i < udot_.size(); ++i) udot_[i] = (state_.u[i] - before_.u[i]) / h;
  for (std::size_t i = 0; i < lambda_.size(); ++i) lambda_[i] = stepper_->row_impulses()[i] / h;
  store(state_);
  if (stepper_->arrivals() > 0) {
    calm_from_ = state_.t;
    record_stepped();
    add_stepped_impulses();
  }
  return !rules || apply_stepped_rules();
}

/// Rules of the model whose guards crossed zero in the last step happen at its end.
bool HybridSimulator::apply_stepped_rules() {
  const auto& switches = system_->equations().switches;
  situate(state_.t);
  const auto values = guards_runner_.run(state_.q, state_.u, udot_, lambda_);
  std::vector<EventHit> hits;
  for (std::size_t i = 0; i < switches.size(); ++i) {
    const bool in_mode = switches[i].from.empty() || switches[i].from == mode_;
    const bool rises = guards_[i] < 0 && values[i] >= 0, falls = guards_[i] > 0 && values[i] <= 0;
    const int direction = switches[i].direction;
    if (!in_mode || !would_change(switches[i])) continue;
    if (!((rises && direction >= 0) || (falls && direction <= 0))) continue;
    EventHit hit{};
    hit.index = static_cast<int>(dynamics_.function_count() + i);
    hits.push_back(hit);
  }
  if (hits.empty()) return true;
  SwitchRecord record;
  record.t = state_.t;
  record.u_before = state_.u;
  imposed_ = false;
  if (!apply_rules(hits, record)) return false;
  projector_.update_active();
  record.u_after = state_.u, record.mode = mode_;
  ++event_count_;
  event_ = std::move(record);
  stepper_->start();
  store(state_);
  return true;
}

void HybridSimulator::record_stepped() {
  SwitchRecord record;
  record.t = state_.t;
  record.u_before = before_.u, record.u_after = state_.u;
  record.kinetic_before = stepper_->kinetic_before(), record.kinetic_after = stepper_->kinetic_after();
  record.mode = mode_;
  for (const SteppedContact& c : stepper_->contacts()) {
    if (!c.arrived) continue;
    const std::string name = stepper_->name_of(c);
    record.causes.push_back(name);
    record.impulses.emplace_back(name, c.normal_impulse);
  }
  ++event_count_;
  event_ = std::move(record);
}

/// What a contact exerts on its two bodies, about their origins, for the reactions of joints.
void HybridSimulator::add_stepped_wrench(const SteppedContact& c, std::span<double> wrenches) const {
  const ContactScene& scene = stepper_->scene();
  const ContactPair& pair = scene.pairs()[c.pair];
  const Vec3 force = (1 / stepped_h_) * (c.normal_impulse * c.normal + c.friction_impulse);
  const auto add = [&](std::size_t shape, const Vec3& f) {
    const std::size_t body = scene.shapes()[shape].body;
    if (body == kNoIndex) return;
    const Vec3 torque = cross(c.point - scene.body(body).motion.p, f);
    for (std::size_t k = 0; k < 3; ++k) wrenches[6 * body + k] += f[k], wrenches[6 * body + 3 + k] += torque[k];
  };
  add(pair.first, force), add(pair.second, -force);
}

/// A place of shapes, with its impulses as forces times `scale`.
ContactForce HybridSimulator::stepped_force(const SteppedContact& c, double scale) {
  ContactForce force;
  force.name = stepper_->name_of(c);
  force.normal = scale * c.normal_impulse;
  force.state = force.normal > 0 ? ContactForceState::Closed : ContactForceState::Open;
  force.gap = c.gap;
  if (c.contact >= 0) {
    const ContactSet& set = dynamics_.contact_set();
    if (set.contacts[at(c.contact)].compliant) force.normal = scale > 0 ? set.compliant_force(at(c.contact)) : 0.0;
    if (force.normal > 0) force.state = ContactForceState::Closed;
    return force;
  }
  const ContactPair& pair = stepper_->scene().pairs()[c.pair];
  const auto& shapes = system_->equations().contact_shapes;
  force.located = true;
  force.first = shapes[pair.first].name, force.second = shapes[pair.second].name;
  force.point = c.point, force.direction = c.normal, force.drag = scale * c.friction_impulse;
  return force;
}

/// Adds the impulses of contacts that closed in the last step.
void HybridSimulator::add_stepped_impulses() {
  if (impulses_.empty()) return;
  std::vector<ContactForce> all;
  for (const SteppedContact& c : stepper_->contacts()) all.push_back(stepped_force(c, c.arrived ? 1.0 : 0.0));
  for (std::size_t f = 0; f < system_->equations().frictions.size(); ++f) {
    const SwitchedFriction& friction = dynamics_.contact_set().frictions[f];
    if (friction.contact < 0 || !dynamics_.slides(f) || !stepper_->contacts()[at(friction.contact)].arrived) continue;
    for (std::size_t i = 0; i < friction.rows.size(); ++i)
      all[at(friction.contact)].friction[i] = stepper_->row_impulses()[friction.rows[i]];
  }
  locate_contacts(evaluator_, state_.q, state_.u, all);
  add_impulses(all);
}

void HybridSimulator::refresh_stepped_forces(const State& sample) {
  const auto contacts = stepper_->contacts();
  stepped_forces_.clear();
  const std::span<double> wrenches = evaluator_.contact_wrenches();
  std::fill(wrenches.begin(), wrenches.end(), 0.0);
  const bool began = stepped_h_ > 0;
  for (const ContactEquation& contact : system_->equations().contacts) {
    if (began) break;  // no step yet: nothing is known but where things are
    stepped_forces_.emplace_back().name = contact.name;
  }
  for (const SteppedContact& c : contacts)
    if (began && c.contact < 0) add_stepped_wrench(c, wrenches);
  for (const SteppedContact& c : contacts) {
    if (!began) break;
    ContactForce force = stepped_force(c, 1 / stepped_h_);
    stepped_forces_.push_back(force);
    if (c.contact >= 0) continue;
    force.name += ".friction";
    force.is_friction = true, force.located = false;
    force.state = !(force.normal > 0) ? ContactForceState::Idle
                  : c.sticks          ? ContactForceState::Stick
                                      : ContactForceState::Slide;
    force.components = 1;
    force.friction[0] = norm(c.friction_impulse) / stepped_h_;
    stepped_forces_.push_back(force);
  }
  if (began) add_stepped_frictions();
  locate_contacts(evaluator_, sample.q, sample.u, stepped_forces_);
  const std::span<double> senses = evaluator_.contact_senses();
  if (senses.empty()) return;
  sum_sensors(system_->equations(), stepped_forces_, senses);
  if (ContactRows* shapes = dynamics_.shapes()) measure_gaps(system_->equations(), shapes->scene(), senses);
}

/// Frictions of the model: of its contacts, of joints, and those with limits of their own.
void HybridSimulator::add_stepped_frictions() {
  const auto impulses = stepper_->row_impulses();
  const ContactSet& set = dynamics_.contact_set();
  for (std::size_t f = 0; f < system_->equations().frictions.size(); ++f) {
    ContactForce force;
    force.name = system_->equations().frictions[f].name;
    force.is_friction = true;
    const int contact = set.frictions[f].contact;
    force.normal = contact < 0 ? 0.0 : impulses[set.contacts[at(contact)].row] / stepped_h_;
    force.components = std::min(force.friction.size(), set.frictions[f].rows.size());
    double size = 0;
    for (std::size_t i = 0; i < force.components; ++i) {
      force.friction[i] = impulses[set.frictions[f].rows[i]] / stepped_h_;
      size = std::hypot(size, force.friction[i]);
    }
    force.state = !(size > 0)           ? ContactForceState::Idle
                  : stepper_->sticks(f) ? ContactForceState::Stick
                                        : ContactForceState::Slide;
    if (contact >= 0 && dynamics_.slides(f)) stepped_forces_[at(contact)].friction = force.friction;
    stepped_forces_.push_back(force);
  }
}

}  // namespace kane
