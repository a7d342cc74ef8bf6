#pragma once
// Runs several cases of a sweep at once, one in each lane of vector registers.

#include <cstdint>
#include <memory>
#include <vector>

#include "kane/batch/sweep.hpp"

namespace kane {

class LaneRunner {
 public:
  /// Null where the cases of this model have to run one by one: contacts, friction, events, closed loops, inputs that are
  /// sampled or follow points in time, methods other than rk4 and dopri5.
  [[nodiscard]] static std::unique_ptr<LaneRunner> make(const Sweep& sweep, std::size_t model);
  virtual ~LaneRunner() = default;
  /// Cases that are run at once.
  [[nodiscard]] virtual std::size_t width() const = 0;

  /// The cases first .. first + count - 1. Those that fail here are left to the simulator, which can say why.
  virtual void run(std::uint64_t first, std::uint64_t count, std::vector<CaseResult>& results,
                   std::vector<std::uint64_t>& left) = 0;
};

}  // namespace kane
