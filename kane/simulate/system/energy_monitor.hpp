#pragma once
// Watches kinetic and potential energy along a run. Where nothing feeds or drains it, their sum must not change, and what
// it changes by is the error of the integration.

#include "kane/simulate/system/system_evaluator.hpp"
#include "kane/solve/memory_archive.hpp"

namespace kane {

struct EnergyReport {
  bool known = false;         ///< kinetic energy, and a potential of all conservative loads
  bool conservative = false;  ///< nothing does work that the potential does not know: the drift is an error
  double start = 0, end = 0;  ///< T + V
  double kinetic_end = 0;
  double largest_drift = 0;  ///< largest |E - E(start)| seen
  double scale = 0;          ///< energy that is exchanged: the largest T seen, or change of V
  /// Drift relative to the energy exchanged.
  [[nodiscard]] double relative_drift() const { return scale > 0 ? largest_drift / scale : 0.0; }

  // ---- switched motion: contacts and friction only take energy away --------------------------------------------------------
  bool balanced = false;    ///< nothing feeds the system: its energy must never rise
  double largest_rise = 0;  ///< largest E(t) - E(earlier) seen
};

class EnergyMonitor {
 public:
  /// `watch` off: nothing is known of the energy.
  explicit EnergyMonitor(const SystemEvaluator& evaluator, bool watch = true);

  void start(std::span<const double> q, std::span<const double> u);
  /// At the evaluator's time and inputs.
  void observe(std::span<const double> q, std::span<const double> u);
  /// After a step of switched motion: observes, and returns how far the energy has risen above an earlier value in this step;
  /// 0 if something feeds the system, or if that is not known.
  double check_rise(std::span<const double> q, std::span<const double> u);
  /// Forgets the value of the last check_rise().
  void undo_rise();
  [[nodiscard]] EnergyReport report() const;
  /// Writes or reads the observations so far.
  void exchange(MemoryArchive& a) {
    a(report_.known, report_.start, report_.end, report_.kinetic_end, report_.largest_drift, report_.scale);
    a(potential_start_, largest_power_, largest_total_, moved_, lowest_, report_.largest_rise);
  }

 private:
  [[nodiscard]] bool fed() const;

  const SystemEvaluator& evaluator_;
  const EnergyKernel* kernel_;
  KernelRunner runner_;
  EnergyReport report_;
  double potential_start_ = 0;
  double lowest_ = 0, lowest_before_ = 0, rise_before_ = 0;
  double largest_power_ = 0;  ///< of loads without potential
  double largest_total_ = 0;  ///< of all generalized forces
  std::vector<bool> moving_;  ///< constraints that move by themselves (b is not zero)
  bool moved_ = false;        ///< one of them was active
};

}  // namespace kane
