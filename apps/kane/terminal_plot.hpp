#pragma once
// Curves drawn with characters, for a look at a trajectory without leaving the terminal.

#include <string>
#include <vector>

namespace kane {

struct PlotCurve {
  std::string name;
  std::vector<double> y;
};

/// All curves over x in one frame of `width` x `height` characters, each with a mark of its own.
[[nodiscard]] std::string draw_plot(const std::vector<double>& x, const std::vector<PlotCurve>& curves, int width = 72,
                                    int height = 18);

}  // namespace kane
