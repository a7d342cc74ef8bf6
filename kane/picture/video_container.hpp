#pragma once
// Checks whether a video file is complete, from the lengths stored in it.

#include <string>

namespace kane {

/// False if the file is missing, empty, or cut off: an MP4 file consists of boxes, a WebM file of a head and a segment, each
/// beginning with its length. A file of another kind only needs to have content.
[[nodiscard]] bool is_whole_video(const std::string& file);

}  // namespace kane
