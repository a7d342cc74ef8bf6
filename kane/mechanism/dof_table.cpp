#include "kane/mechanism/dof_table.hpp"

#include <algorithm>

#include "kane/mechanics/algebra.hpp"
#include "kane/mechanism/directions.hpp"

namespace kane {
namespace {

/// "1", "2", "3" for a basis vector (or its opposite), else "*".
char axis_digit(const Vector& v) {
  if (v.terms().size() != 1) return '*';
  const Expr3& c = v.terms().front().c;
  for (std::size_t k = 0; k < 3; ++k)
    if (!c[k].is_zero() && c[(k + 1) % 3].is_zero() && c[(k + 2) % 3].is_zero()) return static_cast<char>('1' + k);
  return '*';
}

class TableFormer {
 public:
  TableFormer(const Mechanism& mechanism, const LoweredMechanism& lowered, const EquationsOfMotion& equations)
      : m_(mechanism),
        l_(lowered),
        s_(lowered.system),
        e_(equations),
        rates_(form_speed_rates(s_)),
        motion_(lowered, rates_) {}

  DofTable run() {
    wrenches_.resize(l_.joints.size());
    for (const JointWrench& w : form_joint_wrenches(l_, motion_, rates_, e_.constraints)) wrenches_[w.joint] = w;
    for (std::size_t j = 0; j < l_.joints.size(); ++j)
      if (!l_.joints[j].closing) add_entry(j);
    return std::move(table_);
  }

 private:
  /// One potential degree of freedom before it is numbered.
  struct Candidate {
    Vector axis;
    PointId at;  ///< a point of the axis of rotation
    bool free = false;
    int coordinate = -1, speed = -1;
  };

  void add_entry(std::size_t j) {
    const LoweredJoint& joint = l_.joints[j];
    DofEntry entry;
    entry.joint = joint.name;
    entry.parent = joint.parent;
    entry.child = joint.child;
    std::vector<Candidate> rotations, translations;
    for (std::size_t i = 0; i < joint.motions.size(); ++i) read_motion(j, i, rotations, translations, entry);
    complete_rotations(joint, rotations);
    complete_translations(joint, translations);
    number(j, rotations, true, entry);
    number(j, translations, false, entry);
    table_.entries.push_back(std::move(entry));
  }

  void read_motion(std::size_t j, std::size_t i, std::vector<Candidate>& rotations,
                   std::vector<Candidate>& translations, DofEntry& entry) const {
    const LoweredMotion& motion = l_.joints[j].motions[i];
    const std::vector<Expr>& coordinates = m_.joints[j].motions[i].coordinates;
    if (motion.kind == MotionKind::Ball) {
      const Expr3& rates = s_.frames()[motion.to].quasi_rates;
      for (std::size_t k = 0; k < 3; ++k)
        rotations.push_back({unit(motion.to, static_cast<Axis>(k)), motion.end, true, coordinate_index(coordinates[k]),
                             speed_index(rates[k])});
      entry.spherical_coordinate = coordinate_index(coordinates[3]);
      return;
    }
    Candidate c{motion.axis, motion.start, motion.free};
    if (motion.free) {
      c.coordinate = coordinate_index(coordinates.front());
      c.speed = speed_index(motion.rate);
    }
    (motion.kind == MotionKind::Translation ? translations : rotations).push_back(c);
  }

  [[nodiscard]] int coordinate_index(const Expr& q) const {
    return static_cast<int>(std::find(e_.q.begin(), e_.q.end(), q) - e_.q.begin());
  }
  [[nodiscard]] int speed_index(const Expr& rate) const {
    for (std::size_t i = 0; i < s_.speeds().size(); ++i)
      if (s_.speeds()[i].definition == rate) return static_cast<int>(i);
    return -1;
  }

  // ---- what is missing to three -------------------------------------------------------------------------------------
  void complete_rotations(const LoweredJoint& joint, std::vector<Candidate>& axes) const {
    const FrameId outer = joint.outer_frame;
    const auto add = [&](const Vector& v) { axes.push_back({v, joint.outer}); };
    if (axes.empty()) {
      for (const Axis k : {Axis::X, Axis::Y, Axis::Z}) add(unit(outer, k));
    } else if (axes.size() == 1) {
      // A rotation axis has the same components before and after.
      const auto [b, c] = across(axes[0].axis.terms().front().c, m_);
      add(Vector(outer, b));
      add(Vector(outer, c));
    } else if (axes.size() == 2) {
      const char first = axis_digit(axes[0].axis), second = axis_digit(axes[1].axis);
      if (first != '*' && second != '*' && first != second)
        add(unit(outer, static_cast<Axis>('1' + '2' + '3' - first - second - '1')));
      else
        add(unit_along(s_, s_.cross(axes[0].axis, axes[1].axis)));
    }
  }

  void complete_translations(const LoweredJoint& joint, std::vector<Candidate>& axes) const {
    const auto add = [&](const Vector& v) { axes.push_back({v, joint.outer}); };
    if (axes.empty()) {
      for (const Axis k : {Axis::X, Axis::Y, Axis::Z}) add(unit(joint.inner_frame, k));
    } else if (axes.size() == 1) {
      const auto [b, c] = across(axes[0].axis, m_, s_);
      add(b);
      add(c);
    } else if (axes.size() == 2) {
      add(unit_along(s_, s_.cross(axes[0].axis, axes[1].axis)));
    }
  }

  // ---- numbers and forces -------------------------------------------------------------------------------------------
  void number(std::size_t j, const std::vector<Candidate>& candidates, bool rotation, DofEntry& entry) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Candidate& c = candidates[i];
      DofAxis axis;
      axis.name = fmt::format("{}{}", rotation ? "Rot" : "Trn", i + 1);
      axis.rotation = rotation;
      axis.free = c.free;
      axis.coordinate = c.coordinate;
      axis.speed = c.speed;
      axis.axis = c.axis;
      if (c.free) {
        ++table_.free_count;
      } else {
        axis.constraint = table_.constraint_count++;
        axis.force = force(j, c, rotation);
      }
      (rotation ? entry.rotation_sequence : entry.translation_sequence) += axis_digit(c.axis);
      entry.axes.push_back(std::move(axis));
    }
  }

  [[nodiscard]] Expr force(std::size_t j, const Candidate& c, bool rotation) const {
    const JointWrench& w = wrenches_[j];
    const Expr3 axis = motion_.express(c.axis);
    if (!rotation) return dot(w.force, axis);
    Expr3 torque = add(w.torque, cross(motion_.span(c.at, l_.joints[j].outer), w.force));
    for (const ParallelTorque& t : l_.parallel_torques)
      if (t.joint == j) torque = subtract(torque, motion_.express(t.torque));
    return dot(torque, axis);
  }

  const Mechanism& m_;
  const LoweredMechanism& l_;
  const System& s_;
  const EquationsOfMotion& e_;
  SpeedRates rates_;
  BodyMotion motion_;
  std::vector<JointWrench> wrenches_;
  DofTable table_;
};

std::string index_text(int i) { return i < 0 ? "--" : fmt::format("{:02}", i); }

}  // namespace

std::vector<std::string> DofTable::constraint_names() const {
  std::vector<std::string> names;
  for (const DofEntry& entry : entries)
    for (const DofAxis& axis : entry.axes)
      if (!axis.free) names.push_back(entry.joint + "." + axis.name);
  return names;
}

std::vector<Expr> DofTable::constraint_forces() const {
  std::vector<Expr> forces;
  for (const DofEntry& entry : entries)
    for (const DofAxis& axis : entry.axes)
      if (!axis.free) forces.push_back(axis.force);
  return forces;
}

DofTable form_dof_table(const Mechanism& mechanism, const LoweredMechanism& lowered,
                        const EquationsOfMotion& equations) {
  return TableFormer(mechanism, lowered, equations).run();
}

std::string to_text(const DofTable& table) {
  std::string text;
  for (const DofEntry& entry : table.entries) {
    text += fmt::format("Joint {}: {} -> {}   RotSeq = {}   TrnSeq = {}\n", entry.joint, entry.parent, entry.child,
                        entry.rotation_sequence, entry.translation_sequence);
    text += fmt::format("  {:<6} {:^3} {:>5} {:>5} {:>11}\n", "Axis", "F/C", "u[ ]", "x[ ]", "constraint");
    for (std::size_t i = 0; i < entry.axes.size(); ++i) {
      const DofAxis& axis = entry.axes[i];
      text += fmt::format("  {:<6} {:^3} {:>5} {:>5} {:>11}\n", axis.name, axis.free ? 'F' : 'C',
                          index_text(axis.speed), index_text(axis.coordinate), index_text(axis.constraint));
      if (entry.spherical_coordinate >= 0 && axis.rotation &&
          (i + 1 == entry.axes.size() || !entry.axes[i + 1].rotation))
        text += fmt::format("  {:<6} {:^3} {:>5} {:>5} {:>11}\n", "(Sph)", '-', "--",
                            index_text(entry.spherical_coordinate), "--");
    }
  }
  text += fmt::format("{} degree{} of freedom, {} constraint{}\n", table.free_count, table.free_count == 1 ? "" : "s",
                      table.constraint_count, table.constraint_count == 1 ? "" : "s");
  return text;
}

}  // namespace kane
