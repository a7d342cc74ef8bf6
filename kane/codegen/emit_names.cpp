#include "kane/codegen/emit_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace kane {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Code point at `at`, which moves on; bytes that are not UTF-8 stand for themselves.
std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(at++);
  const std::size_t more = first >= 0xf8 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  if (more == 0 || at + more > text.size()) return first;
  std::uint32_t code = first & (0x3fU >> more);
  for (std::size_t i = 0; i < more; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80U) return first;
    code = code << 6U | (byte(at + i) & 0x3fU);
  }
  at += more;
  return code;
}

}  // namespace

std::string identifier_of(std::string_view name) {
  std::string id;
  for (std::size_t at = 0; at < name.size();) {
    const char c = name[at];
    if (c == '\'') {
      std::size_t primes = 0;
      for (; at < name.size() && name[at] == '\''; ++at) ++primes;
      id += '_' + std::string(primes - 1, 'd') + "dot";
    } else if (is_letter(c) || is_digit(c)) {
      id += c;
      ++at;
    } else if (static_cast<std::uint8_t>(c) < 0x80) {
      if (!id.empty() && id.back() != '_') id += '_';
      ++at;
    } else {
      id += fmt::format("_u{:x}", next_code_point(name, at));
    }
  }
  while (!id.empty() && id.back() == '_') id.pop_back();
  const std::size_t start = id.find_first_not_of('_');
  id.erase(0, start == std::string::npos ? id.size() : start);
  if (id.empty()) return "x";
  return is_letter(id.front()) ? id : "x" + id;
}

NameTable::NameTable(const NamingRules& rules) : rules_(rules) {
  for (const std::string_view word : rules.reserved) taken_.insert(key(word));
}

std::string NameTable::key(std::string_view identifier) const {
  std::string k(identifier);
  if (rules_.ignores_case)
    std::transform(k.begin(), k.end(), k.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return k;
}

std::string NameTable::add(std::string_view name) {
  std::string id = identifier_of(name);
  if (id.size() > rules_.max_length) id.resize(rules_.max_length);
  for (int n = 2; !taken_.insert(key(id)).second; ++n) {
    const std::string tail = "_" + std::to_string(n);
    id = identifier_of(name).substr(0, rules_.max_length - tail.size()) + tail;
  }
  return id;
}

bool NameTable::has_numbered(std::string_view prefix) const {
  const std::string wanted = key(prefix);
  return std::any_of(taken_.begin(), taken_.end(), [&](const std::string& id) {
    return id.size() > wanted.size() && id.compare(0, wanted.size(), wanted) == 0 &&
           std::all_of(id.begin() + static_cast<std::ptrdiff_t>(wanted.size()), id.end(), is_digit);
  });
}

std::string harmless(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if (static_cast<std::uint8_t>(c) < 0x20 || c == 0x7f || c == '*' || c == '\\' || c == '{' || c == '}') c = '?';
  return text;
}

std::string quoted(std::string_view name, char quote, bool by_backslash) {
  std::string text(1, quote);
  for (char c : name) {
    if (static_cast<std::uint8_t>(c) < 0x20 || c == 0x7f) c = '?';
    if (c == quote) text += by_backslash ? '\\' : quote;
    if (c == '\\' && by_backslash) text += '\\';
    text += c;
  }
  return text + quote;
}

}  // namespace kane
