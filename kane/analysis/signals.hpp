#pragma once
// Signals for analyses: any expression of coordinates, speeds, their derivatives (u1'), parameters, inputs, t, the
// model's outputs, energies, and components of points (P.x, P.y, P.z positions; P.vx ... velocities; P.ax ...
// accelerations, all in N), of joint reactions (shoulder.Fx ... shoulder.Tz) and multipliers (lambda.loop.x).

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/simulate/system/system_evaluator.hpp"

namespace kane {

/// A scalar with a name, as an expression of q, u, udot, lambda, inputs, parameters and t.
struct Signal {
  std::string name;
  Expr value;
  std::shared_ptr<const Graph> graph{};  ///< for a parsed signal: its own graph, kept as long as it is needed
};

/// Everything that has a name and can be written in an expression. Adds to the graph of the equations.
[[nodiscard]] std::vector<Signal> named_signals(const EquationsOfMotion& equations);

/// Works on a copy of the graph of the equations. Throws ModelError naming an unknown name, with a suggestion. `what` begins the message ("--output").
[[nodiscard]] Signal parse_signal(const EquationsOfMotion& equations, const std::string& text,
                                  const std::string& what = {});

/// Values of signals at a state.
class SignalEvaluator {
 public:
  SignalEvaluator(const SystemEvaluator& evaluator, const std::vector<Signal>& signals);
  /// Uses the evaluator's parameters, inputs and time.
  std::span<const double> calc(std::span<const double> q, std::span<const double> u, std::span<const double> udot,
                               std::span<const double> lambda) {
    return runner_.run(q, u, udot, lambda);
  }

 private:
  std::unique_ptr<Kernel> kernel_;
  KernelRunner runner_;
};

}  // namespace kane
