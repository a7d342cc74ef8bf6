#include "kane/formats/mjcf/mjcf_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "kane/base/contains.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/number.hpp"
#include "kane/formats/mjcf/mjcf_schema.hpp"
#include "kane/formats/xml/xml_document.hpp"
#include "kane/formats/yaml/yaml_document.hpp"

namespace kane {

namespace fs = std::filesystem;

// ---- elements -----------------------------------------------------------------------------------------------------------

const std::string* MjcfElement::find(std::string_view attribute) const {
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? nullptr : &found->second;
}

std::string MjcfElement::describe() const {
  const std::string* own = find("name");
  return own != nullptr ? fmt::format("the {} '{}'", name, shown(*own)) : fmt::format("this <{}>", name);
}

void MjcfElement::fail(const std::string& message) const { throw ModelError(where, message); }

std::optional<std::vector<double>> MjcfElement::numbers(std::string_view attribute, std::size_t least,
                                                        std::size_t most) const {
  const std::string* text = find(attribute);
  if (text == nullptr) return {};
  std::vector<double> values;
  std::string_view rest(*text);
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    if (rest.empty()) break;
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r\n"));
    const auto value = find_decimal(word);
    if (!value || !std::isfinite(to_double(*value)))
      fail(fmt::format("'{}' of {} must consist of numbers, but '{}' is given", attribute, describe(), shown(word)));
    values.push_back(to_double(*value));
    if (values.size() > most)
      fail(fmt::format("'{}' of {} has more than {} number{}", attribute, describe(), most, most == 1 ? "" : "s"));
    rest.remove_prefix(word.size());
  }
  if (values.size() < least)
    fail(fmt::format("'{}' of {} needs {} number{}, but {} {} given", attribute, describe(), least,
                     least == 1 ? "" : "s", values.size(), values.size() == 1 ? "is" : "are"));
  return values;
}

double MjcfElement::number(std::string_view attribute, double otherwise) const {
  const auto values = numbers(attribute, 1, 1);
  return values ? values->front() : otherwise;
}

bool MjcfElement::flag(std::string_view attribute, bool otherwise) const {
  const std::string* value = find(attribute);
  if (value == nullptr || *value == "auto") return otherwise;
  if (*value == "true" || *value == "enable") return true;
  if (*value == "false" || *value == "disable") return false;
  fail(fmt::format("'{}' of {} must be true or false, but '{}' is given", attribute, describe(), shown(*value)));
}

std::string MjcfElement::text(std::string_view attribute, std::string_view otherwise) const {
  const std::string* value = find(attribute);
  return value != nullptr ? *value : std::string(otherwise);
}

std::string MjcfElement::word(std::string_view attribute, const std::vector<std::string>& known) const {
  const std::string* value = find(attribute);
  if (value == nullptr) return known.front();
  if (!contains(known, *value))
    fail(fmt::format("'{}' of {} must be one of {}, but '{}' is given{}", attribute, describe(), fmt::join(known, ", "),
                     shown(*value), suggestion(*value, known)));
  return *value;
}

void MjcfRefusals::refuse(const MjcfElement& element, const std::string& what) {
  if (!lenient_) element.fail(fmt::format("{} (--lenient reads the rest of the file without it)", what));
  note(element, fmt::format("left out: {}", what));
}

void MjcfRefusals::note(const MjcfElement& element, const std::string& text) {
  notes_.push_back(fmt::format("{}: {}", element.where.to_string(), text));
}

namespace {

constexpr std::array kOrientations{"quat", "axisangle", "xyaxes", "zaxis", "euler"};

/// Default attributes of one class, by the kind of element.
struct DefaultClass {
  std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> attributes;
  std::vector<MjcfElement> actuators;  ///< outermost class first
};

class MjcfTreeReader {
 public:
  MjcfTreeReader(const fs::path& file, bool from_file, const MjcfLimits& limits, MjcfRefusals& refusals)
      : limits_(limits), refusals_(refusals) {
    result_.where = {file.string(), 1, 1};
    if (from_file) result_.folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  }

  MjcfFile read(std::string_view text) {
    MjcfElement root = parse(text, result_.where.file);
    if (root.name == "robot") root.fail("this is a URDF file, not MJCF; its root element is <robot>");
    if (root.name != "mujoco")
      root.fail(fmt::format("an MJCF file begins with <mujoco>, but <{}> was found", shown(root.name)));
    result_.model = root.text("model", "mujoco");
    put_includes(root, 0);
    check_children(root, "mujoco");
    for (const MjcfElement& section : root.children) join_section(section);
    read_defaults();
    result_.world.name = "worldbody";
    result_.world.where = root.where;
    apply_defaults(result_.world, "main");
    for (auto* list : {&result_.meshes, &result_.pairs})
      for (MjcfElement& e : *list) apply_class(e, "main", e.name);
    for (MjcfElement& e : result_.equalities) apply_class(e, "main", "equality");
    for (MjcfElement& e : result_.tendons) apply_class(e, "main", "tendon");
    for (MjcfActuatorText& a : result_.actuators) a.defaults = class_of(a.element, "main").actuators;
    return std::move(result_);
  }

 private:
  // ---- files --------------------------------------------------------------------------------------------------------------
  MjcfElement parse(std::string_view text, const std::string& name) {
    XmlDocument document(text, name, limits_.max_bytes, "MJCF", "mujoco");
    return convert(document, document.root());
  }

  MjcfElement convert(const XmlDocument& document, const tinyxml2::XMLElement& element) {
    MjcfElement result;
    result.name = element.Name();
    result.where = document.where(element);
    if (++count_ > limits_.max_elements)
      throw LimitError(result.where, fmt::format("the file has more than {} elements; this is the limit max_elements",
                                                 limits_.max_elements));
    for (const auto* a = element.FirstAttribute(); a != nullptr; a = a->Next())
      if (!result.attributes.emplace(a->Name(), a->Value()).second)
        result.fail(fmt::format("the attribute '{}' is given twice", shown(a->Name())));
    for (const auto* e = element.FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
      result.children.push_back(convert(document, *e));
    return result;
  }

  /// Each <include> is replaced by the children of the included file's root.
  void put_includes(MjcfElement& element, int depth) {
    for (std::size_t i = 0; i < element.children.size(); ++i) {
      MjcfElement& child = element.children[i];
      if (child.name != "include") {
        put_includes(child, depth);
        continue;
      }
      std::vector<MjcfElement> included = read_include(child, depth);
      const auto at = element.children.erase(element.children.begin() + static_cast<std::ptrdiff_t>(i));
      element.children.insert(at, std::make_move_iterator(included.begin()), std::make_move_iterator(included.end()));
      --i;
    }
  }

  std::vector<MjcfElement> read_include(const MjcfElement& include, int depth) {
    const std::string name = include.text("file");
    if (name.empty()) include.fail("<include> needs the attribute 'file'");
    if (result_.folder.empty()) include.fail("a model that is not read from a file cannot include others");
    if (depth > 20) throw LimitError(include.where, "includes are nested more than 20 deep; this is the limit");
    // Relative to the top file, or else to the including one.
    const fs::path own = fs::path(include.where.file).parent_path().lexically_relative(result_.folder) / name;
    std::error_code none;
    const std::string chosen = fs::exists(result_.folder / name, none) ? name : own.lexically_normal().string();
    const YamlPlace place{&include.where.file, nullptr, include.where.line, include.where.column};
    const fs::path path = path_beneath(result_.folder, chosen, place);
    if (!files_.insert(path).second) include.fail(fmt::format("the file '{}' is included twice", shown(name)));
    if (files_.size() > limits_.max_files)
      throw LimitError(include.where,
                       fmt::format("more than {} files are included; this is the limit max_files", limits_.max_files));
    MjcfElement root =
        parse(read_file_bytes(path, name, limits_.max_bytes), (result_.folder / chosen).lexically_normal().string());
    put_includes(root, depth + 1);
    return std::move(root.children);
  }

  // ---- names of elements and attributes -----------------------------------------------------------------------------------
  /// Removes what Kane does not read, after complaining about what it does not know.
  void check_children(MjcfElement& element, const std::string& parent) {
    std::erase_if(element.children, [&](MjcfElement& child) { return !check_element(child, parent); });
  }

  bool check_element(MjcfElement& element, const std::string& parent) {
    const MjcfElementInfo* info = find_mjcf_element(parent, element.name);
    if (info == nullptr) {
      refusals_.refuse(element, fmt::format("<{}> is not known inside <{}>{}", shown(element.name), parent,
                                            suggestion(element.name, mjcf_children(parent))));
      return false;
    }
    if (element.name == "sensor") result_.sensors += element.children.size();
    if (info->use == MjcfUse::Ignored) return false;
    if (info->use == MjcfUse::Refused) {
      refusals_.refuse(element, fmt::format("<{}> is not supported", element.name));
      return false;
    }
    check_attributes(element, *info);
    check_children(element, element.name);
    return true;
  }

  void check_attributes(MjcfElement& element, const MjcfElementInfo& info) {
    const std::vector<std::string> known = mjcf_attributes(info);
    std::erase_if(element.attributes, [&](const auto& attribute) {
      if (contains(known, attribute.first)) return false;
      refusals_.refuse(element, fmt::format("{} has no attribute '{}'{}", element.describe(), shown(attribute.first),
                                            suggestion(attribute.first, known)));
      return true;
    });
  }

  // ---- sections -----------------------------------------------------------------------------------------------------------
  void join_section(const MjcfElement& section) {
    const auto append = [&](std::vector<MjcfElement>& list, std::string_view name) {
      for (const MjcfElement& e : section.children)
        if (name.empty() || e.name == name) list.push_back(e);
    };
    if (section.name == "compiler") join_attributes(result_.compiler, section);
    if (section.name == "option") {
      join_attributes(result_.option, section);
      for (const MjcfElement& flag : section.children) join_attributes(result_.flags, flag);
    }
    if (section.name == "default") defaults_.push_back(section);
    if (section.name == "worldbody") append(result_.world.children, "");
    if (section.name == "asset") append(result_.meshes, "mesh"), append(result_.heightfields, "hfield");
    if (section.name == "contact") append(result_.excludes, "exclude"), append(result_.pairs, "pair");
    if (section.name == "equality") append(result_.equalities, "");
    if (section.name == "tendon") append(result_.tendons, "");
    if (section.name == "keyframe") append(result_.keys, "");
    if (section.name == "actuator")
      for (const MjcfElement& e : section.children) result_.actuators.push_back({e, {}});
  }

  /// Later attributes overwrite earlier ones.
  static void join_attributes(MjcfElement& whole, const MjcfElement& section) {
    whole.name = section.name;
    whole.where = section.where;
    for (const auto& [name, value] : section.attributes) whole.attributes[name] = value;
  }

  // ---- classes of defaults ------------------------------------------------------------------------------------------------
  void read_defaults() {
    classes_["main"];
    for (const MjcfElement& section : defaults_) {
      const std::string name = section.text("class", "main");
      if (name != "main")
        section.fail(fmt::format("the outermost <default> is the class 'main', but '{}' is given", shown(name)));
      read_class(section, "main");
    }
  }

  /// A class has its own elements first, wherever nested classes stand among them.
  void read_class(const MjcfElement& element, const std::string& name) {
    DefaultClass& own = classes_.at(name);
    for (const MjcfElement& e : element.children) {
      if (e.name == "default") continue;
      if (is_actuator(e.name)) {
        own.actuators.push_back(e);
        continue;
      }
      overlay(own.attributes[e.name], e.attributes);
    }
    for (const MjcfElement& e : element.children) {
      if (e.name != "default") continue;
      const std::string child = e.text("class");
      if (child.empty()) e.fail("a nested <default> needs the attribute 'class'");
      if (!classes_.emplace(child, classes_.at(name)).second)
        e.fail(fmt::format("there are two classes of defaults named '{}'", shown(child)));
      read_class(e, child);
    }
  }

  static bool is_actuator(const std::string& name) { return find_mjcf_element("actuator", name) != nullptr; }

  /// Own attributes win; of the ways to write an orientation there is one.
  static void overlay(std::map<std::string, std::string, std::less<>>& base,
                      const std::map<std::string, std::string, std::less<>>& own) {
    const auto turns = [&](const char* name) { return own.contains(name); };
    if (std::any_of(kOrientations.begin(), kOrientations.end(), turns))
      for (const char* name : kOrientations) base.erase(name);
    for (const auto& [name, value] : own) base[name] = value;
  }

  const DefaultClass& class_of(const MjcfElement& element, const std::string& childclass) {
    const std::string name = element.text("class", childclass);
    const auto found = classes_.find(name);
    if (found == classes_.end()) {
      std::vector<std::string> known;
      for (const auto& [key, value] : classes_) known.push_back(key);
      element.fail(fmt::format("there is no class of defaults named '{}'{}", shown(name), suggestion(name, known)));
    }
    return found->second;
  }

  void apply_class(MjcfElement& element, const std::string& childclass, const std::string& kind) {
    const DefaultClass& chosen = class_of(element, childclass);
    const auto found = chosen.attributes.find(kind);
    if (found == chosen.attributes.end()) return;
    auto merged = found->second;
    overlay(merged, element.attributes);
    element.attributes = std::move(merged);
  }

  void apply_defaults(MjcfElement& element, const std::string& childclass) {
    for (MjcfElement& child : element.children) {
      if (child.name == "body" || child.name == "frame" || child.name == "replicate") {
        const std::string own = child.text("childclass", childclass);
        if (!classes_.contains(own)) child.fail(fmt::format("there is no class of defaults named '{}'", shown(own)));
        apply_defaults(child, own);
      } else if (child.name == "joint" || child.name == "geom" || child.name == "site") {
        apply_class(child, childclass, child.name);
      }
    }
  }

  MjcfLimits limits_;
  MjcfRefusals& refusals_;
  MjcfFile result_;
  std::vector<MjcfElement> defaults_;
  std::map<std::string, DefaultClass, std::less<>> classes_;
  std::set<fs::path> files_;
  std::size_t count_ = 0;
};

}  // namespace

MjcfFile read_mjcf_tree(std::string_view text, const fs::path& file, bool from_file, const MjcfLimits& limits,
                        MjcfRefusals& refusals) {
  return MjcfTreeReader(file, from_file, limits, refusals).read(text);
}

}  // namespace kane
