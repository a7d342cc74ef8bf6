#include "kane/base/identifier.hpp"

#include <fmt/format.h>

#include <cstddef>
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
      if (id.empty() || id.back() != '_') id += '_';
      id += fmt::format("u{:x}", next_code_point(name, at));
    }
  }
  while (!id.empty() && id.back() == '_') id.pop_back();
  const std::size_t start = id.find_first_not_of('_');
  id.erase(0, start == std::string::npos ? id.size() : start);
  if (id.empty()) return "x";
  return is_letter(id.front()) ? id : "x" + id;
}

}  // namespace kane
