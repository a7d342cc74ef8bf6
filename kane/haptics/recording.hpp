#pragma once
// Recordings of runs: for every tick the motion (and force) of the device as it was read, and what was displayed. A
// recording can be given to the loop again as a device; since the simulation has no other input, the run is then repeated
// bit for bit.
//
// The file is text: a line of names, one line per tick with 17 digits: t; counted, 1 if the device had a new sample and it was
// believed; held.N, 1 while the Nth constraint imposed at run time was in force; then for each axis NAME.position, NAME.speed,
// NAME.force as they were used, and NAME.shown (the force displayed) or NAME.moved (the position displayed: admittance).

#include <string>
#include <vector>

#include "kane/haptics/device.hpp"

namespace kane {

/// Memory for a whole run, allocated beforehand.
class Recording {
 public:
  struct Shape {
    std::size_t axes = 0;
    std::size_t constraints = 0;  ///< imposed at run time
    bool motion = false;          ///< motion is displayed
  };
  Recording(const Shape& shape, std::size_t ticks);

  /// Begins the row of a tick.
  void begin(double t, bool counted);
  void add_held(std::size_t constraint, bool held);
  /// Ends it. Rows beyond the number of ticks are dropped.
  void add(std::span<const double> position, std::span<const double> speed, std::span<const double> force,
           std::span<const double> shown);
  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] std::size_t axes() const { return shape_.axes; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::span<const double> row(std::size_t tick) const {
    return {values_.data() + tick * width(), width()};
  }
  [[nodiscard]] bool counted(std::size_t tick) const { return row(tick)[1] != 0; }
  [[nodiscard]] bool held(std::size_t tick, std::size_t constraint) const { return row(tick)[2 + constraint] != 0; }
  /// Position, speed, force and what was shown, for each axis.
  [[nodiscard]] std::span<const double> motion(std::size_t tick) const {
    return row(tick).subspan(2 + shape_.constraints);
  }
  /// Throws ModelError if the file cannot be written.
  void write(const std::string& file, const std::vector<std::string>& names) const;
  /// Throws ModelError if the file cannot be read or is not a recording.
  [[nodiscard]] static Recording read(const std::string& file);

 private:
  [[nodiscard]] std::size_t width() const { return 2 + shape_.constraints + 4 * shape_.axes; }

  Shape shape_;
  std::size_t used_ = 0;
  std::vector<double> values_;
};

/// Plays a recording: tick k reads row k.
class ReplayDevice final : public Device {
 public:
  /// `data`: the axes of the recorded device; with the same values the run is repeated exactly.
  explicit ReplayDevice(Recording recording, std::vector<DeviceAxis> data = {})
      : recording_(std::move(recording)), data_(std::move(data)) {}

  [[nodiscard]] std::string name() const override { return "replay"; }
  [[nodiscard]] std::size_t axes() const override { return recording_.axes(); }
  [[nodiscard]] DeviceAxis axis(std::size_t i) const override { return i < data_.size() ? data_[i] : DeviceAxis{}; }
  [[nodiscard]] bool is_real() const override { return false; }
  [[nodiscard]] int held(std::size_t constraint) const override;
  void start(std::span<const double>) override { next_ = 0; }
  [[nodiscard]] bool read(double t, std::span<double> position, std::span<double> speed,
                          std::span<double> force) override;
  void write(double t, std::span<const double> force, std::span<const double> position) override;
  [[nodiscard]] std::vector<std::string> notes() const override;

 private:
  Recording recording_;
  std::vector<DeviceAxis> data_;
  std::size_t next_ = 0;
  long past_end_ = 0;
  double largest_difference_ = 0;  ///< between the forces displayed now and those recorded
};

}  // namespace kane
