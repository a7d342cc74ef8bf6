#include "kane/formats/yaml/read_switching.hpp"

#include <algorithm>
#include <cctype>

#include "kane/base/suggest.hpp"
#include "kane/formats/yaml/yaml_keys.hpp"
#include "kane/simulate/switching/switching_options.hpp"

namespace kane {
namespace {

class ContactReader {
  using Kind = ContactRule::Kind;

 public:
  ContactReader(ModelContext& context, const YamlEntry& entry)
      : context_(context), group_(entry.value, fmt::format("the contact '{}'", shown(entry.key)), keys::kContact) {
    rule_.name = entry.key;
    rule_.where = entry.value.where();
  }

  /// A law alone, for shapes of two materials.
  ContactReader(ModelContext& context, const YamlNode& node, const std::string& name)
      : context_(context), group_(node, name, keys::kPairLaw) {
    rule_.name = name;
    rule_.where = node.where();
    rule_.kind = Kind::Between;
  }

  ContactRule read_pair_law() {
    const YamlNode& of = group_.need("of", "[rubber, steel]");
    const auto names = read_names(of, "of", group_.owner());
    if (names.size() != 2) of.fail(fmt::format("'of' of {} names two materials, not {}", group_.owner(), names.size()));
    rule_.body = names[0], rule_.other = names[1];
    read_laws();
    return std::move(rule_);
  }

  ContactRule read() {
    std::vector<std::string_view> kinds(std::begin(keys::kContactKinds), std::end(keys::kContactKinds));
    group_.check_only_one(kinds);
    const std::string_view kind = group_.which(kinds);
    if (kind.empty())
      group_.node().fail(fmt::format("{} must have one of the keys {}", group_.owner(), fmt::join(kinds, ", ")));
    rule_.kind = static_cast<ContactRule::Kind>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
    read_geometry();
    read_laws();
    return std::move(rule_);
  }

 private:
  [[nodiscard]] Quantity value(std::string_view key, const Measure& measure) const {
    const YamlNode* node = group_.find(key);
    return node == nullptr ? Quantity{} : context_.quantity(*node, measure, key, group_.owner());
  }
  [[nodiscard]] Quantity needed(std::string_view key, const Measure& measure) const {
    return context_.quantity(group_.need(key, measure.example), measure, key, group_.owner());
  }
  [[nodiscard]] std::string name(std::string_view key) const {
    const YamlNode* node = group_.find(key);
    return node == nullptr ? std::string() : read_name(*node, key, group_.owner());
  }

  void refuse(std::initializer_list<std::string_view> useless) const {
    for (const auto key : useless)
      if (const YamlNode* node = group_.find(key))
        node->fail(fmt::format("'{}' has no meaning for {}", key, group_.owner()));
  }

  /// Two names under the key of the kind.
  void read_pair(std::string_view key, std::string_view what) {
    const auto names = read_names(*group_.find(key), key, group_.owner());
    if (names.size() != 2)
      group_.find(key)->fail(fmt::format("'{}' of {} names two {}, not {}", key, group_.owner(), what, names.size()));
    rule_.body = names[0];
    rule_.other = names[1];
  }

  /// A pin in a hole, or a point between two walls.
  void read_play() {
    const bool pin = rule_.kind == Kind::Pin;
    refuse({"slip", "size", "length", "at", "plane", "reference", "height", "radii", "rolling_friction",
            "spinning_friction", "backlash", "ratio", "teeth", "internal", "offset"});
    read_pair(pin ? "pin" : "slot", "points");
    rule_.clearance = needed("clearance", measure::kLength);
    const std::string& ground = context_.mechanism.ground;
    rule_.axis = context_.direction(group_.need("axis", ground + (pin ? ".z" : ".y")), ground, "axis", group_.owner());
    if (!pin) return refuse({"radius"});
    rule_.radius = value("radius", measure::kLength);
    if (group_.has("friction")) (void)group_.need("radius", "5 mm");
  }

  /// q2 = ratio q1 + offset, within half of the backlash.
  void read_backlash() {
    refuse({"slip", "size", "length", "at", "plane", "reference", "height", "radius", "radii", "axis", "clearance",
            "friction", "static_friction", "rolling_friction", "spinning_friction"});
    read_pair("gear", "coordinates");
    rule_.clearance = needed("backlash", measure::kAny);
    rule_.offset = value("offset", measure::kAny);
    group_.check_only_one({"ratio", "teeth"});
    const YamlNode* teeth = group_.find("teeth");
    if (teeth == nullptr) {
      refuse({"internal"});
      rule_.ratio = context_.quantity(group_.need("ratio", "-1/3"), measure::kAny, "ratio", group_.owner());
      return;
    }
    if (!teeth->is_list() || teeth->items.size() != 2)
      teeth->fail(fmt::format("'teeth' of {} must be a list of two numbers", group_.owner()));
    const Expr first = context_.scalar(teeth->items[0], measure::kNumber, "teeth", group_.owner());
    const Expr second = context_.scalar(teeth->items[1], measure::kNumber, "teeth", group_.owner());
    if (first.is_zero()) teeth->items[0].fail(fmt::format("the first gear of {} has no teeth", group_.owner()));
    if (second.is_zero()) teeth->items[1].fail(fmt::format("the second gear of {} has no teeth", group_.owner()));
    const bool internal = group_.has("internal") && read_flag(*group_.find("internal"), "internal", group_.owner());
    rule_.ratio = Quantity(context_.graph.bind((internal ? first : -first) / second));
  }

  void read_geometry() {
    const std::string& ground = context_.mechanism.ground;
    if (rule_.kind == Kind::Pin || rule_.kind == Kind::Slot) return read_play();
    if (rule_.kind == Kind::Gear) return read_backlash();
    refuse({"clearance", "backlash", "ratio", "teeth", "internal", "offset"});
    switch (rule_.kind) {
      case Kind::Gap: return read_gap();
      case Kind::Joint:
        rule_.joint = name("joint");
        refuse({"slip", "size", "length", "at", "plane", "reference", "height", "radius", "radii", "axis", "friction",
                "static_friction", "rolling_friction", "spinning_friction"});
        return;
      case Kind::Spheres: return read_spheres();
      case Kind::Between:
      case Kind::All: return read_shapes();
      default: rule_.body = name(keys::kContactKinds[static_cast<std::size_t>(rule_.kind)]);
    }
    refuse({"slip", "radii"});
    rule_.plane = context_.direction(group_.need("plane", "N.z"), ground, "plane", group_.owner());
    rule_.reference = name("reference");
    rule_.height = value("height", measure::kLength);
    if (rule_.kind == Kind::Point)
      return refuse({"at", "radius", "axis", "size", "length", "rolling_friction", "spinning_friction"});
    rule_.at = name("at");
    if (rule_.kind == Kind::Box) return read_box();
    refuse({"size"});
    rule_.radius = needed("radius", measure::kLength);
    const bool long_one = rule_.kind == Kind::Cylinder || rule_.kind == Kind::Capsule;
    if (long_one)
      rule_.length = needed("length", measure::kLength);
    else
      refuse({"length"});
    if (long_one || rule_.kind == Kind::Disk)
      rule_.axis = context_.direction(group_.need("axis", rule_.body + ".z"), rule_.body, "axis", group_.owner());
    else
      refuse({"axis"});
  }

  void read_box() {
    refuse({"radius", "axis", "length", "rolling_friction", "spinning_friction"});
    const YamlNode& size = group_.need("size", "[0.2 m, 0.1 m, 0.1 m]");
    if (!size.is_list() || size.items.size() != 3)
      size.fail(fmt::format("'size' of {} must be a list of three lengths", group_.owner()));
    for (const auto& item : size.items)
      rule_.size.push_back(context_.quantity(item, measure::kLength, "size", group_.owner()));
  }

  void read_gap() {
    refuse({"size", "length", "at", "plane", "reference", "height", "radius", "radii", "axis", "rolling_friction",
            "spinning_friction"});
    rule_.gap = value("gap", measure::kAny);
    const YamlNode* slip = group_.find("slip");
    if (slip == nullptr) return;
    if (!slip->is_list()) {
      rule_.slip = {context_.quantity(*slip, measure::kAny, "slip", group_.owner())};
      return;
    }
    for (const auto& item : slip->items)
      rule_.slip.push_back(context_.quantity(item, measure::kAny, "slip", group_.owner()));
  }

  void read_spheres() {
    refuse({"slip", "size", "length", "at", "plane", "reference", "height", "radius", "axis"});
    const auto bodies = read_names(*group_.find("spheres"), "spheres", group_.owner());
    if (bodies.size() != 2)
      group_.find("spheres")->fail(
          fmt::format("'spheres' of {} names two bodies, not {}", group_.owner(), bodies.size()));
    rule_.body = bodies[0];
    rule_.other = bodies[1];
    const YamlNode& radii = group_.need("radii", "[20 mm, 20 mm]");
    if (!radii.is_list() || radii.items.size() != 2)
      radii.fail(fmt::format("'radii' of {} must be a list of two lengths", group_.owner()));
    rule_.radius = context_.quantity(radii.items[0], measure::kLength, "radii", group_.owner());
    rule_.other_radius = context_.quantity(radii.items[1], measure::kLength, "radii", group_.owner());
  }

  /// Shapes of two bodies, or of all.
  void read_shapes() {
    refuse({"slip", "size", "length", "at", "reference", "radius", "radii", "axis"});
    const std::string& ground = context_.mechanism.ground;
    bool with_ground = rule_.kind == Kind::All;
    if (rule_.kind == Kind::All) {
      if (!read_flag(*group_.find("all"), "all", group_.owner()))
        group_.find("all")->fail(fmt::format("'all' of {} can only be true", group_.owner()));
    } else {
      const auto bodies = read_names(*group_.find("between"), "between", group_.owner());
      if (bodies.size() != 2)
        group_.find("between")->fail(
            fmt::format("'between' of {} names two bodies, not {}", group_.owner(), bodies.size()));
      rule_.body = bodies[0];
      rule_.other = bodies[1];
      with_ground = rule_.body == ground || rule_.other == ground;
    }
    if (!with_ground) refuse({"plane", "height"});
    if (const YamlNode* plane = group_.find("plane"))
      rule_.plane = context_.direction(*plane, ground, "plane", group_.owner());
    rule_.height = value("height", measure::kLength);
    if (!rule_.height.empty() && rule_.plane.empty())
      group_.find("height")->fail(fmt::format("{} has a 'height', but no 'plane'", group_.owner()));
  }

  /// Lists of bodies that pass through each other.
  void read_except() {
    const YamlNode* except = group_.find("except");
    if (except == nullptr) return;
    if (rule_.kind != Kind::All) except->fail(fmt::format("{} has 'except', which goes with 'all'", group_.owner()));
    const auto is_list = [](const YamlNode& node) { return node.is_list(); };
    if (!except->is_list() || !std::all_of(except->items.begin(), except->items.end(), is_list))
      except->fail(fmt::format("'except' of {} must be a list of lists of bodies, such as [[a, b]]", group_.owner()));
    for (const YamlNode& item : except->items) rule_.except.push_back(read_names(item, "except", group_.owner()));
  }

  /// Pairs of bodies or groups that pass through each other.
  void read_ignore() {
    const YamlNode* ignore = group_.find("ignore");
    if (ignore == nullptr) return;
    if (rule_.kind != Kind::All) ignore->fail(fmt::format("{} has 'ignore', which goes with 'all'", group_.owner()));
    const auto is_pair = [](const YamlNode& node) { return node.is_list() && node.items.size() == 2; };
    if (!ignore->is_list() || !std::all_of(ignore->items.begin(), ignore->items.end(), is_pair))
      ignore->fail(
          fmt::format("'ignore' of {} must be a list of pairs of bodies or groups, such as [[a, b]]", group_.owner()));
    for (const YamlNode& item : ignore->items) {
      const auto names = read_names(item, "ignore", group_.owner());
      rule_.ignore.emplace_back(names[0], names[1]);
    }
  }

  /// One coefficient, or two: along a direction and across it.
  void read_friction_coefficients() {
    const YamlNode *friction = group_.find("friction"), *along = group_.find("along");
    if (friction == nullptr || !friction->is_list()) {
      if (along != nullptr)
        along->fail(fmt::format("{} has 'along', which goes with two coefficients, such as friction: [0.2, 0.5]",
                                group_.owner()));
      rule_.friction = value("friction", measure::kNumber);
      return;
    }
    if (friction->items.size() != 2)
      friction->fail(fmt::format("'friction' of {} is one coefficient, or a list of two (along and across a direction)",
                                 group_.owner()));
    if (rule_.kind == Kind::Gap || rule_.kind == Kind::Pin)
      friction->fail(fmt::format("{} takes one coefficient of friction", group_.owner()));
    rule_.friction = context_.quantity(friction->items[0], measure::kNumber, "friction", group_.owner());
    rule_.friction_across = context_.quantity(friction->items[1], measure::kNumber, "friction", group_.owner());
    const std::string& ground = context_.mechanism.ground;
    rule_.along = context_.direction(group_.need("along", ground + ".x"), ground, "along", group_.owner());
  }

  void read_laws() {
    read_except(), read_ignore();
    read_friction_coefficients();
    rule_.adhesion = value("adhesion", measure::kForce);
    rule_.static_friction = value("static_friction", measure::kNumber);
    if (!rule_.static_friction.empty() && rule_.friction.empty())
      group_.find("static_friction")->fail(fmt::format("{} has 'static_friction', but no 'friction'", group_.owner()));
    rule_.rolling_friction = value("rolling_friction", measure::kLength);
    rule_.spinning_friction = value("spinning_friction", measure::kLength);
    rule_.restitution = value("restitution", measure::kNumber);
    rule_.stiffness = value("stiffness", measure::kAny);
    rule_.dissipation = value("dissipation", measure::kAny);
    if (!rule_.dissipation.empty() && rule_.stiffness.empty())
      group_.find("dissipation")->fail(fmt::format("{} has 'dissipation', but no 'stiffness'", group_.owner()));
    rule_.damping = value("damping", measure::kAny);
    if (!rule_.damping.empty() && rule_.stiffness.empty())
      group_.find("damping")->fail(fmt::format("{} has 'damping', but no 'stiffness'", group_.owner()));
    if (!rule_.damping.empty() && !rule_.dissipation.empty())
      group_.find("damping")->fail(
          fmt::format("{} has 'damping' (a linear contact) and 'dissipation' (Hunt and "
                      "Crossley's); give one of them",
                      group_.owner()));
    if (const YamlNode* phases = group_.find("phases")) rule_.phases = read_flag(*phases, "phases", group_.owner());
    const YamlNode* law = group_.find("law");
    if (law == nullptr) return;
    const std::string text = read_text(*law, "law", group_.owner());
    const std::vector<std::string> known{"newton", "poisson", "stronge"};
    const auto found = std::find(known.begin(), known.end(), text);
    if (found == known.end())
      law->fail(fmt::format("'law' of {} is newton, poisson or stronge, not '{}'{}", group_.owner(), shown(text),
                            suggestion(text, known)));
    rule_.law = static_cast<RestitutionLaw>(found - known.begin());
  }

  ModelContext& context_;
  Group group_;
  ContactRule rule_;
};

class EventReader {
 public:
  EventReader(ModelContext& context, const YamlEntry& entry)
      : context_(context), group_(entry.value, fmt::format("the event '{}'", shown(entry.key)), keys::kEvent) {
    rule_.name = entry.key;
    rule_.where = entry.value.where();
  }

  SwitchRule read() {
    group_.check_only_one({"when", "force"});
    if (group_.has("force"))
      read_force();
    else
      read_when(group_.need("when", "q1 - 0.2 crosses zero"));
    rule_.impose = names("impose");
    rule_.release = names("release");
    if (const YamlNode* reset = group_.find("reset")) read_reset(*reset);
    if (const YamlNode* from = group_.find("from")) rule_.from = read_name(*from, "from", group_.owner());
    if (const YamlNode* to = group_.find("to")) rule_.to = read_name(*to, "to", group_.owner());
    if (const YamlNode* stop = group_.find("stop")) rule_.stop = read_flag(*stop, "stop", group_.owner());
    if (rule_.impose.empty() && rule_.release.empty() && rule_.resets.empty() && rule_.to.empty() && !rule_.stop)
      group_.node().fail(
          fmt::format("{} changes nothing: give one of impose, release, reset, to, stop", group_.owner()));
    return std::move(rule_);
  }

 private:
  [[nodiscard]] std::vector<std::string> names(std::string_view key) const {
    const YamlNode* node = group_.find(key);
    if (node == nullptr) return {};
    return node->is_list() ? read_names(*node, key, group_.owner())
                           : std::vector<std::string>{read_name(*node, key, group_.owner())};
  }

  void read_force() {
    rule_.force = read_name(*group_.find("force"), "force", group_.owner());
    group_.check_only_one({"above", "below", "exceeds"});
    if (const YamlNode* direction = group_.find("direction"))
      direction->fail(
          fmt::format("{} monitors a force; use 'above', 'below' or 'exceeds' instead of 'direction'", group_.owner()));
    const std::string_view kinds[] = {"above", "below", "exceeds"};
    const std::string_view kind = group_.which(kinds);
    if (kind.empty())
      group_.node().fail(fmt::format("{} needs one of above, below, exceeds, such as 'exceeds: 5 N'", group_.owner()));
    rule_.when = context_.quantity(*group_.find(kind), measure::kAny, kind, group_.owner());
    rule_.direction = kind == "below" ? -1 : 1;
    rule_.squared = kind == "exceeds";
  }

  /// "a crosses zero", "a rises through zero", "a falls through zero", "a > b", "a < b", or "a" with `direction`.
  void read_when(const YamlNode& node) {
    YamlNode plain = node;
    bool said = false;
    const auto ends = [&](std::string_view words, int direction) {
      const auto at = plain.text.rfind(words);
      if (at == std::string::npos || plain.text.find_first_not_of(" \t\n", at + words.size()) != std::string::npos)
        return;
      plain.text.resize(at);
      rule_.direction = direction;
      said = true;
    };
    ends("crosses zero", 0), ends("rises through zero", 1), ends("falls through zero", -1);
    if (!said) said = split_comparison(plain.text);
    rule_.when = context_.quantity(plain, measure::kAny, "when", group_.owner());
    const YamlNode* direction = group_.find("direction");
    if (direction == nullptr) return;
    if (said) direction->fail(fmt::format("'when' of {} already gives the direction", group_.owner()));
    const std::string text = read_text(*direction, "direction", group_.owner());
    const std::vector<std::string> known{"falling", "both", "rising"};
    const auto found = std::find(known.begin(), known.end(), text);
    if (found == known.end())
      direction->fail(fmt::format("'direction' of {} is rising, falling or both, not '{}'{}", group_.owner(),
                                  shown(text), suggestion(text, known)));
    rule_.direction = static_cast<int>(found - known.begin()) - 1;
  }

  /// a > b becomes a - (b), rising; a < b falling. Comparisons inside parentheses belong to functions. A condition of several
  /// comparisons is 1 where it holds and 0 elsewhere: it rises through one half.
  bool split_comparison(std::string& text) {
    if (combines_conditions(text)) {
      text = fmt::format("({}) - 1/2", text);
      rule_.direction = 1;
      return true;
    }
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (depth != 0 || (text[i] != '<' && text[i] != '>')) continue;
      const std::size_t skip = i + 1 < text.size() && text[i + 1] == '=' ? 2 : 1;
      rule_.direction = text[i] == '>' ? 1 : -1;
      // No blanks inside the parentheses: the text may be shown in messages.
      text = fmt::format("({}) - ({})", without_outer_blanks(text.substr(0, i)),
                         without_outer_blanks(text.substr(i + skip)));
      return true;
    }
    return false;
  }

  static std::string without_outer_blanks(std::string text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
    while (!text.empty() && blank(text.back())) text.pop_back();
    text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), blank));
    return text;
  }

  /// "and", "or" or "not" outside of parentheses.
  static bool combines_conditions(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size();) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      std::size_t end = i;
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
      const std::string_view word = text.substr(i, end - i);
      if (depth == 0 && (word == "and" || word == "or" || word == "not")) return true;
      i = std::max(end, i + 1);
    }
    return false;
  }

  void read_reset(const YamlNode& node) {
    for_each_entry(node, "reset", [&](const YamlEntry& entry) {
      rule_.resets.push_back({entry.key, context_.quantity(entry.value, measure::kAny, entry.key, group_.owner())});
    });
  }

  ModelContext& context_;
  Group group_;
  SwitchRule rule_;
};

template <class Rule>
void check_new(const std::vector<Rule>& rules, const YamlEntry& entry, std::string_view what) {
  if (std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.name == entry.key; }))
    fail_at(entry.key_place, fmt::format("there are two {} named '{}'", what, shown(entry.key)));
}

/// Names, each of several bodies.
void read_body_lists(const YamlEntry& section, std::vector<ContactGroup>& groups) {
  for_each_entry(section.value, section.key, [&](const YamlEntry& entry) {
    check_new(groups, entry, section.key);
    groups.push_back({entry.key, read_names(entry.value, entry.key, section.key), entry.value.where()});
  });
}

}  // namespace

void read_contacts(ModelContext& context, const YamlNode& section) {
  auto& rules = context.mechanism.switching.contacts;
  Switching& switching = context.mechanism.switching;
  for_each_entry(section, "contacts", [&](const YamlEntry& entry) {
    // Contacts are maps; settings of all of them are not.
    if (entry.key == "scheme" && entry.value.is_scalar()) {
      switching.contact_scheme = read_text(entry.value, "scheme", "contacts");
      at_place(entry.value.place, [&] { (void)contact_scheme_from(switching.contact_scheme); });
      return;
    }
    if (entry.key == "step" && entry.value.is_scalar()) {
      const double step = context.number(entry.value, measure::kTime, "step", "contacts");
      if (!(step > 0)) entry.value.fail("'step' of contacts must be positive");
      switching.contact_step = step;
      return;
    }
    if (entry.key == "groups" || entry.key == "materials") {
      read_body_lists(entry, entry.key == "groups" ? switching.groups : switching.materials);
      return;
    }
    if (entry.key == "pairs") {
      if (!entry.value.is_list())
        entry.value.fail("'pairs' of contacts must be a list, such as [{of: [rubber, steel], friction: 0.7}]");
      for (const YamlNode& item : entry.value.items)
        switching.pair_laws.push_back(
            ContactReader(context, item, fmt::format("the law {} in 'pairs'", switching.pair_laws.size() + 1))
                .read_pair_law());
      return;
    }
    check_new(rules, entry, "contacts");
    rules.push_back(ContactReader(context, entry).read());
  });
}

void read_friction(ModelContext& context, const YamlNode& section) {
  auto& rules = context.mechanism.switching.frictions;
  for_each_entry(section, "friction", [&](const YamlEntry& entry) {
    check_new(rules, entry, "frictions");
    const Group group(entry.value, fmt::format("the friction '{}'", shown(entry.key)), keys::kFriction);
    FrictionRule rule;
    rule.name = entry.key;
    rule.where = entry.value.where();
    group.check_only_one({"slip", "joint"});
    if (const YamlNode* joint = group.find("joint")) {
      rule.joint = read_name(*joint, "joint", group.owner());
    } else {
      const YamlNode& slip = group.need("slip", "u1");
      if (slip.is_list())
        for (const auto& item : slip.items)
          rule.slip.push_back(context.quantity(item, measure::kAny, "slip", group.owner()));
      else
        rule.slip.push_back(context.quantity(slip, measure::kAny, "slip", group.owner()));
    }
    rule.limit = context.quantity(group.need("limit", "2 N"), measure::kAny, "limit", group.owner());
    if (const YamlNode* stiction = group.find("stiction"))
      rule.stiction = context.quantity(*stiction, measure::kAny, "stiction", group.owner());
    rules.push_back(std::move(rule));
  });
}

void read_modes(ModelContext& context, const YamlNode& section) {
  Switching& switching = context.mechanism.switching;
  for_each_entry(section, "modes", [&](const YamlEntry& entry) {
    check_new(switching.modes, entry, "modes");
    const Group group(entry.value, fmt::format("the mode '{}'", shown(entry.key)), keys::kMode);
    ModeRule rule{entry.key, {}, entry.value.where()};
    if (const YamlNode* active = group.find("active"))
      if (!active->is_null()) rule.active = read_names(*active, "active", group.owner());
    const YamlNode* initial = group.find("initial");
    if (initial != nullptr && read_flag(*initial, "initial", group.owner())) {
      if (!switching.initial_mode.empty())
        initial->fail(
            fmt::format("both '{}' and '{}' are marked as the initial mode", switching.initial_mode, entry.key));
      switching.initial_mode = entry.key;
    }
    switching.modes.push_back(std::move(rule));
  });
  if (switching.initial_mode.empty() && !switching.modes.empty()) switching.initial_mode = switching.modes.front().name;
}

void read_events(ModelContext& context, const YamlNode& section) {
  auto& rules = context.mechanism.switching.switches;
  for_each_entry(section, "events", [&](const YamlEntry& entry) {
    check_new(rules, entry, "events");
    rules.push_back(EventReader(context, entry).read());
  });
}

void read_handle(ModelContext& context, const YamlNode& section) {
  auto& rules = context.mechanism.switching.handles;
  for_each_entry(section, "handle", [&](const YamlEntry& entry) {
    check_new(rules, entry, "axes of the handle");
    const Group group(entry.value, fmt::format("the handle '{}'", shown(entry.key)), keys::kHandle);
    const auto value = [&](std::string_view key, std::string_view example) {
      return context.quantity(group.need(key, example), measure::kAny, key, group.owner());
    };
    HandleRule rule{
        entry.key, value("position", "dot(position(P), N.x)"), value("stiffness", "500 N/m"), {}, entry.value.where()};
    if (const YamlNode* damping = group.find("damping"))
      rule.damping = context.quantity(*damping, measure::kAny, "damping", group.owner());
    rules.push_back(std::move(rule));
  });
}

}  // namespace kane
