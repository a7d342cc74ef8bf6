#pragma once
// Internal to AUTOLEV: roots and eigenvalues, of numbers at once, of symbols when their values are known.

#include "kane/formats/autolev/session.hpp"

namespace kane::autolev {

struct EigenValues {
  ExprMatrix values;   ///< a column
  ExprMatrix vectors;  ///< columns, if asked for
};

/// Numbers are worked out; with symbols, those of 1 x 1 and 2 x 2 matrices are written out, and larger ones become
/// symbols that have their values when the values of all others are known.
[[nodiscard]] EigenValues eigenvalues_of(Session& session, const ExprMatrix& m, const Where& where, bool vectors);
/// Roots of a polynomial, highest power first.
[[nodiscard]] ExprMatrix roots_of(Session& session, const ExprMatrix& coefficients, const Where& where);

}  // namespace kane::autolev
