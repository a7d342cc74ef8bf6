#pragma once
// Lines of a file of 42: values separated by blanks, then a comment.

#include <string>
#include <string_view>
#include <vector>

#include "kane/base/error.hpp"

namespace kane {

/// One line that is not blank.
class FortyTwoLine {
 public:
  FortyTwoLine(std::string_view text, Where where) : text_(text), where_(std::move(where)) {}

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] const Where& where() const { return where_; }
  /// Place of a word, from 0.
  [[nodiscard]] Where where(std::size_t word) const;
  /// Comments and banner lines; '*' opens a section, '=' an entry.
  [[nodiscard]] bool starts_with(char c) const { return text_.front() == c; }

  /// The first `count` words. Throws ModelError if there are fewer, or no comment behind them: 42 would take the next line for it.
  [[nodiscard]] std::vector<std::string> words(std::size_t count, std::string_view what) const;
  /// Words of which the `count` from `first` are numbers.
  [[nodiscard]] std::vector<double> numbers(std::size_t count, std::string_view what) const;
  /// Word number `index` as a number. Throws ModelError.
  [[nodiscard]] double number(const std::vector<std::string>& words, std::size_t index, std::string_view what) const;
  /// The same for a count or an index from 0 to `most`.
  [[nodiscard]] std::size_t index(const std::vector<std::string>& words, std::size_t index, std::size_t most,
                                  std::string_view what) const;
  [[nodiscard]] bool flag(const std::vector<std::string>& words, std::size_t index) const;
  /// Numbers on the line before the first word that is none.
  [[nodiscard]] std::size_t leading_numbers() const;
  /// The text after '!'.
  [[nodiscard]] std::string comment() const;

  [[noreturn]] void fail(const std::string& message) const { throw ModelError(where_, message); }
  [[noreturn]] void fail(std::size_t word, const std::string& message) const { throw ModelError(where(word), message); }

 private:
  std::string text_;  ///< without blanks at its ends
  Where where_;       ///< of its first character
};

/// One section: a line with '*' and the lines up to the next one.
struct FortyTwoSection {
  std::string title;  ///< without the stars
  Where where;
  std::vector<FortyTwoLine> lines;

  /// Lines before the first entry.
  [[nodiscard]] std::vector<FortyTwoLine> head() const;
  /// Lines of the entries, each without its line of '='.
  [[nodiscard]] std::vector<FortyTwoSection> entries() const;
};

/// Consecutive lines with '*' open one section; the first section has what stands before all others.
[[nodiscard]] std::vector<FortyTwoSection> split_fortytwo(std::string_view text, const std::string& file_name);

}  // namespace kane
