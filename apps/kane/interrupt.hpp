#pragma once
// Ctrl-C (SIGINT), SIGTERM and SIGHUP. A run checks now and then whether one has arrived, ends early and keeps its results; the
// command then exits with 128 + the number of the signal. A second signal, or one outside of a run, ends the program at once,
// with the same code.

#include <exception>

namespace kane {

/// Thrown when everything is written; main() turns it into the exit code.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
  [[nodiscard]] int exit_code() const { return 128 + signal_; }

 private:
  int signal_;
};

/// For the whole program. Signals that the caller ignores (nohup) stay ignored, and a closed pipe or a file that grows too
/// large is an error of the write, not a signal.
void install_signal_handlers();

/// During its lifetime a first signal is only noted.
class InterruptScope {
 public:
  /// `notify(with)` is called by the handler: it may only store to an atomic.
  explicit InterruptScope(void (*notify)(void*) = nullptr, void* with = nullptr);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

/// The signal that came in the present or last InterruptScope; 0: none.
[[nodiscard]] int interrupted_by();
/// Throws Interrupted if one came.
void throw_if_interrupted();

}  // namespace kane
