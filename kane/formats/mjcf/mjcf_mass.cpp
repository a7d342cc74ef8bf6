#include "kane/formats/mjcf/mjcf_mass.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kane {

namespace {

Mat3 sum(const Mat3& a, const Mat3& b) { return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}}; }
Mat3 diagonal(double x, double y, double z) { return {{Vec3{x, 0, 0}, Vec3{0, y, 0}, Vec3{0, 0, z}}}; }

/// m (r² 1 - r rᵀ): inertia of a particle at r.
Mat3 of_particle(double m, const Vec3& r) {
  const double square = dot(r, r);
  Mat3 inertia = diagonal(m * square, m * square, m * square);
  for (std::size_t i = 0; i < 3; ++i) inertia[i] = inertia[i] - m * r[i] * r;
  return inertia;
}

/// Products of rounded numbers differ in the last digit above and below the diagonal; an inertia may not.
Mat3 symmetric(const Mat3& m) {
  Mat3 mean = m;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = i + 1; j < 3; ++j) mean[i][j] = mean[j][i] = (m[i][j] + m[j][i]) / 2;
  return mean;
}

Mat3 turned(const Mat3& inertia, const Mat3& r) { return symmetric(r * inertia * transposed(r)); }

/// Mass and inertia of a shape with density 1 about its centre, in its own axes.
MjcfMass unit_density(const MjcfGeom& geom) {
  const auto& s = geom.sizes;
  constexpr double kPi = std::numbers::pi;
  MjcfMass m;
  if (geom.type == "sphere" || geom.type == "ellipsoid") {
    const Vec3 h = geom.type == "sphere" ? Vec3{s[0], s[0], s[0]} : Vec3{s[0], s[1], s[2]};
    m.mass = 4.0 / 3 * kPi * h.x * h.y * h.z;
    const double f = m.mass / 5;
    m.inertia = diagonal(f * (h.y * h.y + h.z * h.z), f * (h.x * h.x + h.z * h.z), f * (h.x * h.x + h.y * h.y));
  } else if (geom.type == "box") {
    m.mass = 8 * s[0] * s[1] * s[2];
    const double f = m.mass / 3;
    m.inertia =
        diagonal(f * (s[1] * s[1] + s[2] * s[2]), f * (s[0] * s[0] + s[2] * s[2]), f * (s[0] * s[0] + s[1] * s[1]));
  } else if (geom.type == "cylinder" || geom.type == "capsule") {
    const double r = s[0], length = 2 * s[1];
    const double tube = kPi * r * r * length, balls = geom.type == "capsule" ? 4.0 / 3 * kPi * r * r * r : 0;
    m.mass = tube + balls;
    const double across =
        tube * (length * length / 12 + r * r / 4) + balls * (2 * r * r / 5 + length * length / 4 + 3 * length * r / 8);
    m.inertia = diagonal(across, across, tube * r * r / 2 + balls * 2 * r * r / 5);
  }
  return m;
}

}  // namespace

MjcfMass combine(std::span<const MjcfMass> parts) {
  MjcfMass whole;
  Vec3 moment;
  for (const MjcfMass& p : parts) {
    whole.mass += p.mass;
    moment += p.mass * p.centre;
  }
  if (whole.mass > 0) whole.centre = (1 / whole.mass) * moment;
  for (const MjcfMass& p : parts)
    whole.inertia = sum(whole.inertia, sum(p.inertia, of_particle(p.mass, p.centre - whole.centre)));
  whole.inertia = symmetric(whole.inertia);
  return whole;
}

MjcfMass placed(const MjcfMass& mass, const MjcfPose& pose) {
  return {mass.mass, pose.position + pose.rotation * mass.centre, turned(mass.inertia, pose.rotation)};
}

double moment_about(const MjcfMass& mass, const Vec3& point, const Vec3& axis) {
  const Vec3 arm = cross(axis, mass.centre - point);
  return dot(axis, mass.inertia * axis) + mass.mass * dot(arm, arm);
}

MjcfMass read_inertial(const MjcfElement& inertial, const MjcfCompiler& compiler) {
  MjcfMass m;
  if (inertial.find("pos") == nullptr) inertial.fail("<inertial> needs the attribute 'pos'");
  if (inertial.find("mass") == nullptr) inertial.fail("<inertial> needs the attribute 'mass'");
  m.centre = mjcf_vector(inertial, "pos");
  m.mass = inertial.number("mass", 0);
  if (m.mass < 0) inertial.fail(fmt::format("the mass is negative: {} kg", m.mass));
  if (const auto full = inertial.numbers("fullinertia", 6, 6)) {
    for (const char* name : {"quat", "axisangle", "xyaxes", "zaxis", "euler", "diaginertia"})
      if (inertial.find(name) != nullptr)
        inertial.fail(fmt::format("'fullinertia' is in the axes of the body, so '{}' cannot be given as well", name));
    const auto& v = *full;
    m.inertia = {{Vec3{v[0], v[3], v[4]}, Vec3{v[3], v[1], v[5]}, Vec3{v[4], v[5], v[2]}}};
  } else if (const auto principal = inertial.numbers("diaginertia", 3, 3)) {
    m.inertia = turned(diagonal((*principal)[0], (*principal)[1], (*principal)[2]), compiler.orientation(inertial));
  }
  return m;
}

MjcfGeom read_geom(const MjcfElement& geom, const MjcfCompiler& compiler) {
  MjcfGeom g;
  g.type = geom.word("type", {"sphere", "capsule", "cylinder", "box", "ellipsoid", "plane", "hfield", "mesh", "sdf"});
  if (geom.find("type") == nullptr && geom.find("mesh") != nullptr) g.type = "mesh";
  g.sizes = geom.numbers("size", 0, 3).value_or(std::vector<double>{});
  g.pose = compiler.pose(geom);
  if (const auto ends = geom.numbers("fromto", 6, 6)) {
    if (g.type != "capsule" && g.type != "cylinder" && g.type != "box" && g.type != "ellipsoid")
      geom.fail(fmt::format("'fromto' is for capsules, cylinders, boxes and ellipsoids, not for a {}", g.type));
    const Vec3 a{(*ends)[0], (*ends)[1], (*ends)[2]}, b{(*ends)[3], (*ends)[4], (*ends)[5]};
    const Vec3 along = b - a;
    if (norm(along) < kMjcfSmall) geom.fail("the two points of 'fromto' coincide");
    MjcfElement turn = geom;
    for (const char* name : {"quat", "axisangle", "xyaxes", "euler"}) turn.attributes.erase(name);
    turn.attributes["zaxis"] = fmt::format("{} {} {}", along.x, along.y, along.z);
    g.pose = {0.5 * (a + b), compiler.orientation(turn)};
    const double half = norm(along) / 2;
    if (g.sizes.empty()) geom.fail(fmt::format("{} needs the attribute 'size'", geom.describe()));
    // MuJoCo takes one number for both sides of boxes and ellipsoids.
    const double across_line = g.sizes.front();
    if (g.type == "box" || g.type == "ellipsoid")
      g.sizes = {across_line, across_line, half};
    else
      g.sizes = {across_line, half};
  }
  const std::size_t count = g.type == "sphere" ? 1 : g.type == "capsule" || g.type == "cylinder" ? 2 : 3;
  const bool sized = g.type != "plane" && g.type != "hfield" && g.type != "mesh" && g.type != "sdf";
  if (!sized || geom.find("mesh") != nullptr) return g;
  if (g.sizes.size() < count)
    geom.fail(fmt::format("the size of {} needs {} number{} for a {}", geom.describe(), count, count == 1 ? "" : "s",
                          g.type));
  g.sizes.erase(g.sizes.begin() + static_cast<std::ptrdiff_t>(count), g.sizes.end());
  if (std::any_of(g.sizes.begin(), g.sizes.end(), [](double s) { return s <= 0; }))
    geom.fail(fmt::format("a size of {} is not positive", geom.describe()));
  return g;
}

MjcfMass primitive_mass(const MjcfElement& element, const MjcfGeom& geom) {
  MjcfMass m = unit_density(geom);
  const double volume = m.mass;
  const double density = element.number("density", 1000);
  const double mass = element.number("mass", density * volume);
  if (mass < 0) element.fail(fmt::format("the mass of {} is negative", element.describe()));
  const double factor = volume > 0 ? mass / volume : 0;
  m.mass = mass;
  for (Vec3& row : m.inertia.rows) row = factor * row;
  return placed(m, geom.pose);
}

MjcfMass mesh_mass(std::span<const MjcfTriangle> triangles, MeshInertia method, const MjcfElement& element) {
  // Centroid of the surface.
  double area = 0;
  Vec3 surface;
  for (const MjcfTriangle& t : triangles) {
    const double a = norm(cross(t.b - t.a, t.c - t.a)) / 2;
    area += a;
    surface += a / 3 * (t.a + t.b + t.c);
  }
  if (area < kMjcfSmall) element.fail(fmt::format("{} has no surface", element.describe()));
  surface = (1 / area) * surface;
  // Pyramids (or plain triangles) with their tip at a point: volume |D·(E×F)|/6, and the integrals of x x over them.
  const auto weigh = [&](const MjcfTriangle& t, const Vec3& tip) {
    if (method == MeshInertia::Shell) return norm(cross(t.b - t.a, t.c - t.a)) / 2;
    const double volume = dot(t.a - tip, cross(t.b - tip, t.c - tip)) / 6;
    return method == MeshInertia::Legacy ? std::abs(volume) : volume;
  };
  MjcfMass m;
  Vec3 moment;
  double volume = 0;
  for (const MjcfTriangle& t : triangles) {
    const double v = weigh(t, surface);
    const Vec3 middle = (1.0 / 3) * (t.a + t.b + t.c);
    volume += v;
    moment += v * (method == MeshInertia::Shell ? middle : 0.75 * middle + 0.25 * surface);
  }
  if (volume < kMjcfSmall)
    element.fail(fmt::format("the volume of {} is not positive; is its surface closed and oriented outwards?",
                             element.describe()));
  m.centre = (1 / volume) * moment;
  Mat3 second{{Vec3{}, Vec3{}, Vec3{}}};  // integral of r rᵀ about the centre
  for (const MjcfTriangle& t : triangles) {
    const double v = weigh(t, m.centre);
    m.mass += v;
    const std::array<Vec3, 3> p{t.a - m.centre, t.b - m.centre, t.c - m.centre};
    const Vec3 total = p[0] + p[1] + p[2];
    const double f = method == MeshInertia::Shell ? v / 12 : v / 20;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        double products = total[i] * total[j];
        for (const Vec3& x : p) products += x[i] * x[j];
        second[i][j] += f * products;
      }
  }
  const double trace = second[0].x + second[1].y + second[2].z;
  m.inertia = diagonal(trace, trace, trace);
  for (std::size_t i = 0; i < 3; ++i) m.inertia[i] = m.inertia[i] - second[i];
  m.inertia = symmetric(m.inertia);
  return m;
}

void check_mass(MjcfMass& mass, const MjcfElement& body, const MjcfCompiler& compiler) {
  mass.mass = std::max(mass.mass, compiler.bound_mass);
  if (mass.mass <= 0 && compiler.bound_inertia <= 0) return;
  Vec3 moments = principal_values(mass.inertia);
  if (compiler.bound_inertia > 0 && moments.x < compiler.bound_inertia)
    body.fail(fmt::format("'boundinertia' changes the inertia of {}, which is not supported; give its <inertial>",
                          body.describe()));
  // Rounded digits of a file may break the inequality a little.
  const double slack = 1e-9 * moments.z;
  if (moments.x < -slack) body.fail(fmt::format("the inertia of {} has a negative principal moment", body.describe()));
  if (moments.x + moments.y >= moments.z - slack) return;
  if (!compiler.balance_inertia)
    body.fail(fmt::format(
        "the principal moments of {}, {:.6g}, {:.6g} and {:.6g} kg m^2, are impossible: one exceeds the sum "
        "of the others (balanceinertia=\"true\" would replace them by their mean)",
        body.describe(), moments.x, moments.y, moments.z));
  const double mean = (moments.x + moments.y + moments.z) / 3;
  mass.inertia = diagonal(mean, mean, mean);
}

}  // namespace kane
