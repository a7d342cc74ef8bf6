#include "kane/formats/autolev/fortran_form.hpp"

#include <algorithm>

namespace kane::autolev {

namespace {

constexpr std::size_t kWidth = 66;  // columns 7 to 72

std::string_view without_blanks(std::string_view line) {
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

/// Ends a line before a comment; `quote` is the sign of the character constant that is open, or 0.
std::string_view without_comment(std::string_view line, char& quote) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '!') {
      return without_blanks(line.substr(0, i));
    }
  }
  return line;
}

/// Writes one statement. It is broken at blanks outside of character constants, or where the line is full: there both forms
/// go on with the next character.
void write_statement(std::string_view statement, std::string& to) {
  bool first = true;
  while (!statement.empty()) {
    to += first ? "      " : "     &";
    first = false;
    if (statement.size() <= kWidth) {
      to += statement;
      to += '\n';
      return;
    }
    std::size_t end = 0;
    char quote = 0;
    for (std::size_t i = 0; i < kWidth; ++i) {
      const char c = statement[i];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == ' ') {
        end = i + 1;
      }
    }
    if (end < kWidth / 2) end = kWidth;
    to += statement.substr(0, end);
    to.append(kWidth - end, ' ');
    to += "&\n";
    statement.remove_prefix(end);
  }
}

}  // namespace

std::string in_both_forms(std::string_view free_form) {
  std::string result, statement;
  char quote = 0;
  for (std::size_t begin = 0; begin < free_form.size();) {
    const std::size_t end = std::min(free_form.find('\n', begin), free_form.size());
    std::string_view line = without_blanks(free_form.substr(begin, end - begin));
    begin = end + 1;
    if (statement.empty() && (line.empty() || line.front() == '!')) {
      result += line;
      result += '\n';
      continue;
    }
    if (!statement.empty() && line.starts_with('&')) line.remove_prefix(1);
    line = without_comment(line, quote);
    if (line.ends_with('&')) {
      statement += line.substr(0, line.size() - 1);
      continue;
    }
    statement += line;
    write_statement(statement, result);
    statement.clear();
    quote = 0;
  }
  write_statement(statement, result);
  return result;
}

}  // namespace kane::autolev
