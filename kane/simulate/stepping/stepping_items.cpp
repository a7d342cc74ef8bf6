// ContactStepper: the rows of contacts and frictions, as items of the sweep.

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/simulate/stepping/contact_stepper.hpp"
#include "kane/simulate/system/contact_rows.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

void ContactStepper::begin_items() {
  sweep_.begin(inertia_.block_of_place());
  sweep_.set_inertia(inertia_.matrix());
  items_.clear();
  moving_ground_ = false;
  body_rows_.resize(field_ ? field_->scene().body_count() : 0);
  for (BodyRows& rows : body_rows_) rows.ready = false;
}

void ContactStepper::add_closed() {
  const EquationsOfMotion& e = evaluator_.system().equations();
  for (std::size_t k = 0; k < e.contacts.size(); ++k) add_model_contact(k);
  for (std::size_t f = 0; f < e.frictions.size(); ++f)
    if (!set_.rigid_contact(set_.frictions[f])) add_model_friction(f);
  if (!field_) return;
  for (std::size_t i = 0; i < field_->places().size(); ++i)
    if (field_->places()[i].closed) add_place(i);
}

// ---- shapes ----------------------------------------------------------------------------------------------------------------

ContactStepper::BodyRows& ContactStepper::rows_of(const MovingBody& body) {
  const auto number = static_cast<std::size_t>(&body - &field_->scene().body(0));
  BodyRows& rows = body_rows_[number];
  if (rows.ready) return rows;
  rows.ready = true;
  if (body.speeds.empty()) {
    rows.count = 0;
    return rows;
  }
  const BlockInertia::Block& block = inertia_.block_of_speed(body.speeds[0]);
  const std::size_t n = body.speeds.size();
  rows.first = block.first, rows.count = block.count;
  rows.j.assign(6 * block.count, 0.0);
  for (std::size_t k = 0; k < 6; ++k) {
    const double* from = (k < 3 ? body.jv : body.jw) + (k % 3) * n;
    for (std::size_t j = 0; j < n; ++j)
      rows.j[k * block.count + inertia_.place(body.speeds[j]) - block.first] = from[j];
  }
  rows.r = rows.j;
  for (std::size_t k = 0; k < 6; ++k) inertia_.solve(block, std::span(rows.r).subspan(k * block.count, block.count));
  return rows;
}

/// A row of relative speed along `d` (or of turning about it) at points of two bodies, times `scale`.
void ContactStepper::add_body_row(const MovingBody& b1, const MovingBody& b2, const Vec3& d, const Vec3& point1,
                                  const Vec3& point2, bool turning) {
  const Vec3 none{};
  const Vec3& force = turning ? none : d;
  const Vec3 torque1 = turning ? d : cross(point1 - b1.motion.p, d);
  const Vec3 torque2 = turning ? d : cross(point2 - b2.motion.p, d);
  const double b = dot(force, b1.v_t - b2.v_t) + dot(torque1, b1.w_t) - dot(torque2, b2.w_t);
  moving_ground_ = moving_ground_ || b != 0;
  sweep_.add_row(b);
  const auto combine = [](const BodyRows& rows, const Vec3& f, const Vec3& torque, double sign, double* j, double* r) {
    const std::array<double, 6> wrench{sign * f.x,      sign * f.y,      sign * f.z,
                                       sign * torque.x, sign * torque.y, sign * torque.z};
    for (std::size_t k = 0; k < 6; ++k) {
      add_scaled(j, wrench[k], rows.j.data() + k * rows.count, rows.count);
      add_scaled(r, wrench[k], rows.r.data() + k * rows.count, rows.count);
    }
  };
  const BodyRows* one = b1.jv == nullptr ? nullptr : &rows_of(b1);
  const BodyRows* other = b2.jv == nullptr ? nullptr : &rows_of(b2);
  if (one != nullptr && one->count == 0) one = nullptr;
  if (other != nullptr && other->count == 0) other = nullptr;
  const auto add = [&](const BodyRows& rows, const auto& fill) {
    std::fill_n(part_.begin(), rows.count, 0.0), std::fill_n(response_.begin(), rows.count, 0.0);
    fill();
    sweep_.add_part(rows.first, std::span(part_).first(rows.count), std::span(response_).first(rows.count));
  };
  const bool together = one != nullptr && other != nullptr && one->first == other->first;
  if (one != nullptr)
    add(*one, [&] {
      combine(*one, force, torque1, 1, part_.data(), response_.data());
      if (together) combine(*other, force, torque2, -1, part_.data(), response_.data());
    });
  if (other != nullptr && !together)
    add(*other, [&] { combine(*other, force, torque2, -1, part_.data(), response_.data()); });
}

void ContactStepper::add_place(std::size_t index) {
  const ContactPlace& place = field_->places()[index];
  const PairValues v = set_.shapes->pair_values(place.pair);
  const ContactScene& scene = field_->scene();
  const MovingBody &b1 = scene.body(scene.shapes()[place.first].body),
                   &b2 = scene.body(scene.shapes()[place.second].body);
  const Vec3 t1 = place.first_across(), t2 = cross(place.normal, t1);
  const bool compliant = v.stiffness > 0;
  std::array<SweepFriction, ContactSweep::kMostFrictions> frictions;
  std::size_t count = 0;
  const auto row = [&](const Vec3& d, bool turning) { add_body_row(b1, b2, d, place.point1, place.point2, turning); };
  if (!compliant) row(place.normal, false);
  if (v.kinetic > 0 || v.stiction > 0) {
    row(t1, false), row(place.ratio * t2, false);
    frictions[count++] = {2, v.kinetic, 0};
  }
  if (v.rolling > 0) {
    row(t1, true), row(t2, true);
    frictions[count++] = {2, v.rolling, 0};
  }
  if (v.spinning > 0) {
    row(place.normal, true);
    frictions[count++] = {1, v.spinning, 0};
  }
  if (compliant && count == 0) return;
  sweep_.add_item(!compliant, std::span(frictions).first(count));
  items_.push_back({ItemRef::Kind::Place, index});
}

/// Contacts that would be passed if bodies went on with the speeds w for h.
bool ContactStepper::add_speculative(double h, std::span<const double> w) {
  if (!field_) return false;
  inertia_.scatter(w, outer_);
  ContactScene& scene = set_.shapes->scene();
  ends_.resize(scene.body_count());
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const MovingBody& body = scene.body(i);
    const std::size_t n = body.speeds.size();
    Vec3 v = body.v_t, turn = body.w_t;
    for (std::size_t j = 0; j < n; ++j) {
      const double u = outer_[body.speeds[j]];
      v += u * Vec3{body.jv[j], body.jv[n + j], body.jv[2 * n + j]};
      turn += u * Vec3{body.jw[j], body.jw[n + j], body.jw[2 * n + j]};
    }
    RigidMotion& end = ends_[i] = body.motion;
    end.p = end.p + h * v;
    const double angle = h * norm(turn);
    if (angle > 0) {
      const Vec3 axis = unit(turn);
      for (std::size_t k = 0; k < 3; ++k) {  // columns of R turned about the axis
        const Vec3 c = body.motion.R.column(k);
        const Vec3 turned =
            std::cos(angle) * c + std::sin(angle) * cross(axis, c) + ((1 - std::cos(angle)) * dot(axis, c)) * axis;
        for (std::size_t r = 0; r < 3; ++r) end.R.rows[r][k] = turned[r];
      }
    }
  }
  const std::size_t before = items_.size();
  known_.assign(field_->places().size(), false);
  for (const ItemRef& item : items_)
    if (item.kind == ItemRef::Kind::Place) known_[item.index] = true;
  field_->speculate(ends_, known_);
  for (std::size_t i = 0; i < field_->places().size(); ++i)
    if (field_->places()[i].speculative && !known_[i]) add_place(i);
  if (items_.size() == before) return false;
  sweep_.finish();
  return true;
}

// ---- contacts and frictions of the model -----------------------------------------------------------------------------------

void ContactStepper::add_model_row(std::size_t row) {
  const double b = evaluator_.b()[row];
  moving_ground_ = moving_ground_ || b != 0;
  sweep_.add_row(b);
  inertia_.gather({evaluator_.jacobian().row(row), set_.n}, outer_);
  for (const BlockInertia::Block& block : inertia_.blocks()) {
    const std::span<const double> part = std::span(outer_).subspan(block.first, block.count);
    if (max_abs(part) == 0) continue;
    std::ranges::copy(part, response_.begin());
    const std::span<double> response = std::span(response_).first(block.count);
    inertia_.solve(block, response);
    sweep_.add_part(block.first, part, response);
  }
}

/// Contacts of the model are always there: what is far away has a gap that is not reached.
void ContactStepper::add_model_contact(std::size_t k) {
  if (set_.contacts[k].compliant) return;
  add_model_row(set_.contacts[k].row);
  std::array<SweepFriction, ContactSweep::kMostFrictions> frictions;
  std::size_t count = 0;
  const std::size_t own = evaluator_.system().equations().frictions.size();
  for (std::size_t f = 0; f < own && count < frictions.size(); ++f) {
    if (set_.frictions[f].contact != static_cast<int>(k)) continue;
    for (const std::size_t row : set_.frictions[f].rows) add_model_row(row);
    frictions[count++] = {static_cast<std::uint32_t>(set_.frictions[f].rows.size()), set_.kinetic(f), 0};
  }
  sweep_.add_item(true, std::span(frictions).first(count));
  items_.push_back({ItemRef::Kind::Contact, k});
}

void ContactStepper::add_model_friction(std::size_t f) {
  for (const std::size_t row : set_.frictions[f].rows) add_model_row(row);
  const SweepFriction friction{static_cast<std::uint32_t>(set_.frictions[f].rows.size()), 0, 0};
  sweep_.add_item(false, {&friction, 1});
  items_.push_back({ItemRef::Kind::Friction, f});
}

}  // namespace kane
