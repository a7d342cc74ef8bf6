#pragma once
// Beams and parts from finite elements (read_part.hpp): the key `flexible` of a body.

#include "kane/formats/yaml/model_context.hpp"

namespace kane {

/// Makes the coordinates and speeds of the modes known.
void declare_beams(ModelContext& context, const YamlNode& bodies);
/// The rest; `node` is the value of `flexible`.
[[nodiscard]] FlexibleBeam read_beam(ModelContext& context, const YamlNode& node, const std::string& body);
/// Cuts beams with the key `segments`, when everything is attached.
void cut_beams(ModelContext& context, const YamlNode& bodies);
/// As a model file has it.
[[nodiscard]] YamlNode beam_node(const FlexibleBeam& beam);

}  // namespace kane
