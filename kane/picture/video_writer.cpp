#include "kane/picture/video_writer.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <vector>

#include "kane/base/child_process.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/base/output_mark.hpp"
#include "kane/picture/video_container.hpp"

namespace kane {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

bool reads_svg(const std::string& ffmpeg) {
  const TemporaryFolder folder("kane_video");
  const std::string log = folder.path() + "/decoders";
  if (run_program(ffmpeg, {"-hide_banner", "-decoders"}, log) != 0) return false;
  // A line is "V....D NAME  description", with the codec at its end if the decoder has another name (librsvg).
  const std::string list = read_whole_file(log);
  return list.find(" svg ") != std::string::npos || list.find("(codec svg)") != std::string::npos;
}

/// The codec for the ending of the file; empty if there is none.
Words codec_of(const std::string& file) {
  const std::string ending = fs::path(file).extension().string();
  if (ending == ".mp4") return {"-c:v", "libx264", "-crf", "20", "-movflags", "+faststart"};
  if (ending == ".webm") return {"-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0"};
  return {};
}

std::string part_of(const std::string& file) { return file + std::string(kPartEnding); }

Words video_arguments(const std::string& folder, const std::string& file, const FrameOptions& options) {
  Words words{"-y", "-hide_banner", "-loglevel", "error", "-framerate", fmt::format("{}", options.rate)};
  // Both codecs need even sizes. The bytes depend on nothing but the frames.
  words.insert(words.end(), {"-i", folder + "/frame_%05d.svg", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt",
                             "yuv420p", "-fflags", "+bitexact", "-flags:v", "+bitexact"});
  const Words codec = codec_of(file);
  words.insert(words.end(), codec.begin(), codec.end());
  words.insert(words.end(), {"-metadata", "comment=" + std::string(kOutputWords), "-f",
                             fs::path(file).extension().string().substr(1)});
  words.push_back("file:" + part_of(file));  // else a colon in a name would mean a protocol
  return words;
}

/// ffmpeg ends with 0 even if the last bytes of the file could not be written.
bool said_nothing_of_writing(const std::string& log) {
  for (const char* trouble : {"No space left", "Error writing", "write error", "File too large", "Disk quota"})
    if (log.find(trouble) != std::string::npos) return false;
  return true;
}

}  // namespace

void check_video(const std::string& file) {
  require(!codec_of(file).empty(), "a video is FILE.mp4 or FILE.webm, not '{}'", file);
  const std::string ffmpeg = find_program("ffmpeg");
  require(
      !ffmpeg.empty(),
      "a video needs the program ffmpeg, which was not found in PATH; install it (Debian, Ubuntu: apt install ffmpeg), "
      "or write frames, which need no other program");
  require(reads_svg(ffmpeg),
          "'{}' does not read SVG, which a video needs; install a build of it with librsvg (Debian's and Ubuntu's have "
          "it), "
          "or write frames and convert them by other means",
          ffmpeg);
  check_writable(file);
}

std::size_t write_video(const RunRecord& record, const std::string& file, const FrameOptions& options) {
  const TemporaryFolder folder("kane_video");
  const std::size_t count = write_frames(record, folder.path(), options);
  const std::string log = folder.path() + "/log", ffmpeg = find_program("ffmpeg");
  const std::string part = part_of(file);
  const int code = run_program(ffmpeg, video_arguments(folder.path(), file, options), log);
  if (code == 0 && is_whole_video(part) && said_nothing_of_writing(read_whole_file(log))) {
    mark_output(part);
    if (std::rename(part.c_str(), file.c_str()) == 0) return count;
  }
  std::error_code ignored;
  fs::remove(part, ignored);
  constexpr std::size_t kShown = 800;
  std::string said = read_whole_file(log);
  if (said.size() > kShown) said = "..." + said.substr(said.size() - kShown);
  throw OutputError(fmt::format("ffmpeg could not write '{}' completely (exit code {}){}{}", file, code,
                                said.empty() ? "" : "; it said:\n", said));
}

}  // namespace kane
