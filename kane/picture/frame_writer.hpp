#pragma once
// Pictures of a run as SVG files, one per frame: triangles sorted from far to near, seen as on the page of a report.

#include <string>

#include "kane/picture/run_record.hpp"

namespace kane {

struct FrameOptions {
  double rate = 25;  ///< frames per second of simulated time
  int width = 960, height = 720;

  /// Width and height from text such as "1280x720"; throws ModelError for any other text.
  void set_size(const std::string& text);
  /// Throws ModelError if frames cannot be drawn like this.
  void check() const;
};

/// Writes folder/frame_00000.svg and so on; makes the folder. Returns the number of frames. Throws ModelError if a file or the
/// folder cannot be written, or if there would be too many frames.
std::size_t write_frames(const RunRecord& record, const std::string& folder, const FrameOptions& options = {});

}  // namespace kane
