// Bodies, points, sites, shapes and contacts.

#include <algorithm>
#include <cmath>

#include "kane/formats/mjcf/mjcf_builder.hpp"

namespace kane {

void MjcfBuilder::set_gravity() {
  gravity_ = mjcf_vector(file_.option, "gravity", {0, 0, -9.81});
  if (!enabled("gravity")) gravity_ = {};
  const double size = norm(gravity_);
  if (size == 0) return;
  m_.add_parameter("g", Expr(size));
  m_.units["g"] = "m/s^2";
  gravity_text_ = mjcf_vector_text((1 / size) * gravity_, m_.ground);
  gravity_text_ = gravity_text_ == "(-1)*N.z" ? "-g*N.z" : fmt::format("g*({})", gravity_text_);
  m_.gravity = {gravity_text_, file_.option.where.line == 0 ? m_.where : file_.option.where};
}

void MjcfBuilder::name_bodies() {
  for (std::size_t i = 1; i < bodies_.size(); ++i)
    names_.push_back(body_names_.add(bodies_[i].name, "body", &refusals_.notes()));
}

void MjcfBuilder::add_body(std::size_t i) {
  const MjcfBody& b = bodies_[i];
  compensate_gravity(i);
  if (b.owner != i) {
    m_.frames.push_back({name_of(i), owner_of(i), mjcf_placement(b.in_owner), b.element->where});
    return;
  }
  std::vector<MjcfMass> parts;
  MechanismBody body;
  body.name = name_of(i);
  body.where = b.element->where;
  for (std::size_t k = i; k < bodies_.size(); ++k) {
    if (bodies_[k].owner != i) continue;
    parts.push_back(placed(bodies_[k].mass, bodies_[k].in_owner));
    if (options_.geometry) add_shapes(bodies_[k], body.shapes);
  }
  const MjcfMass whole = combine(parts);
  body.mass = Expr(whole.mass);
  body.mass_centre = mjcf_exprs(whole.centre);
  body.inertia = mjcf_exprs(whole.inertia);
  m_.add_body(std::move(body));
}

void MjcfBuilder::compensate_gravity(std::size_t i) {
  const MjcfBody& b = bodies_[i];
  const double share = b.element->number("gravcomp", 0);
  if (share == 0 || gravity_text_.empty() || b.owner == 0) return;
  const std::string point = add_point(name_of(i) + "_centre", b.owner,
                                      b.in_owner.position + b.in_owner.rotation * b.mass.centre, b.element->where);
  Load load;
  load.name = loads_.add(fmt::format("gravcomp_{}", name_of(i)), "load");
  load.where = b.element->where;
  load.what =
      ForceLoad{{fmt::format("{}*({})", number_text(-share * b.mass.mass), gravity_text_), load.where}, {}, point, ""};
  m_.loads.push_back(std::move(load));
}

std::string MjcfBuilder::add_point(const std::string& name, std::size_t owner, const Vec3& at, const Where& where) {
  const std::string unique = body_names_.add(name, "point");
  m_.points.push_back({unique, name_of(owner), mjcf_exprs(at), where});
  return unique;
}

void MjcfBuilder::add_sites(std::size_t i) {
  const MjcfBody& b = bodies_[i];
  for (const MjcfPart& part : b.sites) {
    const MjcfElement& e = *part.element;
    MjcfPose own = compiler_.pose(e);
    if (const auto ends = e.numbers("fromto", 6, 6))
      own.position = 0.5 * (Vec3{(*ends)[0], (*ends)[1], (*ends)[2]} + Vec3{(*ends)[3], (*ends)[4], (*ends)[5]});
    const MjcfPose pose = compose(b.in_owner, compose(part.pose, own));
    const std::string name = e.text("name", fmt::format("site_{}", ++site_count_));
    const std::string point = body_names_.add(name, "site", e.find("name") != nullptr ? &refusals_.notes() : nullptr);
    m_.points.push_back({point, owner_of(i), mjcf_exprs(pose.position), e.where});
    if (!sites_.emplace(name, MjcfSite{point, i, pose}).second)
      e.fail(fmt::format("there are two sites named '{}'", name));
  }
}

void MjcfBuilder::add_shapes(const MjcfBody& b, std::vector<Shape>& shapes) {
  for (const MjcfPart& part : b.geoms) {
    const MjcfElement& e = *part.element;
    const MjcfGeom geom = read_geom(e, compiler_);
    Shape shape;
    if (!set_kind(e, geom, shape)) continue;
    shape.place = mjcf_placement(compose(b.in_owner, compose(part.pose, geom.pose)));
    shape.color = color_of(e);
    shape.contact = e.number("contype", 1) != 0 || e.number("conaffinity", 1) != 0;
    shape.hull = !shape.file.empty();  // that is what MuJoCo uses
    // By habit of the field, shapes for contact alone are in the groups from 3 on.
    shape.display = e.number("group", 0) < 3;
    if (shape.contact) touching_.push_back({&e, b.owner, bodies_[bodies_[b.owner].parent].owner});
    shapes.push_back(std::move(shape));
  }
}

bool MjcfBuilder::set_kind(const MjcfElement& e, const MjcfGeom& geom, Shape& shape) {
  const auto& s = geom.sizes;
  if (geom.type == "mesh") return set_mesh(e, shape);
  if (e.find("mesh") != nullptr || geom.type == "hfield" || geom.type == "sdf") {
    refusals_.note(e, fmt::format("the shape of {} is left out: {} is not supported", e.describe(),
                                  geom.type == "hfield" ? "a height field" : "a shape fitted to a mesh"));
    return false;
  }
  if (geom.type == "sphere") shape.kind = ShapeKind::Sphere, shape.sizes = {s[0]};
  if (geom.type == "box") shape.kind = ShapeKind::Box, shape.sizes = {2 * s[0], 2 * s[1], 2 * s[2]};
  if (geom.type == "ellipsoid") shape.kind = ShapeKind::Ellipsoid, shape.sizes = {s[0], s[1], s[2]};
  if (geom.type == "cylinder") shape.kind = ShapeKind::Cylinder, shape.sizes = {s[0], 2 * s[1]};
  if (geom.type == "capsule") shape.kind = ShapeKind::Capsule, shape.sizes = {s[0], 2 * s[1]};
  if (geom.type == "plane") shape.kind = ShapeKind::Plane;
  return true;
}

bool MjcfBuilder::set_mesh(const MjcfElement& e, Shape& shape) {
  const MjcfElement& mesh = find_mesh(file_, e);
  const std::string path = mesh_path(mesh, compiler_);
  const auto leave_out = [&](const char* why) {
    refusals_.note(e, fmt::format("the mesh '{}' is left out: {}", shown(mesh_name(mesh)), why));
    return false;
  };
  if (path.empty()) return leave_out("it is not in a file");
  for (const char* attribute : {"scale", "refpos", "refquat"})
    if (mesh.find(attribute) != nullptr) return leave_out("meshes that are scaled or moved are not drawn");
  const std::filesystem::path relative(path);
  if (relative.is_absolute() || path.starts_with("..")) return leave_out("it lies outside the folder of the model");
  std::error_code none;
  if (file_.folder.empty() || !std::filesystem::is_regular_file(file_.folder / relative, none))
    return leave_out("there is no such file");
  shape.kind = ShapeKind::Mesh;
  shape.file = path;
  return true;
}

std::string MjcfBuilder::color_of(const MjcfElement& e) {
  const auto rgba = e.numbers("rgba", 4, 4);
  if (!rgba) return "";
  const auto byte = [&](std::size_t i) {
    return static_cast<int>(std::lround(255 * std::clamp((*rgba)[i], 0.0, 1.0)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(0), byte(1), byte(2));
}

void MjcfBuilder::add_ground_shapes() {
  MechanismBody body;
  for (const MjcfBody& b : bodies_)
    if (b.owner == 0) add_shapes(b, body.shapes);
  if (body.shapes.empty()) return;
  body.name = body_names_.add("world_shapes", "body");
  world_shapes_ = body.name;
  body.where = m_.where;
  Joint weld;
  weld.name = joint_names_.add("world_shapes", "joint");
  weld.kind = "weld";
  weld.parent = m_.ground;
  weld.child = body.name;
  weld.where = m_.where;
  m_.add_body(std::move(body));
  m_.add_joint(std::move(weld));
}

void MjcfBuilder::add_contacts() {
  std::vector<std::pair<std::size_t, std::size_t>> excluded;
  for (const MjcfElement& e : file_.excludes) {
    const std::size_t a = bodies_[find_body(e, "body1")].owner, b = bodies_[find_body(e, "body2")].owner;
    excluded.emplace_back(std::min(a, b), std::max(a, b));
  }
  ImportNames names;
  const auto body = [&](std::size_t owner) { return owner == 0 ? world_shapes_ : name_of(owner); };
  for (const MjcfContact& c : find_mjcf_contacts(touching_, file_.pairs, excluded, kMostContacts, refusals_)) {
    ContactRule rule;
    rule.name = names.add(c.name.empty() ? fmt::format("{}_{}", body(c.one), body(c.two)) : c.name, "contact");
    rule.kind = ContactRule::Kind::Between;
    rule.body = body(c.two), rule.other = body(c.one);
    rule.where = c.where;
    const auto amount = [&](double x) { return x == 0 ? Quantity() : Quantity(number_text(x), c.where); };
    rule.friction = amount(c.sliding);
    rule.spinning_friction = amount(c.spinning), rule.rolling_friction = amount(c.rolling);
    m_.switching.contacts.push_back(std::move(rule));
  }
}

}  // namespace kane
