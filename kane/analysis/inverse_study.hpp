#pragma once
// Inverse dynamics of a model along a prescribed motion, as a table, and a run that tracks the motion by computed torque.
//
//     InverseStudy study(model, {}, {.motion = {{"q1", "0.5*sin(2*t)"}}});
//     InverseReport report = study.run([&](std::span<const double> row) { ... });

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kane/analysis/inverse_dynamics.hpp"
#include "kane/analysis/situation.hpp"
#include "kane/model/simulation.hpp"

namespace kane {

struct InverseStudyOptions {
  struct Coordinate {
    std::string name, expression;  ///< of t and parameters
  };
  std::vector<Coordinate> motion{};
  std::vector<SeriesTable> tables{};     ///< columns named as coordinates
  std::vector<std::string> actuators{};  ///< inputs that act; empty: all without a law or series
  bool generalized = false;              ///< forces along the speeds instead of inputs
  bool full = false;                     ///< rows also contain coordinates, speeds, accelerations and multipliers
  std::optional<double> from{}, until{}, step{};
  /// Gains (1/s^2, 1/s) and sampling period (s) of track().
  double kp = 100, kd = 20, period = 1e-3;

  /// Throws ModelError naming the option that is wrong.
  void check() const;
};

/// Statistics of a column.
struct ColumnStatistics {
  std::string name;
  double smallest = 0, largest = 0, rms = 0, last = 0;
};

struct InverseReport {
  std::string model;
  double t_begin = 0, t_end = 0;
  long samples = 0;
  std::vector<ColumnStatistics> actuators;
  double missing = 0;  ///< largest generalized force that the actuators cannot provide ...
  double missing_time = 0;
  std::string missing_speed;          ///< ... along this speed; empty: none
  std::vector<std::string> exceeded;  ///< limits of joints and motors that the motion or its forces exceed: sentences
};

struct TrackReport {
  std::string model;
  RunReport run;
  std::vector<ColumnStatistics> errors;  ///< sizes of the errors of the prescribed coordinates
  bool lost = false;  ///< stopped at a singular configuration, in which the torques are not determined
};

class InverseStudy {
 public:
  /// Throws ModelError for unknown names, times outside the tables, and impossible options.
  InverseStudy(const Model& model, const StartState& start, InverseStudyOptions options);

  [[nodiscard]] const EquationsOfMotion& equations() const { return at_.equations(); }
  using OnRow = std::function<void(std::span<const double> row)>;

  /// t, the actuators; and, in full, everything else.
  [[nodiscard]] std::vector<std::string> columns() const;
  /// Throws ModelError where the motion is impossible, after writing the rows before it. The
  /// model must not have contacts or friction: their forces do not follow from the motion.
  [[nodiscard]] InverseReport run(const OnRow& on_row = {});
  /// Throws likewise if the first sample is impossible; writes no rows.
  void check();

  /// t, coordinates, speeds, inputs.
  [[nodiscard]] std::vector<std::string> track_columns() const;
  /// A run from the model's start under computed torque. Contacts, friction and events act; the controller's model of the
  /// mechanism does not include them.
  [[nodiscard]] TrackReport track(const OnRow& on_row = {});

 private:
  InverseStudyOptions options_;
  Model model_;  ///< with its limits
  StartState start_;
  Situation at_;  ///< without limits of motors: which input gives a force?
  MotionPath path_;
  double begin_ = 0, end_ = 0;
  std::unique_ptr<InverseDynamics> inverse_;
};

}  // namespace kane
