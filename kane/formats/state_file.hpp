#pragma once
// State files: JSON such as {"t": 0, "q": {"q1": 0.1}, "u": {}, "parameters": {}, "inputs": {}, "active": ["loop"]}, all of
// it optional, or a list of such objects. As in a model file, a list of numbers under the name l stands for l1, l2, ...
//
// The answer of `kane equilibrium --json` is a state too: the first of those found.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kane/model/start_state.hpp"

namespace kane {

struct StateFile {
  std::vector<StartState> states;
  bool list = false;  ///< the file has a list, even if of one state

  /// All inputs to which any of the states gives a value.
  [[nodiscard]] std::vector<std::string> inputs() const;
};

/// Throws ModelError: with line and column if the text is not JSON, else naming the state, the key and the value.
[[nodiscard]] StateFile parse_states(std::string_view text, const std::string& file);
[[nodiscard]] StateFile read_states(const std::filesystem::path& file);

/// The single state of a file; a list is rejected.
[[nodiscard]] StartState only_state(StateFile file);

}  // namespace kane
