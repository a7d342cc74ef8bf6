#include "kane/simulate/record/csv_writer.hpp"

#include <fmt/format.h>

#include <iterator>

namespace kane {

namespace {

constexpr std::size_t kBufferSize = 1 << 16;
constexpr std::chrono::seconds kLongestDelay{1};

}  // namespace

CsvWriter::CsvWriter(const std::string& file, const std::vector<std::string>& names) : file_(file) {
  buffer_.reserve(2 * kBufferSize);
  fmt::format_to(std::back_inserter(buffer_), "{}\n", fmt::join(names, ","));
}

CsvWriter::~CsvWriter() {
  try {
    if (!buffer_.empty() && file_.place().ends_with(kPartEnding)) write_buffer();
  } catch (const OutputError&) {  // a destructor cannot report it
  }
}

void CsvWriter::write(std::span<const double> row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) buffer_ += ',';
    fmt::format_to(std::back_inserter(buffer_), "{:.17g}", row[i]);
  }
  buffer_ += '\n';
  file_.keep();
  if (buffer_.size() >= kBufferSize || Clock::now() - written_ >= kLongestDelay) write_buffer();
}

void CsvWriter::write_buffer() {
  written_ = Clock::now();
  try {
    file_.write(buffer_);
  } catch (const OutputError&) {
    buffer_.clear();
    throw;
  }
  buffer_.clear();
}

void CsvWriter::finish() {
  write_buffer();
  file_.commit();
}

}  // namespace kane
