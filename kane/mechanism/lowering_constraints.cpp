// Constraints as the user wrote them.

#include <set>

#include "kane/mechanism/directions.hpp"
#include "kane/mechanism/lowering_parts.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {
namespace {

/// ".x", ".y", ".z" if the directions are different basis vectors, else ".1", ".2", ...; nothing for a single one.
std::vector<std::string> row_suffixes(const std::vector<Vector>& directions) {
  if (directions.size() == 1) return {""};
  std::vector<std::string> letters, numbers;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    numbers.push_back(fmt::format(".{}", i + 1));
    const auto& terms = directions[i].terms();
    for (std::size_t k = 0; k < 3 && terms.size() == 1; ++k) {
      const Expr3& c = terms.front().c;
      if (c[k].is_one() && c[(k + 1) % 3].is_zero() && c[(k + 2) % 3].is_zero())
        letters.push_back(fmt::format(".{}", "xyz"[k]));
    }
  }
  const bool good = letters.size() == directions.size() &&
                    std::set<std::string>(letters.begin(), letters.end()).size() == letters.size();
  return good ? letters : numbers;
}

class ConstraintLowering {
 public:
  explicit ConstraintLowering(const LoweringContext& context)
      : c_(context), m_(context.mechanism), s_(context.system), names_(context.lowered.names) {}

  void run() {
    for (const Constraint& constraint : m_.constraints) {
      name_ = constraint.name;
      active_ = constraint.active;
      current_ = &constraint;
      with_place(constraint.where, [&] { std::visit([&](const auto& what) { lower(what); }, constraint.what); });
    }
  }

 private:
  void lower(const ExpressionConstraint& e) {
    const std::size_t rows = e.configuration.size() + e.motion.size();
    require(rows > 0, "the constraint '{}' states no condition", name_);
    std::size_t row = 0;
    const auto next = [&] {
      ++row;
      return rows == 1 ? name_ : fmt::format("{}.{}", name_, row);
    };
    const std::string what = fmt::format("the constraint '{}'", name_);
    for (const Quantity& q : e.configuration)
      s_.add_configuration_constraint(next(), read_scalar(q, c_.scope(), what), name_, active_);
    for (const Quantity& q : e.motion)
      s_.add_motion_constraint(next(), read_scalar(q, c_.scope(), what), name_, active_);
  }

  [[nodiscard]] std::vector<Vector> directions(const std::vector<Quantity>& texts) const {
    std::vector<Vector> r;
    for (const Quantity& q : texts) {
      const Vector v = read_vector(q, c_.scope(), fmt::format("a direction of the constraint '{}'", name_));
      require_at(q.where, !v.is_zero(), "a direction of the constraint '{}' is the zero vector", name_);
      r.push_back(unit_along(s_, v));
    }
    return r;
  }

  void add_rows(PointId p, PointId reference, const std::vector<Vector>& held, bool velocity_only) {
    const std::vector<std::string> suffixes = row_suffixes(held);
    std::size_t idle = 0;
    for (std::size_t i = 0; i < held.size(); ++i) {
      const std::string row = name_ + suffixes[i];
      if (!velocity_only && s_.dot(s_.position(p, reference), held[i]).is_zero()) {
        ++idle;
        c_.lowered.warnings.push_back(
            fmt::format("the constraint '{}' holds by itself along one direction, so its row "
                        "{} is left out",
                        name_, row));
        continue;
      }
      if (velocity_only) {
        s_.add_velocity_constraint(row, p, reference, held[i], name_, active_);
        c_.lowered.actions.push_back({row, p, reference, {}, {}, held[i]});
      } else {
        add_coincidence(c_, row, p, reference, held[i], name_, active_);
      }
    }
    require(idle < held.size(), "the constraint '{}' says nothing: it holds by itself", name_);
  }

  void lower(const PointConstraint& e) {
    const PointId p = names_.point(e.point);
    const PointId reference = names_.point(e.reference.empty() ? m_.ground : e.reference);
    require(p != reference, "the constraint '{}' relates the point '{}' to itself", name_, e.point);
    std::vector<Vector> held = directions(e.directions);
    if (!e.path.empty()) {
      require_at(e.path.where, held.empty(), "the constraint '{}' has both a path and directions; give one of them",
                 name_);
      const Vector path = read_vector(e.path, c_.scope(), fmt::format("the path of the constraint '{}'", name_));
      require_at(e.path.where, !path.is_zero(), "the path of the constraint '{}' is the zero vector", name_);
      const auto [b, c] = across(path, m_, s_);
      held = {b, c};
    }
    const FrameId N = s_.inertial();
    if (held.empty()) held = {x(N), y(N), z(N)};
    add_rows(p, reference, held, e.velocity_only);
  }

  void lower(const RollingConstraint& e) {
    const FrameId body = names_.frame(e.body);
    const FrameId on = names_.frame(e.on.empty() ? m_.ground : e.on);
    require(body != on, "the body '{}' cannot roll on itself", e.body);
    const Vector arm = read_vector(e.contact, c_.scope(), fmt::format("the contact of the constraint '{}'", name_));
    const PointId contact = s_.add_point(name_ + ".contact", names_.point(e.body), arm);
    const PointId material = s_.add_point_of(name_ + ".body", body, contact);
    // On the ground nothing moves, wherever the contact is.
    const PointId ground = on == s_.inertial() ? s_.origin() : s_.add_point_of(name_ + ".on", on, contact);
    std::vector<Vector> held = directions(e.directions);
    if (e.touching) {
      require(held.size() == 1, "the constraint '{}' needs the normal of the plane that '{}' touches", name_, e.body);
      const PointId origin = names_.point(e.on.empty() ? m_.ground : e.on);
      const Expr phi = s_.dot(s_.position(contact, origin), held.front());
      s_.add_contact(name_, phi, material, ground, held.front(), name_, active_);
      c_.lowered.actions.push_back({name_, material, ground, {}, {}, held.front()});
    } else {
      if (held.empty()) held = {x(on), y(on), z(on)};
      add_rows(material, ground, held, true);
    }
    c_.lowered.reported_points.emplace_back(name_ + ".contact", contact);
    c_.lowered.names.add_point(name_ + ".contact", contact);
  }

  void lower(const GearConstraint& e) { lower_gear(c_, *current_, e); }

  // |r| - length = 0; the multiplier is the force that pushes `from` away from `to`.
  void lower(const DistanceConstraint& e) {
    const PointId from = names_.point(e.from);
    const PointId to = names_.point(e.to);
    require(from != to, "the rod '{}' has both ends at the point '{}'", name_, e.from);
    const Vector span = s_.position(from, to);
    require(!span.is_zero(), "the rod '{}' has both ends at the same place, '{}' and '{}'", name_, e.from, e.to);
    const Expr distance = s_.magnitude(span);
    s_.add_configuration_constraint(name_, distance - e.length, name_, active_);
    c_.lowered.actions.push_back({name_, from, to, {}, {}, span / distance});
  }

  const LoweringContext& c_;
  const Mechanism& m_;
  System& s_;
  const ModelNames& names_;
  const Constraint* current_ = nullptr;
  std::string name_;
  bool active_ = true;
};

}  // namespace

void add_coincidence(const LoweringContext& c, const std::string& row, PointId p, PointId r, const Vector& direction,
                     const std::string& group, bool active) {
  c.system.add_coincidence(row, p, r, direction, group, active);
  c.lowered.actions.push_back({row, p, r, {}, {}, direction});
  const Vector span = c.system.position(p, r);
  for (const Vector::Term& t : direction.terms())
    if (t.frame != c.system.inertial())
      c.lowered.actions.push_back({row, {}, {}, t.frame, {}, c.system.cross(Vector(t.frame, t.c), span)});
}

void lower_constraints(const LoweringContext& context) { ConstraintLowering(context).run(); }

}  // namespace kane
