#include "kane/simulate/record/series_file.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kane/base/error.hpp"

namespace kane {

namespace {

constexpr std::size_t kMostBytes = 1U << 30;

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '"'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view line) {
  const char separator = line.find(',') == line.npos && line.find(';') != line.npos ? ';' : ',';
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    cells.push_back(trim(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

[[noreturn]] void fail(const std::string& file, int line, const std::string& message) {
  throw ModelError(Where{file, line, 0}, message);
}

double read_number(std::string_view cell, const std::string& file, int line) {
  double value = 0;
  const bool plus = !cell.empty() && cell.front() == '+';
  const auto [end, error] = std::from_chars(cell.data() + (plus ? 1 : 0), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
    fail(file, line, fmt::format("'{}' is not a finite number", cell.substr(0, 40)));
  return value;
}

class SeriesParser {
 public:
  explicit SeriesParser(const std::string& file) : file_(file) {}

  void add_line(std::string_view text, int line) {
    if (trim(text).empty() || trim(text).front() == '#') return;
    const auto cells = split(text);
    if (width_ == 0) return read_names(cells, line);
    if (cells.size() != width_)
      fail(file_, line, fmt::format("{} values are given for {} names", cells.size(), width_));
    std::size_t column = 0;
    for (std::size_t i = 0; i < width_; ++i) {
      const double value = read_number(cells[i], file_, line);
      (i == time_ ? table_.t : table_.columns[column++]).push_back(value);
    }
    const std::size_t n = table_.t.size();
    if (n > 1 && !(table_.t[n - 1] > table_.t[n - 2]))
      fail(file_, line, fmt::format("times must increase, but {} follows {}", table_.t[n - 1], table_.t[n - 2]));
  }

  SeriesTable take() {
    if (table_.t.empty()) fail(file_, 0, "there is no line of numbers in it");
    return std::move(table_);
  }

 private:
  void read_names(const std::vector<std::string_view>& cells, int line) {
    width_ = cells.size();
    time_ = width_;
    for (std::size_t i = 0; i < width_; ++i) {
      const bool is_time = cells[i] == "t" || cells[i] == "time";
      if (is_time && time_ < width_) fail(file_, line, "there are two columns of times");
      if (is_time)
        time_ = i;
      else
        table_.names.emplace_back(cells[i]);
    }
    if (time_ == width_) fail(file_, line, "the first line must name the columns, with t (or time) among them");
    table_.columns.resize(table_.names.size());
  }

  const std::string& file_;
  SeriesTable table_;
  std::size_t width_ = 0, time_ = 0;
};

}  // namespace

SeriesTable parse_series(std::string_view text, const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // spreadsheets begin files with it
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  SeriesParser parser(file);
  int line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    parser.add_line(text.substr(begin, end - begin), ++line);
    begin = end + 1;
  }
  return parser.take();
}

SeriesTable read_series(const std::string& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  require(!error, "the file '{}' cannot be read: {}", file, error.message());
  if (size > kMostBytes) throw LimitError(fmt::format("'{}' is larger than the limit of {} bytes", file, kMostBytes));
  std::ifstream stream(file, std::ios::binary);
  require(stream.good(), "the file '{}' cannot be read", file);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  return parse_series(text, file);
}

std::vector<InputSource> series_inputs(const SeriesTable& table, Interpolation interpolation) {
  std::vector<InputSource> sources;
  for (std::size_t i = 0; i < table.names.size(); ++i)
    sources.emplace_back(SeriesInput{table.names[i], table.t, table.columns[i], interpolation});
  return sources;
}

}  // namespace kane
