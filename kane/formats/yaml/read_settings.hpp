#pragma once
// Parameters, inputs, tables; order and definition of coordinates and speeds; outputs, initial values, simulation.

#include "kane/formats/yaml/model_context.hpp"

namespace kane {

void read_tables(ModelContext& context, const YamlNode& section);
void read_parameters(ModelContext& context, const YamlNode& section);
/// Declares the inputs; read_input_laws() reads the values of those that are not just numbers.
void declare_inputs(ModelContext& context, const YamlNode& section);
void read_input_laws(ModelContext& context, const YamlNode& section);
void read_gravity(ModelContext& context, const YamlNode& section);

void declare_equations(ModelContext& context, const YamlNode& section);  // read_equations.cpp
void declare_extra_coordinates(ModelContext& context, const YamlNode& section);
void read_coordinate_order(ModelContext& context, const YamlNode& section);
/// Call after the joints are declared and before their values are read. `joints`: the joints read so far.
void read_speeds(ModelContext& context, const YamlNode& section, std::span<Joint* const> joints);
void read_dependent(ModelContext& context, const YamlNode& section);
void declare_states(ModelContext& context, const YamlNode& section);
void read_states(ModelContext& context, const YamlNode& section);
void read_auxiliary(ModelContext& context, const YamlNode& section);
void read_outputs(ModelContext& context, const YamlNode& section);
void read_initial(ModelContext& context, const YamlNode& section);
/// After read_initial: a value that is given needs no guess.
void read_guess(ModelContext& context, const YamlNode& section);
/// Euler parameters without an initial value start at the identity.
void complete_initial(ModelContext& context);
void read_simulation(ModelContext& context, const YamlNode& section);

}  // namespace kane
