// Shapes of bodies that touch wherever they meet: which shapes, and which pairs of them.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <unordered_set>

#include "kane/base/at.hpp"
#include "kane/base/suggest.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanism/body_motion.hpp"
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

  void add_pair(int first, int second, const std::string& name) {
    const auto& shapes = out_.contact_shapes;
    const auto plane = [&](int i) { return shapes[at(i)].solid.kind == ShapeKind::Plane; };
    require(!plane(first) || !plane(second), "{} is between two planes", what_);
    require(out_.contact_pairs.size() < kMostPairs, "there are more than {} pairs of shapes that could touch",
            kMostPairs);
    if (!law_) read_law();
    ContactPairEquation pair = *law_;
    pair.name = name;
    pair.first = plane(first) ? second : first, pair.second = plane(first) ? first : second;
    out_.contact_pairs.push_back(std::move(pair));
  }

  /// Reads the contact law that all pairs of the rule share.
  void read_law() {
    ContactPairEquation& pair = law_.emplace();
    pair.restitution = scalar(rule_.restitution, "restitution");
    pair.poisson = rule_.poisson;
    pair.kinetic = scalar(rule_.friction, "friction");
    pair.stiction = rule_.static_friction.empty() ? pair.kinetic : scalar(rule_.static_friction, "static friction");
    pair.rolling = scalar(rule_.rolling_friction, "rolling friction");
    pair.spinning = scalar(rule_.spinning_friction, "spinning friction");
    pair.stiffness = scalar(rule_.stiffness, "stiffness");
    pair.dissipation = scalar(rule_.dissipation, "dissipation");
    pair.damping = scalar(rule_.damping, "damping"), pair.linear = !rule_.damping.empty();
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
        if (excepted_.contains({std::min(bodies[i], bodies[j]), std::max(bodies[i], bodies[j])})) continue;
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
    for (const auto& list : rule_.except) {
      require(list.size() >= 2, "a list in 'except' of {} needs two bodies or more", what_);
      for (const std::string& a : list) {
        require(std::find(known.begin(), known.end(), a) != known.end(),
                "'except' of {} names the body '{}', which does not exist{}", what_, a, suggestion(a, known));
        for (const std::string& b : list) excepted_.insert({std::min(a, b), std::max(a, b)});
      }
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
  std::optional<ContactPairEquation> law_;
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
    for (Expr* value :
         {&p.restitution, &p.kinetic, &p.stiction, &p.rolling, &p.spinning, &p.stiffness, &p.dissipation, &p.damping}) {
      auto known = std::find_if(done.begin(), done.end(), [&](const auto& d) { return d.first == *value; });
      if (known == done.end()) known = done.insert(done.end(), {*value, substitute(e.graph->bind(*value), to_speeds)});
      *value = known->second;
    }
}

}  // namespace kane
