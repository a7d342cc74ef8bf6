#pragma once
// Plain motion: constraints that hold at the start hold throughout, unless the caller changes them (motion_simulator.hpp
// has the interface).

#include <optional>
#include <vector>

#include "kane/simulate/motion/motion_problem.hpp"
#include "kane/simulate/motion/motion_simulator.hpp"
#include "kane/simulate/motion/speed_monitor.hpp"

namespace kane {

class Simulator final : public MotionSimulator {
 public:
  explicit Simulator(std::shared_ptr<const CompiledSystem> system, SimulatorOptions options = {});
  ~Simulator() override;

  [[nodiscard]] bool switched() const override { return false; }
  void set_active(const std::vector<bool>& active) override;
  void start(const State& state) override;
  const StepReport& step(double limit = std::numeric_limits<double>::infinity()) override;
  [[nodiscard]] bool interpolate(double t, State& state) override;
  void resume(const State& state) override;
  [[nodiscard]] RunFailure explain_last_step() override;
  [[nodiscard]] std::span<const double> calc_reports(const State& sample) override;

  /// The speeds nearest in kinetic energy that satisfy the active constraints: an inelastic impact. False if there are
  /// none.
  [[nodiscard]] bool impose_constraints();

 private:
  void disturb() override;
  void exchange(MemoryArchive& a) override;
  void read_snapshot(const MotionSnapshot::Data& data) override;
  void finish_run(RunReport& report) override;
  [[nodiscard]] CallTimes* projection_times() override { return &problem_.projection_times(); }
  void set_projection();
  void pass_break();
  [[nodiscard]] bool pass_change_point(double limit);
  [[nodiscard]] bool too_near_change_point();
  [[nodiscard]] bool is_near_change_point();
  [[nodiscard]] bool speeds_lost();
  [[nodiscard]] bool rates_jump(double before, double after);
  void observe_step();
  [[nodiscard]] std::span<const double> calc_sides_in_step(double t);
  [[nodiscard]] double find_jump();
  void settle_jumps();

  SpeedMonitor speeds_;
  MotionProblem problem_;
  ConstraintResiduals largest_;
  bool at_break_ = false;
  StepReport jump_report_;
  std::optional<RunFailure> known_failure_;  ///< of the last step, where the integrator does not know it
  long until_energy_ = 0;
};

}  // namespace kane
