#pragma once
// A straight elastic beam as a user describes it: along the x axis of its body from the body's origin, deformed by a number
// of modes whose amplitudes are coordinates.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/mechanics/equations.hpp"

namespace kane {

/// What a mode does to the sections of the beam.
/// Shear moves a section without turning it (Timoshenko): deflection = bending + shear. The modes of a part that comes
/// from finite elements move everything.
enum class BeamMotion : std::uint8_t { BendY, BendZ, Twist, Stretch, ShearY, ShearZ, Part };

/// A part from finite elements with its modes (flexible_part.hpp).
struct FlexiblePart;

/// Shape functions of x = s/length. Those of bending are the exact modes of a uniform beam, normalised to
/// int phi^2 dx = 1; twist and stretch have those of a bar.
enum class BeamShapes : std::uint8_t {
  Cantilever,     ///< clamped at s = 0, free at the other end
  Pinned,         ///< at both ends; the frame joins them
  Clamped,        ///< at both ends
  ClampedPinned,  ///< clamped at s = 0, pinned at the other end
  Free,           ///< at both ends; the frame follows the mean motion
  Polynomial,     ///< x^2, x^3, ... for bending; x, x^2, ... for twist and stretch
  Given,          ///< expressions of s
};

/// The modes of one kind.
struct BeamModes {
  BeamMotion motion = BeamMotion::BendY;
  int count = 0;
  std::vector<Expr> given{};  ///< as many expressions of s, for BeamShapes::Given
  int inner = 0;              ///< of a beam made of elements: shapes within every element; `count` is for all of them
};

/// Properties are expressions of parameters, and of the symbol s (the arc length) where they vary along the beam.
struct FlexibleBeam {
  Expr length{};
  Expr mass_per_length{};
  Expr bending_y{}, bending_z{};  ///< EI against deflection along y and along z
  Expr shear_y{}, shear_z{};      ///< k GA against shear along y and along z; zero: rigid in shear (Bernoulli, Euler)
  Expr torsion{};                 ///< GJ
  Expr tension{};                 ///< EA
  Expr3 section_inertia{};        ///< mass moments of inertia per length of a section about its own x, y, z
  std::array<Expr, 2> offset{};   ///< y and z of the mass centre of a section from the axis
  BeamShapes shapes = BeamShapes::Cantilever;
  std::vector<BeamModes> modes{};
  /// A beam made of elements (beam_elements.hpp): how many, and the arc lengths where they meet. 0: there are none.
  int elements = 0;
  std::vector<Expr> breaks{};
  std::vector<Expr> damping{};      ///< damping ratio: none, one for all modes, or one each
  Expr viscosity{};                 ///< Kelvin and Voigt: damping is this time multiplied by the stiffness
  std::vector<Expr> coordinates{};  ///< amplitudes of the modes: metres, or radians for twist
  std::vector<Expr> speeds{};
  /// Leaves out the foreshortening, as programs do that linearize too early: no centrifugal stiffening. To show the
  /// difference.
  bool premature = false;
  /// Bending stiffness turns with the sections (beam_field.hpp). Segments always have it.
  bool coupled = false;
  /// Sections lie on the exact curve of an inextensible axis: sin(angle) = dY/ds, X = int cos(angle) ds.
  bool exact = false;
  /// The body that continues this beam beyond its end, welded to it (beam_segments.hpp); "" if there is none.
  std::string continued_by{};
  /// A part from finite elements instead of a beam; it has no length and no properties but those of its modes.
  std::shared_ptr<const FlexiblePart> part{};
  Where where{};

  [[nodiscard]] std::size_t mode_count() const {
    std::size_t n = 0;
    for (const BeamModes& m : modes) n += static_cast<std::size_t>(m.count);
    return n;
  }
};

/// Points that are reported along a beam.
constexpr int kBeamStations = 10;
/// The most modes that one beam may have.
constexpr int kMostBeamModes = 40;

/// The names given, else "B_q1", "B_q2", ... for the body B; their speeds are "B_u1", ... and those of joints' coordinates
/// otherwise ("u1" of "q1").
void name_beam_coordinates(Graph& graph, const std::string& body, FlexibleBeam& beam,
                           const std::vector<std::string>& names = {});
[[nodiscard]] std::string_view to_string(BeamShapes shapes);
[[nodiscard]] std::string_view to_string(BeamMotion motion);

}  // namespace kane
