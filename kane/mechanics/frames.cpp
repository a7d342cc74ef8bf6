#include "kane/mechanics/frames.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/base/vec3.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/number.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {
namespace {

Expr3 unit_axis(Graph& graph, const Expr3& axis, std::string_view child) {
  require(!is_zero(axis), "the axis about which frame {} turns is the zero vector", child);
  const Expr square = graph.bind(dot(axis, axis));
  return square.is_one() ? axis : scale(1 / sqrt(square), axis);
}

/// Numbers, where the matrix consists of numbers: what a robot's file gives, and quick to check.
std::optional<Mat3> find_numbers(const Expr33& c) {
  Mat3 r;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (!c[i][j].is_number()) return std::nullopt;
      r[i][j] = to_double(c[i][j].number());
    }
  }
  return r;
}

/// Columns of length one at right angles, right-handed; but for the rounding of decimal literals.
bool is_rotation(const Mat3& c) {
  constexpr double kSlack = 1e-9;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = i; j < 3; ++j) {
      if (std::abs(dot(c.column(i), c.column(j)) - (i == j ? 1 : 0)) > kSlack) return false;
    }
  }
  const double determinant = dot(c[0], cross(c[1], c[2]));
  return std::abs(determinant - 1) < kSlack;
}

/// Whether a scalar is zero, or zero but for the rounding of decimal literals in it (tried at arbitrary values).
bool nearly_zero(const Expr& e) {
  if (e.is_zero()) return true;
  if (e.is_number()) return std::abs(to_double(e.number())) < 1e-9;
  Values values;
  for (const Expr& s : symbols_of(std::span(&e, 1))) values[s.name()] = 0.3 + 0.37 * static_cast<double>(values.size());
  return std::abs(evaluate(e, values)) < 1e-9;
}

void check_orthonormal(const Expr33& c, std::string_view child, std::string_view parent) {
  if (const auto numbers = find_numbers(c); numbers && is_rotation(*numbers)) return;
  const Expr33 columns = transpose(c);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = i; j < 3; ++j) {
      const Expr product = dot(columns[i], columns[j]);
      if (nearly_zero(product - Expr(i == j ? 1 : 0))) continue;
      throw ModelError(fmt::format(
          "the direction cosines of frame {} in {} are not a rotation: columns {} and {} have the scalar product {}",
          child, parent, i + 1, j + 1, product.to_string()));
    }
  }
  const Expr determinant = dot(columns[0], cross(columns[1], columns[2]));
  if (nearly_zero(determinant - 1)) return;
  throw ModelError(fmt::format(
      "the direction cosines of frame {} in {} turn right-handed into left-handed: their determinant is {}, not 1",
      child, parent, determinant.to_string()));
}

}  // namespace

Frames::Frames(Graph& graph, std::string inertial_name) : graph_(&graph) { add_frame(std::move(inertial_name)); }

FrameId Frames::add_frame(std::string name, bool hidden) {
  for (const Frame& f : frames_) require(f.name != name, "there is already a frame named '{}'", name);
  Frame f;
  f.name = std::move(name);
  f.hidden = hidden;
  f.rotation = identity33();
  frames_.push_back(std::move(f));
  return FrameId(frames_.size() - 1);
}

std::optional<FrameId> Frames::find(std::string_view name) const {
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    if (frames_[i].name == name) return FrameId(i);
  }
  return std::nullopt;
}

std::vector<std::string> Frames::names() const {
  std::vector<std::string> r;
  for (const Frame& f : frames_) {
    if (!f.hidden) r.push_back(f.name);
  }
  return r;
}

// ---- orientation ------------------------------------------------------------------------------------------------------

void Frames::orient(FrameId child, FrameId parent, const Orientation& orientation, bool quasi) {
  require(child != parent, "frame {} cannot be oriented relative to itself", name(child));
  if (related(child, parent))
    throw ModelError(
        fmt::format("the orientation of {} relative to {} is known already (through {}); state it only once",
                    name(child), name(parent), name(common_ancestor(child, parent))));
  if (const auto* sequence = std::get_if<RotationSequence>(&orientation)) {
    orient_sequence(child, parent, *sequence);
  } else {
    attach(child, parent, make_edge(child, parent, orientation, quasi));
  }
}

// A space sequence (i, j, k; a, b, c) is the body sequence (k, j, i; c, b, a).
void Frames::orient_sequence(FrameId child, FrameId parent, const RotationSequence& s) {
  std::array<Axis, 3> axes = s.axes;
  Expr3 angles = s.angles;
  if (s.space) {
    std::swap(axes[0], axes[2]);
    std::swap(angles[0], angles[2]);
  }
  require(axes[0] != axes[1] && axes[1] != axes[2],
          "the rotation sequence of frame {} turns twice about the same axis; neighbouring axes must differ",
          name(child));
  const FrameId first = add_frame(name(child) + "'", true);
  const FrameId second = add_frame(name(child) + "''", true);
  orient(first, parent, SimpleRotation{axes[0], angles[0]});
  orient(second, first, SimpleRotation{axes[1], angles[1]});
  orient(child, second, SimpleRotation{axes[2], angles[2]});
}

Frames::Frame Frames::make_edge(FrameId child, FrameId parent, const Orientation& orientation, bool quasi) {
  Frame edge;
  edge.parent = parent;
  if (const auto* r = std::get_if<SimpleRotation>(&orientation)) {
    edge.axis = r->axis;
    edge.angle = graph_->bind(r->angle);
    edge.rotation_axis[index(r->axis)] = 1;
    edge.cosine = cos(edge.angle);
    edge.sine = sin(edge.angle);
    edge.rotation = simple_rotation_matrix(r->axis, edge.angle);
  } else if (const auto* a = std::get_if<AxisRotation>(&orientation)) {
    edge.angle = graph_->bind(a->angle);
    edge.rotation_axis = unit_axis(*graph_, a->axis, name(child));
    edge.rotation = axis_rotation_matrix(edge.rotation_axis, edge.angle);
  } else if (const auto* e = std::get_if<EulerParameters>(&orientation)) {
    edge.definition = *e;
    edge.rotation = euler_parameter_matrix(e->e);
  } else if (const auto* p = std::get_if<RodriguesParameters>(&orientation)) {
    edge.definition = *p;
    edge.rotation = rodrigues_matrix(p->rho);
  } else if (const auto* d = std::get_if<DirectionCosines>(&orientation)) {
    check_orthonormal(d->c, name(child), name(parent));
    edge.definition = *d;
    edge.rotation = d->c;
  }
  if (quasi) {
    edge.quasi = true;
    for (std::size_t i = 0; i < 3; ++i) {
      edge.quasi_rates[i] = graph_->symbol(name(child) + ".w" + std::string(1, "xyz"[i]) + "'");
    }
  }
  return edge;
}

// The same edge seen from the other end: `child` hangs on `edge`'s child from now on.
Frames::Frame Frames::turned_round(const Frame& edge, FrameId new_parent, FrameId child) const {
  Frame turned = edge;
  turned.parent = new_parent;
  turned.reversed = !edge.reversed;
  turned.rotation = transpose(edge.rotation);
  turned.angle = -edge.angle;
  turned.sine = -edge.sine;
  turned.name = frames_[child.index()].name;
  turned.hidden = frames_[child.index()].hidden;
  return turned;
}

void Frames::attach(FrameId child, FrameId parent, Frame edge) {
  // One of the two trees is loose; it is hung up by the frame named here.
  if (root(child) == inertial()) {
    reroot(parent);
    frames_[parent.index()] = turned_round(edge, child, parent);
    return;
  }
  reroot(child);
  edge.name = name(child);
  edge.hidden = frames_[child.index()].hidden;
  frames_[child.index()] = std::move(edge);
}

void Frames::reroot(FrameId f) {
  FrameId child = f;
  Frame edge = frames_[f.index()];
  Frame loose;
  loose.name = edge.name;
  loose.hidden = edge.hidden;
  loose.rotation = identity33();
  frames_[f.index()] = std::move(loose);
  while (edge.parent.valid()) {
    const FrameId up = edge.parent;
    Frame next = frames_[up.index()];
    frames_[up.index()] = turned_round(edge, child, up);
    child = up;
    edge = std::move(next);
  }
}

// ---- the tree -----------------------------------------------------------------------------------------------------------

FrameId Frames::root(FrameId f) const {
  while (frames_[f.index()].parent.valid()) f = frames_[f.index()].parent;
  return f;
}

int Frames::depth(FrameId f) const {
  int d = 0;
  while (frames_[f.index()].parent.valid()) {
    f = frames_[f.index()].parent;
    ++d;
  }
  return d;
}

FrameId Frames::common_ancestor(FrameId a, FrameId b) const {
  int da = depth(a);
  int db = depth(b);
  while (a != b) {
    if (da >= db) {
      a = frames_[a.index()].parent;
      --da;
    } else {
      b = frames_[b.index()].parent;
      --db;
    }
    if (!a.valid() || !b.valid()) return {};
  }
  return a;
}

bool Frames::descends(FrameId f, FrameId ancestor) const {
  for (; f.valid(); f = frames_[f.index()].parent) {
    if (f == ancestor) return true;
  }
  return false;
}

void Frames::check_related(FrameId a, FrameId b) const {
  if (related(a, b)) return;
  // Name the loose end: the root of the tree that is not hung up on the inertial frame.
  const FrameId loose = root(a) == inertial() ? root(b) : root(a);
  const FrameId other = root(a) == inertial() ? a : b;
  throw ModelError(
      fmt::format("the orientation of frame {} relative to {} is not known; orient {} relative to {} or to "
                  "a frame related to it",
                  name(a), name(b), name(loose), name(other)));
}

std::vector<FrameId> Frames::path(FrameId a, FrameId b) const {
  check_related(a, b);
  const FrameId top = common_ancestor(a, b);
  std::vector<FrameId> up;
  for (FrameId f = a; f != top; f = frames_[f.index()].parent) up.push_back(f);
  up.push_back(top);
  const std::size_t turn = up.size();
  for (FrameId f = b; f != top; f = frames_[f.index()].parent) up.push_back(f);
  std::reverse(up.begin() + static_cast<std::ptrdiff_t>(turn), up.end());
  return up;
}

// ---- components -----------------------------------------------------------------------------------------------------------

namespace {

/// Turns components about one axis: sign +1 gives parent components of child components.
Expr3 turn(Axis axis, const Expr& c, const Expr& s, const Expr3& v) {
  const std::size_t i = index(axis);
  const std::size_t j = (i + 1) % 3;
  const std::size_t k = (i + 2) % 3;
  if (v[j].is_zero() && v[k].is_zero()) return v;
  Expr3 r;
  r[i] = v[i];
  r[j] = c * v[j] - s * v[k];
  r[k] = s * v[j] + c * v[k];
  return r;
}

}  // namespace

Expr3 Frames::to_parent(FrameId f, const Expr3& c) const {
  const Frame& frame = frames_[f.index()];
  return frame.axis ? turn(*frame.axis, frame.cosine, frame.sine, c) : multiply(frame.rotation, c);
}

Expr3 Frames::from_parent(FrameId f, const Expr3& c) const {
  const Frame& frame = frames_[f.index()];
  return frame.axis ? turn(*frame.axis, frame.cosine, -frame.sine, c) : multiply(transpose(frame.rotation), c);
}

Expr3 Frames::express(const Expr3& c, FrameId from, FrameId to) const {
  if (from == to || is_zero(c)) return c;
  check_related(from, to);
  const FrameId top = common_ancestor(from, to);
  Expr3 r = c;
  for (FrameId f = from; f != top; f = frames_[f.index()].parent) r = to_parent(f, r);
  std::vector<FrameId> down;
  for (FrameId f = to; f != top; f = frames_[f.index()].parent) down.push_back(f);
  for (auto f = down.rbegin(); f != down.rend(); ++f) r = from_parent(*f, r);
  return r;
}

// Terms far from the target are moved one step nearer and added to what is there already, so that every rotation is
// applied to a sum and only once.
Expr3 Frames::express(const Vector& v, FrameId to) const {
  struct Item {
    std::vector<FrameId> path;  // from the target outwards
    Expr3 c;
  };
  std::vector<Item> items;
  for (const Vector::Term& t : v.terms()) {
    items.push_back({path(to, t.frame), t.c});
  }
  while (!items.empty()) {
    auto far = std::max_element(items.begin(), items.end(),
                                [](const Item& a, const Item& b) { return a.path.size() < b.path.size(); });
    if (far->path.size() == 1) {
      Expr3 sum;
      for (const Item& i : items) sum = add(sum, i.c);
      return sum;
    }
    const FrameId from = far->path.back();
    far->path.pop_back();
    const FrameId next = far->path.back();
    far->c = frames_[from.index()].parent == next ? to_parent(from, far->c) : from_parent(next, far->c);
    for (auto i = items.begin(); i != items.end(); ++i) {
      if (i != far && i->path.back() == next) {
        i->c = add(i->c, far->c);
        items.erase(far);
        break;
      }
    }
  }
  return {};
}

Expr33 Frames::express(const Expr33& c, FrameId from, FrameId to) const {
  if (from == to) return c;
  // R c R^T, column by column and then row by row.
  Expr33 half;
  const Expr33 columns = transpose(c);
  for (std::size_t i = 0; i < 3; ++i) half[i] = express(columns[i], from, to);
  half = transpose(half);  // half = R c: rows in `to`, columns still in `from`
  Expr33 r;
  for (std::size_t i = 0; i < 3; ++i) r[i] = express(half[i], from, to);
  return r;
}

Expr33 Frames::express(const Dyadic& d, FrameId to) const {
  Expr33 sum;
  for (const Dyadic::Term& t : d.terms()) sum = add(sum, express(t.c, t.frame, to));
  return sum;
}

Expr33 Frames::rotation(FrameId from, FrameId to) const {
  Expr33 columns;
  for (std::size_t i = 0; i < 3; ++i) {
    Expr3 e;
    e[i] = 1;
    columns[i] = express(e, from, to);
  }
  return transpose(columns);
}

// ---- products -------------------------------------------------------------------------------------------------------------

// The frame, among those the two vectors are written in, that is nearest to all terms.
FrameId Frames::meeting_frame(const Vector& a, const Vector& b) const {
  if (b.terms().size() == 1 && a.terms().size() > 3) return b.terms().front().frame;
  if (a.terms().size() == 1 && b.terms().size() > 3) return a.terms().front().frame;
  FrameId best;
  std::size_t least = 0;
  for (const Vector* v : {&b, &a}) {
    for (const Vector::Term& candidate : v->terms()) {
      std::size_t cost = 0;
      for (const Vector* w : {&a, &b}) {
        for (const Vector::Term& t : w->terms()) cost += path(t.frame, candidate.frame).size() - 1;
      }
      if (!best.valid() || cost < least) {
        best = candidate.frame;
        least = cost;
      }
    }
  }
  return best;
}

Expr Frames::dot(const Vector& a, const Vector& b) const {
  if (a.is_zero() || b.is_zero()) return {};
  const FrameId f = meeting_frame(a, b);
  return kane::dot(express(a, f), express(b, f));
}

Vector Frames::cross(const Vector& a, const Vector& b) const {
  if (a.is_zero() || b.is_zero()) return {};
  const FrameId f = meeting_frame(a, b);
  return {f, kane::cross(express(a, f), express(b, f))};
}

Vector Frames::dot(const Dyadic& d, const Vector& v) const {
  Vector sum;
  for (const Dyadic::Term& t : d.terms()) sum += Vector(t.frame, multiply(t.c, express(v, t.frame)));
  return sum;
}

}  // namespace kane
