#pragma once
// Parts from finite elements: the key `flexible` of a body that names files.

#include "kane/formats/yaml/model_context.hpp"
#include "kane/mechanism/flexible_part.hpp"

namespace kane {

/// Whether the value of `flexible` describes a part, not a beam.
[[nodiscard]] bool is_part(const YamlNode& node);
/// Reads the files and reduces the matrices. They do not depend on the rest of the model.
[[nodiscard]] FlexibleBeam declare_part(const YamlNode& node, const std::string& owner);
/// Damping.
[[nodiscard]] FlexibleBeam read_part(const ModelContext& context, const YamlNode& node, const std::string& owner,
                                     FlexibleBeam declared);
/// As a model file has it.
[[nodiscard]] YamlNode part_node(const FlexibleBeam& flexible);

}  // namespace kane
