#include "kane/mechanics/spelled_motion.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {
namespace {

template <class Change>
Vector transformed(const Vector& v, Change change) {
  Vector r;
  for (const Vector::Term& t : v.terms()) r += Vector(t.frame, {change(t.c[0]), change(t.c[1]), change(t.c[2])});
  return r;
}

/// Whether rates are left that the speeds do not replace.
bool has_rates(const System& s, const Vector& v) {
  for (const Vector::Term& t : v.terms()) {
    for (const Expr& c : t.c) {
      if (c.graph() == nullptr) continue;
      for (const Expr& symbol : symbols_of(std::span(&c, 1))) {
        const auto kind = s.find_kind(symbol.name());
        if (kind == SymbolKind::Rate || kind == SymbolKind::SecondRate) return true;
      }
    }
  }
  return false;
}

}  // namespace

SpelledMotion::SpelledMotion(KaneDerivation& derivation, FormulaWriter& writer)
    : derivation_(derivation), writer_(writer), to_speeds_(derivation.kinematical().rates_to_speeds) {
  const System& s = derivation.system();
  const RateModel model = with_accelerations(derivation.kinematical().model, s);
  for (std::size_t k = 0; k < model.symbols.size(); ++k) {
    to_speeds_.set(s.graph().symbol(model.symbols[k].name() + "'"), model.second[k]);
  }
}

std::size_t SpelledMotion::length(const Vector& v) const {
  std::size_t sum = 0;
  for (const Vector::Term& t : v.terms()) {
    for (const Expr& c : t.c) {
      if (c.is_zero()) continue;
      const Literal& text = writer_.textbook(c);
      sum += text.too_long ? 100000 : text.text.size() + 6;
    }
  }
  return sum;
}

Vector SpelledMotion::shorter(const Vector& in_one_frame, const Vector& by_rates) const {
  const Vector mixed = transformed(by_rates, [&](const Expr& c) { return substitute(c, to_speeds_); });
  if (mixed.terms().size() < 2 && in_one_frame.terms().size() < 2 && mixed.is_zero()) return in_one_frame;
  if (has_rates(derivation_.system(), mixed)) return in_one_frame;
  return length(mixed) < length(in_one_frame) ? mixed : in_one_frame;
}

Vector SpelledMotion::velocity(PointId p) const {
  return shorter(derivation_.velocity(p), derivation_.system().velocity(p));
}

Vector SpelledMotion::angular_velocity(FrameId f) const {
  return shorter(derivation_.angular_velocity(f), derivation_.system().angular_velocity(f));
}

Vector SpelledMotion::acceleration(PointId p) const {
  return shorter(derivation_.acceleration(p), derivation_.system().acceleration(p));
}

Vector SpelledMotion::angular_acceleration(FrameId f) const {
  return shorter(derivation_.angular_acceleration(f), derivation_.system().angular_acceleration(f));
}

Vector SpelledMotion::partial(const Vector& velocity, int speed) const {
  const Expr& u = derivation_.equations().u[at(speed)];
  return transformed(velocity, [&](const Expr& c) { return c.graph() == nullptr ? Expr() : derivative(c, u); });
}

}  // namespace kane
