#pragma once
// Forward dynamics of a serial arm with n revolute joints, written with bare expressions: a load for the compiler that
// looks like what it will be given. Axes alternate z, y, x; every link has mass, mass centre, full inertia and a
// general offset, all symbolic. Bias by Newton and Euler's recursion, mass matrix by composite bodies, then a
// symbolic L D L^T solution (Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 5, 6 and 8).

#include <array>
#include <string>
#include <vector>

#include "kane/expr/graph.hpp"
#include "kane/program/lower.hpp"

namespace kane::bench {

using Vec = std::array<Expr, 3>;
using Mat = std::array<Vec, 3>;  // rows

inline Vec operator+(const Vec& a, const Vec& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec operator*(const Expr& s, const Vec& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Expr dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec operator*(const Mat& m, const Vec& a) { return {dot(m[0], a), dot(m[1], a), dot(m[2], a)}; }

struct SerialArm {
  std::vector<NamedExpr> outputs;  ///< u1', u2', ...
  ProgramInputs inputs;
};

class SerialArmMaker {
 public:
  SerialArmMaker(Graph& graph, int joints) : graph_(graph), n_(static_cast<std::size_t>(joints)) {}

  SerialArm run() {
    SerialArm arm;
    for (std::size_t i = 0; i < n_; ++i) add_link(arm, i);
    gravity_ = add(arm.inputs.parameters, "g");
    calc_bias();
    calc_mass_matrix();
    solve();
    for (std::size_t i = 0; i < n_; ++i) arm.outputs.push_back({"u" + std::to_string(i + 1) + "'", rhs_[i]});
    return arm;
  }

 private:
  struct Link {
    std::size_t axis;
    Expr q, u, torque, sine, cosine, mass;
    Vec offset, moment;  // of the joint in its parent; mass times mass centre
    Mat inertia;         // about the joint
    Vec w, a, alpha, force, couple;
    Expr total_mass;
    Vec total_moment;
    Mat total_inertia;
  };

  Expr add(std::vector<std::string>& list, const std::string& name) {
    list.push_back(name);
    return graph_.symbol(name);
  }

  void add_link(SerialArm& arm, std::size_t i) {
    const std::string k = std::to_string(i + 1);
    auto& p = arm.inputs.parameters;
    Link link;
    link.axis = 2 - i % 3;
    link.q = add(arm.inputs.state, "q" + k);
    link.u = add(arm.inputs.state, "u" + k);
    link.torque = add(arm.inputs.inputs, "T" + k);
    link.sine = sin(link.q);
    link.cosine = cos(link.q);
    link.mass = add(p, "m" + k);
    link.offset = {add(p, "a" + k), Expr(0), add(p, "d" + k)};
    link.moment = {link.mass * add(p, "x" + k), link.mass * add(p, "y" + k), link.mass * add(p, "z" + k)};
    const Expr xy = add(p, "Ixy" + k), xz = add(p, "Ixz" + k), yz = add(p, "Iyz" + k);
    link.inertia = {Vec{add(p, "Ixx" + k), xy, xz}, Vec{xy, add(p, "Iyy" + k), yz}, Vec{xz, yz, add(p, "Izz" + k)}};
    links_.push_back(link);
  }

  /// Components in the link of a vector given in its parent, and back.
  static Vec down(const Link& l, const Vec& v) { return turn(l, v, -l.sine); }
  static Vec up(const Link& l, const Vec& v) { return turn(l, v, l.sine); }
  static Vec turn(const Link& l, const Vec& v, const Expr& sine) {
    const std::size_t x = (l.axis + 1) % 3, y = (l.axis + 2) % 3;
    Vec r = v;
    r[x] = l.cosine * v[x] - sine * v[y];
    r[y] = sine * v[x] + l.cosine * v[y];
    return r;
  }

  void calc_bias() {
    Vec w{}, alpha{}, a{Expr(0), Expr(0), gravity_};
    for (Link& l : links_) {
      a = down(l, a + cross(alpha, l.offset) + cross(w, cross(w, l.offset)));
      w = down(l, w);
      alpha = down(l, alpha);
      Vec rate{};
      rate[l.axis] = l.u;
      alpha = alpha + cross(w, rate);
      w = w + rate;
      l.w = w;
      l.force = l.mass * a + cross(alpha, l.moment) + cross(w, cross(w, l.moment));
      l.couple = l.inertia * alpha + cross(w, l.inertia * w) + cross(l.moment, a);
    }
    rhs_.resize(n_);
    for (std::size_t i = n_; i-- > 0;) {
      Link& l = links_[i];
      rhs_[i] = l.torque - l.couple[l.axis];
      if (i == 0) continue;
      Link& parent = links_[i - 1];
      const Vec force = up(l, l.force);
      parent.force = parent.force + force;
      parent.couple = parent.couple + up(l, l.couple) + cross(l.offset, force);
    }
  }

  /// Mass, first moment and inertia about the joint of everything from link i outwards.
  void gather(std::size_t i) {
    Link& l = links_[i];
    l.total_mass = l.mass;
    l.total_moment = l.moment;
    l.total_inertia = l.inertia;
    if (i + 1 == n_) return;
    const Link& child = links_[i + 1];
    const Vec h = up(child, child.total_moment);
    const Vec r = child.offset;
    Mat turned;
    for (std::size_t k = 0; k < 3; ++k) turned[k] = up(child, child.total_inertia[k]);
    Mat inertia;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec column = up(child, {turned[0][k], turned[1][k], turned[2][k]});
      for (std::size_t j = 0; j < 3; ++j) inertia[j][k] = column[j];
    }
    // I + 2 (h.r) 1 - h r - r h + m (r.r 1 - r r)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) {
        Expr shift = -h[j] * r[k] - r[j] * h[k] - child.total_mass * r[j] * r[k];
        if (j == k) shift += 2 * dot(h, r) + child.total_mass * dot(r, r);
        l.total_inertia[j][k] += inertia[j][k] + shift;
      }
    l.total_moment = l.total_moment + h + child.total_mass * r;
    l.total_mass += child.total_mass;
  }

  void calc_mass_matrix() {
    mass_.assign(n_, std::vector<Expr>(n_));
    for (std::size_t i = n_; i-- > 0;) {
      gather(i);
      const Link& l = links_[i];
      Vec axis{};
      axis[l.axis] = Expr(1);
      Vec couple = {l.total_inertia[0][l.axis], l.total_inertia[1][l.axis], l.total_inertia[2][l.axis]};
      Vec force = cross(axis, l.total_moment);
      mass_[i][i] = couple[l.axis];
      for (std::size_t j = i; j-- > 0;) {
        force = up(links_[j + 1], force);
        couple = up(links_[j + 1], couple) + cross(links_[j + 1].offset, force);
        mass_[i][j] = mass_[j][i] = couple[links_[j].axis];
      }
    }
  }

  /// L^T D L from the last joint to the first, as suits a chain.
  void solve() {
    for (std::size_t k = n_; k-- > 0;)
      for (std::size_t i = k; i-- > 0;) {
        const Expr factor = mass_[k][i] / mass_[k][k];
        for (std::size_t j = i + 1; j-- > 0;) mass_[i][j] -= factor * mass_[k][j];
        rhs_[i] -= factor * rhs_[k];
      }
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < i; ++j) rhs_[i] -= mass_[i][j] * rhs_[j];
      rhs_[i] = rhs_[i] / mass_[i][i];
    }
  }

  Graph& graph_;
  std::size_t n_;
  Expr gravity_;
  std::vector<Link> links_;
  std::vector<Expr> rhs_;
  std::vector<std::vector<Expr>> mass_;
};

inline SerialArm make_serial_arm(Graph& graph, int joints) { return SerialArmMaker(graph, joints).run(); }

}  // namespace kane::bench
