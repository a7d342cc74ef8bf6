#include "kane/model/fmu_controller.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "kane/base/contains.hpp"
#include "kane/base/error.hpp"
#include "kane/fmi/fmu_slave.hpp"

namespace kane {

namespace {

/// The controller goes first: it takes the measurements at t, makes its step to t + period, and its outputs then take effect
/// at t. A proportional controller thus acts like a sampled law.
class ControllerRun {
 public:
  ControllerRun(const FmuController& controller, const std::vector<std::string>& inputs,
                const std::vector<std::string>& fed)
      : controller_(controller), slave_(controller.file) {
    for (const auto& [variable, measured] : controller.measured) {
      measured_.push_back(slave_.input(variable));
      places_.push_back(static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), measured) - inputs.begin()));
      ensure(places_.back() < inputs.size(), "the measured input '{}' is not there", measured);
    }
    for (const auto& [variable, value] : controller.start) start_.push_back(slave_.parameter(variable));
    for (const auto& [input, output] : controller.outputs)
      if (contains(fed, input)) outputs_.push_back(slave_.output(output));
  }

  void look(double t, std::span<const double> inputs, std::span<double> values) {
    if (!begun_ || t < time_ - 1e-9 * controller_.period) {
      begin(t, inputs);
    } else if (t <= time_ + 1e-9 * controller_.period) {  // asked twice
      std::copy(values_.begin(), values_.end(), values.begin());
      return;
    } else {
      set_measured(inputs);
    }
    slave_.step(end_, t + controller_.period - end_);
    time_ = t, end_ = t + controller_.period;
    values_.clear();
    for (const FmuPort& port : outputs_) values_.push_back(slave_.get(port));
    std::copy(values_.begin(), values_.end(), values.begin());
  }

 private:
  void begin(double t, std::span<const double> inputs) {
    slave_.begin(t);
    for (std::size_t i = 0; i < start_.size(); ++i) slave_.set(start_[i], controller_.start[i].second);
    set_measured(inputs);
    slave_.run();
    begun_ = true, end_ = t;
  }
  void set_measured(std::span<const double> inputs) {
    for (std::size_t i = 0; i < measured_.size(); ++i) slave_.set(measured_[i], inputs[places_[i]]);
  }

  FmuController controller_;
  FmuSlave slave_;
  std::vector<FmuPort> measured_, start_, outputs_;
  std::vector<std::size_t> places_;
  std::vector<double> values_;
  bool begun_ = false;
  double time_ = 0, end_ = 0;
};

}  // namespace

SampledInput make_fmu_source(const FmuController& controller, const std::vector<std::string>& inputs,
                             const std::vector<std::string>& taken) {
  SampledInput source{{}, controller.period, controller.delay, {}};
  for (const auto& [input, output] : controller.outputs)
    if (!contains(taken, input)) source.inputs.push_back(input);
  if (source.inputs.empty()) return source;
  const auto run = std::make_shared<ControllerRun>(controller, inputs, source.inputs);
  source.law = [run](const State& state, std::span<const double> values_in_force, std::span<double> values) {
    run->look(state.t, values_in_force, values);
  };
  return source;
}

}  // namespace kane
