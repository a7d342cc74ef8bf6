#pragma once
// Paths of spatial tendons, and the texts of equalities between lengths.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kane/formats/mjcf/mjcf_forces.hpp"

namespace kane {

/// A site that a tendon runs through.
struct MjcfPathSite {
  std::string point;
  std::size_t owner = 0;  ///< body that it moves with; 0: the world
  Vec3 world;             ///< place in the described pose
};

/// A path that changes its length.
struct MjcfPath {
  std::vector<MjcfStretch> stretches;
  std::string text, rate;  ///< length and its rate
  double reference = 0;    ///< length in the described pose
};

/// The tendon runs straight from site to site; behind a pulley its parts count divided by the pulley's divisor. Nothing if it
/// wraps around a geom (which the refusals say) or has a constant length (which is noted).
[[nodiscard]] std::optional<MjcfPath> find_mjcf_path(const MjcfElement& tendon,
                                                     const std::function<MjcfPathSite(const MjcfElement&)>& site_of,
                                                     MjcfRefusals& refusals);

/// "a0 + a1*x + a2*x^2"
[[nodiscard]] std::string polynomial_text(const std::vector<double>& a, const std::string& x);
/// "(x - reference)"
[[nodiscard]] std::string from_reference(const std::string& x, double reference);

}  // namespace kane
