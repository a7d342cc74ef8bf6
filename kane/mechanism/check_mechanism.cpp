// Names and the shape of the tree. Numbers are checked in check_values.cpp.

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "kane/base/at.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/infix.hpp"
#include "kane/mechanism/check_values.hpp"
#include "kane/mechanism/general_equations.hpp"
#include "kane/mechanism/joint_library.hpp"
#include "kane/mechanism/mechanism.hpp"
#include "kane/mechanism/placed.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {
namespace {

/// More than this is a mistake or an attack, not a machine.
constexpr std::size_t kMaxParts = 5'000;

bool is_name(std::string_view name) {
  bool start = true;  // of the name, or of a part after a '.'
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    if (start ? std::isalpha(u) == 0 && c != '_' : std::isalnum(u) == 0 && c != '_' && c != '.') return false;
    start = c == '.';
  }
  return !start && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
}

void check_name(std::string_view name, std::string_view what, const Where& where) {
  require_at(where, !name.empty(), "a {} has no name", what);
  require_at(where, is_name(name),
             "'{}' cannot be the name of a {}: a name is a letter followed by letters, digits and '_', or several such "
             "joined by '.'",
             name, what);
}

/// Names that must differ from each other, with their meanings.
class NameSet {
 public:
  void add(const std::string& name, std::string_view what, const Where& where) {
    check_name(name, what, where);
    add_unchecked(name, what, where);
  }
  void add_unchecked(const std::string& name, std::string_view what, const Where& where) {
    const auto [at, fresh] = names_.emplace(name, what);
    require_at(where, fresh, "there are two things named '{}': a {} and a {}", name, at->second, what);
  }
  [[nodiscard]] bool contains(const std::string& name) const { return names_.contains(name); }
  [[nodiscard]] std::vector<std::string> all() const {
    std::vector<std::string> names;
    for (const auto& [name, what] : names_) names.push_back(name);
    return names;
  }

 private:
  std::map<std::string, std::string> names_;
};

class MechanismCheck {
 public:
  explicit MechanismCheck(const Mechanism& mechanism) : m_(mechanism) {}

  std::vector<std::string> run() {
    check_general_equations(m_);
    if (m_.bodies.empty() && m_.particles.empty() && m_.states.empty() && !m_.equations)
      throw ModelError(m_.where, fmt::format("'{}' has no bodies and no particles (and no states)", m_.name));
    check_sizes();
    check_motions();
    check_symbol_names();
    check_part_names();
    check_references();
    check_tree();
    check_orders();
    for (const Table& table : m_.tables) check_table(table);
    return check_values(m_);
  }

 private:
  void check_sizes() {
    for (const std::size_t count : {m_.bodies.size(), m_.joints.size(), m_.particles.size(), m_.points.size(),
                                    m_.loads.size(), m_.constraints.size(), m_.parameters.size()}) {
      if (count > kMaxParts)
        throw LimitError(m_.where, fmt::format("the mechanism '{}' has {} parts of one kind; the limit is {}", m_.name,
                                               count, kMaxParts));
    }
  }

  // ---- names ----------------------------------------------------------------------------------------------------
  void check_symbol_names() {
    symbols_.add_unchecked("t", "time", m_.where);
    symbols_.add_unchecked("pi", "number", m_.where);
    for (const auto& p : m_.parameters) symbols_.add(p.symbol.name(), "parameter", m_.where);
    for (const auto& i : m_.inputs) symbols_.add(i.symbol.name(), "input", m_.where);
    for (const auto& e : m_.expressions) symbols_.add(e.name, "named expression", e.value.where);
    for (const Joint& joint : m_.joints) {
      if (joint.closing) continue;
      for (const ElementaryMotion& motion : joint.motions) {
        for (const Expr& q : motion.coordinates) symbols_.add(q.name(), "coordinate", joint.where);
        if (!m_.speeds.empty()) continue;
        for (const Expr& u : motion.speeds) symbols_.add(u.name(), "speed", joint.where);
      }
    }
    for (const MechanismBody& b : m_.bodies) {
      if (!b.flexible) continue;
      for (const Expr& q : b.flexible->coordinates) symbols_.add(q.name(), "coordinate", b.flexible->where);
      if (!m_.speeds.empty()) continue;
      for (const Expr& u : b.flexible->speeds) symbols_.add(u.name(), "speed", b.flexible->where);
    }
    for (const Expr& q : m_.extra_coordinates) {
      symbols_.add(q.name(), "coordinate", m_.where);
      if (m_.speeds.empty()) symbols_.add(speed_name(q.name()), "speed", m_.where);
    }
    for (const NamedQuantity& u : m_.speeds) symbols_.add(u.name, "speed", u.value.where);
    for (const StateQuantity& x : m_.states) symbols_.add(x.name, "state", x.where);
    for (const AuxiliaryQuantity& a : m_.auxiliary) symbols_.add(a.name, "auxiliary speed", a.direction.where);
  }

  void check_part_names() {
    frames_.add(m_.ground, "ground", m_.where);
    for (const MechanismBody& b : m_.bodies) frames_.add(b.name, "body", b.where);
    NameSet points;
    for (const MechanismBody& b : m_.bodies) points.add(b.name, "body", b.where);
    for (const MechanismParticle& p : m_.particles) points.add(p.name, "particle", p.where);
    NameSet qualified;
    for (const MechanismPoint& p : m_.points) {
      check_name(p.name, "point", p.where);
      qualified.add_unchecked(p.on + "." + p.name, "point", p.where);
    }
    for (const MechanismFrame& f : m_.frames) {
      check_name(f.name, "frame", f.where);
      frames_.add_unchecked(f.on + "." + f.name, "frame", f.where);
    }
    NameSet joints, constraints, tables, outputs;
    for (const Joint& j : m_.joints) {
      joints.add(j.name, "joint", j.where);
      if (j.closing) constraints.add(j.name, "closing joint", j.where);
    }
    for (const Constraint& c : m_.constraints) constraints.add(c.name, "constraint", c.where);
    for (const Table& t : m_.tables) tables.add(t.name, "table", t.where);
    for (const NamedQuantity& o : m_.outputs) {
      outputs.add(o.name, "output", o.value.where);
      require_at(o.value.where, o.name != "t", "'t' cannot be the name of an output: it is the time");
    }
  }

  // ---- references -----------------------------------------------------------------------------------------------
  void check_body(const std::string& name, std::string_view what, const std::string& owner, const Where& where) {
    if (name == m_.ground) return;
    if (body_index_.empty()) {
      for (std::size_t i = 0; i < m_.bodies.size(); ++i) body_index_.emplace(m_.bodies[i].name, i);
    }
    if (body_index_.contains(name)) return;
    std::vector<std::string> known{m_.ground};
    for (const MechanismBody& b : m_.bodies) known.push_back(b.name);
    throw ModelError(where, fmt::format("the {} '{}' names the body '{}', which does not exist{}", what, owner,
                                        InfixText::printable(name), suggestion(name, known)));
  }

  void check_references() {
    for (const Joint& j : m_.joints) {
      check_body(j.parent, "joint", j.name, j.where);
      check_body(j.child, "joint", j.name, j.where);
      require_at(j.where, j.parent != j.child, "the joint '{}' connects the body '{}' with itself", j.name, j.child);
      require_at(j.where, j.closing || j.child != m_.ground,
                 "the joint '{}' has the ground '{}' as its child; make it the parent and '{}' the child", j.name,
                 m_.ground, j.parent);
    }
    for (const MechanismParticle& p : m_.particles) check_body(p.on, "particle", p.name, p.where);
    for (const MechanismPoint& p : m_.points) check_body(p.on, "point", p.name, p.where);
    for (const MechanismFrame& f : m_.frames) check_body(f.on, "frame", f.name, f.where);
    for (const auto& [name, value] : m_.initial) {
      const bool known = symbols_.contains(name) || name == "t";
      require_at(m_.where, known, "the initial value of '{}' is given, but there is no such coordinate or speed{}",
                 name, known ? "" : suggestion(name, symbols_.all()));
    }
    for (const auto& [name, value] : m_.guess) {
      require_at(m_.where, symbols_.contains(name),
                 "a guess of '{}' is given, but there is no such coordinate or speed{}", name,
                 suggestion(name, symbols_.all()));
      require_at(m_.where, !m_.initial.contains(name),
                 "'{}' has an initial value and a guess; an initial value is held and needs no guess", name);
    }
    for (const std::string& u : m_.dependent_speeds) {
      require_at(m_.where, symbols_.contains(u), "'{}' is to be a dependent speed, but there is no such speed{}", u,
                 symbols_.contains(u) ? "" : suggestion(u, symbols_.all()));
    }
  }

  // ---- the tree ---------------------------------------------------------------------------------------------------
  void check_tree() {
    std::map<std::string, const Joint*> joint_of;  // the joint that places a body
    for (const Joint& j : m_.joints) {
      if (j.closing) continue;
      const auto [at, fresh] = joint_of.emplace(j.child, &j);
      require_at(j.where, fresh,
                 "the body '{}' has two parents: the joint '{}' places it on '{}' and the joint '{}' on '{}'; make one "
                 "of the two a closing joint (close: true)",
                 j.child, at->second->name, at->second->parent, j.name, j.parent);
    }
    std::set<std::string> placed{m_.ground};
    for (const MechanismBody& b : m_.bodies) place(b.name, joint_of, placed);
  }

  /// Walks towards the ground until it meets a body that is known to be connected.
  void place(const std::string& body, const std::map<std::string, const Joint*>& joint_of,
             std::set<std::string>& placed) {
    std::vector<std::string> way;
    std::set<std::string> seen;
    std::string at = body;
    while (!placed.contains(at)) {
      const auto joint = joint_of.find(at);
      if (joint == joint_of.end()) fail_unconnected(at, body);
      if (!seen.insert(at).second) {
        const auto start = std::find(way.begin(), way.end(), at);
        std::vector<std::string> cycle(start, way.end());
        cycle.push_back(at);
        throw ModelError(
            joint->second->where,
            fmt::format("the joints form a cycle that never reaches the ground '{}': {}; place one of "
                        "these bodies from outside and make the joint that closes the loop a closing joint",
                        m_.ground, fmt::join(cycle, " on ")));
      }
      way.push_back(at);
      at = joint->second->parent;
    }
    placed.insert(way.begin(), way.end());
  }

  [[noreturn]] void fail_unconnected(const std::string& loose, const std::string& asked) {
    const MechanismBody* body = m_.find_body(loose);
    const std::string carried =
        asked == loose ? "" : fmt::format(" (and '{}', which hangs on it, is not connected either)", asked);
    throw ModelError(body->where,
                     fmt::format("no joint connects the body '{}' to the ground{}; add one, for instance {{type: free, "
                                 "parent: {}, child: {}}} if it may move freely",
                                 loose, carried, m_.ground, loose));
  }

  // ---- motions ----------------------------------------------------------------------------------------------------
  void check_motions() {
    for (const Joint& j : m_.joints) {
      for (const ElementaryMotion& motion : j.motions) {
        require_at(j.where, motion.free || motion.kind != MotionKind::Ball,
                   "the joint '{}' locks its ball motion; lock all motions of a gimbal, or weld the bodies", j.name);
        if (j.closing) continue;
        const auto needed = at(coordinate_count(motion));
        require_at(j.where, motion.coordinates.size() == needed,
                   "a motion of the joint '{}' needs {} coordinates but has {}", j.name, needed,
                   motion.coordinates.size());
        const auto speeds = at(speed_count(motion));
        require_at(j.where, !m_.speeds.empty() || motion.speeds.size() == speeds,
                   "a motion of the joint '{}' needs {} speeds but has {}", j.name, speeds, motion.speeds.size());
        for (const Expr& q : motion.coordinates)
          require_at(j.where, q.is_symbol(), "a coordinate of the joint '{}' is {} instead of a name", j.name,
                     q.to_string());
        for (const Expr& u : motion.speeds)
          require_at(j.where, u.is_symbol(), "a speed of the joint '{}' is {} instead of a name", j.name,
                     u.to_string());
      }
    }
  }

  void check_orders() {
    (void)m_.all_coordinates();  // both check the orders given
    if (m_.speeds.empty()) (void)m_.joint_speeds();
  }

  const Mechanism& m_;
  NameSet symbols_;
  NameSet frames_;
  std::map<std::string, std::size_t> body_index_;
};

}  // namespace

std::vector<std::string> check_mechanism(const Mechanism& mechanism) { return MechanismCheck(mechanism).run(); }

}  // namespace kane
