#pragma once
// Kane's method knows names but no files: "constraint c is not linear in u1". Here such a sentence gets the place of the
// part it names, or else the one of the mechanism.

#include <string_view>

#include "kane/mechanism/mechanism.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {

/// Place of the constraint or speed that the sentence names; the mechanism's if it names none.
[[nodiscard]] Where part_place(const Mechanism& mechanism, std::string_view sentence);

template <class Work>
auto with_part_place(const Mechanism& mechanism, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const LimitError&) {
    throw;
  } catch (const ModelError& error) {
    if (!error.where().to_string().empty()) throw;
    throw ModelError(part_place(mechanism, error.message()), error.message());
  }
}

}  // namespace kane
