#pragma once
// The text of an SD/FAST file as a list of assignments with their places.
//
//     gravity = 0 0 -9.81                   # a comment
//     body = arm  inb = $ground  joint = pin
//       mass = 2.5?  inertia = .1 .2 .3  bodytojoint = 0 0 .5  pin = 0 1 0

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/error.hpp"

namespace kane {

struct SdfastLimits {
  std::size_t max_bytes = 4U << 20U;
  std::size_t max_bodies = 2000;
};

/// A number of the file; `?` after it (or alone) says that it may be changed at run time.
struct SdfastNumber {
  double value = 0;
  bool parameter = false;
  bool given = true;  ///< false for a `?` alone
  Where where;
};

/// key = word, or key = numbers; a key alone has neither.
struct SdfastEntry {
  std::string key;  ///< in lower case, aliases replaced
  std::string word;
  std::vector<SdfastNumber> numbers;
  Where where;        ///< of the key
  Where value_where;  ///< of the first value
};

/// Throws ModelError with the place for what is not an SD/FAST file, and LimitError.
[[nodiscard]] std::vector<SdfastEntry> parse_sdfast(std::string_view text, const std::string& file_name,
                                                    const SdfastLimits& limits);

}  // namespace kane
