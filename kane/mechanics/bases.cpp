#include "kane/mechanics/bases.hpp"

#include <algorithm>
#include <deque>
#include <limits>

#include "kane/base/error.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {
namespace {

constexpr int kFar = std::numeric_limits<int>::max() / 4;

}  // namespace

Bases::Bases(const System& system) : system_(&system), count_(system.frames().size()) {
  find_shortcuts();
  find_distances();
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

void Bases::find_distances() {
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
  distance_.assign(count_ * count_, kFar);
  next_.assign(count_ * count_, FrameId());
  for (std::size_t target = 0; target < count_; ++target) {  // breadth first from every target
    std::deque<FrameId> queue{FrameId(target)};
    distance_[target * count_ + target] = 0;
    while (!queue.empty()) {
      const FrameId f = queue.front();
      queue.pop_front();
      for (const FrameId g : neighbours_[f.index()]) {
        int& d = distance_[g.index() * count_ + target];
        if (d != kFar) continue;
        d = distance_[f.index() * count_ + target] + 1;
        next_[g.index() * count_ + target] = f;
        queue.push_back(g);
      }
    }
  }
}

// Cost of the vectors that belong to the point itself, for every basis.
std::vector<int> Bases::own_cost(PointId p) const {
  std::vector<int> cost(count_, 0);
  const auto near = [&](FrameId g) {
    for (std::size_t f = 0; f < count_; ++f) cost[f] = std::min(kFar, cost[f] + distance(g, FrameId(f)));
  };
  const PointRecord& point = system_->point(p);
  for (const Vector::Term& t : point.offset.terms()) near(t.frame);
  if (point.carrier.valid()) {
    if (const auto fixed = system_->find_anchor(point.carrier); fixed && system_->located(p, *fixed)) {
      const Vector arm = system_->position(p, *fixed);
      for (const Vector::Term& t : arm.terms()) near(t.frame);
    }
  }
  for (const LoadRecord& load : system_->loads()) {
    if (load.point != p) continue;
    for (const Vector::Term& t : load.value.terms()) near(t.frame);
  }
  return cost;
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
  std::vector<std::vector<int>> best(n), through(n);
  for (auto p = order.rbegin(); p != order.rend(); ++p) {
    std::vector<int> cost = own_cost(*p);
    for (const PointId c : children[p->index()]) {
      for (std::size_t f = 0; f < count_; ++f) cost[f] = std::min(kFar, cost[f] + through[c.index()][f]);
    }
    best[p->index()] = cost;
    // through(f) = min over g of cost(g) + distance(f, g): relax along the edges, cheapest first.
    std::vector<std::pair<int, std::size_t>> by_cost;
    for (std::size_t f = 0; f < count_; ++f) by_cost.emplace_back(cost[f], f);
    std::sort(by_cost.begin(), by_cost.end());
    std::deque<std::size_t> queue;
    for (const auto& [c, f] : by_cost) queue.push_back(f);
    while (!queue.empty()) {
      const std::size_t f = queue.front();
      queue.pop_front();
      for (const FrameId g : neighbours_[f]) {
        if (cost[g.index()] > cost[f] + 1) {
          cost[g.index()] = cost[f] + 1;
          queue.push_back(g.index());
        }
      }
    }
    through[p->index()] = std::move(cost);
  }
  label_.assign(n, Frames::inertial());
  for (const PointId p : order) {
    const PointId parent = system_->point(p).parent;
    const FrameId from = parent.valid() ? label_[parent.index()] : Frames::inertial();
    int least = kFar + kFar;
    for (std::size_t f = 0; f < count_; ++f) {
      const int d = parent.valid() || p == system_->origin() ? distance(from, FrameId(f)) : 0;
      const int cost = best[p.index()][f] + d;
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
    const FrameId next = next_[from.index() * count_ + to.index()];
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
    const FrameId next = next_[t.frame.index() * count_ + to.index()];
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
