#pragma once
// Plots drawn with characters, for viewing a trajectory in the terminal.

#include <string>
#include <vector>

namespace kane {

struct PlotCurve {
  std::string name;
  std::vector<double> y;
};

/// All curves over x in one frame of `width` x `height` characters, each with its own mark.
[[nodiscard]] std::string draw_plot(const std::vector<double>& x, const std::vector<PlotCurve>& curves, int width = 72,
                                    int height = 18);

}  // namespace kane
