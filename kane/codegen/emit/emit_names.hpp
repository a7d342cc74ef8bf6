#pragma once
// Names of a model as identifiers of a language.

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

#include "kane/base/identifier.hpp"

namespace kane {

struct NamingRules {
  std::string_view reserved = "";  ///< words separated by white space
  bool ignores_case = false;
  std::size_t max_length = 200;
};

/// Hands out identifiers that are legal and different from each other.
class NameTable {
 public:
  explicit NameTable(const NamingRules& rules);

  /// identifier_of(name), with a suffix if that is reserved or taken.
  [[nodiscard]] std::string add(std::string_view name);
  /// Whether prefix followed by a number is or might become an identifier handed out.
  [[nodiscard]] bool has_numbered(std::string_view prefix) const;

 private:
  [[nodiscard]] std::string key(std::string_view identifier) const;

  NamingRules rules_;
  std::unordered_set<std::string> taken_;
};

/// The name with every character that could end a comment or a line replaced by '?'.
[[nodiscard]] std::string harmless(std::string_view name);

/// The name between `quote`s. C-like languages escape by backslash (`also` too, if it is not 0), others (Fortran,
/// MATLAB) double the quote.
[[nodiscard]] std::string quoted(std::string_view name, char quote, bool by_backslash, char also = 0);

}  // namespace kane
