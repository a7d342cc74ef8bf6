#include "python/src/tables.hpp"

#include "kane/base/error.hpp"

namespace kane::python {

SeriesTable series_table(const py::object& table) {
  const auto parts = table.cast<py::tuple>();
  SeriesTable result;
  result.names = parts[0].cast<std::vector<std::string>>();
  const auto t = parts[1].cast<py::array_t<double, py::array::c_style | py::array::forcecast>>();
  const auto values = parts[2].cast<py::array_t<double, py::array::c_style | py::array::forcecast>>();
  require(t.ndim() == 1 && values.ndim() == 2 && values.shape(0) == t.shape(0) &&
              values.shape(1) == static_cast<py::ssize_t>(result.names.size()),
          "a table has a column of times, and a column of the same length for each of its {} names",
          result.names.size());
  result.t.assign(t.data(), t.data() + t.size());
  for (std::size_t j = 1; j < result.t.size(); ++j)
    require(result.t[j] > result.t[j - 1], "the times of a table must increase: {} follows {}", result.t[j],
            result.t[j - 1]);
  result.columns.resize(result.names.size());
  for (std::size_t j = 0; j < result.names.size(); ++j)
    for (py::ssize_t i = 0; i < values.shape(0); ++i)
      result.columns[j].push_back(values.at(i, static_cast<py::ssize_t>(j)));
  return result;
}

std::vector<InputSource> series_sources(const py::object& table) {
  return series_inputs(series_table(table), Interpolation::Linear);
}

}  // namespace kane::python
