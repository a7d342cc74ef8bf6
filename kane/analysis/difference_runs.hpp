#pragma once
// Derivatives of runs that lead through events: impacts, contacts and frictions that begin and end, modes. An event at the instant
// tau(p), where g(x, p) = 0, after which the motion goes on from R(x, p), changes the derivatives S = dx/dp of the state by the
// saltation matrix (M. di Bernardo et al., Piecewise-smooth Dynamical Systems, section 2.5):
//
//     S+ = R_x S- + R_p + (R_x f- - f+) dtau/dp,      dtau/dp = -(g_x S- + g_p) / (g_x f-)
//
// Central differences of whole runs, whose events are located to rounding, contain all of its terms:
//
//     dy/dp = (y(t; p + h) - y(t; p - h)) / 2h
//
// wherever all runs have the same events behind them. About an event there is an interval, as long as it moves with p +- h, in
// which some are before it and others after it. Derivatives jump at the event itself; those of samples inside are continued from
// samples on their side. Differences with 2h tell how accurate those with h are.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kane/model/simulation.hpp"

namespace kane {

class DifferenceRuns {
 public:
  struct Options {
    std::vector<std::string> parameters{};  ///< parameters, and coordinates and speeds (their initial values)
    std::vector<std::string> outputs{};     ///< coordinates, speeds, outputs
    RunPlan plan{};
    double tolerance = 1e-9;
    std::vector<InputSource> inputs{};  ///< in addition to those of the model
  };
  /// Throws ModelError for unknown names.
  DifferenceRuns(const Model& model, const StartState& start, Options options);

  struct Sample {
    double t = 0;
    std::span<const double> values, derivatives;  ///< of the outputs; outputs x parameters
  };
  /// Returns an empty text if done, otherwise when and why it stopped.
  [[nodiscard]] std::string run(const std::function<void(const Sample&)>& on_sample);

  /// Values of the parameters in the run itself.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  [[nodiscard]] long steps() const { return steps_; }
  /// Largest difference between derivatives from h and from 2h, relative to the largest derivative of the output.
  [[nodiscard]] double disagreement() const { return disagreement_; }
  /// Samples whose derivatives were continued from others.
  [[nodiscard]] std::size_t continued() const { return continued_; }

 private:
  struct Mark {
    double t = 0;
    std::string what;
  };
  /// One run.
  struct Track {
    std::vector<double> times, values;  ///< values: samples x outputs
    std::vector<Mark> events;
    std::string failure;
  };
  [[nodiscard]] Track follow(const StartState& start);
  [[nodiscard]] StartState moved(std::size_t parameter, double by) const;
  void differentiate(std::size_t parameter, std::span<const Track> tracks, double h);
  void fill_gaps(std::size_t parameter, const std::vector<char>& good);

  Model model_;
  StartState start_;
  Options options_;
  std::vector<std::size_t> columns_;  ///< of the outputs, in Simulation::row()
  std::vector<double> values_;
  Track nominal_;
  std::vector<double> derivatives_;  ///< samples x outputs x parameters
  std::size_t good_until_ = 0;       ///< samples that have derivatives
  std::string failure_;
  double disagreement_ = 0;
  std::size_t continued_ = 0;
  long steps_ = 0;
};

}  // namespace kane
