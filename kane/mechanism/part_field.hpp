#pragma once
// A part from finite elements in expressions of the amplitudes q, next to BeamField.

#include "kane/mechanics/system.hpp"
#include "kane/mechanism/flexible_beam.hpp"
#include "kane/mechanism/flexible_part.hpp"

namespace kane {

class PartField {
 public:
  /// `body` is for messages.
  PartField(Graph& graph, const FlexibleBeam& flexible, std::string body);

  [[nodiscard]] const FlexiblePart& part() const { return *flexible_.part; }
  /// All but the frame and the origin.
  [[nodiscard]] FlexibleSpec inertia() const;
  [[nodiscard]] Expr strain_energy() const;
  /// -D q', one per mode.
  [[nodiscard]] std::vector<Expr> damping_forces(const std::vector<Expr>& rates) const;

  /// A place of the part: where it is, and the small angles about x, y, z by which it is turned.
  struct Place {
    Expr3 position;
    Expr3 angles;
    Vec3 at;               ///< undeformed
    bool turns = false;    ///< the angles are known
    bool at_rest = false;  ///< in the frame of the part
    std::string name;
  };
  /// The interface or the node at this position. Throws ModelError if there is none: `what` is attached there.
  [[nodiscard]] Place find_place(const Vec3& at, const std::string& what) const;
  [[nodiscard]] Place place_of(const PartInterface& interface) const;
  /// Whether some mode moves what is at this position; false where nothing is.
  [[nodiscard]] bool moves(const Vec3& at) const;

 private:
  [[nodiscard]] Expr number(double value) const;
  [[nodiscard]] Expr3 combine(const std::vector<Vec3>& by_mode) const;
  [[nodiscard]] const Expr& q(std::size_t i) const { return flexible_.coordinates[i]; }
  [[nodiscard]] double near() const;

  Graph& graph_;
  FlexibleBeam flexible_;
  std::string body_;
  double size_ = 0;  ///< of the part
};

}  // namespace kane
