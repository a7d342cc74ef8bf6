#include "kane/formats/yaml/read_switching.hpp"
#include "kane/formats/yaml/write_parts.hpp"

namespace kane {
namespace {

void add(YamlNode& node, const char* key, const Quantity& q) {
  if (!q.empty()) add_entry(node, key, q.text);
}
void add(YamlNode& node, const char* key, const std::string& text) {
  if (!text.empty()) add_entry(node, key, text);
}

void add_law(YamlNode& node, const ContactRule& c) {
  if (c.friction_across.empty())
    add(node, "friction", c.friction);
  else
    add_entry(node, "friction", quantities_node({c.friction, c.friction_across})), add(node, "along", c.along);
  add(node, "static_friction", c.static_friction);
  add(node, "rolling_friction", c.rolling_friction), add(node, "spinning_friction", c.spinning_friction);
  add(node, "restitution", c.restitution);
  if (c.law == RestitutionLaw::Poisson) add_entry(node, "law", "poisson");
  if (c.law == RestitutionLaw::Stronge) add_entry(node, "law", "stronge");
  if (c.phases) add_entry(node, "phases", "true");
  add(node, "stiffness", c.stiffness), add(node, "dissipation", c.dissipation), add(node, "damping", c.damping);
  add(node, "adhesion", c.adhesion);
}

YamlNode contact_node(const ContactRule& c) {
  static constexpr const char* kKinds[] = {"gap",      "point",   "sphere",  "disk", "box",
                                           "cylinder", "capsule", "spheres", "joint"};
  YamlNode node = yaml_map();
  switch (c.kind) {
    case ContactRule::Kind::Gap:
      add(node, "gap", c.gap);
      if (!c.slip.empty()) add_entry(node, "slip", quantities_node(c.slip));
      break;
    case ContactRule::Kind::Joint: add(node, "joint", c.joint); break;
    case ContactRule::Kind::Between:
      add_entry(node, "between", names_node({c.body, c.other}));
      add(node, "plane", c.plane), add(node, "height", c.height);
      break;
    case ContactRule::Kind::All:
      add_entry(node, "all", "true");
      if (!c.except.empty()) {
        std::vector<YamlNode> lists;
        for (const auto& list : c.except) lists.push_back(names_node(list));
        add_entry(node, "except", yaml_list(std::move(lists)));
      }
      if (!c.ignore.empty()) {
        std::vector<YamlNode> pairs;
        for (const auto& [one, other] : c.ignore) pairs.push_back(names_node({one, other}));
        add_entry(node, "ignore", yaml_list(std::move(pairs)));
      }
      add(node, "plane", c.plane), add(node, "height", c.height);
      break;
    case ContactRule::Kind::Spheres:
      add_entry(node, "spheres", names_node({c.body, c.other}));
      add_entry(node, "radii", quantities_node({c.radius, c.other_radius}));
      break;
    case ContactRule::Kind::Pin:
    case ContactRule::Kind::Slot:
      add_entry(node, c.kind == ContactRule::Kind::Pin ? "pin" : "slot", names_node({c.body, c.other}));
      add(node, "clearance", c.clearance), add(node, "axis", c.axis), add(node, "radius", c.radius);
      break;
    case ContactRule::Kind::Gear:
      add_entry(node, "gear", names_node({c.body, c.other}));
      add(node, "ratio", c.ratio), add(node, "backlash", c.clearance), add(node, "offset", c.offset);
      break;
    default:
      add(node, kKinds[static_cast<int>(c.kind)], c.body);
      add(node, "at", c.at), add(node, "plane", c.plane), add(node, "reference", c.reference);
      add(node, "height", c.height), add(node, "radius", c.radius), add(node, "axis", c.axis);
      add(node, "length", c.length);
      if (!c.size.empty()) add_entry(node, "size", quantities_node(c.size));
  }
  add_law(node, c);
  return node;
}

YamlNode body_lists_node(const std::vector<ContactGroup>& groups) {
  YamlNode node = yaml_map();
  for (const ContactGroup& group : groups) add_entry(node, group.name, names_node(group.bodies));
  return node;
}

YamlNode pair_law_node(const ContactRule& c) {
  YamlNode node = yaml_map();
  add_entry(node, "of", names_node({c.body, c.other}));
  add_law(node, c);
  return node;
}

YamlNode event_node(const SwitchRule& s) {
  static constexpr const char* kDirections[] = {"falling", "both", "rising"};
  YamlNode node = yaml_map();
  if (s.force.empty()) {
    add(node, "when", s.when);
    add_entry(node, "direction", kDirections[s.direction + 1]);
  } else {
    add(node, "force", s.force);
    add(node, s.squared ? "exceeds" : s.direction > 0 ? "above" : "below", s.when);
  }
  if (!s.impose.empty()) add_entry(node, "impose", names_node(s.impose));
  if (!s.release.empty()) add_entry(node, "release", names_node(s.release));
  if (!s.resets.empty()) {
    YamlNode reset = yaml_map();
    for (const auto& r : s.resets) add_entry(reset, r.name, r.value.text);
    add_entry(node, "reset", std::move(reset));
  }
  add(node, "from", s.from), add(node, "to", s.to);
  if (s.stop) add_entry(node, "stop", "true");
  return node;
}

}  // namespace

void write_switching(const Switching& switching, YamlNode& root) {
  const auto section = [&](const char* name, YamlNode node) {
    if (!node.entries.empty()) add_entry(root, name, std::move(node));
  };
  YamlNode contacts = yaml_map(), friction = yaml_map(), modes = yaml_map(), events = yaml_map();
  if (!switching.contact_scheme.empty()) add_entry(contacts, "scheme", switching.contact_scheme);
  if (switching.contact_step) add_entry(contacts, "step", fmt::format("{}", *switching.contact_step));
  if (!switching.groups.empty()) add_entry(contacts, "groups", body_lists_node(switching.groups));
  if (!switching.materials.empty()) add_entry(contacts, "materials", body_lists_node(switching.materials));
  if (!switching.pair_laws.empty()) {
    std::vector<YamlNode> laws;
    for (const ContactRule& law : switching.pair_laws) laws.push_back(pair_law_node(law));
    add_entry(contacts, "pairs", yaml_list(std::move(laws)));
  }
  for (const auto& c : switching.contacts) add_entry(contacts, c.name, contact_node(c));
  for (const auto& f : switching.frictions) {
    YamlNode node = yaml_map();
    if (!f.slip.empty()) add_entry(node, "slip", quantities_node(f.slip));
    add(node, "joint", f.joint), add(node, "limit", f.limit), add(node, "stiction", f.stiction);
    add_entry(friction, f.name, std::move(node));
  }
  for (const auto& m : switching.modes) {
    YamlNode node = yaml_map();
    add_entry(node, "active", names_node(m.active));
    if (m.name == switching.initial_mode) add_entry(node, "initial", "true");
    add_entry(modes, m.name, std::move(node));
  }
  for (const auto& s : switching.switches) add_entry(events, s.name, event_node(s));
  YamlNode handle = yaml_map();
  for (const auto& h : switching.handles) {
    YamlNode node = yaml_map();
    add(node, "position", h.position), add(node, "stiffness", h.stiffness), add(node, "damping", h.damping);
    add_entry(handle, h.name, std::move(node));
  }
  section("handle", std::move(handle));
  section("contacts", std::move(contacts));
  section("friction", std::move(friction));
  section("modes", std::move(modes));
  section("events", std::move(events));
}

}  // namespace kane
