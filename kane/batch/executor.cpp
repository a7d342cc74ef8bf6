#include "kane/batch/executor.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#if defined(__linux__)
#include <sched.h>
#endif

namespace kane {

BlockQueue::BlockQueue(std::vector<CaseRange> ranges) {
  for (const CaseRange& r : ranges) left_ += r.last - r.first;
  ranges_.assign(ranges.begin(), ranges.end());
}

std::optional<CaseRange> BlockQueue::take(std::uint64_t most) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ranges_.empty() || !open_; });
  if (ranges_.empty()) return std::nullopt;
  CaseRange& front = ranges_.front();
  const CaseRange block{front.first, std::min(front.last, front.first + std::max<std::uint64_t>(most, 1))};
  front.first = block.last;
  if (front.first == front.last) ranges_.pop_front();
  left_ -= block.last - block.first;
  return block;
}

void BlockQueue::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
}

void BlockQueue::add(CaseRange range) {
  if (range.first >= range.last) return;
  const std::lock_guard lock(mutex_);
  ranges_.push_back(range);
  left_ += range.last - range.first;
  changed_.notify_all();
}

void BlockQueue::close() {
  const std::lock_guard lock(mutex_);
  open_ = false;
  changed_.notify_all();
}

std::uint64_t BlockQueue::left() const {
  const std::lock_guard lock(mutex_);
  return left_;
}

unsigned default_threads() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1U, static_cast<unsigned>(CPU_COUNT(&set)));
#endif
  return std::max(1U, std::thread::hardware_concurrency());
}

Executor::Executor(const Sweep& sweep, BlockQueue& queue, unsigned threads) : sweep_(sweep), queue_(queue) {
  const unsigned count = threads == 0 ? default_threads() : threads;
  active_ = planned_ = count;
  for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
}

Executor::~Executor() {
  stop();
  for (std::thread& thread : threads_) thread.join();
}

void Executor::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  emptied_.notify_all();
}

void Executor::deliver(std::vector<CaseResult>& results) {
  // Results that the writer has not taken yet; those with series are large.
  constexpr std::size_t kMostWaiting = 200'000, kSmall = 64;
  const std::size_t size = results.empty() ? 0 : results.front().series.size();
  const std::size_t most = std::max<std::size_t>(1, kMostWaiting / (1 + size / kSmall));
  std::unique_lock lock(mutex_);
  emptied_.wait(lock, [&] { return stopping_ || results_.size() < most; });
  std::move(results.begin(), results.end(), std::back_inserter(results_));
  results.clear();
  filled_.notify_one();
}

/// Blocks take about 50 ms each: short enough that threads end together and little is lost by a kill, long enough that handing
/// them over costs nothing. Slow cases are taken one by one, or as many as there are lanes, several times over, so that lanes whose
/// case has ended can be filled again.
void Executor::work() {
  constexpr double kBlockTime = 0.05, kMost = 16384, kFillings = 4;
  try {
    CaseRunner runner(sweep_);
    const auto width = static_cast<double>(runner.width());
    width_ = runner.width();
    const double least = width > 1 ? kFillings * width : 1;
    std::vector<CaseResult> results;
    double size = width;
    while (true) {
      {
        const std::lock_guard lock(mutex_);
        if (stopping_) break;
      }
      // Towards the end blocks become smaller, so that no thread is left alone with a large one, and the last cases are dealt
      // out evenly, even if lanes stay empty.
      const double left = static_cast<double>(queue_.left()), threads = planned_;
      const double even = std::min(width, std::ceil(left / threads));
      const auto block =
          queue_.take(static_cast<std::uint64_t>(std::max({1.0, even, std::min(size, left / (4 * threads))})));
      if (!block) break;
      const auto begin = std::chrono::steady_clock::now();
      runner.run(block->first, block->last - block->first, results);
      const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      const double per_case = spent / static_cast<double>(block->last - block->first);
      size = std::clamp(std::min(kBlockTime / std::max(per_case, 1e-9), 4 * size), least, kMost);
      deliver(results);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    stopping_ = true;
    emptied_.notify_all();
  }
  const std::lock_guard lock(mutex_);
  --active_;
  filled_.notify_all();
}

std::vector<CaseResult> Executor::collect(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  filled_.wait_for(lock, patience, [&] { return !results_.empty() || active_ == 0; });
  if (error_) std::rethrow_exception(error_);
  std::vector<CaseResult> taken;
  taken.swap(results_);
  emptied_.notify_all();
  return taken;
}

bool Executor::finished() const {
  const std::lock_guard lock(mutex_);
  return active_ == 0 && results_.empty();
}

}  // namespace kane
