// Shapes of bodies that touch wherever they meet: which shapes, and which pairs of them.

#include <algorithm>
#include <filesystem>
#include <list>
#include <set>
#include <unordered_set>

#include "kane/base/at.hpp"
#include "kane/base/suggest.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanism/body_motion.hpp"
#include "kane/mechanism/directions.hpp"
#include "kane/mechanism/inertia_library.hpp"
#include "kane/mechanism/lowering_parts.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {
namespace {

/// A limit on memory: a thousand bodies that may all touch each other are half a million pairs.
constexpr std::size_t kMostPairs = 4'000'000;

class PairLowering {
 public:
  PairLowering(const LoweringContext& context, const ContactRule& rule)
      : c_(context), rule_(rule), out_(context.lowered.switching), what_(fmt::format("the contact '{}'", rule.name)) {}

  void run() {
    if (rule_.kind == ContactRule::Kind::All) return pair_all();
    require(rule_.body != rule_.other, "{} is between '{}' and itself", what_, rule_.body);
    if (is_group(rule_.body) || is_group(rule_.other)) return pair_groups();
    const auto first = shapes_of(rule_.body), second = shapes_of(rule_.other);
    std::size_t number = 0;
    const bool one = first.size() * second.size() == 1;
    for (const int a : first)
      for (const int b : second) add_pair(a, b, one ? rule_.name : fmt::format("{}.{}", rule_.name, ++number));
  }

 private:
  [[nodiscard]] Expr scalar(const Quantity& q, const std::string& what) const {
    return q.empty() ? Expr(0) : read_scalar(q, c_.scope(), fmt::format("the {} of {}", what, what_));
  }

  // ---- groups, and laws by materials ----------------------------------------------------------------------------------
  [[nodiscard]] const Switching& switching() const { return c_.mechanism.switching; }
  [[nodiscard]] static const ContactGroup* find_group(const std::vector<ContactGroup>& groups,
                                                      const std::string& name) {
    const auto found = std::find_if(groups.begin(), groups.end(), [&](auto& g) { return g.name == name; });
    return found == groups.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool is_group(const std::string& name) const { return find_group(switching().groups, name) != nullptr; }
  /// The bodies that a name stands for.
  [[nodiscard]] std::vector<std::string> members(const std::string& name) const {
    const ContactGroup* group = find_group(switching().groups, name);
    return group == nullptr ? std::vector<std::string>{name} : group->bodies;
  }
  using Pair = std::pair<std::string, std::string>;
  [[nodiscard]] static Pair ordered(const std::string& a, const std::string& b) {
    return {std::min(a, b), std::max(a, b)};
  }

  void pair_groups() {
    const std::vector<std::string> ones = members(rule_.body), others = members(rule_.other);
    std::set<Pair> done;
    for (const std::string& a : ones)
      for (const std::string& b : others) {
        if (a == b || !done.insert(ordered(a, b)).second) continue;
        for (const int first : shapes_of(a))
          for (const int second : shapes_of(b)) add_named_pair(first, second, a, b);
      }
    require(!done.empty(), "{} is between groups that have no two different bodies", what_);
  }

  /// Whose law holds between two bodies: that of their materials if there is one, otherwise the rule's own.
  [[nodiscard]] const ContactRule& law_between(const std::string& a, const std::string& b) const {
    if (switching().pair_laws.empty()) return rule_;
    const auto material = [&](const std::string& body) -> std::string {
      for (const ContactGroup& m : switching().materials)
        if (std::find(m.bodies.begin(), m.bodies.end(), body) != m.bodies.end()) return m.name;
      return "";
    };
    const Pair both = ordered(material(a), material(b));
    for (const ContactRule& law : switching().pair_laws)
      if (ordered(law.body, law.other) == both) return law;
    return rule_;
  }

  void add_pair(int first, int second, const std::string& name) {
    const auto& shapes = out_.contact_shapes;
    const auto plane = [&](int i) { return shapes[at(i)].solid.kind == ShapeKind::Plane; };
    require(!plane(first) || !plane(second), "{} is between two planes", what_);
    require(out_.contact_pairs.size() < kMostPairs, "there are more than {} pairs of shapes that could touch",
            kMostPairs);
    const auto body = [&](int i) { return shapes[at(i)].body < 0 ? c_.mechanism.ground : shapes[at(i)].name; };
    ContactPairEquation pair = law_of(law_between(body(first), body(second)));
    pair.name = name;
    pair.first = plane(first) ? second : first, pair.second = plane(first) ? first : second;
    out_.contact_pairs.push_back(std::move(pair));
  }

  /// The contact law of a rule, read once.
  const ContactPairEquation& law_of(const ContactRule& rule) {
    const auto known = std::find_if(laws_.begin(), laws_.end(), [&](const auto& l) { return l.first == &rule; });
    if (known != laws_.end()) return known->second;
    ContactPairEquation pair;
    pair.restitution = scalar(rule.restitution, "restitution");
    pair.law = rule.law, pair.phases = rule.phases;
    pair.kinetic = scalar(rule.friction, "friction");
    pair.stiction = rule.static_friction.empty() ? pair.kinetic : scalar(rule.static_friction, "static friction");
    pair.rolling = scalar(rule.rolling_friction, "rolling friction");
    pair.spinning = scalar(rule.spinning_friction, "spinning friction");
    pair.stiffness = scalar(rule.stiffness, "stiffness");
    pair.dissipation = scalar(rule.dissipation, "dissipation");
    pair.damping = scalar(rule.damping, "damping"), pair.linear = !rule.damping.empty();
    pair.adhesion = scalar(rule.adhesion, "adhesion");
    if (!rule.along.empty()) read_grain(rule, pair);
    return laws_.emplace_back(&rule, std::move(pair)).second;
  }

  /// A direction fixed in a body with shapes, or in the ground.
  void read_grain(const ContactRule& rule, ContactPairEquation& pair) {
    const Vector along =
        unit_along(c_.system, read_vector(rule.along, c_.scope(), "the direction 'along' of " + what_));
    const FrameId frame = along.terms().front().frame;
    pair.oriented = true;
    pair.ratio = scalar(rule.friction_across, "friction across") / pair.kinetic;
    for (const auto& [name, own] : c_.lowered.body_frames) {
      if (own != frame || frame == c_.system.inertial()) continue;
      const auto known = std::find(out_.contact_bodies.begin(), out_.contact_bodies.end(), name);
      require(known != out_.contact_bodies.end(),
              "the direction 'along' of {} is fixed in '{}', which has no shape that touches", what_, name);
      pair.grain_body = static_cast<int>(known - out_.contact_bodies.begin());
    }
    pair.grain = along.in(pair.grain_body < 0 ? c_.system.inertial() : frame);
    const auto moves = [&](const Expr& e) { return !is_constant(c_.system.graph().bind(e), c_.system); };
    require(along.terms().size() == 1 && std::none_of(pair.grain.begin(), pair.grain.end(), moves),
            "the direction 'along' of {} must be fixed in a body or in the ground, such as {}.x", what_,
            c_.mechanism.ground);
  }

  // ---- shapes -----------------------------------------------------------------------------------------------------
  /// Numbers of the shapes of a body; added on first use.
  std::vector<int> shapes_of(const std::string& body) {
    if (body == c_.mechanism.ground) return {ground_plane()};
    const MechanismBody* found = c_.mechanism.find_body(body);
    if (found == nullptr) {
      std::vector<std::string> known{c_.mechanism.ground};
      for (const auto& b : c_.mechanism.bodies) known.push_back(b.name);
      throw ModelError(
          fmt::format("{} names the body '{}', which does not exist{}", what_, body, suggestion(body, known)));
    }
    require(!found->shapes.empty(), "{} is about the body '{}', which has no shape; give it 'geometry'", what_, body);
    std::vector<int> known;
    for (std::size_t i = 0; i < out_.contact_shapes.size(); ++i) {
      const int b = out_.contact_shapes[i].body;
      if (b >= 0 && out_.contact_bodies[at(b)] == body) known.push_back(static_cast<int>(i));
    }
    if (!known.empty()) return known;
    const bool some = std::any_of(found->shapes.begin(), found->shapes.end(), [](auto& s) { return s.contact; });
    out_.contact_bodies.push_back(body);
    for (const Shape& shape : found->shapes)
      if (shape.contact || !some) known.push_back(add_shape(shape, body));
    return known;
  }

  int add_shape(const Shape& shape, const std::string& body) {
    const auto bind = [&](Expr& e) { e = c_.system.graph().bind(e); };
    SolidExpr solid = shape;
    for (Expr& size : solid.sizes) bind(size);
    for (Expr& x : solid.place.position) bind(x);
    for (auto& row : solid.place.rotation)
      for (Expr& x : row) bind(x);
    if (!solid.file.empty()) solid.file = (std::filesystem::path(rule_.where.file).parent_path() / solid.file).string();
    out_.contact_shapes.push_back({body, static_cast<int>(out_.contact_bodies.size()) - 1, std::move(solid)});
    return static_cast<int>(out_.contact_shapes.size()) - 1;
  }

  /// The half space below `plane`.
  int ground_plane() {
    require(!rule_.plane.empty(), "{} is with the ground, and needs the normal of its plane, such as plane: {}.z",
            what_, c_.mechanism.ground);
    const Vector n = unit_along(c_.system, read_vector(rule_.plane, c_.scope(), "the plane of " + what_));
    const Expr3 z = n.in(c_.system.inertial());
    ContactShapeEquation s;
    s.name = c_.mechanism.ground;
    s.solid.kind = ShapeKind::Plane;
    const Expr height = scalar(rule_.height, "height");
    for (std::size_t i = 0; i < 3; ++i) {
      s.solid.place.position[i] = height * z[i];
      s.solid.place.rotation[i] = {0, 0, z[i]};  // nothing but the normal is read
    }
    out_.contact_shapes.push_back(std::move(s));
    return static_cast<int>(out_.contact_shapes.size()) - 1;
  }

  // ---- all ----------------------------------------------------------------------------------------------------------
  [[nodiscard]] bool neighbours(const std::string& a, const std::string& b) const {
    return neighbours_.contains({std::min(a, b), std::max(a, b)});
  }
  /// Welded to the ground, directly or through others.
  [[nodiscard]] bool fixed(const std::string& body) const {
    if (body == c_.mechanism.ground) return true;
    for (const Joint& j : c_.mechanism.joints)
      if (j.child == body && !j.closing) return j.motions.empty() && fixed(j.parent);
    return false;
  }

  void pair_all() {
    std::vector<std::string> bodies;
    const auto flagged = [](const MechanismBody& b) {
      return std::any_of(b.shapes.begin(), b.shapes.end(), [](auto& s) { return s.contact; });
    };
    const auto& all = c_.mechanism.bodies;
    const bool some = std::any_of(all.begin(), all.end(), flagged);
    for (const MechanismBody& b : all)
      if (some ? flagged(b) : !b.shapes.empty()) bodies.push_back(b.name);
    if (!rule_.plane.empty()) bodies.push_back(c_.mechanism.ground);
    require(bodies.size() >= 2, "{} is between all shapes, but fewer than two bodies have any", what_);
    for (const Joint& j : c_.mechanism.joints)
      neighbours_.insert({std::min(j.parent, j.child), std::max(j.parent, j.child)});
    for (const auto& pair : out_.contact_pairs) taken_.insert(pair.name);
    std::vector<std::vector<int>> shapes;
    std::vector<bool> still;
    for (const std::string& body : bodies) {
      still.push_back(fixed(body));
      shapes.push_back(body == c_.mechanism.ground ? std::vector<int>{} : shapes_of(body));
    }
    except_bodies();
    const std::size_t before = out_.contact_pairs.size();
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (std::size_t j = i + 1; j < bodies.size(); ++j) {
        if (bodies[j] != c_.mechanism.ground && neighbours(bodies[i], bodies[j])) continue;
        if (excepted_.contains(ordered(bodies[i], bodies[j]))) continue;
        if (still[i] && still[j]) continue;
        if (shapes[j].empty()) shapes[j] = {ground_plane()};
        for (const int a : shapes[i])
          for (const int b : shapes[j]) add_named_pair(a, b, bodies[i], bodies[j]);
      }
    require(out_.contact_pairs.size() > before,
            "{} is between all shapes, but all of them belong to neighbours or to the ground", what_);
  }

  /// Bodies of one list do not touch each other.
  void except_bodies() {
    std::vector<std::string> known{c_.mechanism.ground};
    for (const auto& b : c_.mechanism.bodies) known.push_back(b.name);
    for (const auto& group : switching().groups) known.push_back(group.name);
    const auto check = [&](const std::string& name, const char* key) {
      require(std::find(known.begin(), known.end(), name) != known.end(),
              "'{}' of {} names the body '{}', which does not exist{}", key, what_, name, suggestion(name, known));
    };
    const auto bodies_of = [&](const std::vector<std::string>& names) {
      std::vector<std::string> all;
      for (const std::string& name : names)
        for (const std::string& body : members(name)) all.push_back(body);
      return all;
    };
    for (const auto& list : rule_.except) {
      require(bodies_of(list).size() >= 2, "a list in 'except' of {} needs two bodies or more", what_);
      for (const std::string& a : list) check(a, "except");
      for (const std::string& a : bodies_of(list))
        for (const std::string& b : bodies_of(list)) excepted_.insert(ordered(a, b));
    }
    for (const auto& [one, other] : rule_.ignore) {
      check(one, "ignore"), check(other, "ignore");
      for (const std::string& a : members(one))
        for (const std::string& b : members(other)) excepted_.insert(ordered(a, b));
    }
  }

  void add_named_pair(int a, int b, const std::string& first, const std::string& second) {
    std::string name = fmt::format("{}.{}.{}", rule_.name, first, second);
    for (int k = 2; !taken_.insert(name).second; ++k) name = fmt::format("{}.{}.{}.{}", rule_.name, first, second, k);
    add_pair(a, b, name);
  }

  const LoweringContext& c_;
  const ContactRule& rule_;
  LoweredSwitching& out_;
  std::string what_;
  std::list<std::pair<const ContactRule*, ContactPairEquation>> laws_;
  std::set<std::pair<std::string, std::string>> neighbours_;  ///< by a joint
  std::set<std::pair<std::string, std::string>> excepted_;
  std::unordered_set<std::string> taken_;  ///< names of pairs
};

}  // namespace

void lower_contact_pairs(const LoweringContext& context, const ContactRule& rule) { PairLowering(context, rule).run(); }

void complete_contact_pairs(const LoweredMechanism& lowered, const Substitution& to_speeds, EquationsOfMotion& e) {
  const LoweredSwitching& from = lowered.switching;
  if (from.contact_pairs.empty()) return;
  const BodyMotion motion(lowered, form_speed_rates(lowered.system));
  for (const std::string& name : from.contact_bodies) {
    const PointId p = lowered.body_origins.at(name);
    const FrameId f = lowered.body_frames.at(name);
    const Expr33& R = motion.rotation(f);
    e.contact_bodies.push_back({name, motion.position(p), motion.velocity(p), motion.acceleration(p), R,
                                multiply(R, motion.angular_velocity(f)), multiply(R, motion.angular_acceleration(f))});
  }
  e.contact_shapes = from.contact_shapes;
  e.contact_pairs = from.contact_pairs;
  std::vector<std::pair<Expr, Expr>> done;  // pairs of one rule have the same values
  for (ContactPairEquation& p : e.contact_pairs)
    for (Expr* value : {&p.restitution, &p.kinetic, &p.stiction, &p.rolling, &p.spinning, &p.stiffness, &p.dissipation,
                        &p.damping, &p.adhesion, &p.ratio, &p.grain[0], &p.grain[1], &p.grain[2]}) {
      auto known = std::find_if(done.begin(), done.end(), [&](const auto& d) { return d.first == *value; });
      if (known == done.end()) known = done.insert(done.end(), {*value, substitute(e.graph->bind(*value), to_speeds)});
      *value = known->second;
    }
}

}  // namespace kane
