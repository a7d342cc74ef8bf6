#include "kane/codegen/emit/emit_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <sstream>

namespace kane {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

NameTable::NameTable(const NamingRules& rules) : rules_(rules) {
  std::istringstream words{std::string(rules.reserved)};
  for (std::string word; words >> word;) taken_.insert(key(word));
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

std::string quoted(std::string_view name, char quote, bool by_backslash, char also) {
  std::string text(1, quote);
  for (char c : name) {
    if (static_cast<std::uint8_t>(c) < 0x20 || c == 0x7f) c = '?';
    if (c == quote) text += by_backslash ? '\\' : quote;
    if (by_backslash && (c == '\\' || (also != 0 && c == also))) text += '\\';
    text += c;
  }
  return text + quote;
}

}  // namespace kane
