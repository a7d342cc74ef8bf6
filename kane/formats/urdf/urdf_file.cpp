#include "kane/formats/urdf/urdf_file.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kane/base/suggest.hpp"
#include "kane/formats/xml/xml_document.hpp"
#include "kane/formats/yaml/yaml_tree.hpp"

namespace kane {

namespace {

using tinyxml2::XMLElement;

const std::vector<std::string> kJointTypes{"revolute", "continuous", "prismatic", "fixed", "floating", "planar"};

/// The three moments nearest to these (ascending) of which none exceeds the sum of the others. Such moments fill a cone whose
/// faces are flat bodies and whose edges are thin rods: one face is violated, and the nearest point is on it, on its edge, or
/// at the tip.
Eigen::Vector3d nearest_moments(const Eigen::Vector3d& p) {
  const double excess = p[2] - p[0] - p[1];
  if (excess <= 0) return p;
  const Eigen::Vector3d face = p + excess / 3 * Eigen::Vector3d(1, 1, -1);
  if (face[0] >= 0) return face;
  const double rod = std::max(0.0, (p[1] + p[2]) / 2);
  return {0, rod, rod};
}

class UrdfCheck {
 public:
  UrdfCheck(std::string_view text, const std::string& file_name, const UrdfLimits& limits, bool repair_inertia)
      : limits_(limits), repair_inertia_(repair_inertia), xml_(text, file_name, limits.max_bytes, "URDF", "robot") {}

  UrdfFile run() {
    const XMLElement& robot = xml_.root();
    check_root(robot);
    result_.name = attribute(robot, "name", "the robot");
    read_materials(robot);
    clean(robot);
    check_sizes(robot);
    for (XMLElement* link = first(robot, "link"); link != nullptr; link = next(*link, "link")) read_link(*link);
    for (XMLElement* joint = first(robot, "joint"); joint != nullptr; joint = next(*joint, "joint")) read_joint(*joint);
    note_ignored();
    check_tree();
    check_mimics();
    tinyxml2::XMLPrinter printer(nullptr, true);
    xml_.document().Print(&printer);
    result_.clean_xml = printer.CStr();
    return std::move(result_);
  }

 private:
  // ---- places and errors ------------------------------------------------------------------------------------------
  [[nodiscard]] Where where(const XMLElement& element) const { return xml_.where(element); }

  [[noreturn]] void fail(const XMLElement& element, const std::string& message) const {
    throw ModelError(where(element), message);
  }

  void note(const XMLElement& element, const std::string& text) {
    result_.notes.push_back(fmt::format("{}: {}", where(element).to_string(), text));
  }

  // ---- XML ----------------------------------------------------------------------------------------------------------
  void check_root(const XMLElement& robot) const {
    const std::string_view name = robot.Name();
    if (name == "sdf") fail(robot, "this is an SDF file, not URDF; its root element is <sdf>");
    if (name == "mujoco") fail(robot, "this is an MJCF file, not URDF; its root element is <mujoco>");
    if (name != "robot") fail(robot, fmt::format("a URDF file begins with <robot>, but <{}> was found", shown(name)));
    for (const XMLElement* e = robot.FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
      if (std::string_view(e->Name()).starts_with("xacro:"))
        fail(*e, fmt::format("<{}> is a xacro macro; expand the file with xacro first", shown(e->Name())));
  }

  static XMLElement* first(const XMLElement& parent, const char* name) {
    return const_cast<XMLElement&>(parent).FirstChildElement(name);
  }
  static XMLElement* next(XMLElement& element, const char* name) { return element.NextSiblingElement(name); }

  std::string attribute(const XMLElement& element, const char* name, const std::string& owner) const {
    const char* value = element.Attribute(name);
    if (value == nullptr || *value == '\0') fail(element, fmt::format("{} needs the attribute '{}'", owner, name));
    return value;
  }

  /// Removes elements that do not describe bodies and joints.
  void clean(const XMLElement& robot) {
    auto& root = const_cast<XMLElement&>(robot);
    root.DeleteAttribute("version");
    for (tinyxml2::XMLNode* node = root.FirstChild(); node != nullptr;) {
      tinyxml2::XMLNode* following = node->NextSibling();
      const XMLElement* element = node->ToElement();
      const std::string_view name = element != nullptr ? element->Name() : "";
      if (name != "link" && name != "joint") {
        if (element != nullptr && name != "material") ++ignored_[std::string(name)];
        root.DeleteChild(node);
      }
      node = following;
    }
  }

  void note_ignored() {
    for (const auto& [name, count] : ignored_)
      result_.notes.push_back(fmt::format("{} <{}> element{} ignored", count, shown(name), count == 1 ? "" : "s"));
  }

  void check_sizes(const XMLElement& robot) const {
    for (const char* kind : {"link", "joint"}) {
      std::size_t count = 0;
      for (const XMLElement* e = robot.FirstChildElement(kind); e != nullptr; e = e->NextSiblingElement(kind))
        if (++count > limits_.max_links)
          throw LimitError(where(*e), fmt::format("the robot has more than {} {}s; this is the limit max_links",
                                                  limits_.max_links, kind));
    }
    if (robot.FirstChildElement("link") == nullptr) fail(robot, "the robot has no <link>");
  }

  // ---- values -------------------------------------------------------------------------------------------------------
  Rational number(const XMLElement& element, const char* name, std::string_view text, const std::string& owner) const {
    const auto value = find_decimal(text);
    if (!value || !std::isfinite(to_double(*value)))
      fail(element, fmt::format("'{}' of {} must be a number, but '{}' is given", name, owner, shown(text)));
    return *value;
  }

  Rational number(const XMLElement& element, const char* name, const std::string& owner) const {
    return number(element, name, trimmed(attribute(element, name, owner)), owner);
  }

  static std::string trimmed(const std::string& text) {
    const std::size_t a = text.find_first_not_of(" \t\r\n");
    return a == std::string::npos ? "" : text.substr(a, text.find_last_not_of(" \t\r\n") - a + 1);
  }

  std::array<Rational, 3> triple(const XMLElement& element, const char* name, const std::string& owner) const {
    const char* text = element.Attribute(name);
    std::array<Rational, 3> values{};
    if (text == nullptr) return values;
    std::size_t count = 0;
    std::string_view rest(text);
    for (;;) {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
      if (rest.empty()) break;
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r\n"));
      if (count == 3) fail(element, fmt::format("'{}' of {} must have three numbers, but more are given", name, owner));
      values[count++] = number(element, name, word, owner);
      rest.remove_prefix(word.size());
    }
    if (count != 3)
      fail(element, fmt::format("'{}' of {} must have three numbers, but {} are given", name, owner, count));
    return values;
  }

  UrdfOrigin origin(const XMLElement& parent, const std::string& owner) const {
    const XMLElement* element = parent.FirstChildElement("origin");
    if (element == nullptr) return {};
    return {triple(*element, "xyz", owner), triple(*element, "rpy", owner)};
  }

  // ---- links --------------------------------------------------------------------------------------------------------
  void read_link(XMLElement& link) {
    UrdfLinkText text;
    text.name = attribute(link, "name", "a link");
    text.where = where(link);
    const std::string owner = fmt::format("the link '{}'", shown(text.name));
    if (!link_index_.emplace(text.name, result_.links.size()).second)
      fail(link, fmt::format("there are two links named '{}'", shown(text.name)));
    keep_only(link, {"inertial", "visual", "collision"});
    keep_first(link, "inertial", owner);
    if (XMLElement* inertial = link.FirstChildElement("inertial")) read_inertial(*inertial, text, owner);
    for (const char* kind : {"visual", "collision"})
      for (XMLElement* e = link.FirstChildElement(kind); e != nullptr;) {
        XMLElement* following = e->NextSiblingElement(kind);
        read_geometry(link, *e, kind, text, owner);
        e = following;
      }
    result_.links.push_back(std::move(text));
  }

  void read_inertial(XMLElement& inertial, UrdfLinkText& text, const std::string& owner) {
    text.inertial_origin = origin(inertial, "the inertial of " + owner);
    const XMLElement* mass = inertial.FirstChildElement("mass");
    if (mass == nullptr) fail(inertial, fmt::format("the inertial of {} needs <mass>", owner));
    if (number(*mass, "value", "the mass of " + owner) < 0)
      fail(*mass, fmt::format("the mass of {} is negative: {} kg", owner, mass->Attribute("value")));
    XMLElement* inertia = inertial.FirstChildElement("inertia");
    if (inertia == nullptr) fail(inertial, fmt::format("the inertial of {} needs <inertia>", owner));
    check_moments(*inertia, owner);
  }

  struct InertiaEntry {
    const char* name;
    int row, column;
  };
  static constexpr std::array<InertiaEntry, 6> kInertia{
      {{"ixx", 0, 0}, {"ixy", 0, 1}, {"ixz", 0, 2}, {"iyy", 1, 1}, {"iyz", 1, 2}, {"izz", 2, 2}}};

  /// Negative moments are rounding errors (programs that compute inertias from meshes write -5.4e-20 where they mean 0), or
  /// wrong. What no body can have is replaced by what is nearest to it, if that is requested.
  void check_moments(XMLElement& inertia, const std::string& owner) {
    Eigen::Matrix3d I;
    for (const auto& [name, i, j] : kInertia)
      I(i, j) = I(j, i) = to_double(number(inertia, name, "the inertia of " + owner));
    const double scale = I.cwiseAbs().maxCoeff();
    bool negative = false;
    for (const auto& [name, i, j] : kInertia) {
      const double moment = I(i, j);
      if (i != j || moment >= 0) continue;
      negative = true;
      if (repair_inertia_) continue;
      // The same bound as for the bodies of every format (check_values.cpp).
      if (moment < -std::max(1e-12 * scale, 1e-15))
        fail(inertia, fmt::format("'{}' of {} is negative: {} kg m^2; --repair-inertia replaces such inertias by the "
                                  "nearest that a body can have",
                                  name, owner, inertia.Attribute(name)));
      note(inertia, fmt::format("warning: '{}' of {} is {} kg m^2: taken for a rounding error", name, owner,
                                inertia.Attribute(name)));
      inertia.SetAttribute(name, 0);
    }
    if (repair_inertia_) repair(inertia, owner, I, negative);
  }

  /// In the Frobenius norm: the principal axes stay, and the moments move to the nearest that are possible.
  void repair(XMLElement& inertia, const std::string& owner, const Eigen::Matrix3d& I, bool negative) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(I);
    const Eigen::Vector3d p = axes.eigenvalues();
    const bool planar =
        (I.array() != 0).count() == 1 && !negative;  // a body that moves in a plane needs no other moment
    constexpr double kRounding = 1e-9;  // of the largest moment, as where warnings are given (check_values.cpp)
    if (planar || (!negative && p[2] <= p[0] + p[1] + kRounding * p[2] && p[0] >= -kRounding * p[2])) return;
    const Eigen::Matrix3d repaired =
        axes.eigenvectors() * nearest_moments(p).asDiagonal() * axes.eigenvectors().transpose();
    std::string changes;
    for (const auto& [name, i, j] : kInertia) {
      const double value = i == j ? std::max(0.0, repaired(i, j)) : repaired(i, j);
      const bool wrong = i == j && I(i, j) < 0;
      if (!wrong && std::abs(value - I(i, j)) <= 1e-15 * p.cwiseAbs().maxCoeff()) continue;
      changes +=
          fmt::format("{}{} from {} to {:.6g}", changes.empty() ? "" : ", ", name, inertia.Attribute(name), value);
      inertia.SetAttribute(name, fmt::format("{:.17g}", value).c_str());
    }
    note(inertia,
         fmt::format("no body can have the inertia of {}; it is replaced by the nearest possible one: {} kg m^2", owner,
                     changes));
  }

  /// Geometry is for pictures and contact; unknown geometry is left out, with a note.
  void read_geometry(XMLElement& link, XMLElement& element, const std::string& kind, UrdfLinkText& text,
                     const std::string& owner) {
    UrdfGeometry geometry;
    geometry.origin = origin(element, fmt::format("a {} of {}", kind, owner));
    if (const std::string problem = find_geometry_problem(element, owner); !problem.empty()) {
      note(element, fmt::format("a {} of {} is left out: {}", kind, owner, problem));
      link.DeleteChild(&element);
      return;
    }
    if (const XMLElement* material = element.FirstChildElement("material")) geometry.color = read_color(*material);
    keep_only(element, {"origin", "geometry"});
    XMLElement& outer = *element.FirstChildElement("geometry");
    while (outer.LastChildElement() != outer.FirstChildElement()) outer.DeleteChild(outer.LastChildElement());
    outer.FirstChildElement()->DeleteChildren();
    (kind == "visual" ? text.visuals : text.collisions).push_back(std::move(geometry));
  }

  std::string find_geometry_problem(const XMLElement& element, const std::string& owner) const {
    const XMLElement* geometry = element.FirstChildElement("geometry");
    const XMLElement* shape = geometry != nullptr ? geometry->FirstChildElement() : nullptr;
    if (shape == nullptr) return "it has no geometry";
    const std::string kind = shape->Name();
    const auto positive = [&](const char* name) { return number(*shape, name, "a shape of " + owner) > 0; };
    if (kind == "box") {
      for (const Rational& size : triple(*shape, "size", "a box of " + owner))
        if (size <= 0) return "a size of its box is not positive";
    } else if (kind == "cylinder") {
      if (!positive("radius") || !positive("length")) return "a size of its cylinder is not positive";
    } else if (kind == "sphere") {
      if (!positive("radius")) return "the radius of its sphere is not positive";
    } else if (kind == "mesh") {
      (void)triple(*shape, "scale", "a mesh of " + owner);
      if (shape->Attribute("filename") == nullptr) return "its mesh has no file";
    } else {
      return fmt::format("<{}> is not a known shape", shown(kind));
    }
    return {};
  }

  void read_materials(const XMLElement& robot) {
    for (const XMLElement* m = robot.FirstChildElement("material"); m != nullptr; m = m->NextSiblingElement("material"))
      if (const char* name = m->Attribute("name"); name != nullptr && m->FirstChildElement("color") != nullptr)
        colors_[name] = read_color(*m);
  }

  std::string read_color(const XMLElement& material) const {
    const XMLElement* color = material.FirstChildElement("color");
    const char* rgba = color != nullptr ? color->Attribute("rgba") : nullptr;
    if (rgba == nullptr) {
      const char* name = material.Attribute("name");
      const auto known = colors_.find(name != nullptr ? name : "");
      return known != colors_.end() ? known->second : "";
    }
    std::array<double, 3> parts{};
    std::size_t count = 0;
    std::string_view rest(rgba);
    while (count < 3) {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r\n"));
      const auto value = find_decimal(word);
      if (!value) return "";
      parts[count++] = std::clamp(to_double(*value), 0.0, 1.0);
      rest.remove_prefix(word.size());
    }
    const auto byte = [](double x) { return static_cast<int>(std::lround(255 * x)); };
    return fmt::format("#{:02x}{:02x}{:02x}", byte(parts[0]), byte(parts[1]), byte(parts[2]));
  }

  static void keep_only(XMLElement& parent, std::initializer_list<std::string_view> names) {
    for (tinyxml2::XMLNode* node = parent.FirstChild(); node != nullptr;) {
      tinyxml2::XMLNode* following = node->NextSibling();
      const XMLElement* element = node->ToElement();
      if (element == nullptr || std::find(names.begin(), names.end(), std::string_view(element->Name())) == names.end())
        parent.DeleteChild(node);
      node = following;
    }
  }

  void keep_first(XMLElement& parent, const char* name, const std::string& owner) const {
    const XMLElement* element = parent.FirstChildElement(name);
    const XMLElement* second = element != nullptr ? element->NextSiblingElement(name) : nullptr;
    if (second != nullptr) fail(*second, fmt::format("{} has two <{}> elements", owner, name));
  }

  // ---- joints -------------------------------------------------------------------------------------------------------
  void read_joint(XMLElement& joint) {
    UrdfJointText text;
    text.name = attribute(joint, "name", "a joint");
    text.where = where(joint);
    const std::string owner = fmt::format("the joint '{}'", shown(text.name));
    if (!joint_elements_.emplace(text.name, &joint).second)
      fail(joint, fmt::format("there are two joints named '{}'", shown(text.name)));
    const std::string type = attribute(joint, "type", owner);
    if (std::find(kJointTypes.begin(), kJointTypes.end(), type) == kJointTypes.end())
      fail(joint, fmt::format("{} has the unknown type '{}'{}; the known types are {}", owner, shown(type),
                              suggestion(type, kJointTypes), fmt::join(kJointTypes, ", ")));
    for (const char* name : {"calibration", "safety_controller"})
      if (joint.FirstChildElement(name) != nullptr) ++ignored_[name];
    keep_only(joint, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"});
    for (const char* name : {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"})
      keep_first(joint, name, owner);
    text.origin = origin(joint, owner);
    check_end(joint, "parent", owner);
    check_end(joint, "child", owner);
    check_axis(joint, type, owner);
    check_limit(joint, type, owner, text);
    check_dynamics(joint, owner);
    result_.joints.push_back(std::move(text));
  }

  void check_end(const XMLElement& joint, const char* end, const std::string& owner) const {
    const XMLElement* element = joint.FirstChildElement(end);
    if (element == nullptr) fail(joint, fmt::format("{} needs <{} link=\"...\"/>", owner, end));
    const std::string link = attribute(*element, "link", fmt::format("the {} of {}", end, owner));
    if (link_index_.contains(link)) return;
    std::vector<std::string> known;
    for (const auto& l : result_.links) known.push_back(l.name);
    fail(*element, fmt::format("the {} of {} is the link '{}', which does not exist{}", end, owner, shown(link),
                               suggestion(link, known)));
  }

  void check_axis(const XMLElement& joint, const std::string& type, const std::string& owner) const {
    const XMLElement* axis = joint.FirstChildElement("axis");
    if (axis == nullptr || type == "fixed" || type == "floating") return;
    if (axis->Attribute("xyz") == nullptr) return;
    const auto xyz = triple(*axis, "xyz", "the axis of " + owner);
    if (xyz[0] == 0 && xyz[1] == 0 && xyz[2] == 0) fail(*axis, fmt::format("the axis of {} has length zero", owner));
  }

  /// urdfdom requires limits with effort and velocity; files often omit them.
  void check_limit(XMLElement& joint, const std::string& type, const std::string& owner, UrdfJointText& text) {
    XMLElement* limit = joint.FirstChildElement("limit");
    if (limit == nullptr) {
      if (type != "revolute" && type != "prismatic") return;
      note(joint, fmt::format("{} is {} but has no limits", owner, type));
      limit = joint.InsertNewChildElement("limit");
    } else {
      text.has_limits = limit->Attribute("lower") != nullptr || limit->Attribute("upper") != nullptr;
      text.has_effort = limit->Attribute("effort") != nullptr;
      text.has_velocity = limit->Attribute("velocity") != nullptr;
    }
    std::map<std::string, Rational> values;
    for (const char* name : {"lower", "upper", "effort", "velocity"}) {
      if (limit->Attribute(name) == nullptr) limit->SetAttribute(name, "0");
      values[name] = number(*limit, name, "the limit of " + owner);
    }
    // Exporters write zeros for "unknown".
    text.has_limits = text.has_limits && (values["lower"] != 0 || values["upper"] != 0);
    text.has_effort = text.has_effort && values["effort"] != 0;
    text.has_velocity = text.has_velocity && values["velocity"] != 0;
    if (values["lower"] > values["upper"])
      fail(*limit, fmt::format("the lower limit {} of {} is above its upper limit {}", limit->Attribute("lower"), owner,
                               limit->Attribute("upper")));
  }

  void check_dynamics(const XMLElement& joint, const std::string& owner) const {
    const XMLElement* dynamics = joint.FirstChildElement("dynamics");
    if (dynamics == nullptr) return;
    auto& element = const_cast<XMLElement&>(*dynamics);
    bool any = false;
    for (const char* name : {"damping", "friction"}) {
      if (dynamics->Attribute(name) == nullptr) continue;
      any = true;
      if (number(*dynamics, name, "the dynamics of " + owner) < 0)
        fail(*dynamics, fmt::format("the {} of {} is negative: {}", name, owner, dynamics->Attribute(name)));
    }
    if (!any) element.SetAttribute("damping", "0");
  }

  // ---- the tree -----------------------------------------------------------------------------------------------------
  void check_tree() {
    std::map<std::string, std::pair<std::string, const XMLElement*>> parent_of;  // child -> parent, joint
    for (const auto& joint : result_.joints) {
      const XMLElement& element = *joint_elements_.at(joint.name);
      const std::string parent = element.FirstChildElement("parent")->Attribute("link");
      const std::string child = element.FirstChildElement("child")->Attribute("link");
      if (parent == child)
        fail(element,
             fmt::format("the joint '{}' connects the link '{}' with itself", shown(joint.name), shown(child)));
      const auto [known, is_new] = parent_of.emplace(child, std::pair(parent, &element));
      if (!is_new)
        fail(element,
             fmt::format("the link '{}' has two parents: the joint '{}' attaches it to '{}' and the joint '{}' to '{}'",
                         shown(child), known->second.second->Attribute("name"), known->second.first, shown(joint.name),
                         shown(parent)));
    }
    std::vector<std::string> roots;
    for (const auto& link : result_.links)
      if (!parent_of.contains(link.name)) roots.push_back(link.name);
    if (roots.empty())
      fail(*joint_elements_.begin()->second, "the joints form a cycle: every link is the child of another one");
    if (roots.size() > 1)
      throw ModelError(result_.links[link_index_.at(roots[1])].where,
                       fmt::format("the robot is not connected: '{}' and '{}' are both links without a parent",
                                   shown(roots[0]), shown(roots[1])));
    result_.root = roots.front();
    check_connected(parent_of);
  }

  /// If there is one root, a link that does not lead to it is on a cycle.
  void check_connected(const std::map<std::string, std::pair<std::string, const XMLElement*>>& parent_of) const {
    std::set<std::string> connected{result_.root};
    for (const auto& link : result_.links) {
      std::vector<std::string> way;
      std::string at = link.name;
      while (!connected.contains(at)) {
        if (way.size() > result_.links.size())
          throw ModelError(link.where, fmt::format("the joints form a cycle through the link '{}'", shown(link.name)));
        way.push_back(at);
        at = parent_of.at(at).first;
      }
      connected.insert(way.begin(), way.end());
    }
  }

  void check_mimics() const {
    for (const auto& joint : result_.joints) {
      const XMLElement* mimic = joint_elements_.at(joint.name)->FirstChildElement("mimic");
      if (mimic == nullptr) continue;
      const std::string owner = fmt::format("the mimic of the joint '{}'", shown(joint.name));
      for (const char* name : {"multiplier", "offset"})
        if (mimic->Attribute(name) != nullptr) (void)number(*mimic, name, owner);
      std::string other = attribute(*mimic, "joint", owner);
      std::vector<std::string> known;
      for (const auto& j : result_.joints) known.push_back(j.name);
      if (!joint_elements_.contains(other))
        fail(*mimic, fmt::format("{} names the joint '{}', which does not exist{}", owner, shown(other),
                                 suggestion(other, known)));
      for (std::size_t steps = 0; joint_elements_.contains(other); ++steps) {
        if (other == joint.name || steps > result_.joints.size())
          fail(*mimic, fmt::format("{} leads back to the joint itself", owner));
        const XMLElement* further = joint_elements_.at(other)->FirstChildElement("mimic");
        const char* leader = further != nullptr ? further->Attribute("joint") : nullptr;
        if (leader == nullptr) break;
        other = leader;
      }
    }
  }

  UrdfLimits limits_;
  bool repair_inertia_;
  XmlDocument xml_;
  UrdfFile result_;
  std::map<std::string, int> ignored_;
  std::map<std::string, std::string> colors_;
  std::map<std::string, std::size_t> link_index_;
  std::map<std::string, XMLElement*> joint_elements_;
};

}  // namespace

UrdfFile check_urdf_text(std::string_view text, const std::string& file_name, const UrdfLimits& limits,
                         bool repair_inertia) {
  return UrdfCheck(text, file_name, limits, repair_inertia).run();
}

}  // namespace kane
