#pragma once
// Runs the cases of a sweep on the threads of this machine. Threads take blocks from a common queue, so that none waits for
// another; the calling thread gets the results and writes them.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "kane/batch/store.hpp"
#include "kane/batch/sweep.hpp"

namespace kane {

/// Cases still to be handed out. For several threads.
class BlockQueue {
 public:
  explicit BlockQueue(std::vector<CaseRange> ranges);
  /// At most `most` cases that follow each other; empty: there are none left.
  [[nodiscard]] std::optional<CaseRange> take(std::uint64_t most);
  [[nodiscard]] std::uint64_t left() const;

  // ---- a queue that is filled while it is used ----------------------------------------------------------------------------
  /// From now on take() waits for further cases, until close().
  void open();
  void add(CaseRange range);
  void close();

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  std::deque<CaseRange> ranges_;
  std::uint64_t left_ = 0;
};

class Executor {
 public:
  /// `threads` 0: as many as the processor has. Starts them. The sweep and the queue must outlive it.
  Executor(const Sweep& sweep, BlockQueue& queue, unsigned threads);
  /// Waits for the threads; they end after the case they are at.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Results since the last call; waits for some, but no longer than this. Rethrows what went wrong in a thread.
  [[nodiscard]] std::vector<CaseResult> collect(std::chrono::milliseconds patience);
  /// All threads have ended, and everything is collected.
  [[nodiscard]] bool finished() const;
  /// No further blocks are begun.
  void stop();
  [[nodiscard]] unsigned threads() const { return planned_; }
  /// Cases that one thread advances at once; 1 until it is known.
  [[nodiscard]] std::size_t width() const { return width_; }

 private:
  void work();
  void deliver(std::vector<CaseResult>& results);

  const Sweep& sweep_;
  BlockQueue& queue_;
  mutable std::mutex mutex_;
  std::condition_variable filled_, emptied_;
  std::vector<CaseResult> results_;
  std::exception_ptr error_;
  unsigned active_ = 0, planned_ = 0;
  bool stopping_ = false;
  std::atomic<std::size_t> width_{1};
  std::vector<std::thread> threads_;
};

/// Threads to use if the user does not say.
[[nodiscard]] unsigned default_threads();

}  // namespace kane
