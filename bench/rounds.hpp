#pragma once
// Fair timing of rivals on a machine that does other things too.

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <string>
#include <vector>

namespace kane::bench {

/// Nanoseconds that this thread has run, so that others on the machine count less.
inline double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

template <class Call>
double measure(std::size_t calls, Call call) {
  const double start = now();
  for (std::size_t i = 0; i < calls; ++i) call();
  return now() - start;
}

/// The medians of many short rounds, in each of which every engine has its turn: what else the machine does hits all alike.
class Rounds {
 public:
  template <class Call>
  void add(const std::string& name, Call call) {
    Series& series = series_[name];
    constexpr double kRound = 2e5;  // nanoseconds
    while (series.times.empty() && measure(series.calls, call) < kRound) series.calls *= 2;
    call();  // the others' turns have filled the caches
    series.times.push_back(measure(series.calls, call) / static_cast<double>(series.calls));
  }
  [[nodiscard]] double median(const std::string& name) const {
    const auto found = series_.find(name);
    if (found == series_.end()) return std::nan("");
    std::vector<double> times = found->second.times;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  }

 private:
  struct Series {
    std::size_t calls = 1;
    std::vector<double> times;
  };
  std::map<std::string, Series> series_;
};

}  // namespace kane::bench
