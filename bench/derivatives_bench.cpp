// Derivatives of forward dynamics: all entries of d(qdot, udot)/d(q, u) at one state, from the symbolic equations
// (kane/simulate/motion_jacobian.hpp), one thread. For orientation, ns of Pinocchio with CppADCodeGen on a machine like the
// ones these benches ran on: 1518 for a general arm of seven joints, 23,000 for a humanoid.

#include <benchmark/benchmark.h>

#include <cmath>

#include "kane/formats/urdf_reader.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/simulate/motion_jacobian.hpp"
#include "tests/robots/robot_tree.hpp"

namespace kane::bench {
namespace {

EquationsOfMotion equations(const test::RobotTree& robot) {
  UrdfOptions options;
  options.floating_base = robot.floating;
  FormOptions form;
  form.outputs = false;
  return form_equations(read_urdf_text(test::write_urdf(robot), "robot.urdf", options), form);
}

void derivatives(benchmark::State& state, const test::RobotTree& robot) {
  SystemEvaluator evaluator(std::make_shared<const CompiledSystem>(equations(robot)));
  MotionJacobian jacobian(evaluator);
  if (!jacobian.available()) {
    state.SkipWithError("the derivatives would be too long");
    return;
  }
  const std::size_t nq = evaluator.system().coordinate_count(), nu = evaluator.system().speed_count();
  test::Dice dice(3);
  std::vector<double> q(nq), u(nu);
  for (double& x : q) x = dice.between(-1, 1);
  for (double& x : u) x = dice.between(-1, 1);
  if (robot.floating) {
    const double length = std::hypot(std::hypot(q[3], q[4]), std::hypot(q[5], q[6]));
    for (std::size_t i = 3; i < 7; ++i) q[i] /= length;
  }
  Matrix dfdy(nq + nu, nq + nu);
  for (auto _ : state)
    if (jacobian.calc(q, u, dfdy.view()) != RhsStatus::Ok) state.SkipWithError("not found");
  state.counters["coordinates"] = static_cast<double>(nq);
  state.counters["speeds"] = static_cast<double>(nu);
}

BENCHMARK_CAPTURE(derivatives, general_arm_7, test::make_serial_arm(7));
BENCHMARK_CAPTURE(derivatives, floating_6, test::make_serial_arm(6, true));
BENCHMARK_CAPTURE(derivatives, quadruped, test::make_quadruped());
BENCHMARK_CAPTURE(derivatives, humanoid, test::make_humanoid());

}  // namespace
}  // namespace kane::bench
