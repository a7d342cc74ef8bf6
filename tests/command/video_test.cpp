// kane simulate --video: the arguments of ffmpeg, and the message if there is none. The ffmpeg here is a script that
// keeps its arguments and counts the pictures it is given.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/command/run_command.hpp"

namespace kane::test {
namespace {

namespace fs = std::filesystem;

class VideoCommand : public testing::Test {
 protected:
  VideoCommand()
      : folder_((fs::temp_directory_path() / ("kane_video_test_" + std::to_string(getpid()) + "_" +
                                              testing::UnitTest::GetInstance()->current_test_info()->name()))
                    .string()),
        path_before_(std::getenv("PATH")) {
    fs::create_directories(folder_ + "/bin");
    fs::create_directories(folder_ + "/tmp");
    setenv("PATH", path("bin").c_str(), 1);
    setenv("TMPDIR", path("tmp").c_str(), 1);
  }
  ~VideoCommand() override {
    setenv("PATH", path_before_.c_str(), 1);
    unsetenv("TMPDIR");
    fs::remove_all(folder_);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void install_ffmpeg(const std::string& body,
                      const std::string& decoders = " V....D librsvg   Librsvg rasterizer (codec svg)") const {
    const std::string file = path("bin/ffmpeg");
    std::ofstream(file) << "#!/bin/sh\nPATH=/usr/bin:/bin\nif [ \"$2\" = -decoders ]; then echo '" << decoders
                        << "'; exit 0; fi\nhere='" << folder_ << "'\n"
                        << body << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }
  [[nodiscard]] CommandResult simulate(std::vector<std::string> options) const {
    options.insert(options.begin(), {"simulate", std::string(KANE_SOURCE_DIR) + "/models/double_pendulum.yaml",
                                     "--until", "1", "--out", path("a.csv")});
    return run_kane(options);
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  static void expect_has(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text;
  }
  /// Refused as an input error before anything is computed or written.
  void expect_refused(const std::vector<std::string>& options, const std::string& part) const {
    const auto result = simulate(options);
    EXPECT_EQ(result.exit_code, 2) << part;
    expect_has(result.err, part);
    EXPECT_FALSE(fs::exists(path("a.csv"))) << part;
    EXPECT_TRUE(fs::is_empty(path("tmp"))) << part;
  }

 private:
  std::string folder_, path_before_;
};

/// Keeps the arguments one per line, the number of pictures, the first of them; writes the last argument's file.
constexpr const char* kFilms =
    "for word; do echo \"$word\"; last=$word; [ \"$before\" = -i ] && frames=$(dirname \"$word\"); before=$word; done "
    "> $here/arguments\nls $frames/frame_*.svg | wc -l > $here/count\ncp $frames/frame_00000.svg $here/first.svg\n"
    "echo film > \"${last#file:}\"";

TEST_F(VideoCommand, GivesFfmpegAllFramesAndCleansUp) {
  install_ffmpeg(kFilms);
  const auto result = simulate({"--video", path("my: film.mp4"), "--fps", "12.5", "--size", "641x480"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_has(result.out, "13 pictures in " + path("my: film.mp4"));
  EXPECT_EQ(content("my: film.mp4"), "film\n");
  EXPECT_EQ(std::stoi(content("count")), 13);  // 12.5 per second, both ends
  expect_has(content("first.svg"), "width=\"641\" height=\"480\"");
  const std::string words = content("arguments");
  for (const char* part :
       {"-framerate\n12.5\n-i\n", "/frame_%05d.svg\n", "-c:v\nlibx264\n", "-pix_fmt\nyuv420p\n", "-y\n"})
    expect_has(words, part);
  EXPECT_TRUE(fs::is_empty(path("tmp")));
}

TEST_F(VideoCommand, WebmHasItsOwnCodec) {
  install_ffmpeg(kFilms);
  const auto result = simulate({"--video", path("a.webm"), "--quiet"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_has(content("arguments"), "-c:v\nlibvpx-vp9\n");
  EXPECT_EQ(std::stoi(content("count")), 26);
}

TEST_F(VideoCommand, SaysBeforeTheRunWhatIsMissing) {
  expect_refused({"--video", path("a.mp4")}, "apt install ffmpeg");
  expect_refused({"--video", path("a.avi")}, "FILE.mp4 or FILE.webm");
  expect_refused({"--video", path("mp4")}, "FILE.mp4 or FILE.webm");
  install_ffmpeg(kFilms, " V....D png   PNG image");
  expect_refused({"--video", path("a.mp4")}, "does not read SVG");
  install_ffmpeg(kFilms);
  expect_refused({"--video", path("none/a.mp4")}, "cannot be written");
  for (const char* size : {"640", "640x", "640x480x3", "0x480", "-640x480", "99999x480", "axb"})
    expect_refused({"--video", path("a.mp4"), "--size", size}, "WIDTHxHEIGHT");
  expect_refused({"--video", path("a.mp4"), "--fps", "-1"}, "must be positive");
  EXPECT_FALSE(fs::exists(path("a.mp4")));
}

TEST_F(VideoCommand, PassesOnWhatFfmpegSays) {
  install_ffmpeg("echo \"Unknown encoder 'libx264'\" >&2; exit 3");
  const auto result = simulate({"--video", path("a.mp4")});
  EXPECT_EQ(result.exit_code, 1);
  expect_has(result.err, "Unknown encoder 'libx264'");
  expect_has(result.err, "exit code 3");
  EXPECT_TRUE(fs::exists(path("a.csv")));
  EXPECT_TRUE(fs::is_empty(path("tmp")));
}

}  // namespace
}  // namespace kane::test
