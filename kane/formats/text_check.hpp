#pragma once
// Rejects binary files and text in other encodings before they are parsed.

#include <string>
#include <string_view>

namespace kane {

/// Throws ModelError with the place of the first byte that is not text in UTF-8.
void check_text(std::string_view text, const std::string& file);

}  // namespace kane
