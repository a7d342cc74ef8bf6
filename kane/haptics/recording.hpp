#pragma once
// Recordings of runs: for every tick the motion (and force) of the device as it was read, and what was displayed. A
// recording can be given to the loop again as a device; since the simulation has no other input, the run is then repeated
// bit for bit.
//
// The file is text: a line of names (t, then for each axis NAME.position, NAME.speed, NAME.force, NAME.shown), one line per
// tick with 17 digits.

#include <string>
#include <vector>

#include "kane/haptics/device.hpp"

namespace kane {

/// Memory for a whole run, allocated beforehand.
class Recording {
 public:
  Recording(std::size_t axes, std::size_t ticks);

  void add(double t, std::span<const double> position, std::span<const double> speed, std::span<const double> force,
           std::span<const double> shown);
  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] std::size_t axes() const { return axes_; }
  [[nodiscard]] std::span<const double> row(std::size_t tick) const {
    return {values_.data() + tick * width(), width()};
  }
  /// Throws ModelError if the file cannot be written.
  void write(const std::string& file, const std::vector<std::string>& names) const;
  /// Throws ModelError if the file cannot be read or is not a recording.
  [[nodiscard]] static Recording read(const std::string& file);

 private:
  [[nodiscard]] std::size_t width() const { return 1 + 4 * axes_; }

  std::size_t axes_, used_ = 0;
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
