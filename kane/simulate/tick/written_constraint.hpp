#pragma once
// Constraints that are written down while the system runs: expressions in, rows of A and machine code out (Gillespie,
// section 4, block 1: formulation on line).
//
//     phi(q, t) = c          held at the value c that phi has when it is imposed
//     psi(q, u, t) = 0       linear in the speeds, if any of them occurs
//
//     A = d(phi')/du,   b = phi' - A u,   gamma = -(A u + b)' with u held
//
// CompileOptions::free_rows says how many may be held at once; their rows come last, behind those of shapes.

#include <memory>
#include <span>
#include <string>

#include "kane/simulate/system/compiled_system.hpp"
#include "kane/simulate/system/kernel_runner.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"

namespace kane {

/// The row of one of them, compiled. Immutable.
class WrittenConstraint {
 public:
  /// `expression` may belong to any graph; it is formed in the workshop. Throws ModelError for anything that is not a
  /// constraint on this system.
  WrittenConstraint(const KernelWorkshop& shop, std::string name, const Expr& expression);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// A constraint on the configuration; otherwise on the motion only.
  [[nodiscard]] bool configuration() const { return configuration_; }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }

 private:
  friend class WrittenRow;
  struct Form;
  WrittenConstraint(const KernelWorkshop& shop, std::string name, Form form);

  std::string name_;
  bool configuration_;
  Kernel kernel_;  ///< phi (or 0), b, gamma, A, dphi/dq
};

/// Its values in one evaluator.
class WrittenRow {
 public:
  WrittenRow(std::shared_ptr<const WrittenConstraint> constraint, const RunContext& context)
      : constraint_(std::move(constraint)), runner_(&constraint_->kernel(), context) {}

  [[nodiscard]] const WrittenConstraint& constraint() const { return *constraint_; }
  void calc(std::span<const double> q, std::span<const double> u) { values_ = runner_.run(q, u); }
  /// Holds phi at its present value, or at zero if it is zero up to rounding.
  void hold_present() {
    constexpr double kZero = 1e-9;
    held_ = std::abs(values_[0]) > kZero ? values_[0] : 0.0;
  }
  [[nodiscard]] double phi() const { return values_[0] - held_; }
  [[nodiscard]] double b() const { return values_[1]; }
  [[nodiscard]] double gamma() const { return values_[2]; }
  [[nodiscard]] std::span<const double> a(std::size_t speeds) const { return values_.subspan(3, speeds); }
  [[nodiscard]] std::span<const double> gradient(std::size_t speeds) const { return values_.subspan(3 + speeds); }

 private:
  std::shared_ptr<const WrittenConstraint> constraint_;
  KernelRunner runner_;
  std::span<const double> values_;
  double held_ = 0;
};

}  // namespace kane
