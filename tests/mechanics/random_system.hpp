#pragma once
// A random tree of bodies, built twice: as a System, and as plain numbers (taylor.hpp) from which generalized forces
// follow by Newton and Euler's equations and d'Alembert's principle.

#include <random>
#include <string>
#include <vector>

#include "taylor.hpp"

namespace kane::test {

class RandomSystem {
 public:
  /// With `free` the first body has six degrees of freedom. Speeds: the rates, or mixtures of them.
  RandomSystem(unsigned seed, bool free, bool mixed_speeds) : random_(seed) {
    const int bodies = whole(1, 4);
    for (int i = 0; i < bodies; ++i) add_body(i, free && i == 0);
    add_loads();
    add_speeds(mixed_speeds);
  }

  System s{"random"};
  std::vector<Expr> q;  ///< coordinates

  /// A random state: t, q, q', q'' and with them u and u' of the definitions.
  NumberMap state() {
    NumberMap v{{"t", uniform(0, 1)}};
    for (const Expr& c : q) {
      v[c.name()] = uniform(-1.2L, 1.2L);
      v[c.name() + "'"] = uniform(-1, 1);
      v[c.name() + "''"] = uniform(-1, 1);
    }
    for (const SpeedRecord& u : s.speeds()) {
      v[u.symbol.name()] = calc(u.definition, v);
      Number rate = calc(derivative(u.definition, s.time()), v);
      for (const Expr& c : q) {
        rate += calc(derivative(u.definition, c), v) * v[c.name() + "'"];
        rate += calc(derivative(u.definition, s.rate(c)), v) * v[c.name() + "''"];
      }
      v[u.derivative.name()] = rate;
    }
    return v;
  }

  struct Loads {
    Vec<Number> force{}, moment{};  ///< sum and moment about the origin of what acts from outside
    std::vector<Number> active;     ///< F_r for the rates as speeds
  };
  struct Body {
    std::string name;
    int parent;
    Number mass;
    std::array<Vec<Number>, 3> I;
    Vec<Number> centre, place;  // mass centre in the body; where it hangs on the parent
    std::size_t slide_axis, spin_axis;
    int slide = -1, spin = -1;  // coordinates
    std::array<int, 3> angles{-1, -1, -1};
    std::array<std::size_t, 3> axes{};
    bool space = false, free = false;
    FrameId frame;
    PointId hinge, mass_centre;
  };
  struct Moved {
    Turn3 R;
    Point3 origin, centre;
  };
  [[nodiscard]] const std::vector<Body>& bodies() const { return bodies_; }

  /// Where the bodies are along q + q' t + q'' t^2/2.
  [[nodiscard]] std::vector<Moved> move(const std::vector<Taylor>& x) const {
    std::vector<Moved> r;
    for (const Body& b : bodies_) {
      Moved m;
      const Turn3 R0 = b.parent < 0 ? identity() : r[static_cast<std::size_t>(b.parent)].R;
      m.origin = b.parent < 0 ? Point3{} : r[static_cast<std::size_t>(b.parent)].origin;
      Point3 place = constant(b.place);
      const auto coordinate = [&](int i) { return x[static_cast<std::size_t>(i)]; };
      if (b.free)
        for (std::size_t k = 0; k < 3; ++k) place[k] = place[k] + coordinate(static_cast<int>(k));
      if (b.slide >= 0) place[b.slide_axis] = place[b.slide_axis] + coordinate(b.slide);
      m.origin = m.origin + R0 * place;
      m.R = R0;
      if (b.spin >= 0) m.R = R0 * simple_turn(b.spin_axis, coordinate(b.spin));
      if (b.angles[0] >= 0) {
        Turn3 turn = identity();
        for (std::size_t k = 0; k < 3; ++k) {
          const Turn3 next = simple_turn(b.axes[k], coordinate(b.angles[k]));
          turn = b.space ? next * turn : turn * next;
        }
        m.R = R0 * turn;
      }
      m.centre = m.origin + m.R * constant(b.centre);
      r.push_back(m);
    }
    return r;
  }

  [[nodiscard]] std::vector<Moved> move(const NumberMap& v) const {
    std::vector<Taylor> x;
    for (const Expr& c : q) x.push_back({v.at(c.name()), v.at(c.name() + "'"), v.at(c.name() + "''")});
    return move(x);
  }
  /// Rates where only coordinate r moves, at unit rate: the partial velocities.
  [[nodiscard]] std::vector<Moved> move_one(const NumberMap& v, std::size_t r) const {
    std::vector<Taylor> x;
    for (std::size_t i = 0; i < q.size(); ++i) x.push_back({v.at(q[i].name()), i == r ? 1.0L : 0.0L, 0});
    return move(x);
  }

  /// F*_r = -sum m a . v_r + (I alpha + w x I w) . w_r.
  [[nodiscard]] std::vector<Number> inertia_forces(const NumberMap& v) const {
    const std::vector<Moved> now = move(v);
    std::vector<Number> F(q.size());
    for (std::size_t r = 0; r < q.size(); ++r) {
      const std::vector<Moved> partial = move_one(v, r);
      for (std::size_t i = 0; i < bodies_.size(); ++i) {
        const Body& b = bodies_[i];
        const Vec<Number> w = spin(now[i].R, &Taylor::d), alpha = spin(now[i].R, &Taylor::dd);
        const Vec<Number> torque =
            plus(turned_inertia(now[i].R, b.I, alpha), outer(w, turned_inertia(now[i].R, b.I, w)));
        F[r] -= b.mass * inner(second_rates_of(now[i].centre), rates_of(partial[i].centre));
        F[r] -= inner(torque, spin(partial[i].R, &Taylor::d));
      }
    }
    return F;
  }

  /// Loads on the last body, without the motor at its joint.
  [[nodiscard]] Loads load_on_last(const NumberMap& v) const { return loads(v, true); }
  [[nodiscard]] Loads loads(const NumberMap& v, bool last_only = false) const {
    const std::vector<Moved> now = move(v);
    Loads l;
    l.active.resize(q.size());
    std::vector<std::vector<Moved>> partial;
    for (std::size_t r = 0; r < q.size(); ++r) partial.push_back(move_one(v, r));
    const auto act = [&](std::size_t body, const Vec<Number>& at, const Vec<Number>& force, const Vec<Number>& torque) {
      if (last_only && body + 1 != bodies_.size()) return;
      const Vec<Number> place = values_of(now[body].origin + now[body].R * constant(at));
      l.force = plus(l.force, force);
      l.moment = plus(plus(l.moment, outer(place, force)), torque);
      for (std::size_t r = 0; r < q.size(); ++r) {
        const Moved& m = partial[r][body];
        l.active[r] += inner(force, rates_of(m.origin + m.R * constant(at))) + inner(torque, spin(m.R, &Taylor::d));
      }
    };
    const Number push = strength(v);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Body& b = bodies_[i];
      act(i, b.centre, {b.mass * gravity_[0], b.mass * gravity_[1], b.mass * gravity_[2]}, {});
    }
    act(bodies_.size() - 1, tip_, {push * push_[0], push * push_[1], push * push_[2]}, {});
    // A motor between the last body and its parent, about an axis of the body.
    const Body& last = bodies_.back();
    const Turn3& R = now.back().R;
    const Vec<Number> motor{push * R[0][1].v, push * R[1][1].v, push * R[2][1].v};
    if (!last_only) act(bodies_.size() - 1, {}, {}, motor);
    if (last.parent >= 0) act(static_cast<std::size_t>(last.parent), {}, {}, plus({}, motor, -1));
    // Spring and damper from the tip of the last body to the place of the first, both with ends on bodies or ground.
    const Point3 from = now[0].origin, to = now.back().origin + R * constant(tip_);
    const Vec<Number> span = plus(values_of(to), values_of(from), -1), speed = plus(rates_of(to), rates_of(from), -1);
    const Number length = std::sqrt(inner(span, span));
    const Number tension = 3.5L * (length - 0.25L) + 0.75L * inner(span, speed) / length;
    act(bodies_.size() - 1, tip_, plus({}, span, -tension / length), {});
    act(0, {}, plus({}, span, tension / length), {});
    return l;
  }

 private:
  Number uniform(Number low, Number high) {
    return std::uniform_real_distribution<double>(static_cast<double>(low), static_cast<double>(high))(random_);
  }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  /// A multiple of 1/64: the same number as an exact rational and as a double.
  Number grain(Number low, Number high) { return std::round(uniform(low, high) * 64) / 64; }
  static Expr exact(Number x) { return Expr(static_cast<int>(std::lround(x * 64))) / 64; }
  static Expr3 exact(const Vec<Number>& a) { return {exact(a[0]), exact(a[1]), exact(a[2])}; }
  static Point3 constant(const Vec<Number>& a) { return {Taylor{a[0]}, Taylor{a[1]}, Taylor{a[2]}}; }
  static Turn3 identity() { return {constant({1, 0, 0}), constant({0, 1, 0}), constant({0, 0, 1})}; }
  Vec<Number> vector(Number size) { return {grain(-size, size), grain(-size, size), grain(-size, size)}; }
  int coordinate() {
    q.push_back(s.add_coordinate("q" + std::to_string(q.size() + 1)));
    return static_cast<int>(q.size()) - 1;
  }
  [[nodiscard]] const Expr& at(int i) const { return q[static_cast<std::size_t>(i)]; }

  void add_body(int i, bool free) {
    Body b;
    b.name = "B" + std::to_string(i + 1);
    b.parent = i == 0 ? -1 : whole(free_ ? 0 : -1, i - 1);
    b.free = free;
    free_ = free_ || free;
    b.mass = grain(0.5, 2);
    b.centre = vector(0.5);
    b.place = vector(1);
    b.slide_axis = static_cast<std::size_t>(whole(0, 2));
    b.spin_axis = static_cast<std::size_t>(whole(0, 2));
    b.I = inertia_matrix();
    const FrameId parent = b.parent < 0 ? s.inertial() : bodies_[static_cast<std::size_t>(b.parent)].frame;
    const PointId hinge = b.parent < 0 ? s.origin() : bodies_[static_cast<std::size_t>(b.parent)].hinge;
    Vector place(parent, exact(b.place));
    if (free) place += Vector(parent, {at(coordinate()), at(coordinate()), at(coordinate())});
    const int kind = free ? 2 : whole(0, 2);
    if (!free && kind != 1 && whole(0, 2) == 0) b.slide = coordinate();
    if (kind == 1) b.slide = coordinate();  // slides without turning
    if (b.slide >= 0) place += at(b.slide) * unit(parent, static_cast<Axis>(b.slide_axis));
    b.frame = s.add_frame(b.name, parent, orientation(b, kind));
    b.hinge = s.add_point(b.name + "o", hinge, place);
    b.mass_centre = s.add_point(b.name + "*", b.hinge, Vector(b.frame, exact(b.centre)));
    const auto I = [&](std::size_t k, std::size_t l) { return exact(b.I[k][l]); };
    s.add_body(b.name, {b.frame, b.mass_centre, exact(b.mass),
                        inertia(b.frame, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(1, 2), I(2, 0))});
    bodies_.push_back(b);
  }

  Orientation orientation(Body& b, int kind) {
    if (kind == 1) return SimpleRotation{Axis::X, 0};
    if (kind == 0) {
      b.spin = coordinate();
      return SimpleRotation{static_cast<Axis>(b.spin_axis), at(b.spin)};
    }
    b.space = whole(0, 1) == 1;
    b.axes[1] = static_cast<std::size_t>(whole(0, 2));
    b.axes[0] = (b.axes[1] + static_cast<std::size_t>(whole(1, 2))) % 3;
    b.axes[2] = (b.axes[1] + static_cast<std::size_t>(whole(1, 2))) % 3;
    RotationSequence sequence;
    sequence.space = b.space;
    for (std::size_t k = 0; k < 3; ++k) {
      b.angles[k] = coordinate();
      sequence.axes[k] = static_cast<Axis>(b.axes[k]);
      sequence.angles[k] = at(b.angles[k]);
    }
    return sequence;
  }

  std::array<Vec<Number>, 3> inertia_matrix() {
    std::array<Vec<Number>, 3> I{};
    for (int n = 0; n < 4; ++n) {
      const Vec<Number> r = vector(0.7L);
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) I[i][j] += (i == j ? inner(r, r) : 0) - r[i] * r[j];
    }
    for (auto& row : I)
      for (Number& x : row) x = std::round(x * 64) / 64;
    return I;
  }

  /// Any expression of t, q and q'.
  [[nodiscard]] Expr strength() const {
    const Expr& a = q.front();
    const Expr& b = q.back();
    return 1 + sin(2 * s.time()) * a + s.rate(b) * cos(b) / 2;
  }
  [[nodiscard]] Number strength(const NumberMap& v) const {
    const std::string a = q.front().name(), b = q.back().name();
    return 1 + std::sin(2 * v.at("t")) * v.at(a) + v.at(b + "'") * std::cos(v.at(b)) / 2;
  }

  void add_loads() {
    gravity_ = vector(10);
    tip_ = vector(1);
    push_ = vector(2);
    const Body& last = bodies_.back();
    const FrameId N = s.inertial(),
                  inner_frame = last.parent < 0 ? N : bodies_[static_cast<std::size_t>(last.parent)].frame;
    const PointId tip = s.add_point("tip", last.hinge, Vector(last.frame, exact(tip_)));
    s.add_gravity(Vector(N, exact(gravity_)));
    s.add_force("push", tip, strength() * Vector(N, exact(push_)));
    s.add_torque_pair("motor", last.frame, inner_frame, strength() * y(last.frame));
    s.add_spring("spring", tip, bodies_[0].hinge, Expr(7) / 2, Expr(1) / 4);
    s.add_damper("damper", tip, bodies_[0].hinge, Expr(3) / 4);
  }

  void add_speeds(bool mixed) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      const std::string name = "u" + std::to_string(i + 1);
      const Expr rate = s.rate(q[i]);
      if (!mixed) {
        s.add_speed(name, rate);
        continue;
      }
      // Angular velocity measure numbers where three angles turn a body; elsewhere mixtures with the rates before.
      const Body* turned = nullptr;
      for (const Body& b : bodies_)
        for (const int a : b.angles)
          if (a == static_cast<int>(i)) turned = &b;
      if (turned != nullptr) {
        const auto axis = static_cast<Axis>(static_cast<int>(i) - turned->angles[0]);
        s.add_speed(name, s.dot(s.angular_velocity(turned->frame), unit(turned->frame, axis)));
      } else {
        const Expr mixture = i == 0 ? sin(s.time()) : s.rate(q[i - 1]) * cos(q[i]) + q[0] * s.time();
        s.add_speed(name, (2 + sin(q[i])) * rate + mixture);
      }
    }
  }

  std::mt19937 random_;
  bool free_ = false;
  std::vector<Body> bodies_;
  Vec<Number> gravity_{}, tip_{}, push_{};
};

}  // namespace kane::test
