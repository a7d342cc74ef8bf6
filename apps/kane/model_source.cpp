#include "apps/kane/model_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "apps/kane/command.hpp"
#include "apps/kane/waiting_note.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/base/units.hpp"
#include "kane/expr/names.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanism/automatic_speeds.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/model/settings.hpp"
#include "kane/simulate/record/series_file.hpp"

namespace kane {

namespace {

/// --ignore-limits
void remove_limits(Mechanism& mechanism) {
  for (Joint& joint : mechanism.joints)
    for (ElementaryMotion& motion : joint.motions) {
      AxisLaw& law = motion.law;
      law.lower = law.upper = law.max_force = law.max_speed = std::nullopt;
      law.restitution = law.stop_stiffness = law.stop_damping = Expr();
    }
  std::erase_if(mechanism.switching.contacts,
                [](const ContactRule& rule) { return rule.kind == ContactRule::Kind::Joint; });
}

}  // namespace

void ModelSource::add_to(CLI::App& command) {
  command
      .add_option("model", model,
                  "Model file: Kane YAML, URDF, MJCF (MuJoCo), SD/FAST, AUTOLEV, 42 or DXF; '-' reads Kane YAML from "
                  "standard input")
      ->required();
  command.add_option("--set", settings, "name=value: override a parameter, an input or an initial value")
      ->allow_extra_args(false);
  command.add_option("--guess", guesses, "name=value: where to look for a coordinate or speed that a loop determines")
      ->allow_extra_args(false);
  command.add_option("--formulation", formulation, "automatic, projection, composite or articulated");
  command.add_flag("--floating-base", reading.urdf.floating_base, "URDF: the root link moves freely");
  command.add_flag("--repair-inertia", reading.urdf.repair_inertia,
                   "URDF: inertias that no body can have become the nearest possible ones");
  command.add_flag("--lenient", reading.lenient, "MJCF, 42: leave out unsupported parts, and list them");
  command.add_option("--keyframe", reading.mjcf.keyframe, "MJCF: start from this keyframe");
  command.add_flag("--with-contacts", reading.mjcf.contacts, "MJCF: shapes touch each other as the file says");
  command.add_flag("--ignore-limits", ignore_limits, "Joints have no stops, motors no max_force and max_speed");
}

std::vector<std::string> ModelSource::arguments() const {
  std::vector<std::string> list;
  const auto add = [&](const char* option, const std::string& value) {
    list.emplace_back(option), list.push_back(value);
  };
  for (const auto& setting : settings) add("--set", setting);
  for (const auto& guess : guesses) add("--guess", guess);
  if (formulation != "automatic") add("--formulation", formulation);
  if (reading.urdf.floating_base) list.emplace_back("--floating-base");
  if (reading.urdf.repair_inertia) list.emplace_back("--repair-inertia");
  if (reading.lenient) list.emplace_back("--lenient");
  if (!reading.mjcf.keyframe.empty()) add("--keyframe", reading.mjcf.keyframe);
  if (reading.mjcf.contacts) list.emplace_back("--with-contacts");
  if (ignore_limits) list.emplace_back("--ignore-limits");
  return list;
}

namespace {

/// Without limits nothing is beyond them.
Mechanism read_source(const ModelSource& source) {
  ReadOptions options = source.reading;
  options.mjcf.within_ranges = !source.ignore_limits;
  return source.model == "-" ? read_mechanism_text(read_standard_input(), "standard input", options)
                             : read_mechanism(source.model, options);
}

}  // namespace

Mechanism ModelSource::read() const {
  working_on("reading the model");
  Mechanism mechanism = read_source(*this);
  apply_settings(mechanism, settings);
  apply_guesses(mechanism, guesses, "--guess");
  if (ignore_limits) remove_limits(mechanism);
  working_on("deriving the equations");
  if (!mechanism.automatic_speeds) return mechanism;
  AutomaticSpeeds automatic = choose_speeds(mechanism);
  fmt::print(stderr, "{}\n", automatic.summary());
  return std::move(automatic.mechanism);
}

Model ModelSource::load(ModelOptions options, const std::function<void(Mechanism&)>& prepare) const {
  options.formulation = formulation_from(formulation);
  working_on("reading the model");
  Mechanism mechanism = read_source(*this);
  if (reading.urdf.repair_inertia)  // what was changed
    for (const auto& note : mechanism.notes) fmt::print(stderr, "note: {}\n", note);
  apply_settings(mechanism, settings);
  apply_guesses(mechanism, guesses, "--guess");
  if (ignore_limits) remove_limits(mechanism);
  if (prepare) prepare(mechanism);
  working_on("deriving and compiling the equations");
  Model loaded(std::move(mechanism), std::move(options));
  working_on("computing");
  for (const auto& note : loaded.notes()) fmt::print(stderr, "{}\n", note);
  return loaded;
}

void StateSource::add_to(CLI::App& command, const std::string& help) { command.add_option("--state", file, help); }

StateFile StateSource::read() const {
  if (file.empty()) return {{StartState{}}, false};
  if (file == "-") return parse_states(read_standard_input(), "standard input");
  return read_states(file);
}

void InputSeriesSource::add_to(CLI::App& command) {
  command.add_option("--inputs", file, "CSV file with time series of inputs: columns t and names of inputs");
  command.add_flag("--hold", hold, "Hold the inputs of the file between points instead of interpolating");
}

std::vector<InputSource> InputSeriesSource::read() const {
  if (file.empty()) {
    require(!hold, "--hold needs --inputs: it applies between the points of that file");
    return {};
  }
  return series_inputs(read_series(file), hold ? Interpolation::Hold : Interpolation::Linear);
}

ModelOptions driven_by(const StartState& start, const std::vector<InputSource>& series) {
  ModelOptions options;
  for (const auto& [name, value] : start.inputs) options.driven.push_back(name);
  for (const InputSource& source : series)
    if (const auto* s = std::get_if<SeriesInput>(&source)) options.driven.push_back(s->input);
  return options;
}

void apply_settings(Mechanism& mechanism, const std::vector<std::string>& settings) {
  apply_settings(mechanism, std::span(settings), "--set");
}

}  // namespace kane
