// Gears between bodies, against closed forms.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/command/run_json.hpp"

namespace kane::test {
namespace {

using nlohmann::json;

double speed(const json& a, const std::string& name, const char* values = "udot") {
  const auto names = a["speeds"].get<std::vector<std::string>>();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return a[values][i].get<double>();
  ADD_FAILURE() << "no speed " << name;
  return 0;
}

double multiplier(const json& a, const std::string& name) {
  const auto names = a["constraint_names"].get<std::vector<std::string>>();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return a["constraint_multipliers"][i].get<double>();
  ADD_FAILURE() << "no constraint " << name;
  return 0;
}

// Willis: (w_sun - w_arm)/(w_ring - w_arm) = -z_ring/z_sun. The equivalent inertia at the sun: all speeds in units of w_sun.
TEST(Gears, PlanetaryGearbox) {
  const json a = run_json({"evaluate", model("planetary_gearbox"), "--set", "b=0"});
  const double sun = speed(a, "w_sun");
  EXPECT_NEAR(speed(a, "w_arm") * 4, sun, 1e-12 * sun);
  EXPECT_NEAR(speed(a, "w1"), -3 * sun / 4, 1e-12 * sun);  // relative to the arm
  const double rs = 0.02, rp = 0.02, ra = 0.04;
  const double inertia = 0.2 * rs * rs / 2 + 0.3 * ra * ra / 2 / 16 +
                         3 * 0.15 * (ra * ra / 16 + rp * rp / 2 * (-0.5) * (-0.5));  // planets turn with -3/4 + 1/4
  EXPECT_NEAR(sun, 1 / inertia, 1e-9 / inertia);
}

// At rest, balanced by the torque 4 T on the arm: each planet is pushed by sun and ring alike, and its pin takes both.
TEST(Gears, ForcesOfTheMesh) {
  const char* const train = R"(
inputs: {T: 2 N*m, S: -8 N*m}
bodies: {sun: {mass: 1, inertia: [1, 1, 1]}, arm: {mass: 1, inertia: [1, 1, 1]}, planet: {mass: 1, inertia: [1, 1, 1]}}
joints:
  js: {type: revolute, parent: N, child: sun, coordinate: qs, actuator: T}
  ja: {type: revolute, parent: N, child: arm, coordinate: qa, actuator: S}
  jp: {type: revolute, parent: arm, at: [0.4, 0, 0], child: planet, coordinate: qp}
constraints:
  inner: {gear: [sun, planet], carrier: arm, radii: [0.2, 0.2]}
  outer: {gear: [planet, N], carrier: arm, radii: [0.2, 0.6], internal: true}
)";
  const json a = run_json({"evaluate", "-"}, train);
  for (const auto& u : a["udot"]) EXPECT_NEAR(u.get<double>(), 0, 1e-12);
  EXPECT_NEAR(multiplier(a, "inner"), -2 / 0.2, 1e-11);  // holds the sun back
  EXPECT_NEAR(multiplier(a, "outer"), 2 / 0.2, 1e-11);
  const auto force = a["reactions"]["jp"]["force"].get<std::vector<double>>();
  EXPECT_NEAR(force[0], 0, 1e-10);
  EXPECT_NEAR(std::abs(force[1]), 20, 1e-10);
}

TEST(Gears, BevelDifferential) {
  const json a = run_json({"evaluate", model("bevel_differential")});
  EXPECT_NEAR(speed(a, "w_left") + speed(a, "w_right"), 2 * speed(a, "w_case"), 1e-10);
  EXPECT_NEAR(a["outputs"]["mean"].get<double>(), 0, 1e-12);
  // The case held, one wheel turned: the other one turns back, the pinion by r_side/r_pinion as fast.
  const json b = run_json(
      {"evaluate", model("bevel_differential"), "--set", "w_left=1", "--set", "w_right=-1", "--set", "w_pinion=1.5"});
  const auto u = b["u"];
  const json slow = run_json({"evaluate", model("bevel_differential"), "--set", "T=0"});
  for (const auto& x : slow["udot"]) EXPECT_NEAR(x.get<double>(), 0, 1e-12);
}

/// Accelerations of two shafts and a slider under torques, for one constraint between bodies.
json shafts(const std::string& constraint, const std::string& more = "") {
  return run_json({"evaluate", "-"}, R"(
inputs: {T: 3 N*m}
bodies: {A: {mass: 1, inertia: [1, 1, 2]}, B: {mass: 1, inertia: [3, 5, 4]}, C: {mass: 1, inertia: [1, 1, 1]}, S: {mass: 4}}
joints:
  ja: {type: revolute, parent: N, child: A, coordinate: qa, actuator: T}
  jb: {type: revolute, parent: N, at: [0.5, 0, 0], child: B, coordinate: qb}
  jc: {type: revolute, parent: N, at: [0.5, 0, 0], child: C, axis: -z, coordinate: qc}
  js: {type: prismatic, parent: N, child: S, axis: x, coordinate: s}
constraints:
  c: )" + constraint + "\n" + more);
}

TEST(Gears, ShaftsAndRacks) {
  // T = (I_A + I_B/i^2) a_A with i = r_B/r_A.
  json a = shafts("{gear: [A, B], radii: [0.1, 0.4]}");
  EXPECT_NEAR(speed(a, "u_qa"), 3 / (2 + 4.0 / 16), 1e-12);
  EXPECT_NEAR(speed(a, "u_qb"), -speed(a, "u_qa") / 4, 1e-12);
  a = shafts("{gear: [A, B], teeth: [10, 40], internal: true}");
  EXPECT_NEAR(speed(a, "u_qb"), speed(a, "u_qa") / 4, 1e-12);
  EXPECT_NEAR(multiplier(a, "c"), 4 * speed(a, "u_qb"), 1e-12);  // the torque on the second gear
  // The same gear on a joint whose axis points the other way: the bodies turn as before, the coordinate does not.
  a = shafts("{gear: [A, C], radii: [0.1, 0.4]}");
  EXPECT_NEAR(speed(a, "u_qc"), speed(a, "u_qa") / 4, 1e-12);
  a = shafts("{gear: [ja, jb], teeth: [10, 40]}");  // joints stand for what they carry
  EXPECT_NEAR(speed(a, "u_qb"), -speed(a, "u_qa") / 4, 1e-12);
  a = shafts("{rack: [A, S], radius: 0.1}");
  EXPECT_NEAR(speed(a, "u_s"), 0.1 * speed(a, "u_qa"), 1e-12);
  EXPECT_NEAR(speed(a, "u_qa"), 3 / (2 + 4 * 0.01), 1e-12);
  EXPECT_NEAR(multiplier(a, "c"), -4 * speed(a, "u_s"), 1e-12);
  a = shafts("{rack: [A, S], radius: 0.1, axis: -N.z, direction: N.x}");
  EXPECT_NEAR(speed(a, "u_s"), -0.1 * speed(a, "u_qa"), 1e-12);
}

// Two stages on three shafts: z1/z2 * z3/z4.
TEST(Gears, CompoundTrain) {
  const json a = run_json({"evaluate", "-"}, R"(
inputs: {T: 1}
bodies: {first: {mass: 1, inertia: [0, 0, 1]}, cluster: {mass: 1, inertia: [0, 0, 1]}, last: {mass: 1, inertia: [0, 0, 1]}}
joints:
  j1: {type: revolute, parent: N, child: first, coordinate: q1, actuator: T}
  j2: {type: revolute, parent: N, child: cluster, coordinate: q2}
  j3: {type: revolute, parent: N, child: last, coordinate: q3}
constraints: {g1: {gear: [first, cluster], teeth: [20, 50]}, g2: {gear: [cluster, last], teeth: [15, 45]}}
)");
  const double i2 = -20.0 / 50, i3 = i2 * -15.0 / 45;
  EXPECT_NEAR(speed(a, "u1"), 1 / (1 + i2 * i2 + i3 * i3), 1e-12);
  EXPECT_NEAR(speed(a, "u3"), i3 * speed(a, "u1"), 1e-12);
}

TEST(Gears, Mistakes) {
  const auto refused = [](const std::string& constraint, const std::string& sentence) {
    const auto r =
        run_kane({"check", "-"}, R"(bodies: {A: {mass: 1, inertia: [1, 1, 2]}, B: {mass: 1, inertia: [3, 5, 4]}}
joints:
  ja: {type: revolute, parent: N, child: A, coordinate: qa}
  jb: {type: revolute, parent: A, at: [1, 0, 0], child: B, axis: y, coordinate: qb}
constraints:
  c: )" + constraint + "\n");
    EXPECT_EQ(r.exit_code, 2) << constraint;
    EXPECT_NE(r.err.find(sentence), std::string::npos) << constraint << "\n" << r.err;
    EXPECT_NE(r.err.find(":6:"), std::string::npos) << r.err;
  };
  refused("{gear: [A, B], radii: [1, 2]}", "needs 'carrier'");
  refused("{gear: [A, B], carrier: A, radii: [1, 2]}", "with its own carrier");
  refused("{gear: [A, N], carrier: B, radii: [1, 2], axis: 0*N.x}", "zero vector");
  refused("{gear: [A, Q], radii: [1, 2]}", "must be a body");
  refused("{gear: [A, B], carrier: Q, radii: [1, 2]}", "names the body 'Q', which does not exist");
  refused("{gear: [A, B], carrier: N, radii: [1, 2]}", "are not parallel; give 'axes'");
  refused("{gear: [A, B], carrier: N, axis: z}", "needs 'teeth'");
  refused("{gear: [A, B], carrier: N, radii: [1, 0]}", "has no size");
  refused("{gear: [A, B], carrier: N, radii: [1 kg, 1]}", "a length is expected");
  refused("{gear: [qa, qb], teeth: [0, 20]}", "the first gear of");
  refused("{gear: [qa, qb], teeth: [20, 0]}", "the second gear of");
  refused("{gear: [A, B], carrier: N, ratio: 2}", "give 'teeth' or 'radii'");
  refused("{gear: [qa, qb], ratio: 2, carrier: N}", "belongs to gears between bodies");
  refused("{rack: [A, B], carrier: N, radius: 1}", "needs 'axes': no joint between 'B' and the carrier slides");
}

}  // namespace
}  // namespace kane::test
