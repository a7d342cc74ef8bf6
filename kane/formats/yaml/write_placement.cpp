#include <set>

#include "kane/expr/print.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/yaml/write_parts.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/orientation.hpp"

namespace kane {

namespace {

bool equal(const Expr33& a, const Expr33& b) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (!(a[i][j] == b[i][j]) && !(a[i][j] - b[i][j]).is_zero()) return false;
  return true;
}

Graph* graph_of(const Expr33& r) {
  for (const auto& row : r)
    for (const Expr& e : row)
      if (e.graph() != nullptr) return e.graph();
  return nullptr;
}

/// The angles whose sines and cosines occur in the matrix, and multiples of a right angle.
std::vector<Expr> candidate_angles(const Expr33& r, Graph& graph) {
  std::vector<Expr> entries;
  for (const auto& row : r) entries.insert(entries.end(), row.begin(), row.end());
  std::vector<Expr> angles{0, graph.pi() / 2, -graph.pi() / 2, graph.pi()};
  std::set<NodeId> seen;
  for (const NodeId id : topological_order(entries)) {
    const Expr node = graph.at(id);
    if (node.op() != Op::Sin && node.op() != Op::Cos) continue;
    const Expr angle = node.arg(0);
    if (angle.graph() == nullptr || !seen.insert(angle.id()).second) continue;
    angles.push_back(angle);
    angles.push_back(-angle);
  }
  return angles;
}

YamlNode angle_node(const Expr& angle) { return yaml_scalar(scalar_text(angle)); }

/// A rotation about one of the basis vectors.
bool write_simple(const Expr33& r, const std::vector<Expr>& angles, Graph& graph, YamlNode& node) {
  for (const Axis axis : {Axis::X, Axis::Y, Axis::Z}) {
    for (const Expr& angle : angles) {
      if (!equal(simple_rotation_matrix(axis, graph.bind(angle)), r)) continue;
      add_entry(node, "axis", std::string(1, "xyz"[index(axis)]));
      add_entry(node, "angle", angle_node(angle));
      return true;
    }
  }
  return false;
}

bool write_rpy(const Expr33& r, const std::vector<Expr>& angles, Graph& graph, YamlNode& node) {
  constexpr std::size_t kMostAngles = 12;  // more do not occur in a product of three rotations
  if (angles.size() > kMostAngles) return false;
  for (const Expr& yaw : angles) {
    const Expr33 z = simple_rotation_matrix(Axis::Z, graph.bind(yaw));
    for (const Expr& pitch : angles) {
      const Expr33 zy = multiply(z, simple_rotation_matrix(Axis::Y, graph.bind(pitch)));
      if (!equal({{{zy[0][0], 0, 0}, {zy[1][0], 0, 0}, {zy[2][0], 0, 0}}},
                 {{{r[0][0], 0, 0}, {r[1][0], 0, 0}, {r[2][0], 0, 0}}}))
        continue;  // the first column does not depend on the roll
      for (const Expr& roll : angles) {
        if (!equal(multiply(zy, simple_rotation_matrix(Axis::X, graph.bind(roll))), r)) continue;
        add_entry(node, "rpy", yaml_list({angle_node(roll), angle_node(pitch), angle_node(yaw)}));
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::string scalar_text(const Expr& value) {
  // 0.3 rather than 3/10 if the decimal is exact.
  if (value.is_number()) {
    const std::string decimal = fmt::format("{}", to_double(value.number()));
    const auto exact = find_decimal(decimal);
    if (exact && *exact == value.number()) return decimal;
  }
  return to_text(value);
}

YamlNode vector_node(const Expr3& v) {
  return yaml_list({yaml_scalar(scalar_text(v[0])), yaml_scalar(scalar_text(v[1])), yaml_scalar(scalar_text(v[2]))});
}

YamlNode names_node(const std::vector<std::string>& names) {
  YamlNode list = yaml_list();
  for (const auto& name : names) list.items.push_back(yaml_scalar(name));
  return list;
}

YamlNode quantities_node(const std::vector<Quantity>& quantities) {
  if (quantities.size() == 1) return yaml_scalar(quantities.front().text);
  YamlNode list = yaml_list();
  for (const auto& q : quantities) list.items.push_back(yaml_scalar(q.text));
  return list;
}

YamlNode orientation_node(const Expr33& rotation) {
  YamlNode node = yaml_map();
  // A matrix of bare numbers may still be a rotation by right angles.
  Graph own;
  Graph& graph = graph_of(rotation) != nullptr ? *graph_of(rotation) : own;
  const auto angles = candidate_angles(rotation, graph);
  if (write_simple(rotation, angles, graph, node) || write_rpy(rotation, angles, graph, node)) return node;
  add_entry(node, "matrix", yaml_list({vector_node(rotation[0]), vector_node(rotation[1]), vector_node(rotation[2])}));
  return node;
}

void add_placement(YamlNode& group, const Placement& place, const char* position_key, const char* orientation_key) {
  if (!is_zero(place.position)) add_entry(group, position_key, vector_node(place.position));
  if (!equal(place.rotation, identity33())) add_entry(group, orientation_key, orientation_node(place.rotation));
}

}  // namespace kane
