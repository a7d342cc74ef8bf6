#pragma once
// Parsing of option values shared by several commands: name=value, begin:end:step.

#include <string>
#include <vector>

namespace kane {

/// name=text, split. Throws ModelError naming the option.
struct NamedText {
  std::string name, text;
};
[[nodiscard]] NamedText split_assignment(const std::string& assignment, const std::string& option);

/// Numbers from "begin:end:step" (or a single number). Throws ModelError naming the option.
[[nodiscard]] std::vector<double> parse_range(const std::string& text, const std::string& option);

}  // namespace kane
