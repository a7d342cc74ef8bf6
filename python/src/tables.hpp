#pragma once
// Time series from Python: (names, array of t, array (samples, names)).

#include "kane/simulate/record/series_file.hpp"
#include "python/src/binding.hpp"

namespace kane::python {

[[nodiscard]] SeriesTable series_table(const py::object& table);
/// Each column as the series of the input of its name.
[[nodiscard]] std::vector<InputSource> series_sources(const py::object& table);

}  // namespace kane::python
