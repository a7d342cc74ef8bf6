#pragma once
// Any model file: what it is follows from its name, or from how it begins.

#include <filesystem>
#include <string>
#include <string_view>

#include "kane/formats/urdf/urdf_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"

namespace kane {

enum class ModelFormat : std::uint8_t { Yaml, Urdf };

struct ReadOptions {
  UrdfOptions urdf = {};
  YamlLimits yaml = {};
};

/// .yaml, .yml and .kane are Kane YAML, .urdf and .xml URDF; otherwise a text that begins with '<' is URDF.
[[nodiscard]] ModelFormat model_format(const std::filesystem::path& file, std::string_view text);

/// Reads and checks a model. Throws ModelError with file, line and column.
[[nodiscard]] Mechanism read_model(const std::filesystem::path& file, const ReadOptions& options = {});
/// The same for a text, e.g. from standard input; Kane YAML cannot include files then.
[[nodiscard]] Mechanism read_model_text(std::string_view text, const std::string& name,
                                        const ReadOptions& options = {});

}  // namespace kane
