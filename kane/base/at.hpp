#pragma once
// The one place where a small integer or an enumerator becomes a place in an array. Indices are std::size_t; where a
// packed structure keeps them narrower (int, std::uint32_t), or a table has one row per enumerator, at() widens them.

#include <cstddef>
#include <type_traits>

namespace kane {

/// The value must not be negative.
template <class Place>
requires(std::is_integral_v<Place> || std::is_enum_v<Place>) [[nodiscard]] constexpr std::size_t at(Place place) {
  return static_cast<std::size_t>(place);
}

}  // namespace kane
