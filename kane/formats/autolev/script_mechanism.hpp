#pragma once
// A script's equations of motion as a mechanism that is given by its equations: what every command takes for a model.

#include <filesystem>
#include <string_view>

#include "kane/formats/autolev/script_system.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane::autolev {

/// Names that are no identifiers of Kane ("CONFIG[1]") are made some. Values that are missing are zero, and a note says so.
[[nodiscard]] Mechanism make_mechanism(const ScriptSystem& system);

/// Runs a script, writes none of the files it asks for, and gives its equations. Throws ModelError with the place.
[[nodiscard]] Mechanism read_script_model(const std::filesystem::path& file);
[[nodiscard]] Mechanism read_script_model_text(std::string_view text, const std::string& name);

}  // namespace kane::autolev
