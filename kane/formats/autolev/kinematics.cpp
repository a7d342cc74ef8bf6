// Frames, points, positions, velocities and accelerations: what is stated directly, and what follows from it.

#include <algorithm>
#include <deque>
#include <queue>

#include "kane/base/at.hpp"
#include "kane/base/suggest.hpp"
#include "kane/formats/autolev/session.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane::autolev {

namespace {

struct Prefix {
  std::string_view text;
  char kind;
  int rank;
};
constexpr Prefix kPrefixes[] = {{"P_", 'P', 1},   {"V_", 'V', 1}, {"A_", 'A', 1},     {"W_", 'W', 1},
                                {"ALF_", 'L', 1}, {"I_", 'I', 2}, {"FORCE_", 'F', 1}, {"TORQUE_", 'T', 1}};

}  // namespace

// ---- names ----------------------------------------------------------------------------------------------------------------

std::optional<FrameId> Session::find_frame(std::string_view key) const {
  const auto found = w_.frame_names.find(key);
  if (found == w_.frame_names.end()) return std::nullopt;
  return found->second;
}

std::optional<PointIndex> Session::find_point(std::string_view key) const {
  if (const auto found = w_.point_names.find(key); found != w_.point_names.end()) return found->second;
  for (const Body& b : w_.bodies)
    if (folded(b.name) == key) return b.centre;
  return std::nullopt;
}

/// The meaning of a name such as V_P_N>, if its parts are known.
std::optional<Session::Named> Session::find_named(std::string_view key, int rank) const {
  while (!key.empty() && key.back() == '>') key.remove_suffix(1);
  if (rank == 0) {
    for (std::size_t cut = key.find('_'); cut != std::string_view::npos; cut = key.find('_', cut + 1)) {
      const auto a = find_frame(key.substr(0, cut));
      const auto b = find_frame(key.substr(cut + 1));
      if (a && b) return Named{'C', static_cast<int>(a->index()), static_cast<int>(b->index())};
    }
    return std::nullopt;
  }
  for (const Prefix& prefix : kPrefixes) {
    if (prefix.rank != rank || !key.starts_with(prefix.text)) continue;
    const std::string_view rest = key.substr(prefix.text.size());
    if (prefix.kind == 'F') {
      if (const auto p = find_point(rest)) return Named{'F', *p, -1};
      continue;
    }
    if (prefix.kind == 'T') {
      if (const auto f = find_frame(rest)) return Named{'T', static_cast<int>(f->index()), -1};
      continue;
    }
    for (std::size_t cut = rest.find('_'); cut != std::string_view::npos; cut = rest.find('_', cut + 1)) {
      const std::string_view first = rest.substr(0, cut);
      const std::string_view second = rest.substr(cut + 1);
      const auto p = find_point(first);
      const auto q = find_point(second);
      const auto f = find_frame(first);
      const auto g = find_frame(second);
      if (prefix.kind == 'P' && p && q) return Named{'P', *p, *q};
      if ((prefix.kind == 'V' || prefix.kind == 'A') && p && g)
        return Named{prefix.kind, *p, static_cast<int>(g->index())};
      if ((prefix.kind == 'W' || prefix.kind == 'L') && f && g)
        return Named{prefix.kind, static_cast<int>(f->index()), static_cast<int>(g->index())};
      if (prefix.kind == 'I' && q)
        for (std::size_t b = 0; b < w_.bodies.size(); ++b)
          if (folded(w_.bodies[b].name) == first) return Named{'I', static_cast<int>(b), *q};
    }
  }
  return std::nullopt;
}

/// A sentence about a name that looks like V_P_N> but whose parts are not known; "" if it does not look like one.
std::string Session::unknown_part(std::string_view key) const {
  while (!key.empty() && key.back() == '>') key.remove_suffix(1);
  for (const Prefix& prefix : kPrefixes) {
    if (!key.starts_with(prefix.text)) continue;
    std::vector<std::string> parts;
    std::string_view rest = key.substr(prefix.text.size());
    for (std::size_t cut = rest.find('_'); cut != std::string_view::npos; cut = rest.find('_')) {
      parts.emplace_back(rest.substr(0, cut));
      rest.remove_prefix(cut + 1);
    }
    parts.emplace_back(rest);
    const bool single = prefix.kind == 'F' || prefix.kind == 'T';
    if (parts.size() != (single ? 1U : 2U)) return "";
    std::vector<std::string> known;
    for (const auto& [name, p] : w_.point_names) known.push_back(name);
    for (const auto& [name, f] : w_.frame_names) known.push_back(name);
    for (const auto& part : parts)
      if (!find_point(part) && !find_frame(part))
        return fmt::format("there is no point, body or frame '{}'{}", part, suggestion(part, known));
    return "its two parts do not go together";
  }
  return "";
}

FrameId Session::frame_of(const Node& node) const {
  if (node.is_name() && node.rank == 0 && node.primes == 0)
    if (const auto f = find_frame(folded(node.text))) return *f;
  std::vector<std::string> known;
  for (const auto& [name, f] : w_.frame_names) known.push_back(frame_name(f));
  throw ModelError(node.where, fmt::format("there is no frame or body '{}'{}", node.spelled(),
                                           suggestion(folded(node.text), known)));
}

PointIndex Session::point_of(const Node& node) const {
  if (node.is_name() && node.rank == 0 && node.primes == 0)
    if (const auto p = find_point(folded(node.text))) return *p;
  throw ModelError(node.where, fmt::format("there is no point or particle '{}'{}", node.spelled(),
                                           suggestion(node.text, w_.points)));
}

int Session::body_of(const Node& node) const {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < w_.bodies.size(); ++i) {
    if (node.is_name() && folded(w_.bodies[i].name) == folded(node.text)) return static_cast<int>(i);
    known.push_back(w_.bodies[i].name);
  }
  throw ModelError(node.where,
                   fmt::format("there is no body or particle '{}'{}", node.spelled(), suggestion(node.text, known)));
}

std::vector<int> Session::bodies_named(std::span<const Node> nodes) const {
  std::vector<int> list;
  for (const Node& n : nodes) list.push_back(body_of(n));
  if (list.empty())
    for (std::size_t i = 0; i < w_.bodies.size(); ++i) list.push_back(static_cast<int>(i));
  return list;
}

FrameId Session::newtonian(const Where& where) const {
  if (!w_.newtonian.valid())
    throw ModelError(where, "no inertial frame is declared; write, for instance, NEWTONIAN N first");
  return w_.newtonian;
}

// ---- orientation ----------------------------------------------------------------------------------------------------------

void Session::orient(FrameId parent, FrameId child, const Orientation& orientation,
                     std::optional<RotationSequence> sequence) {
  const auto same = [&](const Turn& t) {
    return (t.parent == parent && t.child == child) || (t.parent == child && t.child == parent);
  };
  const bool again = std::any_of(w_.turns.begin(), w_.turns.end(), same);
  std::erase_if(w_.turns, same);
  w_.turns.push_back({parent, child, orientation, std::move(sequence)});
  if (!again) {
    if (!frames().related(parent, child)) {
      w_.frames->orient(child, parent, orientation);
      return;
    }
    note(
        fmt::format("{} and {} were oriented relative to each other before, through other frames; the new statement "
                    "takes the place of an earlier one",
                    frame_name(parent), frame_name(child)));
  }
  // Built anew, the latest statements first, so that they win over older ones that they replace.
  Frames fresh(*graph_, "(space)");
  for (std::size_t i = 1; i < frames().size(); ++i) (void)fresh.add_frame(frames().name(FrameId(i)));
  std::vector<Turn> kept;
  for (auto t = w_.turns.rbegin(); t != w_.turns.rend(); ++t) {
    if (fresh.related(t->child, t->parent)) continue;
    fresh.orient(t->child, t->parent, t->orientation);
    kept.push_back(*t);
  }
  std::reverse(kept.begin(), kept.end());
  w_.turns = std::move(kept);
  w_.frames = std::move(fresh);
}

/// Columns are the unit vectors of b in a.
ExprMatrix Session::direction_cosines(FrameId a, FrameId b) const {
  const Expr33 c = frames().rotation(b, a);
  ExprMatrix m(3, 3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) m(i, j) = c[i][j];
  return m;
}

// ---- positions ------------------------------------------------------------------------------------------------------------

std::optional<Vector> Session::find_position(PointIndex from, PointIndex to) const {
  if (from == to) return Vector();
  // The way with the fewest stated positions.
  std::map<PointIndex, std::pair<PointIndex, Vector>> came;
  std::deque<PointIndex> open{from};
  came[from] = {from, {}};
  std::multimap<PointIndex, std::pair<PointIndex, Vector>> edges;
  for (const auto& [ends, v] : w_.positions) {
    edges.emplace(ends.first, std::pair{ends.second, v});
    edges.emplace(ends.second, std::pair{ends.first, -v});
  }
  while (!open.empty() && !came.contains(to)) {
    const PointIndex p = open.front();
    open.pop_front();
    const auto [begin, end] = edges.equal_range(p);
    for (auto e = begin; e != end; ++e)
      if (came.try_emplace(e->second.first, p, e->second.second).second) open.push_back(e->second.first);
  }
  if (!came.contains(to)) return std::nullopt;
  Vector sum;
  for (PointIndex p = to; p != from; p = came[p].first) sum += came[p].second;
  return sum;
}

Vector Session::position(PointIndex from, PointIndex to) const {
  if (auto found = find_position(from, to)) return *found;
  const auto& names = w_.points;
  throw ModelError(
      fmt::format("the position of {1} relative to {0} is not known; state P_{0}_{1}> or positions that "
                  "lead from one to the other",
                  names[at(from)], names[at(to)]));
}

// ---- angular velocity -----------------------------------------------------------------------------------------------------

Vector Session::sequence_velocity(Session& s, const Turn& turn) {
  // Each rate about its own axis, carried on into the child by the rotations that follow.
  std::array<Axis, 3> axes = turn.sequence->axes;
  Expr3 angles = turn.sequence->angles;
  if (turn.sequence->space) std::swap(axes[0], axes[2]), std::swap(angles[0], angles[2]);
  Expr3 w;
  for (std::size_t i = 0; i < 3; ++i) {
    w = multiply(transpose(simple_rotation_matrix(axes[i], s.graph_->bind(angles[i]))), w);
    w[index(axes[i])] += s.time_derivative(angles[i]);
  }
  return {turn.child, w};
}

/// Angular velocity of the child in the parent, by the orientation stated between the two:
/// w1 = b2' . b3, w2 = b3' . b1, w3 = b1' . b2 with the child's unit vectors differentiated in the parent.
Vector Session::turn_velocity(FrameId child, FrameId parent) {
  for (const Turn& t : w_.turns) {
    const bool forward = t.child == child && t.parent == parent;
    if (!forward && !(t.child == parent && t.parent == child)) continue;
    const Turn turn = t;
    Vector w;
    if (const auto* simple = std::get_if<SimpleRotation>(&turn.orientation)) {
      w = unit(turn.child, simple->axis) * time_derivative(simple->angle);
    } else if (const auto* about = std::get_if<AxisRotation>(&turn.orientation)) {
      const Expr length = sqrt(graph_->bind(dot(about->axis, about->axis)));
      w = Vector(turn.child, about->axis) * (time_derivative(about->angle) / length);
    } else if (turn.sequence) {
      w = sequence_velocity(*this, turn);
    } else if (const auto* euler = std::get_if<EulerParameters>(&turn.orientation)) {
      const auto& e = euler->e;
      const std::array<Expr, 4> d{time_derivative(e[0]), time_derivative(e[1]), time_derivative(e[2]),
                                  time_derivative(e[3])};
      w = Vector(turn.child, {2 * (e[3] * d[0] + e[2] * d[1] - e[1] * d[2] - e[0] * d[3]),
                              2 * (e[3] * d[1] - e[2] * d[0] + e[0] * d[2] - e[1] * d[3]),
                              2 * (e[1] * d[0] - e[0] * d[1] + e[3] * d[2] - e[2] * d[3])});
    } else {
      const Expr33 c = frames().rotation(turn.child, turn.parent);
      const auto column = [&](std::size_t j) { return Expr3{c[0][j], c[1][j], c[2][j]}; };
      const auto rate_of = [&](std::size_t j) {
        return Expr3{time_derivative(c[0][j]), time_derivative(c[1][j]), time_derivative(c[2][j])};
      };
      w = Vector(turn.child, {dot(rate_of(1), column(2)), dot(rate_of(2), column(0)), dot(rate_of(0), column(1))});
    }
    return forward ? w : -w;
  }
  throw ModelError(fmt::format("the angular velocity of {0} in {1} is not known; state W_{0}_{1}>", frame_name(child),
                               frame_name(parent)));
}

/// The angular velocity of a in b: along the way of stated ones, with those that follow from orientations in the gaps.
Vector Session::angular_velocity(FrameId a, FrameId b) {
  if (a == b) return {};
  struct Edge {
    FrameId to;
    std::optional<Vector> w;  // of `to` in the frame the edge starts from; none: by orientation
  };
  std::multimap<FrameId, Edge> edges;
  for (const auto& [ends, w] : w_.omegas) {
    edges.emplace(ends.second, Edge{ends.first, w});
    edges.emplace(ends.first, Edge{ends.second, -w});
  }
  for (const Turn& t : w_.turns) {
    edges.emplace(t.parent, Edge{t.child, std::nullopt});
    edges.emplace(t.child, Edge{t.parent, std::nullopt});
  }
  // Stated ones count two, orientations three.
  struct Step {
    int cost;
    FrameId frame;
    bool operator>(const Step& o) const { return cost > o.cost; }
  };
  std::map<FrameId, int> cost{{b, 0}};
  std::map<FrameId, std::pair<FrameId, std::optional<Vector>>> came;
  std::priority_queue<Step, std::vector<Step>, std::greater<>> open;
  open.push({0, b});
  while (!open.empty()) {
    const Step step = open.top();
    open.pop();
    if (step.cost > cost[step.frame]) continue;
    if (step.frame == a) break;
    const auto [begin, end] = edges.equal_range(step.frame);
    for (auto e = begin; e != end; ++e) {
      const int next = step.cost + (e->second.w ? 2 : 3);
      const auto known = cost.find(e->second.to);
      if (known != cost.end() && known->second <= next) continue;
      cost[e->second.to] = next;
      came[e->second.to] = {step.frame, e->second.w};
      open.push({next, e->second.to});
    }
  }
  if (!came.contains(a))
    throw ModelError(
        fmt::format("the angular velocity of {0} in {1} is not known; state W_{0}_{1}>, or orient the two "
                    "with SIMPROT or DIRCOS",
                    frame_name(a), frame_name(b)));
  Vector sum;
  for (FrameId f = a; f != b; f = came[f].first)
    sum += came[f].second ? *came[f].second : turn_velocity(f, came[f].first);
  return sum;
}

Vector Session::angular_acceleration(FrameId a, FrameId b) {
  if (a == b) return {};
  if (const auto stated = w_.alphas.find({a, b}); stated != w_.alphas.end()) return stated->second;
  return derivative(angular_velocity(a, b), b);
}

// ---- derivatives of vectors -----------------------------------------------------------------------------------------------

Vector Session::derivative(const Vector& v, FrameId in) {
  Vector sum;
  for (const auto& term : v.terms()) {
    const Expr3 c{time_derivative(term.c[0]), time_derivative(term.c[1]), time_derivative(term.c[2])};
    sum += Vector(term.frame, c);
    if (term.frame != in) sum += frames().cross(angular_velocity(term.frame, in), Vector(term.frame, term.c));
  }
  return sum;
}

/// d/dt of c_ij b_i b_j: components' rates, and w x d - d x w.
Dyadic Session::derivative(const Dyadic& d, FrameId in) {
  Dyadic sum;
  for (const auto& term : d.terms()) {
    Expr33 c;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) c[i][j] = time_derivative(term.c[i][j]);
    if (term.frame != in) {
      const Expr3 w = frames().express(angular_velocity(term.frame, in), term.frame);
      const Expr33 cross{{{Expr(0), -w[2], w[1]}, {w[2], Expr(0), -w[0]}, {-w[1], w[0], Expr(0)}}};
      c = add(c, add(multiply(cross, term.c), scale(-1, multiply(term.c, cross))));
    }
    sum += Dyadic(term.frame, c);
  }
  return sum;
}

// ---- velocities and accelerations -----------------------------------------------------------------------------------------

std::optional<Vector> Session::find_velocity(PointIndex p, FrameId f) {
  if (const auto stated = w_.velocities.find({p, f}); stated != w_.velocities.end()) return stated->second;
  // The origin of the frame is at rest in it. Only then points whose velocity is stated: it may be that of a point of a
  // rolling body, from which positions must not be differentiated.
  const std::string& name = w_.points[at(p)];
  const auto origin = w_.point_names.find(folded(frame_name(f)) + "O");
  if (origin != w_.point_names.end())
    if (const auto way = find_position(origin->second, p)) {
      note(fmt::format("V_{0}_{1}> is not stated; it is taken as DT(P_{1}o_{0}>,{1})", name, frame_name(f)));
      return derivative(*way, f);
    }
  std::optional<PointIndex> best;
  std::size_t fewest = 0;
  for (const auto& [at, v] : w_.velocities) {
    if (at.second != f) continue;
    const auto way = find_position(at.first, p);
    if (way && (!best || way->terms().size() < fewest)) best = at.first, fewest = way->terms().size();
  }
  if (!best) return std::nullopt;
  note(fmt::format("V_{0}_{1}> is not stated; it is taken as V_{2}_{1}> + DT(P_{2}_{0}>,{1})", name, frame_name(f),
                   w_.points[at(*best)]));
  return w_.velocities.at({*best, f}) + derivative(*find_position(*best, p), f);
}

Vector Session::velocity(PointIndex p, FrameId f) {
  if (auto found = find_velocity(p, f)) return *found;
  throw ModelError(fmt::format("the velocity of {0} in {1} is not known; state V_{0}_{1}>, or use V2PTS, V1PT or DT",
                               w_.points[at(p)], frame_name(f)));
}

Vector Session::acceleration(PointIndex p, FrameId f) {
  if (const auto stated = w_.accelerations.find({p, f}); stated != w_.accelerations.end()) return stated->second;
  return derivative(velocity(p, f), f);
}

// ---- inertia --------------------------------------------------------------------------------------------------------------

namespace {

/// m (r.r 1 - r r), in a frame that r is written in.
Dyadic parallel_axes(const Frames& frames, const Expr& m, const Vector& r) {
  if (r.is_zero()) return {};
  const FrameId f = r.terms().front().frame;
  return {f, parallel_axis(m, frames.express(r, f))};
}

}  // namespace

/// The inertia dyadic as stated. The rotor B of a gyrostat with the carrier A need not be oriented: it is symmetric about
/// the axis that it spins about in A, so that its moments in axes of B are those in axes of A.
Dyadic Session::stated_inertia(int body) {
  const Body& b = w_.bodies[at(body)];
  const auto carried = w_.carriers.find(body);
  if (carried == w_.carriers.end()) return *b.inertia;
  const Body& carrier = w_.bodies[at(carried->second)];
  if (frames().related(carrier.frame, b.frame)) return *b.inertia;
  const Expr3 w = frames().express(angular_velocity(b.frame, carrier.frame), carrier.frame);
  Dyadic sum;
  for (const auto& term : b.inertia->terms()) {
    if (term.frame != b.frame) {
      sum += Dyadic(term.frame, term.c);
      continue;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      require(term.c[i][j].is_zero() && term.c[j][i].is_zero() && (w[i].is_zero() || term.c[j][j] == term.c[k][k]),
              "the rotor {} of the gyrostat is not symmetric about the axis that it spins about in {}; orient it by "
              "SIMPROT instead",
              b.name, carrier.name);
    }
    sum += Dyadic(carrier.frame, term.c);
  }
  return sum;
}

Dyadic Session::inertia_about(int body, PointIndex about) {
  const Body& b = w_.bodies[at(body)];
  if (!b.mass) throw ModelError(fmt::format("the mass of {} is not stated; write MASS {}=...", b.name, b.name));
  if (b.is_particle()) return parallel_axes(frames(), *b.mass, position(about, b.centre));
  if (!b.inertia)
    throw ModelError(fmt::format("the inertia of {} is not stated; write INERTIA {},I1,I2,I3", b.name, b.name));
  Dyadic central = stated_inertia(body);
  if (b.inertia_point == about) return central;
  if (b.inertia_point != b.centre) central += parallel_axes(frames(), -*b.mass, position(b.inertia_point, b.centre));
  return central + parallel_axes(frames(), *b.mass, position(about, b.centre));
}

}  // namespace kane::autolev
