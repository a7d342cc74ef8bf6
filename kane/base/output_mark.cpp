#include "kane/base/output_mark.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>

namespace kane {

namespace {

constexpr std::size_t kLookedAt = 1U << 16U;  // bytes at the beginning of a file

[[maybe_unused]] std::string mark_of(const struct stat& file) {
  return fmt::format("1 {} {}", file.st_size, file.st_mtime);
}

/// Whether the mark still fits the file; nothing if there is no mark.
std::optional<bool> read_mark([[maybe_unused]] const std::string& file, [[maybe_unused]] const struct stat& now) {
#ifdef __linux__
  char text[64] = {};
  const ssize_t size = ::getxattr(file.c_str(), "user.kane", text, sizeof text - 1);
  if (size < 0) return {};
  long long bytes = -1, changed = -1;
  if (std::sscanf(text, "1 %lld %lld", &bytes, &changed) != 2) return false;
  // Some systems set the time when the file is closed, a little later than the mark.
  return bytes == static_cast<long long>(now.st_size) &&
         std::llabs(changed - static_cast<long long>(now.st_mtime)) <= 2;
#else
  return {};
#endif
}

/// Whether a cell of a table is a number exactly as CsvWriter prints it; `digits`: of its digits.
bool is_own_number(const std::string& cell, std::size_t& digits) {
  char* rest = nullptr;
  const double value = std::strtod(cell.c_str(), &rest);
  if (cell.empty() || *rest != '\0') return false;
  digits =
      static_cast<std::size_t>(std::count_if(cell.begin(), cell.end(), [](char c) { return c >= '0' && c <= '9'; }));
  return fmt::format("{:.17g}", value) == cell;
}

template <class Use>
bool for_each_cell(std::string_view line, Use use) {
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    if (!use(std::string(line.substr(begin, end - begin)))) return false;
    begin = end + 1;
  }
  return true;
}

/// A line of names, and whole lines of numbers in Kane's own form. Round numbers have that form by chance, so one with all
/// its digits must be among them.
bool is_own_table(std::string_view head, bool whole) {
  if (head.find_first_of(std::string_view("\0\r", 2)) != std::string_view::npos) return false;
  bool names = true, some = false, only_names = true;
  for (std::size_t begin = 0; begin < head.size();) {
    const std::size_t end = head.find('\n', begin);
    if (end == std::string_view::npos) return !whole && (some || only_names);
    const std::string_view line = head.substr(begin, end - begin);
    begin = end + 1;
    std::size_t digits = 0;
    if (names) {
      if (!for_each_cell(line, [&](const std::string& cell) { return !cell.empty() && !is_own_number(cell, digits); }))
        return false;
      names = false;
      continue;
    }
    only_names = false;
    if (!for_each_cell(line, [&](const std::string& cell) {
          const bool own = is_own_number(cell, digits);
          some = some || (own && digits >= 16);
          return own;
        }))
      return false;
  }
  return some;
}

}  // namespace

void mark_output([[maybe_unused]] int descriptor) {
#ifdef __linux__
  struct stat now {};
  if (::fstat(descriptor, &now) != 0) return;
  const std::string text = mark_of(now);
  (void)!::fsetxattr(descriptor, "user.kane", text.data(), text.size(), 0);
#endif
}

void mark_output(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  mark_output(descriptor);
  ::close(descriptor);
}

bool may_replace(const std::string& file) {
  struct stat now {};
  if (::stat(file.c_str(), &now) != 0 || !S_ISREG(now.st_mode) || now.st_size == 0) return true;
  if (const auto marked = read_mark(file, now)) return *marked;
  std::ifstream in(file, std::ios::binary);
  std::string head(kLookedAt, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  const bool whole = head.size() == static_cast<std::size_t>(now.st_size);
  return head.find(kOutputWords) != std::string::npos || is_own_table(head, whole);
}

std::string file_stem(std::string_view name) {
  constexpr std::size_t kMostBytes = 100;
  constexpr std::string_view kUnwanted = "/\\:*?\"<>|";
  std::string stem;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    stem += byte < 0x20 || byte == 0x7f || kUnwanted.find(c) != std::string_view::npos ? '_' : c;
  }
  if (!stem.empty() && std::string_view("./\\- ").find(name.front()) != std::string_view::npos)
    stem.erase(0, stem.find_first_not_of("._- "));  // "../x" gives x
  if (stem.size() > kMostBytes) {
    std::size_t end = kMostBytes;
    while (end > 0 && (static_cast<unsigned char>(stem[end]) & 0xC0U) == 0x80U) --end;  // not within a letter
    stem.resize(end);
  }
  return stem.find_first_not_of("_ ") == std::string::npos ? "model" : stem;
}

}  // namespace kane
