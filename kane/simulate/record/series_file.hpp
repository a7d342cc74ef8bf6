#pragma once
// Time series from comma-separated values: a line of names with t (or time) among them, then lines of numbers.

#include <string>
#include <string_view>
#include <vector>

#include "kane/simulate/motion/input_schedule.hpp"

namespace kane {

struct SeriesTable {
  std::vector<std::string> names;  ///< without t
  std::vector<double> t;
  std::vector<std::vector<double>> columns;  ///< one per name
};

/// Throws ModelError with file and line. `file` is for messages only.
[[nodiscard]] SeriesTable parse_series(std::string_view text, const std::string& file);
[[nodiscard]] SeriesTable read_series(const std::string& file);

/// Every column as the series of the input of its name.
[[nodiscard]] std::vector<InputSource> series_inputs(const SeriesTable& table, Interpolation interpolation);

}  // namespace kane
