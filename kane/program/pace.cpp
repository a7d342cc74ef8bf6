#include "kane/program/pace.hpp"

#include <algorithm>
#include <vector>

namespace kane {

namespace {

constexpr std::uint32_t kWaiting = 97;
constexpr std::uint32_t kEntering = 6;
constexpr std::uint32_t kFromMemory = 5;  ///< cycles more for an operand from memory

struct Timing {
  std::uint8_t latency;
  std::uint8_t ports;  ///< instructions of this kind that can start in one cycle
};

Timing timing_of(Code code) {
  switch (code) {
    case Code::Add:
    case Code::Sub: return {2, 3};
    case Code::Div: return {14, 2};
    default: return {4, 2};
  }
}

class Pipeline {
 public:
  explicit Pipeline(std::size_t instructions) : started_(2 * instructions + kWaiting, 0) {}

  void enter() {
    if (++entered_now_ > kEntering) advance();
    while (waiting_ >= kWaiting) advance();
  }
  /// Starts it as soon as its operands (known from cycle `ready` on) and a port allow.
  std::uint32_t start(std::uint32_t ready, std::uint32_t ports) {
    std::uint32_t cycle = std::max(ready, now_ + 1);
    // Waiting instructions fill at most kWaiting / 2 cycles in a row.
    if (cycle + kWaiting > started_.size()) started_.resize(2 * std::size_t{cycle} + kWaiting, 0);
    while (started_[cycle] >= ports) ++cycle;
    ++started_[cycle];
    ++waiting_;
    return cycle;
  }

 private:
  void advance() {
    entered_now_ = 1;
    ++now_;
    waiting_ -= started_[now_];
  }

  std::vector<std::uint8_t> started_;  ///< instructions by cycle
  std::uint32_t now_ = 0;
  std::uint32_t entered_now_ = 0;
  std::uint32_t waiting_ = 0;
};

}  // namespace

Pace estimate_pace(const StageGraph& graph, std::span<const std::uint32_t> order) {
  struct Value {
    std::uint32_t ready = 0;    ///< cycle
    std::uint32_t touched = 0;  ///< place of computation or last use
  };
  std::vector<Value> values(graph.size());
  Pipeline pipeline(order.size());
  Pace pace;
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    const std::uint32_t i = order[place];
    std::uint32_t ready = 0;
    for (const std::uint32_t operand : graph.operands(i)) {
      Value& v = values[operand];
      const bool far = place - v.touched > kFar;
      pace.far_uses += far ? 1U : 0U;
      ready = std::max(ready, v.ready + (far ? kFromMemory : 0));
      v.touched = place;
    }
    const Timing timing = timing_of(graph.code(i));
    pipeline.enter();
    const std::uint32_t known = pipeline.start(ready, timing.ports) + timing.latency;
    values[i] = {known, place};
    pace.cycles = std::max(pace.cycles, known);
  }
  return pace;
}

}  // namespace kane
