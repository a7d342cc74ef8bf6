#include "kane/mechanics/vector.hpp"

#include <algorithm>

#include "kane/base/error.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {

Vector::Vector(FrameId frame, const Expr3& c) {
  ensure(frame.valid(), "a vector needs a frame");
  if (!kane::is_zero(c)) terms_.push_back({frame, c});
}

Expr3 Vector::in(FrameId frame) const {
  for (const Term& t : terms_) {
    if (t.frame == frame) return t.c;
  }
  return {};
}

void Vector::add(FrameId frame, const Expr3& c, int sign) {
  auto at = std::lower_bound(terms_.begin(), terms_.end(), frame, [](const Term& t, FrameId f) { return t.frame < f; });
  if (at == terms_.end() || at->frame != frame) {
    terms_.insert(at, {frame, sign > 0 ? c : negate(c)});
    return;
  }
  at->c = sign > 0 ? kane::add(at->c, c) : subtract(at->c, c);
  if (kane::is_zero(at->c)) terms_.erase(at);
}

Vector& Vector::operator+=(const Vector& b) {
  if (&b == this) return *this *= Expr(2);
  for (const Term& t : b.terms_) add(t.frame, t.c, +1);
  return *this;
}

Vector& Vector::operator-=(const Vector& b) {
  if (&b == this) {
    terms_.clear();
    return *this;
  }
  for (const Term& t : b.terms_) add(t.frame, t.c, -1);
  return *this;
}

Vector& Vector::operator*=(const Expr& s) {
  if (s.is_zero()) {
    terms_.clear();
    return *this;
  }
  for (Term& t : terms_) t.c = scale(s, t.c);
  return *this;
}

Vector Vector::operator-() const {
  Vector r = *this;
  for (Term& t : r.terms_) t.c = negate(t.c);
  return r;
}

Vector unit(FrameId frame, Axis axis) {
  Expr3 c;
  c[index(axis)] = 1;
  return {frame, c};
}
Vector x(FrameId frame) { return unit(frame, Axis::X); }
Vector y(FrameId frame) { return unit(frame, Axis::Y); }
Vector z(FrameId frame) { return unit(frame, Axis::Z); }

Dyadic::Dyadic(FrameId frame, const Expr33& c) {
  ensure(frame.valid(), "a dyadic needs a frame");
  if (!kane::is_zero(c)) terms_.push_back({frame, c});
}

Dyadic& Dyadic::operator+=(const Dyadic& b) {
  const std::vector<Term> other = b.terms_;
  for (const Term& t : other) {
    auto at = std::find_if(terms_.begin(), terms_.end(), [&](const Term& s) { return s.frame == t.frame; });
    if (at == terms_.end()) {
      terms_.push_back(t);
    } else {
      at->c = kane::add(at->c, t.c);
      if (kane::is_zero(at->c)) terms_.erase(at);
    }
  }
  return *this;
}

Dyadic& Dyadic::operator*=(const Expr& s) {
  if (s.is_zero()) terms_.clear();
  for (Term& t : terms_) t.c = scale(s, t.c);
  return *this;
}

Dyadic inertia(FrameId frame, const Expr& xx, const Expr& yy, const Expr& zz, const Expr& xy, const Expr& yz,
               const Expr& zx) {
  Expr33 c;
  c[0] = {xx, xy, zx};
  c[1] = {xy, yy, yz};
  c[2] = {zx, yz, zz};
  return {frame, c};
}

}  // namespace kane
