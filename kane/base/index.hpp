#pragma once
// Indices are std::size_t everywhere.

#include <cstddef>

namespace kane {

/// The index of nothing.
inline constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);

}  // namespace kane
