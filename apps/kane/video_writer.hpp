#pragma once
// A film of a run: its frames as SVG files in a temporary folder, put together by ffmpeg, which is not part of Kane.

#include <string>

#include "apps/kane/frame_writer.hpp"

namespace kane {

/// Throws ModelError if no film can be written to `file`: an ending other than .mp4 and .webm, a place that cannot be
/// written, no ffmpeg, or one that does not read SVG. To be asked before a run, not after an hour of computing.
void check_video(const std::string& file);

/// Returns the number of pictures. Throws RunFailed with what ffmpeg said if it fails.
std::size_t write_video(const RunRecord& record, const std::string& file, const FrameOptions& options);

}  // namespace kane
