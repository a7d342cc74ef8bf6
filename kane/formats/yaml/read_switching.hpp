#pragma once
// Reading and writing contacts, dry friction, modes and events.

#include "kane/formats/yaml/model_context.hpp"

namespace kane {

void read_contacts(ModelContext& context, const YamlNode& section);
void read_friction(ModelContext& context, const YamlNode& section);
void read_modes(ModelContext& context, const YamlNode& section);
void read_events(ModelContext& context, const YamlNode& section);
void read_handle(ModelContext& context, const YamlNode& section);

/// Adds the sections that are not empty to the map of the model.
void write_switching(const Switching& switching, YamlNode& root);

}  // namespace kane
