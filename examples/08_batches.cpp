// Batches with SIMD: one instruction works on as many states as the processor's registers hold. The equations become a
// kernel with lanes; here 64 pendulums of different lengths swing at once, each advanced by the Runge-Kutta method.
// A kernel with one lane gives the same numbers.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kane/kane.hpp"

namespace {

constexpr std::size_t kCount = 64;

kane::EquationsOfMotion pendulum() {
  kane::Mechanism m("pendulum");
  const auto l = m.parameter("l", 1), g = m.parameter("g", 9.81);
  const auto bob = m.add_body("bob");
  m.add_particle("P", {.mass = 1, .on = bob, .at = {0, -l, 0}});
  m.revolute("pin", m.ground, bob, kane::axis::z, {.coordinate = "q", .speed = "u"});
  m.set_gravity({0, -g, 0});
  return kane::form_equations(m);
}

/// Angles after 1 s, by a kernel with this many lanes.
std::vector<double> swing(const kane::Program& program, int lanes) {
  const kane::Kernel kernel = kane::compile_kernel(program, {.lanes = lanes});
  kane::Workspace work(kernel);
  const auto n = static_cast<std::size_t>(lanes);
  std::vector<double> result;
  for (std::size_t first = 0; first < kCount; first += n) {
    // Element i of lane l is at [i * lanes + l].
    std::vector<double> p(2 * n), y(2 * n), k(2 * n), sum(2 * n), at(2 * n);
    for (std::size_t lane = 0; lane < n; ++lane) {
      p[lane] = 0.5 + 0.01 * static_cast<double>(first + lane);  // l
      p[n + lane] = 9.81;                                        // g
      y[lane] = 1;                                               // q
    }
    kernel.set_parameters(p, work);
    constexpr double h = 1e-3;
    for (int step = 0; step < 1000; ++step) {
      std::fill(sum.begin(), sum.end(), 0.0);
      at = y;
      for (const auto& [weight, next] : {std::pair{1.0, 0.5}, {2.0, 0.5}, {2.0, 1.0}, {1.0, 0.0}}) {
        kernel.evaluate(at, k, work);
        for (std::size_t i = 0; i < y.size(); ++i) {
          sum[i] += weight * k[i];
          at[i] = y[i] + next * h * k[i];
        }
      }
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += h / 6 * sum[i];
    }
    result.insert(result.end(), y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n));
  }
  return result;
}

}  // namespace

int main() {
  const kane::EquationsOfMotion e = pendulum();
  const std::vector<kane::NamedExpr> outputs{{"q'", e.qdot[0]}, {"u'", e.udot_explicit[0]}};
  const kane::Program program = kane::lower("pendulum", outputs, {{"l", "g"}, {}, {"q", "u"}});

  const auto isa = kane::find_best_isa();
  const std::vector<double> one = swing(program, 1), many = swing(program, isa ? kane::vector_lanes(*isa) : 1);
  double difference = 0;
  for (std::size_t i = 0; i < kCount; ++i) difference = std::max(difference, std::abs(one[i] - many[i]));
  fmt::print("l = 0.50 m: q(1 s) = {:+.9f} rad\n", many.front());
  fmt::print("l = 1.13 m: q(1 s) = {:+.9f} rad\n", many.back());
  fmt::print("lanes agree with single states: {}\n", difference < 1e-12 ? "yes" : "no");
  return 0;
}
