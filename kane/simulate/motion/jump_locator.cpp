#include "kane/simulate/motion/jump_locator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"

namespace kane {

namespace {

constexpr std::size_t kMostPlaces = 200;
constexpr int kSamples = 4;        // inside a step
constexpr int kHalvings = 40;      // to find a place in a step
constexpr int kManyCrossings = 6;  // at one instant
constexpr double kBefore = 0.999;  // of the way to a place
constexpr double kAtOnce = 1e-7;   // of the longest step
constexpr double kMostGrowth = 1e7;
constexpr double kLeast = 1e-14;  // of the longest step: a step across a place
constexpr double kUnknownTime = std::numeric_limits<double>::infinity();

bool jumps(Op op) {
  return op == Op::Sign || op == Op::Floor || op == Op::Mod || op == Op::Less || op == Op::LessEqual;
}
bool has_corner(Op op) { return op == Op::Abs || op == Op::Min || op == Op::Max; }

/// Positive and negative on the two sides of the place, or one more with each whole number.
Expr side_of(const Expr& node) {
  switch (node.op()) {
    case Op::Sign:
    case Op::Abs: return sign(node.arg(0));
    case Op::Floor: return floor(node.arg(0)) + Expr(1) / 2;
    case Op::Mod: return floor(node.arg(0) / node.arg(1)) + Expr(1) / 2;
    default: return sign(node.arg(0) - node.arg(1));
  }
}

std::vector<Expr> motion_of(const EquationsOfMotion& e, std::span<const SymbolWithDefault> laws) {
  std::vector<Expr> roots = e.qdot;
  for (const auto* more : {&e.rhs, &e.M.entries, &e.udot_explicit})
    roots.insert(roots.end(), more->begin(), more->end());
  for (const auto& law : laws) roots.push_back(law.value);
  std::erase_if(roots, [](const Expr& root) { return root.graph() == nullptr; });
  return roots;
}

/// Whether the equations have any such function; without touching their graph, which others may read.
bool has_places(const CompiledSystem& system) {
  const std::vector<Expr> roots = motion_of(system.equations(), system.laws());
  if (roots.empty()) return false;
  const Graph& graph = *system.equations().graph;
  const std::vector<NodeId> order = topological_order(roots);
  return std::any_of(order.begin(), order.end(),
                     [&](NodeId id) { return jumps(graph.op(id)) || has_corner(graph.op(id)); });
}

bool has_any(const std::vector<Expr>& used, const std::vector<Expr>& symbols) {
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const Expr& s) { return std::find(used.begin(), used.end(), s) != used.end(); });
}

std::string shortened(std::string text) {
  constexpr std::size_t kLongest = 120;
  return text.size() > kLongest ? text.substr(0, kLongest) + " ..." : text;
}

}  // namespace

JumpLocator::JumpLocator(SystemEvaluator& evaluator, bool watch)
    : runner_(nullptr, evaluator.context()), expected_(kUnknownTime) {
  if (!watch || !has_places(evaluator.system())) return;
  const KernelWorkshop shop(evaluator.system());
  const EquationsOfMotion& e = shop.equations();
  std::vector<Expr> sides;
  const std::vector<Expr> roots = shop.with_laws(motion_of(e, {}));
  for (const NodeId id : topological_order(roots)) {
    const Expr node = shop.graph().at(id);
    if (!jumps(node.op()) && !has_corner(node.op())) continue;
    const std::vector<Expr> used = symbols_of({&node, 1});
    const bool of_state = has_any(used, e.q) || has_any(used, e.u);
    std::vector<Expr> varying{e.t};
    for (const auto& input : e.inputs) varying.push_back(input.symbol);
    if (!of_state && !has_any(used, varying)) continue;
    const Expr side = shop.graph().bind(side_of(node));
    if (side.is_number() || std::find(sides.begin(), sides.end(), side) != sides.end()) continue;
    sides.push_back(side);
    places_.push_back(
        {node.to_string(), node.op() == Op::Sign ? node.arg(0).to_string() : "", jumps(node.op()), of_state});
    if (places_.size() <= kMostPlaces) continue;
    places_.clear();
    return;
  }
  if (places_.empty()) return;
  kernel_ = std::make_unique<Kernel>(shop.compile_of_state("sides", sides));
  runner_ = KernelRunner(kernel_.get(), evaluator.context());
  const std::size_t n = places_.size();
  sides_.resize(n), found_.resize(n), last_.assign(n, -kUnknownTime), quick_.assign(n, 0), ignored_.assign(n, false);
}

JumpLocator::~JumpLocator() = default;

std::span<const double> JumpLocator::calc_sides(const State& state) { return runner_.run(state.q, state.u); }

void JumpLocator::take_sides(std::span<const double> sides) {
  std::ranges::copy(sides, sides_.begin());
  on_place_ = false;
  for (std::size_t k = 0; k < places_.size(); ++k)
    on_place_ = on_place_ || (places_[k].jumps && !ignored_[k] && sides_[k] == 0);
  expected_ = kUnknownTime, grow_ = 1, crossed_ = false;
}

void JumpLocator::start(std::span<const double> sides) {
  std::fill(last_.begin(), last_.end(), -kUnknownTime);
  std::fill(quick_.begin(), quick_.end(), 0);
  std::fill(ignored_.begin(), ignored_.end(), false);
  scale_ = 0, chatters_ = -1;
  take_sides(sides);
}

void JumpLocator::settle(std::span<const double> sides) { take_sides(sides); }

/// A side of zero is on the place itself, and not a number where the function does not matter.
bool JumpLocator::differs(std::size_t k, double side) const {
  const double before = sides_[k];
  return !ignored_[k] && side != before && side != 0 && before != 0 && !std::isnan(side) && !std::isnan(before);
}

double JumpLocator::least_step(double t) const {
  return grow_ * std::max(16 * std::numeric_limits<double>::epsilon() * std::abs(t), kLeast * scale_);
}

double JumpLocator::most_step(double t) const {
  return t < expected_ ? (expected_ - t) / kBefore + 4 * least_step(expected_) : kUnknownTime;
}

double JumpLocator::find(double begin, double end, Sides sides) {
  crossed_ = false;
  const auto look = [&](double t) {  // whether a place was crossed before t
    const std::span<const double> now = sides(t);
    bool any = false;
    for (std::size_t k = 0; k < now.size(); ++k) {
      if (sides_[k] == 0 || std::isnan(sides_[k])) sides_[k] = now[k];  // it has left the place
      any = any || differs(k, now[k]);
    }
    std::ranges::copy(now, found_.begin());
    return any;
  };
  const double h = end - begin;
  scale_ = std::max(scale_, h);
  const double least = least_step(end);
  if (on_place_) {  // leave it first
    if (h > 8 * least) return 4 * least;
    on_place_ = false;
    (void)look(end);
    crossed_ = true;
    return kUnknownTime;
  }
  double before = begin, after = end;
  bool over = false;
  for (int i = 1; i <= kSamples + 1 && !over; ++i) {
    after = i > kSamples ? end : begin + i * h / (kSamples + 1);
    over = look(after);
    if (!over) before = after;
  }
  if (!over) {
    grow_ = h < kAtOnce * scale_ ? std::min(2 * grow_, kMostGrowth) : 1;
    if (end >= expected_) expected_ = kUnknownTime;
    return kUnknownTime;
  }
  if (h <= 8 * least) {
    (void)look(end);
    note_crossing(end);
    return kUnknownTime;
  }
  for (int i = 0; i < kHalvings && after - before > (1 - kBefore) * 0.1 * (after - begin); ++i) {
    const double middle = 0.5 * (before + after);
    (look(middle) ? after : before) = middle;
  }
  expected_ = after;
  return std::max(kBefore * (before - begin), 4 * least);
}

void JumpLocator::note_crossing(double end) {
  crossed_ = true;
  expected_ = kUnknownTime;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    if (!differs(k, found_[k])) continue;
    quick_[k] = end - last_[k] < kAtOnce * scale_ ? quick_[k] + 1 : 0;
    last_[k] = end;
    if (quick_[k] < kManyCrossings) continue;
    if (places_[k].jumps && places_[k].of_state)
      chatters_ = static_cast<int>(k);
    else
      ignored_[k] = true;
  }
}

std::optional<RunFailure> JumpLocator::find_chatter(const State& state) const {
  if (chatters_ < 0) return std::nullopt;
  const Place& place = places_[at(chatters_)];
  RunFailure failure{StepStatus::StepUnderflow, state.t, state, shortened(place.text), ""};
  failure.cause = fmt::format(
      "it jumps back and forth at this instant: on both sides of the jump the forces drive the motion back, as dry "
      "friction holds a body at rest, and the equations do not say what holds it there. Describe dry friction with "
      "'friction:', which sticks and slips by itself; or smooth the jump{}",
      place.argument.empty()
          ? ""
          : fmt::format(", for example tanh(({})/1e-3) for {}", shortened(place.argument), failure.quantity));
  return failure;
}

std::string JumpLocator::describe_fixed_step() const {
  const auto found = std::find_if(places_.begin(), places_.end(), [](const Place& p) { return p.jumps; });
  if (found == places_.end()) return {};
  return fmt::format(
      "{} jumps, and steps of a fixed length do not end there: each jump costs an error of the order of a step. "
      "Methods with a variable step (dop853, dopri5, cvode) locate it",
      shortened(found->text));
}

void JumpLocator::exchange(MemoryArchive& a) {
  if (!present()) return;
  a(sides_, last_, quick_, ignored_, expected_, scale_, grow_, on_place_, crossed_, chatters_);
}

}  // namespace kane
