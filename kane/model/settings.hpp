#pragma once
// Changing a mechanism by name before it becomes a Model: "m = 2 kg", "q1 = 30 deg", "T = 0".

#include <span>
#include <string>
#include <string_view>

#include "kane/expr/evaluate.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// Applies "name=value" texts to parameters, inputs and initial values. A value is an expression of numbers with an
/// optional unit, which must fit that of the name. An input that is set is constant from then on: its law, its points in
/// time and its sampling are removed. An initial value that is set is held by closed loops before those of the model. Initial values written with parameters follow a parameter that is changed.
///
/// Throws ModelError; messages begin with `option`.
void apply_settings(Mechanism& mechanism, std::span<const std::string> settings, std::string_view option = "set");

/// Makes coordinates and speeds guesses, which assembly starts from and may move: "q2 = -40 deg".
void apply_guesses(Mechanism& mechanism, std::span<const std::string> guesses, std::string_view option = "guess");

/// Adds the values of inputs that are numbers; those that are there already stay.
void add_constant_inputs(const Mechanism& mechanism, Values& values);

}  // namespace kane
