#pragma once
// Vectors and dyadics as plain values: components in as many frames at once as is convenient. Sums and multiples need
// no knowledge of how the frames are oriented; products do and live with the frames (frames.hpp, system.hpp).

#include <initializer_list>
#include <vector>

#include "kane/base/id.hpp"
#include "kane/mechanics/equations.hpp"

namespace kane {

using FrameId = Id<struct FrameTag>;
using PointId = Id<struct PointTag>;
using BodyId = Id<struct BodyTag>;

enum class Axis : std::uint8_t { X = 0, Y = 1, Z = 2 };
[[nodiscard]] constexpr std::size_t index(Axis a) { return static_cast<std::size_t>(a); }

/// sum over frames F of c1 F.x + c2 F.y + c3 F.z.
class Vector {
 public:
  struct Term {
    FrameId frame;
    Expr3 c;
  };

  /// The zero vector.
  Vector() = default;
  Vector(FrameId frame, const Expr3& c);

  /// Sorted by frame; no term is zero.
  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }
  [[nodiscard]] bool is_zero() const { return terms_.empty(); }
  /// Components of the term of this frame (zeros if there is none).
  [[nodiscard]] Expr3 in(FrameId frame) const;

  Vector& operator+=(const Vector& b);
  Vector& operator-=(const Vector& b);
  Vector& operator*=(const Expr& s);
  friend Vector operator+(Vector a, const Vector& b) { return a += b; }
  friend Vector operator-(Vector a, const Vector& b) { return a -= b; }
  friend Vector operator*(Vector a, const Expr& s) { return a *= s; }
  friend Vector operator*(const Expr& s, Vector a) { return a *= s; }
  friend Vector operator/(Vector a, const Expr& s) { return a *= Expr(1) / s; }
  Vector operator-() const;

 private:
  void add(FrameId frame, const Expr3& c, int sign);
  std::vector<Term> terms_;
};

/// The basis vectors of a frame.
[[nodiscard]] Vector x(FrameId frame);
[[nodiscard]] Vector y(FrameId frame);
[[nodiscard]] Vector z(FrameId frame);
[[nodiscard]] Vector unit(FrameId frame, Axis axis);

/// sum over frames F and axes i, j of c_ij F.i F.j.
class Dyadic {
 public:
  struct Term {
    FrameId frame;
    Expr33 c;
  };

  Dyadic() = default;
  Dyadic(FrameId frame, const Expr33& c);

  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }
  [[nodiscard]] bool is_zero() const { return terms_.empty(); }

  Dyadic& operator+=(const Dyadic& b);
  Dyadic& operator*=(const Expr& s);
  friend Dyadic operator+(Dyadic a, const Dyadic& b) { return a += b; }
  friend Dyadic operator*(Dyadic a, const Expr& s) { return a *= s; }
  friend Dyadic operator*(const Expr& s, Dyadic a) { return a *= s; }

 private:
  std::vector<Term> terms_;
};

/// Inertia dyadic by its matrix elements (products of inertia carry the sign of the element, I_xy = -int x y dm).
[[nodiscard]] Dyadic inertia(FrameId frame, const Expr& xx, const Expr& yy, const Expr& zz, const Expr& xy = 0,
                             const Expr& yz = 0, const Expr& zx = 0);

}  // namespace kane
