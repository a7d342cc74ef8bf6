#pragma once
// Where the user wrote something that was found in the equations, which know no files.

#include <string>

#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// Places ("arm.yaml:7:12") of the loads and input laws that may contain this part of the equations, a function such as
/// sign(u1) or a comparison: those written with the function, and among them those with its names. "" if there are none.
[[nodiscard]] std::string find_text_places(const Mechanism& mechanism, const std::string& part);

}  // namespace kane
