#pragma once
// Contacts, friction, modes and events of systems that are given by their equations.

#include <functional>
#include <string>

#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// How texts of such a system become expressions and rows.
struct GeneralReader {
  std::function<Expr(const Quantity&, const std::string& what)> read;
  /// Adds an inactive row (its name is also its group) and returns its index.
  std::function<int(const std::string& name, const Quantity&, const std::string& what, bool configuration)> add_row;
};

/// Adds what `mechanism.switching` describes to the equations, whose constraints are complete. Throws ModelError with a place.
void add_general_switching(const Mechanism& mechanism, const GeneralReader& reader, EquationsOfMotion& equations);

/// Throws ModelError for contacts and friction that need bodies or joints.
void check_general_switching(const Mechanism& mechanism);

}  // namespace kane
