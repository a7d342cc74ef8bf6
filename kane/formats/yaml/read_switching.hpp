#pragma once
// Contacts, dry friction, modes and events; and how they are written.

#include "kane/formats/yaml/model_context.hpp"

namespace kane {

void read_contacts(ModelContext& context, const YamlNode& section);
void read_friction(ModelContext& context, const YamlNode& section);
void read_modes(ModelContext& context, const YamlNode& section);
void read_events(ModelContext& context, const YamlNode& section);
void read_handle(ModelContext& context, const YamlNode& section);

/// Adds the sections to the map of the whole model, those that are not empty.
void write_switching(const Switching& switching, YamlNode& root);

}  // namespace kane
