#pragma once
// Pictures of a run as SVG files, one per frame: triangles sorted from far to near, seen as on the page of a report.

#include <string>

#include "apps/kane/run_record.hpp"

namespace kane {

struct FrameOptions {
  double rate = 25;  ///< pictures per second of simulated time
  int width = 960, height = 720;
};

/// Writes folder/frame_00000.svg and so on; makes the folder. Returns how many. Throws ModelError if it cannot be made, or
/// there would be too many; RunFailed if the disk refuses a file.
std::size_t write_frames(const RunRecord& record, const std::string& folder, const FrameOptions& options = {});

}  // namespace kane
