#include "kane/simulate/motion/chatter_watch.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"

namespace kane {

namespace {

constexpr long kWindow = 4096;     // steps between two looks at the clock
constexpr double kMostLeft = 2e6;  // steps that a run may still take without a closer look
constexpr long kLook = 256;        // steps of a closer look
constexpr long kMostChanges = 64;  // of one function in a closer look
constexpr long kFewChanges = 3;    // enough if the steps are also
constexpr double kShort = 1e-3;    // of the longest one: fast oscillations have steps of one length

bool is_jump(Op op) {
  return op == Op::Sign || op == Op::Floor || op == Op::Mod || op == Op::Less || op == Op::LessEqual || op == Op::Equal;
}

}  // namespace

/// The functions of the equations that jump, and how often each has changed.
class ChatterWatch::Jumps {
 public:
  explicit Jumps(SystemEvaluator& evaluator) : evaluator_(evaluator), shop_(evaluator.system()) {
    constexpr std::size_t kMostNodes = 200'000;
    const EquationsOfMotion& e = shop_.equations();
    std::vector<Expr> roots(e.qdot.begin(), e.qdot.end());
    roots.insert(roots.end(), e.rhs.begin(), e.rhs.end());
    roots.insert(roots.end(), e.udot_explicit.begin(), e.udot_explicit.end());
    const std::vector<Expr> all = shop_.with_laws(roots);
    const std::vector<NodeId> order = topological_order(all);
    if (order.size() > kMostNodes) return;
    for (const NodeId id : order)
      if (const Expr node = shop_.graph().at(id); is_jump(node.op()) && depends_on_state(node)) add(node);
    values_.assign(watched_.size(), std::nan(""));
    changes_.assign(nodes_.size(), 0);
  }

  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  [[nodiscard]] const Expr& node(std::size_t i) const { return nodes_[i]; }
  [[nodiscard]] long changes(std::size_t i) const { return changes_[i]; }
  [[nodiscard]] std::size_t most_restless() const {
    return static_cast<std::size_t>(std::max_element(changes_.begin(), changes_.end()) - changes_.begin());
  }
  void reset() {
    std::fill(values_.begin(), values_.end(), std::nan(""));
    std::fill(changes_.begin(), changes_.end(), 0);
  }

  void observe(const State& s) {
    std::vector<double> now;
    try {
      now = evaluate(watched_, named_values(evaluator_, s), evaluator_.system().functions());
    } catch (const ModelError&) {
      return;
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (!std::isnan(values_[i]) && now[i] != values_[i]) ++changes_[i];
    values_ = std::move(now);
  }

 private:
  [[nodiscard]] bool depends_on_state(const Expr& node) const {
    const EquationsOfMotion& e = shop_.equations();
    const auto symbols = symbols_of(std::span(&node, 1));
    const auto has = [&](const std::vector<Expr>& names) {
      return std::any_of(symbols.begin(), symbols.end(),
                         [&](const Expr& s) { return std::find(names.begin(), names.end(), s) != names.end(); });
    };
    return has(e.q) || has(e.u);
  }
  /// mod itself changes all the time; what jumps is the number of whole parts.
  void add(const Expr& node) {
    nodes_.push_back(node);
    watched_.push_back(node.op() == Op::Mod ? floor(node.arg(0) / node.arg(1)) : node);
  }
  SystemEvaluator& evaluator_;
  KernelWorkshop shop_;
  std::vector<Expr> nodes_, watched_;
  std::vector<double> values_;
  std::vector<long> changes_;
};

ChatterWatch::ChatterWatch(SystemEvaluator& evaluator) : evaluator_(evaluator) {}
ChatterWatch::~ChatterWatch() = default;

std::optional<RunFailure> ChatterWatch::observe(const State& state, double until) {
  if (has_none_) return {};
  if (!started_) started_ = true, t_window_ = t_last_ = state.t;
  longest_ = std::max(longest_, state.t - t_last_);
  t_last_ = state.t;
  ++steps_;
  if (looking_) jumps_->observe(state);
  if (steps_ < (looking_ ? kLook : kWindow)) return {};
  const double step = (state.t - t_window_) / static_cast<double>(steps_), left = (until - state.t) / step;
  steps_ = 0;
  t_window_ = state.t;
  if (looking_) {
    looking_ = false;
    const std::size_t worst = jumps_->most_restless();
    const long changes = jumps_->changes(worst);
    if (changes >= kMostChanges || (changes >= kFewChanges && step < kShort * longest_))
      return explain(state, worst, step, left);
    // The stages of a step may cancel, so that each one ends on the same side, at a distance below rounding.
    if (left > kMostLeft && step < kShort * longest_) return find_obstacle(state);
    return {};
  }
  if (!(left > kMostLeft)) return {};
  if (!jumps_) jumps_ = std::make_unique<Jumps>(evaluator_);
  has_none_ = jumps_->empty();
  looking_ = !has_none_;
  if (looking_) jumps_->reset();
  return {};
}

std::optional<RunFailure> ChatterWatch::find_obstacle(const State& state) {
  constexpr double kNear = 1e-9;
  if (!jumps_) jumps_ = std::make_unique<Jumps>(evaluator_);
  if (jumps_->empty()) return {};
  const auto find = [&](std::vector<double> State::*part) -> std::optional<RunFailure> {
    for (std::size_t i = 0; i < (state.*part).size(); ++i) {
      jumps_->reset();
      for (const double side : {-1.0, 1.0}) {
        State beside = state;
        (beside.*part)[i] += side * kNear * std::max(1.0, std::abs((state.*part)[i]));
        jumps_->observe(beside);
      }
      const std::size_t jump = jumps_->most_restless();
      if (jumps_->changes(jump) == 0) continue;
      RunFailure failure = name(state, jump);
      failure.cause =
          "it jumps here, and no step leads over the jump. Where the forces on both sides drive the motion back, as "
          "dry friction holds a body at rest, the equations do not say what holds it. Describe dry friction with "
          "'friction:', which sticks and slips by itself" +
          advice(jump);
      return failure;
    }
    return std::nullopt;
  };
  if (auto failure = find(&State::u)) return failure;
  return find(&State::q);
}

RunFailure ChatterWatch::name(const State& state, std::size_t jump) const {
  constexpr std::size_t kLongest = 120;
  const std::string text = jumps_->node(jump).to_string();
  return {StepStatus::StepUnderflow, state.t, state, text.size() > kLongest ? text.substr(0, kLongest) + " ..." : text,
          ""};
}

std::string ChatterWatch::advice(std::size_t jump) const {
  const Expr& node = jumps_->node(jump);
  if (node.op() != Op::Sign) return "; or smooth the jump";
  return fmt::format("; or smooth the jump, for example tanh(({})/1e-3) for {}", node.arg(0).to_string(),
                     node.to_string());
}

RunFailure ChatterWatch::explain(const State& state, std::size_t jump, double step, double left) const {
  RunFailure failure = name(state, jump);
  failure.cause = fmt::format(
      "it jumps back and forth ({} times in the last {} steps): the force that jumps holds the motion at its jump, as "
      "dry friction holds a body at rest. The steps have become {:.1e} s, and {:.0e} more would be needed. Describe "
      "dry friction with 'friction:', which sticks and slips by itself{}",
      jumps_->changes(jump), kLook, step, left, advice(jump));
  return failure;
}

}  // namespace kane
