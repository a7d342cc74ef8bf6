#include "kane/program/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "kane/program/code.hpp"
#include "kane/program/pace.hpp"
#include "kane/program/reorder.hpp"

namespace kane {

namespace {

constexpr std::uint32_t kNone = 0xffffffffU;
/// About as many as fit the first instruction cache.
constexpr std::size_t kInstructionsInCache = 4000;
/// For programs shorter than this the orders differ by a few percent, which is not worth the time it takes to compare
/// them.
constexpr std::size_t kShortProgram = 1000;

class Schedule {
 public:
  explicit Schedule(const Program& p)
      : p_(p),
        graph_(p, Stage::State),
        count_(graph_.size()),
        first_(p.first_temporary() + graph_.begin()),
        need_(count_, 0),
        level_(count_, 0),
        state_(count_) {
    number();
    for (std::uint32_t i = 0; i < count_; ++i)
      if (is_called(graph_.code(i))) called_.push_back(i);
    std::stable_sort(called_.begin(), called_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return level_[a] < level_[b]; });
    order_.reserve(count_);
  }

  [[nodiscard]] const StageGraph& graph() const { return graph_; }

  /// `depth_first`: the arithmetic as described in schedule.hpp, else in the order it is in.
  std::vector<std::uint32_t> run(bool depth_first) {
    order_.clear();
    for (std::uint32_t i = 0; i < count_; ++i)
      state_[i] = {static_cast<std::uint32_t>(graph_.operands(i).size()),
                   static_cast<std::uint32_t>(graph_.users(i).size()), false};
    order_functions();
    if (depth_first) {
      for (const ProgramOutput& o : p_.outputs)
        if (o.value >= first_ && o.value - first_ < count_) visit(o.value - first_);
    }
    for (std::uint32_t i = 0; i < count_; ++i)
      if (!state_[i].done) put(i);
    return order_;
  }

 private:
  struct State {
    std::uint32_t missing;    ///< operands not yet computed
    std::uint32_t uses_left;  ///< by instructions not yet put
    bool done;
  };

  /// Instruction i, and everything that can follow it at no cost.
  void put(std::uint32_t i) {
    place(i);
    for (std::size_t k = 0; k < candidates_.size(); ++k)
      if (const std::uint32_t next = candidates_[k]; !state_[next].done && ends_a_life(next)) place(next);
    candidates_.clear();
  }

  void place(std::uint32_t i) {
    state_[i].done = true;
    order_.push_back(i);
    for (const std::uint32_t user : graph_.users(i))
      if (--state_[user].missing == 0) candidates_.push_back(user);
    for (const std::uint32_t operand : graph_.operands(i)) {
      if (--state_[operand].uses_left != 1) continue;
      for (const std::uint32_t user : graph_.users(operand))
        if (!state_[user].done && state_[user].missing == 0) candidates_.push_back(user);
    }
  }

  /// Instruction i, which has all its operands, is the last user of one of them.
  [[nodiscard]] bool ends_a_life(std::uint32_t i) const {
    if (is_called(graph_.code(i))) return false;
    const std::span<const std::uint32_t> operands = graph_.operands(i);
    return std::any_of(operands.begin(), operands.end(), [&](std::uint32_t operand) {
      const std::uint32_t left = state_[operand].uses_left;
      return left == 1 || left == std::count(operands.begin(), operands.end(), operand);
    });
  }

  /// Registers needed by each instruction as a tree, and the group of functions it belongs to or waits for.
  void number() {
    for (std::uint32_t i = 0; i < count_; ++i) {
      std::uint32_t level = 0;
      std::uint16_t most = 0, second = 0, least = 0;  // the three largest needs
      for (const std::uint32_t operand : graph_.operands(i)) {
        level = std::max(level, level_[operand]);
        const std::uint16_t need = need_[operand];
        least = std::max(least, std::min(second, need));
        second = std::max(second, std::min(most, need));
        most = std::max(most, need);
      }
      const int need = std::max({1, int{most}, second > 0 ? second + 1 : 0, least > 0 ? least + 2 : 0});
      need_[i] = static_cast<std::uint16_t>(std::min(need, 60000));
      level_[i] = is_called(graph_.code(i)) ? level + 1 : level;
    }
  }

  /// All called functions, group by group.
  void order_functions() {
    for (std::size_t begin = 0; begin < called_.size();) {
      std::size_t end = begin;
      while (end < called_.size() && level_[called_[end]] == level_[called_[begin]]) ++end;
      order_group({called_.data() + begin, end - begin});
      begin = end;
    }
  }

  void order_group(std::span<const std::uint32_t> group) {
    for (const std::uint32_t i : group)
      for (const std::uint32_t operand : graph_.operands(i)) visit(operand);
    std::unordered_map<ValueId, std::uint32_t> cosine_of;
    const auto angle = [&](std::uint32_t i) { return p_.instructions[graph_.begin() + i].a; };
    for (const std::uint32_t i : group)
      if (graph_.code(i) == Code::Cos) cosine_of[angle(i)] = i;
    for (const std::uint32_t i : group) {
      if (graph_.code(i) != Code::Sin) continue;
      place(i);
      if (const auto cosine = cosine_of.find(angle(i)); cosine != cosine_of.end()) place(cosine->second);
    }
    for (const std::uint32_t i : group)
      if (graph_.code(i) == Code::Cos && !state_[i].done) place(i);
    for (const std::uint32_t i : group)
      if (!state_[i].done) place(i);
  }

  /// Places instruction i after everything it needs, the most demanding operand first.
  void visit(std::uint32_t root) {
    if (state_[root].done) return;
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const std::uint32_t i = stack_.back();
      if (state_[i].done) {
        stack_.pop_back();
        continue;
      }
      std::uint32_t next = kNone;
      for (const std::uint32_t operand : graph_.operands(i))
        if (!state_[operand].done && (next == kNone || need_[operand] > need_[next])) next = operand;
      if (next == kNone) {
        stack_.pop_back();
        put(i);
      } else {
        stack_.push_back(next);
      }
    }
  }

  const Program& p_;
  const StageGraph graph_;
  std::uint32_t count_;
  ValueId first_;
  std::vector<std::uint16_t> need_;
  std::vector<std::uint32_t> level_;
  std::vector<State> state_;
  std::vector<std::uint32_t> called_;  ///< functions, group by group
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint32_t> candidates_;
};

std::vector<std::uint32_t> best_order(const Program& p) {
  Schedule plan(p);
  std::vector<std::uint32_t> as_it_came = plan.run(false);
  if (as_it_came.size() < kShortProgram) return as_it_came;
  std::vector<std::uint32_t> depth_first = plan.run(true);
  // Operands from memory make code longer, which costs most where it must come from the second cache.
  const std::uint32_t weight = as_it_came.size() > kInstructionsInCache ? 4 : 1;
  const auto cost = [&](const std::vector<std::uint32_t>& order) {
    const Pace pace = estimate_pace(plan.graph(), order);
    return 4 * pace.cycles + weight * pace.far_uses;
  };
  return cost(depth_first) < cost(as_it_came) ? depth_first : as_it_came;
}

}  // namespace

void schedule(Program& p) {
  const std::uint32_t begin = p.stage_begin(Stage::State);
  std::vector<std::uint32_t> order(begin);
  std::iota(order.begin(), order.end(), 0U);
  for (const std::uint32_t i : best_order(p)) order.push_back(begin + i);
  reorder(p, order);
}

}  // namespace kane
