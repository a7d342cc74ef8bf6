#include "kane/base/output_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "kane/base/output_mark.hpp"

namespace kane {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& file, int code) {
  throw ModelError(fmt::format("'{}' cannot be written: {}", file, std::strerror(code)));
}

/// The file behind symbolic links. Names of open descriptors (/dev/stdout) are left as they are.
std::string without_links(const std::string& file) {
  std::error_code error;
  if (file.starts_with("/dev/") || file.starts_with("/proc/") || !fs::is_symlink(file, error)) return file;
  const fs::path target = fs::weakly_canonical(file, error);
  return error ? file : target.string();
}

}  // namespace

OutputFile::OutputFile(std::string file, std::string_view part_ending)
    : file_(std::move(file)), final_(without_links(file_)), place_(final_) {
  if (file_ == "-") {
    std::fflush(stdout);
    descriptor_ = STDOUT_FILENO, regular_ = false;
    return;
  }
  struct stat now {};
  const bool exists = ::stat(final_.c_str(), &now) == 0;
  if (exists && S_ISDIR(now.st_mode)) cannot_write(file_, EISDIR);
  regular_ = !exists || S_ISREG(now.st_mode);
  if (exists && ::access(final_.c_str(), W_OK) != 0) cannot_write(file_, errno);
  if (regular_) {
    open_part(part_ending);
    if (descriptor_ >= 0 && exists) (void)::fchmod(descriptor_, now.st_mode & 07777U);
  }
  if (descriptor_ >= 0) return;
  // No part is possible: a device, a folder in which no file can be made, a name that is too long with its ending.
  place_ = final_;
  descriptor_ = ::open(final_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) cannot_write(file_, errno);
}

void OutputFile::open_part(std::string_view ending) {
  const std::string part = final_ + std::string(ending);
  descriptor_ = ::open(part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor_ < 0) return;
  place_ = part;
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    throw ModelError(
        fmt::format("'{}' is being written by another program; wait for it, or choose another name", file_));
  }
  if (::ftruncate(descriptor_, 0) != 0) fail(errno);
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  if (descriptor_ != STDOUT_FILENO) ::close(descriptor_);
  if (place_ != final_ && !(keep_ && size_ > 0)) ::unlink(place_.c_str());
}

void OutputFile::fail(int code) {
  if (regular_ && size_ > 0 && keep_)
    throw OutputError(fmt::format("'{}' could not be written completely: {}; the part already written is in '{}'",
                                  file_, std::strerror(code), place_),
                      code);
  throw OutputError(fmt::format("{} could not be written completely: {}",
                                file_ == "-" ? "standard output" : fmt::format("'{}'", file_), std::strerror(code)),
                    code);
}

void OutputFile::write(std::string_view bytes) {
  std::string_view left = bytes;
  while (!left.empty()) {
    const ssize_t n = ::write(descriptor_, left.data(), left.size());
    if (n > 0) {
      left.remove_prefix(static_cast<std::size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      const int code = n == 0 ? ENOSPC : errno;
      const std::string_view done = bytes.substr(0, bytes.size() - left.size());
      size_ += done.rfind('\n') == std::string_view::npos ? 0 : done.rfind('\n') + 1;
      if (regular_) (void)!::ftruncate(descriptor_, static_cast<off_t>(size_));
      fail(code);
    }
  }
  size_ += bytes.size();
}

void OutputFile::commit() {
  if (file_ == "-") return;
  if (regular_) mark_output(descriptor_);
  const int descriptor = std::exchange(descriptor_, -1);
  const bool closed = ::close(descriptor) == 0 || errno == EINTR;
  if (closed && (place_ == final_ || ::rename(place_.c_str(), final_.c_str()) == 0)) return;
  const int code = errno;
  if (place_ != final_ && !keep_) ::unlink(place_.c_str());
  fail(code);
}

void check_writable(const std::string& file) {
  struct stat now {};
  const bool exists = ::stat(file.c_str(), &now) == 0;
  if (exists && !S_ISREG(now.st_mode) && !S_ISDIR(now.st_mode)) {  // opening a pipe would wait for its reader
    if (::access(file.c_str(), W_OK) != 0) cannot_write(file, errno);
    return;
  }
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) cannot_write(file, errno);
  ::close(descriptor);
  if (!exists) ::unlink(file.c_str());
}

void write_file(const std::string& file, std::string_view content) {
  OutputFile out(file);
  out.write(content);
  out.commit();
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  require(!error, "the folder '{}' cannot be made: {}", folder, error.message());
}

}  // namespace kane
