#include "kane/formats/text_check.hpp"

#include <fmt/format.h>

#include "kane/base/error.hpp"

namespace kane {

namespace {

/// Length of the UTF-8 sequence at `i`, or 0 if there is none.
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char c = byte(i);
  if (c < 0x80U) return 1;
  const std::size_t length = c >= 0xF0U && c < 0xF5U   ? 4
                             : c >= 0xE0U && c < 0xF0U ? 3
                             : c >= 0xC2U && c < 0xE0U ? 2
                                                       : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(i + k) & 0xC0U) != 0x80U) return 0;
  if (c == 0xE0U && byte(i + 1) < 0xA0U) return 0;
  if (c == 0xEDU && byte(i + 1) >= 0xA0U) return 0;
  if (c == 0xF0U && byte(i + 1) < 0x90U) return 0;
  if (c == 0xF4U && byte(i + 1) >= 0x90U) return 0;
  return length;
}

}  // namespace

void check_text(std::string_view text, const std::string& file) {
  int line = 1;
  int column = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = c < 0x20U && c != '\n' && c != '\r' && c != '\t';
    if (length == 0 || control || c == 0x7FU)
      throw ModelError({file, line, column},
                       fmt::format("the file is not text in UTF-8: byte 0x{:02x} at offset {}", c, i));
    i += length;
    column = c == '\n' ? 1 : column + 1;
    if (c == '\n') ++line;
  }
}

}  // namespace kane
