// Units inside expressions, named expressions, dimensions through whole expressions, names of held coordinates.

#include <gtest/gtest.h>

#include <cmath>

#include "bad_input.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/mechanism/lowering.hpp"
#include "same_equations.hpp"

namespace kane::test {
namespace {

constexpr double kHalfTurn = 3.14159265358979323846;

/// The value of the parameter x of a model whose parameters are these.
double parameter_x(const std::string& parameters) {
  const Mechanism m = read_yaml_text("parameters: {" + parameters +
                                     "}\nbodies: {A: {mass: 1}}\njoints: {J: {type: free, parent: N, "
                                     "child: A}}\n");
  Values values;
  for (const auto& p : m.parameters) values[p.symbol.name()] = evaluate(p.value, values);
  return values.at("x");
}

TEST(UnitsInExpressions, Values) {
  const std::pair<const char*, double> cases[] = {
      {"x: 2 m + 3 cm", 2.03},
      {"x: cos(60 deg)", 0.5},
      {"x: 30*deg", kHalfTurn / 6},
      {"x: 1/2 in", 0.0127},
      {"x: -1/2 in", -0.0127},
      {"x: 3 m - 1/2 in", 3 - 0.0127},
      {"x: 2*pi rad/s", 2 * kHalfTurn},
      {"x: (1 + 2) mm", 0.003},
      {"x: sqrt(4) km", 2000},
      {"x: 2^3 mm", 0.008},
      {"x: 12 m/s^2*3 s", 36},
      {"x: 10 N/2 m", 5},
      {"x: 30°", kHalfTurn / 6},
      {"x: 5 %", 0.05},
      {"x: 5 N/(m/s)", 5},
      {"x: 7 kg m^2", 7},
      {"x: 1500 rpm", 50 * kHalfTurn},
      {"m: 3 kg, x: 2*m", 6},       // the parameter
      {"m: 3 kg, x: 2 m", 2},       // two metres
      {"m: 3 kg, x: 5 N*m", 5},     // a torque
      {"m: 3 kg, x: (5 N)*m", 15},  // five newtons times the parameter
      {"g: 10 m/s^2, x: 2 kg * g", 20},
      {"m: 3 kg, x: 9 m/s^2 * m", 27},
      {"k: 2, x: 5 N*k", 10},    // k is no unit
      {"L: 4 m, x: L/2 m", 2},   // L divided by two metres
      {"deg: 7, x: 2*deg", 14},  // the parameter
      {"x: \"atan2(1 m, 100 cm)\"", kHalfTurn / 4},
  };
  for (const auto& [text, value] : cases) EXPECT_NEAR(parameter_x(text), value, 1e-13 * std::abs(value)) << text;
}

TEST(UnitsInExpressions, Mistakes) {
  const BadInput cases[] = {
      {"parameters: {m: 1 kg, x: 5 N * @m}\n", "'m' could be a unit or a name of the model here"},
      {"parameters: {g: 10 m/s^2, x: 2 kg*@g}\n", "'g' could be a unit or a name of the model here"},
      {"parameters: {m: 1, g: 1, x: 2 N/@(m*g)}\n", "'(m*g)' could be a unit or a name of the model here"},
      {"parameters: {x: @1 + 2 mm}\n", "'1' has no unit, but '2 mm' has"},
      {"parameters: {L: 1, x: 2 @L.x}\n", "to multiply, write '2*L.x'"},
      {"parameters: {a: 1, x: 2 @a}\n", "to multiply, write '2*a'"},
      {"parameters: {x: 2 @sin(1)}\n", "to multiply, write '2*sin'"},
      {"parameters: {x: 2*@m}\n", "unknown name 'm' (as a unit it must follow its number: 2 m)"},
      {"parameters: {n: 2, x: 2 m@^n}\n", "the exponent of a unit must be a whole number"},
      {"parameters: {x: 2 m @+ 3 kg}\n", "'2 m' is in metres but '3 kg' is in kilograms"},
      {"parameters: {x: cos(@3 m)}\n",
       "the argument of cos must be a plain number or an angle, but '3 m' is in metres"},
  };
  expect_refused(cases, "model.yaml");
}

// A rod on a pin, with room for one more section each. @ marks where the error is.
constexpr const char* kRod =
    "parameters: {m: 2 kg, L: 1 m, g: 9.81 m/s^2, k: 5 N*m/rad, c: 1 N*m*s/rad, n: 3}\n"
    "bodies: {A: {mass: m, com: [L/2, 0, 0], inertia: [0, 0, m*L^2/12]}}\n"
    "joints: {J: {type: revolute, parent: N, child: A, coordinate: q, speed: u}}\n";

std::string rod(const std::string& more) { return kRod + more; }

struct RodMistake {
  std::string more;  ///< added to the rod
  std::string sentence;
};

void expect_rod_refused(const std::vector<RodMistake>& cases) {
  for (const RodMistake& c : cases) {
    const std::string text = rod(c.more);
    const BadInput bad{text, c.sentence};
    expect_refused({&bad, 1}, "model.yaml");
  }
}

TEST(Dimensions, MistakesAreFound) {
  expect_rod_refused({
      {"gravity: @-m*N.y\n", "the gravity is given in kilograms ('-m*N.y'); an acceleration is expected"},
      {"gravity: @-2*m*N.y\n", "the gravity is given in kilograms"},
      {"gravity: @-9.81*m*N.y\n", "the gravity is given in kilograms"},
      {"gravity: @-m*g*N.y\n", "the gravity is given in newtons"},
      {"particles: {P: {mass: m, on: A, at: [@m/2, 0, 0]}}\n", "a length is expected"},
      {"loads: [{force: @m*g*L*N.x, at: A}]\n", "is given in newton metres ('m*g*L*N.x'); a force is expected"},
      {"loads: [{torque: @-c*q, on: A, axis: N.z}]\n", "is given in newton metre seconds"},
      {"loads: [{torque: -k*q @- c*q, on: A, axis: N.z}]\n", "so '-' cannot combine them"},
      {"loads: [{spring: @k*L, from: A, to: N}]\n", "a stiffness is expected"},
      {"loads: [{law: @m*x, from: A.com, to: N}]\n", "a force is expected"},
      {"outputs: {o: sin(@L*q)}\n", "the argument of sin must be a plain number or an angle"},
      {"outputs: {o: L*q @+ u}\n", "so '+' cannot combine them"},
      {"outputs: {o: m/12 @+ L}\n", "so '+' cannot combine them"},
      {"initial: {q: @L}\n", "q is given in metres ('L') in 'initial'; an angle is expected"},
      {"constraints: {c: {configuration: L*sin(q) @- m}}\n", "so '-' cannot combine them"},
      {"simulate: {until: @L}\n", "a time is expected"},
  });
  for (const char* inertia : {"m*L/12", "m*L^3/3", "m*L^2/12*L", "m*L/(3*4)", "-m*L"}) {
    const std::string text = std::string("parameters: {m: 2 kg, L: 1 m}\nbodies: {A: {mass: m, inertia: [0, 0, @") +
                             inertia + "]}}\njoints: {J: {type: revolute, parent: N, child: A}}\n";
    const BadInput bad{text, "a moment of inertia is expected"};
    expect_refused({&bad, 1}, "model.yaml");
  }
}

TEST(Dimensions, NoFalseAlarms) {
  const char* const laws[] = {
      "-10*q - 2*u",
      "-k*q - 2*u",
      "m*9.81*L*sin(q)",
      "-k*(q - 30 deg)",
      "-3*sign(u)",
      "-0.1*u*abs(u)",
      "50*q^3",
      "k*sin(2*t)",
      "sin(t)",
      "n*q - n*u",
      "5 N*m/rad*q",
      "-c*u - k*q + 0.3*m",
      "select(q > 0.2, -k*q, 0)",
      "max(0, -k*q)",
      "-k*tanh(u/0.01)",
      "-0.5*m*g*L*sin(q)",
      "m*L^2/3*4",
      "2*n",
      "k*exp(-t/0.5)",
      "-k*mod(q, 2*pi)",
      "-dot(velocity(A.com), N.x)*3",
      "sin(2*t)",
      "-k*q + cos(t)",
      "sign(u)",
      "-k*sin(q)/2",
      "c*dt(q)",
      "-k*q + 0.2*sqrt(abs(q))",
      "k*q^n",
      "m*g*L*0.01",
  };
  for (const char* law : laws) {
    const std::string text =
        rod(std::string("loads: [{torque: \"") + law + "\", on: A, axis: N.z}]\ngravity: -9.81*N.y\n");
    EXPECT_NO_THROW((void)lower_mechanism(read_yaml_text(text))) << law;
  }
  const char* const lines[] = {
      "damping: 0.1*m",       "damping: 2*m",         "stiffness: 4*m", "stiffness: 6*L", "damping: 6*pi*0.001*L",
      "stiffness: 1e9*L^4/8", "friction: 0.3*m*9.81", "rest: n/4",      "rest: pi/4"};
  for (const char* line : lines) {
    const std::string text = std::string("parameters: {m: 2 kg, L: 1 m, n: 3}\nbodies: {A: {mass: m}}\n") +
                             "joints: {J: {type: prismatic, parent: N, child: A, " + line + "}}\n";
    EXPECT_NO_THROW((void)lower_mechanism(read_yaml_text(text))) << line;
  }
}

// ---- named expressions ----------------------------------------------------------------------------------------------------

// The same model twice: with names, and written out.
TEST(NamedExpressions, StandForTheirValues) {
  const char* const named = R"(
parameters: {m: 2 kg, L: 1 m, g: 9.81 m/s^2, k: 5 N*m/rad}
let:
  J: half*m*L*rod            # others, in any order
  half: 1/2
  rod: L/6
  tip: L*A.x                 # a vector
  height: dot(tip, N.y)
  pull: -k*q - 0.1*height_rate
  height_rate: dt(height)
  start: 30 deg
gravity: -g*N.y
bodies: {A: {mass: half*4 kg, com: [half*L, 0, 0], inertia: [0, 0, J]}}
joints: {pin: {type: revolute, parent: N, at: [rod, 0, 0], child: A, coordinate: q, speed: u, damping: half*0.1}}
inputs: {T: -half*k*u*height, S: 0}
loads:
  - {torque: pull, on: A, axis: N.z}
  - {force: T*tip + S*double*N.x, at: A}
constraints: {c: {motion: L*u - half*height_rate, active: false}}
events: {e: {when: double > start, stop: true}}
outputs: {double: 2*height, four: 2*double, speed2: height_rate^2}
initial: {q: start*half, u: half}
simulate: {until: 20*half}
)";
  const char* const plain = R"(
parameters: {m: 2 kg, L: 1 m, g: 9.81 m/s^2, k: 5 N*m/rad}
gravity: -g*N.y
bodies: {A: {mass: 2 kg, com: [L/2, 0, 0], inertia: [0, 0, m*L^2/12]}}
joints: {pin: {type: revolute, parent: N, at: [L/6, 0, 0], child: A, coordinate: q, speed: u, damping: 0.05}}
inputs: {T: -k/2*u*L*sin(q), S: 0}
loads:
  - {torque: -k*q - 0.1*L*cos(q)*u, on: A, axis: N.z}
  - {force: T*L*A.x + S*2*L*sin(q)*N.x, at: A}
constraints: {c: {motion: L*u - L*cos(q)*u/2, active: false}}
events: {e: {when: 2*L*sin(q) > 30 deg, stop: true}}
outputs: {double: 2*L*sin(q), four: 4*L*sin(q), speed2: (L*cos(q)*u)^2}
initial: {q: 15 deg, u: 0.5}
simulate: {until: 10}
)";
  const Mechanism a = read_yaml_text(named), b = read_yaml_text(plain);
  expect_same_equations(a, b);
  EXPECT_EQ(a.simulation.until, b.simulation.until);
  const LoweredMechanism la = lower_mechanism(a), lb = lower_mechanism(b);
  ASSERT_EQ(la.switching.switches.size(), 1U);
  const Values state{{"q", 0.3}, {"u", 0.2}, {"L", 1}};
  EXPECT_NEAR(evaluate(la.switching.switches[0].equation.guard, state),
              evaluate(lb.switching.switches[0].equation.guard, state), 1e-15);
  // Written and read again, names and all.
  const Mechanism again = read_yaml_text(write_yaml(a));
  EXPECT_EQ(again.expressions.size(), a.expressions.size());
  expect_same_equations(again, b);
}

TEST(NamedExpressions, OutputsMayBeCalledLikeParameters) {
  EXPECT_NO_THROW(
      (void)lower_mechanism(read_yaml_text(rod("let: {half: m/2}\noutputs: {m: m}\n"
                                               "particles: {P: {mass: half, on: A, at: [L, 0, 0]}}\n"))));
}

TEST(NamedExpressions, Mistakes) {
  expect_rod_refused({
      {"let: {a: b + 1, b: 2*@a}\n", "the named expression 'a' depends on itself: a -> b -> a"},
      {"let: {a: \"dot(@w, N.x)\", w: a*N.x}\noutputs: {o: a}\n",
       "the named expression 'w' depends on itself: w -> a -> w"},
      {"outputs: {a: @b, b: a}\n", "depends on itself"},
      {"let: {@t: 2}\n", "it means time"},
      {"let: {a: 2*@zz}\n", "unknown name 'zz'"},
      {"let: {a: \"2*dot(@zz, N.x)\"}\n", "unknown name 'zz'"},
      {"let: {reach: \"dot(position(A.com), N.x)\"}\nsimulate: {until: @reach}\n",
       "the named expression 'reach' depends on the motion"},
      {"let: {E0: @energy}\nloads: [{torque: E0, on: A, axis: N.z}]\n", "only outputs may use"},
      {"let: @[1]\n", "'let' takes a map of names"},
      {"let: {a: @[1]}\n", "must be an expression"},
      {"let: {a: L}\nloads: [{torque: @a, on: A, axis: N.z}]\n", "torque is given in metres ('a')"},
  });
  const BadInput taken[] = {
      {"let: {q1: 2}\nbodies: {A: {mass: 1}}\njoints: {@J: {type: revolute, parent: N, child: A, coordinate: q1}}\n",
       "'q1' is already the name of a named expression (in model.yaml:1:7)"},
  };
  expect_refused(taken, "model.yaml");
  // A long chain ends with a sentence, not with the stack.
  for (const char* last : {"1", "\"dot(position(A.com), N.x)\""}) {
    std::string deep = "let: {";
    for (int i = 0; i < 5000; ++i) deep += fmt::format("a{}: a{} + 1, ", i, i + 1);
    EXPECT_THROW((void)lower_mechanism(read_yaml_text(rod(deep + "a5000: " + last + "}\n"))), LimitError) << last;
  }
  // Each doubles the one before: read once each, not 2^60 times.
  std::string chain = "let: {a0: \"dot(position(A.com), N.x)\"";
  for (int i = 1; i <= 60; ++i) chain += fmt::format(", a{}: a{} + a{}", i, i - 1, i - 1);
  EXPECT_NO_THROW((void)lower_mechanism(read_yaml_text(rod(chain + "}\n"))));
}

// ---- held coordinates -----------------------------------------------------------------------------------------------------

TEST(HeldCoordinates, KeepTheirNames) {
  const auto model = [](const std::string& joint, const std::string& angle, const std::string& rate) {
    return "parameters: {w: 2 rad/s, a: 0.3}\nbodies: {A: {mass: 1, com: [1, 0, 0]}, B: {mass: 1, com: [1, 0, 0]}}\n"
           "tables: {f: {x: [-9, 9], y: [-3, 4]}}\ninputs: {T: " +
           angle + "*0.2}\njoints:\n  J: {type: revolute, parent: N, child: A, coordinate: q1, " + joint +
           "}\n  K: {type: revolute, parent: A, at: [1, 0, 0], child: B, coordinate: q2}\nloads:\n"
           "  - {torque: T - 3*" +
           angle + "*u2, on: B, axis: N.z}\n  - {torque: f(" + angle + "), joint: K}\nevents: {e: {when: q2 > " +
           angle + ", stop: true}}\noutputs: {o: " + angle + " + q2, r: " + rate + "}\n";
  };
  expect_same_equations(read_yaml_text(model("value: 30 deg", "q1", "u1 + q1'")),
                        read_yaml_text(model("value: 30 deg", "(30 deg)", "0")));
  expect_same_equations(read_yaml_text(model("lock: true", "q1", "u1") + "initial: {q1: 0.4}\n"),
                        read_yaml_text(model("value: 0.4", "0.4", "0")));
  expect_same_equations(read_yaml_text(model("prescribe: a*sin(w*t)", "q1", "u1 + 2*q1'")),
                        read_yaml_text(model("prescribe: a*sin(w*t)", "(a*sin(w*t))", "3*a*w*cos(w*t)")));
  const Mechanism held = read_yaml_text(model("prescribe: a*sin(w*t)", "q1", "u1"));
  expect_same_equations(held, read_yaml_text(write_yaml(held)));
}

}  // namespace
}  // namespace kane::test
