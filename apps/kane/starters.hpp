#pragma once
// Starter model files, for `kane new`.

#include <span>
#include <string>
#include <string_view>

namespace kane {

struct Starter {
  std::string_view name;
  std::string_view description;
  std::string_view text;  ///< "NAME" stands for the name of the model
};

[[nodiscard]] std::span<const Starter> starters();
[[nodiscard]] std::string starter_text(const Starter& starter, const std::string& name);

}  // namespace kane
