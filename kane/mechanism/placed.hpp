#pragma once
// Errors that do not know their place in the user's file get the place of the part being processed.

#include "kane/base/error.hpp"

namespace kane {

template <class Work>
auto with_place(const Where& where, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const LimitError& error) {
    if (!error.where().to_string().empty()) throw;
    throw LimitError(where, error.message());
  } catch (const ModelError& error) {
    if (!error.where().to_string().empty()) throw;
    throw ModelError(where, error.message());
  }
}

template <class... Args>
void require_at(const Where& where, bool holds, fmt::format_string<Args...> text, Args&&... args) {
  if (!holds) throw ModelError(where, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace kane
