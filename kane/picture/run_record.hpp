#pragma once
// A record of a run for pictures: signals over time, and the positions of everything. Long runs, and runs of large
// mechanisms, are thinned out evenly, so that a page stays small. The last sample is always there.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kane/picture/scene.hpp"

namespace kane {

struct RecordedSignal {
  std::string group, name;
  std::vector<double> values;
  std::string unit = {};  ///< "": not known
};

class RunRecord {
 public:
  /// `signals`: group and name of each entry of the rows that add() gets.
  RunRecord(Scene scene, std::vector<RecordedSignal> signals);

  /// `reports` empty: they could not be evaluated, and the previous picture is repeated.
  void add(double t, std::span<const double> row, std::span<const double> reports);

  [[nodiscard]] const Scene& scene() const { return scene_; }
  [[nodiscard]] const std::vector<RecordedSignal>& signals() const { return signals_; }
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  [[nodiscard]] std::size_t size() const { return times_.size(); }

  // ---- per sample ------------------------------------------------------------------------------------------------------
  static constexpr std::size_t kPose = 7;  ///< position, quaternion (scalar last)
  [[nodiscard]] const std::vector<float>& poses() const { return poses_; }
  /// The distinct points that the scene refers to, and the index of one among them.
  [[nodiscard]] std::size_t point_count() const { return points_.size(); }
  [[nodiscard]] std::size_t point_index(std::size_t report) const;
  [[nodiscard]] const std::vector<float>& positions() const { return positions_; }
  /// Components in the ground, with their signs.
  [[nodiscard]] const std::vector<float>& arrows() const { return arrows_; }
  /// The planes of contacts that do not move: n and h, and the index of the plane in the scene.
  struct Plane {
    std::size_t index;
    Vec3 normal;
    double height;
  };
  [[nodiscard]] const std::vector<Plane>& planes() const { return planes_; }
  /// No more samples than this are kept.
  [[nodiscard]] std::size_t most_samples() const { return most_samples_; }
  /// Opposite to gravity. Without gravity: z, or y for a motion in the x-y plane.
  [[nodiscard]] Vec3 up() const;

 private:
  void append_picture(std::span<const double> reports);
  [[nodiscard]] Vec3 find_point(std::size_t point, std::span<const double> reports) const;
  void thin_out();
  void remove_last();
  void look_at_planes(std::span<const double> reports);

  Scene scene_;
  std::vector<RecordedSignal> signals_;
  std::vector<std::size_t> points_;  ///< places in the reports, ascending
  std::vector<double> times_;
  std::vector<float> poses_, positions_, arrows_;
  std::optional<Vec3> up_;
  std::vector<Plane> planes_;
  std::size_t most_samples_ = 0;
  std::size_t stride_ = 1, skipped_ = 0;
  bool last_is_extra_ = false;  ///< it is there only until another one comes
};

}  // namespace kane
