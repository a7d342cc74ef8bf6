#include "kane/mechanism/joint_library.hpp"

#include <algorithm>
#include <cctype>

#include "kane/base/at.hpp"
#include "kane/base/suggest.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/orientation.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {
namespace {

Expr3 basis(char axis) {
  return {axis == 'x' || axis == '1' ? 1 : 0, axis == 'y' || axis == '2' ? 1 : 0, axis == 'z' || axis == '3' ? 1 : 0};
}

MotionKind motion_kind(char letter) {
  switch (letter) {
    case 'r': return MotionKind::Rotation;
    case 't': return MotionKind::Translation;
    case 's': return MotionKind::Screw;
    default: return MotionKind::Ball;
  }
}

void check_sequence(const MotionSequence& sequence, std::string_view what, const Where& where) {
  const bool good = sequence.axes.size() == 3 && sequence.axes.find_first_not_of("123xyz") == std::string::npos;
  require_at(where, good, "the {} sequence '{}' must name three axes, such as 213 or zxz", what, sequence.axes);
  for (const int i : sequence.free)
    require_at(where, i >= 1 && i <= 3, "free {} axis {} of the sequence {}: the axes are counted from 1 to 3", what, i,
               sequence.axes);
}

void append_sequence(std::vector<ElementaryMotion>& motions, const MotionSequence& sequence, MotionKind kind) {
  for (int i = 1; i <= 3; ++i) {
    ElementaryMotion m;
    m.kind = kind;
    m.axis = basis(sequence.axes[at(i - 1)]);
    m.free = std::find(sequence.free.begin(), sequence.free.end(), i) != sequence.free.end();
    motions.push_back(std::move(m));
  }
}

/// Names of the same joints elsewhere, for hints in messages.
std::string_view own_name(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kOthers[] = {{"hinge", "revolute"},
                                                                              {"pin", "revolute"},
                                                                              {"continuous", "revolute"},
                                                                              {"rotary", "revolute"},
                                                                              {"slider", "prismatic"},
                                                                              {"slide", "prismatic"},
                                                                              {"translational", "prismatic"},
                                                                              {"ball", "spherical"},
                                                                              {"ball_and_socket", "spherical"},
                                                                              {"fixed", "weld"},
                                                                              {"rigid", "weld"},
                                                                              {"floating", "free"},
                                                                              {"6dof", "free"},
                                                                              {"freejoint", "free"},
                                                                              {"hooke", "universal"},
                                                                              {"cardan", "universal"},
                                                                              {"helical", "screw"}};
  for (const auto& [other, own] : kOthers)
    if (other == name) return own;
  return "";
}

}  // namespace

const JointKindInfo& joint_kind(std::string_view name, const Where& where) {
  std::vector<std::string> known;
  for (const JointKindInfo& kind : kJointKinds) {
    if (kind.name == name) return kind;
    known.emplace_back(kind.name);
  }
  const std::string_view own = own_name(name);
  const std::string hint = own.empty() ? suggestion(name, known) : fmt::format("; here it is called '{}'", own);
  throw ModelError(where,
                   fmt::format("unknown type of joint '{}'{}; known are {}", name, hint, fmt::join(known, ", ")));
}

std::vector<ElementaryMotion> open_joint(const JointKindInfo& kind) {
  require(kind.motions != "?", "the motions of a joint of type '{}' must be written out", kind.name);
  std::vector<ElementaryMotion> motions;
  for (std::size_t i = 0; i < kind.motions.size(); ++i) {
    ElementaryMotion m;
    m.kind = motion_kind(kind.motions[i]);
    if (m.kind != MotionKind::Ball) m.axis = basis(kind.axes[i]);
    motions.push_back(std::move(m));
  }
  return motions;
}

std::vector<ElementaryMotion> open_general_joint(const MotionSequence& translation, const MotionSequence& rotation,
                                                 const Where& where) {
  check_sequence(translation, "translation", where);
  check_sequence(rotation, "rotation", where);
  require_at(where,
             translation.axes.find_first_of("1x") != std::string::npos &&
                 translation.axes.find_first_of("2y") != std::string::npos &&
                 translation.axes.find_first_of("3z") != std::string::npos,
             "the translation sequence '{}' must name each of the three axes once", translation.axes);
  std::vector<ElementaryMotion> motions;
  append_sequence(motions, translation, MotionKind::Translation);
  append_sequence(motions, rotation, MotionKind::Rotation);
  return motions;
}

int coordinate_count(const ElementaryMotion& motion) {
  if (!motion.free) return 0;
  return motion.kind == MotionKind::Ball ? 4 : 1;
}

int speed_count(const ElementaryMotion& motion) {
  if (!motion.free) return 0;
  return motion.kind == MotionKind::Ball ? 3 : 1;
}

std::string speed_name(std::string_view coordinate) {
  const bool plain =
      !coordinate.empty() && coordinate[0] == 'q' &&
      (coordinate.size() == 1 || coordinate[1] == '_' || std::isdigit(static_cast<unsigned char>(coordinate[1])) != 0);
  return plain ? "u" + std::string(coordinate.substr(1)) : "u_" + std::string(coordinate);
}

void name_motions(Graph& graph, Joint& joint, const std::vector<std::string>& coordinates,
                  const std::vector<std::string>& speeds) {
  std::size_t needed = 0;
  std::size_t needed_speeds = 0;
  for (const ElementaryMotion& m : joint.motions) {
    needed += at(coordinate_count(m));
    needed_speeds += at(speed_count(m));
  }
  require_at(joint.where, coordinates.size() <= needed, "the joint '{}' has {} coordinate{}, but {} are named",
             joint.name, needed, needed == 1 ? "" : "s", coordinates.size());
  require_at(joint.where, speeds.size() <= needed_speeds, "the joint '{}' has {} speed{}, but {} are named", joint.name,
             needed_speeds, needed_speeds == 1 ? "" : "s", speeds.size());
  std::size_t q = 0;
  std::size_t u = 0;
  const auto next_coordinate = [&] {
    const std::size_t i = q++;
    if (i < coordinates.size()) return coordinates[i];
    return needed == 1 ? "q_" + joint.name : fmt::format("q_{}_{}", joint.name, i + 1);
  };
  const auto next_speed = [&](const std::string& generated) {
    const std::size_t i = u++;
    return i < speeds.size() ? speeds[i] : generated;
  };
  for (ElementaryMotion& m : joint.motions) {
    m.coordinates.clear();
    m.speeds.clear();
    for (int i = 0; i < coordinate_count(m); ++i) m.coordinates.push_back(graph.symbol(next_coordinate()));
    for (int i = 0; i < speed_count(m); ++i) {
      m.speeds.push_back(
          graph.symbol(next_speed(m.kind == MotionKind::Ball ? fmt::format("w_{}_{}", joint.name, "xyz"[i])
                                                             : speed_name(m.coordinates.front().name()))));
    }
  }
}

// ---- Denavit and Hartenberg ------------------------------------------------------------------------------------------

// Rx(alpha) = axis_rotation about x, and so on. Modified (Craig): T = Rx(alpha) Tx(a) Rz(theta) Tz(d), all of it before
// the child's frame. Standard: T = Rz(theta) Tz(d) Tx(a) Rx(alpha), the last two after the joint, hence on the child.
void place_by_denavit_hartenberg(Joint& joint, const DenavitHartenberg& dh) {
  const Expr33 turn = simple_rotation_matrix(Axis::Z, dh.theta);
  const Expr33 twist = simple_rotation_matrix(Axis::X, dh.alpha);
  if (dh.modified) {
    joint.on_parent.rotation = multiply(twist, turn);
    joint.on_parent.position = add({dh.a, 0, 0}, multiply(twist, Expr3{0, 0, dh.d}));
    joint.on_child = {};
  } else {
    joint.on_parent.rotation = turn;
    joint.on_parent.position = {0, 0, dh.d};
    joint.on_child.rotation = transpose(twist);
    joint.on_child.position = {-dh.a, 0, 0};
  }
}

}  // namespace kane
