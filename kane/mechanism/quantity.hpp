#pragma once
// Text of scalars and vectors that may refer to the motion.
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
//   contact(A, B).force      what touches between two bodies (and .normal, .gap, ...); contact(NAME) of a rule
//   dot(a, b)  cross(a, b)  magnitude(a)  norm(a)  unit(a)
//   dt(e[, A])               derivative with respect to time (of a vector: in a frame, the ground)
//   all scalar functions of kane/expr, and tables as name(x)
//   numbers with units       2 m, 30 deg, 5 N*m/rad                             (kane/expr/measured.hpp)
//   named expressions, outputs, and coordinates that are held or prescribed, by their names
//
// Dimensions are checked as far as the units of symbols are known (kane/expr/dimensional.hpp).
//
// A body stands for its origin where a point is expected; "B.com" is its mass centre (model_names.hpp).

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kane/expr/dimensional.hpp"
#include "kane/mechanism/beam_field.hpp"
#include "kane/mechanism/joint.hpp"
#include "kane/mechanism/measure.hpp"
#include "kane/mechanism/model_names.hpp"
#include "kane/mechanism/parts.hpp"

namespace kane {

/// A scalar, vector or dyadic.
using QuantityValue = std::variant<Expr, Vector, Dyadic>;

/// A value and its dimension, as far as it is known.
struct MeasuredQuantity {
  QuantityValue value;
  Dimensional dimension;
};

/// Named expressions that use others that use others ... may go this deep.
inline constexpr std::size_t kMaxNamedDepth = 500;

/// Meanings of names other than the symbols of the System and the parts in ModelNames. One object per mechanism, shared by
/// its scopes.
class QuantityDefinitions {
 public:
  /// A name for a quantity: a named expression or an output. It is read when it is used.
  void define(const NamedQuantity& quantity, std::string_view what);
  /// A name for a value.
  void set(const std::string& name, const Expr& value, const Dimensional& dimension);
  /// Sets the dimension of a symbol.
  void set_dimension(const std::string& symbol, const Dimensional& dimension) { dimensions_[symbol] = dimension; }

  [[nodiscard]] Dimensional dimension(std::string_view symbol) const;
  [[nodiscard]] bool knows(std::string_view symbol) const { return dimensions_.contains(symbol); }
  [[nodiscard]] const std::map<std::string, MeasuredQuantity, std::less<>>& values() const { return values_; }
  [[nodiscard]] bool has(std::string_view name) const { return values_.contains(name) || named_.contains(name); }
  [[nodiscard]] std::vector<std::string> names() const;

  /// Values of quantities are kept, since one may be used often; they are formed again after this, because the rates
  /// of coordinates have become speeds.
  void renew();

 private:
  friend class NamedReader;
  struct Named {
    Quantity quantity;
    std::string_view what;  ///< "named expression", "output"
    bool reading = false;
    std::optional<MeasuredQuantity> value = {}, force_value = {};  ///< without and with names of forces
  };
  std::map<std::string, Dimensional, std::less<>> dimensions_;
  std::map<std::string, MeasuredQuantity, std::less<>> values_;
  mutable std::map<std::string, Named, std::less<>> named_;
  mutable std::vector<std::string> reading_;
};

/// The names that a quantity may use.
/// Where expressions may name forces: the force of an auxiliary speed by its name, reaction(J), reaction_torque(J),
/// multiplier(C), and in outputs contact(A, B).force.
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
  /// Throws ModelError if nothing can touch between two bodies, or if there is no contact `first` (and no `second`).
  virtual void check_contact(std::string_view first, std::string_view second) const = 0;
  /// A value of a ContactSensorEquation.
  [[nodiscard]] virtual Expr contact(std::string_view first, std::string_view second, std::size_t part) = 0;
};

struct QuantityScope {
  const System& system;
  const ModelNames& names;
  const QuantityDefinitions* definitions = nullptr;
  /// Further scalars, such as x and v in the law of a spring.
  std::map<std::string, MeasuredQuantity, std::less<>> scalars = {};
  /// Null: forces have no place here.
  ForceNames* forces = nullptr;
  /// Names of auxiliary speeds are refused (they are zero, and a user who writes one means its force).
  bool refuse_auxiliary = false;
  /// Flexible bodies by name; null: there are none.
  const std::map<std::string, std::shared_ptr<const BeamField>>* beams = nullptr;
};

/// All throw ModelError with file, line and column. `what` names the quantity in messages ("the gravity"); its dimension
/// must be that of `measure`.
[[nodiscard]] MeasuredQuantity read_quantity(const Quantity& quantity, const QuantityScope& scope,
                                             std::string_view what);
[[nodiscard]] Expr read_scalar(const Quantity& quantity, const QuantityScope& scope, std::string_view what,
                               const Measure& measure = measure::kAny);
[[nodiscard]] Vector read_vector(const Quantity& quantity, const QuantityScope& scope, std::string_view what,
                                 const Measure& measure = measure::kAny);

/// "scalar", "vector", "dyadic".
[[nodiscard]] std::string_view kind_of(const QuantityValue& value);

/// Whether quantities have a function of this name that plain scalars do not have: position, dot, ...
[[nodiscard]] bool is_motion_function(std::string_view name);

}  // namespace kane
