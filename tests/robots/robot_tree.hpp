#pragma once
// Robots made up here, as numbers: tests and benchmarks write them as URDF for Kane and MuJoCo, and build them in the
// engines that have no file format of their own. Same seed, same robot.

#include <fmt/format.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace kane::test {

using Vec3 = std::array<double, 3>;

/// A link with the joint that carries it; names are l0, l1, ... and j1, j2, ... The first link is the root.
struct RobotLink {
  int parent = -1;
  std::string type = "revolute";
  Vec3 axis{0, 0, 1};
  Vec3 xyz{}, rpy{};  ///< of the joint in the parent
  double mass = 0;
  Vec3 com{};
  Vec3 com_rpy{};                   ///< axes in which the inertia is given
  std::array<double, 6> inertia{};  ///< xx, yy, zz, xy, yz, xz: matrix elements about the mass centre
  double damping = 0;
};

struct RobotTree {
  std::string name;
  std::vector<RobotLink> links;
  bool floating = false;
};

/// Random numbers that are the same on every machine (distributions of the standard library are not).
class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  double between(double a, double b) { return a + (b - a) * (static_cast<double>(random_()) / 4294967296.0); }
  Vec3 vector(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }

 private:
  std::mt19937 random_;
};

/// Mass, mass centre and a full inertia that some real body could have: that of a box, turned.
inline void fill_mass(RobotLink& link, Dice& dice, double mass, double size) {
  link.mass = mass * dice.between(0.5, 1.5);
  link.com = dice.vector(0.3 * size);
  const Vec3 s{size * dice.between(0.2, 1), size * dice.between(0.2, 1), size * dice.between(0.2, 1)};
  const double m = link.mass / 12;
  const Vec3 p{m * (s[1] * s[1] + s[2] * s[2]), m * (s[2] * s[2] + s[0] * s[0]), m * (s[0] * s[0] + s[1] * s[1])};
  // I = D + k (1 - n n^T) with a small k stays the inertia of a body, and has products of inertia.
  const double k = 0.2 * m * size * size;
  const Vec3 n{0.6, 0.64, 0.48};
  link.inertia = {p[0] + k * (1 - n[0] * n[0]),
                  p[1] + k * (1 - n[1] * n[1]),
                  p[2] + k * (1 - n[2] * n[2]),
                  -k * n[0] * n[1],
                  -k * n[1] * n[2],
                  -k * n[0] * n[2]};
}

constexpr double kRightAngle = 1.5707963267948966;

/// n links in a row; axes z, y, x in turn, general offsets, full inertias. With `skew` also general orientations.
inline RobotTree make_serial_arm(int n, bool floating = false, bool skew = false) {
  Dice dice(static_cast<unsigned>(n));
  RobotTree robot{fmt::format("{}{}arm{}", floating ? "floating_" : "", skew ? "skew_" : "", n), {}, floating};
  for (int i = 0; i <= n; ++i) {
    RobotLink link;
    link.parent = i - 1;
    link.axis = {};
    link.axis[static_cast<std::size_t>((i + 1) % 3)] = 1;
    link.xyz = {dice.between(-0.3, 0.3), dice.between(-0.3, 0.3), dice.between(0.1, 0.4)};
    if (skew) link.rpy = dice.vector(3);
    fill_mass(link, dice, i == 0 ? 10 : 4, 0.3);
    if (i == 0) link.xyz = link.rpy = {};
    robot.links.push_back(link);
  }
  return robot;
}

/// The proportions of an industrial arm with six joints: right angles, mass centres on axes, diagonal inertias.
inline RobotTree make_industrial_arm() {
  struct Row {
    Vec3 xyz, rpy, axis;
    double mass;
    Vec3 com;
    double length, radius;
  };
  const Row rows[] = {
      {{0, 0, 0}, {0, 0, 0}, {0, 0, 1}, 4.0, {0, 0, 0}, 0.05, 0.06},
      {{0, 0, 0.0892}, {0, 0, 0}, {0, 0, 1}, 3.7, {0, 0, 0}, 0.178, 0.06},
      {{0, 0.1358, 0}, {0, kRightAngle, 0}, {0, 1, 0}, 8.393, {0, 0, 0.2125}, 0.425, 0.06},
      {{0, -0.1197, 0.425}, {0, 0, 0}, {0, 1, 0}, 2.275, {0, 0, 0.1961}, 0.3922, 0.06},
      {{0, 0, 0.3922}, {0, kRightAngle, 0}, {0, 1, 0}, 1.219, {0, 0.093, 0}, 0.12, 0.045},
      {{0, 0.093, 0}, {0, 0, 0}, {0, 0, 1}, 1.219, {0, 0, 0.0946}, 0.12, 0.045},
      {{0, 0, 0.0946}, {0, 0, 0}, {0, 1, 0}, 0.1879, {0, 0.0823, 0}, 0.04, 0.045},
  };
  RobotTree robot{"industrial_arm", {}, false};
  for (int i = 0; i < 7; ++i) {
    const Row& row = rows[i];
    RobotLink link{i - 1, "revolute", row.axis, row.xyz, row.rpy, row.mass, row.com, {}, {}, 0};
    const double across = row.mass * (3 * row.radius * row.radius + row.length * row.length) / 12;
    link.inertia = {across, across, row.mass * row.radius * row.radius / 2, 0, 0, 0};
    robot.links.push_back(link);
  }
  return robot;
}

namespace detail {

/// A limb of joints one after another, axes given by letters; returns its last link.
inline int add_limb(RobotTree& robot, Dice& dice, int parent, const Vec3& at, std::string_view axes, double mass,
                    double length) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    RobotLink link;
    link.parent = parent;
    link.axis = {};
    link.axis[static_cast<std::size_t>(axes[i] - 'x')] = 1;
    link.xyz = i == 0 ? at : Vec3{dice.between(-0.02, 0.02), dice.between(-0.05, 0.05), -length * dice.between(0.5, 1)};
    fill_mass(link, dice, mass, length);
    parent = static_cast<int>(robot.links.size());
    robot.links.push_back(link);
  }
  return parent;
}

inline RobotTree make_trunk(const std::string& name, Dice& dice) {
  RobotTree robot{name, {}, true};
  RobotLink trunk;
  fill_mass(trunk, dice, 20, 0.5);
  robot.links.push_back(trunk);
  return robot;
}

}  // namespace detail

/// Floating trunk, four legs of three joints: 18 degrees of freedom.
inline RobotTree make_quadruped() {
  Dice dice(18);
  RobotTree robot = detail::make_trunk("quadruped", dice);
  for (const double x : {0.3, -0.3})
    for (const double y : {0.12, -0.12}) detail::add_limb(robot, dice, 0, {x, y, 0}, "xyy", 1.5, 0.25);
  return robot;
}

/// Floating pelvis, waist 2, head 2, arms 2 x 7, legs 2 x 6: 36 degrees of freedom.
inline RobotTree make_humanoid() {
  Dice dice(36);
  RobotTree robot = detail::make_trunk("humanoid", dice);
  for (const double y : {0.1, -0.1}) detail::add_limb(robot, dice, 0, {0, y, -0.1}, "zxyyyx", 3, 0.35);
  const int chest = detail::add_limb(robot, dice, 0, {0, 0, 0.1}, "zy", 8, 0.3);
  detail::add_limb(robot, dice, chest, {0, 0, 0.4}, "zy", 2, 0.2);
  for (const double y : {0.2, -0.2}) detail::add_limb(robot, dice, chest, {0, y, 0.3}, "yxzyzyx", 1.5, 0.25);
  return robot;
}

/// n joints that branch now and then: every link hangs on one of the three before it.
inline RobotTree make_tree(int n) {
  RobotTree robot = make_serial_arm(n);
  robot.name = fmt::format("tree{}", n);
  Dice dice(7);
  for (int i = 2; i <= n; ++i)
    robot.links[static_cast<std::size_t>(i)].parent = std::max(0, i - 1 - static_cast<int>(dice.between(0, 2.999)));
  return robot;
}

// ---- URDF -------------------------------------------------------------------------------------------------------------

inline std::string triple(const Vec3& v) { return fmt::format("{} {} {}", v[0], v[1], v[2]); }

/// `extra` goes to the beginning of the <robot> element.
inline std::string write_urdf(const RobotTree& robot, std::string_view extra = {}) {
  std::string text = fmt::format("<robot name=\"{}\">\n{}", robot.name, extra);
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const RobotLink& l = robot.links[i];
    text += fmt::format("  <link name=\"l{}\">\n", i);
    if (l.mass > 0)
      text += fmt::format(
          "    <inertial><origin xyz=\"{}\" rpy=\"{}\"/><mass value=\"{}\"/><inertia ixx=\"{}\" iyy=\"{}\" izz=\"{}\" "
          "ixy=\"{}\" iyz=\"{}\" ixz=\"{}\"/></inertial>\n",
          triple(l.com), triple(l.com_rpy), l.mass, l.inertia[0], l.inertia[1], l.inertia[2], l.inertia[3],
          l.inertia[4], l.inertia[5]);
    text += "  </link>\n";
    if (i == 0) continue;
    const bool limited = l.type == "revolute" || l.type == "prismatic";
    text += fmt::format(
        "  <joint name=\"j{}\" type=\"{}\"><parent link=\"l{}\"/><child link=\"l{}\"/><origin xyz=\"{}\" "
        "rpy=\"{}\"/><axis xyz=\"{}\"/>{}<dynamics damping=\"{}\"/></joint>\n",
        i, l.type, l.parent, i, triple(l.xyz), triple(l.rpy), triple(l.axis),
        limited ? "<limit lower=\"-3\" upper=\"3\" effort=\"100\" velocity=\"10\"/>" : "", l.damping);
  }
  return text + "</robot>\n";
}

}  // namespace kane::test
