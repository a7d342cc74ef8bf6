#pragma once
// Parameters, inputs, tables; order and definition of coordinates and speeds; outputs, initial values, simulation.

#include "kane/formats/yaml/model_context.hpp"

namespace kane {

void read_tables(ModelContext& context, const YamlNode& section);
void read_parameters(ModelContext& context, const YamlNode& section);
/// Makes the inputs known; read_input_laws() reads the values of those that are more than numbers.
void declare_inputs(ModelContext& context, const YamlNode& section);
void read_input_laws(ModelContext& context, const YamlNode& section);
void read_gravity(ModelContext& context, const YamlNode& section);

void declare_extra_coordinates(ModelContext& context, const YamlNode& section);
void read_coordinate_order(ModelContext& context, const YamlNode& section);
/// To be called after the joints are declared and before their values are read. `joints` are the joints as they stand.
void read_speeds(ModelContext& context, const YamlNode& section, std::span<Joint* const> joints);
void read_dependent(ModelContext& context, const YamlNode& section);
void read_auxiliary(ModelContext& context, const YamlNode& section);
void read_outputs(ModelContext& context, const YamlNode& section);
void read_initial(ModelContext& context, const YamlNode& section);
/// Euler parameters that are given no initial value begin at the identity.
void complete_initial(ModelContext& context);
void read_simulation(ModelContext& context, const YamlNode& section);

}  // namespace kane
