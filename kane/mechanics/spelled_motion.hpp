#pragma once
// Velocities and accelerations as a person would write them: in one frame, or as a sum over the frames they come from
// by the two-point theorems (L u1 a2 + L (u1 + u2) b2), whichever is shorter.

#include "kane/mechanics/formula_writer.hpp"
#include "kane/mechanics/kane.hpp"

namespace kane {

class SpelledMotion {
 public:
  SpelledMotion(KaneDerivation& derivation, FormulaWriter& writer);

  [[nodiscard]] Vector velocity(PointId p) const;
  [[nodiscard]] Vector angular_velocity(FrameId f) const;
  /// With u' as symbols.
  [[nodiscard]] Vector acceleration(PointId p) const;
  [[nodiscard]] Vector angular_acceleration(FrameId f) const;

  /// The coefficient of a speed in a velocity.
  [[nodiscard]] Vector partial(const Vector& velocity, int speed) const;

 private:
  [[nodiscard]] Vector shorter(const Vector& in_one_frame, const Vector& by_rates) const;
  [[nodiscard]] std::size_t length(const Vector& v) const;

  KaneDerivation& derivation_;
  FormulaWriter& writer_;
  Substitution to_speeds_;  ///< rates and their derivatives
};

}  // namespace kane
