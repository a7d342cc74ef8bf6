// Contacts, dry friction, modes and rules as rows and expressions.

#include <algorithm>
#include <map>
#include <set>

#include "kane/base/at.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/infix.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/rates.hpp"
#include "kane/mechanism/directions.hpp"
#include "kane/mechanism/lowering_parts.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {
namespace {

class SwitchingLowering {
 public:
  explicit SwitchingLowering(const LoweringContext& context)
      : c_(context),
        rules_(context.mechanism.switching),
        s_(context.system),
        names_(context.lowered.names),
        out_(context.lowered.switching) {}

  void run() {
    check_bodies(rules_.groups, "group"), check_bodies(rules_.materials, "material");
    check_pair_laws();
    for (const ContactRule& rule : rules_.contacts) with_place(rule.where, [&] { lower(rule); });
    for (std::size_t j = 0; j < c_.mechanism.joints.size(); ++j)
      with_place(c_.mechanism.joints[j].where, [&] { lower_stops(j); });
    lower_axis_friction();
    for (const FrictionRule& rule : rules_.frictions) with_place(rule.where, [&] { lower(rule); });
    for (const HandleRule& rule : rules_.handles) with_place(rule.where, [&] { lower(rule); });
    collect_groups();
    for (const ModeRule& rule : rules_.modes) with_place(rule.where, [&] { lower(rule); });
    for (const SwitchRule& rule : rules_.switches) with_place(rule.where, [&] { lower(rule); });
    out_.initial_mode = rules_.initial_mode;
    if (!out_.initial_mode.empty()) check_mode(out_.initial_mode, "the initial mode");
  }

 private:
  [[nodiscard]] Expr scalar(const Quantity& q, const std::string& what, const Expr& otherwise = {}) const {
    return q.empty() ? otherwise : read_scalar(q, c_.scope(), what);
  }

  void add_gap(const std::string& row, const Expr& gap) { s_.add_configuration_constraint(row, gap, row, false); }
  void add_speed(const std::string& row, const Expr& speed) { s_.add_motion_constraint(row, speed, row, false); }

  // ---- names for bodies in rules about shapes -----------------------------------------------------------------------
  void check_bodies(const std::vector<ContactGroup>& groups, std::string_view what) const {
    std::vector<std::string> known{c_.mechanism.ground};
    for (const auto& b : c_.mechanism.bodies) known.push_back(b.name);
    std::map<std::string, std::string> material;
    for (const ContactGroup& group : groups)
      for (const std::string& body : group.bodies) {
        require_at(group.where, std::find(known.begin(), known.end(), body) != known.end(),
                   "the {} '{}' of contacts names the body '{}', which does not exist{}", what, group.name, body,
                   suggestion(body, known));
        const auto [other, is_new] = material.emplace(body, group.name);
        require_at(group.where, what != "material" || is_new, "the body '{}' is made of two materials, '{}' and '{}'",
                   body, other->second, group.name);
      }
    for (const ContactGroup& group : groups)
      require_at(group.where, what != "group" || std::find(known.begin(), known.end(), group.name) == known.end(),
                 "the group '{}' of contacts has the name of a body", group.name);
  }

  void check_pair_laws() const {
    std::vector<std::string> known;
    for (const ContactGroup& m : rules_.materials) known.push_back(m.name);
    std::set<std::pair<std::string, std::string>> seen;
    for (const ContactRule& law : rules_.pair_laws) {
      for (const std::string& name : {law.body, law.other})
        require_at(law.where, std::find(known.begin(), known.end(), name) != known.end(),
                   "{} names the material '{}', which does not exist{}", law.name, name, suggestion(name, known));
      require_at(law.where, seen.insert({std::min(law.body, law.other), std::max(law.body, law.other)}).second,
                 "there are two laws for the materials '{}' and '{}'", law.body, law.other);
    }
  }

  // ---- contacts -----------------------------------------------------------------------------------------------------
  /// The common form of all contacts: the gap, and the speeds that friction resists.
  struct Geometry {
    Expr gap;
    std::vector<Expr> slip, roll, spin;
    /// Where the forces act: on `point` along `normal` and the tangents, the opposite on `reference`; torques against rolling
    /// and spinning on `frame`, the opposite on `other`. Not valid: unknown.
    PointId point{}, reference{};
    PointId slip_point{}, slip_reference{};
    FrameId frame{}, other{};
    Vector normal{};
    PointId touch{};            ///< where that is
    std::string body, partner;  ///< the two sides
    bool flipped = false;       ///< friction acts on the second one
    std::vector<Vector> slip_along{}, roll_along{}, spin_along{};
  };

  void lower(const ContactRule& rule) {
    const std::string what = fmt::format("the contact '{}'", rule.name);
    using Kind = ContactRule::Kind;
    if (rule.kind == Kind::Joint) return lower_limits(rule, what);
    if (rule.kind == Kind::Between || rule.kind == Kind::All) return lower_contact_pairs(c_, rule);
    if (rule.kind == Kind::Pin) return lower_pin(rule, what);
    if (rule.kind == Kind::Slot) return lower_slot(rule, what);
    if (rule.kind == Kind::Gear) return lower_backlash(rule, what);
    if (rule.kind == Kind::Box || rule.kind == Kind::Cylinder || rule.kind == Kind::Capsule)
      return lower_shape(rule, what);
    add_contact(rule, rule.name, geometry(rule, what), what);
  }

  /// The limits of a joint as the user's contact describes them.
  void lower_limits(const ContactRule& rule, const std::string& what) {
    if (!c_.mechanism.stops) return;
    const auto& joints = c_.mechanism.joints;
    const auto joint = std::find_if(joints.begin(), joints.end(), [&](const Joint& j) { return j.name == rule.joint; });
    if (joint == joints.end()) {
      std::vector<std::string> known;
      for (const Joint& j : joints) known.push_back(j.name);
      throw ModelError(fmt::format("{} names the joint '{}', which does not exist{}", what, rule.joint,
                                   suggestion(rule.joint, known)));
    }
    const auto number = static_cast<std::size_t>(joint - joints.begin());
    bool some = false;
    for (std::size_t i = 0; i < joint->motions.size(); ++i) some = add_stops(rule, number, i, what) || some;
    require(some, "{} is made of the limits of the joint '{}', which has none", what, rule.joint);
    described_.insert(rule.joint);
  }

  /// The limits of a joint that no contact describes: rigid stops. (Compliant ones are loads.)
  void lower_stops(std::size_t number) {
    const Joint& joint = c_.mechanism.joints[number];
    if (!c_.mechanism.stops || described_.contains(joint.name)) return;
    for (std::size_t i = 0; i < joint.motions.size(); ++i) {
      if (!joint.motions[i].law.has_rigid_stops()) continue;
      ContactRule rule;
      rule.name = rule.joint = joint.name;
      rule.kind = ContactRule::Kind::Joint;
      if (!joint.motions[i].law.restitution.is_zero()) rule.restitution = Quantity(joint.motions[i].law.restitution);
      rule.where = joint.where;
      add_stops(rule, number, i, fmt::format("the stop of the joint '{}'", joint.name));
    }
  }

  bool add_stops(const ContactRule& rule, std::size_t joint, std::size_t i, const std::string& what) {
    const Joint& given = c_.mechanism.joints[joint];
    const AxisLaw& law = given.motions[i].law;
    const LoweredMotion* motion = motion_of(joint, i);
    if (motion == nullptr || !law.limited()) return false;
    require(law.stop_stiffness.is_zero(), "{} is about the limits of the joint '{}', which have a stiffness already",
            what, given.name);
    const std::string own = given.closing ? given.name : given.motions[i].coordinates.front().name();
    std::string stem = rule.name;
    if (given.motions.size() > 1) stem += given.closing ? fmt::format(".{}", i + 1) : "." + own;
    if (law.lower) add_stop(rule, stem + ".lower", motion->value - *law.lower, own, what);
    if (law.upper) add_stop(rule, stem + ".upper", *law.upper - motion->value, own, what);
    return true;
  }

  void add_stop(const ContactRule& rule, const std::string& name, const Expr& gap, const std::string& coordinate,
                const std::string& what) {
    Geometry g;
    g.gap = s_.graph().bind(gap);
    add_contact(rule, name, g, what);
    out_.contacts.back().coordinate = coordinate;
    out_.contacts.back().located = true;  // inside the joint
  }

  /// A motion along which something can act; nullptr: it is locked, or has no single axis.
  [[nodiscard]] const LoweredMotion* motion_of(std::size_t joint, std::size_t i) const {
    const ElementaryMotion& given = c_.mechanism.joints[joint].motions[i];
    if (!given.free || given.kind == MotionKind::Ball) return nullptr;
    const LoweredJoint& lowered = c_.lowered.joints[joint];
    if (!lowered.closing) return &lowered.motions[i];
    const auto measured = lowered.measured.find(i);
    return measured == lowered.measured.end() ? nullptr : &measured->second;
  }

  // ---- play ---------------------------------------------------------------------------------------------------------
  /// The body that a point belongs to, or the ground.
  [[nodiscard]] FrameId carrier(const std::string& point) const {
    const auto& points = c_.mechanism.points;
    const auto own = std::find_if(points.begin(), points.end(), [&](auto& p) { return p.name == point; });
    if (own != points.end()) return names_.frame(own->on);
    const auto body = c_.lowered.body_frames.find(point.substr(0, point.find('.')));
    return body != c_.lowered.body_frames.end() ? body->second : s_.inertial();
  }

  /// The body by whose name that point or frame goes; "": none.
  [[nodiscard]] std::string body_named(const std::string& point) const {
    const auto& points = c_.mechanism.points;
    const auto own = std::find_if(points.begin(), points.end(), [&](auto& p) { return p.name == point; });
    if (own != points.end()) return own->on;
    const std::string body = point.substr(0, point.find('.'));
    return c_.lowered.body_frames.contains(body) ? body : c_.mechanism.ground;
  }

  // The pin's centre is at e from the hole's, across the axis. The gap is c - |e|; written as (c^2 - e.e)/(2 c), which
  // vanishes with it, has the same gradient there, -e/c, and is smooth in the middle of the hole, too.
  void lower_pin(const ContactRule& rule, const std::string& what) {
    const PointId pin = names_.point(rule.body), hole = names_.point(rule.other);
    require(pin != hole, "{} is between the point '{}' and itself", what, rule.body);
    const Vector a = axis(rule, what);
    const Expr c = size(rule.clearance, "clearance", what), r = size(rule.radius, "radius", what, true);
    const Vector span = s_.position(pin, hole), e = span - s_.dot(span, a) * a;
    Geometry g;
    g.gap = (c * c - s_.dot(e, e)) / (2 * c);
    g.normal = (-1 / c) * e;
    g.frame = carrier(rule.body), g.other = carrier(rule.other);
    const std::string name = point_name(rule);
    const PointId touch = s_.add_point(name, pin, (r / c) * e);
    g.touch = touch, g.body = body_named(rule.body), g.partner = body_named(rule.other);
    g.point = g.slip_point = s_.add_point_of(name + ".pin", g.frame, touch);
    g.reference = g.slip_reference = s_.add_point_of(name + ".hole", g.other, touch);
    const Vector slip = s_.velocity(g.point) - s_.velocity(g.reference);
    for (const Vector& along : {s_.cross(a, (1 / c) * e), a}) {
      const Expr speed = s_.dot(slip, along);
      if (!speed.is_zero()) g.slip.push_back(speed), g.slip_along.push_back(along);
    }
    add_contact(rule, rule.name, g, what);
  }

  void lower_slot(const ContactRule& rule, const std::string& what) {
    const PointId point = names_.point(rule.body), middle = names_.point(rule.other);
    require(point != middle, "{} is between the point '{}' and itself", what, rule.body);
    const Vector a = axis(rule, what);
    const Expr c = size(rule.clearance, "clearance", what);
    ContactRule wall = rule;
    wall.reference = rule.other;
    for (const int side : {-1, 1}) {
      Geometry g;
      const Vector n = side * a;
      g.gap = c + s_.dot(s_.position(point, middle), n);
      fill_motion(g, rule, n, s_.velocity(point) - plane_motion(wall, n, s_.position(point)).velocity, std::nullopt);
      place_on_plane(g, wall, n, point, point);
      add_contact(rule, rule.name + (side < 0 ? ".upper" : ".lower"), g, what);
    }
  }

  void lower_backlash(const ContactRule& rule, const std::string& what) {
    const auto coordinate = [&](const std::string& name) {
      const auto& q = s_.coordinates();
      const auto known = std::find_if(q.begin(), q.end(), [&](const Expr& e) { return e.name() == name; });
      if (known != q.end()) return *known;
      std::vector<std::string> names;
      for (const Expr& e : q) names.push_back(e.name());
      throw ModelError(
          fmt::format("{} is between coordinates, but '{}' is not one{}", what, name, suggestion(name, names)));
    };
    const Expr q1 = coordinate(rule.body), q2 = coordinate(rule.other);
    require(!(q1 == q2), "{} is between the coordinate '{}' and itself", what, rule.body);
    const Expr ratio = scalar(rule.ratio, "the ratio of " + what, Expr(1));
    const Expr play = q2 - ratio * q1 - scalar(rule.offset, "the offset of " + what);
    const Expr half = size(rule.clearance, "backlash", what) / 2;
    Geometry g;
    for (const int side : {-1, 1}) {
      g.gap = s_.graph().bind(half + side * play);
      add_contact(rule, rule.name + (side < 0 ? ".upper" : ".lower"), g, what);
      out_.contacts.back().located = true;  // along the joints themselves
    }
  }

  [[nodiscard]] Geometry geometry(const ContactRule& rule, const std::string& what) const {
    using Kind = ContactRule::Kind;
    Geometry g;
    if (rule.kind == Kind::Gap) {
      g.gap = read_scalar(rule.gap, c_.scope(), "the gap of " + what);
      for (const Quantity& q : rule.slip) g.slip.push_back(read_scalar(q, c_.scope(), "the sliding speed of " + what));
      require(g.slip.size() <= 2, "{} has {} sliding speeds; a contact has two at most", what, g.slip.size());
      return g;
    }
    const PointId centre = names_.point(rule.at.empty() ? rule.body : rule.at);
    if (rule.kind == Kind::Spheres) return spheres(rule, centre, what);
    const Vector n = normal(rule, what);
    if (rule.kind == Kind::Point) {
      g.gap = height(rule, s_.position(centre), n, what);
      fill_motion(g, rule, n, s_.velocity(centre) - plane_motion(rule, n, s_.position(centre)).velocity, std::nullopt);
      place_on_plane(g, rule, n, centre, centre);
      return g;
    }
    if (rule.kind == Kind::Disk) return round_edge(rule, n, Vector(), what);
    const Expr r = size(rule.radius, "radius", what);
    return at_arm(rule, n, -(r * n), what);
  }

  [[nodiscard]] Vector normal(const ContactRule& rule, const std::string& what) const {
    return unit_along(s_, read_vector(rule.plane, c_.scope(), "the plane of " + what));
  }

  /// The gap of a point at `position` from the ground's origin, above the plane.
  [[nodiscard]] Expr height(const ContactRule& rule, const Vector& position, const Vector& n,
                            const std::string& what) const {
    const Vector origin = rule.reference.empty() ? Vector() : s_.position(names_.point(rule.reference));
    return s_.dot(position - origin, n) - scalar(rule.height, "the height of " + what);
  }

  /// Contact of the body's point that is now at `arm` from the centre.
  [[nodiscard]] Geometry at_arm(const ContactRule& rule, const Vector& n, const Vector& arm,
                                const std::string& what) const {
    const PointId centre = names_.point(rule.at.empty() ? rule.body : rule.at);
    Geometry g;
    g.gap = height(rule, s_.position(centre) + arm, n, what);
    const Vector omega = s_.angular_velocity(names_.frame(rule.body));
    const PlaneMotion plane = plane_motion(rule, n, s_.position(centre) + arm);
    fill_motion(g, rule, n, s_.velocity(centre) + s_.cross(omega, arm) - plane.velocity, omega - plane.omega);
    g.frame = names_.frame(rule.body);
    const std::string name = point_name(rule);
    const PointId touch = s_.add_point(name, centre, arm);
    place_on_plane(g, rule, n, touch, s_.add_point_of(name + ".body", g.frame, touch));
    return g;
  }

  /// The forces at `touch` act on the body's `point` there, and on the plane's matter at the same place.
  void place_on_plane(Geometry& g, const ContactRule& rule, const Vector& n, PointId touch, PointId point) const {
    g.normal = n;
    g.point = g.slip_point = point;
    g.touch = touch, g.body = body_named(rule.body), g.partner = c_.mechanism.ground;
    if (!rule.reference.empty()) g.partner = body_named(rule.reference);
    const bool turns = n.terms().size() == 1 && n.terms().front().frame != s_.inertial();
    g.other = turns ? n.terms().front().frame : s_.inertial();
    for (const auto& [name, frame] : c_.lowered.body_frames)
      if (turns && frame == g.other) g.partner = name;
    if (turns)
      g.reference = s_.add_point_of(point_name(rule) + ".plane", g.other, touch);
    else
      g.reference = rule.reference.empty() ? s_.origin() : names_.point(rule.reference);
    g.slip_reference = g.reference;
  }

  [[nodiscard]] std::string point_name(const ContactRule& rule) const {
    return fmt::format("{}.touch{}", rule.name, s_.points().size());
  }

  /// Velocity of the plane's own matter at a place: it moves with the reference point and turns with its normal.
  struct PlaneMotion {
    Vector velocity, omega;
  };
  [[nodiscard]] PlaneMotion plane_motion(const ContactRule& rule, const Vector& n, const Vector& place) const {
    PlaneMotion m;
    Vector arm = place;
    if (!rule.reference.empty()) {
      const PointId reference = names_.point(rule.reference);
      m.velocity = s_.velocity(reference);
      arm = place - s_.position(reference);
    }
    if (n.terms().size() != 1 || n.terms().front().frame == s_.inertial()) return m;
    m.omega = s_.angular_velocity(n.terms().front().frame);
    m.velocity = m.velocity + s_.cross(m.omega, arm);
    return m;
  }

  /// The lowest point of a circle around `middle` (from the centre): along -(n - (n.a) a), steepest down in its plane.
  [[nodiscard]] Geometry round_edge(const ContactRule& rule, const Vector& n, const Vector& middle,
                                    const std::string& what) const {
    const Vector a = axis(rule, what);
    const Expr r = size(rule.radius, "radius", what);
    const Vector steepest = n - s_.dot(n, a) * a;
    require(!steepest.is_zero(), "the axis of {} is always normal to the plane, so that no point of the edge is lowest",
            what);
    return at_arm(rule, n, middle - (r / s_.magnitude(steepest)) * steepest, what);
  }

  [[nodiscard]] Vector axis(const ContactRule& rule, const std::string& what) const {
    return unit_along(s_, read_vector(rule.axis, c_.scope(), "the axis of " + what));
  }

  /// Contacts of shapes that touch a plane at several places. Places with the same gap (in a plane system) count once.
  void lower_shape(const ContactRule& rule, const std::string& what) {
    using Kind = ContactRule::Kind;
    const Vector n = normal(rule, what);
    std::vector<Geometry> places;
    const auto add = [&](const Geometry& g) {
      if (std::none_of(places.begin(), places.end(), [&](const Geometry& known) { return known.gap == g.gap; }))
        places.push_back(g);
    };
    if (rule.kind == Kind::Box) {
      Expr3 half;
      for (std::size_t k = 0; k < 3; ++k) half[k] = size(rule.size[k], "size", what) / 2;
      // Corners with the same gap count once, in the middle between them.
      struct Corners {
        Expr gap;
        Expr3 sum;
        int count;
      };
      std::vector<Corners> all;
      const Vector centre = s_.position(names_.point(rule.at.empty() ? rule.body : rule.at));
      for (int corner = 0; corner < 8; ++corner) {
        Expr3 c;
        for (std::size_t k = 0; k < 3; ++k) c[k] = (corner >> k & 1) != 0 ? half[k] : -half[k];
        const Expr gap = height(rule, centre + Vector(names_.frame(rule.body), c), n, what);
        const auto same = std::find_if(all.begin(), all.end(), [&](const Corners& known) { return known.gap == gap; });
        if (same == all.end())
          all.push_back({gap, c, 1});
        else
          same->sum = kane::add(same->sum, c), ++same->count;
      }
      for (const Corners& corners : all)
        add(at_arm(rule, n, Vector(names_.frame(rule.body), scale(Expr(1) / corners.count, corners.sum)), what));
    } else {
      const Expr half = size(rule.length, "length", what) / 2;
      for (const int side : {-1, 1}) {
        const Vector end = (side * half) * axis(rule, what);
        add(rule.kind == Kind::Cylinder ? round_edge(rule, n, end, what)
                                        : at_arm(rule, n, end - size(rule.radius, "radius", what) * n, what));
      }
    }
    for (std::size_t i = 0; i < places.size(); ++i)
      add_contact(rule, fmt::format("{}.{}", rule.name, i + 1), places[i], what);
  }

  /// Two directions across a normal that may turn anywhere: across the axis it never has a component along (in a plane), else
  /// across x or y, whichever is farther from it just now. (Where that changes the tangents turn, and nothing else.)
  [[nodiscard]] std::pair<Vector, Vector> tangents(const Vector& n) const {
    const FrameId frame = n.terms().front().frame;
    const Expr3 a = s_.frames().express(n, frame);
    if (std::all_of(a.begin(), a.end(), [&](const Expr& e) { return is_constant(e, s_); }))
      return across(n, c_.mechanism, s_);
    const auto never = std::find_if(a.begin(), a.end(), [](const Expr& e) { return e.is_zero(); });
    const Expr3 x{1, 0, 0}, y{0, 1, 0};
    Expr3 b;
    if (never != a.end()) {
      Expr3 e;
      e[at(never - a.begin())] = 1;
      b = cross(a, e);
    } else {
      const Expr3 bx = cross(a, x), by = cross(a, y);
      for (std::size_t k = 0; k < 3; ++k) b[k] = select(less(a[0] * a[0], Expr(1) / 2), bx[k], by[k]);
    }
    const Expr3 first = scale(1 / sqrt(s_.graph().bind(dot(b, b))), b);
    return {Vector(frame, first), Vector(frame, cross(a, first))};
  }

  /// The direction `along` which friction has its first coefficient, and the one across it.
  [[nodiscard]] std::pair<Vector, Vector> grain(const ContactRule& rule, const Vector& n) const {
    const std::string what = fmt::format("the contact '{}'", rule.name);
    const Vector a = read_vector(rule.along, c_.scope(), "the direction 'along' of " + what);
    const Vector flat = a - s_.dot(a, n) * n;
    require(!flat.is_zero(), "the direction 'along' of {} is normal to what it touches", what);
    const Vector first = unit_along(s_, flat);
    return {first, s_.cross(n, first)};
  }

  [[nodiscard]] Expr ratio_across(const ContactRule& rule) const {
    const std::string what = fmt::format("the contact '{}'", rule.name);
    return size(rule.friction_across, "friction across", what) / size(rule.friction, "friction along", what);
  }

  /// Speeds along and about the normal. Those that are always zero (in a plane) are left out.
  ///
  /// Friction with different coefficients along and across a direction has an elliptic cone, (p1/mu1)^2 + (p2/mu2)^2 <= N^2, and
  /// its force is that of the largest dissipation: p_i = -mu_i^2 v_i N / |(mu1 v1, mu2 v2)|. With s = mu2/mu1 and the row s v2
  /// instead of v2, whose force is p2/s, both are those of a round cone with mu1.
  void fill_motion(Geometry& g, const ContactRule& rule, const Vector& n, const Vector& velocity,
                   const std::optional<Vector>& omega) const {
    const auto [t1, t2] = rule.along.empty() ? tangents(n) : grain(rule, n);
    const Expr across = rule.along.empty() ? Expr(1) : ratio_across(rule);
    const auto add = [&](std::vector<Expr>& speeds, std::vector<Vector>& directions, const Vector& v,
                         const Vector& along) {
      const Expr speed = s_.dot(v, along);
      if (!speed.is_zero()) speeds.push_back(speed), directions.push_back(along);
    };
    add(g.slip, g.slip_along, velocity, t1), add(g.slip, g.slip_along, velocity, across * t2);
    if (!omega) return;
    add(g.roll, g.roll_along, *omega, t1), add(g.roll, g.roll_along, *omega, t2);
    add(g.spin, g.spin_along, *omega, n);
  }

  [[nodiscard]] Geometry spheres(const ContactRule& rule, PointId centre, const std::string& what) const {
    const PointId other = names_.point(rule.other);
    const Vector between = s_.position(centre, other);
    require(!between.is_zero(), "the two balls of {} have the same centre", what);
    Geometry g;
    g.point = centre, g.reference = other, g.normal = unit_along(s_, between);
    g.body = body_named(rule.body), g.partner = body_named(rule.other), g.flipped = true;
    g.touch = s_.add_point(point_name(rule), centre, -(size(rule.radius, "radius", what) * g.normal));
    if (!rule.friction.empty() || !rule.rolling_friction.empty() || !rule.spinning_friction.empty())
      fill_ball_motion(g, rule, centre, other, unit_along(s_, s_.position(other, centre)), what);
    // Balls on one line (a cradle) keep their order: the distance along it has no root.
    const auto& terms = between.terms();
    const Expr sum = size(rule.radius, "radius", what) + size(rule.other_radius, "radius", what);
    if (terms.size() == 1) {
      const Expr3& c = terms.front().c;
      const auto zeros = std::count_if(c.begin(), c.end(), [](const Expr& e) { return e.is_zero(); });
      const auto axis = std::find_if(c.begin(), c.end(), [](const Expr& e) { return !e.is_zero(); });
      if (zeros == 2) {
        const double sign = initial_value(*axis, c_.mechanism);
        g.gap = (sign < 0 ? -*axis : *axis) - sum;
        return g;
      }
    }
    g.gap = s_.magnitude(between) - sum;
    return g;
  }

  /// Velocities of the points where two balls touch, n from the first to the second: centre + r n and other - r n.
  void fill_ball_motion(Geometry& g, const ContactRule& rule, PointId centre, PointId other, const Vector& n,
                        const std::string& what) const {
    const auto turning = [&](const std::string& point) -> FrameId {
      const auto body = c_.lowered.body_frames.find(point.substr(0, point.find('.')));
      require(body != c_.lowered.body_frames.end(),
              "{} has friction, and '{}' is not a body whose rotation is known; name the bodies themselves", what,
              point);
      return body->second;
    };
    g.other = turning(rule.body), g.frame = turning(rule.other);  // speeds are those of the second against the first
    const Vector w1 = s_.angular_velocity(g.other), w2 = s_.angular_velocity(g.frame);
    const Expr r1 = size(rule.radius, "radius", what), r2 = size(rule.other_radius, "radius", what);
    const Vector v1 = s_.velocity(centre) + s_.cross(w1, r1 * n), v2 = s_.velocity(other) - s_.cross(w2, r2 * n);
    fill_motion(g, rule, n, v2 - v1, w2 - w1);
    const std::string name = point_name(rule);
    const PointId touch = s_.add_point(name, centre, r1 * n);
    g.slip_point = s_.add_point_of(name + ".second", g.frame, touch);
    g.slip_reference = s_.add_point_of(name + ".first", g.other, touch);
  }

  /// Sizes, stiffness: numbers that make sense, as far as parameters tell.
  [[nodiscard]] Expr size(const Quantity& q, const std::string& of, const std::string& what, bool zero = false) const {
    const Expr e = scalar(q, fmt::format("the {} of {}", of, what));
    if (q.empty() || !is_constant(e, s_)) return e;
    const double value = initial_value(e, c_.mechanism);
    require_at(q.where, value > 0 || (zero && value == 0), "the {} of {} is {}; it must be {}", of, what, value,
               zero ? "zero or more" : "positive");
    return e;
  }

  /// Whether anything that moves can change it.
  [[nodiscard]] bool moves(const Expr& e) const {
    if (e.graph() == nullptr) return false;
    const std::vector<Expr> symbols = symbols_of({&e, 1});
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](const Expr& s) { return s_.find_kind(s.name()) == SymbolKind::Coordinate; });
  }

  void add_contact(const ContactRule& rule, const std::string& name, const Geometry& g, const std::string& what) {
    const bool fixed = !moves(g.gap) && is_constant(g.gap, s_);
    require(moves(g.gap) || !fixed,
            "the gap of {} is always {:.6g} m: no coordinate moves the parts that should touch. Give the joint the "
            "motion along "
            "which it comes and goes (another type, or one axis more), or leave the contact out",
            what, fixed ? initial_value(g.gap, c_.mechanism) : 0.0);
    require(moves(g.gap),
            "the gap of {} depends on time or inputs only: no coordinate moves the parts that should touch, so no "
            "force can keep "
            "it open",
            what);
    add_gap(name, g.gap);
    if (g.point.valid()) c_.lowered.actions.push_back({name, g.point, g.reference, {}, {}, g.normal});
    LoweredSwitching::Contact contact;
    contact.located = g.point.valid();
    contact.name = contact.row = name;
    contact.restitution = scalar(rule.restitution, "the restitution of " + what);
    contact.law = rule.law, contact.phases = rule.phases;
    contact.adhesion = size(rule.adhesion, "adhesion", what, true);
    if (!rule.stiffness.empty()) contact.stiffness = size(rule.stiffness, "stiffness", what);
    contact.dissipation = size(rule.dissipation, "dissipation", what, true);
    if (!rule.damping.empty()) contact.damping = size(rule.damping, "damping", what, true), contact.linear = true;
    if (g.touch.valid()) {
      const auto in_ground = [&](const Vector& v) { return s_.frames().express(v, s_.inertial()); };
      contact.place = {g.body, g.partner, in_ground(s_.position(g.touch)), in_ground(g.normal), {}};
      for (const Vector& along : g.slip_along)
        if (!rule.friction.empty()) contact.place->across.push_back(in_ground(g.flipped ? -along : along));
    }
    out_.contacts.push_back(contact);
    const auto resist = [&](const std::vector<Expr>& speeds, const std::vector<Vector>& along,
                            const std::string& suffix, const Quantity& kinetic, const Quantity& stiction) {
      if (kinetic.empty()) return;
      const std::string of = fmt::format("the {} of {}", suffix, what);
      require(!speeds.empty(), "{} has friction, but nothing can slide there; give 'slip'", what);
      LoweredSwitching::Friction f{name + "." + suffix, {}, name, read_scalar(kinetic, c_.scope(), of), {}};
      f.stiction = scalar(stiction, of, f.kinetic);
      for (std::size_t i = 0; i < speeds.size(); ++i) {
        f.rows.push_back(speeds.size() == 1 ? f.name : fmt::format("{}{}", f.name, i + 1));
        add_speed(f.rows.back(), speeds[i]);
        if (!g.point.valid()) continue;
        if (suffix == "friction")
          c_.lowered.actions.push_back({f.rows.back(), g.slip_point, g.slip_reference, {}, {}, along[i]});
        else
          c_.lowered.actions.push_back({f.rows.back(), {}, {}, g.frame, g.other, along[i]});
      }
      out_.frictions.push_back(std::move(f));
    };
    resist(g.slip, g.slip_along, "friction", rule.friction, rule.static_friction);
    if (!g.roll.empty()) resist(g.roll, g.roll_along, "rolling", rule.rolling_friction, {});
    if (!g.spin.empty()) resist(g.spin, g.spin_along, "spinning", rule.spinning_friction, {});
  }

  // ---- dry friction ---------------------------------------------------------------------------------------------------
  void lower(const FrictionRule& rule) {
    const std::string what = fmt::format("the friction '{}'", rule.name);
    const Expr kinetic = read_scalar(rule.limit, c_.scope(), "the limit of " + what);
    const Expr stiction = scalar(rule.stiction, "the stiction of " + what, kinetic);
    if (!rule.joint.empty()) {
      add_joint_friction(rule.joint, rule.name, kinetic, stiction);
      return;
    }
    require(rule.slip.size() == 1 || rule.slip.size() == 2, "{} resists one or two speeds, not {}", what,
            rule.slip.size());
    LoweredSwitching::Friction f{rule.name, {}, "", kinetic, stiction};
    for (std::size_t i = 0; i < rule.slip.size(); ++i) {
      f.rows.push_back(rule.slip.size() == 1 ? rule.name : fmt::format("{}{}", rule.name, i + 1));
      add_speed(f.rows.back(), read_scalar(rule.slip[i], c_.scope(), "the sliding speed of " + what));
    }
    out_.frictions.push_back(std::move(f));
  }

  void add_joint_friction(const std::string& joint, const std::string& name, const Expr& kinetic,
                          const Expr& stiction) {
    const auto& joints = c_.lowered.joints;
    const auto lowered =
        std::find_if(joints.begin(), joints.end(), [&](const LoweredJoint& j) { return j.name == joint; });
    require(lowered != joints.end(), "the friction '{}' names the joint '{}', which does not exist", name, joint);
    std::size_t number = 0;
    for (const LoweredMotion& motion : lowered->motions) {
      if (!motion.free || motion.kind == MotionKind::Ball) continue;
      const std::string row = number++ == 0 ? name : fmt::format("{}{}", name, number);
      add_speed(row, motion.rate);
      out_.frictions.push_back({row, {row}, "", kinetic, stiction});
    }
    require(number > 0, "the joint '{}' of the friction '{}' has no axis along which friction could act", joint, name);
  }

  /// `friction` of the joints' own axes, and of loads on them.
  void lower_axis_friction() {
    for (std::size_t j = 0; j < c_.mechanism.joints.size(); ++j) {
      const Joint& joint = c_.mechanism.joints[j];
      for (std::size_t i = 0; i < joint.motions.size(); ++i)
        add_axis_friction(
            j, i, joint.motions[i].law,
            joint.motions.size() == 1 ? joint.name + ".friction" : fmt::format("{}.friction{}", joint.name, i + 1));
    }
    for (const Load& load : c_.mechanism.loads) {
      const auto* law = std::get_if<JointLoad>(&load.what);
      if (law == nullptr) continue;
      for (std::size_t j = 0; j < c_.mechanism.joints.size(); ++j)
        if (c_.mechanism.joints[j].name == law->joint)
          add_axis_friction(j, at(law->motion), law->law, load.name + ".friction");
    }
  }

  void add_axis_friction(std::size_t joint, std::size_t motion, const AxisLaw& law, const std::string& name) {
    if (law.friction.is_zero()) return;
    const LoweredMotion* lowered = motion_of(joint, motion);
    if (lowered == nullptr) return;
    add_speed(name, lowered->rate);
    const Expr limit = s_.graph().bind(law.friction);
    out_.frictions.push_back({name, {name}, "", limit, limit});
  }

  void lower(const HandleRule& rule) {
    const std::string what = fmt::format("the handle '{}'", rule.name), row = "handle." + rule.name;
    add_gap(row, read_scalar(rule.position, c_.scope(), "the position of " + what));
    out_.handles.push_back({rule.name, row, scalar(rule.stiffness, "the stiffness of " + what),
                            scalar(rule.damping, "the damping of " + what)});
  }

  // ---- modes and rules ------------------------------------------------------------------------------------------------
  void collect_groups() {
    for (const auto& constraint : s_.constraints())
      groups_.insert(constraint.group.empty() ? constraint.name : constraint.group);
  }

  void check_groups(const std::vector<std::string>& groups, const std::string& what) const {
    for (const std::string& group : groups)
      if (!groups_.contains(group))
        throw ModelError(fmt::format("{} names the constraint '{}', which does not exist{}", what, group,
                                     suggestion(group, {groups_.begin(), groups_.end()})));
  }

  void check_mode(const std::string& mode, const std::string& what) const {
    std::vector<std::string> known;
    for (const ModeRule& rule : rules_.modes) known.push_back(rule.name);
    if (std::find(known.begin(), known.end(), mode) == known.end())
      throw ModelError(fmt::format("{} is '{}', which is not a mode{}", what, mode, suggestion(mode, known)));
  }

  void lower(const ModeRule& rule) {
    check_groups(rule.active, fmt::format("the mode '{}'", rule.name));
    out_.modes.push_back({rule.name, rule.active});
  }

  void lower(const SwitchRule& rule) {
    const std::string what = fmt::format("the event '{}'", rule.name);
    LoweredSwitching::Switch lowered{{}, rule.force, rule.squared};
    SwitchEquation& e = lowered.equation;
    e.name = rule.name;
    e.guard = read_scalar(rule.when, c_.scope(), "the condition of " + what);
    require(
        !rule.force.empty() || !is_constant(e.guard, s_),
        "the condition of {} is always {:.6g}, so that it never changes its sign; write an expression of coordinates, "
        "speeds or time",
        what, rule.force.empty() && is_constant(e.guard, s_) ? initial_value(e.guard, c_.mechanism) : 0.0);
    e.direction = rule.direction;
    e.impose = rule.impose;
    e.release = rule.release;
    e.from = rule.from;
    e.to = rule.to;
    e.stop = rule.stop;
    check_groups(rule.impose, what);
    check_groups(rule.release, what);
    if (!rule.force.empty()) check_groups({rule.force}, what);
    if (!rule.from.empty()) check_mode(rule.from, "the mode before " + what);
    if (!rule.to.empty()) check_mode(rule.to, "the mode after " + what);
    for (const SwitchRule::Reset& reset : rule.resets) {
      const std::string value = fmt::format("the new value of {} of {}", reset.name, what);
      e.resets.push_back(
          {state_index(reset.name, reset.value.where, what), read_scalar(reset.value, c_.scope(), value)});
      check_reset_dimension(reset, value);
    }
    out_.switches.push_back(std::move(lowered));
  }

  void check_reset_dimension(const SwitchRule::Reset& reset, const std::string& value) const {
    const QuantityScope scope = c_.scope();
    const auto own = scope.definitions != nullptr ? scope.definitions->dimension(reset.name).certain() : std::nullopt;
    if (!own) return;
    const Dimensional given = read_quantity(reset.value, scope, value).dimension;
    require_at(reset.value.where, given.fits(*own), "{} is given {} ('{}'), but {} is {}", value,
               given_words(given.dimension), InfixText::printable(reset.value.text), reset.name, given_words(*own));
  }

  [[nodiscard]] int state_index(const std::string& name, const Where& where, const std::string& what) const {
    std::vector<std::string> known;
    for (const Expr& q : s_.coordinates()) known.push_back(q.name());
    for (const StateRecord& x : s_.states()) known.push_back(x.symbol.name());  // as in EquationsOfMotion::q
    for (const SpeedRecord& u : s_.speeds()) known.push_back(u.symbol.name());
    const auto found = std::find(known.begin(), known.end(), name);
    require_at(where, found != known.end(), "{} resets '{}', which is not a coordinate, speed or state{}", what, name,
               suggestion(name, known));
    return static_cast<int>(found - known.begin());
  }

  const LoweringContext& c_;
  const Switching& rules_;
  System& s_;
  const ModelNames& names_;
  LoweredSwitching& out_;
  std::set<std::string> groups_;
  std::set<std::string> described_;  ///< joints whose limits are a contact of the user
};

/// Rate of the gap, A u + b.
Expr gap_rate(const ConstraintEquation& row, const std::vector<Expr>& u) {
  Expr rate = row.b;
  for (std::size_t i = 0; i < u.size(); ++i) rate += row.a[i] * u[i];
  return rate;
}

/// A spring and a damper: N = k d + c d', d = -gap where that is positive, and never pulling.
Expr linear_force(const ConstraintEquation& row, const std::vector<Expr>& u, const Expr& stiffness,
                  const Expr& damping) {
  const Expr depth = max(-*row.phi, Expr(0));
  return select(less(Expr(0), depth), max(stiffness * depth - damping * gap_rate(row, u), Expr(0)), Expr(0));
}

/// Hunt and Crossley (1975): N = k d^(3/2) (1 + 3/2 c d'), d = -gap where that is positive, and never pulling.
Expr hunt_crossley(const ConstraintEquation& row, const std::vector<Expr>& u, const Expr& stiffness,
                   const Expr& dissipation) {
  const Expr rate = gap_rate(row, u), depth = max(-*row.phi, Expr(0));
  return max(stiffness * depth * sqrt(depth) * (1 - Expr(3) / 2 * dissipation * rate), Expr(0));
}

}  // namespace

void lower_switching(const LoweringContext& context) { SwitchingLowering(context).run(); }

void complete_switching(const LoweredMechanism& lowered, EquationsOfMotion& e) {
  const LoweredSwitching& from = lowered.switching;
  if (from.empty()) return;
  const Substitution to_speeds = form_kinematical_equations(lowered.system).rates_to_speeds;
  const auto row_of = [&](const std::string& name) {
    const auto row =
        std::find_if(e.constraints.begin(), e.constraints.end(), [&](const auto& c) { return c.name == name; });
    ensure(row != e.constraints.end(), "the row '{}' was lost", name);
    return static_cast<int>(row - e.constraints.begin());
  };
  const auto in_speeds = [&](const Expr& value) { return substitute(e.graph->bind(value), to_speeds); };
  for (const auto& c : from.contacts) {
    ContactEquation contact{c.name,       row_of(c.row), in_speeds(c.restitution), c.law, std::nullopt,
                            c.coordinate, c.located};
    contact.place = c.place;
    contact.phases = c.phases, contact.adhesion = in_speeds(c.adhesion);
    if (contact.place) {
      for (Expr3* v : {&contact.place->point, &contact.place->normal})
        for (Expr& x : *v) x = in_speeds(x);
      for (Expr3& v : contact.place->across)
        for (Expr& x : v) x = in_speeds(x);
    }
    if (c.stiffness)
      contact.force =
          c.linear ? linear_force(e.constraints[at(contact.normal)], e.u, in_speeds(*c.stiffness), in_speeds(c.damping))
                   : hunt_crossley(e.constraints[at(contact.normal)], e.u, in_speeds(*c.stiffness),
                                   in_speeds(c.dissipation));
    if (contact.force && !contact.adhesion.is_zero()) {
      const Expr depth = -*e.constraints[at(contact.normal)].phi;
      contact.force = *contact.force - select(less(Expr(0), depth), contact.adhesion, Expr(0));
    }
    e.contacts.push_back(std::move(contact));
  }
  for (const auto& f : from.frictions) {
    FrictionEquation friction{f.name, {}, -1, in_speeds(f.kinetic), in_speeds(f.stiction)};
    for (const std::string& row : f.rows) friction.rows.push_back(row_of(row));
    for (std::size_t k = 0; k < e.contacts.size(); ++k)
      if (e.contacts[k].name == f.contact) friction.contact = static_cast<int>(k);
    e.frictions.push_back(std::move(friction));
  }
  for (const auto& s : from.switches) {
    SwitchEquation equation = s.equation;
    equation.guard = in_speeds(equation.guard);
    if (!s.force.empty()) {
      const auto row =
          std::find_if(e.constraints.begin(), e.constraints.end(), [&](const auto& c) { return c.group == s.force; });
      const Expr& force = row->multiplier;
      equation.guard = s.squared ? force * force - equation.guard * equation.guard : force - equation.guard;
    }
    for (auto& reset : equation.resets) reset.value = in_speeds(reset.value);
    e.switches.push_back(std::move(equation));
  }
  for (const auto& h : from.handles)
    e.handles.push_back({h.name, row_of(h.row), in_speeds(h.stiffness), in_speeds(h.damping)});
  complete_contact_pairs(lowered, to_speeds, e);
  e.contact_sensors = from.sensors;
  e.modes = from.modes;
  e.initial_mode = from.initial_mode;
}

}  // namespace kane
