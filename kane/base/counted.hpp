#pragma once
// "1 step", "2 steps".

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace kane {

/// The number and the word in the form that goes with it; `many` if an "s" is not enough.
template <class Number>
[[nodiscard]] std::string counted(const Number& n, std::string_view one, std::string_view many = {}) {
  if (n == Number{1}) return fmt::format("{} {}", n, one);
  return many.empty() ? fmt::format("{} {}s", n, one) : fmt::format("{} {}", n, many);
}

}  // namespace kane
