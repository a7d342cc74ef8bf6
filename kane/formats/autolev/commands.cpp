// Commands: calls that stand alone and state something or work something out.

#include "kane/formats/autolev/commands.hpp"

#include <algorithm>
#include <array>

#include "kane/base/suggest.hpp"
#include "kane/expr/number.hpp"
#include "kane/formats/autolev/eigen.hpp"
#include "kane/formats/autolev/matrices.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane::autolev {

namespace {

[[noreturn]] void wrong_command(const Node& call) {
  throw ModelError(call.where,
                   fmt::format("{} is not written like this; write {}", folded(call.text), help_text(call.text)));
}

void need_count(const Node& call, std::size_t least, std::size_t most) {
  if (call.children.size() < least || call.children.size() > most) wrong_command(call);
}

/// How two frames or points lie along an axis of one of them: +-(index + 1), or 0.
int axis_index(const Expr3& c) {
  for (int i = 0; i < 3; ++i) {
    const auto at = [&](int k) { return c[static_cast<std::size_t>(k)]; };
    if (!at((i + 1) % 3).is_zero() || !at((i + 2) % 3).is_zero()) continue;
    if (at(i).is_one()) return i + 1;
    if ((-at(i)).is_one()) return -(i + 1);
  }
  return 0;
}

}  // namespace

struct Commands {
  // ---- orientation ------------------------------------------------------------------------------------------------------
  static Expr angle(Session& s, const Node& node) {
    const Expr e = s.evaluate_scalar(node);
    // A bare number is in degrees.
    if (e.is_number() && s.w_.settings.degrees) return e * s.graph_->pi() / Expr(180);
    return s.graph_->bind(e);
  }

  static void log_cosines(Session& s, FrameId a, FrameId b) {
    s.log_result(s.frame_name(a) + "_" + s.frame_name(b), s.direction_cosines(a, b));
  }

  static void simprot(Session& s, const Node& call) {
    need_count(call, 4, 4);
    const FrameId a = s.frame_of(call.children[0]);
    const FrameId b = s.frame_of(call.children[1]);
    if (a == b) throw ModelError(call.where, "a frame cannot be turned relative to itself");
    const Value about = s.evaluate(call.children[2]);
    const Expr theta = angle(s, call.children[3]);
    int axis = 0;
    Expr3 components;
    if (const auto* number = std::get_if<Expr>(&about)) {
      axis = number->is_number() ? static_cast<int>(to_double(number->number())) : 0;
      if (axis == 0 || std::abs(axis) > 3 || !(Expr(axis) == Expr(number->number())))
        throw ModelError(call.children[2].where, "the axis of SIMPROT is 1, 2, 3, -1, -2, -3 or a vector");
    } else if (const auto* v = std::get_if<Vector>(&about)) {
      if (v->is_zero()) throw ModelError(call.children[2].where, "the axis is the zero vector");
      // The axis has the same components in both frames, so it may be written in either.
      components = v->terms().size() == 1 && v->terms()[0].frame == b ? v->terms()[0].c : s.frames().express(*v, a);
      axis = axis_index(components);
    } else {
      wrong_command(call);
    }
    if (axis != 0)
      s.orient(a, b, SimpleRotation{static_cast<Axis>(std::abs(axis) - 1), axis > 0 ? theta : -theta});
    else
      s.orient(a, b, AxisRotation{components, theta});
    log_cosines(s, a, b);
  }

  struct Parameters {
    std::optional<RotationSequence> sequence;
    std::vector<Expr> values;
    bool euler = false;
  };

  static Parameters parameters(Session& s, const Node& call) {
    need_count(call, 6, 7);
    Parameters p;
    const std::string type = folded(call.children[2].text);
    const bool four = type == "EULER";
    const bool sequence = type.starts_with("BODY") || type.starts_with("SPACE");
    if (!four && !sequence && type != "RODRIGUES")
      throw ModelError(
          call.children[2].where,
          fmt::format("'{}' is not known; orientations are BODY123 (and other axes), SPACE123, EULER, RODRIGUES",
                      call.children[2].text));
    if (call.children.size() != (four ? 7U : 6U))
      throw ModelError(call.where, fmt::format("{} takes {} parameters", type, four ? 4 : 3));
    for (std::size_t i = 3; i < call.children.size(); ++i)
      p.values.push_back(sequence ? angle(s, call.children[i]) : s.evaluate_scalar(call.children[i]));
    p.euler = four;
    if (!sequence) return p;
    const bool space = type.starts_with("SPACE");
    const std::string digits = type.substr(space ? 5 : 4);
    if (digits.size() != 3 || digits.find_first_not_of("123") != std::string::npos || digits[0] == digits[1] ||
        digits[1] == digits[2])
      throw ModelError(call.children[2].where,
                       fmt::format("'{}' is no sequence of axes such as BODY123", call.children[2].text));
    p.sequence = RotationSequence{
        space,
        {static_cast<Axis>(digits[0] - '1'), static_cast<Axis>(digits[1] - '1'), static_cast<Axis>(digits[2] - '1')},
        {p.values[0], p.values[1], p.values[2]}};
    return p;
  }

  static Expr33 matrix_of(Session& s, const RotationSequence& q) {
    const auto m = [&](std::size_t i) { return simple_rotation_matrix(q.axes[i], s.graph_->bind(q.angles[i])); };
    return q.space ? multiply(m(2), multiply(m(1), m(0))) : multiply(m(0), multiply(m(1), m(2)));
  }

  static void dircos(Session& s, const Node& call) {
    const Parameters p = parameters(s, call);
    const FrameId a = s.frame_of(call.children[0]);
    const FrameId b = s.frame_of(call.children[1]);
    if (p.sequence)
      s.orient(a, b, DirectionCosines{matrix_of(s, *p.sequence)}, p.sequence);
    else if (p.euler)
      s.orient(a, b, EulerParameters{{p.values[0], p.values[1], p.values[2], p.values[3]}});
    else
      s.orient(a, b, RodriguesParameters{{p.values[0], p.values[1], p.values[2]}});
    log_cosines(s, a, b);
  }

  static void angvel(Session& s, const Node& call) {
    need_count(call, 2, 7);
    if (call.children.size() > 2) dircos(s, call);  // ANGVEL(A,B,BODY123,q1,q2,q3) states the orientation as well
    const FrameId a = s.frame_of(call.children[0]);
    const FrameId b = s.frame_of(call.children[1]);
    const Vector w = s.angular_velocity(b, a);
    set_omega(s, b, a, w);
  }

  static void set_omega(Session& s, FrameId b, FrameId a, const Vector& w) {
    s.w_.omegas.erase({a, b});
    s.w_.omegas[{b, a}] = w;
    ++s.w_.version;
    s.log_result("W_" + s.frame_name(b) + "_" + s.frame_name(a) + ">", w);
  }

  static void kindiffs(Session& s, const Node& call) {
    const Parameters p = parameters(s, call);
    const FrameId a = s.frame_of(call.children[0]);
    const FrameId b = s.frame_of(call.children[1]);
    // The angular velocity as stated; that of the orientation itself would say nothing.
    const auto turns = s.w_.turns;
    std::erase_if(s.w_.turns,
                  [&](const Turn& t) { return (t.parent == a && t.child == b) || (t.parent == b && t.child == a); });
    Vector stated;
    try {
      stated = s.angular_velocity(b, a);
    } catch (const ModelError&) {
      s.w_.turns = turns;
      throw ModelError(call.where,
                       fmt::format("KINDIFFS needs the angular velocity of {0} in {1}; state W_{0}_{1}> first",
                                   s.frame_name(b), s.frame_name(a)));
    }
    s.w_.turns = turns;
    if (!s.frames().related(a, b)) orient_silently(s, a, b, p);
    const Expr3 w = s.frames().express(stated, b);
    std::vector<Expr> names;
    for (const Expr& v : p.values) {
      const Scalar* q = v.is_symbol() ? s.find_symbol(v) : nullptr;
      if (q == nullptr) throw ModelError(call.where, "KINDIFFS takes the names of variables");
      names.push_back(s.need_derivative(*q, q->primes + 1).symbol);
    }
    std::vector<Expr> rates;
    if (p.euler) {
      const auto r = euler_parameter_rates({p.values[0], p.values[1], p.values[2], p.values[3]}, w);
      rates.assign(r.begin(), r.end());
    } else if (!p.sequence) {
      const Expr3 r = rodrigues_rates({p.values[0], p.values[1], p.values[2]}, w);
      rates.assign(r.begin(), r.end());
    } else {
      rates = sequence_rates(s, *p.sequence, w);
    }
    for (std::size_t i = 0; i < rates.size(); ++i) {
      Scalar& q = s.scalar(s.w_.by_symbol.at(names[i].id()));
      s.define(q, rates[i], Origin::Assigned);
      s.log_result(q.spelled(), rates[i]);
    }
  }

  static void orient_silently(Session& s, FrameId a, FrameId b, const Parameters& p) {
    if (p.sequence)
      s.orient(a, b, DirectionCosines{matrix_of(s, *p.sequence)}, p.sequence);
    else if (p.euler)
      s.orient(a, b, EulerParameters{{p.values[0], p.values[1], p.values[2], p.values[3]}});
    else
      s.orient(a, b, RodriguesParameters{{p.values[0], p.values[1], p.values[2]}});
  }

  /// Rates of the angles: w is linear in them, column i is the axis of angle i in the child.
  static std::vector<Expr> sequence_rates(Session& s, const RotationSequence& q, const Expr3& w) {
    std::array<std::size_t, 3> order{0, 1, 2};
    if (q.space) std::swap(order[0], order[2]);
    ExprMatrix m(3, 3);
    for (std::size_t k = 0; k < 3; ++k) {
      Expr3 axis;
      axis[index(q.axes[order[k]])] = 1;
      for (std::size_t next = k + 1; next < 3; ++next)
        axis = multiply(transpose(simple_rotation_matrix(q.axes[order[next]], s.graph_->bind(q.angles[order[next]]))),
                        axis);
      for (std::size_t i = 0; i < 3; ++i) m(i, order[k]) = axis[i];
    }
    return multiply(inverted(m), column_of({w[0], w[1], w[2]})).entries;
  }

  // ---- points -----------------------------------------------------------------------------------------------------------
  struct Two {
    FrameId n, b;
    PointIndex p, q;
  };
  static Two two_points(Session& s, const Node& call) {
    need_count(call, 4, 4);
    return {s.frame_of(call.children[0]), s.frame_of(call.children[1]), s.point_of(call.children[2]),
            s.point_of(call.children[3])};
  }
  static void set_velocity(Session& s, PointIndex q, FrameId n, const Vector& v) {
    s.w_.velocities[{q, n}] = v;
    s.log_result("V_" + s.w_.points[static_cast<std::size_t>(q)] + "_" + s.frame_name(n) + ">", v);
  }
  static void set_acceleration(Session& s, PointIndex q, FrameId n, const Vector& v) {
    s.w_.accelerations[{q, n}] = v;
    s.log_result("A_" + s.w_.points[static_cast<std::size_t>(q)] + "_" + s.frame_name(n) + ">", v);
  }
  static Vector relative_velocity(Session& s, const Two& t) {
    if (const auto v = s.w_.velocities.find({t.q, t.b}); v != s.w_.velocities.end()) return v->second;
    return s.derivative(s.position(t.p, t.q), t.b);
  }

  static void v2pts(Session& s, const Node& call) {
    const Two t = two_points(s, call);
    const Vector turning = s.frames().cross(s.angular_velocity(t.b, t.n), s.position(t.p, t.q));
    set_velocity(s, t.q, t.n, s.velocity(t.p, t.n) + turning);
  }
  static void v1pt(Session& s, const Node& call) {
    const Two t = two_points(s, call);
    const Vector turning = s.frames().cross(s.angular_velocity(t.b, t.n), s.position(t.p, t.q));
    set_velocity(s, t.q, t.n, s.velocity(t.p, t.n) + turning + relative_velocity(s, t));
  }
  static Vector carried_acceleration(Session& s, const Two& t) {
    const Vector w = s.angular_velocity(t.b, t.n);
    const Vector r = s.position(t.p, t.q);
    return s.acceleration(t.p, t.n) + s.frames().cross(s.angular_acceleration(t.b, t.n), r) +
           s.frames().cross(w, s.frames().cross(w, r));
  }
  static void a2pts(Session& s, const Node& call) {
    const Two t = two_points(s, call);
    set_acceleration(s, t.q, t.n, carried_acceleration(s, t));
  }
  static void a1pt(Session& s, const Node& call) {
    const Two t = two_points(s, call);
    const Vector v = relative_velocity(s, t);
    const auto stated = s.w_.accelerations.find({t.q, t.b});
    const Vector a = stated != s.w_.accelerations.end() ? stated->second : s.derivative(v, t.b);
    set_acceleration(s, t.q, t.n,
                     carried_acceleration(s, t) + a + s.frames().cross(s.angular_velocity(t.b, t.n), v) * Expr(2));
  }

  // ---- loads ------------------------------------------------------------------------------------------------------------
  static void gravity(Session& s, const Node& call) {
    need_count(call, 1, 10000);
    const Vector g = s.evaluate_vector(call.children[0]);
    for (const int k : s.bodies_named(std::span(call.children).subspan(1))) {
      const Body& b = s.w_.bodies[static_cast<std::size_t>(k)];
      if (!b.mass) {
        s.w_.waiting_gravity.emplace_back(k, g);
        continue;
      }
      add_force(s, b.centre, g * *b.mass);
    }
  }
  static void add_force(Session& s, PointIndex p, const Vector& force) {
    s.w_.forces[p] += force;
    s.log_result("FORCE_" + s.w_.points[static_cast<std::size_t>(p)] + ">", s.w_.forces[p]);
  }
  static void add_torque(Session& s, FrameId f, const Vector& torque) {
    s.w_.torques[f] += torque;
    s.log_result("TORQUE_" + s.frame_name(f) + ">", s.w_.torques[f]);
  }
  /// FORCE(P/Q,v>): v> on Q and its opposite on P.
  static void force(Session& s, const Node& call) {
    need_count(call, 2, 2);
    const Node& on = call.children[0];
    const Vector v = s.evaluate_vector(call.children[1]);
    if (on.kind == NodeKind::Binary && on.text == "/") {
      const PointIndex p = s.point_of(on.children[0]);
      const PointIndex q = s.point_of(on.children[1]);
      add_force(s, p, -v);
      add_force(s, q, v);
      return;
    }
    add_force(s, s.point_of(on), v);
  }
  static void torque(Session& s, const Node& call) {
    need_count(call, 2, 2);
    const Node& on = call.children[0];
    const Vector v = s.evaluate_vector(call.children[1]);
    if (on.kind == NodeKind::Binary && on.text == "/") {
      const FrameId a = s.frame_of(on.children[0]);
      const FrameId b = s.frame_of(on.children[1]);
      add_torque(s, a, -v);
      add_torque(s, b, v);
      return;
    }
    add_torque(s, s.frame_of(on), v);
  }

  // ---- equations --------------------------------------------------------------------------------------------------------
  static void constrain(Session& s, const Node& call) {
    need_count(call, 1, 10);
    s.constrain(call);
  }
  static void kane(Session& s, const Node& call) { s.solve_motion(s.symbols_named(call.children, false), call.where); }

  static void solve(Session& s, const Node& call) {
    need_count(call, 2, 10000);
    const Value v = s.evaluate(call.children[0]);
    ExprMatrix m;
    if (const auto* e = std::get_if<Expr>(&v))
      m = column_of({rhs_of_name(s, call.children[0], *e)});
    else if (const auto* given = std::get_if<ExprMatrix>(&v))
      m = *given;
    else
      wrong_command(call);
    s.solve_equations(m, s.symbols_named(std::span(call.children).subspan(1), true), call.where,
                      "SOLVE(" + call.children[0].spelled() + ")");
  }
  static Expr rhs_of_name(Session& s, const Node& node, const Expr& e) {
    const Scalar* known = node.is_name() ? s.find(node.key()) : nullptr;
    return known != nullptr && known->value ? *known->value : e;
  }

  static void eig(Session& s, const Node& call) {
    need_count(call, 1, 3);
    const Value v = s.evaluate(call.children[0]);
    const auto* m = std::get_if<ExprMatrix>(&v);
    if (m == nullptr) wrong_command(call);
    const EigenValues r = eigenvalues_of(s, *m, call.where, call.children.size() == 3);
    const auto keep = [&](std::size_t i, const ExprMatrix& value) {
      const Node& name = call.children[i];
      if (!name.is_name() || name.rank != 0)
        throw ModelError(name.where, "EIG(M,values,vectors) takes names for its results");
      s.w_.matrices[name.key()] = value;
      s.w_.spelling[name.key()] = name.spelled();
      s.log_result(name.spelled(), value);
    };
    if (call.children.size() == 1)
      s.log_result(call.children[0].is_name() ? call.text + "(" + call.children[0].spelled() + ")" : "EIGENVALUES",
                   r.values);
    if (call.children.size() > 1) keep(1, r.values);
    if (call.children.size() > 2) keep(2, r.vectors);
  }

  /// GYROSTAT(A,B[,C]): the bodies B, C are rotors in the carrier A, symmetric about axes fixed in it. Their mass centres move
  /// with A; their orientation is of no consequence and need not be stated.
  static void gyrostat(Session& s, const Node& call) {
    need_count(call, 2, 1000);
    const int carrier = s.body_of(call.children[0]);
    const FrameId n = s.newtonian(call.where);
    const auto body = [&](int k) -> const Body& { return s.w_.bodies[static_cast<std::size_t>(k)]; };
    const auto need_frame = [&](int k, const Node& node) {
      if (body(k).is_particle())
        throw ModelError(node.where, fmt::format("{} is a particle, which is no part of a gyrostat", body(k).name));
    };
    need_frame(carrier, call.children[0]);
    for (std::size_t i = 1; i < call.children.size(); ++i) {
      const int rotor = s.body_of(call.children[i]);
      need_frame(rotor, call.children[i]);
      if (rotor == carrier) throw ModelError(call.children[i].where, "a body cannot be a rotor in itself");
      s.w_.carriers[rotor] = carrier;
      const PointIndex from = body(carrier).centre, to = body(rotor).centre;
      if (s.w_.velocities.contains({to, n}) || !s.find_position(from, to)) continue;
      const Vector turning = s.frames().cross(s.angular_velocity(body(carrier).frame, n), s.position(from, to));
      set_velocity(s, to, n, s.velocity(from, n) + turning);
    }
    ++s.w_.version;
  }

  static void animate(Session& s, const Node& call) {
    need_count(call, 2, 1000);
    const FrameId n = s.frame_of(call.children[0]);
    const PointIndex o = s.point_of(call.children[1]);
    for (const int b : s.bodies_named(std::span(call.children).subspan(2))) (void)b;
    s.note(
        fmt::format("ANIMATE is read and writes no files; kane simulate SCRIPT --report FILE.html shows the motion of "
                    "the columns (frame {}, origin {})",
                    s.frame_name(n), s.w_.points[static_cast<std::size_t>(o)]));
  }
};

const std::map<std::string, CommandHandler, std::less<>>& command_table() {
  static const std::map<std::string, CommandHandler, std::less<>> table{
      {"SIMPROT", Commands::simprot},   {"DIRCOS", Commands::dircos},
      {"ANGVEL", Commands::angvel},     {"KINDIFFS", Commands::kindiffs},
      {"V2PTS", Commands::v2pts},       {"V2PT", Commands::v2pts},
      {"V1PT", Commands::v1pt},         {"A2PTS", Commands::a2pts},
      {"A2PT", Commands::a2pts},        {"A1PT", Commands::a1pt},
      {"GRAVITY", Commands::gravity},   {"FORCE", Commands::force},
      {"TORQUE", Commands::torque},     {"CONSTRAIN", Commands::constrain},
      {"KANE", Commands::kane},         {"SOLVE", Commands::solve},
      {"EIG", Commands::eig},           {"ANIMATE", Commands::animate},
      {"V1PTS", Commands::v1pt},        {"A1PTS", Commands::a1pt},
      {"GYROSTAT", Commands::gyrostat},
  };
  return table;
}

}  // namespace kane::autolev
