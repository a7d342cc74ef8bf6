#pragma once
// A video of a run: its frames as SVG files in a temporary folder, joined by ffmpeg, which is not part of Kane.

#include <string>

#include "kane/picture/frame_writer.hpp"

namespace kane {

/// Throws ModelError if no video can be written to `file`: an ending other than .mp4 and .webm, a place that cannot be
/// written, no ffmpeg, or one that does not read SVG. Call it before a run, so that no hour of computing is lost.
void check_video(const std::string& file);

/// Returns the number of frames. Throws OutputError with ffmpeg's own message if ffmpeg fails.
std::size_t write_video(const RunRecord& record, const std::string& file, const FrameOptions& options = {});

}  // namespace kane
