#include "apps/kane/waiting_note.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

namespace kane {

namespace {

using NoteClock = std::chrono::steady_clock;

/// Writes both streams, and the note while nothing comes through them.
class MessageWatch {
 public:
  void start() {
    last_ = NoteClock::now();
    thread_ = std::thread([this] { run(); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
    const std::lock_guard lock(mutex_);
    clear();
  }
  void set_phrase(const char* phrase) {
    const std::lock_guard lock(mutex_);
    phrase_ = phrase;
    begun_ = last_ = NoteClock::now();
    clear();
  }
  ssize_t write(int descriptor, const char* text, std::size_t size) {
    const std::lock_guard lock(mutex_);
    clear();
    last_ = NoteClock::now();
    return ::write(descriptor, text, size);
  }

 private:
  void run() {
    constexpr std::chrono::milliseconds kPatience{1000}, kInterval{200};
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      wake_.wait_for(lock, kInterval);
      const auto now = NoteClock::now();
      if (stopping_ || phrase_ == nullptr || now - last_ < kPatience) continue;
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - begun_).count();
      const std::string line = fmt::format("\r{} ... {} s ", phrase_, seconds);
      (void)!::write(STDERR_FILENO, line.data(), line.size());
      shown_ = line.size();
    }
  }
  void clear() {
    if (shown_ == 0) return;
    const std::string line = "\r" + std::string(shown_, ' ') + "\r";
    (void)!::write(STDERR_FILENO, line.data(), line.size());
    shown_ = 0;
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread thread_;
  bool stopping_ = false;
  const char* phrase_ = nullptr;
  std::size_t shown_ = 0;  ///< bytes of the note on the screen
  NoteClock::time_point last_{}, begun_{};
};

MessageWatch& message_watch() {
  static MessageWatch& watch = *new MessageWatch;  // never destroyed: streams are flushed after everything else
  return watch;
}

#ifdef __GLIBC__
ssize_t write_message(void*, const char* text, std::size_t size) {
  (void)!message_watch().write(STDERR_FILENO, text, size);
  return static_cast<ssize_t>(size);
}

ssize_t write_result(void*, const char* text, std::size_t size) {
  const ssize_t written = message_watch().write(STDOUT_FILENO, text, size);
  return written < 0 ? 0 : written;  // 0 means an error here
}

void replace_stream(std::FILE*& stream, cookie_write_function_t* write) {
  cookie_io_functions_t io{};
  io.write = write;
  std::FILE* const own = ::fopencookie(nullptr, "w", io);
  if (own == nullptr) return;
  (void)std::setvbuf(own, nullptr, _IOLBF, BUFSIZ);
  stream = own;
}
#endif

}  // namespace

void watch_messages(bool show_notes) {
  (void)message_watch();
#ifdef __GLIBC__
  replace_stream(stderr, &write_message);
  if (!show_notes || ::isatty(STDERR_FILENO) == 0) return;
  if (::isatty(STDOUT_FILENO) != 0) replace_stream(stdout, &write_result);
  message_watch().start();
#else
  (void)show_notes;
#endif
}

void working_on(const char* phrase) { message_watch().set_phrase(phrase); }

void stop_watching() {
  std::fflush(stderr);
  message_watch().stop();
}

}  // namespace kane
