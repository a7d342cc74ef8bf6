#include "kane/formats/matrix_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "kane/base/error.hpp"

namespace kane {
namespace {

/// Lines of words.
class MatrixText {
 public:
  MatrixText(const std::string& text, const std::string& name) : text_(text), name_(name) {}

  /// The next line that is not empty and does not begin with `comment`; false at the end.
  bool next(char comment) {
    while (position_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', position_), text_.size());
      line_ = std::string_view(text_).substr(position_, end - position_);
      position_ = end + 1;
      ++number_;
      line_ = line_.substr(0, comment == '#' ? line_.find('#') : line_.size());
      if (line_.find_first_not_of(" \t\r,") != std::string_view::npos && line_.front() != comment) return true;
    }
    return false;
  }
  [[nodiscard]] std::string_view line() const { return line_; }

  std::string_view word() {
    const std::size_t from = std::min(line_.find_first_not_of(" \t\r,;"), line_.size());
    line_.remove_prefix(from);
    const std::string_view w = line_.substr(0, line_.find_first_of(" \t\r,;"));
    line_.remove_prefix(w.size());
    return w;
  }
  double number(const char* what) {
    std::string_view w = word();
    if (!w.empty() && w.front() == '+') w.remove_prefix(1);
    double value = 0;
    const auto end = std::from_chars(w.data(), w.data() + w.size(), value);
    if (w.empty() || end.ec != std::errc{} || end.ptr != w.data() + w.size() || !std::isfinite(value))
      fail(fmt::format("{} must be a number, but '{}' is there", what, std::string(w.substr(0, 30))));
    return value;
  }
  int integer(const char* what, int least, int most) {
    const double v = number(what);
    if (v != std::floor(v) || v < least || v > most)
      fail(fmt::format("{} is {}; it must be an integer from {} to {}", what, v, least, most));
    return static_cast<int>(v);
  }
  void end_line() {
    const std::string_view more = word();
    if (!more.empty()) fail(fmt::format("'{}' is one word too many", std::string(more.substr(0, 30))));
  }
  [[noreturn]] void fail(const std::string& message) const { throw ModelError(Where{name_, number_, 1}, message); }

 private:
  const std::string& text_;
  std::string name_;
  std::string_view line_;
  std::size_t position_ = 0;
  int number_ = 0;
};

std::string lower_case(std::string_view text) {
  std::string r(text);
  std::transform(r.begin(), r.end(), r.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return r;
}

}  // namespace

SparseEntries read_matrix_market(const std::string& text, const std::string& name) {
  MatrixText in(text, name);
  if (!in.next('\0') || lower_case(in.word()) != "%%matrixmarket")
    in.fail("this is not a Matrix Market file: its first line must begin with '%%MatrixMarket matrix coordinate'");
  const std::string object = lower_case(in.word()), format = lower_case(in.word()), field = lower_case(in.word()),
                    symmetry = lower_case(in.word());
  if (object != "matrix" || format != "coordinate" || (field != "real" && field != "integer" && field != "double") ||
      (symmetry != "symmetric" && symmetry != "general"))
    in.fail(fmt::format("'{} {} {} {}' is not supported; write 'matrix coordinate real symmetric', or 'general'",
                        object, format, field, symmetry));
  if (!in.next('%')) in.fail("the line with the numbers of rows, columns and entries is missing");
  const int rows = in.integer("the number of rows", 1, static_cast<int>(kMostMatrixRows));
  const int columns = in.integer("the number of columns", 1, static_cast<int>(kMostMatrixRows));
  if (rows != columns) in.fail(fmt::format("the matrix has {} rows and {} columns; it must be square", rows, columns));
  const int entries = in.integer("the number of entries", 0, 2000000000);
  in.end_line();
  SparseEntries m;
  m.size = static_cast<std::size_t>(rows);
  const auto add = [&](int i, int j, double v) { m.row.push_back(i), m.column.push_back(j), m.value.push_back(v); };
  for (int k = 0; k < entries; ++k) {
    if (!in.next('%')) in.fail(fmt::format("the file ends after {} of {} entries", k, entries));
    const int i = in.integer("the row", 1, rows) - 1, j = in.integer("the column", 1, rows) - 1;
    const double v = in.number("the entry");
    in.end_line();
    add(i, j, v);
    if (symmetry == "symmetric" && i != j) add(j, i, v);
  }
  if (in.next('%')) in.fail(fmt::format("there are more than the {} entries that were announced", entries));
  return m;
}

NodeList read_node_list(const std::string& text, const std::string& name) {
  MatrixText in(text, name);
  NodeList list;
  std::set<int> known;
  while (in.next('#')) {
    const int number = in.integer("the number of a node", 0, 2000000000);
    if (!known.insert(number).second) in.fail(fmt::format("there is already a node {}", number));
    list.number.push_back(number);
    Vec3 at;
    at.x = in.number("x"), at.y = in.number("y"), at.z = in.number("z");
    in.end_line();
    list.at.push_back(at);
    if (list.at.size() > kMostMatrixRows) in.fail(fmt::format("there are more than {} nodes", kMostMatrixRows));
  }
  return list;
}

}  // namespace kane
