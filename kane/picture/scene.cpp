#include "kane/picture/scene.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "kane/base/error.hpp"
#include "kane/mechanism/flexible_part.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {

namespace {

constexpr std::string_view kMark = "kane_scene.load.";
constexpr std::string_view kInputMark = "kane_scene.input.";
constexpr std::string_view kPlaneMark = "kane_scene.plane.";
constexpr const char* kColors[] = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2",
                                   "#edc948", "#b07aa1", "#9c755f", "#ff9da7", "#86bcb6"};
constexpr const char* kAxes[] = {"x", "y", "z"};

std::string load_name(const Mechanism& mechanism, std::size_t i) {
  const std::string& own = mechanism.loads[i].name;
  return own.empty() ? fmt::format("load{}", i + 1) : own;
}

std::string output_name(const std::string& load, std::size_t axis) {
  return fmt::format("{}{}.{}", kMark, load, kAxes[axis]);
}

std::string plane_output(const std::string& contact, std::string_view part) {
  return fmt::format("{}{}.{}", kPlaneMark, contact, part);
}

class SceneMaker {
 public:
  SceneMaker(const Mechanism& mechanism, const CompiledSystem& system, const Values& parameters)
      : mechanism_(mechanism), system_(system), values_(parameters), functions_(table_functions(mechanism)) {}

  Scene run() {
    find_bodies();
    collect_nodes();
    measure();
    for (std::size_t b = 0; b < mechanism_.bodies.size(); ++b) add_body(b);
    for (const auto& body : mechanism_.bodies) add_beam(body);
    for (const auto& particle : mechanism_.particles) add_particle(particle);
    for (std::size_t i = 0; i < mechanism_.loads.size(); ++i) add_load(i);
    for (const auto& constraint : mechanism_.constraints)
      if (const auto* rod = std::get_if<DistanceConstraint>(&constraint.what))
        add_line(constraint.name, rod->from, rod->to, false);
      else if (const auto* expression = std::get_if<ExpressionConstraint>(&constraint.what))
        for (const Quantity& phi : expression->configuration) add_ropes(constraint.name, phi.text);
    for (const auto& joint : mechanism_.joints) add_slider(joint);
    add_planes();
    add_reactions();
    add_contacts();
    add_anchors();
    add_points();
    if (const auto* gravity = find(ReportItem::Kind::Output, output_name("gravity", 0)))
      scene_.gravity = gravity->first;
    return std::move(scene_);
  }

 private:
  // ---- numbers ---------------------------------------------------------------------------------------------------------
  /// Nothing if it changes with the state.
  [[nodiscard]] std::optional<double> number(const Expr& e) const {
    try {
      const double value = evaluate(e, values_, functions_);
      return std::isfinite(value) ? std::optional(value) : std::nullopt;
    } catch (const ModelError&) {
      return std::nullopt;
    }
  }
  [[nodiscard]] std::optional<Vec3> numbers(const Expr3& e) const {
    const auto x = number(e[0]), y = number(e[1]), z = number(e[2]);
    if (!x || !y || !z) return std::nullopt;
    return Vec3{*x, *y, *z};
  }
  [[nodiscard]] std::optional<Mat3> rotation(const Expr33& e) const {
    const auto a = numbers(e[0]), b = numbers(e[1]), c = numbers(e[2]);
    if (!a || !b || !c) return std::nullopt;
    return Mat3{{*a, *b, *c}};
  }

  /// Nothing if its place changes with the state.
  [[nodiscard]] std::optional<Solid> solid_of(const SolidExpr& e) const {
    const auto at = numbers(e.place.position);
    const auto turned = rotation(e.place.rotation);
    if (!at || !turned) return std::nullopt;
    Solid solid{e.kind, {}, *at, *turned, e.file};
    for (const auto& size : e.sizes) solid.sizes.push_back(number(size).value_or(0));
    return solid;
  }

  // ---- where things are in the reports ---------------------------------------------------------------------------------
  [[nodiscard]] const ReportItem* find(ReportItem::Kind kind, const std::string& name) const {
    const auto& items = system_.report_items();
    const auto found =
        std::find_if(items.begin(), items.end(), [&](const auto& i) { return i.kind == kind && i.name == name; });
    return found == items.end() ? nullptr : &*found;
  }
  /// A point by the names a model may use for it: "tip", "arm.tip"; a body for its mass centre.
  [[nodiscard]] const ReportItem* find_point(const std::string& name) const {
    using Kind = ReportItem::Kind;
    if (mechanism_.find_body(name) != nullptr)
      if (const auto* com = find(Kind::Point, name + ".com")) return com;
    if (const auto* own = find(Kind::Point, name)) return own;
    const auto dot_at = name.find('.');
    return dot_at == std::string::npos ? nullptr : find(Kind::Point, name.substr(dot_at + 1));
  }
  /// The reports need not contain points of the ground.
  std::optional<std::size_t> place_of(const std::string& name) {
    if (const auto* item = find_point(name)) return item->first;
    for (const auto& point : mechanism_.points) {
      const auto at = numbers(point.at);
      if (point.on != mechanism_.ground || !at || (point.name != name && point.on + "." + point.name != name)) continue;
      scene_.anchors.push_back({{}, *at});
      return kFirstAnchor + scene_.anchors.size() - 1;
    }
    if (name != mechanism_.ground) return std::nullopt;
    scene_.anchors.push_back({{}, {}});
    return kFirstAnchor + scene_.anchors.size() - 1;
  }
  [[nodiscard]] SceneBodyIndex body_index(const std::string& name) const {
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i)
      if (scene_.bodies[i].name == name) return i;
    return {};
  }

  void find_bodies() {
    for (const auto& body : mechanism_.bodies) {
      const auto* origin = find(ReportItem::Kind::Point, body.name);
      const auto* turned = find(ReportItem::Kind::Body, body.name);
      if (origin != nullptr && turned != nullptr) scene_.bodies.push_back({body.name, origin->first, turned->first});
    }
  }

  // ---- stand-ins -------------------------------------------------------------------------------------------------------
  /// Places of interest in a body: joints, points, mass centre.
  void add_node(const std::string& body, const std::optional<Vec3>& at) {
    if (at) nodes_[body].push_back(*at);
  }
  void collect_nodes() {
    for (const auto& joint : mechanism_.joints) {
      add_node(joint.child, numbers(joint.on_child.position));
      if (joint.parent != mechanism_.ground) add_node(joint.parent, numbers(joint.on_parent.position));
    }
    for (const auto& point : mechanism_.points) add_node(point.on, numbers(point.at));
    for (const auto& particle : mechanism_.particles) add_node(particle.on, numbers(particle.at));
    for (const auto& body : mechanism_.bodies) {
      if (body.flexible && !body.flexible->part) add_node(body.name, numbers({body.flexible->length, Expr(), Expr()}));
      if (number(body.mass).value_or(1) != 0) add_node(body.name, numbers(body.mass_centre));
    }
  }

  /// Half the edges of a uniform box with the mass and inertia of the body.
  [[nodiscard]] std::optional<Vec3> inertia_box(const MechanismBody& body) const {
    const auto m = number(body.mass);
    const auto i = numbers({body.inertia[0][0], body.inertia[1][1], body.inertia[2][2]});
    if (!m || !i || !(*m > 0) || !((*i)[0] + (*i)[1] + (*i)[2] > 0)) return std::nullopt;
    Vec3 half{};
    for (std::size_t k = 0; k < 3; ++k)
      half[k] = 0.5 * std::sqrt(std::max(0.0, 6 * ((*i)[(k + 1) % 3] + (*i)[(k + 2) % 3] - (*i)[k]) / *m));
    return half;
  }

  void measure() {
    double largest = 0;
    const auto widen = [&](double d) { largest = std::max(largest, d); };
    for (const auto& [body, at] : nodes_)
      for (const auto& a : at)
        for (const auto& b : at) widen(norm(a - b));
    for (const auto& joint : mechanism_.joints)
      if (const auto at = numbers(joint.on_parent.position)) widen(norm(*at));
    for (const auto& body : mechanism_.bodies)
      for (const auto& shape : body.shapes)
        for (const auto& size : shape.sizes) widen(number(size).value_or(0));
    if (!(largest > 0))
      for (const auto& body : mechanism_.bodies)
        if (const auto half = inertia_box(body)) widen(2 * std::max({(*half)[0], (*half)[1], (*half)[2]}));
    if (largest > 0) scene_.size = largest;
  }

  [[nodiscard]] Mesh stand_in(const MechanismBody& body) const {
    Mesh mesh;
    if (body.flexible) return mesh;  // add_beam
    const double radius = 0.035 * scene_.size;
    const auto nodes = nodes_.find(body.name);
    if (nodes != nodes_.end())
      for (const auto& at : nodes->second) {
        const Vec3 along = at - nodes->second.front();
        if (dot(along, along) > 1e-12 * scene_.size * scene_.size)
          mesh.append(link_mesh(nodes->second.front(), at, radius));
      }
    if (!mesh.triangles.empty()) return mesh;
    Solid box{ShapeKind::Box, std::vector<double>(3, 0.15 * scene_.size), {}, {}, {}};
    box.position = numbers(body.mass_centre).value_or(Vec3{});
    const auto half = inertia_box(body);
    if (half)
      for (std::size_t k = 0; k < 3; ++k)
        box.sizes[k] = std::clamp(2 * (*half)[k], 0.04 * scene_.size, 0.6 * scene_.size);
    else if (number(body.mass).value_or(1) == 0)
      return mesh;
    return shape_mesh(box);
  }

  // ---- parts -----------------------------------------------------------------------------------------------------------
  void add_body(std::size_t b) {
    const MechanismBody& body = mechanism_.bodies[b];
    const SceneBodyIndex index = body_index(body.name);
    if (!index) return;
    const char* color = kColors[b % std::size(kColors)];
    bool shown = false;
    for (const auto& shape : body.shapes) {
      const auto solid = shape.display ? solid_of(shape) : std::nullopt;
      Mesh mesh = solid ? shape_mesh(*solid) : Mesh();
      if (mesh.triangles.empty()) continue;
      scene_.parts.push_back({body.name, index, shape.color.empty() ? color : shape.color, std::move(mesh)});
      shown = true;
    }
    if (shown) return;
    Mesh mesh = stand_in(body);
    if (!mesh.triangles.empty()) scene_.parts.push_back({body.name, index, color, std::move(mesh)});
  }

  void add_particle(const MechanismParticle& particle) {
    const auto* point = find_point(particle.name);
    if (point == nullptr) return;
    double heaviest = 0;
    for (const auto& other : mechanism_.particles) heaviest = std::max(heaviest, number(other.mass).value_or(0));
    const double share = heaviest > 0 ? std::cbrt(number(particle.mass).value_or(heaviest) / heaviest) : 1;
    scene_.balls.push_back({particle.name, point->first, 0.075 * scene_.size * std::clamp(share, 0.3, 1.0), "#444b54"});
  }

  void add_line(const std::string& name, const std::string& from, const std::string& to, bool spring) {
    const auto a = place_of(from), b = place_of(to);
    if (a && b) scene_.lines.push_back({name, *a, *b, spring});
  }

  /// A part from finite elements: lines between the interfaces, as they move.
  void add_part(const std::string& body, const FlexiblePart& part) {
    std::optional<std::size_t> first;
    for (const PartInterface& f : part.interfaces) {
      const auto* at = find(ReportItem::Kind::Point, fmt::format("{}.{}", body, f.name));
      if (at == nullptr) continue;
      if (first) scene_.lines.push_back({body, *first, at->first, false});
      if (!first) first = at->first;
    }
  }

  /// The axis of a beam, bent, from station to station.
  void add_beam(const MechanismBody& body) {
    if (!body.flexible) return;
    if (body.flexible->part) return add_part(body.name, *body.flexible->part);
    std::optional<std::size_t> last;
    if (const auto* origin = find(ReportItem::Kind::Point, body.name)) last = origin->first;
    for (int k = 1; k <= kBeamStations; ++k) {
      const auto* next = find(ReportItem::Kind::Point, fmt::format("{}.station{}", body.name, k));
      if (next == nullptr) return;
      // The frame of a free beam does not touch it.
      if (last && (k > 1 || body.flexible->shapes != BeamShapes::Free))
        scene_.lines.push_back({body.name, *last, next->first, false});
      last = next->first;
    }
  }

  /// A rope is written as the sum of the distances between its points.
  void add_ropes(const std::string& name, const std::string& phi) {
    constexpr std::string_view kCall = "distance(";
    for (std::size_t at = phi.find(kCall); at != std::string::npos; at = phi.find(kCall, at + 1)) {
      const std::size_t from = at + kCall.size(), comma = phi.find(',', from), end = phi.find(')', from);
      if (comma == std::string::npos || end == std::string::npos || comma > end) continue;
      const auto trimmed = [&](std::size_t a, std::size_t b) {
        while (a < b && phi[a] == ' ') ++a;
        while (b > a && phi[b - 1] == ' ') --b;
        return phi.substr(a, b - a);
      };
      add_line(name, trimmed(from, comma), trimmed(comma + 1, end), false);
    }
  }

  [[nodiscard]] bool is_massless(const std::string& name) const {
    const MechanismBody* body = mechanism_.find_body(name);
    return body != nullptr && number(body->mass).value_or(1) == 0 && body->shapes.empty();
  }

  /// Draws a line for a sliding joint on or under a massless body (a rope that is paid out, a telescope).
  void add_slider(const Joint& joint) {
    const bool slides = std::any_of(joint.motions.begin(), joint.motions.end(),
                                    [](const auto& m) { return m.free && m.kind == MotionKind::Translation; });
    if (!slides || joint.closing || (!is_massless(joint.parent) && !is_massless(joint.child))) return;
    const auto from = numbers(joint.on_parent.position), to = numbers(joint.on_child.position);
    const SceneBodyIndex parent = body_index(joint.parent), child = body_index(joint.child);
    if (!from || !to || !child || !parent) return;  // not from the ground: it is where the joint is drawn
    scene_.anchors.push_back({parent, *from});
    scene_.anchors.push_back({child, *to});
    const std::size_t last = kFirstAnchor + scene_.anchors.size() - 1;
    scene_.lines.push_back({joint.name, last - 1, last, false});
  }

  void add_planes() {
    for (const ContactRule& rule : mechanism_.switching.contacts) {
      const auto* normal = find(ReportItem::Kind::Output, plane_output(rule.name, "x"));
      const auto* height = find(ReportItem::Kind::Output, plane_output(rule.name, "height"));
      if (normal != nullptr && height != nullptr) scene_.planes.push_back({rule.name, normal->first, height->first});
    }
  }

  /// Blocks where joints are fixed to the ground.
  void add_anchors() {
    constexpr std::size_t kMostMotions = 2;  // a free body is not held
    const std::vector<double> sides(3, 0.06 * scene_.size);
    for (const auto& joint : mechanism_.joints) {
      const auto at = numbers(joint.on_parent.position);
      const auto turned = rotation(joint.on_parent.rotation);
      if (joint.parent != mechanism_.ground || joint.motions.size() > kMostMotions || !at || !turned) continue;
      scene_.parts.push_back({joint.name, {}, "#8a9099", shape_mesh({ShapeKind::Box, sides, *at, *turned, {}})});
    }
  }

  // ---- arrows ----------------------------------------------------------------------------------------------------------
  void add_arrow(const std::string& load, const std::string& at, bool torque, double sign) {
    const auto* vector = find(ReportItem::Kind::Output, output_name(load, 0));
    const auto point = vector == nullptr ? std::nullopt : place_of(at);
    if (point) scene_.arrows.push_back({load, torque, false, *point, vector->first, {}, sign});
  }

  void add_load(std::size_t i) {
    const std::string name = load_name(mechanism_, i);
    if (const auto* force = std::get_if<ForceLoad>(&mechanism_.loads[i].what)) {
      add_arrow(name, force->at, false, 1);
      if (!force->reaction_at.empty()) add_arrow(name, force->reaction_at, false, -1);
    } else if (const auto* torque = std::get_if<TorqueLoad>(&mechanism_.loads[i].what)) {
      add_arrow(name, torque->on, true, 1);
      if (!torque->reaction.empty()) add_arrow(name, torque->reaction, true, -1);
    } else if (const auto* spring = std::get_if<SpringLoad>(&mechanism_.loads[i].what)) {
      add_line(name, spring->from, spring->to, true);
    }
  }

  /// Forces of the contacts that add_contact_outputs() has added, on the first of both bodies.
  void add_contacts() {
    for (const ContactRule& rule : mechanism_.switching.contacts) {
      const auto* point = find(ReportItem::Kind::Output, output_name("contact." + rule.name + ".point", 0));
      const auto* force = find(ReportItem::Kind::Output, output_name("contact." + rule.name + ".force", 0));
      if (point == nullptr || force == nullptr) continue;
      SceneArrow arrow{rule.name, false, true, point->first, force->first, {}, 1};
      arrow.contact = true;
      scene_.arrows.push_back(arrow);
    }
  }

  void add_reactions() {
    for (const auto& reaction : system_.equations().reactions) {
      const auto* item = find(ReportItem::Kind::Reaction, reaction.name);
      const auto point = joint_point(reaction.name);
      if (item == nullptr || !point) continue;
      const SceneBodyIndex frame = body_index(reaction.frame);
      scene_.arrows.push_back({reaction.name, false, true, *point, item->first, frame, 1});
      scene_.arrows.push_back({reaction.name, true, true, *point, item->first + 3, frame, 1});
    }
  }
  /// The joint's point on its child.
  std::optional<std::size_t> joint_point(const std::string& name) {
    const Joint* joint = mechanism_.find_joint(name);
    const SceneBodyIndex body = joint == nullptr ? SceneBodyIndex() : body_index(joint->child);
    const auto at = joint == nullptr ? std::nullopt : numbers(joint->on_child.position);
    if (!body || !at) return std::nullopt;
    scene_.anchors.push_back({body, *at});
    return kFirstAnchor + scene_.anchors.size() - 1;
  }

  // ---- points ----------------------------------------------------------------------------------------------------------
  void add_points() {
    std::set<std::string> joints;
    for (const auto& joint : mechanism_.joints) joints.insert(joint.name);
    for (const auto& item : system_.report_items()) {
      if (item.kind != ReportItem::Kind::Point || item.name == mechanism_.ground) continue;
      const auto dot_at = item.name.find('.');
      if (dot_at != std::string::npos && joints.contains(item.name.substr(0, dot_at))) continue;
      scene_.points.push_back({item.name, item.first, false});
    }
    // One trail at first: that of the last point that the user named, or else of the last mass centre.
    std::string wanted = mechanism_.bodies.empty() ? "" : mechanism_.bodies.back().name + ".com";
    if (!mechanism_.points.empty()) wanted = mechanism_.points.back().name;
    if (!mechanism_.particles.empty()) wanted = mechanism_.particles.back().name;
    for (auto& point : scene_.points)
      if (point.name == wanted || point.name.ends_with("." + wanted)) point.trail = true;
  }

  const Mechanism& mechanism_;
  const CompiledSystem& system_;
  const Values& values_;
  FunctionTable functions_;
  std::map<std::string, std::vector<Vec3>> nodes_;
  Scene scene_;
};

}  // namespace

void add_scene_outputs(Mechanism& mechanism) {
  const auto add = [&](const std::string& name, const std::string& vector, const Where& where) {
    for (std::size_t k = 0; k < 3; ++k)
      mechanism.outputs.push_back(
          {output_name(name, k), {fmt::format("dot({}, {}.{})", vector, mechanism.ground, kAxes[k]), where}});
  };
  const auto vector = [](const Quantity& size, const Quantity& axis) {
    return axis.empty() ? fmt::format("({})", size.text) : fmt::format("({})*unit({})", size.text, axis.text);
  };
  for (std::size_t i = 0; i < mechanism.loads.size(); ++i) {
    const Load& load = mechanism.loads[i];
    if (const auto* force = std::get_if<ForceLoad>(&load.what))
      add(load_name(mechanism, i), vector(force->force, force->axis), load.where);
    else if (const auto* torque = std::get_if<TorqueLoad>(&load.what))
      add(load_name(mechanism, i), vector(torque->torque, torque->axis), load.where);
  }
  for (const auto& input : mechanism.inputs)
    mechanism.outputs.push_back({fmt::format("{}{}", kInputMark, input.symbol.name()), {input.symbol.name(), {}}});
  for (const ContactRule& rule : mechanism.switching.contacts) {
    if (rule.plane.empty() || rule.kind == ContactRule::Kind::Joint) continue;
    const std::string normal = fmt::format("unit({})", rule.plane.text);
    for (const char* axis : kAxes)
      mechanism.outputs.push_back(
          {plane_output(rule.name, axis), {fmt::format("dot({}, {}.{})", normal, mechanism.ground, axis), rule.where}});
    std::string height = rule.height.empty() ? "0" : fmt::format("({})", rule.height.text);
    if (!rule.reference.empty()) height += fmt::format(" + dot(position({}), {})", rule.reference, normal);
    mechanism.outputs.push_back({plane_output(rule.name, "height"), {height, rule.where}});
  }
  if (!mechanism.gravity.empty()) add("gravity", fmt::format("({})", mechanism.gravity.text), mechanism.gravity.where);
}

void add_contact_outputs(Mechanism& mechanism) {
  using Kind = ContactRule::Kind;
  for (const ContactRule& rule : mechanism.switching.contacts) {
    // Others have no place, or many.
    if (rule.kind == Kind::All || rule.kind == Kind::Joint || rule.kind == Kind::Gear || rule.kind == Kind::Gap)
      continue;
    for (const char* part : {"point", "force"})
      for (std::size_t k = 0; k < 3; ++k)
        mechanism.outputs.push_back(
            {output_name(fmt::format("contact.{}.{}", rule.name, part), k),
             {fmt::format("dot(contact({}).{}, {}.{})", rule.name, part, mechanism.ground, kAxes[k]), rule.where}});
  }
}

bool is_scene_output(const std::string& name) { return name.starts_with("kane_scene."); }

std::string input_of_scene_output(const std::string& name) {
  return name.starts_with(kInputMark) ? name.substr(kInputMark.size()) : std::string();
}

Scene make_scene(const Mechanism& mechanism, const CompiledSystem& system, const Values& parameters) {
  return SceneMaker(mechanism, system, parameters).run();
}

}  // namespace kane
