#include "kane/simulate/record/csv_writer.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "kane/base/error.hpp"

namespace kane {

namespace {

constexpr std::size_t kBufferSize = 1 << 16;

int keep_open(std::FILE* file) { return std::fflush(file); }

}  // namespace

CsvWriter::CsvWriter(const std::string& file, const std::vector<std::string>& names)
    : file_(file == "-" ? stdout : std::fopen(file.c_str(), "wb"), file == "-" ? &keep_open : &std::fclose) {
  require(file_ != nullptr, "'{}' cannot be written: {}", file, std::strerror(errno));
  buffer_.reserve(2 * kBufferSize);
  fmt::format_to(std::back_inserter(buffer_), "{}\n", fmt::join(names, ","));
}

void CsvWriter::write(std::span<const double> row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) buffer_ += ',';
    fmt::format_to(std::back_inserter(buffer_), "{:.17g}", row[i]);
  }
  buffer_ += '\n';
  if (buffer_.size() >= kBufferSize) write_buffer();
}

void CsvWriter::write_buffer() {
  failed_ = failed_ || std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size();
  buffer_.clear();
}

bool CsvWriter::flush() {
  write_buffer();
  failed_ = failed_ || std::fflush(file_.get()) != 0;
  return !failed_;
}

}  // namespace kane
