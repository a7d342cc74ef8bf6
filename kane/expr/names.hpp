#pragma once
// The names of symbols, for tables and files.

#include <string>
#include <vector>

#include "kane/expr/expr.hpp"

namespace kane {

[[nodiscard]] inline std::vector<std::string> names_of(const std::vector<Expr>& symbols) {
  std::vector<std::string> names;
  names.reserve(symbols.size());
  for (const Expr& s : symbols) names.push_back(s.name());
  return names;
}

}  // namespace kane
