// Models given by their equations: the same numbers as the mechanism that they describe.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "tests/command/run_json.hpp"

namespace kane::test {
namespace {

using nlohmann::json;

constexpr const char* kCart = R"(
parameters: {M: 3 kg, m: 1 kg, L: 0.7 m, g: 9.81 m/s^2, k: 20 N/m}
inputs: {F: 2 N}
gravity: -g*N.y
bodies: {cart: {mass: M}, rod: {}}
particles: {bob: {mass: m, on: rod, at: [0, -L, 0]}}
joints:
  rail: {type: prismatic, parent: N, child: cart, axis: x, coordinate: x, speed: v, actuator: F, stiffness: k}
  pin: {type: revolute, parent: cart, child: rod, coordinate: th, speed: w, damping: 0.1}
)";
constexpr const char* kEquations = R"(
parameters: {M: 3 kg, m: 1 kg, L: 0.7 m, g: 9.81 m/s^2, k: 20 N/m}
inputs: {F: 2 N}
let: {c: m*L*cos(th)}
equations:
  coordinates: {x: v, th: w}
  forcing: {v: F - k*x + m*L*w^2*sin(th), w: -m*g*L*sin(th) - 0.1*w}
  mass_matrix: [[M + m, c], [c, m*L^2]]
  potential: k*x^2/2 - m*g*L*cos(th)
)";
constexpr const char* kCommon = R"(
constraints: {c: {configuration: x - 0.2*sin(th), active: false}, n: {motion: v - 0.3*w - 0.1, active: false}}
outputs: {tip: x + L*sin(th), E: energy, a: "v'"}
initial: {x: 0.1, th: 40 deg, v: -0.3, w: 2}
simulate: {until: 1 s, sample: 0.1 s}
)";

void expect_same(const json& a, const json& b, const std::string& what, double tolerance = 1e-12) {
  if (a.is_array() || a.is_object()) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (const auto& [key, value] : a.items()) {
      const json* other = a.is_array()      ? &b[static_cast<std::size_t>(std::stoul(key))]
                          : b.contains(key) ? &b[key]
                                            : nullptr;
      ASSERT_NE(other, nullptr) << what << "." << key;
      expect_same(value, *other, what + "." + key, tolerance);
    }
  } else if (a.is_number()) {
    ASSERT_TRUE(b.is_number()) << what;
    const double x = a.get<double>(), y = b.get<double>();
    EXPECT_NEAR(x, y, tolerance * std::max(1.0, std::abs(x))) << what;
  } else {
    EXPECT_EQ(a, b) << what;
  }
}

std::string mechanism() { return std::string(kCart) + kCommon; }
std::string equations() { return std::string(kEquations) + kCommon; }

TEST(EquationsModel, Evaluate) {
  const json a = run_json({"evaluate", "-"}, mechanism()), b = run_json({"evaluate", "-"}, equations());
  for (const char* key : {"coordinates", "speeds", "qdot", "M", "rhs", "udot", "outputs", "kinetic", "potential"})
    expect_same(a[key], b[key], key);
  for (const char* active : {"c", "n"}) {
    const std::string state = fmt::format("/tmp/kane_equations_{}_{}.json", active, getpid());
    std::ofstream(state) << fmt::format(
        R"({{"q": {{"th": 0.4, "x": {}}}, "u": {{"w": 1, "v": {}}}, "active": ["{}"]}})", 0.2 * std::sin(0.4),
        *active == 'c' ? 0.2 * std::cos(0.4) : 0.4, active);
    const json c = run_json({"evaluate", "-", "--state", state}, mechanism());
    const json d = run_json({"evaluate", "-", "--state", state}, equations());
    for (const char* key : {"udot", "constraint_jacobian", "constraint_multipliers", "M_embedded", "rhs_embedded"})
      expect_same(c[key], d[key], key, 1e-11);
    std::filesystem::remove(state);
  }
}

TEST(EquationsModel, OtherCommands) {
  for (const char* command : {"linearize", "equilibrium"}) {
    const json a = run_json({command, "-"}, mechanism()), b = run_json({command, "-"}, equations());
    for (const char* key : {"A", "B", "found", "eigenvalues"})
      if (a.contains(key)) expect_same(a[key], b[key], std::string(command) + " " + key, 1e-8);
  }
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"check", "-"}, {"derive", "-"}, {"derive", "-", "--format", "latex"}, {"forces", "-"}}) {
    const auto r = run_kane(arguments, equations());
    EXPECT_EQ(r.exit_code, 0) << arguments.front() << r.err;
  }
  EXPECT_NE(run_kane({"derive", "-"}, equations()).out.find("th' = w"), std::string::npos);
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"derive", "-", "--step", "3"},
                                             {"jacobian", "-", "--point", "tip"},
                                             {"reach", "-", "--point", "tip=0,0,0"}}) {
    const auto r = run_kane(arguments, equations());
    EXPECT_EQ(r.exit_code, 2) << arguments.front() << r.out << r.err;
  }
}

/// A mass on a spring in a slot that ends at a wall, rubs, is driven by a motor with a current, and is let go by an event.
constexpr const char* kBlock = R"(
parameters: {m: 2 kg, k: 30 N/m, R: 1, L: 0.2, V: 3}
bodies: {block: {mass: m}}
joints: {slot: {type: prismatic, parent: N, child: block, axis: x, coordinate: x, speed: v, stiffness: k, friction: 1 N}}
states: {i: {rate: (V - R*i - 0.5*v)/L, initial: 0.5}}
loads: [{force: 4*i*N.x, at: block}]
contacts: {wall: {gap: 0.3 - x, restitution: 0.6}}
)";
constexpr const char* kBlockEquations = R"(
parameters: {m: 2 kg, k: 30 N/m, R: 1, L: 0.2, V: 3}
equations:
  coordinates: {x: v}
  forcing: {v: 4*i - k*x}
  mass_matrix: [[m]]
states: {i: {rate: (V - R*i - 0.5*v)/L, initial: 0.5}}
friction: {slot.friction: {slip: v, limit: 1 N}}
contacts: {wall: {gap: 0.3 - x, restitution: 0.6}}
)";
constexpr const char* kBlockCommon = R"(
constraints: {hold: {configuration: x - 0.24, active: false}}
events:
  catch: {when: x - 0.24 falls through zero, impose: hold}
  drop: {when: t > 1.5, release: hold, reset: {i: 0.2}}
outputs: {current: i, rate: "i'"}
initial: {x: -0.2, v: 1}
simulate: {until: 2 s, sample: 0.02 s, tolerance: 1e-10}
)";

TEST(EquationsModel, StatesContactsFrictionAndEvents) {
  const std::string body = std::string(kBlock) + kBlockCommon, general = std::string(kBlockEquations) + kBlockCommon;
  const auto a = run_kane({"simulate", "-", "--out", "-", "--quiet"}, body);
  const auto b = run_kane({"simulate", "-", "--out", "-", "--quiet"}, general);
  ASSERT_EQ(a.exit_code, 0) << a.err;
  ASSERT_EQ(b.exit_code, 0) << b.err;
  std::istringstream first(a.out), second(b.out);
  std::string x, y;
  int rows = 0;
  for (; std::getline(first, x) && std::getline(second, y); ++rows) {
    if (rows == 0) {
      EXPECT_EQ(x, y);
      continue;
    }
    std::istringstream p(x), q(y);
    for (std::string c, d; std::getline(p, c, ',') && std::getline(q, d, ',');)
      EXPECT_NEAR(std::stod(c), std::stod(d), 1e-7) << x << "\n" << y;
  }
  EXPECT_EQ(rows, 102);
  const json e = run_json({"evaluate", "-"}, body), f = run_json({"evaluate", "-"}, general);
  for (const char* key : {"coordinates", "qdot", "udot", "outputs"}) expect_same(e[key], f[key], key);
  const json g = run_json({"linearize", "-"}, body), h = run_json({"linearize", "-"}, general);
  expect_same(g["A"], h["A"], "A", 1e-9);
  const std::string page = run_kane({"derive", "-"}, general).out;
  EXPECT_NE(page.find("while they hold: wall, slot.friction."), std::string::npos) << page;
  EXPECT_NE(page.find("x - 0.24 = 0"), std::string::npos) << page;
  // Written as YAML and read again, nothing is lost.
  const auto written = run_kane({"import", "-"}, general);
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_EQ(run_kane({"simulate", "-", "--out", "-", "--quiet"}, written.out).out, b.out);
}

TEST(EquationsModel, WrittenAndReadAgain) {
  const auto yaml = run_kane({"import", "-"}, equations());
  ASSERT_EQ(yaml.exit_code, 0) << yaml.err;
  expect_same(run_json({"evaluate", "-"}, equations())["udot"], run_json({"evaluate", "-"}, yaml.out)["udot"], "udot",
              0);
}

TEST(EquationsModel, Mistakes) {
  const auto refused = [](const std::string& text, const std::string& sentence) {
    const auto r = run_kane({"check", "-"}, text);
    EXPECT_EQ(r.exit_code, 2) << text;
    EXPECT_NE(r.err.find(sentence), std::string::npos) << text << "\n" << r.err;
    EXPECT_NE(r.err.find("standard input:"), std::string::npos) << r.err;
  };
  refused("equations: {coordinates: {q: u}}\n", "needs 'forcing'");
  refused("equations: {coordinates: {q: u^2}, forcing: {u: 1}}\n", "the rate of the coordinate 'q'");
  refused("equations: {coordinates: {q: u}, forcing: {u: 1, w: 2}, mass_matrix: [[1, q], [0, 1]]}\n", "symmetric");
  refused("equations: {coordinates: {q: u}, forcing: {u: 1, w: 2}, mass_matrix: [[1, 0], [0, 0]]}\n",
          "the row 'w' of the mass matrix is zero");
  refused("equations: {coordinates: {q: u}, forcing: {u: 1}, mass_matrix: [[u]]}\n", "depends on the speed 'u'");
  refused("equations: {coordinates: {q: u}, forcing: {u: 1}, mass_matrix: [[1, 2]]}\n", "must be a list of 1");
  refused("equations: {coordinates: {q: u}, forcing: {u: 1}}\nbodies: {A: {mass: 1}}\n", "cannot have bodies");
  refused("equations: {coordinates: {q: u}, forcing: {u: 1}}\nloads: [{force: 1, at: A, axis: N.x}]\n",
          "cannot have loads");
  const std::string plain = "equations: {coordinates: {q: u}, forcing: {u: 1}}\n";
  refused(plain + "contacts: {c: {point: P, plane: N.y}}\n", "write its distance as 'gap'");
  refused(plain + "contacts: {c: {gap: q, stiffness: 10 N/m}}\n", "belongs to the forcing");
  refused(plain + "contacts: {c: {gap: q, friction: 0.3}}\n", "give 'slip'");
  refused(plain + "friction: {f: {joint: J, limit: 1}}\n", "has no joints");
  refused(plain + "events: {e: {when: q crosses zero, impose: hold}}\n",
          "names the constraint 'hold', which does not exist");
  refused(plain + "events: {e: {when: 3 crosses zero, stop: true}}\n", "never changes its sign");
  refused(plain + "states: {z: q}\nconstraints: {c: {configuration: q - z}}\n", "depends on the state 'z'");
  refused("equations: {coordinates: {q: u}, forcing: {u: zz}}\n", "unknown name 'zz'");
  refused("equations: {coordinates: {q: u}, forcing: {u: 1}}\nconstraints: {c: {rod: [A, B], length: 1}}\n",
          "refers to bodies or points");
  refused("equations: {coordinates: {q: u}, forcing: {q: 1}}\n", "'q' is already the name of a coordinate");
  refused("equations: {coordinates: {q: u}, forcing: {u: 1}}\nconstraints: {c: {configuration: u}}\n",
          "depends on the speed 'u'");
}

}  // namespace
}  // namespace kane::test
