#include "kane/program/schedule.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "kane/program/liveness.hpp"
#include "kane/program/reorder.hpp"

namespace kane {

namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

/// Functions that backends call, rather than having instructions for them.
bool is_called(Code code) {
  switch (code) {
    case Code::Sqrt:
    case Code::Abs:
    case Code::Sign:
    case Code::Min:
    case Code::Max:
    case Code::Floor:
    case Code::Less:
    case Code::LessEqual:
    case Code::Equal:
    case Code::Select: return false;
    default: return info(code).kind == OpKind::Function;
  }
}

class Schedule {
 public:
  Schedule(const Program& p, Stage stage)
      : p_(p),
        begin_(p.stage_begin(stage)),
        count_(p.stage_end[static_cast<std::size_t>(stage)] - begin_),
        first_(p.first_temporary() + begin_),
        need_(count_, 0),
        level_(count_, 0),
        done_(count_, 0) {
    number();
    order_.reserve(count_);
  }

  /// `depth_first`: the arithmetic as described in schedule.hpp, else in the order it is in.
  const std::vector<std::uint32_t>& run(bool depth_first) {
    order_.clear();
    std::fill(done_.begin(), done_.end(), 0);
    order_functions();
    if (depth_first) {
      for (const ProgramOutput& o : p_.outputs)
        if (is_local(o.value)) visit(o.value - first_);
    }
    for (std::uint32_t i = 0; i < count_; ++i)
      if (done_[i] == 0) put(i);
    return order_;
  }

 private:
  [[nodiscard]] bool is_local(ValueId id) const { return id >= first_ && id - first_ < count_; }
  [[nodiscard]] const Instruction& at(std::uint32_t i) const { return p_.instructions[begin_ + i]; }

  void put(std::uint32_t i) {
    done_[i] = 1;
    order_.push_back(begin_ + i);
  }

  /// Registers needed by each instruction as a tree, and the group of functions it belongs to or waits for.
  void number() {
    for (std::uint32_t i = 0; i < count_; ++i) {
      std::array<std::uint16_t, 3> needs{};
      std::size_t used = 0;
      std::uint32_t level = 0;
      std::uint16_t more = 0;
      visit_values(p_, at(i), [&](ValueId id) {
        if (!is_local(id)) return;
        level = std::max(level, level_[id - first_]);
        if (used < needs.size()) {
          needs[used++] = need_[id - first_];
        } else {
          more = std::max(more, need_[id - first_]);
        }
      });
      std::sort(needs.begin(), needs.end(), std::greater<>());
      std::uint16_t need = std::max<std::uint16_t>(1, more);
      for (std::size_t k = 0; k < used; ++k) need = std::max(need, static_cast<std::uint16_t>(needs[k] + k));
      need_[i] = std::min<std::uint16_t>(need, 60000);
      level_[i] = is_called(at(i).code) ? level + 1 : level;
    }
  }

  /// All called functions, group by group.
  void order_functions() {
    std::vector<std::uint32_t> called;
    for (std::uint32_t i = 0; i < count_; ++i)
      if (is_called(at(i).code)) called.push_back(i);
    std::stable_sort(called.begin(), called.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return level_[a] < level_[b]; });
    std::vector<std::uint32_t> cosine_of(p_.value_count(), kNone);
    for (const std::uint32_t i : called)
      if (at(i).code == Code::Cos) cosine_of[at(i).a] = i;
    for (std::size_t begin = 0; begin < called.size();) {
      std::size_t end = begin;
      while (end < called.size() && level_[called[end]] == level_[called[begin]]) ++end;
      order_group({called.data() + begin, end - begin}, cosine_of);
      begin = end;
    }
  }

  void order_group(std::span<const std::uint32_t> group, const std::vector<std::uint32_t>& cosine_of) {
    for (const std::uint32_t i : group)
      visit_values(p_, at(i), [&](ValueId id) {
        if (is_local(id)) visit(id - first_);
      });
    for (const std::uint32_t i : group) {
      if (at(i).code != Code::Sin) continue;
      put(i);
      if (const std::uint32_t cosine = cosine_of[at(i).a]; cosine != kNone) put(cosine);
    }
    for (const std::uint32_t i : group)
      if (at(i).code == Code::Cos && done_[i] == 0) put(i);
    for (const std::uint32_t i : group)
      if (done_[i] == 0) put(i);
  }

  /// Puts instruction i after all it needs, the most demanding operand first.
  void visit(std::uint32_t root) {
    if (done_[root] != 0) return;
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const std::uint32_t i = stack_.back();
      if (done_[i] != 0) {
        stack_.pop_back();
        continue;
      }
      std::uint32_t next = kNone;
      visit_values(p_, at(i), [&](ValueId id) {
        if (!is_local(id) || done_[id - first_] != 0) return;
        if (next == kNone || need_[id - first_] > need_[next]) next = id - first_;
      });
      if (next == kNone) {
        stack_.pop_back();
        put(i);
      } else {
        stack_.push_back(next);
      }
    }
  }

  const Program& p_;
  std::uint32_t begin_;
  std::uint32_t count_;
  ValueId first_;
  std::vector<std::uint16_t> need_;
  std::vector<std::uint32_t> level_;
  std::vector<std::uint8_t> done_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> stack_;
};

}  // namespace

void schedule(Program& p) {
  Schedule plan(p, Stage::State);
  const std::vector<std::uint32_t> as_it_came = plan.run(false);
  const std::vector<std::uint32_t> depth_first = plan.run(true);
  const bool deep =
      calc_liveness(p, Stage::State, depth_first).far_uses <= calc_liveness(p, Stage::State, as_it_came).far_uses;
  std::vector<std::uint32_t> order(p.stage_begin(Stage::State));
  std::iota(order.begin(), order.end(), 0U);
  const auto& best = deep ? depth_first : as_it_came;
  order.insert(order.end(), best.begin(), best.end());
  reorder(p, order);
}

}  // namespace kane
