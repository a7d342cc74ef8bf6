#pragma once
// From a mechanism to its equations of motion, by the formulation that gives the shortest program.
//
//   projection   textbook Kane: any speeds, any loads, any system
//   composite    mass matrix by composite bodies, bias by recursive Newton-Euler, branch-sparse factorisation
//   articulated  order n, no mass matrix
//
// The recursive ones are for trees whose speeds are those of the joints. Constraints, outputs and reactions come from the
// same System in every case.

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kane/expr/count.hpp"
#include "kane/mechanics/kane.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// How the equations are derived; Automatic takes the shortest.
enum class Formulation : std::uint8_t { Automatic, Projection, Composite, Articulated };

/// Its name, as formulation_from() reads it.
[[nodiscard]] std::string_view to_string(Formulation formulation);
/// Throws ModelError for an unknown name.
[[nodiscard]] Formulation formulation_from(std::string_view name);

/// How the equations are formed.
struct FormOptions {
  Formulation formulation = Formulation::Automatic;  ///< Automatic: the shortest
  /// Move inertia that acts together onto the parent (base parameters).
  bool regroup = true;
  /// Solve for udot in symbols (unconstrained systems).
  bool solve = true;
  /// Form the mass matrix and right-hand side also where the formulation itself does not need them.
  bool mass_matrix = true;
  /// ... unless there are more speeds than this and nothing is constrained: its entries would be longer than all the rest.
  /// (The inverse dynamics gives the same numbers, column by column.)
  std::size_t largest_mass_matrix = std::numeric_limits<std::size_t>::max();
  /// Positions, velocities, accelerations, energy, reactions (report.hpp): the same ones in every formulation.
  bool outputs = true;
  /// Embed the active constraints in symbols.
  EmbeddingMethod embedding = EmbeddingMethod::None;
};

/// Cost of one formulation: operations for udot at one state, without work that depends on parameters only.
struct FormulationCount {
  Formulation formulation;    ///< which one
  OperationCount operations;  ///< for udot
};

/// Throws ModelError if the mechanism is wrong, or is not one that the formulation asked for can do.
[[nodiscard]] EquationsOfMotion form_equations(const Mechanism& mechanism, const FormOptions& options = {});

/// Operations of one step: those for udot, or for M and rhs where constraints wait to be embedded.
[[nodiscard]] OperationCount count_dynamics(const EquationsOfMotion& equations);

/// Counts of all formulations that apply, each derived in a graph of its own; the shortest first.
[[nodiscard]] std::vector<FormulationCount> compare_formulations(const Mechanism& mechanism);

/// Empty if the recursive formulations apply, otherwise why not.
[[nodiscard]] std::string why_no_tree(const Mechanism& mechanism);

}  // namespace kane
