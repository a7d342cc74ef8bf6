#pragma once
// The place of a call in a C++ source. std::source_location is missing where clang 14 meets the standard library of GCC, as
// the sanitizers' builds do.

namespace kane {

/// As the default argument of a function, `SourcePlace::current()` is the line of the call of that function.
struct SourcePlace {
  const char* file = "";  ///< as the compiler was given it
  int line = 0;           ///< counted from 1

  /// Where it is called.
  [[nodiscard]] static constexpr SourcePlace current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

}  // namespace kane
