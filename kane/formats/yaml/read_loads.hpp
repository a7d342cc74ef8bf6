#pragma once
// Loads and constraints.

#include "kane/formats/yaml/model_context.hpp"

namespace kane {

void read_loads(ModelContext& context, const YamlNode& section);
void read_constraints(ModelContext& context, const YamlNode& section);

}  // namespace kane
