#pragma once
// Kane YAML to a Mechanism (docs/model-file.md is the reference of the format).

#include <filesystem>
#include <string>
#include <string_view>

#include "kane/formats/yaml/yaml_tree.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// Reads and checks a model file with its includes. Throws ModelError with file, line and column.
[[nodiscard]] Mechanism read_yaml_model(const std::filesystem::path& file, const YamlLimits& limits = {});

/// The same for a text; `file_name` is for messages. A text cannot include files.
[[nodiscard]] Mechanism read_yaml_text(std::string_view text, std::string file_name = "model.yaml",
                                       const YamlLimits& limits = {});

}  // namespace kane
