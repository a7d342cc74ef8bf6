#pragma once
// The report page, the frames and the video of a simulation: collects samples while it runs, writes at the end.
//
//     Mechanism arm = read_mechanism("arm.yaml");
//     add_scene_outputs(arm);                              // for arrows of loads, and gravity; optional
//     Simulation run{Model(arm)};
//     RunPictures pictures({.report = "arm.html"}, run);
//     RunReport report = run.run({.until = 2}, [&](const State& sample) { return pictures.add(sample), true; });
//     pictures.finish(report, "arm.yaml");

#include <optional>
#include <string>

#include "kane/model/simulation.hpp"
#include "kane/picture/frame_writer.hpp"
#include "kane/picture/report_page.hpp"
#include "kane/picture/run_record.hpp"

namespace kane {

/// The pictures to make.
struct PictureOptions {
  std::string report{};  ///< FILE.html; "": none
  std::string frames{};  ///< folder; "": none
  std::string video{};   ///< FILE.mp4 or FILE.webm; "": none
  FrameOptions frame{};  ///< options of frames and video

  /// Whether any picture is wanted.
  [[nodiscard]] bool wanted() const { return !report.empty() || !frames.empty() || !video.empty(); }
  /// Throws ModelError if the page, the frames or the video cannot be made.
  void check() const;
};

/// Collects the samples of a run and writes the pictures at its end.
class RunPictures {
 public:
  /// Throws ModelError if a file or folder cannot be written, before any time is spent on computing.
  RunPictures(PictureOptions options, Simulation& simulation);

  /// Adds a sample; samples must come in order of time.
  void add(const State& sample);
  /// Writes the files. `options`: the options of the run, for the page.
  /// `interruption`: the external cause that ended the run early; "": none.
  void finish(const RunReport& report, const std::string& model_file, std::vector<PageRow> options = {},
              const std::string& interruption = {});
  /// The data of the page (make_report_data), instead of files.
  [[nodiscard]] std::string page_data(const RunReport& report, std::vector<PageRow> options) const;
  /// The files written, for a summary.
  [[nodiscard]] const std::string& written() const { return written_; }

 private:
  void add_signals();
  void fill_row(const State& sample, std::span<const double> reports);
  [[nodiscard]] std::vector<PageRow> checks(const RunReport& report) const;
  [[nodiscard]] std::vector<PageRow> parameter_rows() const;
  [[nodiscard]] ReportText page_text(const RunReport& report, std::vector<PageRow> options) const;

  PictureOptions options_;
  const Mechanism& mechanism_;
  MotionSimulator& simulator_;
  Values parameters_;
  std::vector<RecordedSignal> signals_;
  std::vector<std::size_t> report_columns_;  ///< signals that are in the reports already
  std::optional<std::size_t> potential_;
  std::optional<double> first_energy_;
  std::optional<RunRecord> record_;
  std::vector<double> row_;
  std::string written_;
};

}  // namespace kane
