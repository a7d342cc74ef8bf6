#include "kane/base/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "kane/base/output_mark.hpp"

namespace kane {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  OutputFile() { fs::create_directories(folder_); }
  ~OutputFile() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

 private:
  std::string folder_ = (fs::temp_directory_path() / ("kane_output_file_" + std::to_string(getpid()))).string();
};

TEST_F(OutputFile, ReplacesTheWholeContent) {
  write_file(path("a"), "a long text\n");
  write_file(path("a"), std::string_view("\0b", 2));
  EXPECT_EQ(content("a"), std::string("\0b", 2));
}

TEST_F(OutputFile, NamesTheFileThatCannotBeWritten) {
  try {
    write_file(path("none/a"), "text");
    FAIL() << "written";
  } catch (const OutputError&) {
    FAIL() << "a wrong path is the caller's mistake, not a full disk";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.message(), "'" + path("none/a") + "' cannot be written: No such file or directory");
  }
  EXPECT_THROW(write_file(path(""), "text"), ModelError);
}

TEST_F(OutputFile, ReportsAFullDisk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_THROW(write_file("/dev/full", "text"), OutputError);
  EXPECT_THROW(write_file("/dev/full", std::string(1 << 20, 'x')), OutputError);
}

TEST_F(OutputFile, GetsItsNameWhenItIsWhole) {
  write_file(path("a"), "before");
  {
    kane::OutputFile out(path("a"));
    out.write("line 1\n");
    EXPECT_EQ(content("a"), "before");
    EXPECT_EQ(content("a.part"), "line 1\n");
    EXPECT_THROW(kane::OutputFile again(path("a")), ModelError);  // two writers at once
    out.commit();
  }
  EXPECT_EQ(content("a"), "line 1\n");
  EXPECT_FALSE(fs::exists(path("a.part")));
  {
    kane::OutputFile out(path("a"));
    out.write("never finished");
  }
  EXPECT_EQ(content("a"), "line 1\n");
  EXPECT_FALSE(fs::exists(path("a.part")));
  {
    kane::OutputFile out(path("a"));
    out.write("kept");
    out.keep();
  }
  EXPECT_EQ(content("a.part"), "kept");
}

TEST_F(OutputFile, FollowsLinksAndKeepsPermissions) {
  write_file(path("target"), "x");
  fs::permissions(path("target"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(path("target"), path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content("target"), "new");
  EXPECT_EQ(fs::status(path("target")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  write_file("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

/// At most `bytes` per file; SIGXFSZ is ignored as in the command.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(OutputFile, AFullDiskCutsAtALineEndAndSparesWhatWasThere) {
  write_file(path("a"), "before");
  const FileLimit limit(25);
  kane::OutputFile out(path("a"));
  out.keep();
  out.write("0,1,2\n");
  EXPECT_THROW(out.write("10,11,12\n20,21,22\n30,31,32\n"), OutputError);
  EXPECT_EQ(content("a.part"), "0,1,2\n10,11,12\n20,21,22\n");
  EXPECT_EQ(content("a"), "before");
}

TEST_F(OutputFile, KnowsItsOwnFiles) {
  EXPECT_TRUE(may_replace(path("none")));
  write_file(path("own"), "some text");
  const auto foreign = [&](const std::string& text) {
    std::ofstream(path("foreign"), std::ios::binary) << text;
    return !may_replace(path("foreign"));
  };
  EXPECT_FALSE(foreign(""));
  EXPECT_TRUE(foreign("some text"));
  EXPECT_TRUE(foreign("t,q\n0.00,0.020004\n0.05,0.019654\n"));
  EXPECT_TRUE(foreign("t,q\n0,1\n1,2\n"));      // nothing says that it is ours
  EXPECT_TRUE(foreign("t,q\n0,0.1\n1,0.2\n"));  // 17 digits would be 0.10000000000000001
  EXPECT_FALSE(foreign("t,q\n0,0.10000000000000001\n1,0.20000000000000001\n"));
  EXPECT_TRUE(foreign("t,q\r\n0,0.10000000000000001\r\n"));
  EXPECT_TRUE(foreign("0,0.10000000000000001\n1,2\n"));
  EXPECT_TRUE(foreign("t,q\n0,0.10000000000000001"));  // cut within a line
  EXPECT_FALSE(foreign("<html><!-- written by Kane -->"));
}

TEST_F(OutputFile, WhatWasEditedIsNoLongerItsOwn) {
  write_file(path("a"), "some text");
  char mark[64];
  if (getxattr(path("a").c_str(), "user.kane", mark, sizeof mark) < 0) GTEST_SKIP() << "no extended attributes here";
  EXPECT_TRUE(may_replace(path("a")));
  std::ofstream(path("a"), std::ios::app) << " and more";
  EXPECT_FALSE(may_replace(path("a")));
}

TEST_F(OutputFile, NamesOfModelsBecomeNamesOfFiles) {
  for (const auto& [name, stem] : std::vector<std::pair<std::string, std::string>>{{"planar2r", "planar2r"},
                                                                                   {"../../evil", "evil"},
                                                                                   {"/etc/passwd", "etc_passwd"},
                                                                                   {"a/b\\c", "a_b_c"},
                                                                                   {"..", "model"},
                                                                                   {"", "model"},
                                                                                   {".hidden", "hidden"},
                                                                                   {"-rf", "rf"},
                                                                                   {"two words", "two words"},
                                                                                   {"a\nb\x1b[2J", "a_b_[2J"},
                                                                                   {"Pendel Übung", "Pendel Übung"},
                                                                                   {"_own", "_own"},
                                                                                   {"C:x*?", "C_x__"}})
    EXPECT_EQ(file_stem(name), stem) << name;
  const std::string longest = file_stem(std::string(99, 'x') + "ü" + std::string(300, 'y'));
  EXPECT_EQ(longest, std::string(99, 'x'));
}

TEST_F(OutputFile, ACheckChangesNothing) {
  write_file(path("a"), "text");
  check_writable(path("a"));
  EXPECT_EQ(content("a"), "text");
  check_writable(path("b"));
  EXPECT_FALSE(fs::exists(path("b")));
  EXPECT_THROW(check_writable(path("none/b")), ModelError);
}

TEST_F(OutputFile, MakesFolders) {
  make_folder(path("x/y/z"));
  make_folder(path("x/y/z"));
  EXPECT_TRUE(fs::is_directory(path("x/y/z")));
  write_file(path("a"), "text");
  EXPECT_THROW(make_folder(path("a")), ModelError);
  EXPECT_THROW(make_folder(path("a/b")), ModelError);
}

}  // namespace
}  // namespace kane
