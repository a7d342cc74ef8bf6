#include "kane/simulate/motion/simulator_options.hpp"

#include <cmath>

#include "kane/base/error.hpp"

namespace kane {

namespace {

void require_positive(double value, const char* name) {
  require(value > 0 && std::isfinite(value), "the option {} must be positive, but {} was given", name, value);
}

void require_not_negative(double value, const char* name) {
  require(value >= 0 && std::isfinite(value), "the option {} must not be negative, but {} was given", name, value);
}

}  // namespace

void SwitchingOptions::check() const {
  require_not_negative(contact_step, "switching.contact_step");
  require_not_negative(touch_gap, "switching.touch_gap");
  require_not_negative(still_speed, "switching.still_speed");
  require_not_negative(rest_speed, "switching.rest_speed");
  require_not_negative(stick_speed, "switching.stick_speed");
  require_not_negative(turn_speed, "switching.turn_speed");
  require(cone_turns >= 0, "the option switching.cone_turns must not be negative, but {} was given", cone_turns);
  require(max_rounds > 0, "the option switching.max_rounds must be at least 1, but {} was given", max_rounds);
}

void SimulatorOptions::check() const {
  require(tolerance > 0 && tolerance < 1, "the tolerance must lie between 0 and 1, but {} was given", tolerance);
  require(absolute_tolerance >= 0 && std::isfinite(absolute_tolerance),
          "the absolute tolerance must not be negative, but {} was given", absolute_tolerance);
  require(step > 0 && std::isfinite(step), "the step must be positive, but {} was given", step);
  require_not_negative(first_step, "first_step");
  require(max_step > 0, "the largest step must be positive, but {} was given", max_step);
  require(max_steps >= 0, "the option max_steps must not be negative, but {} was given", max_steps);
  require_positive(constraint_tolerance, "constraint_tolerance");
  require(energy_interval >= 0, "the option energy_interval must not be negative, but {} was given", energy_interval);
  require_not_negative(energy_warning, "energy_warning");
  require_not_negative(constraint_warning, "constraint_warning");
  switching.check();
  require(max_events > 0, "the option max_events must be at least 1, but {} was given", max_events);
  for (const auto& mode : modes) require(mode != nullptr, "the option modes holds an empty entry");
}

}  // namespace kane
