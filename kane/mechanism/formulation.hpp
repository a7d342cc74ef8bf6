#pragma once
// From a mechanism to its equations of motion, by the formulation that gives the shortest program.
//
//   projection   textbook Kane: any speeds, any loads, any system
//   composite    mass matrix by composite bodies, bias by recursive Newton-Euler, branch-sparse factorisation
//   articulated  order n, no mass matrix
//
// The recursive formulations apply to trees whose speeds are those of the joints. Constraints, outputs and reactions come
// from the same System in every case.

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kane/expr/count.hpp"
#include "kane/mechanics/kane.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// The method of derivation; Automatic takes the one with the shortest program.
enum class Formulation : std::uint8_t { Automatic, Projection, Composite, Articulated };

/// The name of a formulation, as formulation_from() reads it.
[[nodiscard]] std::string_view to_string(Formulation formulation);
/// The formulation of a name. Throws ModelError for an unknown name.
[[nodiscard]] Formulation formulation_from(std::string_view name);

/// Options for forming the equations.
struct FormOptions {
  Formulation formulation = Formulation::Automatic;  ///< Automatic: the shortest
  /// Move the part of a link's inertia that its own motion does not change onto its parent (base parameters).
  bool regroup = true;
  /// Solve for udot in symbols (unconstrained systems).
  bool solve = true;
  /// Form the mass matrix and right-hand side even if the formulation itself does not need them.
  bool mass_matrix = true;
  /// ... unless there are more speeds than this, the accelerations are found without it, and nothing constrains the tree but
  /// stops and friction of its joints: its entries would be longer than all the rest.
  /// (The inverse dynamics give the same numbers, column by column.)
  std::size_t largest_mass_matrix = std::numeric_limits<std::size_t>::max();
  /// Form positions, velocities, accelerations, energy and reactions (report.hpp): the same in every formulation.
  bool outputs = true;
  /// Equations of which only the length matters: without the inverse dynamics and without contacts.
  bool trial = false;
  /// Embed the active constraints in symbols.
  EmbeddingMethod embedding = EmbeddingMethod::None;
};

/// Cost of one formulation: operations for udot at one state, except those that depend on parameters only.
struct FormulationCount {
  Formulation formulation;    ///< the formulation
  OperationCount operations;  ///< operations for udot
};

/// Forms the equations of motion. Throws ModelError if the mechanism is wrong or the requested formulation does not apply.
[[nodiscard]] EquationsOfMotion form_equations(const Mechanism& mechanism, const FormOptions& options = {});

/// Operations of one evaluation: those for udot, or for M and rhs if constraints are yet to be embedded.
[[nodiscard]] OperationCount count_dynamics(const EquationsOfMotion& equations);

/// Counts of all formulations that apply, each derived in its own graph; the shortest first.
[[nodiscard]] std::vector<FormulationCount> compare_formulations(const Mechanism& mechanism);

/// Why the recursive formulations do not apply; empty if they do.
[[nodiscard]] std::string why_no_tree(const Mechanism& mechanism);

}  // namespace kane
