#include "apps/kane/starters.hpp"

namespace kane {
namespace {

constexpr std::string_view kPendulum =
    R"(# A pendulum with a torque at its pin. `kane derive NAME.yaml` prints its equations,
# `kane simulate NAME.yaml` runs it; docs/model-file.md explains every key.
kane: 1
name: NAME
description: A rod on a pin
parameters:
  m: 1 kg
  L: 500 mm
  g: 9.81 m/s^2
  b: 0.02 N*m*s/rad
inputs:
  T: 0 N*m                        # a constant, a law such as -2*q - 0.1*u, or driven from outside
gravity: -g*N.y
bodies:
  rod:
    mass: m
    com: [L/2, 0, 0]
    inertia: [0, m*L^2/12, m*L^2/12]
    geometry: {rod: {radius: 10 mm, length: L}, at: [L/2, 0, 0], orientation: {axis: y, angle: 90 deg}}
joints:
  pin: {type: revolute, parent: N, child: rod, axis: z, coordinate: q, speed: u, damping: b, actuator: T}
outputs:
  tip: L*rod.x
  E: energy
initial:
  q: 30 deg
simulate:
  until: 10 s
)";

constexpr std::string_view kCart = R"(# A pendulum on a cart pushed by a force: a classic of control.
kane: 1
name: NAME
description: A pendulum on a cart
parameters: {M: 1 kg, m: 200 g, L: 600 mm, g: 9.81 m/s^2}
inputs: {F: 0 N}
gravity: -g*N.y
bodies:
  cart: {mass: M, geometry: {box: [200 mm, 100 mm, 100 mm]}}
  rod: {mass: m, com: [0, L/2, 0], inertia: [m*L^2/12, 0, m*L^2/12]}
joints:
  track: {type: prismatic, parent: N, child: cart, axis: x, coordinate: x, speed: v, actuator: F}
  pin: {type: revolute, parent: cart, child: rod, axis: z, coordinate: theta, speed: omega}
outputs: {E: energy}
initial: {theta: 5 deg}
simulate: {until: 5 s}
)";

constexpr std::string_view kArm =
    R"(# An arm with three joints, by Denavit-Hartenberg parameters. `kane import` turns a URDF into such a file.
kane: 1
name: NAME
description: An arm with three revolute joints
parameters: {l1: 400 mm, l2: 350 mm, l3: 250 mm, m: 4 kg, r: 40 mm, g: 9.81 m/s^2}
inputs: {T1: 0 N*m, T2: 0 N*m, T3: 0 N*m}
gravity: -g*N.z
bodies:
  column: {mass: 2*m, shape: {cylinder: {radius: r, length: l1}, at: [0, 0, -l1/2]}}
  upper: {mass: m, shape: {cylinder: {radius: r, length: l2}, at: [l2/2, 0, 0], orientation: {axis: y, angle: 90 deg}}}
  fore:
    mass: m/2
    shape: {cylinder: {radius: r, length: l3}, at: [l3/2, 0, 0], orientation: {axis: y, angle: 90 deg}}
    points: {hand: [l3, 0, 0]}
dh:
  arm:
    convention: modified
    rows:
      - {d: l1, coordinate: q1, body: column, actuator: T1}
      - {alpha: 90 deg, coordinate: q2, body: upper, actuator: T2}
      - {a: l2, coordinate: q3, body: fore, actuator: T3}
outputs: {hand: position(hand), E: energy}
initial: {q2: 30 deg, q3: -60 deg}
simulate: {until: 2 s}
)";

constexpr std::string_view kFourbar =
    R"(# Four bars in a loop: two cranks and a coupler; the loop is closed by a joint with `close: true`.
kane: 1
name: NAME
description: A four-bar linkage driven at its crank
parameters: {crank: 100 mm, coupler: 300 mm, rocker: 250 mm, ground: 280 mm, m: 1 kg, g: 9.81 m/s^2}
inputs: {T: 0.5 N*m}
gravity: -g*N.y
bodies:
  A: {mass: m, com: [crank/2, 0, 0], inertia: [0, 0, m*crank^2/12], points: {end: [crank, 0, 0]}}
  B: {mass: m, com: [coupler/2, 0, 0], inertia: [0, 0, m*coupler^2/12], points: {end: [coupler, 0, 0]}}
  C: {mass: m, com: [rocker/2, 0, 0], inertia: [0, 0, m*rocker^2/12], points: {end: [rocker, 0, 0]}}
joints:
  input: {type: revolute, parent: N, child: A, axis: z, coordinate: q1, actuator: T}
  elbow: {type: revolute, parent: A, at: end, child: B, axis: z, coordinate: q2}
  output: {type: revolute, parent: N, at: [ground, 0, 0], child: C, axis: z, coordinate: q3}
constraints:
  loop: {point: B.end, reference: C.end, directions: [N.x, N.y]}
dependent: [u2, u3]
outputs: {rocker: q3}
initial: {q1: 60 deg}                             # held; assembly finds the others ...
guess: {q2: -20 deg, q3: 80 deg}                  # ... near these
simulate: {until: 5 s}
)";

constexpr std::string_view kChain = R"(# A hanging chain of equal links, written once and repeated.
kane: 1
name: NAME
description: A chain of ten links
parameters: {m: 100 g, l: 100 mm, g: 9.81 m/s^2, b: 1e-4 N*m*s/rad}
gravity: -g*N.z
repeat:
  from: 1
  to: 10
  bodies:
    L{i}: {mass: m, com: [0, 0, -l/2], inertia: [m*l^2/12, m*l^2/12, 0]}
  joints:
    J{i}: {type: universal, parent: "L{i-1}", at: [0, 0, -l], child: "L{i}", damping: [b, b]}
  first:
    joints:
      J{i}: {parent: N, at: [0, 0, 0]}
outputs: {E: energy}
initial: {q_J1_1: 60 deg}
simulate: {until: 5 s}
)";

constexpr Starter kStarters[] = {
    {"pendulum", "a rod on a pin, with a torque", kPendulum},
    {"cart", "a pendulum on a cart that a force pushes", kCart},
    {"arm", "an arm by Denavit-Hartenberg parameters", kArm},
    {"fourbar", "a closed loop of four bars", kFourbar},
    {"chain", "a chain of equal links by repetition", kChain},
};

}  // namespace

std::span<const Starter> starters() { return kStarters; }

std::string starter_text(const Starter& starter, const std::string& name) {
  constexpr std::string_view kPlaceholder = "NAME";
  std::string text(starter.text);
  for (std::size_t i = text.find(kPlaceholder); i != std::string::npos; i = text.find(kPlaceholder, i + name.size()))
    text.replace(i, kPlaceholder.size(), name);
  return text;
}

}  // namespace kane
