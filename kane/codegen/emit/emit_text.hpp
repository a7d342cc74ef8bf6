#pragma once
// Lines of source text: indented, and broken where a language has a limit.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kane/codegen/emit/emit_dialect.hpp"

namespace kane {

class SourceText {
 public:
  explicit SourceText(const Dialect& dialect) : dialect_(dialect) {}

  /// One line; braces in `line` are literal.
  void raw(std::string_view line);
  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    raw(fmt::format(text, std::forward<Args>(args)...));
  }
  void blank() { text_ += '\n'; }
  void comment(std::string_view text);
  /// A list of names in comment lines.
  void comment_list(std::string_view head, const std::vector<std::string>& items);
  /// Several lines, each ended by a line feed (optional for the last one); broken as raw() does.
  void lines(std::string_view text);
  /// The same, never broken.
  void block(std::string_view text);
  void in() { ++depth_; }
  void out() { --depth_; }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void put(std::string_view line, std::size_t depth);

  const Dialect& dialect_;
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace kane
