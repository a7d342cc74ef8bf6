#include "kane/expr/infix.hpp"

#include <algorithm>
#include <cctype>

#include "kane/base/at.hpp"

namespace kane {
namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Unary minus binds between * and ^.
constexpr InfixBinary kBinary[] = {{"or", 1}, {"and", 2}, {"<", 4},       {"<=", 4},      {">", 4},
                                   {">=", 4}, {"==", 4},  {"!=", 4},      {"+", 5},       {"-", 5},
                                   {"*", 6},  {"/", 6},   {"^", 8, true}, {"**", 8, true}};

/// Length of the UTF-8 character at the beginning of `text`; 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf5 || first < 0xc2 ? 0 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  return length;
}

}  // namespace

void InfixText::skip_number() {
  while (is_digit(peek(position_))) ++position_;
  if (peek(position_) == '.') {
    ++position_;
    while (is_digit(peek(position_))) ++position_;
  }
  if (peek(position_) == 'e' || peek(position_) == 'E') {
    const std::size_t sign = peek(position_ + 1) == '-' || peek(position_ + 1) == '+' ? 1 : 0;
    if (is_digit(peek(position_ + 1 + sign))) {
      position_ += 1 + sign;
      while (is_digit(peek(position_))) ++position_;
    }
  }
}

void InfixText::skip_name() {
  while (is_name_part(peek(position_)) || (peek(position_) == '.' && is_name_start(peek(position_ + 1)))) ++position_;
  while (peek(position_) == '\'') ++position_;
}

InfixToken InfixText::next() {
  while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
  const std::size_t start = position_;
  if (start == text_.size()) return {InfixTokenKind::End, text_.substr(start, 0)};
  const char c = text_[start];
  InfixTokenKind kind = InfixTokenKind::Sign;
  if (is_digit(c) || (c == '.' && is_digit(peek(start + 1)))) {
    kind = InfixTokenKind::Number;
    skip_number();
  } else if (is_name_start(c)) {
    kind = InfixTokenKind::Name;
    skip_name();
  } else {
    ++position_;
    const std::string_view two = text_.substr(start, 2);
    if (two == "<=" || two == ">=" || two == "==" || two == "!=" || two == "**") ++position_;
    if (std::string_view("+-*/^()<>,=!").find(c) == std::string_view::npos) {
      kind = InfixTokenKind::Bad;
      position_ = start + std::max<std::size_t>(1, character_length(text_.substr(start)));
    }
  }
  return {kind, text_.substr(start, position_ - start)};
}

Where InfixText::where(std::string_view piece) const {
  Where place = where_;
  if (place.line != 0 && place.column == 0) return place;  // all that is known is the line, as for text in C++ sources
  if (place.line == 0) place.line = 1;
  if (place.column == 0) place.column = 1;
  for (const char c : text_.substr(0, at(piece.data() - text_.data()))) {
    if (c == '\n')
      ++place.line, place.column = 1;
    else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U)  // columns count characters, not bytes of UTF-8
      ++place.column;
  }
  return place;
}

std::string InfixText::printable(std::string_view piece, std::size_t longest) {
  std::string shown;
  std::size_t i = 0;
  while (i < piece.size() && shown.size() < longest) {
    const std::size_t length = character_length(piece.substr(i));
    if (length == 0 || std::iscntrl(static_cast<unsigned char>(piece[i])) != 0)
      shown += '?';
    else
      shown += piece.substr(i, length);
    i += std::max<std::size_t>(1, length);
  }
  return i < piece.size() ? shown + "..." : shown;
}

const InfixBinary* InfixText::find_binary(std::string_view sign) {
  for (const auto& b : kBinary)
    if (b.text == sign) return &b;
  return nullptr;
}

}  // namespace kane
