#pragma once
// A table with one row per enumerator, indexed by the enumerators themselves.

#include <array>
#include <cstddef>

#include "kane/base/at.hpp"

namespace kane {

/// The enumerators are 0, 1, ..., N - 1.
template <class Enum, class T, std::size_t N>
struct EnumArray : std::array<T, N> {
  using std::array<T, N>::operator[];
  [[nodiscard]] constexpr T& operator[](Enum e) { return (*this)[kane::at(e)]; }
  [[nodiscard]] constexpr const T& operator[](Enum e) const { return (*this)[kane::at(e)]; }
};

}  // namespace kane
