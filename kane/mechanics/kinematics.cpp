#include "kane/mechanics/kinematics.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {
namespace {

/// Adds c to the partial velocity of a column, keeping the order and leaving out zeros.
void accumulate(std::vector<PartialVelocity>& partials, int column, const Expr3& c) {
  if (is_zero(c)) return;
  auto at = std::lower_bound(partials.begin(), partials.end(), column,
                             [](const PartialVelocity& p, int r) { return p.column < r; });
  if (at == partials.end() || at->column != column) {
    partials.insert(at, {column, c});
    return;
  }
  at->c = add(at->c, c);
  if (is_zero(at->c)) partials.erase(at);
}

/// Remembers the last vectors that were moved: partial velocities of several columns are often the same vector.
class Mover {
 public:
  Mover(const Bases& bases, FrameId from, FrameId to) : bases_(bases), from_(from), to_(to) {}
  Expr3 operator()(const Expr3& c) {
    if (from_ == to_) return c;
    if (!known_ || !(c == in_)) {
      in_ = c;
      out_ = bases_.express(c, from_, to_);
      known_ = true;
    }
    return out_;
  }

 private:
  const Bases& bases_;
  FrameId from_, to_;
  Expr3 in_, out_;
  bool known_ = false;
};

}  // namespace

Expr3 VelocityForm::partial(int column) const {
  for (const PartialVelocity& p : partials) {
    if (p.column == column) return p.c;
  }
  return {};
}

bool VelocityForm::at_rest() const { return partials.empty() && is_zero(remainder); }

Kinematics::Kinematics(const System& system, const Bases& bases, RateModel model, const Substitution& time_rates,
                       Vector base_acceleration)
    : system_(&system),
      bases_(&bases),
      model_(std::move(model)),
      along_(time_rates),
      dependence_(system),
      base_acceleration_(std::move(base_acceleration)) {}

// ---- rates of edges -----------------------------------------------------------------------------------------------------

RateForm Kinematics::rate_form(const Expr3& velocity) {
  RateForm form;
  std::vector<Expr> symbols;
  std::vector<int> which;
  for (const Expr& s : symbols_of(velocity)) {
    const auto at = std::find(model_.symbols.begin(), model_.symbols.end(), s);
    if (at == model_.symbols.end()) continue;
    symbols.push_back(s);
    which.push_back(static_cast<int>(at - model_.symbols.begin()));
  }
  for (const int k : which) form.terms.emplace_back(k, Expr3{});
  for (std::size_t i = 0; i < 3; ++i) {
    if (velocity[i].is_zero()) continue;
    const Affine a = affine_in(velocity[i], symbols, "a velocity");
    for (std::size_t k = 0; k < symbols.size(); ++k) form.terms[k].second[i] = a.coefficients[k];
    form.remainder[i] = a.remainder;
  }
  return form;
}

const RateForm& Kinematics::frame_edge(FrameId f) {
  auto at = frame_edges_.find(f);
  if (at == frame_edges_.end()) {
    at = frame_edges_.emplace(f, rate_form(system_->relative_angular_velocity(f))).first;
  }
  return at->second;
}

const RateForm& Kinematics::offset_rate(PointId p, std::size_t term) {
  auto at = offset_rates_.find({p, term});
  if (at == offset_rates_.end()) {
    const Expr3& c = record(p).offset.terms()[term].c;
    Expr3 rate;
    for (std::size_t i = 0; i < 3; ++i) rate[i] = system_->time_derivative(c[i]);
    at = offset_rates_.emplace(std::pair{p, term}, rate_form(rate)).first;
  }
  return at->second;
}

Expr3 Kinematics::rate_value(const RateForm& edge) const {
  Expr3 sum = edge.remainder;
  for (const auto& [k, c] : edge.terms) sum = add(sum, scale(model_.values[at(k)], c));
  return sum;
}

// (sum_k c_k rho_k + c_t)' with u' = 0: c_k rho'_k,t + c_k' rho_k + c_t'.
Expr3 Kinematics::rate_acceleration(const RateForm& edge) {
  Expr3 sum = along(edge.remainder);
  for (const auto& [k, c] : edge.terms) {
    sum = add(sum, scale(model_.second[at(k)], c));
    sum = add(sum, scale(model_.values[at(k)], along(c)));
  }
  return sum;
}

std::vector<std::pair<int, Vector>> Kinematics::frame_auxiliaries(FrameId f) const {
  std::vector<std::pair<int, Vector>> r;
  const auto& all = system_->auxiliaries();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].frame == f) r.emplace_back(model_.column_count - static_cast<int>(all.size() - i), all[i].direction);
  }
  return r;
}

std::vector<std::pair<int, Vector>> Kinematics::point_auxiliaries(PointId p) const {
  std::vector<std::pair<int, Vector>> r;
  const auto& all = system_->auxiliaries();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].point == p) r.emplace_back(model_.column_count - static_cast<int>(all.size() - i), all[i].direction);
  }
  return r;
}

// Adds the partial velocities and the remainder of an edge given in the basis `from`.
void Kinematics::add_rate_form(VelocityForm& v, const RateForm& edge, FrameId from) {
  for (const auto& [k, c] : edge.terms) {
    const Expr3 moved = bases_->express(c, from, v.basis);
    for (const auto& [column, w] : model_.W[at(k)]) {
      accumulate(v.partials, column, scale(w, moved));
    }
    v.remainder = add(v.remainder, scale(model_.X[at(k)], moved));
  }
  v.remainder = add(v.remainder, bases_->express(edge.remainder, from, v.basis));
}

VelocityForm Kinematics::in_basis(const VelocityForm& v, FrameId basis) const {
  if (v.basis == basis) return v;
  VelocityForm r;
  r.basis = basis;
  Mover move(*bases_, v.basis, basis);
  for (const PartialVelocity& p : v.partials) r.partials.push_back({p.column, move(p.c)});
  r.remainder = move(v.remainder);
  r.value = move(v.value);
  r.acceleration = move(v.acceleration);
  return r;
}

Expr Kinematics::column_symbol(int column) const {
  return column < static_cast<int>(system_->speeds().size()) ? system_->speeds()[at(column)].symbol : Expr();
}

bool Kinematics::constant_partials(const VelocityForm& v) {
  return std::all_of(v.partials.begin(), v.partials.end(),
                     [&](const PartialVelocity& p) { return dependence_.constant(p.c); });
}

// Speeds are measure numbers of this velocity in its basis B: v = sum_r v_r u_r + v_t with constant v_r, so that the
// derivative is v_t' + w_B x v.
void Kinematics::make_direct(VelocityForm& v) {
  v.direct = true;
  v.value = v.remainder;
  for (const PartialVelocity& p : v.partials) v.value = add(v.value, scale(column_symbol(p.column), p.c));
  v.acceleration = along(v.remainder);
  if (model_.accelerations.empty()) return;
  for (const PartialVelocity& p : v.partials) {
    v.acceleration = add(v.acceleration, scale(model_.accelerations[at(p.column)], p.c));
  }
}

// ---- frames -------------------------------------------------------------------------------------------------------------

const VelocityForm& Kinematics::frame(FrameId f, FrameId basis) {
  const Key key{f, basis};
  const auto at = frames_.find(key);
  if (at != frames_.end()) return at->second;
  return frames_.emplace(key, form_frame(f, basis)).first->second;
}

VelocityForm Kinematics::form_frame(FrameId f, FrameId basis) {
  const Frames& frames = system_->frames();
  VelocityForm w;
  w.basis = basis;
  if (f == system_->inertial()) return w;
  const Frames::Frame& edge_frame = frames[f];
  if (!edge_frame.parent.valid()) frames.check_related(f, system_->inertial());
  // In another basis than its own only if the axis of rotation is fixed in the parent.
  const bool own = basis == f;
  if (!own &&
      (!std::holds_alternative<std::monostate>(edge_frame.definition) || !frames.descends(edge_frame.parent, basis))) {
    return in_basis(frame(f, f), basis);
  }
  const VelocityForm above =
      own ? in_basis(frame(edge_frame.parent, edge_frame.parent), f) : frame(edge_frame.parent, basis);
  w.partials = above.partials;
  w.remainder = above.remainder;
  const RateForm& edge = frame_edge(f);
  // The components of a rotation axis are the same in the parent.
  const FrameId edge_basis = own ? f : edge_frame.parent;
  add_rate_form(w, edge, edge_basis);
  for (const auto& [column, direction] : frame_auxiliaries(f)) {
    accumulate(w.partials, column, bases_->express(direction, basis));
  }
  if (!model_.constant && constant_partials(w)) {
    make_direct(w);
    if (!own) w.acceleration = add(w.acceleration, cross(frame(basis, basis).value, w.value));
    return w;
  }
  const Expr3 relative = bases_->express(rate_value(edge), edge_basis, basis);
  const Expr3 relative_rate = bases_->express(rate_acceleration(edge), edge_basis, basis);
  w.value = add(above.value, relative);
  w.acceleration = add(add(above.acceleration, relative_rate), cross(above.value, relative));
  return w;
}

Expr3 Kinematics::centripetal(const VelocityForm& w, const Expr3& c) {
  const Expr3& o = w.value;
  const Expr3& alpha = w.acceleration;
  Expr3 r;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    Expr sum;
    if (!c[i].is_zero()) sum -= (o[j] * o[j] + o[k] * o[k]) * c[i];
    if (!c[j].is_zero()) sum += (o[i] * o[j] - alpha[k]) * c[j];
    if (!c[k].is_zero()) sum += (o[i] * o[k] + alpha[j]) * c[k];
    r[i] = sum;
  }
  return r;
}

// ---- points -------------------------------------------------------------------------------------------------------------

const PointRecord& Kinematics::record(PointId p) const {
  const std::size_t own = system_->points().size();
  return p.index() < own ? system_->points()[p.index()] : extra_points_[p.index() - own];
}

PointId Kinematics::add_point(PointId parent, FrameId f, const Expr3& offset) {
  extra_points_.push_back({system_->point(parent).name + "+", parent, Vector(f, offset), {}});
  return PointId(point_count() - 1);
}

FrameId Kinematics::basis_of(PointId p) const {
  return p.index() < system_->points().size() ? bases_->of(p) : record(p).offset.terms().front().frame;
}

PointId Kinematics::anchor(FrameId f) const {
  const auto fixed = system_->find_anchor(f);
  require(fixed.has_value(), "no point is known to be fixed in frame {}; say which one is", system_->frames().name(f));
  return *fixed;
}

const VelocityForm& Kinematics::point(PointId p) {
  const auto at = points_.find(p);
  if (at != points_.end()) return at->second;
  return points_.emplace(p, form_point(p)).first->second;
}

VelocityForm Kinematics::form_point(PointId p) {
  VelocityForm v;
  v.basis = basis_of(p);
  if (p == system_->origin()) {
    v.acceleration = bases_->express(base_acceleration_, v.basis);
    return v;
  }
  const PointRecord& record = this->record(p);
  if (!record.parent.valid()) system_->check_located(p);
  v = record.carrier.valid() ? form_carried(p, v.basis) : form_located(p, v.basis);
  if (!model_.constant) find_direct_point(p, v);
  return v;
}

VelocityForm Kinematics::form_located(PointId p, FrameId basis) {
  const PointRecord& record = this->record(p);
  VelocityForm v = in_basis(point(record.parent), basis);
  v.direct = false;
  for (std::size_t i = 0; i < record.offset.terms().size(); ++i) {
    const auto& [g, c] = record.offset.terms()[i];
    const VelocityForm& w = frame(g);
    const RateForm& rate = offset_rate(p, i);
    Mover move(*bases_, g, basis);
    add_rate_form(v, rate, g);
    for (const PartialVelocity& r : w.partials) accumulate(v.partials, r.column, move(cross(r.c, c)));
    v.remainder = add(v.remainder, bases_->express(cross(w.remainder, c), g, basis));
    const Expr3 slide = rate_value(rate);
    v.value = add(v.value, bases_->express(add(slide, cross(w.value, c)), g, basis));
    Expr3 a = centripetal(w, c);
    if (!is_zero(slide)) a = add(a, scale(2, cross(w.value, slide)));
    a = add(a, rate_acceleration(rate));
    v.acceleration = add(v.acceleration, bases_->express(a, g, basis));
  }
  for (const auto& [column, direction] : point_auxiliaries(p)) {
    accumulate(v.partials, column, bases_->express(direction, basis));
  }
  return v;
}

// The point of a frame that is just at `at`: v = v_Q + w x r, a = a_Q + alpha x r + w x (w x r), Q fixed in the frame.
VelocityForm Kinematics::form_carried(PointId p, FrameId basis) {
  const PointRecord& record = this->record(p);
  const PointId fixed = anchor(record.carrier);
  const Expr3 r = bases_->express(system_->position(p, fixed), basis);
  VelocityForm v = in_basis(point(fixed), basis);
  v.direct = false;
  const VelocityForm& w = frame(record.carrier, basis);
  for (const PartialVelocity& u : w.partials) accumulate(v.partials, u.column, cross(u.c, r));
  v.remainder = add(v.remainder, cross(w.remainder, r));
  v.value = add(v.value, cross(w.value, r));
  v.acceleration = add(v.acceleration, centripetal(w, r));
  return v;
}

void Kinematics::know_direction_cosines() {
  const Frames& frames = system_->frames();
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const FrameId f(i);
    if (!frames.related(f, system_->inertial())) continue;
    const Expr3& w = frame(f).value;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Expr3 unit;
      unit[axis] = 1;
      const Expr3 c = bases_->express(unit, system_->inertial(), f);
      const Expr3 rate = cross(c, w);
      for (std::size_t k = 0; k < 3; ++k) along_.know(c[k], rate[k]);
    }
  }
}

Expr3 Kinematics::velocity_rate(PointId p) {
  const PointRecord& record = this->record(p);
  if (!record.carrier.valid()) return point(p).acceleration;
  const FrameId basis = point(p).basis;
  const PointId fixed = anchor(record.carrier);
  const Vector arm = system_->position(p, fixed);
  Vector arm_rate;
  for (const auto& [g, c] : arm.terms()) arm_rate += Vector(g, add(along(c), cross(frame(g).value, c)));
  const VelocityForm& w = frame(record.carrier, basis);
  Expr3 sum = bases_->express(velocity_rate(fixed), point(fixed).basis, basis);
  sum = add(sum, cross(w.acceleration, bases_->express(arm, basis)));
  return add(sum, cross(w.value, bases_->express(arm_rate, basis)));
}

std::vector<FrameId> Kinematics::direct_candidates(PointId p) const {
  std::vector<FrameId> frames{basis_of(p), system_->inertial()};
  const auto consider = [&](FrameId f) {
    if (f.valid() && std::find(frames.begin(), frames.end(), f) == frames.end()) frames.push_back(f);
  };
  for (const Vector::Term& t : record(p).offset.terms()) consider(t.frame);
  for (const PointRecord& other : system_->points()) {
    if (other.parent != p) continue;
    for (const Vector::Term& t : other.offset.terms()) consider(t.frame);
  }
  for (const BodyRecord& b : system_->bodies()) {
    if (b.mass_centre == p) consider(b.frame);
  }
  return frames;
}

// Is there a basis in which the speeds are the measure numbers of this velocity?
void Kinematics::find_direct_point(PointId p, VelocityForm& v) {
  constexpr std::size_t kMostPartials = 6;
  if (v.partials.empty() || v.partials.size() > kMostPartials) return;
  for (const FrameId basis : direct_candidates(p)) {
    VelocityForm w;
    w.basis = basis;
    for (const PartialVelocity& r : v.partials) w.partials.push_back({r.column, bases_->express(r.c, v.basis, basis)});
    if (!constant_partials(w)) continue;
    w.remainder = bases_->express(v.remainder, v.basis, basis);
    make_direct(w);
    w.acceleration = add(w.acceleration, cross(frame(basis).value, w.value));
    w.acceleration = add(w.acceleration, bases_->express(base_acceleration_, basis));
    v = std::move(w);
    return;
  }
}

}  // namespace kane
