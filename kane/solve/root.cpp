#include "kane/solve/root.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kane {

namespace {

struct Sample {
  double x, f;
};

/// The double strictly between x1 and x2 that is nearest to the fraction t from x1; x1 itself if there is none between.
double inside(double x1, double x2, double t) {
  double x = x1 + t * (x2 - x1);
  if ((x - x2) * (x2 - x1) >= 0) x = std::nextafter(x2, x1);
  if ((x - x1) * (x2 - x1) <= 0) x = std::nextafter(x1, x2);
  return x == x2 ? x1 : x;
}

bool opposite(double f, double g) { return (f < 0 && g > 0) || (f > 0 && g < 0); }

/// Where to look next, as a fraction of the way from `newest` to `other`. The inverse quadratic through the three
/// samples is taken where it is monotonic: 1 - sqrt(1 - xi) < phi < sqrt(xi).
double choose_fraction(const Sample& newest, const Sample& other, const Sample& last) {
  const double xi = (newest.x - other.x) / (last.x - other.x);
  const double phi = (newest.f - other.f) / (last.f - other.f);
  if (!(1 - std::sqrt(1 - xi) < phi && phi < std::sqrt(xi))) return 0.5;
  const double alpha = (last.x - newest.x) / (other.x - newest.x);
  const double t = newest.f / (other.f - newest.f) * last.f / (other.f - last.f) +
                   alpha * newest.f / (last.f - newest.f) * other.f / (last.f - other.f);
  return std::isfinite(t) ? std::clamp(t, 0.0, 1.0) : 0.5;
}

}  // namespace

Root find_root(FunctionRef<double(double)> f, double a, double fa, double b, double fb, double tolerance) {
  Root root{.status = RootStatus::Ok, .before = a, .after = b, .f_before = fa, .f_after = fb, .evaluations = 0};
  const auto stop_at_zero = [&root](double x) {
    root.before = root.after = x;
    root.f_before = root.f_after = 0;
    return root;
  };
  if (!std::isfinite(fa) || !std::isfinite(fb)) return root.status = RootStatus::NotFinite, root;
  if (fa == 0) return stop_at_zero(a);
  if (fb == 0) return stop_at_zero(b);
  if (!opposite(fa, fb)) return root.status = RootStatus::NoBracket, root;

  Sample newest{b, fb}, other{a, fa};
  double t = 0.5;
  // Some three evaluations halve the bracket at least, so this many bound even a bracket from zero to infinity.
  for (int budget = 8000; budget > 0; --budget) {
    const double width = std::abs(newest.x - other.x);
    if (width <= tolerance) break;
    const double margin = std::min(0.5, 0.5 * tolerance / width);
    const double x = inside(newest.x, other.x, std::clamp(t, margin, 1 - margin));
    if (x == newest.x) break;  // neighbouring doubles
    const double fx = f(x);
    ++root.evaluations;
    if (!std::isfinite(fx)) return root.status = RootStatus::NotFinite, root;
    if (fx == 0) return stop_at_zero(x);
    Sample last = newest;
    if (opposite(fx, newest.f)) {
      last = other;
      other = newest;
    }
    newest = {x, fx};
    if (opposite(fx, fa)) {
      root.after = x, root.f_after = fx;
    } else {
      root.before = x, root.f_before = fx;
    }
    t = choose_fraction(newest, other, last);
  }
  return root;
}

Root find_root(FunctionRef<double(double)> f, double a, double b, double tolerance) {
  Root root = find_root(f, a, f(a), b, f(b), tolerance);
  root.evaluations += 2;
  return root;
}

Extremum find_minimum(FunctionRef<double(double)> f, double a, double b, double tolerance, double enough) {
  const double golden = 0.5 * (3 - std::sqrt(5.0));
  if (a > b) std::swap(a, b);
  double x = a + golden * (b - a), w = x, v = x;
  double fx = f(x), fw = fx, fv = fx;
  double step = 0, last_step = 0;
  int evaluations = 1;
  while (evaluations < 200 && fx > enough) {
    const double middle = 0.5 * (a + b);
    const double least = std::max(tolerance, 1e-15 * std::abs(x));
    if (std::abs(x - middle) + 0.5 * (b - a) <= 2 * least) break;
    bool parabola = false;
    if (std::abs(last_step) > least) {
      const double r = (x - w) * (fx - fv), s = (x - v) * (fx - fw);
      double p = (x - v) * s - (x - w) * r, q = 2 * (s - r);
      if (q > 0) p = -p;
      q = std::abs(q);
      parabola = std::abs(p) < std::abs(0.5 * q * last_step) && p > q * (a - x) && p < q * (b - x);
      if (parabola) {
        last_step = step;
        step = p / q;
      }
    }
    if (!parabola) {
      last_step = (x < middle ? b : a) - x;
      step = golden * last_step;
    }
    const double u = x + (std::abs(step) >= least ? step : std::copysign(least, step));
    const double fu = f(u);
    ++evaluations;
    if (fu <= fx) {
      (u < x ? b : a) = x;
      v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
    } else {
      (u < x ? a : b) = u;
      if (fu <= fw || w == x) {
        v = w, fv = fw, w = u, fw = fu;
      } else if (fu <= fv || v == x || v == w) {
        v = u, fv = fu;
      }
    }
  }
  return {x, fx, evaluations};
}

}  // namespace kane
