#pragma once
// Kane's method knows names but no files. Here an error that says which part it is about gets the place of that part, and
// any other one that of the mechanism.

#include "kane/mechanism/mechanism.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {

/// Place of the constraint or speed that an error is about; the mechanism's if it is about neither.
[[nodiscard]] Where part_place(const Mechanism& mechanism, const Subject& subject);

template <class Work>
auto with_part_place(const Mechanism& mechanism, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const LimitError&) {
    throw;
  } catch (const ModelError& error) {
    if (!error.where().to_string().empty()) throw;
    throw ModelError(part_place(mechanism, error.subject()), error.message());
  }
}

}  // namespace kane
