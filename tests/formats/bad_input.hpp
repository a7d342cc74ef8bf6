#pragma once
// Wrong models, and the sentence that each must get.
//
// The sign @ in a text stands just before the place that the message must name, and is taken out before the text is
// read. A text that ends with $ continues with a valid arm (two bodies A and B, joints J and K with the
// coordinates q1 and q2, parameters m and L), so that a row shows only what is wrong.

#include <span>
#include <string>
#include <string_view>

namespace kane::test {

struct BadInput {
  std::string_view text;
  std::string_view sentence;  ///< part of the message
};

/// Reads and derives each of them as `kane check` does; reports those that pass, that say something else or name another
/// place, and those that take longer than a second.
void expect_refused(std::span<const BadInput> cases, const std::string& file_name);

}  // namespace kane::test
