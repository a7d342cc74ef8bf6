#pragma once
// From the loop to slower consumers, without a lock and without waiting on either side: three buffers, one being written, one
// being read, and the newest finished one in between; writer and reader exchange theirs for it with one atomic operation.

#include <array>
#include <atomic>
#include <cstdint>

namespace kane {

/// One writer, one reader. The reader sees the newest value, and each value whole.
template <class T>
class LatestValue {
 public:
  explicit LatestValue(const T& initial = T()) { buffers_.fill(initial); }

  /// The buffer to write into; publish() hands it over. Writer only.
  [[nodiscard]] T& draft() { return buffers_[writing_]; }
  void publish() {
    writing_ = middle_.exchange(static_cast<std::uint8_t>(writing_ | kFresh), std::memory_order_acq_rel) & kIndex;
  }

  /// True if something new was published since the last call; then value() is it. Reader only.
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
