#pragma once
// The page, the frames and the film of a simulation (--report, --frames, --video): collects samples while it runs, writes at the end.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "apps/kane/frame_writer.hpp"
#include "apps/kane/run_record.hpp"
#include "kane/simulate/motion/motion_simulator.hpp"

namespace kane {

struct PictureOptions {
  std::string report;  ///< FILE.html; "": none
  std::string frames;  ///< folder; "": none
  std::string video;   ///< FILE.mp4 or FILE.webm; "": none
  std::string size;    ///< of frames and video, WIDTHxHEIGHT; "": the usual one
  double frame_rate = 25;

  [[nodiscard]] bool wanted() const { return !report.empty() || !frames.empty() || !video.empty(); }
  /// Throws ModelError if frames or a video cannot be made as they are asked for.
  [[nodiscard]] FrameOptions checked_frames() const;
};

class RunPictures {
 public:
  /// Throws ModelError if a file or folder cannot be written: now, not after an hour of computing.
  RunPictures(PictureOptions options, const Mechanism& mechanism, MotionSimulator& simulator, const Values& parameters);

  void add(const State& sample);
  /// `options`: rows of name and value that tell how the run was made.
  void finish(const RunReport& report, const std::string& model_file, const nlohmann::ordered_json& options);
  /// What was written, for the summary.
  [[nodiscard]] const std::string& written() const { return written_; }

 private:
  void add_signals();
  void fill_row(const State& sample, std::span<const double> reports);
  [[nodiscard]] nlohmann::ordered_json checks(const RunReport& report) const;
  [[nodiscard]] nlohmann::ordered_json parameter_rows() const;

  PictureOptions options_;
  const Mechanism& mechanism_;
  MotionSimulator& simulator_;
  Values parameters_;
  std::vector<RecordedSignal> signals_;
  std::vector<std::size_t> report_columns_;  ///< signals that stand in the reports as they are
  std::optional<std::size_t> potential_;
  std::optional<double> first_energy_;
  std::optional<RunRecord> record_;
  std::vector<double> row_;
  std::string written_;
};

}  // namespace kane
