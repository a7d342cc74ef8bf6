#include "kane/formats/yaml/read_parts.hpp"

#include <algorithm>
#include <cctype>

#include "kane/formats/yaml/mesh_mass.hpp"
#include "kane/formats/yaml/read_flexible.hpp"
#include "kane/formats/yaml/yaml_document.hpp"
#include "kane/formats/yaml/yaml_keys.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanism/inertia_library.hpp"

namespace kane {

namespace {

/// Names of the sizes of shapes, in the order of ShapeInfo; shapes not listed take a list of lengths.
struct ShapeSizes {
  ShapeKind kind;
  std::vector<std::string_view> names;
};
const ShapeSizes* find_sizes(ShapeKind kind) {
  static const ShapeSizes rows[] = {
      {ShapeKind::Cylinder, {"radius", "length"}},     {ShapeKind::Sphere, {"radius"}},
      {ShapeKind::Cone, {"radius", "length"}},         {ShapeKind::Capsule, {"radius", "length"}},
      {ShapeKind::Tube, {"outer", "inner", "length"}}, {ShapeKind::Rod, {"radius", "length"}},
      {ShapeKind::Disk, {"radius", "length"}},
  };
  for (const auto& row : rows)
    if (row.kind == kind) return &row;
  return nullptr;
}

std::vector<Expr> read_sizes(const ModelContext& context, const YamlNode& node, const ShapeInfo& info,
                             const std::string& owner) {
  std::vector<Expr> sizes;
  const std::string what(info.name);
  const ShapeSizes* named = find_sizes(info.kind);
  if (node.is_list() && static_cast<int>(node.items.size()) == info.size_count) {
    for (const auto& item : node.items) sizes.push_back(context.scalar(item, measure::kLength, what, owner));
  } else if (node.is_scalar() && info.size_count == 1) {
    sizes.push_back(context.scalar(node, measure::kLength, what, owner));
  } else if (node.is_map() && named != nullptr) {
    const Group group(node, fmt::format("the {} of {}", what, owner), named->names);
    for (const auto name : named->names) {
      // The radius of a rod and the thickness of a disk are optional.
      const bool optional =
          (info.kind == ShapeKind::Rod && name == "radius") || (info.kind == ShapeKind::Disk && name == "length");
      if (!optional) (void)group.need(name, "50 mm");
      sizes.push_back(context.scalar(group, name, measure::kLength));
    }
  } else {
    node.fail(fmt::format("the {} of {} takes {} size{} ({}), but {} is given", what, owner, info.size_count,
                          info.size_count == 1 ? "" : "s", info.sizes, node.describe()));
  }
  return sizes;
}

/// A mesh is only named here; the file is opened when it is needed. It must be inside the model's folder.
std::string read_mesh(const YamlNode& node, const std::string& owner) {
  const std::string file = read_text(node, "mesh", owner);
  const std::filesystem::path path(file);
  bool outside = path.has_root_path();
  for (const auto& part : path) outside = outside || part == "..";
  if (outside || file.empty())
    node.fail(fmt::format("the mesh '{}' of {} must be a file inside the folder of the model", shown(file), owner));
  return file;
}

/// A mesh of a few points, [[x, y, z], ...]: their convex hull.
std::vector<Expr> read_corners(const ModelContext& context, const YamlNode& node, const std::string& owner) {
  std::vector<Expr> coordinates;
  for (const auto& item : node.items) {
    if (!item.is_list() || item.items.size() != 3)
      item.fail(fmt::format("a point of the mesh of {} must be a list of three lengths", owner));
    for (const auto& c : item.items) coordinates.push_back(context.scalar(c, measure::kLength, "mesh", owner));
  }
  return coordinates;
}

/// "#c04040", "red", "rgb(200, 60, 60)": it goes into pages as it is.
std::string read_color(const YamlNode& node, const std::string& owner) {
  constexpr std::size_t kLongest = 40;
  std::string color = read_text(node, "color", owner);
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("#(),.% /-").find(c) != std::string_view::npos;
  };
  if (color.empty() || color.size() > kLongest || !std::all_of(color.begin(), color.end(), fits))
    node.fail(
        fmt::format("the color of {} must be one such as \"#c04040\" or red, but '{}' is given", owner, shown(color)));
  return color;
}

Shape read_shape(const ModelContext& context, const YamlNode& node, const std::string& owner, const std::string& body) {
  const Group group(node, fmt::format("a shape of {}", owner), keys::kShape);
  const auto kinds = std::span(keys::kShape).first(11);
  const std::string_view kind = group.which(kinds);
  if (kind.empty()) node.fail(fmt::format("a shape of {} must be one of {}", owner, fmt::join(kinds, ", ")));
  group.check_only_one(kinds);
  const ShapeInfo& info = shape_info(kind, node.where());
  Shape shape;
  shape.kind = info.kind;
  shape.place = read_placement(context, group, "at", "orientation", body);
  const YamlNode& sizes = *group.find(kind);
  if (info.kind == ShapeKind::Mesh && sizes.is_list())
    shape.sizes = read_corners(context, sizes, owner);
  else if (info.kind == ShapeKind::Mesh)
    shape.file = read_mesh(sizes, owner);
  else if (info.size_count > 0)
    shape.sizes = read_sizes(context, sizes, info, owner);
  if (const YamlNode* color = group.find("color")) shape.color = read_color(*color, owner);
  if (const YamlNode* display = group.find("display")) shape.display = read_flag(*display, "display", owner);
  if (const YamlNode* contact = group.find("contact")) shape.contact = read_flag(*contact, "contact", owner);
  if (const YamlNode* hull = group.find("hull")) {
    if (shape.file.empty())
      hull->fail(fmt::format("a shape of {} has 'hull', which goes with the file of a mesh", owner));
    shape.hull = read_flag(*hull, "hull", owner);
  }
  return shape;
}

// ---- inertia ----------------------------------------------------------------------------------------------------------

/// Three numbers are the diagonal; six are xx, yy, zz, xy, yz, zx; three rows of three are the matrix.
Expr33 read_inertia_list(const ModelContext& context, const YamlNode& node, const std::string& owner) {
  const auto item = [&](std::size_t i) { return context.scalar(node.items[i], measure::kInertia, "inertia", owner); };
  const std::size_t n = node.items.size();
  if (n == 3 && node.items[0].is_list()) {
    Expr33 matrix;
    for (std::size_t i = 0; i < 3; ++i)
      matrix[i] = context.vector(node.items[i], measure::kInertia, "a row of the inertia", owner);
    return matrix;
  }
  if (n == 3) return diagonal(item(0), item(1), item(2));
  if (n == 6) {
    const Expr xy = item(3), yz = item(4), zx = item(5);
    return {{{item(0), xy, zx}, {xy, item(1), yz}, {zx, yz, item(2)}}};
  }
  node.fail(
      fmt::format("the inertia of {} is a list of 3 (xx, yy, zz), of 6 (xx, yy, zz, xy, yz, zx) or three rows of "
                  "three, but {} is given",
                  owner, node.describe()));
}

Expr33 read_inertia(const ModelContext& context, const YamlNode& node, const MechanismBody& body,
                    const std::string& owner) {
  if (node.is_list()) return read_inertia_list(context, node, owner);
  const Group group(node, fmt::format("the inertia of {}", owner), keys::kInertia);
  group.check_only_one({"diagonal", "matrix", "xx"});
  group.check_only_one({"frame", "orientation"});
  Expr33 given;
  if (const YamlNode* list = group.find("diagonal")) {
    given = read_inertia_list(context, *list, owner);
  } else if (const YamlNode* matrix = group.find("matrix")) {
    given = read_inertia_list(context, *matrix, owner);
  } else {
    const auto entry = [&](std::string_view key) { return context.scalar(group, key, measure::kInertia); };
    const Expr xy = entry("xy"), yz = entry("yz"), zx = entry("zx");
    given = {{{entry("xx"), xy, zx}, {xy, entry("yy"), yz}, {zx, yz, entry("zz")}}};
  }
  Expr33 axes = identity33();
  for (const auto key : {"frame", "orientation"})
    if (const YamlNode* turned = group.find(key)) axes = read_orientation(context, *turned, group.owner(), body.name);
  Expr3 about = body.mass_centre;
  if (const YamlNode* point = group.find("about"); point != nullptr && !(point->is_scalar() && point->text == "com"))
    about = read_position(context, *point, "about", group.owner(), body.name);
  return central_inertia(given, axes, body.mass, body.mass_centre, about);
}

void read_mass(const ModelContext& context, const Group& group, MechanismBody& body) {
  group.check_only_one({"mass", "density"});
  const YamlNode* shape = group.find("shape");
  body.mass = context.scalar(group, "mass", measure::kMass);
  if (shape != nullptr) {
    body.shapes.push_back(read_shape(context, *shape, group.owner(), body.name));
    const bool from_density = group.has("density");
    if (from_density || group.has("mass")) {
      const MassProperties whole = at_place(shape->place, [&] {
        const Shape& given = body.shapes.back();
        if (!given.file.empty()) {
          const std::filesystem::path folder = std::filesystem::path(shape->where().file).parent_path();
          return mesh_mass_properties(
              path_beneath(folder.empty() ? "." : folder, given.file, shape->place).string(), given.place,
              from_density ? context.scalar(group, "density", measure::kDensity) : body.mass, from_density);
        }
        return from_density ? mass_from_density(context.graph, body.shapes.back(),
                                                context.scalar(group, "density", measure::kDensity))
                            : mass_from_total(body.shapes.back(), body.mass);
      });
      body.mass = whole.mass;
      body.mass_centre = whole.mass_centre;
      body.inertia = whole.inertia;
    }
  } else if (const YamlNode* density = group.find("density")) {
    density->fail(fmt::format("{} has a density but no shape", group.owner()));
  }
  if (const YamlNode* com = group.find("com"))
    body.mass_centre = read_position(context, *com, "com", group.owner(), body.name);
  if (const YamlNode* inertia = group.find("inertia"))
    body.inertia = read_inertia(context, *inertia, body, group.owner());
}

void read_geometry(const ModelContext& context, const YamlNode& node, const std::string& owner, MechanismBody& body) {
  if (!node.is_list()) {
    body.shapes.push_back(read_shape(context, node, owner, body.name));
    return;
  }
  for (const auto& item : node.items) body.shapes.push_back(read_shape(context, item, owner, body.name));
}

/// Points, frames and particles of a body, written inside it: {tip: [L, 0, 0]} or the long form without `on`.
void read_inline_parts(ModelContext& context, const Group& group, const std::string& body) {
  Mechanism& m = context.mechanism;
  if (const YamlNode* points = group.find("points")) {
    for_each_entry(*points, "points", [&](const YamlEntry& entry) {
      const std::string owner = fmt::format("the point '{}.{}'", body, shown(entry.key));
      m.points.push_back(
          {entry.key, body, read_position(context, entry.value, "position", owner, body), entry.key_place.where()});
    });
  }
  if (const YamlNode* frames = group.find("frames")) {
    for_each_entry(*frames, "frames", [&](const YamlEntry& entry) {
      const Group frame(entry.value, fmt::format("the frame '{}.{}'", body, shown(entry.key)),
                        std::span(keys::kFrame).subspan(1));
      m.frames.push_back(
          {entry.key, body, read_placement(context, frame, "at", "orientation", body), entry.key_place.where()});
    });
  }
  if (const YamlNode* particles = group.find("particles")) {
    for_each_entry(*particles, "particles", [&](const YamlEntry& entry) {
      const std::string owner = fmt::format("the particle '{}'", shown(entry.key));
      const std::string_view own_keys[] = {"mass", "at"};
      const Group particle(entry.value, owner, own_keys);
      m.particles.push_back({entry.key, context.scalar(particle.need("mass", "2 kg"), measure::kMass, "mass", owner),
                             body, read_placement(context, particle, "at", "", body).position,
                             entry.key_place.where()});
    });
  }
}

}  // namespace

void read_body_parts(ModelContext& context, const YamlNode& section) {
  for_each_entry(section, "bodies", [&](const YamlEntry& entry) {
    const Group group(entry.value, fmt::format("the body '{}'", shown(entry.key)), keys::kBody);
    read_inline_parts(context, group, entry.key);
  });
}

void read_bodies(ModelContext& context, const YamlNode& section) {
  for_each_entry(section, "bodies", [&](const YamlEntry& entry) {
    const Group group(entry.value, fmt::format("the body '{}'", shown(entry.key)), keys::kBody);
    MechanismBody body;
    body.name = entry.key;
    body.where = entry.key_place.where();
    if (const YamlNode* flexible = group.find("flexible")) {
      for (const auto key : {"mass", "com", "inertia", "shape", "density"})
        if (const YamlNode* rigid = group.find(key))
          rigid->fail(
              fmt::format("{} is flexible, so its mass is that of the beam; '{}' belongs to a rigid body (attach "
                          "particles and further bodies instead)",
                          group.owner(), key));
      body.flexible = read_beam(context, *flexible, entry.key);
    } else {
      read_mass(context, group, body);
    }
    if (const YamlNode* geometry = group.find("geometry")) read_geometry(context, *geometry, group.owner(), body);
    context.mechanism.add_body(std::move(body));
  });
}

void read_particles(ModelContext& context, const YamlNode& section) {
  for_each_entry(section, "particles", [&](const YamlEntry& entry) {
    const Group group(entry.value, fmt::format("the particle '{}'", shown(entry.key)), keys::kParticle);
    MechanismParticle particle;
    particle.name = entry.key;
    particle.where = entry.key_place.where();
    particle.mass = context.scalar(group.need("mass", "2 kg"), measure::kMass, "mass", group.owner());
    particle.on = read_name(group.need("on", "A"), "on", group.owner());
    particle.at = read_placement(context, group, "at", "", particle.on).position;
    context.mechanism.particles.push_back(std::move(particle));
  });
}

void read_points(ModelContext& context, const YamlNode& section) {
  for_each_entry(section, "points", [&](const YamlEntry& entry) {
    const Group group(entry.value, fmt::format("the point '{}'", shown(entry.key)), keys::kPoint);
    const std::string on = read_name(group.need("on", "A"), "on", group.owner());
    const Placement place = read_placement(context, group, "at", "", on);
    context.mechanism.points.push_back({entry.key, on, place.position, entry.key_place.where()});
  });
}

void read_frames(ModelContext& context, const YamlNode& section) {
  for_each_entry(section, "frames", [&](const YamlEntry& entry) {
    const Group group(entry.value, fmt::format("the frame '{}'", shown(entry.key)), keys::kFrame);
    const std::string on = read_name(group.need("on", "A"), "on", group.owner());
    const Placement place = read_placement(context, group, "at", "orientation", on);
    context.mechanism.frames.push_back({entry.key, on, place, entry.key_place.where()});
  });
}

}  // namespace kane
