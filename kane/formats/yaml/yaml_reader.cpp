#include "kane/formats/yaml/yaml_reader.hpp"

#include "kane/formats/yaml/read_flexible.hpp"
#include "kane/formats/yaml/read_joints.hpp"
#include "kane/formats/yaml/read_loads.hpp"
#include "kane/formats/yaml/read_parts.hpp"
#include "kane/formats/yaml/read_settings.hpp"
#include "kane/formats/yaml/read_switching.hpp"
#include "kane/mechanism/check_values.hpp"

namespace kane {

namespace {

using ReadSection = void (*)(ModelContext&, const YamlNode&);

void read_if(ModelContext& context, const ModelDocument& document, std::string_view section, ReadSection read) {
  if (const YamlNode* node = document.find(section)) read(context, *node);
}

std::string section_text(const ModelDocument& document, std::string_view section, const std::string& otherwise) {
  const YamlNode* node = document.find(section);
  return node == nullptr ? otherwise : read_text(*node, section, "the model");
}

/// It is printed, and files are named after it.
std::string model_name(const ModelDocument& document, const std::string& file_name) {
  std::string name = section_text(document, "name", "");
  if (name.find_first_not_of(' ') == std::string::npos) name = std::filesystem::path(file_name).stem().string();
  const bool control =
      std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (const YamlNode* node = document.find("name"); control && node != nullptr)
    node->fail("the name of the model must not contain line breaks, tabs or other control characters");
  return name;
}

/// Declares all names first, so that every scalar may use them; then reads the values.
Mechanism build(const ModelDocument& document, const std::string& file_name) {
  Mechanism mechanism(model_name(document, file_name));
  mechanism.description = section_text(document, "description", "");
  mechanism.ground = section_text(document, "ground", "N");
  mechanism.where = document.place.where();

  ModelContext context(mechanism);
  context.names.emplace("t", ScalarName{mechanism.time(), Dimensional::open(true), "time", {}});
  if (const YamlNode* let = document.find("let")) context.declare_lets(*let, document.find("outputs"));
  read_if(context, document, "tables", read_tables);
  read_if(context, document, "parameters", read_parameters);
  read_if(context, document, "inputs", declare_inputs);
  JointReader joints(context);
  joints.declare_joints(document);
  read_if(context, document, "bodies", declare_beams);
  read_if(context, document, "extra_coordinates", declare_extra_coordinates);
  read_if(context, document, "states", declare_states);
  read_if(context, document, "equations", declare_equations);
  if (const YamlNode* speeds = document.find("speeds")) read_speeds(context, *speeds, joints.joints());

  context.read_lets();

  read_if(context, document, "inputs", read_input_laws);
  read_if(context, document, "gravity", read_gravity);
  read_if(context, document, "bodies", read_body_parts);
  read_if(context, document, "points", read_points);
  read_if(context, document, "frames", read_frames);
  read_if(context, document, "bodies", read_bodies);
  read_if(context, document, "particles", read_particles);
  joints.read_joints();
  read_if(context, document, "bodies", cut_beams);
  read_if(context, document, "loads", read_loads);
  read_if(context, document, "states", read_states);
  read_if(context, document, "coordinates", read_coordinate_order);
  read_if(context, document, "constraints", read_constraints);
  read_if(context, document, "contacts", read_contacts);
  read_if(context, document, "friction", read_friction);
  read_if(context, document, "modes", read_modes);
  read_if(context, document, "events", read_events);
  read_if(context, document, "handle", read_handle);
  read_if(context, document, "dependent", read_dependent);
  read_if(context, document, "auxiliary", read_auxiliary);
  read_if(context, document, "outputs", read_outputs);
  read_if(context, document, "initial", read_initial);
  read_if(context, document, "guess", read_guess);
  context.input_defaults.clear();
  complete_initial(context);
  read_if(context, document, "simulate", read_simulation);
  return mechanism;
}

Mechanism checked(const ModelDocument& document, const std::string& file_name) {
  return at_place(document.place, [&] {
    Mechanism mechanism = build(document, file_name);
    (void)check_mechanism(mechanism);  // warnings are repeated by the users of the model
    return mechanism;
  });
}

}  // namespace

Mechanism read_yaml_model(const std::filesystem::path& file, const YamlLimits& limits) {
  ModelDocument document{YamlPool(limits), {}, {}};
  load_document(file, document);
  return checked(document, file.string());
}

Mechanism read_yaml_text(std::string_view text, std::string file_name, const YamlLimits& limits) {
  ModelDocument document{YamlPool(limits), {}, {}};
  load_document_text(text, file_name, document);
  return checked(document, file_name);
}

}  // namespace kane
