#include "kane/formats/mjcf/mjcf_compiler.hpp"

#include <cmath>
#include <numbers>

namespace kane {

namespace {

double snapped(double x) {
  constexpr double kNear = 1e-12;
  for (const double exact : {0.0, 1.0, -1.0})
    if (std::abs(x - exact) < kNear) return exact;
  return x;
}

}  // namespace

MjcfPose compose(const MjcfPose& a, const MjcfPose& b) {
  return {a.position + a.rotation * b.position, a.rotation * b.rotation};
}

MjcfPose inverse(const MjcfPose& a) {
  const Mat3 back = transposed(a.rotation);
  return {-(back * a.position), back};
}

Mat3 rotation_from_quaternion(double w, double x, double y, double z) {
  const double s = 2 / (w * w + x * x + y * y + z * z);
  Mat3 r{{Vec3{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
          Vec3{s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
          Vec3{s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}}};
  for (Vec3& row : r.rows) row = {snapped(row.x), snapped(row.y), snapped(row.z)};
  return r;
}

std::array<double, 4> quaternion_from_rotation(const Mat3& r) {
  // The largest of the four squares is found first, so that no division is by a small number (Shepperd).
  const double trace = r[0].x + r[1].y + r[2].z;
  const std::array<double, 4> squares{1 + trace, 1 + 2 * r[0].x - trace, 1 + 2 * r[1].y - trace,
                                      1 + 2 * r[2].z - trace};
  std::size_t k = 0;
  for (std::size_t i = 1; i < 4; ++i)
    if (squares[i] > squares[k]) k = i;
  std::array<double, 4> q{};
  const double twice = std::sqrt(squares[k]);  // 2 |q_k|
  q[k] = twice / 2;
  const double f = 1 / (2 * twice);
  const double wx = r[2].y - r[1].z, wy = r[0].z - r[2].x, wz = r[1].x - r[0].y;
  const double xy = r[0].y + r[1].x, xz = r[0].z + r[2].x, yz = r[1].z + r[2].y;
  if (k == 0) q[1] = f * wx, q[2] = f * wy, q[3] = f * wz;
  if (k == 1) q[0] = f * wx, q[2] = f * xy, q[3] = f * xz;
  if (k == 2) q[0] = f * wy, q[1] = f * xy, q[3] = f * yz;
  if (k == 3) q[0] = f * wz, q[1] = f * xz, q[2] = f * yz;
  if (q[0] < 0)
    for (double& x : q) x = -x;
  return q;
}

Mat3 rotation_about(const Vec3& axis, double angle) {
  const Vec3 n = std::sin(angle / 2) * unit(axis);
  return rotation_from_quaternion(std::cos(angle / 2), n.x, n.y, n.z);
}

Vec3 mjcf_vector(const MjcfElement& element, std::string_view attribute, const Vec3& otherwise) {
  const auto v = element.numbers(attribute, 3, 3);
  return v ? Vec3{(*v)[0], (*v)[1], (*v)[2]} : otherwise;
}

MjcfCompiler::MjcfCompiler(const MjcfElement& element, MjcfRefusals& refusals)
    : angle_unit(element.word("angle", {"degree", "radian"}) == "degree" ? std::numbers::pi / 180 : 1),
      euler_sequence(element.text("eulerseq", "xyz")),
      autolimits(element.flag("autolimits", true)),
      inertia_from_geoms(FromGeoms::Auto),
      inertia_groups(element.numbers("inertiagrouprange", 2, 2).value_or(std::vector<double>{0, 5})),
      balance_inertia(element.flag("balanceinertia", false)),
      bound_mass(element.number("boundmass", 0)),
      bound_inertia(element.number("boundinertia", 0)),
      total_mass(element.number("settotalmass", -1)),
      exact_mesh_inertia(element.flag("exactmeshinertia", false)),
      mesh_folder(element.text("meshdir", element.text("assetdir"))),
      strip_path(element.flag("strippath", false)),
      global_coordinates(element.word("coordinate", {"local", "global"}) == "global") {
  if (euler_sequence.size() != 3 || euler_sequence.find_first_not_of("xyzXYZ") != std::string::npos)
    element.fail(fmt::format("'eulerseq' must be three of the letters x, y, z, X, Y and Z, but '{}' is given",
                             euler_sequence.substr(0, 20)));
  const std::string from = element.text("inertiafromgeom", "auto");
  if (from != "auto")
    inertia_from_geoms = element.flag("inertiafromgeom", false) ? FromGeoms::Always : FromGeoms::Never;
  if (element.flag("alignfree", false))
    refusals.refuse(element, "'alignfree' would give bodies another frame than the file's");
}

bool MjcfCompiler::limited(const MjcfElement& element, std::string_view flag, std::string_view range) const {
  const bool given = element.find(range) != nullptr;
  return element.flag(flag, autolimits && given) && given;
}

MjcfPose MjcfCompiler::pose(const MjcfElement& element) const {
  return {mjcf_vector(element, "pos"), orientation(element)};
}

Mat3 MjcfCompiler::orientation(const MjcfElement& element) const {
  int ways = 0;
  for (const char* name : {"quat", "axisangle", "xyaxes", "zaxis", "euler"})
    ways += element.find(name) != nullptr ? 1 : 0;
  if (ways > 1) element.fail(fmt::format("the orientation of {} is given in two ways", element.describe()));
  const auto need = [&](bool holds, const char* what) {
    if (!holds) element.fail(fmt::format("{} of {} must not be zero", what, element.describe()));
  };
  if (const auto q = element.numbers("quat", 4, 4)) {
    const auto& v = *q;
    need(std::hypot(std::hypot(v[0], v[1]), std::hypot(v[2], v[3])) > kMjcfSmall, "the quaternion");
    return rotation_from_quaternion(v[0], v[1], v[2], v[3]);
  }
  if (const auto a = element.numbers("axisangle", 4, 4)) {
    const Vec3 axis{(*a)[0], (*a)[1], (*a)[2]};
    need(norm(axis) > kMjcfSmall, "the axis");
    return rotation_about(axis, (*a)[3] * angle_unit);
  }
  if (const auto a = element.numbers("xyaxes", 6, 6)) {
    Vec3 x{(*a)[0], (*a)[1], (*a)[2]}, y{(*a)[3], (*a)[4], (*a)[5]};
    need(norm(x) > kMjcfSmall, "the x axis");
    x = unit(x);
    y = y - dot(x, y) * x;
    need(norm(y) > kMjcfSmall, "the part of the y axis across the x axis");
    y = unit(y);
    return transposed(Mat3{{x, y, cross(x, y)}});
  }
  if (const auto a = element.numbers("zaxis", 3, 3)) {
    const Vec3 z{(*a)[0], (*a)[1], (*a)[2]};
    need(norm(z) > kMjcfSmall, "the z axis");
    const Vec3 n = unit(z), axis = cross({0, 0, 1}, n);
    const double s = norm(axis);
    // Opposite to z: half a turn about x.
    return s < 1e-10 ? (n.z > 0 ? Mat3{} : rotation_about({1, 0, 0}, std::numbers::pi))
                     : rotation_about(axis, std::atan2(s, n.z));
  }
  if (const auto e = element.numbers("euler", 3, 3)) {
    Mat3 r;
    for (std::size_t i = 0; i < 3; ++i) {
      const char letter = euler_sequence[i];
      const bool moving = letter >= 'a';
      Vec3 axis;
      axis[static_cast<std::size_t>(letter - (moving ? 'x' : 'X'))] = 1;
      const Mat3 turn = rotation_about(axis, (*e)[i] * angle_unit);
      r = moving ? r * turn : turn * r;
    }
    return r;
  }
  return {};
}

}  // namespace kane
