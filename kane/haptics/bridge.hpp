#pragma once
// A triple buffer from the loop to slower consumers; neither side locks or waits. One buffer is being written, one is being
// read, and the third holds the newest finished value; writer and reader swap theirs for it with one atomic operation.

#include <array>
#include <atomic>
#include <cstdint>

namespace kane {

/// One writer, one reader. The reader sees the newest value, never a partly written one.
template <class T>
class LatestValue {
 public:
  explicit LatestValue(const T& initial = T()) { buffers_.fill(initial); }

  /// The buffer to write into; publish() hands it over. Writer only.
  [[nodiscard]] T& draft() { return buffers_[writing_]; }
  void publish() {
    writing_ = middle_.exchange(static_cast<std::uint8_t>(writing_ | kFresh), std::memory_order_acq_rel) & kIndex;
  }

  /// True if a new value was published since the last call; value() then returns it. Reader only.
  bool update() {
    if ((middle_.load(std::memory_order_relaxed) & kFresh) == 0) return false;
    reading_ = middle_.exchange(reading_, std::memory_order_acq_rel) & kIndex;
    return true;
  }
  [[nodiscard]] const T& value() const { return buffers_[reading_]; }

 private:
  static constexpr std::uint8_t kFresh = 4, kIndex = 3;

  std::array<T, 3> buffers_;
  alignas(64) std::atomic<std::uint8_t> middle_{1};
  alignas(64) std::uint8_t writing_ = 0;
  alignas(64) std::uint8_t reading_ = 2;
};

}  // namespace kane
