#include "kane/export/fmu/fmu_dependencies.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "kane/expr/derivative.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {

namespace {

using Places = std::set<std::size_t>;

class DependencyFinder {
 public:
  DependencyFinder(FmuModel& model, const FmuExpressions& x) : m_(model), x_(x) {
    for (std::size_t i = 0; i < m_.variables.size(); ++i) {
      const FmuVariable& v = m_.variables[i];
      if (v.kind == FmuKind::State || v.kind == FmuKind::Input || v.kind == FmuKind::Parameter)
        place_[m_.motion.inputs[program_place(v)].name] = i;
    }
    const auto n = m_.motion.input_count[Stage::Inputs];
    place_[m_.motion.inputs[m_.motion.first_input(Stage::Inputs) + n - 1].name] = 0;  // t
    // Accelerations and forces depend on all that the equations are made of: on which of it depends on what touches.
    Places solved;
    for (const auto* group : {&x.terms, &x.a})
      for (const Expr& e : *group)
        if (x.switched) solved.merge(places_of(e));
    for (const std::string& name : x.solved) solved_[name] = solved;
  }

  void run() {
    const std::size_t states = m_.first(FmuKind::State), n = m_.count(FmuKind::State);
    for (std::size_t i = 0; i < n; ++i) m_.outputs.push_back({states + i, {{states + i, DependencyKind::Constant}}});
    add(m_.outputs, FmuKind::Output, x_.outputs);
    add(m_.rates, FmuKind::Rate, x_.rates);
    add(m_.indicators, FmuKind::Indicator, x_.guards);
    add_changes();
    find_initial();
  }

 private:
  /// Gap or force of a contact, force or speed of a friction: what it is changes at events.
  void add_changes() {
    Places all;
    if (!x_.solved.empty()) all = solved_.begin()->second;
    for (const auto* group : {&x_.phi, &x_.motion_rows})
      for (const Expr& e : *group)
        if (m_.switched) all.merge(places_of(e));
    const std::size_t first = m_.first(FmuKind::Indicator) + x_.guards.size();
    for (std::size_t i = 0; i < m_.contacts.size() + m_.frictions.size(); ++i) {
      FmuUnknown unknown{first + i, {}};
      for (const std::size_t on : all) unknown.dependencies.push_back({on});
      m_.indicators.push_back(std::move(unknown));
    }
  }

  [[nodiscard]] std::size_t program_place(const FmuVariable& v) const {
    const Stage stage = v.kind == FmuKind::State   ? Stage::State
                        : v.kind == FmuKind::Input ? Stage::Inputs
                                                   : Stage::Parameters;
    return m_.motion.first_input(stage) + v.index;
  }

  [[nodiscard]] Places places_of(const Expr& e) const {
    Places places;
    if (e.is_number()) return places;
    for (const Expr& s : symbols_of({&e, 1}))
      if (const auto found = place_.find(s.name()); found != place_.end())
        places.insert(found->second);
      else if (const auto motion = solved_.find(s.name()); motion != solved_.end())
        places.insert(motion->second.begin(), motion->second.end());
    return places;
  }

  /// How it depends, where the derivative is cheap to form.
  [[nodiscard]] DependencyKind kind_of(const Expr& e, std::size_t nodes, std::size_t on) const {
    constexpr std::size_t kMostNodes = 400;
    if (nodes > kMostNodes) return DependencyKind::Dependent;
    const std::vector<Expr> symbols = symbols_of({&e, 1});
    if (std::any_of(symbols.begin(), symbols.end(), [&](const Expr& s) { return solved_.contains(s.name()); }))
      return DependencyKind::Dependent;
    for (const Expr& s : symbols) {
      const auto found = place_.find(s.name());
      if (found == place_.end() || found->second != on) continue;
      const Expr d = derivative(e, s);
      if (d.is_number()) return DependencyKind::Constant;
      const Places left = places_of(d);
      const bool tunable = std::all_of(left.begin(), left.end(),
                                       [&](std::size_t i) { return m_.variables[i].kind == FmuKind::Parameter; });
      return tunable ? DependencyKind::Tunable : DependencyKind::Dependent;
    }
    return DependencyKind::Dependent;
  }

  void add(std::vector<FmuUnknown>& to, FmuKind kind, const std::vector<Expr>& values) const {
    const std::size_t first = m_.first(kind);
    for (std::size_t i = 0; i < values.size(); ++i) {
      FmuUnknown unknown{first + i, {}};
      const std::size_t nodes = values[i].is_number() ? 0 : topological_order({&values[i], 1}).size();
      for (const std::size_t on : places_of(values[i])) {
        const bool parameter = m_.variables[on].kind == FmuKind::Parameter;
        unknown.dependencies.push_back({on, parameter ? DependencyKind::Dependent : kind_of(values[i], nodes, on)});
      }
      to.push_back(std::move(unknown));
    }
  }

  /// Dependent states follow from the others, and so do values that depend on them.
  void find_initial() {
    Places coordinates, speeds;  // what dependent coordinates and speeds depend on
    for (const auto* group : {&x_.phi, &x_.motion_rows})
      for (const Expr& row : *group)
        for (const std::size_t on : places_of(row))
          if (!m_.variables[on].dependent) (group == &x_.phi ? coordinates : speeds).insert(on);
    speeds.insert(coordinates.begin(), coordinates.end());
    const auto resolve = [&](const Places& on) {
      Places r;
      for (const std::size_t i : on) {
        const FmuVariable& v = m_.variables[i];
        const Places& instead = v.index < m_.coordinates ? coordinates : speeds;
        if (v.kind == FmuKind::State && v.dependent)
          r.insert(instead.begin(), instead.end());
        else
          r.insert(i);
      }
      return r;
    };
    const auto add_initial = [&](std::size_t variable, const Places& on) {
      FmuUnknown unknown{variable, {}};
      for (const std::size_t i : resolve(on)) unknown.dependencies.push_back({i});
      m_.initial.push_back(std::move(unknown));
    };
    for (std::size_t i = 0; i < m_.variables.size(); ++i) {
      const FmuVariable& v = m_.variables[i];
      if (v.kind == FmuKind::State && v.dependent) add_initial(i, {i});
      if (v.kind == FmuKind::Rate) add_initial(i, places_of(x_.rates[v.index]));
      if (v.kind == FmuKind::Output) add_initial(i, places_of(x_.outputs[v.index]));
      if (v.kind == FmuKind::Calculated) add_initial(i, places_of(x_.calculated[v.index]));
    }
  }

  FmuModel& m_;
  const FmuExpressions& x_;
  std::map<std::string, std::size_t, std::less<>> place_;
  std::map<std::string, Places, std::less<>> solved_;  ///< accelerations and multipliers
};

}  // namespace

void set_dependencies(FmuModel& model, const FmuExpressions& expressions) {
  DependencyFinder(model, expressions).run();
}

}  // namespace kane
