#pragma once
// Everything that determines how a simulation continues, as a value: taken by MotionSimulator::snapshot(), restored by restore(),
// in the same simulator or in another one of the same system and method.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kane/simulate/motion/method.hpp"
#include "kane/simulate/motion/run_report.hpp"
#include "kane/simulate/system/system_evaluator.hpp"

namespace kane {

/// Constant and cheap to copy; may be handed to other threads.
class MotionSnapshot {
 public:
  MotionSnapshot() = default;  ///< empty: cannot be restored

 private:
  friend class MotionSimulator;
  friend class Simulator;
  friend class HybridSimulator;

  struct Data {
    Data(std::shared_ptr<const CompiledSystem> of, Method with, SystemEvaluator::SavedChoice chosen)
        : system(std::move(of)), method(with), choice(std::move(chosen)) {}
    virtual ~Data() = default;
    Data(const Data&) = delete;
    Data& operator=(const Data&) = delete;

    std::shared_ptr<const CompiledSystem> system;
    Method method;
    SystemEvaluator::SavedChoice choice;
    State state;
    std::vector<double> parameters, inputs;
    double evaluator_time = 0;
    std::vector<bool> active;
    std::string mode;
    std::optional<SwitchRecord> event;
    std::vector<double> numbers;  ///< numbers written by MotionSimulator::exchange()
  };

  explicit MotionSnapshot(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
};

}  // namespace kane
