#include "kane/base/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace kane {

namespace {

std::ofstream open_file(const std::string& file, std::ios::openmode mode) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | mode);
  require(out.good(), "'{}' cannot be written{}{}", file, errno == 0 ? "" : ": ",
          errno == 0 ? "" : std::strerror(errno));
  return out;
}

}  // namespace

void check_writable(const std::string& file) {
  std::error_code ignored;
  const bool existed = std::filesystem::exists(std::filesystem::symlink_status(file, ignored));
  open_file(file, std::ios::app).close();
  if (!existed) std::filesystem::remove(file, ignored);
}

void write_file(const std::string& file, std::string_view content) {
  std::ofstream out = open_file(file, std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out.good()) throw OutputError(fmt::format("'{}' could not be written completely; is the disk full?", file));
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  require(!error, "the folder '{}' cannot be made: {}", folder, error.message());
}

}  // namespace kane
