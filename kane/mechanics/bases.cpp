#include "kane/mechanics/bases.hpp"

#include <algorithm>
#include <limits>

#include "kane/base/error.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {
namespace {

constexpr int kFar = std::numeric_limits<int>::max() / 4;

}  // namespace

Bases::Bases(const System& system) : system_(&system), count_(system.frames().size()) {
  find_shortcuts();
  find_neighbours();
  choose_labels();
}

// cos and sin of a sum of angles by the addition formulas, each frame from the one before it.
void Bases::find_shortcuts() {
  const Frames& frames = system_->frames();
  shortcuts_.resize(count_);
  std::vector<FrameId> order;
  for (std::size_t i = 0; i < count_; ++i) order.emplace_back(i);
  std::stable_sort(order.begin(), order.end(), [&](FrameId a, FrameId b) { return frames.depth(a) < frames.depth(b); });
  for (const FrameId f : order) {
    const Frames::Frame& frame = frames[f];
    if (!frame.axis || frames[frame.parent].axis != frame.axis) continue;
    const Frames::Frame& above = frames[frame.parent];
    const Shortcut& s = shortcuts_[frame.parent.index()];
    const bool longer = s.top.valid();
    const Expr& c = longer ? s.cosine : above.cosine;
    const Expr& d = longer ? s.sine : above.sine;
    shortcuts_[f.index()] = {longer ? s.top : above.parent, *frame.axis, c * frame.cosine - d * frame.sine,
                             d * frame.cosine + c * frame.sine};
  }
}

void Bases::find_neighbours() {
  const Frames& frames = system_->frames();
  neighbours_.resize(count_);
  const auto connect = [&](FrameId a, FrameId b) {
    neighbours_[a.index()].push_back(b);
    neighbours_[b.index()].push_back(a);
  };
  for (std::size_t i = 0; i < count_; ++i) {
    const FrameId f(i);
    if (frames[f].parent.valid()) connect(f, frames[f].parent);
    if (shortcuts_[i].top.valid()) connect(f, shortcuts_[i].top);
  }
  ways_.resize(count_);
}

const Bases::Ways& Bases::ways_to(FrameId target) const {
  Ways& ways = ways_[target.index()];
  if (!ways.distance.empty()) return ways;
  ways.distance.assign(count_, kFar);
  ways.next.assign(count_, FrameId());
  std::vector<FrameId> queue{target};  // breadth first
  ways.distance[target.index()] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const FrameId f = queue[i];
    for (const FrameId g : neighbours_[f.index()]) {
      int& d = ways.distance[g.index()];
      if (d != kFar) continue;
      d = ways.distance[f.index()] + 1;
      ways.next[g.index()] = f;
      queue.push_back(g);
    }
  }
  return ways;
}

// Cost of the vectors that belong to the point itself.
std::vector<int> Bases::own_cost(PointId p, std::span<const std::vector<FrameId>> loads) const {
  std::vector<int> cost;
  const auto near = [&](FrameId g) {
    cost.resize(count_);
    const std::vector<int>& distance = ways_to(g).distance;
    for (std::size_t f = 0; f < count_; ++f) cost[f] = std::min(kFar, cost[f] + distance[f]);
  };
  const PointRecord& point = system_->point(p);
  for (const Vector::Term& t : point.offset.terms()) near(t.frame);
  if (point.carrier.valid()) {
    if (const auto fixed = system_->find_anchor(point.carrier); fixed && system_->located(p, *fixed)) {
      const Vector arm = system_->position(p, *fixed);
      for (const Vector::Term& t : arm.terms()) near(t.frame);
    }
  }
  for (const FrameId f : loads[p.index()]) near(f);
  return cost;
}

/// cost(f) becomes the minimum over g of cost(g) + distance(f, g), along the edges.
void Bases::relax(std::vector<int>& cost) const {
  std::vector<std::size_t> queue;
  const auto improves = [&](std::size_t f) {
    return std::any_of(neighbours_[f].begin(), neighbours_[f].end(),
                       [&](FrameId g) { return cost[g.index()] > cost[f] + 1; });
  };
  for (std::size_t f = 0; f < cost.size(); ++f)
    if (improves(f)) queue.push_back(f);
  std::stable_sort(queue.begin(), queue.end(), [&](std::size_t a, std::size_t b) { return cost[a] < cost[b]; });
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::size_t f = queue[i];
    for (const FrameId g : neighbours_[f]) {
      if (cost[g.index()] <= cost[f] + 1) continue;
      cost[g.index()] = cost[f] + 1;
      queue.push_back(g.index());
    }
  }
}

// Least total cost over the tree of points, by dynamic programming from the leaves: best(p, f) = own(p, f) + sum over
// the points located from p of min over g of (distance(f, g) + best(child, g)).
void Bases::choose_labels() {
  const std::size_t n = system_->points().size();
  std::vector<std::vector<PointId>> children(n);
  std::vector<PointId> order;
  for (std::size_t i = 0; i < n; ++i) {
    if (const PointId parent = system_->points()[i].parent; parent.valid()) children[parent.index()].emplace_back(i);
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!system_->points()[i].parent.valid()) order.emplace_back(i);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const PointId c : children[order[i].index()]) order.push_back(c);
  }
  std::vector<std::vector<FrameId>> loads(n);  // frames of the forces at each point
  for (const LoadRecord& load : system_->loads()) {
    if (!load.point.valid()) continue;
    for (const Vector::Term& t : load.value.terms()) loads[load.point.index()].push_back(t.frame);
  }
  std::vector<std::vector<int>> best(n), through(n);  // nothing: zero everywhere
  for (auto p = order.rbegin(); p != order.rend(); ++p) {
    std::vector<int> cost = own_cost(*p, loads);
    for (const PointId c : children[p->index()]) {
      std::vector<int>& more = through[c.index()];
      if (more.empty()) continue;
      cost.resize(count_);
      for (std::size_t f = 0; f < count_; ++f) cost[f] = std::min(kFar, cost[f] + more[f]);
      std::vector<int>().swap(more);
    }
    best[p->index()] = cost;
    relax(cost);
    through[p->index()] = std::move(cost);
  }
  label_.assign(n, Frames::inertial());
  for (const PointId p : order) {
    const PointId parent = system_->point(p).parent;
    const FrameId from = parent.valid() ? label_[parent.index()] : Frames::inertial();
    const bool comes_from = parent.valid() || p == system_->origin();
    const std::vector<int>& own = best[p.index()];
    if (own.empty() && comes_from) {
      label_[p.index()] = from;
      continue;
    }
    const std::vector<int>& distance = ways_to(from).distance;
    int least = kFar + kFar;
    for (std::size_t f = 0; f < count_; ++f) {
      const int cost = (own.empty() ? 0 : own[f]) + (comes_from ? distance[f] : 0);
      // Among equals the basis where the point comes from, then the one stated first.
      if (cost < least || (cost == least && FrameId(f) == from)) {
        least = cost;
        label_[p.index()] = FrameId(f);
      }
    }
  }
}

Expr3 Bases::step(const Expr3& c, FrameId from, FrameId to) const {
  const Frames& frames = system_->frames();
  const auto turn = [](const Shortcut& s, const Expr& sine, const Expr3& v) {
    const std::size_t i = index(s.axis);
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    if (v[j].is_zero() && v[k].is_zero()) return v;
    Expr3 r;
    r[i] = v[i];
    r[j] = s.cosine * v[j] - sine * v[k];
    r[k] = sine * v[j] + s.cosine * v[k];
    return r;
  };
  if (frames[from].parent == to) return frames.to_parent(from, c);
  if (frames[to].parent == from) return frames.from_parent(to, c);
  if (shortcuts_[from.index()].top == to) return turn(shortcuts_[from.index()], shortcuts_[from.index()].sine, c);
  return turn(shortcuts_[to.index()], -shortcuts_[to.index()].sine, c);
}

Expr3 Bases::express(const Expr3& c, FrameId from, FrameId to) const {
  if (from == to || is_zero(c)) return c;
  if (distance(from, to) >= kFar) system_->frames().check_related(from, to);
  Expr3 r = c;
  while (from != to) {
    const FrameId next = ways_to(to).next[from.index()];
    r = step(r, from, next);
    from = next;
  }
  return r;
}

// Terms far away are moved one step nearer and added to what is there already.
Expr3 Bases::express(const Vector& v, FrameId to) const {
  std::vector<Vector::Term> terms = v.terms();
  for (const Vector::Term& t : terms) {
    if (distance(t.frame, to) >= kFar) system_->frames().check_related(t.frame, to);
  }
  Expr3 sum;
  while (!terms.empty()) {
    auto far = std::max_element(terms.begin(), terms.end(), [&](const Vector::Term& a, const Vector::Term& b) {
      return distance(a.frame, to) < distance(b.frame, to);
    });
    const Vector::Term t = *far;
    terms.erase(far);
    if (t.frame == to) {
      sum = add(sum, t.c);
      continue;
    }
    const FrameId next = ways_to(to).next[t.frame.index()];
    const Expr3 moved = step(t.c, t.frame, next);
    auto same = std::find_if(terms.begin(), terms.end(), [&](const Vector::Term& s) { return s.frame == next; });
    if (same == terms.end()) {
      terms.push_back({next, moved});
    } else {
      same->c = add(same->c, moved);
    }
  }
  return sum;
}

Expr33 Bases::express(const Expr33& c, FrameId from, FrameId to) const {
  if (from == to) return c;
  Expr33 half;
  const Expr33 columns = transpose(c);
  for (std::size_t i = 0; i < 3; ++i) half[i] = express(columns[i], from, to);
  half = transpose(half);
  Expr33 r;
  for (std::size_t i = 0; i < 3; ++i) r[i] = express(half[i], from, to);
  return r;
}

}  // namespace kane
