#include "kane/simulate/switching/switched_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// Begins of event functions that start at zero: far below what matters, far above rounding.
constexpr double kLift = 1e-12;
constexpr double kLeft = 1e-9;
/// Of gaps of bodies that are some metres away; so small that a thousand rebounds do not add up to anything.
constexpr double kGapRounding = 1e-14;

std::size_t frictions_per_slot(const CompiledSystem& system) {
  const ContactLayout& layout = system.contact_layout();
  return 1 + (layout.rolling ? 1U : 0U) + (layout.spinning ? 1U : 0U);
}

}  // namespace

SwitchedDynamics::~SwitchedDynamics() { evaluator_.attach(nullptr); }

SwitchedDynamics::SwitchedDynamics(SystemEvaluator& evaluator, const SwitchingOptions& options)
    : evaluator_(evaluator),
      options_(options),
      n_(evaluator.system().speed_count()),
      shapes_(evaluator.system().contact_layout().slots > 0
                  ? std::make_unique<ContactRows>(evaluator.system(), evaluator.context())
                  : nullptr),
      slots_(evaluator.system().contact_layout().slots),
      values_runner_(&evaluator.system().extra().switching().values, evaluator.context()),
      sliding_lu_(evaluator.system().equations().contacts.size() + slots_),
      kept_{.choice = {.choice = IndependentSpeeds(evaluator.system().row_count(), n_)}},
      lcp_(evaluator.system().equations().contacts.size() + slots_,
           evaluator.system().equations().frictions.size() + slots_ * frictions_per_slot(evaluator.system()),
           options.cone_turns) {
  const EquationsOfMotion& e = evaluator.system().equations();
  require(evaluator.system().mass() != nullptr,
          "contacts and friction need the mass matrix of '{}', which was not formed", e.name);
  const std::size_t rows = evaluator.system().row_count();
  own_row_.assign(rows, false);
  for (const auto& contact : e.contacts) {
    contacts_.push_back({at(contact.normal), contact.force.has_value(), contact.poisson});
    any_compliant_ = any_compliant_ || contact.force;
    own_row_[at(contact.normal)] = true;
  }
  for (const auto& friction : e.frictions) {
    Friction own;
    own.contact = friction.contact;
    for (const int row : friction.rows) own.rows.push_back(at(row)), own_row_[at(row)] = true;
    frictions_.push_back(std::move(own));
  }
  add_slots();
  const std::size_t c = contacts_.size(), f = frictions_.size();
  values_.resize(2 * c + 2 * f);
  force_.resize(n_), lambda_.resize(rows), active_lambda_.resize(rows), impulse_.resize(rows), zeros_.resize(rows);
  applied_.resize(rows), applied_rows_.reserve(rows);
  factor_ = Matrix(n_, n_);
  sliding_z_ = Matrix(c, n_), sliding_lambda_ = Matrix(c, rows);
  sliding_.reserve(c), sliding_force_.resize(n_), sliding_rhs_.resize(c);
  const std::size_t most = c + 2 * f;
  rows_.reserve(most), involved_.reserve(c), involved_frictions_.reserve(f), terms_.reserve(f);
  response_ = Matrix(most, n_), w_ = Matrix(most, most);
  functions_.resize(function_count());
  v0_.resize(most), p_.resize(most), p_compression_.resize(most);
  for (auto* v : {&u_elastic_, &u_inelastic_, &u_start_, &udot_free_, &scratch_udot_}) v->resize(n_);
  scratch_qdot_.resize(evaluator.system().coordinate_count());
  bilateral_.assign(rows, false), active_.assign(rows, true);
  evaluator_.set_active(active_);  // once with everything, so that nothing grows later
  for (std::size_t i = 0; i < e.constraints.size(); ++i) bilateral_[i] = e.constraints[i].active && !own_row_[i];
  begin_rehearsal(), end_rehearsal();  // the same
}

void SwitchedDynamics::set_bilateral(const std::vector<bool>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) bilateral_[i] = rows[i] && !own_row_[i];
  apply_active();
}

void SwitchedDynamics::set_written(std::size_t place, bool holds) {
  bilateral_[evaluator_.system().first_free_row() + place] = holds;
  apply_active();
}

void SwitchedDynamics::set_applied(std::size_t row, double force) {
  if (std::find(applied_rows_.begin(), applied_rows_.end(), row) == applied_rows_.end()) applied_rows_.push_back(row);
  applied_[row] = force;
}

void SwitchedDynamics::reset() {
  for (Contact& c : contacts_) c.state = ContactState::Open, c.offset = c.leave_offset = c.fastest_approach = 0;
  for (Friction& f : frictions_) f.state = FrictionState::Idle, f.offset = f.fastest = 0;
  if (shapes_) shapes_->scene().clear();
  apply_active();
}

void SwitchedDynamics::copy_states(const SwitchedDynamics& from) {
  contacts_ = from.contacts_;
  frictions_ = from.frictions_;
  bilateral_ = from.bilateral_;
  applied_ = from.applied_;
  applied_rows_ = from.applied_rows_;
  if (shapes_) shapes_->scene().copy_slots(from.shapes_->scene());
  apply_active();
}

void SwitchedDynamics::save(Memory& memory) const {
  memory = {contacts_, frictions_, bilateral_, applied_, applied_rows_, {}};
  if (shapes_) shapes_->scene().save(memory.scene);
}

void SwitchedDynamics::restore(const Memory& memory) {
  contacts_ = memory.contacts, frictions_ = memory.frictions;
  bilateral_ = memory.bilateral;
  applied_ = memory.applied, applied_rows_ = memory.applied_rows;
  if (shapes_) shapes_->scene().restore(memory.scene);
  apply_active();
}

void SwitchedDynamics::apply_active() {
  for (std::size_t i = 0; i < active_.size(); ++i) active_[i] = bilateral_[i];
  for (const Contact& c : contacts_)
    if (!c.compliant && c.state == ContactState::Closed) active_[c.row] = true;
  if (shapes_)
    for (const Contact& c : contacts_)
      if (c.slot >= 0) shapes_->scene().hold(at(c.slot), !c.compliant && c.state == ContactState::Closed);
  any_sliding_ = false;
  for (const Friction& f : frictions_) {
    any_sliding_ = any_sliding_ || f.state == FrictionState::Slide;
    if (f.state == FrictionState::Stick)
      for (const std::size_t row : f.rows) active_[row] = true;
  }
  any_active_ = std::find(active_.begin(), active_.end(), true) != active_.end();
  evaluator_.set_active(active_);
}

// ---- values -------------------------------------------------------------------------------------------------------------

void SwitchedDynamics::evaluate(std::span<const double> q, std::span<const double> u) {
  evaluator_.calc_mass(q, u);
  evaluate_rows(q, u);
}

void SwitchedDynamics::evaluate_rows(std::span<const double> q, std::span<const double> u) {
  evaluator_.calc_constraints(q, u);
  if (values_.empty()) return;
  const EquationsOfMotion& e = evaluator_.system().equations();
  if (!e.contacts.empty() || !e.frictions.empty()) {
    const std::span<const double> own = values_runner_.run(q, u);
    const auto split = own.begin() + static_cast<std::ptrdiff_t>(2 * e.contacts.size());
    std::copy(own.begin(), split, values_.begin());
    std::copy(split, own.end(), values_.begin() + static_cast<std::ptrdiff_t>(2 * contacts_.size()));
  }
  if (!shapes_) return;
  shapes_->calc_pairs(q, u);
  evaluate_slots(u);
}

double SwitchedDynamics::row_speed(std::size_t row, std::span<const double> u) const {
  return evaluator_.b()[row] + dot(evaluator_.jacobian().row(row), u.data(), n_);
}

void SwitchedDynamics::add_row(std::size_t row, double factor, std::span<double> force) const {
  add_scaled(force.data(), factor, evaluator_.jacobian().row(row), n_);
}

bool SwitchedDynamics::rigid_contact(const Friction& f) const {
  return f.contact >= 0 && !contacts_[at(f.contact)].compliant;
}

/// Whether there is anything that presses.
bool SwitchedDynamics::presses(const Friction& f) const {
  if (f.contact < 0) return true;
  const Contact& c = contacts_[at(f.contact)];
  return c.compliant ? compliant_force(at(f.contact)) > 0 : c.state == ContactState::Closed;
}

double SwitchedDynamics::known_limit(const Friction& f, double coefficient) const {
  if (f.contact < 0) return coefficient;
  return contacts_[at(f.contact)].compliant ? coefficient * compliant_force(at(f.contact)) : 0.0;
}

/// Sliding in a plane follows the speed; on a line the sign is kept until the event, so that everything stays smooth. What has
/// hardly begun to slide has no direction yet but the one it was let go in (take_states()).
void SwitchedDynamics::update_direction(Friction& f, std::span<const double> u) const {
  if (on_line(f)) return;
  const double a = row_speed(f.rows[0], u), b = row_speed(f.rows[1], u), speed = std::hypot(a, b);
  f.direction = f.kept;
  if (speed > 0.5 * stop_speed(f)) f.direction = {a / speed, b / speed};
}

/// Shapes of a mechanism in a plane have two directions of sliding, of which one cannot move.
int SwitchedDynamics::find_line(const Friction& f) const {
  if (f.rows.size() != 2) return -1;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::size_t other = f.rows[1 - k];
    if (evaluator_.b()[other] == 0 && max_abs({evaluator_.jacobian().row(other), n_}) == 0) return static_cast<int>(k);
  }
  return -1;
}

// ---- smooth motion --------------------------------------------------------------------------------------------------------

void SwitchedDynamics::add_known_forces(std::span<const double> u) {
  std::ranges::copy(evaluator_.rhs(), force_.begin());
  for (const std::size_t row : applied_rows_) add_row(row, applied_[row], force_);
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    if (!contacts_[k].compliant) continue;
    const double force = compliant_force(k);
    lambda_[contacts_[k].row] = force;
    if (force > 0) add_row(contacts_[k].row, force, force_);
  }
  for (std::size_t i = 0; i < frictions_.size(); ++i) {
    Friction& f = frictions_[i];
    if (f.state != FrictionState::Slide) continue;
    update_direction(f, u);
    if (rigid_contact(f)) continue;
    const double limit = known_limit(f, kinetic(i));
    for (std::size_t k = 0; k < f.rows.size(); ++k) {
      lambda_[f.rows[k]] = -limit * f.direction[k];
      add_row(f.rows[k], lambda_[f.rows[k]], force_);
    }
  }
}

MotionReport SwitchedDynamics::solve_smooth(std::span<double> udot) {
  if (!any_active_) {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = i; j < n_; ++j) factor_(i, j) = evaluator_.mass_matrix()(i, j);
    const FactorReport factored = factor_ldlt(factor_.view());
    if (!factored.ok())
      return {factored.status == FactorStatus::NotFinite ? MotionStatus::NotFinite : MotionStatus::SingularMass,
              factored.pivot};
    std::ranges::copy(force_, udot.begin());
    solve_ldlt(factor_.view(), udot);
    return {};
  }
  EmbedReport embedded = evaluator_.refresh_embedding();
  Embedding& embedding = evaluator_.embedding();
  if (embedded.ok()) embedded = embedding.solve(evaluator_.mass_matrix(), force_, evaluator_.active_gamma(), udot);
  if (!embedded.ok()) {
    const auto status = embedded.status == EmbedStatus::InertiaSingular ? MotionStatus::SingularMass
                        : embedded.status == EmbedStatus::NotFinite     ? MotionStatus::NotFinite
                                                                        : MotionStatus::SingularBlock;
    return {status, embedded.index};
  }
  const auto& rows = evaluator_.active_rows();
  const std::span<double> lambda = std::span(active_lambda_).first(rows.size());
  embedding.calc_multipliers(evaluator_.mass_matrix(), force_, udot, Multipliers::MinimumNorm, lambda);
  for (std::size_t i = 0; i < rows.size(); ++i) lambda_[at(rows[i])] = lambda[i];
  return any_sliding_ ? add_sliding(udot) : MotionReport{};
}

MotionReport SwitchedDynamics::add_sliding(std::span<double> udot) {
  sliding_.clear();
  const auto& rows = evaluator_.active_rows();
  const std::span<double> lambda = std::span(active_lambda_).first(rows.size());
  const std::span<const double> zeros = std::span(zeros_).first(rows.size());
  Embedding& embedding = evaluator_.embedding();
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    if (contacts_[k].compliant || contacts_[k].state != ContactState::Closed) continue;
    std::fill(sliding_force_.begin(), sliding_force_.end(), 0.0);
    bool slides = false;
    for (std::size_t i = 0; i < frictions_.size(); ++i) {
      const Friction& f = frictions_[i];
      if (f.contact != static_cast<int>(k) || f.state != FrictionState::Slide) continue;
      for (std::size_t r = 0; r < f.rows.size(); ++r) add_row(f.rows[r], -kinetic(i) * f.direction[r], sliding_force_);
      slides = true;
    }
    if (!slides) continue;
    const std::size_t s = sliding_.size();
    const std::span<double> z = sliding_z_.view().row_span(s);
    const EmbedReport solved = embedding.solve(evaluator_.mass_matrix(), sliding_force_, zeros, z);
    if (!solved.ok()) return {MotionStatus::SingularMass, solved.index};
    embedding.calc_multipliers(evaluator_.mass_matrix(), sliding_force_, z, Multipliers::MinimumNorm, lambda);
    const std::span<double> all = sliding_lambda_.view().row_span(s);
    std::fill(all.begin(), all.end(), 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) all[at(rows[i])] = lambda[i];
    sliding_.push_back(k);
  }
  const std::size_t c = sliding_.size();
  if (c == 0) return {};
  const MatrixView m = sliding_lu_.prepare(c);
  for (std::size_t i = 0; i < c; ++i) {
    for (std::size_t j = 0; j < c; ++j) m(i, j) = (i == j ? 1.0 : 0.0) - sliding_lambda_(j, contacts_[sliding_[i]].row);
    sliding_rhs_[i] = lambda_[contacts_[sliding_[i]].row];
  }
  // Singular: the friction is just so large that no normal force balances it (Painleve); a shorter step may avoid it.
  if (!sliding_lu_.factor().ok()) return {MotionStatus::SingularBlock, -1};
  const std::span<double> normal = std::span(sliding_rhs_).first(c);
  sliding_lu_.solve(normal);
  for (std::size_t i = 0; i < c; ++i) {
    add_scaled(udot.data(), normal[i], sliding_z_.view().row(i), n_);
    add_scaled(lambda_.data(), normal[i], sliding_lambda_.view().row(i), lambda_.size());
  }
  for (std::size_t i = 0; i < frictions_.size(); ++i) {
    const Friction& f = frictions_[i];
    if (f.state != FrictionState::Slide || !rigid_contact(f)) continue;
    const double press = lambda_[contacts_[at(f.contact)].row];
    for (std::size_t r = 0; r < f.rows.size(); ++r) lambda_[f.rows[r]] = -kinetic(i) * press * f.direction[r];
  }
  return {};
}

MotionReport SwitchedDynamics::calc_motion(std::span<const double> q, std::span<const double> u, std::span<double> qdot,
                                           std::span<double> udot) {
  ++work_.evaluations;
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
  if (!any_active_ && !any_sliding_ && !any_compliant_ && applied_rows_.empty())
    return evaluator_.calc_motion(q, u, qdot, udot);
  evaluate(q, u);
  std::ranges::copy(evaluator_.qdot(), qdot.begin());
  const CallTimes::Measurement measurement(evaluator_.times().solve);
  add_known_forces(u);
  const MotionReport report = solve_smooth(udot);
  if (!report.ok() || all_finite(udot)) return report;
  const auto bad = std::find_if(udot.begin(), udot.end(), [](double v) { return !std::isfinite(v); });
  return {MotionStatus::NotFinite, static_cast<int>(bad - udot.begin())};
}

// ---- event functions ------------------------------------------------------------------------------------------------------

double SwitchedDynamics::slide_function(const Friction& f, std::span<const double> u) const {
  if (on_line(f)) return f.direction[line_row(f)] * row_speed(f.rows[line_row(f)], u) + f.offset;
  const double stop = stop_speed(f);
  return std::hypot(row_speed(f.rows[0], u), row_speed(f.rows[1], u)) - stop + f.offset;
}

double SwitchedDynamics::leave_function(const Contact& c) const {
  return c.state == ContactState::Closed ? shapes_->scene().touch(at(c.slot)).inside + c.leave_offset : 1.0;
}

bool SwitchedDynamics::kinematic(std::size_t k) const {
  if (k < contacts_.size()) return contacts_[k].state == ContactState::Open;
  k -= contacts_.size();
  return k >= frictions_.size() || frictions_[k].state == FrictionState::Slide;
}

void SwitchedDynamics::calc_kinematic_functions(std::span<const double> q, std::span<const double> u,
                                                std::span<double> g) {
  evaluate_rows(q, u);
  for (std::size_t k = 0; k < contacts_.size(); ++k)
    if (!contacts_[k].compliant && contacts_[k].state == ContactState::Open)
      g[k] = evaluator_.phi()[contacts_[k].row] + contacts_[k].offset;
  for (std::size_t i = 0; i < frictions_.size(); ++i)
    if (frictions_[i].state == FrictionState::Slide) g[contacts_.size() + i] = slide_function(frictions_[i], u);
  for (std::size_t k = contacts_.size() - slots_; k < contacts_.size(); ++k)
    g[frictions_.size() + slots_ + k] = leave_function(contacts_[k]);
}

void SwitchedDynamics::calc_functions(std::span<const double> q, std::span<const double> u, std::span<double> g) {
  if (any_active_) {
    if (!calc_motion(q, u, scratch_qdot_, scratch_udot_).ok()) std::fill(lambda_.begin(), lambda_.end(), 0.0);
  } else {
    evaluate_rows(q, u);
  }
  bool doubtful = false;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Contact& c = contacts_[k];
    if (c.compliant)
      g[k] = 1;
    else
      g[k] = c.state == ContactState::Open ? evaluator_.phi()[c.row] + c.offset : lambda_[c.row] + c.offset;
    doubtful = doubtful || (c.state == ContactState::Closed && g[k] < 0);
  }
  for (std::size_t i = 0; i < frictions_.size(); ++i) {
    const Friction& f = frictions_[i];
    double& value = g[contacts_.size() + i];
    if (f.state == FrictionState::Idle) {
      // A compliant contact or a limit that was zero begins to press.
      value = rigid_contact(f) || !presses(f) ? 1 : -1;
    } else if (f.state == FrictionState::Slide) {
      value = slide_function(f, u);
    } else {
      const double press =
          rigid_contact(f) ? stiction(i) * lambda_[contacts_[at(f.contact)].row] : known_limit(f, stiction(i));
      double force = 0;
      for (const std::size_t row : f.rows) force = std::hypot(force, lambda_[row]);
      value = press - force + f.offset;
      doubtful = doubtful || value < 0;
    }
  }
  for (std::size_t k = contacts_.size() - slots_; k < contacts_.size(); ++k) {
    g[frictions_.size() + slots_ + k] = leave_function(contacts_[k]);
  }
  // Redundant supports: forces of least norm may leave the cone although others would not.
  if (!doubtful || !hyperstatic() || !feasible(q, u)) return;
  for (std::size_t k = 0; k < contacts_.size(); ++k)
    if (contacts_[k].state == ContactState::Closed) g[k] = std::max(g[k], kLift);
  for (std::size_t i = 0; i < frictions_.size(); ++i)
    if (frictions_[i].state == FrictionState::Stick) g[contacts_.size() + i] = std::max(g[contacts_.size() + i], kLift);
}

void SwitchedDynamics::read_settled(std::span<double> g) const {
  const std::size_t c = contacts_.size(), f = frictions_.size();
  for (std::size_t k = 0; k < c; ++k) g[k] = functions_[k] + contacts_[k].offset;
  for (std::size_t i = 0; i < f; ++i) g[c + i] = functions_[c + i] + frictions_[i].offset;
  for (std::size_t k = c - slots_; k < c; ++k)
    g[f + slots_ + k] = functions_[f + slots_ + k] + contacts_[k].leave_offset;
}

bool SwitchedDynamics::find_motion(std::span<double> qdot, std::span<double> udot) const {
  if (!any_active_) return false;
  std::ranges::copy(scratch_qdot_, qdot.begin());
  std::ranges::copy(scratch_udot_, udot.begin());
  return true;
}

std::span<const double> SwitchedDynamics::calc_accelerations(std::span<const double> q, std::span<const double> u) {
  // calc_functions() has them already where something is constrained.
  if (!any_active_) (void)calc_motion(q, u, scratch_qdot_, scratch_udot_);
  return scratch_udot_;
}

bool SwitchedDynamics::note_step(std::span<const double> q, std::span<const double> u) {
  if (contacts_.empty() && frictions_.empty()) return false;
  const bool changed = update_slots(q, u);
  evaluator_.calc_constraints(q, u);
  for (Contact& c : contacts_)
    if (c.state == ContactState::Open && evaluator_.phi()[c.row] > kLeft) c.offset = 0;
  for (Friction& f : frictions_) {
    if (f.state != FrictionState::Slide) continue;
    f.line = find_line(f);
    update_direction(f, u);
    if (f.line >= 0) {  // the axes may have turned over
      const double along = row_speed(f.rows[line_row(f)], u);
      if (std::abs(along) > kLeft) f.direction = {0, 0}, f.direction[line_row(f)] = along > 0 ? 1 : -1;
    }
    f.kept = f.direction;
    double speed = 0;
    for (const std::size_t row : f.rows) speed = std::hypot(speed, row_speed(row, u));
    f.fastest = std::max(f.fastest, speed);
    if (speed > (on_line(f) ? kLeft : 2 * stop_speed(f))) f.offset = 0;
  }
  return changed;
}

void SwitchedDynamics::set_offsets(std::span<const double> q, std::span<const double> u) {
  for (Contact& c : contacts_) c.offset = c.leave_offset = 0;
  for (Friction& f : frictions_) {
    f.offset = 0;
    double speed = 0;
    for (const std::size_t row : f.rows) speed = std::hypot(speed, row_speed(row, u));
    f.fastest = std::max(f.fastest, speed);
  }
  const std::span<double> g = functions_;
  calc_functions(q, u, g);
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    Contact& c = contacts_[k];
    const bool near = c.state == ContactState::Closed || std::abs(g[k]) < std::max(kLeft, options_.touch_gap);
    if (!near || g[k] >= kLift) continue;
    // One that leaves is above zero at once by itself, but for the rounding of its gap.
    const bool leaves = c.state == ContactState::Open && row_speed(c.row, u) > still(u, c.row);
    c.offset = (leaves ? kGapRounding : kLift) + std::max(0.0, -g[k]);
  }
  for (std::size_t i = 0; i < frictions_.size(); ++i) {
    const double value = g[contacts_.size() + i];
    Friction& f = frictions_[i];
    if (f.state == FrictionState::Idle || value >= kLift) continue;
    // One that slides slowly in a plane and cannot hold: asked again when it has become half as fast, not at once.
    double lift = kLift;
    if (f.state == FrictionState::Slide && !on_line(f))
      lift = std::max(lift, 0.5 * std::hypot(row_speed(f.rows[0], u), row_speed(f.rows[1], u)));
    f.offset = lift - value;
  }
  for (std::size_t k = contacts_.size() - slots_; k < contacts_.size(); ++k) {
    const double value = g[frictions_.size() + slots_ + k];
    if (contacts_[k].state == ContactState::Closed && value < kLift) contacts_[k].leave_offset = kLift - value;
  }
}

double SwitchedDynamics::calc_kinetic(std::span<const double> u) const {
  double twice = 0;
  for (std::size_t i = 0; i < n_; ++i) twice += u[i] * dot(evaluator_.mass_matrix().row(i), u.data(), n_);
  return twice / 2;
}

bool SwitchedDynamics::missed(std::span<const double> q, std::span<const double> u, double depth) {
  evaluator_.calc_constraints(q, u);
  return std::any_of(contacts_.begin(), contacts_.end(), [&](const Contact& c) {
    return !c.compliant && c.state == ContactState::Open && evaluator_.phi()[c.row] < -depth && row_speed(c.row, u) < 0;
  });
}

}  // namespace kane
