#include "apps/kane/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace kane {

namespace {

constexpr long kCallsBetweenLooks = 32;

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

ProgressBar::ProgressBar(double begin, double end, bool wanted)
    : begin_(begin),
      end_(end),
      drawing_(wanted && isatty(STDERR_FILENO) != 0),
      started_(Clock::now()),
      last_(started_) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(double t) {
  if (!drawing_ || ++calls_ % kCallsBetweenLooks != 0) return;
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - last_).count() < 0.1) return;
  last_ = now;
  const double elapsed = std::chrono::duration<double>(now - started_).count();
  const double done = std::clamp((t - begin_) / (end_ - begin_), 0.0, 1.0);
  const double rate = (t - begin_) / elapsed;
  const double left = done > 0 ? elapsed * (1 - done) / done : 0;
  constexpr int kWidth = 30;
  const int filled = static_cast<int>(done * kWidth);
  fmt::print(stderr, "\r[{:=<{}}{: <{}}] {:3.0f} %  t = {:.4g} s  {:.3g} x real time  {} left   ", "", filled, "",
             kWidth - filled, 100 * done, t, rate, duration_text(left));
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressBar::clear() {
  if (drawn_) fmt::print(stderr, "\r{: <100}\r", "");
  drawn_ = false;
}

}  // namespace kane
