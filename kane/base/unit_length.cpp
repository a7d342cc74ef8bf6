// Where a unit inside an expression ends.

#include <algorithm>
#include <cctype>

#include "kane/base/units.hpp"

namespace kane {

namespace {

constexpr std::string_view kMiddleDot = "\xC2\xB7";
constexpr std::string_view kSquare = "\xC2\xB2";
constexpr std::string_view kCube = "\xC2\xB3";

class UnitScanner {
 public:
  UnitScanner(std::string_view text, const std::function<bool(std::string_view)>& is_name, const Where& where)
      : text_(text), is_name_(is_name), where_(where) {}

  std::size_t run() {
    if (text_.starts_with("1") && next_is(after_spaces(1), "/")) {  // 5 1/s
      position_ = 1;
      if (!next_factor()) return 0;
    } else if (!take_word(word_at(0))) {
      return 0;
    }
    for (;;) {
      const std::size_t end = position_;
      if (!next_factor()) return end;
    }
  }

 private:
  static constexpr int kMaxDepth = 8;

  /// A name as expressions have them, or letters beyond ASCII, or '%'.
  [[nodiscard]] std::string_view word_at(std::size_t start) const {
    std::size_t end = start;
    if (next_is(end, "%")) return text_.substr(start, 1);
    while (end < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[end]);
      const bool beyond = c >= 0x80U && !next_is(end, kMiddleDot) && !next_is(end, kSquare) && !next_is(end, kCube);
      const bool dot = c == '.' && end > start && end + 1 < text_.size() &&
                       std::isalpha(static_cast<unsigned char>(text_[end + 1])) != 0;
      const bool later = end > start && (std::isdigit(c) != 0 || c == '\'');
      if (!beyond && !dot && !later && std::isalpha(c) == 0 && c != '_') break;
      ++end;
      while (beyond && end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0U) == 0x80U) ++end;
    }
    return text_.substr(start, end - start);
  }

  bool take_word(std::string_view word) {
    const auto dimension = find_unit_dimension(word);
    if (!dimension) return false;
    used_.push_back(*dimension);
    position_ = static_cast<std::size_t>(word.data() - text_.data()) + word.size();
    take_exponent();
    return true;
  }

  void take_exponent() {
    if (next_is(position_, kSquare) || next_is(position_, kCube)) {
      position_ += kSquare.size();
      return;
    }
    std::size_t p = after_spaces(position_);
    if (next_is(p, "**"))
      p += 2;
    else if (next_is(p, "^"))
      p += 1;
    else
      return;
    p = after_spaces(p);
    const bool group = next_is(p, "(");
    if (group) ++p;
    if (next_is(p, "-")) ++p;
    const std::size_t digits = p;
    while (p < text_.size() && std::isdigit(static_cast<unsigned char>(text_[p])) != 0) ++p;
    if (p == digits || (group && !next_is(p, ")")))
      fail(position_,
           "the exponent of a unit must be a whole number; write the quantity in parentheses, (2 m)^n, to "
           "raise it as a whole");
    position_ = group ? p + 1 : p;
  }

  /// "*m", "/s", " m", "/(m/s)" if they belong to the unit.
  bool next_factor() {
    std::size_t p = after_spaces(position_);
    bool spaced = p > position_;
    const bool sign = next_is(p, "*") ? !next_is(p, "**") : next_is(p, "/") || next_is(p, kMiddleDot);
    if (sign) {
      p += next_is(p, kMiddleDot) ? kMiddleDot.size() : 1;
      const std::size_t after = after_spaces(p);
      spaced = spaced || after > p;
      p = after;
      if (next_is(p, "(")) return take_group(p);
    }
    const std::string_view word = word_at(p);
    const auto dimension = find_unit_dimension(word);
    if (!dimension || text_.substr(p + word.size()).starts_with("(")) return false;
    if (sign && is_name_(word)) {
      const bool repeated = std::find(used_.begin(), used_.end(), *dimension) != used_.end();
      if (word == "t" || (spaced && repeated)) return false;  // 2 m/s*t, 2 kg * g
      if (spaced || repeated) fail_ambiguous(p, word);
    }
    return take_word(word);
  }

  /// A divisor or factor in parentheses is part of the unit if it contains units only; if all of them are names of the
  /// model, too, the text is ambiguous.
  bool take_group(std::size_t open) {
    std::size_t p = open, depth = 0;
    std::vector<std::string_view> words;
    for (; p < text_.size(); ++p) {
      const char c = text_[p];
      if (c == '(' && ++depth > kMaxDepth) return false;
      if (c == ')' && --depth == 0) break;
      const std::string_view word = word_at(p);
      if (!word.empty()) {
        if (!find_unit_dimension(word)) return false;
        words.push_back(word);
        p += word.size() - 1;
      } else if (std::string_view("()*/^- \t0123456789").find(c) == std::string_view::npos) {
        return false;
      }
    }
    if (p >= text_.size() || words.empty()) return false;
    try {
      (void)parse_unit(text_.substr(open, p + 1 - open));
    } catch (const ModelError&) {
      return false;
    }
    if (std::all_of(words.begin(), words.end(), is_name_)) fail_ambiguous(open, text_.substr(open, p + 1 - open));
    position_ = p + 1;
    take_exponent();
    return true;
  }

  [[nodiscard]] bool next_is(std::size_t p, std::string_view word) const {
    return p < text_.size() && text_.substr(p).starts_with(word);
  }
  [[nodiscard]] std::size_t after_spaces(std::size_t p) const {
    while (p < text_.size() && std::isspace(static_cast<unsigned char>(text_[p])) != 0) ++p;
    return p;
  }

  [[noreturn]] void fail_ambiguous(std::size_t p, std::string_view word) const {
    const std::string_view unit = text_.substr(0, position_);
    fail(p, fmt::format("'{}' could be a unit or a name of the model here: put the number and its unit in parentheses, "
                        "'(2 {})*{}', to mean the name, or write the whole unit without spaces to mean the unit",
                        word, unit, word));
  }
  [[noreturn]] void fail(std::size_t p, const std::string& message) const {
    Where place = where_;
    if (place.line != 0 && place.column != 0) place.column += static_cast<int>(p);
    throw ModelError(place, message);
  }

  std::string_view text_;
  const std::function<bool(std::string_view)>& is_name_;
  Where where_;
  std::size_t position_ = 0;
  std::vector<Dimension> used_;
};

}  // namespace

std::size_t unit_length(std::string_view text, const std::function<bool(std::string_view)>& is_name,
                        const Where& where) {
  return UnitScanner(text, is_name, where).run();
}

bool is_unit_factor(std::string_view word) {
  static constexpr std::string_view kWords[] = {"deg", "rad", "rev", "turn", "rpm", "arcmin", "arcsec", "Hz",
                                                "kg",  "lb",  "mm",  "cm",   "km",  "inch",   "ft",     "ms",
                                                "kN",  "Nm",  "lbf", "MPa",  "GPa", "kPa",    "mph",    "kph"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

}  // namespace kane
