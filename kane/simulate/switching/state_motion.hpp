#pragma once
// The motion at one state, whatever acts there: accelerations, constraint forces, and the forces of contacts and dry
// friction, whose states are decided as at the start of a run. So a state has the same accelerations wherever it is asked
// for.
//
//     StateMotion motion(evaluator);                      // parameters, inputs, time and constraints as set there
//     if (motion.calc(q, u).ok()) ... motion.udot(), motion.multipliers(), motion.contact_forces()

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kane/simulate/switching/contact_forces.hpp"
#include "kane/simulate/switching/switched_dynamics.hpp"
#include "kane/simulate/system/system_evaluator.hpp"

namespace kane {

struct StateMotionReport {
  MotionReport motion;
  TransitionReport settled;  ///< of contacts and friction; always ok for plain motion
  /// The speeds jump at this state: something touches and approaches, or no finite forces exist. Then everything is told
  /// for the speeds after the jump.
  bool impact = false;

  [[nodiscard]] bool ok() const { return motion.ok() && settled.ok(); }
};

/// A sentence about a report that is not ok.
[[nodiscard]] std::string describe(const StateMotionReport& report, const EquationsOfMotion& equations);

/// The constraints that hold where a run begins: those active by themselves, or those of the initial mode. One flag each.
[[nodiscard]] std::vector<bool> find_initial_active(const EquationsOfMotion& equations);

/// Nothing allocates in calc(), but for distances of shapes.
class StateMotion {
 public:
  /// The evaluator must outlive it, and be used by nobody else who switches contacts.
  explicit StateMotion(SystemEvaluator& evaluator, const SwitchingOptions& options = {});
  ~StateMotion();
  StateMotion(const StateMotion&) = delete;
  StateMotion& operator=(const StateMotion&) = delete;

  /// At the parameters, inputs, time and active constraints of the evaluator, which keeps them.
  const StateMotionReport& calc(std::span<const double> q, std::span<const double> u);

  [[nodiscard]] std::span<const double> qdot() const { return qdot_; }
  [[nodiscard]] std::span<const double> udot() const { return udot_; }
  /// By constraint; those of contacts and frictions of the model included.
  [[nodiscard]] std::span<const double> multipliers() const { return lambda_; }
  /// The speeds after the jump, if there is one; else u, exactly on the constraints that hold.
  [[nodiscard]] std::span<const double> u_after() const { return u_; }
  /// Impulses of the jump, by row; zero if there is none.
  [[nodiscard]] std::span<const double> impulses() const;
  [[nodiscard]] std::span<const ContactForce> contact_forces() const;
  /// Everything reported (CompiledSystem::report_items()) for this motion.
  [[nodiscard]] std::span<const double> calc_reports(std::span<const double> q);

 private:
  SystemEvaluator& evaluator_;
  std::unique_ptr<SwitchedDynamics> dynamics_;  ///< null for plain motion
  std::optional<ContactForceList> contact_forces_;
  std::vector<double> qdot_, udot_, lambda_, u_;
  std::vector<bool> active_;
  StateMotionReport report_;
};

}  // namespace kane
