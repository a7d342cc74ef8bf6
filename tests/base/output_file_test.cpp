#include "kane/base/output_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

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
