#include "kane/formats/sdfast/sdfast_file.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "kane/base/suggest.hpp"
#include "kane/expr/number.hpp"
#include "kane/formats/text_check.hpp"
#include "kane/formats/yaml/yaml_tree.hpp"

namespace kane {

namespace {

/// The kind of value that may follow a key; some keys may stand alone.
enum class Value : std::uint8_t { Word, Numbers, Nothing, NumbersOrNothing };

struct KeyRow {
  std::string_view key;
  std::string_view means;
  Value value;
};

constexpr KeyRow kKeys[] = {
    {"gravity", "gravity", Value::Numbers},
    {"language", "language", Value::Word},
    {"prefix", "prefix", Value::Word},
    {"single", "single", Value::Nothing},
    {"double", "double", Value::Nothing},
    {"grounded", "grounded", Value::Nothing},
    {"stabvel", "stabvel", Value::Numbers},
    {"stabpos", "stabpos", Value::Numbers},
    {"body", "body", Value::Word},
    {"inboard", "inboard", Value::Word},
    {"inb", "inboard", Value::Word},
    {"joint", "joint", Value::Word},
    {"jname", "jname", Value::Word},
    {"mass", "mass", Value::Numbers},
    {"inertia", "inertia", Value::Numbers},
    {"bodytojoint", "bodytojoint", Value::Numbers},
    {"btj", "bodytojoint", Value::Numbers},
    {"inbtojoint", "inbtojoint", Value::Numbers},
    {"inboardtojoint", "inbtojoint", Value::Numbers},
    {"itj", "inbtojoint", Value::Numbers},
    {"pin", "pin", Value::Numbers},
    {"pins", "pin", Value::Numbers},
    {"inbpin", "pin", Value::Numbers},
    {"bodypin", "bodypin", Value::Numbers},
    {"inbref", "inbref", Value::Numbers},
    {"bodyref", "bodyref", Value::Numbers},
    {"prescribed", "prescribed", Value::NumbersOrNothing},
    {"constraint", "constraint", Value::Word},
    {"constraints", "constraints", Value::Numbers},
};

struct Token {
  std::string text;
  Where where;
};

class SdfastParser {
 public:
  SdfastParser(std::string_view text, const std::string& file, const SdfastLimits& limits) {
    if (text.size() > limits.max_bytes)
      throw LimitError({file},
                       fmt::format("the file is larger than {} bytes; this is the limit max_bytes", limits.max_bytes));
    check_text(text, file);
    scan(text, file);
  }

  std::vector<SdfastEntry> run() {
    while (next_ < tokens_.size()) entries_.push_back(read_entry());
    return std::move(entries_);
  }

 private:
  void scan(std::string_view text, const std::string& file) {
    int line = 1, column = 1;
    for (std::size_t i = 0; i < text.size();) {
      const char c = text[i];
      if (c == '\n') {
        ++line, column = 1, ++i;
      } else if (c == '#') {
        while (i < text.size() && text[i] != '\n') ++i;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',') {
        ++i, ++column;
      } else if (c == '=') {
        tokens_.push_back({"=", {file, line, column}});
        ++i, ++column;
      } else {
        std::size_t end = i;
        while (end < text.size() && std::isspace(static_cast<unsigned char>(text[end])) == 0 && text[end] != '=' &&
               text[end] != '#' && text[end] != ',')
          ++end;
        tokens_.push_back({std::string(text.substr(i, end - i)), {file, line, column}});
        column += static_cast<int>(end - i);
        i = end;
      }
    }
  }

  [[nodiscard]] bool is_key(std::size_t i) const {
    return i + 1 < tokens_.size() && tokens_[i + 1].text == "="
               ? true
               : i < tokens_.size() && find(tokens_[i].text) != nullptr;
  }

  static std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  }

  static const KeyRow* find(const std::string& text) {
    const std::string key = lower(text);
    for (const KeyRow& row : kKeys)
      if (row.key == key) return &row;
    return nullptr;
  }

  SdfastEntry read_entry() {
    const Token& first = tokens_[next_];
    const KeyRow* row = find(first.text);
    if (row == nullptr) {
      std::vector<std::string> known;
      for (const KeyRow& r : kKeys) known.emplace_back(r.key);
      throw ModelError(first.where, fmt::format("a keyword of SD/FAST is expected here, but '{}' is given{}",
                                                shown(first.text), suggestion(lower(first.text), known)));
    }
    ++next_;
    SdfastEntry entry;
    entry.key = row->means;
    entry.where = entry.value_where = first.where;
    const bool assigned = next_ < tokens_.size() && tokens_[next_].text == "=";
    if (assigned) ++next_;
    if (!assigned && row->value != Value::Nothing && row->value != Value::NumbersOrNothing)
      throw ModelError(first.where, fmt::format("'{}' needs a value: {} = ...", first.text, first.text));
    if (assigned && row->value == Value::Nothing)
      throw ModelError(first.where, fmt::format("'{}' stands alone, without a value", first.text));
    if (!assigned) return entry;
    if (next_ < tokens_.size()) entry.value_where = tokens_[next_].where;
    if (row->value == Value::Word) {
      if (next_ >= tokens_.size() || tokens_[next_].text == "=")
        throw ModelError(first.where, fmt::format("a word is expected after '{} ='", first.text));
      entry.word = tokens_[next_++].text;
      return entry;
    }
    while (next_ < tokens_.size() && !is_key(next_)) entry.numbers.push_back(read_number(tokens_[next_++]));
    if (entry.numbers.empty())
      throw ModelError(first.where, fmt::format("numbers are expected after '{} ='", first.text));
    return entry;
  }

  static SdfastNumber read_number(const Token& token) {
    SdfastNumber number;
    number.where = token.where;
    std::string text = token.text;
    if (text.ends_with('?')) {
      number.parameter = true;
      text.pop_back();
      number.given = !text.empty();
      if (text.empty()) return number;
    }
    const auto value = find_decimal(text);
    if (!value || !std::isfinite(to_double(*value)))
      throw ModelError(token.where, fmt::format("a number is expected here, but '{}' is given", shown(token.text)));
    number.value = to_double(*value);
    return number;
  }

  std::vector<Token> tokens_;
  std::vector<SdfastEntry> entries_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<SdfastEntry> parse_sdfast(std::string_view text, const std::string& file_name, const SdfastLimits& limits) {
  return SdfastParser(text, file_name, limits).run();
}

}  // namespace kane
