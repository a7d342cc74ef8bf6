#include "apps/kane/terminal_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace kane {

namespace {

constexpr std::string_view kMarks = "*+ox#@%&";

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

  void include(double v) {
    if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  }
  /// A line that does not change still needs a height.
  void widen() {
    if (!(low <= high)) low = 0, high = 1;
    if (low == high) low -= 0.5 * std::max(1e-300, std::abs(low)), high += 0.5 * std::max(1e-300, std::abs(high));
    if (low == high) low = -1, high = 1;
  }
  [[nodiscard]] int place(double v, int cells) const {
    const double s = (v - low) / (high - low) * (cells - 1);
    return std::clamp(static_cast<int>(std::lround(s)), 0, cells - 1);
  }
};

}  // namespace

std::string draw_plot(const std::vector<double>& x, const std::vector<PlotCurve>& curves, int width, int height) {
  Range horizontal, vertical;
  for (const double v : x) horizontal.include(v);
  for (const auto& curve : curves)
    for (const double v : curve.y) vertical.include(v);
  horizontal.widen(), vertical.widen();
  const auto columns = static_cast<std::size_t>(width);
  std::vector<std::string> canvas(static_cast<std::size_t>(height), std::string(columns, ' '));
  std::string text;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const char mark = kMarks[c % kMarks.size()];
    for (std::size_t i = 0; i < std::min(x.size(), curves[c].y.size()); ++i) {
      if (!std::isfinite(curves[c].y[i]) || !std::isfinite(x[i])) continue;
      const auto row = static_cast<std::size_t>(height - 1 - vertical.place(curves[c].y[i], height));
      canvas[row][static_cast<std::size_t>(horizontal.place(x[i], width))] = mark;
    }
    text += fmt::format("  {} {}", mark, curves[c].name);
  }
  text += '\n';
  for (std::size_t row = 0; row < canvas.size(); ++row) {
    const bool labelled = row == 0 || row + 1 == canvas.size();
    const std::string label = labelled ? fmt::format("{:.4g}", row == 0 ? vertical.high : vertical.low) : "";
    text += fmt::format("{:>11} |{}\n", label, canvas[row]);
  }
  text += fmt::format("{:>11} +{:-<{}}\n", "", "", width);
  const std::string right = fmt::format("{:.4g}", horizontal.high);
  text += fmt::format("{:>12} {:<{}}{}\n", "", fmt::format("{:.4g}", horizontal.low),
                      width - static_cast<int>(right.size()), right);
  return text;
}

}  // namespace kane
