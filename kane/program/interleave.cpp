#include "kane/program/interleave.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "kane/program/reorder.hpp"
#include "kane/program/stage_graph.hpp"

namespace kane {

namespace {

/// In per cent of the time that a perfect machine would take: what would finish later than this is urgent. If it were less,
/// more values would wait in memory than the order gains.
constexpr std::uint32_t kTime = 110;

/// Numbers in the order of a key, smallest first.
struct Queue {
  struct Entry {
    std::uint32_t key, operation;
    bool operator>(const Entry& other) const {
      return key != other.key ? key > other.key : operation > other.operation;
    }
  };
  std::vector<Entry> entries;

  [[nodiscard]] bool empty() const { return entries.empty(); }
  [[nodiscard]] const Entry& first() const { return entries.front(); }
  void add(std::uint32_t key, std::uint32_t operation) {
    entries.push_back({key, operation});
    std::push_heap(entries.begin(), entries.end(), std::greater<>());
  }
  void drop() {
    std::pop_heap(entries.begin(), entries.end(), std::greater<>());
    entries.pop_back();
  }
};

class Interleaving {
 public:
  Interleaving(const StageGraph& graph, const Machine& machine)
      : graph_(graph), machine_(machine), missing_(graph.size()), known_(graph.size(), 0), ahead_(graph.size(), 0) {
    for (std::uint32_t i = graph.size(); i-- > 0;) {
      missing_[i] = static_cast<std::uint32_t>(graph.operands(i).size());
      ahead_[i] += duration(i);
      for (const std::uint32_t operand : graph.operands(i)) ahead_[operand] = std::max(ahead_[operand], ahead_[i]);
    }
    order_.reserve(graph.size());
  }

  std::vector<std::uint32_t> run() {
    for (std::uint32_t begin = 0; begin < graph_.size();) {
      std::uint32_t end = begin;
      while (end < graph_.size() && !is_called(graph_.code(end))) ++end;
      start_all(begin, end);
      for (; end < graph_.size() && is_called(graph_.code(end)); ++end) start(end);
      begin = end;
    }
    return std::move(order_);
  }

 private:
  static constexpr std::uint32_t kStarted = 0xffffffffU;

  /// Operations [begin, end), none of which is a call.
  void start_all(std::uint32_t begin, std::uint32_t end) {
    end_ = end;
    oldest_ = begin;
    std::uint32_t longest = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      longest = std::max(longest, ahead_[i]);
      if (missing_[i] == 0) waiting_.add(known_[i], i);
    }
    finish_ = now_ + std::max(longest, (end - begin) / machine_.per_cycle) * kTime / 100;
    for (std::uint32_t left = end - begin; left > 0; ++now_)
      for (std::uint32_t k = 0; k < machine_.per_cycle && left > 0; ++k, --left) {
        while (missing_[oldest_] == kStarted) ++oldest_;
        while (!waiting_.empty() && waiting_.first().key <= now_) {
          const std::uint32_t i = waiting_.first().operation;
          waiting_.drop();
          in_order_.add(i, i);
          urgent_.add(0x7fffffffU - ahead_[i], i);
        }
        if (!start_one()) break;
      }
    in_order_.entries.clear();
    urgent_.entries.clear();
  }

  bool start_one() {
    while (!urgent_.empty() && missing_[urgent_.first().operation] == kStarted) urgent_.drop();
    while (!in_order_.empty() && missing_[in_order_.first().operation] == kStarted) in_order_.drop();
    if (urgent_.empty()) return false;
    const std::uint32_t urgent = urgent_.first().operation, next = in_order_.first().operation;
    if (now_ + ahead_[urgent] >= finish_)
      start(urgent);
    else if (next < oldest_ + machine_.window)
      start(next);
    else
      return false;
    return true;
  }

  void start(std::uint32_t i) {
    order_.push_back(i);
    missing_[i] = kStarted;
    const std::uint32_t done = now_ + duration(i);
    for (const std::uint32_t user : graph_.users(i)) {
      known_[user] = std::max(known_[user], done);
      if (--missing_[user] == 0 && user < end_) waiting_.add(known_[user], user);
    }
  }

  [[nodiscard]] std::uint32_t duration(std::uint32_t i) const {
    const Code code = graph_.code(i);
    if (is_called(code)) return 0;
    return code == Code::Div || code == Code::Sqrt ? machine_.division : machine_.latency;
  }

  const StageGraph& graph_;
  const Machine machine_;
  std::vector<std::uint32_t> missing_;  ///< operands not yet started; kStarted: the operation itself has
  std::vector<std::uint32_t> known_;    ///< cycle from which the operands that have been started are there
  std::vector<std::uint32_t> ahead_;    ///< cycles from its start to the last result that needs it
  std::vector<std::uint32_t> order_;
  Queue waiting_;   ///< by the cycle from which they can start
  Queue in_order_;  ///< those that can start now, as the program has them
  Queue urgent_;    ///< the same, those with the longest way ahead first
  std::uint32_t now_ = 0;
  std::uint32_t finish_ = 0;  ///< cycle by which all should be done
  std::uint32_t oldest_ = 0;  ///< first operation not started
  std::uint32_t end_ = 0;
};

}  // namespace

void interleave(Program& program, const Machine& machine) {
  const StageGraph graph(program, Stage::State);
  std::vector<std::uint32_t> order(program.instructions.size());
  std::iota(order.begin(), order.end(), 0U);
  const std::vector<std::uint32_t> wanted = Interleaving(graph, machine).run();
  for (std::size_t k = 0; k < wanted.size(); ++k) order[graph.begin() + k] = graph.begin() + wanted[k];
  reorder(program, order);
}

}  // namespace kane
