#include "kane/formats/mjcf/mjcf_bodies.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "kane/base/suggest.hpp"
#include "kane/contact/mesh_file.hpp"
#include "kane/formats/yaml/yaml_document.hpp"

namespace kane {

namespace fs = std::filesystem;

std::string mesh_name(const MjcfElement& mesh) {
  return mesh.text("name", fs::path(mesh.text("file")).stem().string());
}

std::string mesh_path(const MjcfElement& mesh, const MjcfCompiler& compiler) {
  const std::string file = mesh.text("file");
  if (file.empty()) return "";
  const fs::path path = compiler.strip_path ? fs::path(file).filename() : fs::path(file);
  return (fs::path(compiler.mesh_folder) / path).lexically_normal().string();
}

const MjcfElement& find_mesh(const MjcfFile& file, const MjcfElement& geom) {
  const std::string wanted = geom.text("mesh");
  std::vector<std::string> known;
  for (const MjcfElement& mesh : file.meshes) {
    if (mesh_name(mesh) == wanted) return mesh;
    known.push_back(mesh_name(mesh));
  }
  geom.fail(wanted.empty() ? fmt::format("{} needs the attribute 'mesh'", geom.describe())
                           : fmt::format("there is no mesh '{}'{}", wanted, suggestion(wanted, known)));
}

namespace {

class BodyCollector {
 public:
  BodyCollector(const MjcfFile& file, const MjcfCompiler& compiler, const MjcfLimits& limits, MjcfRefusals& refusals)
      : file_(file), compiler_(compiler), limits_(limits), refusals_(refusals) {}

  std::vector<MjcfBody> collect() {
    MjcfBody world;
    world.element = &file_.world;
    world.name = "world";
    bodies_.push_back(std::move(world));
    contents_.emplace_back();
    collect_children(file_.world, 0, {});
    for (std::size_t i = 1; i < bodies_.size(); ++i) weigh(bodies_[i], contents_[i]);
    scale_total_mass();
    for (std::size_t i = 1; i < bodies_.size(); ++i) {
      MjcfBody& b = bodies_[i];
      const MjcfBody& parent = bodies_[b.parent];
      b.world = compose(parent.world, b.pose);
      b.owner = b.joints.empty() ? parent.owner : i;
      if (b.joints.empty()) b.in_owner = compose(parent.in_owner, b.pose);
    }
    return std::move(bodies_);
  }

 private:
  /// `frame` is the place of the enclosing <frame> in the body.
  void collect_children(const MjcfElement& element, std::size_t body, const MjcfPose& frame) {
    for (const MjcfElement& child : element.children) {
      if (child.name == "frame") {
        collect_children(child, body, compose(frame, compiler_.pose(child)));
      } else if (child.name == "body") {
        add_body(child, body, frame);
      } else if (child.name == "geom" || child.name == "site") {
        (child.name == "geom" ? bodies_[body].geoms : bodies_[body].sites).push_back({&child, frame});
      } else if (body == 0) {
        child.fail(fmt::format("the world cannot have a <{}>", child.name));
      } else if (child.name == "inertial") {
        if (bodies_[body].inertial != nullptr) child.fail("a body has one <inertial>");
        bodies_[body].inertial = &child;
      } else {
        add_joint(child, body, frame);
      }
    }
  }

  void add_body(const MjcfElement& element, std::size_t parent, const MjcfPose& frame) {
    if (bodies_.size() > limits_.max_bodies)
      throw LimitError(element.where, fmt::format("the model has more than {} bodies; this is the limit max_bodies",
                                                  limits_.max_bodies));
    MjcfBody b;
    b.element = &element;
    b.parent = parent;
    b.name = own_name(element, fmt::format("body_{}", bodies_.size()), body_names_);
    b.pose = compose(frame, compiler_.pose(element));
    const std::size_t index = bodies_.size();
    bodies_.push_back(std::move(b));
    // In global coordinates what the body holds is placed in the world, and the body's own frame is taken off.
    const MjcfPose contents = compiler_.global_coordinates ? inverse(compiler_.pose(element)) : MjcfPose{};
    contents_.push_back(contents);
    collect_children(element, index, contents);
    check_joints(bodies_[index]);
    check_global_frame(bodies_[index]);
  }

  /// Without a place of its own such a body has the frame of its principal axes, which shows in these speeds alone.
  void check_global_frame(const MjcfBody& b) const {
    if (!compiler_.global_coordinates) return;
    const MjcfElement& e = *b.element;
    for (const char* way : {"pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"})
      if (e.find(way) != nullptr) return;
    for (const MjcfJoint& j : b.joints)
      if (j.type == "ball" || j.type == "free")
        e.fail(fmt::format("{} needs 'pos' where coordinates are global: its joint has the axes of the body",
                           e.describe()));
  }

  static std::string own_name(const MjcfElement& element, const std::string& generated, std::set<std::string>& used) {
    const std::string name = element.text("name", generated);
    if (!used.insert(name).second)
      element.fail(fmt::format("there are two <{}> elements named '{}'", element.name, name));
    return name;
  }

  void add_joint(const MjcfElement& element, std::size_t body, const MjcfPose& frame) {
    MjcfJoint j;
    j.element = &element;
    j.type = element.name == "freejoint" ? "free" : element.word("type", {"hinge", "slide", "ball", "free"});
    const std::string& owner = bodies_[body].name;
    const std::size_t count = bodies_[body].joints.size();
    j.name = own_name(element, count == 0 ? owner : fmt::format("{}_{}", owner, count + 1), joint_names_);
    j.position = frame.position + frame.rotation * mjcf_vector(element, "pos");
    j.axis = frame.rotation * mjcf_vector(element, "axis", {0, 0, 1});
    if (j.type == "hinge" || j.type == "slide") {
      if (norm(j.axis) < kMjcfSmall) element.fail(fmt::format("the axis of {} is zero", element.describe()));
      j.axis = unit(j.axis);
      j.reference = element.number("ref", 0) * (j.type == "hinge" ? compiler_.angle_unit : 1);
    }
    if (element.flag("align", false))
      refusals_.refuse(element, "'align' would give the body another frame than the file's");
    bodies_[body].joints.push_back(std::move(j));
  }

  void check_joints(const MjcfBody& b) const {
    int balls = 0, turns = 0, freedom = 0;
    for (const MjcfJoint& j : b.joints) {
      if (j.type == "free" && (b.joints.size() > 1 || b.parent != 0))
        j.element->fail("a free joint must be the only joint of its body, and the body a child of the world");
      balls += j.type == "ball" ? 1 : 0;
      turns += j.type == "hinge" ? 1 : 0;
      freedom += j.type == "ball" ? 3 : j.type == "free" ? 6 : 1;
    }
    if (freedom > 6 || balls > 1 || (balls == 1 && turns > 0))
      b.element->fail(
          fmt::format("{} has too many joints: at most six degrees of freedom, one ball joint, and no hinges "
                      "beside a ball",
                      b.element->describe()));
    if (b.element->flag("mocap", false) && (!b.joints.empty() || b.parent != 0))
      b.element->fail("a mocap body is a child of the world without joints");
  }

  // ---- mass ---------------------------------------------------------------------------------------------------------------
  void weigh(MjcfBody& b, const MjcfPose& contents) {
    const bool by_hand = b.inertial != nullptr && compiler_.inertia_from_geoms != MjcfCompiler::FromGeoms::Always;
    if (by_hand) {
      b.mass = placed(read_inertial(*b.inertial, compiler_), contents);
    } else if (compiler_.inertia_from_geoms == MjcfCompiler::FromGeoms::Never) {
      if (!b.joints.empty())
        b.element->fail(fmt::format("{} needs <inertial>, since 'inertiafromgeom' is false", b.element->describe()));
    } else {
      b.mass = mass_of_geoms(b);
    }
    check_mass(b.mass, *b.element, compiler_);
  }

  MjcfMass mass_of_geoms(const MjcfBody& b) {
    std::vector<MjcfMass> parts;
    for (const MjcfPart& part : b.geoms) {
      const MjcfElement& e = *part.element;
      const double group = e.number("group", 0);
      if (group < compiler_.inertia_groups[0] || group > compiler_.inertia_groups[1]) continue;
      if (weighs_nothing(e)) continue;
      parts.push_back(placed(mass_of_geom(e), part.pose));
    }
    return combine(parts);
  }

  static bool weighs_nothing(const MjcfElement& e) {
    const std::string type = e.text("type", "sphere");
    if (type == "plane" || type == "hfield") return true;
    return e.find("mass") != nullptr ? e.number("mass", 0) == 0 : e.number("density", 1000) == 0;
  }

  MjcfMass mass_of_geom(const MjcfElement& e) {
    const MjcfGeom geom = read_geom(e, compiler_);
    if (geom.type == "mesh") return mass_of_mesh(e, geom);
    if (e.find("mesh") != nullptr || geom.type == "sdf") {
      refusals_.refuse(e,
                       fmt::format("{} is fitted to a mesh or a distance field, which is not supported", e.describe()));
      return {};
    }
    if (e.flag("shellinertia", false)) {
      refusals_.refuse(e, "'shellinertia' of a primitive shape is not supported");
      return {};
    }
    return primitive_mass(e, geom);
  }

  MjcfMass mass_of_mesh(const MjcfElement& e, const MjcfGeom& geom) {
    const MjcfElement& mesh = find_mesh(file_, e);
    const std::string method = mesh.word("inertia", {"legacy", "exact", "convex", "shell"});
    if (method == "convex") {
      refusals_.refuse(mesh, "the inertia of the convex hull of a mesh is not supported");
      return {};
    }
    const bool shell = method == "shell" || e.flag("shellinertia", false);
    const bool exact = method == "exact" || compiler_.exact_mesh_inertia;
    MjcfMass m = mesh_mass(triangles_of(mesh),
                           shell   ? MeshInertia::Shell
                           : exact ? MeshInertia::Exact
                                   : MeshInertia::Legacy,
                           mesh);
    const double mass = e.number("mass", e.number("density", 1000) * m.mass);
    const double factor = mass / m.mass;
    m.mass = mass;
    for (Vec3& row : m.inertia.rows) row = factor * row;
    return placed(m, geom.pose);
  }

  /// In the axes of the mesh after its scale and its reference pose.
  std::vector<MjcfTriangle> triangles_of(const MjcfElement& mesh) {
    std::vector<MjcfTriangle> triangles;
    const Vec3 scale = mjcf_vector(mesh, "scale", {1, 1, 1});
    const std::vector<double> q = mesh.numbers("refquat", 4, 4).value_or(std::vector<double>{1, 0, 0, 0});
    const MjcfPose reference{mjcf_vector(mesh, "refpos"), rotation_from_quaternion(q[0], q[1], q[2], q[3])};
    const Mat3 back = transposed(reference.rotation);
    const bool mirrored = scale.x * scale.y * scale.z < 0;
    const auto moved = [&](const Vec3& p) {
      return back * (Vec3{p.x * scale.x, p.y * scale.y, p.z * scale.z} - reference.position);
    };
    for (MjcfTriangle t : raw_triangles(mesh)) {
      t = {moved(t.a), moved(t.b), moved(t.c)};
      if (mirrored) std::swap(t.b, t.c);
      triangles.push_back(t);
    }
    return triangles;
  }

  std::vector<MjcfTriangle> raw_triangles(const MjcfElement& mesh) {
    if (const auto vertex = mesh.numbers("vertex", 12, 300'000)) {
      const auto face = mesh.numbers("face", 12, 300'000);
      if (!face) mesh.fail("the hull of the points of a mesh without 'face' is not supported; list its faces");
      if (vertex->size() % 3 != 0 || face->size() % 3 != 0)
        mesh.fail("'vertex' and 'face' come in groups of three numbers");
      const auto corner = [&](double k) {
        if (k < 0 || k >= static_cast<double>(vertex->size() / 3) || k != std::floor(k))
          mesh.fail(fmt::format("'face' names the vertex {}, which does not exist", k));
        const double* p = vertex->data() + 3 * static_cast<std::size_t>(k);
        return Vec3{p[0], p[1], p[2]};
      };
      std::vector<MjcfTriangle> triangles;
      for (std::size_t i = 0; i < face->size(); i += 3)
        triangles.push_back({corner((*face)[i]), corner((*face)[i + 1]), corner((*face)[i + 2])});
      return triangles;
    }
    const std::string path = mesh_path(mesh, compiler_);
    if (path.empty()) mesh.fail(fmt::format("{} has neither a file nor points", mesh.describe()));
    if (file_.folder.empty())
      mesh.fail(fmt::format("{} is in a file, and a model that is not read from a file has no folder to look in",
                            mesh.describe()));
    const YamlPlace place{&mesh.where.file, nullptr, mesh.where.line, mesh.where.column};
    const std::vector<MeshTriangle> read = read_mesh_triangles(path_beneath(file_.folder, path, place).string());
    std::vector<MjcfTriangle> triangles;
    for (const MeshTriangle& t : read) triangles.push_back({t.corners[0], t.corners[1], t.corners[2]});
    return triangles;
  }

  void scale_total_mass() {
    if (compiler_.total_mass <= 0) return;
    double total = 0;
    for (const MjcfBody& b : bodies_) total += b.mass.mass;
    if (total <= 0) return;
    for (MjcfBody& b : bodies_) {
      b.mass.mass *= compiler_.total_mass / total;
      for (Vec3& row : b.mass.inertia.rows) row = compiler_.total_mass / total * row;
    }
  }

  const MjcfFile& file_;
  const MjcfCompiler& compiler_;
  MjcfLimits limits_;
  MjcfRefusals& refusals_;
  std::vector<MjcfBody> bodies_;
  std::vector<MjcfPose> contents_;  ///< by body: what its elements are placed in, seen from its frame
  std::set<std::string> body_names_, joint_names_;
};

}  // namespace

std::vector<MjcfBody> collect_bodies(const MjcfFile& file, const MjcfCompiler& compiler, const MjcfLimits& limits,
                                     MjcfRefusals& refusals) {
  return BodyCollector(file, compiler, limits, refusals).collect();
}

}  // namespace kane
