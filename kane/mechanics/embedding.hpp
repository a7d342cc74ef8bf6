#pragma once
// Embedding of constraints (Buffinton 6.66-6.67; Wampler; Gillespie 5, 26, 44-45): dependent speeds in terms of the
// independent ones,
//
//     u_dep = D u_ind + E,     u'_dep = D u'_ind + g,
//
// found group by group. The rows of a group are written with the partial velocities that the groups before it have left
// over, so each group is a small separate system: for a bicycle, first the rear wheel on the ground, then the front one.
// Rows that say that two points move together are written in the basis of the point: components of one vector equation
// can be taken along any axes.

#include <vector>

#include "kane/mechanics/constraints.hpp"

namespace kane {

struct SymbolicEmbedding {
  EmbeddedEquations equations;  ///< without M and rhs
  RateModel model;              ///< the rates in terms of the independent speeds
};

/// Dependent speeds as the system requests, or chosen where the coefficients are simplest. Throws ModelError if those
/// requested cannot be solved for.
[[nodiscard]] SymbolicEmbedding form_embedding(const System& system, const Bases& bases, const Kinematical& kinematical,
                                               const std::vector<ConstraintRow>& rows,
                                               std::vector<std::string>& warnings);

/// C^T M C and C^T (rhs - M g) with u = C u_ind + ..., recombined from the unconstrained equations.
void recombine(const ExprMatrix& M, const std::vector<Expr>& rhs, EmbeddedEquations& embedded);

}  // namespace kane
