#pragma once
// Text of scalars and vectors that may speak of the motion.
//
//   numbers, parameters, inputs, t, coordinates q, rates q', speeds u, accelerations u'
//   A.x  A.y  A.z            basis vectors of a frame, body or the ground
//   position(P[, Q])         from Q (the origin of the ground) to P             vector
//   velocity(P[, A])  v      of a point in a frame (the ground)                 vector
//   acceleration(P[, A])  a                                                     vector
//   omega(B[, A])  alpha     angular velocity and acceleration of B in A        vector
//   inertia(B)               central inertia dyadic; dot(inertia(B), v)         dyadic
//   mass(B)                  of a body or particle                              scalar
//   distance(P, Q)           between two points                                 scalar
//   dot(a, b)  cross(a, b)  magnitude(a)  norm(a)  unit(a)
//   dt(e[, A])               derivative with respect to time (of a vector: in a frame, the ground)
//   all scalar functions of kane/expr, and tables as name(x)
//
// A body stands for its origin where a point is meant; "B.com" is its mass centre (model_names.hpp).

#include <map>
#include <string>
#include <variant>

#include "kane/mechanism/joint.hpp"
#include "kane/mechanism/model_names.hpp"

namespace kane {

/// The names that a quantity may use.
/// Where expressions may name forces: the force of an auxiliary speed by its name, reaction(J), reaction_torque(J),
/// multiplier(C).
class ForceNames {
 public:
  virtual ~ForceNames() = default;
  /// A joint, a constraint or a row of one.
  [[nodiscard]] virtual bool knows(std::string_view name) const = 0;
  /// The force that the auxiliary speed of this name brings into evidence.
  [[nodiscard]] virtual Expr auxiliary(std::string_view name) = 0;
  /// Force or torque that a joint transmits to its child.
  [[nodiscard]] virtual Vector reaction(std::string_view joint, bool torque) = 0;
  /// The multiplier of a row of a constraint.
  [[nodiscard]] virtual Expr multiplier(std::string_view row) = 0;
};

struct QuantityScope {
  const System& system;
  const ModelNames& names;
  /// Further scalars, such as x and v in the law of a spring.
  std::map<std::string, Expr, std::less<>> scalars = {};
  /// Null: forces have no place here.
  ForceNames* forces = nullptr;
  /// Names of auxiliary speeds are refused (they are zero, and somebody who writes one means its force).
  bool refuse_auxiliary = false;
};

using QuantityValue = std::variant<Expr, Vector, Dyadic>;

/// All throw ModelError with file, line and column. `what` names the quantity in messages ("the gravity").
[[nodiscard]] QuantityValue read_quantity(const Quantity& quantity, const QuantityScope& scope, std::string_view what);
[[nodiscard]] Expr read_scalar(const Quantity& quantity, const QuantityScope& scope, std::string_view what);
[[nodiscard]] Vector read_vector(const Quantity& quantity, const QuantityScope& scope, std::string_view what);

/// "scalar", "vector", "dyadic".
[[nodiscard]] std::string_view kind_of(const QuantityValue& value);

}  // namespace kane
