#pragma once
// Three ways to the motion under a set of constraints; all give the same to rounding, and tests hold them against each
// other.
//
//   Embedded      on line: independent speeds chosen from A, D = -A_d^-1 A_i, p equations (SystemEvaluator)
//   Modes         the equations of each declared mode embedded in symbols beforehand: a finite state machine of programs
//                 (Gillespie 1996); for each mode only its own short program runs
//   Multipliers   all n + m equations at once:  (M  -A^T; A  0) (udot; lambda) = (rhs; gamma)

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kane/simulate/switching/switching_options.hpp"
#include "kane/simulate/system/system_evaluator.hpp"

namespace kane {

/// The equations of one mode, derived with its constraints embedded in symbols (EquationsOfMotion::embedded), compiled.
class ModeEquations {
 public:
  /// `equations`: of the whole system, with the constraints of this mode active and embedded. Throws ModelError if they
  /// are not.
  ModeEquations(std::string name, EquationsOfMotion equations, const CompileOptions& options = {});

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const CompiledSystem& system() const { return *system_; }
  /// Flags of the active constraints, by row.
  [[nodiscard]] const std::vector<bool>& active() const { return active_; }
  [[nodiscard]] const Kernel& kernel() const { return *kernel_; }

 private:
  std::string name_;
  std::unique_ptr<CompiledSystem> system_;
  std::vector<bool> active_;
  std::unique_ptr<Kernel> kernel_;  ///< qdot, rhs, lower triangle of M, g, D by rows
};

/// Runs them. One per thread.
class ModeMotion {
 public:
  /// `parameters`: names of those in the context. A formulation may have parameters of its own besides the model's; those
  /// of the mode that are not in the context keep their values. Empty: the same in the same order.
  ModeMotion(std::shared_ptr<const ModeEquations> mode, const RunContext& context,
             const std::vector<std::string>& parameters = {});

  [[nodiscard]] const ModeEquations& mode() const { return *mode_; }
  [[nodiscard]] MotionReport calc_motion(std::span<const double> q, std::span<const double> u, std::span<double> qdot,
                                         std::span<double> udot);

 private:
  void follow();

  std::shared_ptr<const ModeEquations> mode_;
  const RunContext* source_;
  std::unique_ptr<RunContext> context_;
  std::vector<std::pair<std::size_t, std::size_t>> shared_;  ///< parameters: here, and in the source
  KernelRunner runner_;
  Matrix mass_;
  MassFactors factors_;
  std::vector<double> independent_;
};

/// The full system of multipliers. One per thread.
class MultiplierMotion {
 public:
  explicit MultiplierMotion(SystemEvaluator& evaluator);
  /// With the evaluator's active constraints, which must not be redundant.
  [[nodiscard]] MotionReport calc_motion(std::span<const double> q, std::span<const double> u, std::span<double> qdot,
                                         std::span<double> udot, std::span<double> lambda);

 private:
  SystemEvaluator& evaluator_;
  Lu lu_;
  std::vector<double> x_;
};

}  // namespace kane
