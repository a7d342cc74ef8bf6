#include "kane/formats/urdf/urdf_reader.hpp"

#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "kane/base/vec3.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/import_names.hpp"
#include "kane/formats/yaml/yaml_document.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/orientation.hpp"
#include "kane/mechanism/inertia_library.hpp"
#include "kane/mechanism/joint_library.hpp"

namespace kane {

namespace {

/// urdfdom, with its messages caught instead of printed. They share one channel for the whole process, so only
/// one reader uses it at a time.
class Complaints : public console_bridge::OutputHandler {
 public:
  void log(const std::string& text, console_bridge::LogLevel, const char*, int) override { texts_ += text + " "; }
  [[nodiscard]] const std::string& texts() const { return texts_; }

 private:
  std::string texts_;
};

urdf::ModelInterfaceSharedPtr parse_model(const UrdfFile& file, const std::string& file_name) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  Complaints complaints;
  console_bridge::OutputHandler* const before = console_bridge::getOutputHandler();
  console_bridge::useOutputHandler(&complaints);
  urdf::ModelInterfaceSharedPtr model;
  std::string problem;
  try {
    model = urdf::parseURDF(file.clean_xml);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  console_bridge::useOutputHandler(before);
  if (!model)
    throw ModelError({file_name}, fmt::format("urdfdom does not accept this robot: {}{}", complaints.texts(), problem));
  return model;
}

bool is_identity(const Expr33& r) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (i == j ? !r[i][j].is_one() : !r[i][j].is_zero()) return false;
  return true;
}

bool all_numbers(const Expr33& r) {
  return std::all_of(r.begin(), r.end(), [](const Expr3& row) {
    return std::all_of(row.begin(), row.end(), [](const Expr& e) { return e.is_number(); });
  });
}

class UrdfBuilder {
 public:
  UrdfBuilder(const UrdfFile& file, const urdf::ModelInterface& model, const UrdfOptions& options,
              const std::string& file_name)
      : file_(file), model_(model), options_(options), m_(plain_name(file.name)), graph_(*m_.graph) {
    m_.where = {file_name, 1, 1};
    m_.notes = file.notes;
  }

  Mechanism build() {
    for (const auto& link : file_.links) link_texts_.emplace(link.name, &link);
    for (const auto& joint : file_.joints) joint_texts_.emplace(joint.name, &joint);
    body_names_ = ImportNames({m_.ground});
    for (const auto& link : file_.links) names_.emplace(link.name, unique_name(link.name, "link"));
    find_weights();
    place_links();
    add_bodies();
    add_base();
    for (const auto& joint : file_.joints) add_joint(joint);
    for (const auto& joint : file_.joints) add_mimic(joint);
    m_.add_parameter("g", Expr(options_.gravity));
    m_.units["g"] = "m/s^2";
    m_.gravity = {fmt::format("-g*{}.z", m_.ground), m_.where};
    m_.description = fmt::format("Robot '{}', imported from URDF", shown(file_.name));
    (void)check_mechanism(m_);
    return std::move(m_);
  }

 private:
  /// The place of a link: its own body, or a place on another body.
  struct LinkPlace {
    std::string body;
    Placement place;
  };

  // ---- names --------------------------------------------------------------------------------------------------------
  std::string unique_name(const std::string& name, std::string_view what) {
    return body_names_.add(name, what, &m_.notes);
  }

  // ---- numbers ------------------------------------------------------------------------------------------------------
  static Expr3 exprs(const std::array<Rational, 3>& v) { return {number(v[0]), number(v[1]), number(v[2])}; }
  static Expr number(const Rational& value) { return Expr(to_double(value)); }

  /// Makes right angles exact, however many digits the file gives.
  Expr angle(const Rational& value) {
    const double radians = to_double(value);
    constexpr double kRightAngle = 1.57079632679489661923;
    const double turns = std::round(radians / kRightAngle);
    if (turns != 0 && std::abs(radians - turns * kRightAngle) <= options_.snap_angle && std::abs(turns) <= 1000)
      return graph_.bind(static_cast<int>(turns) * graph_.pi() / 2);
    return graph_.number(rational_from_double(radians));
  }

  Expr33 rotation(const std::array<Rational, 3>& rpy) {
    Expr33 r = identity33();
    for (std::size_t i = 0; i < 3; ++i)
      if (rpy[i] != 0) r = multiply(simple_rotation_matrix(static_cast<Axis>(i), angle(rpy[i])), r);
    return r;
  }

  Placement placement(const UrdfOrigin& origin) { return {exprs(origin.xyz), rotation(origin.rpy)}; }

  /// Evaluates an expression of numbers: sums of decimals stay exact, everything else is rounded to double.
  static Expr rounded(const Expr& e) {
    if (!e.is_number()) return Expr(evaluate(e, {}));
    return Expr(to_double(e.number()));
  }
  static Expr3 rounded(const Expr3& v) { return {rounded(v[0]), rounded(v[1]), rounded(v[2])}; }
  static Expr33 rounded(const Expr33& r) { return {rounded(r[0]), rounded(r[1]), rounded(r[2])}; }

  /// One placement after another. Products of two skew rotations become plain numbers.
  static Placement compose(const Placement& a, const Placement& b) {
    Placement result;
    result.position = rounded(add(a.position, multiply(a.rotation, b.position)));
    result.rotation = multiply(a.rotation, b.rotation);
    if (!all_numbers(a.rotation) && !is_identity(b.rotation)) result.rotation = rounded(result.rotation);
    if (!all_numbers(b.rotation) && !is_identity(a.rotation) && !all_numbers(result.rotation))
      result.rotation = rounded(result.rotation);
    return result;
  }

  // ---- where links go -----------------------------------------------------------------------------------------------
  [[nodiscard]] static bool has_weight(const urdf::Link& link) {
    if (!link.inertial) return false;
    const urdf::Inertial& i = *link.inertial;
    return i.mass != 0 || i.ixx != 0 || i.iyy != 0 || i.izz != 0;
  }

  /// Finds the links that have mass, or carry a link that has.
  void find_weights() {
    bool any = false;
    for (const auto& text : file_.links) {
      urdf::LinkConstSharedPtr link = model_.getLink(text.name);
      any = any || (has_weight(*link) && (link->parent_joint != nullptr || options_.floating_base));
      if (!has_weight(*link)) continue;
      for (; link != nullptr && weighty_.insert(link->name).second; link = link->getParent()) {
      }
    }
    if (!any)
      throw ModelError(file_.links.front().where,
                       "no link that could move has a mass, so this robot has no equations of motion");
  }

  [[nodiscard]] bool moves(const urdf::Joint& joint) const {
    return joint.type != urdf::Joint::FIXED && weighty_.contains(joint.child_link_name);
  }

  [[nodiscard]] bool is_merged(const urdf::Joint& joint) const { return !moves(joint) && options_.merge_fixed; }

  void place_links() {
    std::vector<urdf::LinkConstSharedPtr> waiting{model_.getRoot()};
    places_[file_.root] = {names_.at(file_.root), {}};
    while (!waiting.empty()) {
      const urdf::LinkConstSharedPtr link = waiting.back();
      waiting.pop_back();
      for (const auto& joint : link->child_joints) {
        const std::string& child = joint->child_link_name;
        if (is_merged(*joint)) {
          const LinkPlace& parent = places_.at(link->name);
          places_[child] = {parent.body, compose(parent.place, placement(joint_texts_.at(joint->name)->origin))};
          m_.frames.push_back({names_.at(child), parent.body, places_[child].place, link_texts_.at(child)->where});
        } else {
          places_[child] = {names_.at(child), {}};
        }
        waiting.push_back(model_.getLink(child));
      }
    }
  }

  // ---- bodies -------------------------------------------------------------------------------------------------------
  void add_bodies() {
    std::map<std::string, std::vector<MassProperties>> parts;
    std::map<std::string, std::vector<Shape>> shapes;
    for (const auto& text : file_.links) {
      const urdf::LinkConstSharedPtr link = model_.getLink(text.name);
      const LinkPlace& place = places_.at(text.name);
      if (link->inertial) parts[place.body].push_back(mass_of(*link->inertial, text, place.place));
      if (options_.geometry) add_shapes(*link, text, place, shapes[place.body]);
    }
    for (const auto& text : file_.links) {
      const std::string& name = names_.at(text.name);
      if (places_.at(text.name).body != name) continue;
      MechanismBody body;
      body.name = name;
      body.where = text.where;
      const MassProperties whole = combine(parts[name]);
      body.mass = rounded(whole.mass);
      body.mass_centre = rounded(whole.mass_centre);
      body.inertia = rounded(whole.inertia);
      body.shapes = std::move(shapes[name]);
      m_.add_body(std::move(body));
    }
  }

  MassProperties mass_of(const urdf::Inertial& i, const UrdfLinkText& text, const Placement& place) {
    const Placement own = compose(place, placement(text.inertial_origin));
    // URDF gives the elements of the matrix, about the mass centre, in the axes of the inertial's origin.
    const Expr33 given{{{i.ixx, i.ixy, i.ixz}, {i.ixy, i.iyy, i.iyz}, {i.ixz, i.iyz, i.izz}}};
    MassProperties part;
    part.mass = Expr(i.mass);
    part.mass_centre = own.position;
    part.inertia = central_inertia(given, own.rotation, part.mass, part.mass_centre, part.mass_centre);
    return part;
  }

  void add_shapes(const urdf::Link& link, const UrdfLinkText& text, const LinkPlace& place,
                  std::vector<Shape>& shapes) {
    const auto add = [&](const urdf::Geometry& geometry, const UrdfGeometry& own, bool contact) {
      Shape shape;
      if (!read_geometry(geometry, text, shape)) return;
      shape.place = compose(place.place, placement(own.origin));
      shape.color = own.color;
      shape.display = !contact;
      shape.contact = contact;
      shape.hull = contact && !shape.file.empty();  // as simulators of such robots do
      shapes.push_back(std::move(shape));
    };
    for (std::size_t i = 0; i < std::min(link.visual_array.size(), text.visuals.size()); ++i)
      add(*link.visual_array[i]->geometry, text.visuals[i], false);
    for (std::size_t i = 0; i < std::min(link.collision_array.size(), text.collisions.size()); ++i)
      add(*link.collision_array[i]->geometry, text.collisions[i], true);
  }

  /// False, with a note, if a Shape cannot represent it.
  bool read_geometry(const urdf::Geometry& geometry, const UrdfLinkText& text, Shape& shape) {
    if (const auto* box = dynamic_cast<const urdf::Box*>(&geometry)) {
      shape.kind = ShapeKind::Box;
      shape.sizes = {box->dim.x, box->dim.y, box->dim.z};
    } else if (const auto* cylinder = dynamic_cast<const urdf::Cylinder*>(&geometry)) {
      shape.kind = ShapeKind::Cylinder;
      shape.sizes = {cylinder->radius, cylinder->length};
    } else if (const auto* sphere = dynamic_cast<const urdf::Sphere*>(&geometry)) {
      shape.kind = ShapeKind::Sphere;
      shape.sizes = {sphere->radius};
    } else if (const auto* mesh = dynamic_cast<const urdf::Mesh*>(&geometry)) {
      shape.kind = ShapeKind::Mesh;
      shape.file = mesh->filename;
      const std::filesystem::path path(shape.file);
      bool outside = path.has_root_path() || shape.file.starts_with("file:");
      for (const auto& part : path) outside = outside || part == "..";
      if (outside) {
        m_.notes.push_back(fmt::format("{}: the mesh '{}' is outside the folder of the robot and is left out",
                                       text.where.to_string(), shown(shape.file)));
        return false;
      }
      if (mesh->scale.x != 1 || mesh->scale.y != 1 || mesh->scale.z != 1)
        m_.notes.push_back(
            fmt::format("{}: the scale of the mesh '{}' is ignored", text.where.to_string(), shown(shape.file)));
    } else {
      return false;
    }
    return true;
  }

  // ---- joints -------------------------------------------------------------------------------------------------------
  void add_base() {
    Joint joint;
    joint.parent = m_.ground;
    joint.child = names_.at(file_.root);
    joint.where = link_texts_.at(file_.root)->where;
    joint.name = unique_joint("base");
    joint.kind = options_.floating_base ? "free" : "weld";
    joint.motions = open_joint(joint_kind(joint.kind, joint.where));
    if (options_.floating_base) {
      name_motions(graph_, joint, {"base_x", "base_y", "base_z", "base_e1", "base_e2", "base_e3", "base_e4"},
                   {"base_vx", "base_vy", "base_vz", "base_wx", "base_wy", "base_wz"});
      m_.initial["base_e4"] = 1;
    }
    m_.add_joint(std::move(joint));
  }

  std::string unique_joint(const std::string& name) { return joint_names_.add(name, "joint"); }

  void add_joint(const UrdfJointText& text) {
    const urdf::Joint& given = *model_.getJoint(text.name);
    if (given.type != urdf::Joint::FIXED && !moves(given))
      m_.notes.push_back(fmt::format("{}: the joint '{}' moves nothing that has mass and is held at zero",
                                     text.where.to_string(), shown(text.name)));
    if (is_merged(given)) return;
    Joint joint;
    joint.name = unique_joint(text.name);
    if (joint.name != text.name)
      m_.notes.push_back(fmt::format("the joint '{}' is called '{}' here", shown(text.name), joint.name));
    joint.where = text.where;
    const LinkPlace& parent = places_.at(given.parent_link_name);
    joint.parent = parent.body;
    joint.child = names_.at(given.child_link_name);
    joint.on_parent = compose(parent.place, placement(text.origin));
    set_motions(given, joint);
    at_joint(text, [&] { name_motions(graph_, joint, {}, {}); });
    if (joint.motions.size() == 1) set_law(given, text, joint);
    for (const auto& motion : joint.motions)
      if (motion.kind == MotionKind::Ball) m_.initial[motion.coordinates[3].name()] = 1;
    if (!joint.motions.empty()) coordinates_[text.name] = joint.motions.front().coordinates.front().name();
    m_.add_joint(std::move(joint));
  }

  template <class Work>
  static void at_joint(const UrdfJointText& text, Work work) {
    try {
      work();
    } catch (const ModelError& error) {
      throw ModelError(text.where, error.message());
    }
  }

  void set_motions(const urdf::Joint& given, Joint& joint) {
    switch (moves(given) ? given.type : urdf::Joint::FIXED) {
      case urdf::Joint::REVOLUTE:
      case urdf::Joint::CONTINUOUS: joint.kind = "revolute"; break;
      case urdf::Joint::PRISMATIC: joint.kind = "prismatic"; break;
      case urdf::Joint::FLOATING: joint.kind = "free"; break;
      case urdf::Joint::PLANAR: joint.kind = "planar"; break;
      default: joint.kind = "weld"; break;
    }
    joint.motions = open_joint(joint_kind(joint.kind, joint.where));
    const Expr3 axis{given.axis.x, given.axis.y, given.axis.z};
    if (joint.motions.size() == 1) joint.motions[0].axis = axis;
    if (joint.kind == "planar") turn_plane(axis, joint);
  }

  /// A plane normal to any axis: the joint frames are turned on both sides so that their z is that axis.
  static void turn_plane(const Expr3& axis, Joint& joint) {
    if (axis[0].is_zero() && axis[1].is_zero()) {
      joint.motions[2].axis = axis;
      return;
    }
    Vec3 z, x;
    for (std::size_t i = 0; i < 3; ++i) z[i] = to_double(axis[i].number());
    const double length = std::hypot(z.x, z.y, z.z);
    for (std::size_t i = 0; i < 3; ++i) z[i] /= length;
    // x perpendicular to z, in the plane of z and the axis it is farthest from
    std::size_t far = 0;
    for (std::size_t i = 1; i < 3; ++i)
      if (std::abs(z[i]) < std::abs(z[far])) far = i;
    x[far] = 1;
    x = x - z[far] * z;
    const double across_length = std::hypot(x.x, x.y, x.z);
    const Vec3 y = cross(z, x);
    Expr33 turn;
    for (std::size_t i = 0; i < 3; ++i) turn[i] = {x[i] / across_length, y[i] / across_length, z[i]};
    joint.on_parent.rotation = rounded(multiply(joint.on_parent.rotation, turn));
    joint.on_child.rotation = turn;
  }

  void set_law(const urdf::Joint& given, const UrdfJointText& text, Joint& joint) {
    AxisLaw& law = joint.motions[0].law;
    if (given.dynamics) {
      law.damping = given.dynamics->damping;
      law.friction = given.dynamics->friction;
    }
    if (given.limits) {
      const bool bounded = given.type != urdf::Joint::CONTINUOUS && text.has_limits;
      if (bounded) law.lower = Expr(given.limits->lower), law.upper = Expr(given.limits->upper);
      if (bounded) start_within(given, joint);
    }
    if (!options_.actuators || (given.mimic && options_.mimic)) return;
    if (given.limits && text.has_effort) law.max_force = Expr(std::abs(given.limits->effort));
    if (given.limits && text.has_velocity) law.max_speed = Expr(std::abs(given.limits->velocity));
    const std::string input = "tau_" + joint.name;
    law.actuator = m_.add_input(input);
    m_.units[input] = joint.kind == "prismatic" ? "N" : "N*m";
  }

  /// A robot whose limits exclude zero begins in the middle of its range.
  void start_within(const urdf::Joint& given, const Joint& joint) {
    const double lower = given.limits->lower, upper = given.limits->upper;
    if ((lower <= 0 && upper >= 0) || (given.mimic && options_.mimic)) return;
    const double middle = lower + (upper - lower) / 2;
    m_.initial[joint.motions[0].coordinates[0].name()] = middle;
    m_.notes.push_back(
        fmt::format("joint '{}' begins at {:.6g}, the middle of its range, which excludes 0", joint.name, middle));
  }

  /// It begins where the joint that it follows puts it.
  void start_as_mimic(const std::string& coordinate, const urdf::JointMimic& mimic) {
    double value = mimic.offset;
    if (const auto other = coordinates_.find(mimic.joint_name); other != coordinates_.end())
      if (const auto begins = m_.initial.find(other->second); begins != m_.initial.end())
        value += mimic.multiplier * begins->second;
    if (value != 0) m_.initial[coordinate] = value;
  }

  /// coordinate = multiplier * other + offset
  void add_mimic(const UrdfJointText& text) {
    const urdf::Joint& given = *model_.getJoint(text.name);
    if (!given.mimic || !options_.mimic || !coordinates_.contains(text.name)) return;
    const urdf::JointMimic& mimic = *given.mimic;
    std::string value = "0";
    if (const auto other = coordinates_.find(mimic.joint_name); other != coordinates_.end())
      value = mimic.multiplier == 1 ? other->second : fmt::format("({})*{}", mimic.multiplier, other->second);
    if (mimic.offset != 0) value += fmt::format(" + ({})", mimic.offset);
    start_as_mimic(coordinates_.at(text.name), mimic);
    Constraint constraint;
    constraint.name = unique_joint("mimic_" + text.name);
    constraint.where = text.where;
    ExpressionConstraint rows;
    rows.configuration.push_back({fmt::format("{} - ({})", coordinates_.at(text.name), value), text.where});
    constraint.what = std::move(rows);
    m_.constraints.push_back(std::move(constraint));
    m_.dependent_speeds.push_back(speed_name(coordinates_.at(text.name)));
  }

  const UrdfFile& file_;
  const urdf::ModelInterface& model_;
  UrdfOptions options_;
  Mechanism m_;
  Graph& graph_;
  std::map<std::string, const UrdfLinkText*> link_texts_;
  std::map<std::string, const UrdfJointText*> joint_texts_;
  std::map<std::string, std::string> names_;        ///< names of the links here
  std::map<std::string, LinkPlace> places_;         ///< by link
  std::map<std::string, std::string> coordinates_;  ///< by joint
  ImportNames body_names_, joint_names_;
  std::set<std::string> weighty_;
};

}  // namespace

Mechanism read_urdf_text(std::string_view text, const std::string& file_name, const UrdfOptions& options) {
  const UrdfFile file = check_urdf_text(text, file_name, options.limits, options.repair_inertia);
  const urdf::ModelInterfaceSharedPtr model = parse_model(file, file_name);
  return UrdfBuilder(file, *model, options, file_name).build();
}

Mechanism read_urdf(const std::filesystem::path& file, const UrdfOptions& options) {
  return read_urdf_text(read_file_bytes(file, file.string(), options.limits.max_bytes), file.string(), options);
}

}  // namespace kane
