#include "kane/mechanism/mechanism.hpp"

#include <algorithm>

#include "kane/base/suggest.hpp"
#include "kane/mechanism/joint_library.hpp"
#include "kane/mechanism/placed.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {
namespace {

/// The symbols in the order of `names`, which must name each of them once.
std::vector<Expr> in_order(std::vector<Expr> symbols, const std::vector<std::string>& names, std::string_view what,
                           const Where& where) {
  if (names.empty()) return symbols;
  std::map<std::string, Expr, std::less<>> by_name;
  std::vector<std::string> known;
  for (const Expr& s : symbols) {
    by_name.emplace(s.name(), s);
    known.push_back(s.name());
  }
  std::vector<Expr> ordered;
  for (const std::string& name : names) {
    const auto at = by_name.find(name);
    const bool twice = at == by_name.end() && std::find(known.begin(), known.end(), name) != known.end();
    require_at(where, !twice, "the order of {}s lists '{}' twice", what, name);
    require_at(where, at != by_name.end(), "the order of {}s lists '{}', which is not a {}{}", what, name, what,
               at != by_name.end() ? "" : suggestion(name, known));
    ordered.push_back(at->second);
    by_name.erase(at);
  }
  require_at(where, by_name.empty(), "the order of {}s leaves out '{}'; list all of them or give no order", what,
             by_name.empty() ? "" : by_name.begin()->first);
  return ordered;
}

}  // namespace

Mechanism::Mechanism(std::string title, std::shared_ptr<Graph> shared)
    : name(std::move(title)), graph(shared ? std::move(shared) : std::make_shared<Graph>()) {}

Expr Mechanism::time() { return graph->symbol("t"); }

Expr Mechanism::add_parameter(std::string_view symbol, const Expr& value) {
  parameters.push_back({graph->symbol(symbol), value});
  return parameters.back().symbol;
}

Expr Mechanism::add_input(std::string_view symbol, const Expr& value) {
  inputs.push_back({graph->symbol(symbol), value});
  return inputs.back().symbol;
}

Expr Mechanism::coordinate(std::string_view symbol) { return graph->symbol(symbol); }

Expr Mechanism::speed(std::string_view symbol) { return graph->symbol(symbol); }

Table& Mechanism::add_table(Table table) {
  check_table(table);
  declare_table(*graph, table);
  tables.push_back(std::move(table));
  return tables.back();
}

MechanismBody& Mechanism::add_body(MechanismBody body) {
  bodies.push_back(std::move(body));
  return bodies.back();
}

Joint& Mechanism::add_joint(Joint joint) {
  joints.push_back(std::move(joint));
  return joints.back();
}

const MechanismBody* Mechanism::find_body(std::string_view body) const {
  const auto at = std::find_if(bodies.begin(), bodies.end(), [&](const MechanismBody& b) { return b.name == body; });
  return at == bodies.end() ? nullptr : &*at;
}

const Joint* Mechanism::find_joint(std::string_view joint) const {
  const auto at = std::find_if(joints.begin(), joints.end(), [&](const Joint& j) { return j.name == joint; });
  return at == joints.end() ? nullptr : &*at;
}

std::vector<Expr> Mechanism::all_coordinates() const {
  std::vector<Expr> all;
  for (const Joint& joint : joints) {
    if (joint.closing) continue;
    for (const ElementaryMotion& motion : joint.motions)
      if (motion.free) all.insert(all.end(), motion.coordinates.begin(), motion.coordinates.end());
  }
  for (const MechanismBody& body : bodies)
    if (body.flexible) all.insert(all.end(), body.flexible->coordinates.begin(), body.flexible->coordinates.end());
  all.insert(all.end(), extra_coordinates.begin(), extra_coordinates.end());
  return in_order(std::move(all), coordinate_order, "coordinate", where);
}

std::vector<Expr> Mechanism::joint_speeds() const {
  std::vector<Expr> all;
  for (const Joint& joint : joints) {
    if (joint.closing) continue;
    for (const ElementaryMotion& motion : joint.motions)
      if (motion.free) all.insert(all.end(), motion.speeds.begin(), motion.speeds.end());
  }
  for (const MechanismBody& body : bodies)
    if (body.flexible) all.insert(all.end(), body.flexible->speeds.begin(), body.flexible->speeds.end());
  for (const Expr& q : extra_coordinates) all.push_back(graph->symbol(speed_name(q.name())));
  return in_order(std::move(all), speed_order, "speed", where);
}

double Mechanism::start_value(const std::string& symbol) const {
  for (const auto* values : {&initial, &guess})
    if (const auto found = values->find(symbol); found != values->end()) return found->second;
  return 0;
}

}  // namespace kane
