// Sweeps: many variations of a run on the threads and SIMD lanes of this machine, as arrays; and the stores of `kane sweep`.

#include "kane/batch/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "kane/base/error.hpp"
#include "kane/batch/executor.hpp"
#include "kane/batch/store.hpp"
#include "python/src/model.hpp"
#include "python/src/simulation.hpp"

namespace kane::python {
namespace {

/// Results are kept in memory; a study with more runs belongs into a store.
constexpr std::uint64_t kMostRuns = 20'000'000;

template <class T>
void take_if_given(const py::dict& given, const char* key, T& to) {
  if (given.contains(key)) to = option<T>(given, key);
}
template <class T>
void take_if_given(const py::dict& given, const char* key, std::optional<T>& to) {
  if (given.contains(key)) to = option<T>(given, key);
}

Study study_from(const py::dict& given) {
  StudyOptions o;
  for (const auto& one : given["vary"]) {
    const auto [name, text] = one.cast<std::pair<std::string, std::string>>();
    const StudyVariables found = parse_study_variables(name, text);
    o.variables.insert(o.variables.end(), found.variables.begin(), found.variables.end());
    o.correlations.insert(o.correlations.end(), found.correlations.begin(), found.correlations.end());
  }
  if (given.contains("cases")) {
    const auto cases = option<py::tuple>(given, "cases");
    o.cases = {cases[0].cast<std::vector<std::string>>(), cases[1].cast<std::vector<std::vector<double>>>()};
    for (const auto& row : o.cases.rows)
      for (const double x : row) require(std::isfinite(x), "a value of the cases is {}, which is not a number", x);
  }
  if (given.contains("correlations"))
    for (const auto& one : given["correlations"]) {
      const auto [a, b, value] = one.cast<std::tuple<std::string, std::string, double>>();
      o.correlations.push_back({a, b, value, {}});
    }
  if (given.contains("sampling")) o.sampling = sampling_from(option<std::string>(given, "sampling"));
  take_if_given(given, "runs", o.runs);
  take_if_given(given, "seed", o.seed);
  Study study(std::move(o));
  if (study.count() > kMostRuns)
    throw LimitError(
        fmt::format("a sweep in memory has at most {} runs, this one has {}; `kane sweep` keeps its results in a file",
                    kMostRuns, study.count()));
  return study;
}

SweepOptions sweep_options(const py::dict& given, const std::string& state, const std::shared_ptr<Watch>& watch) {
  SweepOptions o;
  o.simulation = simulation_options(given, watch);
  o.start = read_start(state);
  take_if_given(given, "until", o.until), take_if_given(given, "output_step", o.sample);
  if (given.contains("kept"))
    for (const auto& one : given["kept"]) {
      const auto [name, text] = one.cast<std::pair<std::string, std::string>>();
      o.series.push_back({name, text, {}});
    }
  take_if_given(given, "series_step", o.series_step);
  take_if_given(given, "case_limit", o.case_limit), take_if_given(given, "lanes", o.lanes);
  require(o.case_limit >= 0, "the limit of a case must not be negative, but it is {}", o.case_limit);
  require(o.lanes >= 0, "the number of lanes must not be negative, but it is {}", o.lanes);
  return o;
}

/// Columns of the runs, in the order of the cases.
struct SweepColumns {
  std::vector<double> values, measures, seconds;
  std::vector<bool> ok;
  std::map<std::uint64_t, std::string> reasons;
  std::vector<std::string> series_names;
  std::map<std::uint64_t, std::vector<double>> series;  ///< by run: a time and a value of each
};

py::dict columns_of(const SweepColumns& found, const std::vector<std::string>& variables,
                    const std::vector<std::string>& measures, const std::vector<std::vector<std::string>>& choices) {
  py::dict d;
  d["variables"] = variables, d["measures"] = measures, d["choices"] = choices;
  d["values"] = to_array(found.values, variables.size());
  d["results"] = to_array(found.measures, measures.size());
  py::array_t<bool> ok(static_cast<py::ssize_t>(found.ok.size()));
  std::copy(found.ok.begin(), found.ok.end(), ok.mutable_data());
  d["ok"] = ok;
  d["seconds"] = py::array_t<double>(static_cast<py::ssize_t>(found.seconds.size()), found.seconds.data());
  d["failures"] = found.reasons;
  d["series_names"] = found.series_names;
  py::dict series;
  for (const auto& [k, samples] : found.series) series[py::int_(k)] = to_array(samples, 1 + found.series_names.size());
  d["series"] = series;
  return d;
}

SweepColumns run_cases(const Sweep& sweep, unsigned threads, Watch& watch) {
  const std::uint64_t count = sweep.study().count();
  const std::size_t nv = sweep.study().variables().size(), nm = sweep.measure_names().size();
  SweepColumns all;
  all.values.resize(count * nv), all.measures.resize(count * nm, std::numeric_limits<double>::quiet_NaN());
  all.seconds.resize(count), all.ok.resize(count);
  all.series_names = sweep.series_names();
  BlockQueue queue({{0, count}});
  Executor executor(sweep, queue, threads);
  while (!executor.finished()) {
    for (CaseResult& one : executor.collect(std::chrono::milliseconds(50))) {
      std::copy(one.values.begin(), one.values.end(), all.values.begin() + static_cast<std::ptrdiff_t>(one.k * nv));
      if (one.ok)
        std::copy(one.measures.begin(), one.measures.end(),
                  all.measures.begin() + static_cast<std::ptrdiff_t>(one.k * nm));
      all.seconds[one.k] = one.seconds, all.ok[one.k] = one.ok;
      if (!one.ok) all.reasons[one.k] = std::move(one.reason);
      if (!one.series.empty()) all.series[one.k] = std::move(one.series);
    }
    if (!watch.go_on()) executor.stop();
  }
  return all;
}

py::dict run_sweep(const PyModel& m, const std::string& state, const py::dict& given) {
  const auto watch = std::make_shared<Watch>();
  require(!given.contains("controllers"),
          "controllers in Python cannot be part of a sweep: its runs are on several threads");
  const SweepOptions options = sweep_options(given, state, watch);
  std::vector<MeasureText> measures;
  for (const auto& one : given["measures"]) {
    const auto [name, text] = one.cast<std::pair<std::string, std::string>>();
    measures.push_back({name, text, {}});
  }
  unsigned threads = 0;
  take_if_given(given, "threads", threads);
  Study study = study_from(given);
  std::vector<std::string> variables;
  std::vector<std::vector<std::string>> choices;
  for (const StudyVariable& v : study.variables()) variables.push_back(v.name), choices.push_back(v.choices);
  std::vector<std::string> names;
  const SweepColumns found = unlocked([&] {
    const Sweep sweep(m.model.driving(inputs_of(options.simulation)), std::move(study), measures, options);
    names = sweep.measure_names();
    return run_cases(sweep, threads, *watch);
  });
  watch->rethrow();
  return columns_of(found, variables, names, choices);
}

py::dict read_sweep(const std::string& file) {
  const StoreTable table = unlocked([&] { return read_store(file); });
  SweepColumns found;
  const std::size_t n = table.k.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (const auto& column : table.values) found.values.push_back(column[i]);
    for (const auto& column : table.measures) found.measures.push_back(column[i]);
    found.ok.push_back(table.ok[i] != 0);
  }
  found.seconds = table.seconds;
  found.reasons = table.reasons;
  found.series_names = table.identity.series;
  unlocked([&] {
    read_series(file, [&](std::uint64_t k, std::span<const double> samples) {
      found.series[k].assign(samples.begin(), samples.end());
    });
    return 0;
  });
  py::dict d = columns_of(found, table.identity.variables, table.identity.measures, table.identity.choices);
  d["k"] = py::array_t<std::uint64_t>(static_cast<py::ssize_t>(n), table.k.data());
  d["count"] = table.identity.count;
  d["model"] = table.identity.model_file;
  return d;
}

}  // namespace

void bind_sweep(py::module_& m) {
  m.def("sweep", &run_sweep);
  m.def("read_sweep", &read_sweep);
}

}  // namespace kane::python
