#pragma once
// Between a device and the loop: a person holds the device, so nothing that it says is believed unchecked, and nothing
// absurd is commanded to it.
//
// - A sample counts if all its numbers are finite, the position is within the travel, the speed is possible, and the position
//   could be reached from the last one that counted at the largest speed. Otherwise the last good position is kept.
// - An angle that begins again after a turn (DeviceAxis::wrap) is continued: of all positions that are the same place, the one
//   nearest to the last is taken.
// - Forces are limited: to the device's own maximum, else to a default.
// - A gain multiplies all forces. It rises from 0 to 1 within `ramp` seconds at the start. If there were no good samples for
//   `patience` seconds, it falls to 0 within `release` seconds and stays there; the first good sample begins a new ramp,
//   wherever the device is then.
//
// Nothing here allocates after the construction.

#include <span>
#include <string>
#include <vector>

#include "kane/haptics/device.hpp"

namespace kane {

/// What is assumed of an axis whose data sheet does not say, and how forces come and go.
struct HapticSafety {
  double max_force = 20;  ///< N or N*m, of real devices that do not give theirs
  double max_speed = 50;  ///< m/s or rad/s
  double travel = 100;    ///< m or rad, to either side of the start
  double ramp = 0.25;     ///< s from no force to full force; 0: at once
  double patience = 0.1;  ///< s without good samples before the force goes
  double release = 0.05;  ///< s from full force to none

  /// Throws ModelError for values that make no sense.
  void check() const;
};

class DeviceGuard {
 public:
  DeviceGuard(const Device& device, const HapticSafety& safety, double period);

  /// `origin`: where the device begins.
  void start(std::span<const double> origin);
  /// Replaces what does not count by the last good values; `fresh`: the device had new data.
  void check(double t, bool fresh, std::span<double> position, std::span<double> speed, std::span<double> force);
  /// The last sample was new and counted.
  [[nodiscard]] bool counted() const { return counted_; }
  /// The factor of all forces.
  [[nodiscard]] double gain() const { return gain_; }
  /// Within the limit of the axis times `gain`; zero if it is no number.
  [[nodiscard]] double limit_force(std::size_t axis, double force, double gain = 1) const;
  /// A step of displayed motion that the axis can follow; zero if it is no number.
  [[nodiscard]] double limit_step(std::size_t axis, double step) const;

  /// Samples that did not count.
  [[nodiscard]] long rejected() const { return rejected_; }
  /// How often the force was taken away for lack of good samples.
  [[nodiscard]] long releases() const { return releases_; }
  /// What was wrong with the first sample that did not count; "": all counted.
  [[nodiscard]] std::string first_trouble(std::span<const std::string> names) const;

 private:
  enum class Trouble { None, NotFinite, Travel, Speed, Jump };
  struct Axis {
    double max_force, max_speed, travel, wrap;
    double origin = 0, position = 0, speed = 0, force = 0;  ///< the last that counted
  };
  struct FirstTrouble {
    Trouble what = Trouble::None;
    std::size_t axis = 0;
    double t = 0, value = 0;
  };
  [[nodiscard]] Trouble find_trouble(const Axis& axis, double position, double speed, double force) const;
  void keep_last(std::span<double> position, std::span<double> speed, std::span<double> force) const;
  void move_gain(bool good);

  HapticSafety safety_;
  double period_;
  std::vector<Axis> axes_;
  double gain_ = 0;
  double since_good_ = 0;    ///< s
  bool synchronous_ = true;  ///< false: any position in the travel is a new beginning
  bool releasing_ = false, counted_ = false;
  long rejected_ = 0, releases_ = 0;
  FirstTrouble first_;
};

}  // namespace kane
