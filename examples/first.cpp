// A pendulum of two equal links, by hand: kinetic energy from the velocities of its two particles, and from that one
// entry of the mass matrix. Nothing is simplified on request; equal expressions are recognised as they are built.

#include <fmt/format.h>

#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/literal.hpp"

int main() {
  kane::Graph graph;
  const auto m = graph.symbol("m"), L = graph.symbol("L");
  const auto q1 = graph.symbol("q1"), q2 = graph.symbol("q2"), u1 = graph.symbol("u1"), u2 = graph.symbol("u2");

  // Positions of the two particles; their velocities follow with q1' = u1 and q2' = u2.
  const kane::Expr positions[] = {L * cos(q1), L * sin(q1), L * cos(q1) + L * cos(q1 + q2),
                                  L * sin(q1) + L * sin(q1 + q2)};
  kane::Expr energy;
  for (const auto& p : positions) energy += m / 2 * square(time_derivative(p, {{q1, u1}, {q2, u2}}));

  const auto m11 = derivative(derivative(energy, u1), u1);
  const auto known = m * square(L) * (3 + 2 * cos(q2));
  fmt::print("M11 = {}\n", literal(m11).text);
  fmt::print("is it the one of the textbook? {}\n", m11 == known ? "yes" : "no");
  fmt::print("with m = 2 kg, L = 0.5 m, q2 = 0: {} kg m^2\n", evaluate(m11, {{"m", 2}, {"L", 0.5}, {"q2", 0}}));
  return 0;
}
