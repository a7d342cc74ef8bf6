#include "apps/kane/check_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kane/base/error.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/dof_table.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/lowering.hpp"

namespace kane {

namespace {

DofTable dof_table_of(const Mechanism& given) {
  require(!given.equations, "the model '{}' is given by its equations: it has no joints for tables", given.name);
  const Mechanism mechanism = copy_mechanism(given);
  const LoweredMechanism lowered = lower_mechanism(mechanism);
  DeriveOptions options;
  options.dynamics = false;
  options.embedding = EmbeddingMethod::None;
  options.solve = options.inverse = options.outputs = false;
  return form_dof_table(mechanism, lowered, form_equations(lowered.system, options));
}

/// Bodies in rows, joints in columns.
std::string matrix_text(const std::string& title, const std::vector<std::string>& rows,
                        const std::vector<std::string>& columns, const std::vector<std::vector<int>>& entries) {
  std::size_t first = 4;
  for (const auto& r : rows) first = std::max(first, r.size());
  std::string text = fmt::format("{}\n  {:<{}}", title, "", first);
  for (const auto& c : columns) text += fmt::format("  {:>4}", c);
  text += '\n';
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format("  {:<{}}", rows[i], first);
    for (std::size_t j = 0; j < columns.size(); ++j)
      text += fmt::format("  {:>{}}", entries[i][j], std::max<std::size_t>(4, columns[j].size()));
    text += '\n';
  }
  return text + "\n";
}

/// Tables of the inner (-1) and outer (+1) joints of each body, and of the joints and bodies on its path to the root.
std::string path_tables(const Mechanism& m) {
  std::vector<std::string> bodies, joints;
  std::map<std::string, std::size_t> body, inboard;  // of a body: its index, and that of the joint that places it
  for (const MechanismBody& b : m.bodies) body[b.name] = bodies.size(), bodies.push_back(b.name);
  std::vector<const Joint*> tree;
  for (const Joint& j : m.joints)
    if (!j.closing) inboard[j.child] = tree.size(), tree.push_back(&j), joints.push_back(j.name);
  const std::vector<std::vector<int>> blank(bodies.size(), std::vector<int>(joints.size(), 0));
  std::vector<std::vector<int>> connection = blank, joint_path = blank;
  std::vector<std::vector<int>> body_path(bodies.size(), std::vector<int>(bodies.size(), 0));
  for (std::size_t j = 0; j < tree.size(); ++j) {
    if (body.contains(tree[j]->parent)) connection[body[tree[j]->parent]][j] = -1;
    connection[body[tree[j]->child]][j] = 1;
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    std::string at = bodies[i];
    for (std::size_t step = 0; step <= bodies.size() && inboard.contains(at); ++step) {
      body_path[i][body[at]] = 1;
      joint_path[i][inboard[at]] = 1;
      at = tree[inboard[at]]->parent;
    }
  }
  return matrix_text("Connections (-1: inner body of the joint, 1: outer body)", bodies, joints, connection) +
         matrix_text("Joints on the way to the root", bodies, joints, joint_path) +
         matrix_text("Bodies on the way to the root", bodies, bodies, body_path);
}

std::string index_text(int i, int first) { return i < 0 ? "--" : fmt::format("{:02}", i + first); }

std::string dof_text(const DofEntry& e) {
  std::string text = fmt::format("Joint {}: {} -> {}   RotSeq = {}   TrnSeq = {}\n", e.joint, e.parent, e.child,
                                 e.rotation_sequence, e.translation_sequence);
  text += fmt::format("  {:<6} {:^3} {:>5} {:>5}  {:>8} {:>8} {:>17}\n", "Axis", "F/C", "u[ ]", "x[ ]", "col in u",
                      "col in x", "col in Constraint");
  const auto row = [&](const std::string& name, char kind, int u, int x, int c) {
    text += fmt::format("  {:<6} {:^3} {:>5} {:>5}  {:>8} {:>8} {:>17}\n", name, kind, index_text(u, 0),
                        index_text(x, 0), index_text(u, 1), index_text(x, 1), index_text(c, 1));
  };
  for (std::size_t i = 0; i < e.axes.size(); ++i) {
    const DofAxis& a = e.axes[i];
    row(a.name, a.free ? 'F' : 'C', a.speed, a.coordinate, a.constraint);
    const bool last_rotation = a.rotation && (i + 1 == e.axes.size() || !e.axes[i + 1].rotation);
    if (last_rotation && e.spherical_coordinate >= 0) row("(Sph)", '-', -1, e.spherical_coordinate, -1);
  }
  return text + "\n";
}

}  // namespace

std::string tree_tables(const Mechanism& mechanism) {
  constexpr std::size_t kMostBodies = 40;
  std::string text = mechanism.bodies.size() <= kMostBodies ? path_tables(mechanism) : "";
  const DofTable table = dof_table_of(mechanism);
  for (const DofEntry& e : table.entries) text += dof_text(e);
  text += fmt::format("{} free, {} constrained: 6 axes for each of {} bodies\n", table.free_count,
                      table.constraint_count, table.entries.size());
  return text;
}

nlohmann::ordered_json tree_tables_json(const Mechanism& mechanism) {
  const DofTable table = dof_table_of(mechanism);
  auto rows = nlohmann::ordered_json::array();
  const auto index = [](int i) { return i < 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(i); };
  for (const DofEntry& e : table.entries)
    for (const DofAxis& a : e.axes)
      rows.push_back({{"joint", e.joint},
                      {"axis", a.name},
                      {"kind", a.free ? "F" : "C"},
                      {"u", index(a.speed)},
                      {"x", index(a.coordinate)},
                      {"constraint", index(a.constraint)}});
  return rows;
}

}  // namespace kane
