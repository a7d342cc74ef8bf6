#include "kane/formats/fortytwo/fortytwo_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "kane/formats/yaml/yaml_tree.hpp"

namespace kane {

namespace {

constexpr std::string_view kFortyTwoBlanks = " \t\r\f\v";

struct FortyTwoWord {
  std::string_view text;
  std::size_t column;  ///< from 0
};

std::vector<FortyTwoWord> split_words(std::string_view line) {
  std::vector<FortyTwoWord> words;
  std::size_t i = line.find_first_not_of(kFortyTwoBlanks);
  while (i != std::string_view::npos) {
    std::size_t end = line.find_first_of(kFortyTwoBlanks, i);
    if (line[i] == '"') {  // the label may hold blanks
      const std::size_t close = line.find('"', i + 1);
      if (close != std::string_view::npos) end = close + 1;
    }
    if (end == std::string_view::npos || end > line.size()) end = line.size();
    words.push_back({line.substr(i, end - i), i});
    i = line.find_first_not_of(kFortyTwoBlanks, end);
  }
  return words;
}

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

Where FortyTwoLine::where(std::size_t word) const {
  const auto words = split_words(text_);
  Where place = where_;
  if (word < words.size()) place.column += static_cast<int>(words[word].column);
  return place;
}

std::vector<std::string> FortyTwoLine::words(std::size_t count, std::string_view what) const {
  const auto all = split_words(text_);
  const auto is_comment = [](const FortyTwoWord& w) { return w.text.starts_with('!'); };
  const auto given = static_cast<std::size_t>(std::find_if(all.begin(), all.end(), is_comment) - all.begin());
  if (given < count)
    fail(fmt::format("the line for {} needs {} value{}, but has {}", what, count, count == 1 ? "" : "s", given));
  if (all.size() == count)
    fail(fmt::format("the line for {} has no comment after its values; 42 would take the next line for it", what));
  std::vector<std::string> result;
  for (std::size_t i = 0; i < count; ++i) result.emplace_back(all[i].text);
  return result;
}

double FortyTwoLine::number(const std::vector<std::string>& words, std::size_t index, std::string_view what) const {
  const auto value = number_of(words[index]);
  if (!value) fail(index, fmt::format("'{}' is not a number ({} is expected here)", shown(words[index]), what));
  return *value;
}

std::vector<double> FortyTwoLine::numbers(std::size_t count, std::string_view what) const {
  const auto given = words(count, what);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(number(given, i, what));
  return values;
}

std::size_t FortyTwoLine::index(const std::vector<std::string>& words, std::size_t index, std::size_t most,
                                std::string_view what) const {
  const double value = number(words, index, what);
  if (value < 0 || value > static_cast<double>(most) || value != std::floor(value))
    fail(index, fmt::format("'{}' is not {}, a whole number from 0 to {}", words[index], what, most));
  return static_cast<std::size_t>(value);
}

bool FortyTwoLine::flag(const std::vector<std::string>& words, std::size_t index) const {
  std::string word = words[index];
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::toupper(c); });
  if (word != "TRUE" && word != "FALSE")
    fail(index, fmt::format("'{}' is neither TRUE nor FALSE", shown(words[index])));
  return word == "TRUE";
}

std::size_t FortyTwoLine::leading_numbers() const {
  std::size_t count = 0;
  for (const FortyTwoWord& word : split_words(text_)) {
    if (!number_of(word.text)) break;
    ++count;
  }
  return count;
}

std::string FortyTwoLine::comment() const {
  const std::size_t mark = text_.find('!');
  return mark == std::string::npos ? "" : text_.substr(mark + 1);
}

std::vector<FortyTwoLine> FortyTwoSection::head() const {
  const auto is_entry = [](const FortyTwoLine& l) { return l.starts_with('='); };
  return {lines.begin(), std::find_if(lines.begin(), lines.end(), is_entry)};
}

std::vector<FortyTwoSection> FortyTwoSection::entries() const {
  std::vector<FortyTwoSection> result;
  for (const FortyTwoLine& line : lines) {
    if (line.starts_with('='))
      result.push_back({std::string(line.text()), line.where(), {}});
    else if (!result.empty())
      result.back().lines.push_back(line);
  }
  return result;
}

std::vector<FortyTwoSection> split_fortytwo(std::string_view text, const std::string& file_name) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<FortyTwoSection> sections{{"", {file_name, 1, 1}, {}}};
  bool open = false;  // the last line had stars
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const std::size_t first = line.find_first_not_of(kFortyTwoBlanks);
    if (first == std::string_view::npos) continue;
    line = line.substr(first, line.find_last_not_of(kFortyTwoBlanks) - first + 1);
    const Where where{file_name, number, static_cast<int>(first) + 1};
    if (line.front() != '*') {
      sections.back().lines.emplace_back(line, where);
      open = false;
      continue;
    }
    const std::size_t begin = line.find_first_not_of("* \t");
    const std::size_t last = line.find_last_not_of("* \t");
    const std::string title(begin == std::string_view::npos ? "" : line.substr(begin, last - begin + 1));
    if (!open) sections.push_back({title, where, {}});
    if (sections.back().title.empty()) sections.back().title = title;
    open = true;
  }
  return sections;
}

}  // namespace kane
