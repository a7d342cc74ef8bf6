#pragma once
// Fortran that compilers take as fixed and as free form.

#include <string>
#include <string_view>

namespace kane::autolev {

/// The same program with every statement in columns 7 to 72: continued by an '&' in column 73, which fixed form does not
/// read, and one in column 6, which free form takes for the beginning of the rest.
[[nodiscard]] std::string in_both_forms(std::string_view free_form);

}  // namespace kane::autolev
