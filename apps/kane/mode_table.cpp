#include "apps/kane/mode_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kane {

namespace {

/// "q1 62 %, u1 38 %": the states that make up most of a mode.
std::string main_states(const Mode& mode, const std::vector<std::string>& states) {
  std::vector<std::size_t> order(mode.participation.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return mode.participation[a] > mode.participation[b] + 1e-9; });
  constexpr double kWorthNaming = 0.08;
  constexpr std::size_t kMost = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(order.size(), kMost); ++k) {
    const double share = mode.participation[order[k]];
    if (share < kWorthNaming && k > 0) break;
    text += fmt::format("{}{} {:.0f} %", k == 0 ? "" : ", ", states[order[k]], 100 * share);
  }
  return text.empty() ? "-" : text;
}

std::string finite_or(double value, const char* otherwise) {
  return std::isfinite(value) && value != 0 ? fmt::format("{:.5g}", value) : otherwise;
}

}  // namespace

void print_modes(const ModeReport& report, const std::vector<std::string>& states) {
  if (report.modes.empty()) return;
  fmt::print("\n  {:>24}  {:>9}  {:>9}  {:>9}  {}\n", "eigenvalue, 1/s", "freq., Hz", "damping", "time, s",
             "participating states");
  for (std::size_t k = 0; k < report.modes.size();) {
    const Mode& m = report.modes[k];
    // Modes that numbers cannot tell apart share their participation, and one line.
    constexpr double kSpread = 1e3;  // of the eigenvalues of a Jordan block, in tolerances
    const auto same = [&](const Mode& other) {
      return other.participation == m.participation &&
             std::abs(other.eigenvalue - m.eigenvalue) <= kSpread * report.tolerance;
    };
    std::size_t times = 1;
    while (k + times < report.modes.size() && same(report.modes[k + times])) ++times;
    k += times;
    const auto clean = [&](double x) { return std::abs(x) <= report.tolerance ? 0.0 : x; };
    const double re = clean(m.eigenvalue.real()), im = clean(m.eigenvalue.imag());
    fmt::print("  {:>24}  {:>9}  {:>9}  {:>9}  {}\n",
               im == 0 ? fmt::format("{:.8g}", re) : fmt::format("{:.8g} ± {:.8g}i", re, im),
               finite_or(m.frequency, "-"), m.oscillates ? fmt::format("{:.4f}", re == 0 ? 0.0 : m.damping) : "-",
               finite_or(m.time_constant, "-"),
               main_states(m, states) + (times > 1 ? fmt::format(" ({} times)", times) : ""));
  }
}

}  // namespace kane
