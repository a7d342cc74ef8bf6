#include "kane/mechanism/general_switching.hpp"

#include <algorithm>

#include "kane/base/contains.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {

namespace {

class GeneralSwitching {
 public:
  GeneralSwitching(const Mechanism& m, const GeneralReader& reader, EquationsOfMotion& e)
      : rules_(m.switching), reader_(reader), e_(e) {
    for (const auto& row : e.constraints) groups_.push_back(row.group);
    for (const ModeRule& rule : rules_.modes) modes_.push_back(rule.name);
  }

  void run() {
    for (const ContactRule& rule : rules_.contacts) with_place(rule.where, [&] { add(rule); });
    for (const FrictionRule& rule : rules_.frictions) with_place(rule.where, [&] { add(rule); });
    for (const ModeRule& rule : rules_.modes) {
      with_place(rule.where, [&] { check_groups(rule.active, fmt::format("the mode '{}'", rule.name)); });
      e_.modes.push_back({rule.name, rule.active});
    }
    for (const SwitchRule& rule : rules_.switches) with_place(rule.where, [&] { add(rule); });
    e_.initial_mode = rules_.initial_mode;
    if (!e_.initial_mode.empty()) check_mode(e_.initial_mode, "the initial mode");
  }

 private:
  [[nodiscard]] Expr read(const Quantity& q, const std::string& what, const Expr& otherwise = {}) const {
    return q.empty() ? otherwise : reader_.read(q, what);
  }

  void add(const ContactRule& rule) {
    const std::string what = fmt::format("the contact '{}'", rule.name);
    ContactEquation contact;
    contact.name = rule.name;
    contact.normal = reader_.add_row(rule.name, rule.gap, "the gap of " + what, true);
    contact.restitution = e_.graph->bind(read(rule.restitution, "the restitution of " + what));
    contact.law = rule.law, contact.phases = rule.phases;
    contact.adhesion = e_.graph->bind(read(rule.adhesion, "the adhesion of " + what));
    e_.contacts.push_back(std::move(contact));
    if (rule.friction.empty()) return;
    require(!rule.slip.empty(), "{} has friction, but nothing can slide there; give 'slip'", what);
    add_friction(rule.name + ".friction", rule.slip, static_cast<int>(e_.contacts.size()) - 1, rule.friction,
                 rule.static_friction, what);
  }

  void add(const FrictionRule& rule) {
    const std::string what = fmt::format("the friction '{}'", rule.name);
    require(rule.slip.size() == 1 || rule.slip.size() == 2, "{} resists one or two speeds, not {}", what,
            rule.slip.size());
    add_friction(rule.name, rule.slip, -1, rule.limit, rule.stiction, what);
  }

  void add_friction(const std::string& name, const std::vector<Quantity>& slip, int contact, const Quantity& kinetic,
                    const Quantity& stiction, const std::string& what) {
    FrictionEquation f;
    f.name = name;
    f.contact = contact;
    f.kinetic = reader_.read(kinetic, "the limit of " + what);
    f.stiction = read(stiction, "the stiction of " + what, f.kinetic);
    for (std::size_t i = 0; i < slip.size(); ++i) {
      const std::string row = slip.size() == 1 ? name : fmt::format("{}{}", name, i + 1);
      f.rows.push_back(reader_.add_row(row, slip[i], "the sliding speed of " + what, false));
    }
    e_.frictions.push_back(std::move(f));
  }

  void add(const SwitchRule& rule) {
    const std::string what = fmt::format("the event '{}'", rule.name);
    SwitchEquation s;
    s.name = rule.name;
    s.guard = reader_.read(rule.when, "the condition of " + what);
    s.direction = rule.direction, s.stop = rule.stop;
    s.impose = rule.impose, s.release = rule.release;
    s.from = rule.from, s.to = rule.to;
    check_groups(rule.impose, what);
    check_groups(rule.release, what);
    if (!rule.from.empty()) check_mode(rule.from, "the mode before " + what);
    if (!rule.to.empty()) check_mode(rule.to, "the mode after " + what);
    if (!rule.force.empty()) {
      check_groups({rule.force}, what);
      const auto row = std::find_if(e_.constraints.begin(), e_.constraints.end(),
                                    [&](const auto& c) { return c.group == rule.force; });
      const Expr& force = row->multiplier;
      s.guard = e_.graph->bind(rule.squared ? force * force - s.guard * s.guard : force - s.guard);
    }
    check_guard(s.guard, what);
    for (const SwitchRule::Reset& reset : rule.resets)
      s.resets.push_back({state_index(reset, what),
                          reader_.read(reset.value, fmt::format("the new value of {} of {}", reset.name, what))});
    e_.switches.push_back(std::move(s));
  }

  void check_guard(const Expr& guard, const std::string& what) const {
    const auto symbols = symbols_of({&guard, 1});
    const bool changes = std::any_of(symbols.begin(), symbols.end(), [&](const Expr& s) {
      return std::none_of(e_.parameters.begin(), e_.parameters.end(), [&](const auto& p) { return p.symbol == s; });
    });
    require(changes,
            "the condition of {} depends on parameters only, so that it never changes its sign; write an expression of "
            "coordinates, speeds or time",
            what);
  }

  void check_groups(const std::vector<std::string>& groups, const std::string& what) const {
    for (const std::string& group : groups)
      require(contains(groups_, group), "{} names the constraint '{}', which does not exist{}", what, group,
              suggestion(group, groups_));
  }

  void check_mode(const std::string& mode, const std::string& what) const {
    require(contains(modes_, mode), "{} is '{}', which is not a mode{}", what, mode, suggestion(mode, modes_));
  }

  [[nodiscard]] int state_index(const SwitchRule::Reset& reset, const std::string& what) const {
    std::vector<std::string> known;
    for (const auto* list : {&e_.q, &e_.u})
      for (const Expr& x : *list) known.push_back(x.name());
    const auto found = std::find(known.begin(), known.end(), reset.name);
    require_at(reset.value.where, found != known.end(), "{} resets '{}', which is not a coordinate, speed or state{}",
               what, reset.name, suggestion(reset.name, known));
    return static_cast<int>(found - known.begin());
  }

  const Switching& rules_;
  const GeneralReader& reader_;
  EquationsOfMotion& e_;
  std::vector<std::string> groups_, modes_;
};

}  // namespace

void add_general_switching(const Mechanism& mechanism, const GeneralReader& reader, EquationsOfMotion& equations) {
  GeneralSwitching(mechanism, reader, equations).run();
}

void check_general_switching(const Mechanism& m) {
  for (const ContactRule& rule : m.switching.contacts) {
    require_at(
        rule.where, rule.kind == ContactRule::Kind::Gap,
        "the contact '{}' refers to bodies or joints, which '{}' does not have; write its distance as 'gap', and "
        "the sliding speeds as 'slip'",
        rule.name, m.name);
    require_at(rule.where, rule.stiffness.empty() && rule.damping.empty() && rule.dissipation.empty(),
               "the contact '{}' is compliant; '{}' is given by its equations, so its force belongs to the forcing",
               rule.name, m.name);
    require_at(rule.where, rule.rolling_friction.empty() && rule.spinning_friction.empty(),
               "the contact '{}' has friction against rolling or spinning, which needs bodies; '{}' has none",
               rule.name, m.name);
  }
  for (const FrictionRule& rule : m.switching.frictions)
    require_at(rule.where, rule.joint.empty(), "the friction '{}' names the joint '{}', but '{}' has no joints",
               rule.name, rule.joint, m.name);
  require_at(m.where, m.switching.handles.empty(), "'{}' is given by its equations, so it cannot have a handle",
             m.name);
}

}  // namespace kane
