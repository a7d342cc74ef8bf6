#pragma once
// Places in arrays that are kept as int, where -1 says "none".

#include <cstddef>

namespace kane {

[[nodiscard]] constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace kane
