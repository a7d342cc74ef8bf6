// Analyses: options from a dict, results as the JSON that every door of Kane shows (kane/wire), tables as arrays.

#include <functional>
#include <nlohmann/json.hpp>

#include "kane/analysis/equilibria.hpp"
#include "kane/analysis/evaluation.hpp"
#include "kane/analysis/fit_model.hpp"
#include "kane/analysis/frequency.hpp"
#include "kane/analysis/inverse_study.hpp"
#include "kane/analysis/joint_forces.hpp"
#include "kane/analysis/linearization.hpp"
#include "kane/analysis/reach.hpp"
#include "kane/analysis/root_locus.hpp"
#include "kane/analysis/sensitivity_study.hpp"
#include "kane/analysis/task_jacobian.hpp"
#include "kane/base/error.hpp"
#include "kane/formats/state_file.hpp"
#include "kane/wire/json.hpp"
#include "python/src/model.hpp"
#include "python/src/tables.hpp"

namespace kane::python {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
void take(const py::dict& given, const char* key, T& to) {
  if (given.contains(key)) to = option<T>(given, key);
}
template <class T>
void take(const py::dict& given, const char* key, std::optional<T>& to) {
  if (given.contains(key)) to = option<T>(given, key);
}

/// Runs an analysis without the lock and returns its results as Python objects.
template <class Work>
py::object answer(Work work) {
  const Json found = unlocked([&] { return Json(work()); });
  return to_python(found);
}

/// Thrown by what an analysis calls on its way, once `watch` says that it must end.
struct Interrupted {};

/// The same for an analysis that may take long: it gets a function to call on its way, and Ctrl-C ends it there.
template <class Work>
py::object answer_watched(Work work) {
  Watch watch;
  const Json found = unlocked([&]() -> Json {
    try {
      return Json(work([&watch] {
        if (!watch.go_on()) throw Interrupted();
      }));
    } catch (const Interrupted&) {
      return {};
    }
  });
  watch.rethrow();
  return to_python(found);
}

py::object evaluate_states(const PyModel& m, const std::string& states) {
  return answer([&] {
    const StateFile file = parse_states(states, "state");
    Evaluator evaluator(m.model.driving(file.inputs()));
    Json list = Json::array();
    for (const StartState& state : file.states) {
      const Evaluation at = evaluator.calc(state);
      Json one = wire::to_json(at);
      if (!at.failure.empty()) one["failure"] = at.failure;
      list.push_back(std::move(one));
    }
    return list;
  });
}

py::object linearize(const PyModel& m, const std::string& state, const py::dict& given) {
  LinearizeModelOptions o;
  take(given, "equilibrium", o.equilibrium), take(given, "steady", o.steady), take(given, "open_loop", o.open_loop);
  take(given, "only", o.only), take(given, "dependent", o.dependent), take(given, "symbols", o.symbols);
  return answer([&] {
    const LinearizationReport report = linearize_model(m.model, read_start(state), o);
    require(report.failure.empty(), "{}", report.failure);
    return wire::to_json(report);
  });
}

py::object root_locus(const PyModel& m, const std::string& state, const py::dict& given) {
  RootLocusOptions o;
  take(given, "name", o.name), take(given, "values", o.values), take(given, "only", o.only);
  take(given, "equilibrium", o.equilibrium), take(given, "steady", o.steady), take(given, "open_loop", o.open_loop);
  if (given.contains("at"))
    for (const auto& [name, text] : option<std::map<std::string, std::string>>(given, "at"))
      o.at.push_back({name, text});
  o.check();
  return answer_watched([&](std::function<void()> on_way) {
    o.on_value = std::move(on_way);
    return wire::to_json(find_root_locus(m.model, read_start(state), o));
  });
}

py::object equilibrium(const PyModel& m, const std::string& state, const py::dict& given) {
  EquilibriaOptions o;
  take(given, "steady", o.search.steady), take(given, "held", o.search.held), take(given, "all", o.search.all);
  take(given, "free_inputs", o.search.free_inputs), take(given, "starts", o.search.starts);
  take(given, "reach", o.search.reach), take(given, "open_loop", o.open_loop);
  o.search.check();
  return answer_watched([&](std::function<void()> on_way) {
    o.search.on_start = std::move(on_way);
    const EquilibriaReport report = find_equilibria(m.model, read_start(state), o);
    Json found = wire::to_json(report);
    found["message"] = report.message;
    return found;
  });
}

py::object frequency(const PyModel& m, const std::string& state, const py::dict& given) {
  FrequencyOptions o;
  take(given, "input", o.input), take(given, "output", o.output), take(given, "low", o.low),
      take(given, "high", o.high);
  take(given, "count", o.count), take(given, "equilibrium", o.equilibrium), take(given, "open_loop", o.open_loop);
  o.check();
  return answer([&] {
    const FrequencyReport report = find_frequency_response(m.model, read_start(state), o);
    require(report.failure.empty(), "{}", report.failure);
    return wire::to_json(report);
  });
}

py::object jacobian(const PyModel& m, const std::string& state, const py::dict& given) {
  JacobianOptions o;
  take(given, "points", o.points), take(given, "bodies", o.bodies);
  return answer([&] { return wire::to_json(find_jacobian(m.model, read_start(state), o)); });
}

py::object reach(const PyModel& m, const std::string& state, const py::dict& given) {
  ReachOptions o;
  if (given.contains("positions"))
    for (const auto& [name, target] :
         option<std::map<std::string, std::vector<std::optional<double>>>>(given, "positions")) {
      require(target.size() == 3, "the target of '{}' has {} components instead of 3", name, target.size());
      o.positions.push_back({name, {target[0], target[1], target[2]}});
    }
  take(given, "joint_limits", o.joint_limits), take(given, "held", o.held), take(given, "length", o.length);
  take(given, "starts", o.starts), take(given, "all", o.all);
  o.check();
  return answer_watched([&](std::function<void()> on_way) {
    o.on_start = std::move(on_way);
    const ReachReport report = find_reach(m.model, read_start(state), o);
    Json found = wire::to_json(report);
    found["message"] = report.message();
    return found;
  });
}

py::object forces(const PyModel& m, const std::string& states, const py::dict& given) {
  JointForcesOptions o;
  take(given, "joint", o.joint), take(given, "frame", o.view.frame), take(given, "point", o.view.point);
  return answer([&] {
    const StateFile file = parse_states(states, "state");
    JointForcesEvaluator evaluator(m.model.driving(file.inputs()), o);
    Json list = Json::array();
    for (const StartState& state : file.states) {
      const JointForcesReport report = evaluator.calc(state);
      require(report.failure.empty(), "{}", report.failure);
      list.push_back(wire::to_json(report));
    }
    return list;
  });
}

// ---- along a run -------------------------------------------------------------------------------------------------------------

/// A report and the table recorded along the way.
py::tuple with_table(const Json& report, const std::vector<std::string>& columns, const std::vector<double>& rows) {
  return py::make_tuple(to_python(report), columns, to_array(rows, columns.size()));
}

InverseStudyOptions inverse_options(const py::dict& given) {
  InverseStudyOptions o;
  if (given.contains("motion"))
    for (const auto& [name, text] : option<std::map<std::string, std::string>>(given, "motion"))
      o.motion.push_back({name, text});
  if (given.contains("table")) o.tables.push_back(series_table(given["table"]));
  take(given, "actuators", o.actuators), take(given, "generalized", o.generalized), take(given, "full", o.full);
  take(given, "start", o.from), take(given, "until", o.until), take(given, "step", o.step);
  take(given, "kp", o.kp), take(given, "kd", o.kd), take(given, "period", o.period);
  o.check();
  return o;
}

py::tuple inverse(const PyModel& m, const std::string& state, const py::dict& given) {
  const InverseStudyOptions o = inverse_options(given);
  const bool track = given.contains("track") && option<bool>(given, "track");
  std::vector<double> rows;
  std::vector<std::string> columns;
  Watch watch;
  const Json report = unlocked([&]() -> Json {
    InverseStudy study(m.model, read_start(state), o);
    const auto on_row = [&](std::span<const double> row) {
      rows.insert(rows.end(), row.begin(), row.end());
      if (!watch.go_on()) throw Interrupted();
    };
    try {
      columns = track ? study.track_columns() : study.columns();
      if (!track) return wire::to_json(study.run(on_row));
      const TrackReport tracked = study.track(on_row);
      Json found = wire::to_json(tracked, study.equations());
      if (tracked.run.failure) found["failure"] = tracked.run.failure->message(study.equations());
      return found;
    } catch (const Interrupted&) {
      return {};
    }
  });
  watch.rethrow();
  return with_table(report, columns, rows);
}

py::tuple sensitivity(const PyModel& m, const std::string& state, const py::dict& given) {
  SensitivityStudyOptions o;
  take(given, "parameters", o.parameters), take(given, "outputs", o.outputs), take(given, "until", o.until);
  take(given, "output_step", o.output_step), take(given, "tolerance", o.tolerance);
  if (given.contains("inputs")) o.inputs = series_sources(given["inputs"]);
  std::vector<double> rows;
  std::vector<std::string> columns;
  Watch watch;
  const Json report = unlocked([&]() -> Json {
    SensitivityStudy study(m.model, read_start(state), o);
    columns = study.columns();
    try {
      return wire::to_json(study.run([&](std::span<const double> row) {
        rows.insert(rows.end(), row.begin(), row.end());
        if (!watch.go_on()) throw Interrupted();
      }));
    } catch (const Interrupted&) {
      return {};
    }
  });
  watch.rethrow();
  return with_table(report, columns, rows);
}

py::object fit(const PyModel& m, const std::string& state, const py::dict& given) {
  FitProblem problem;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  using Range = std::pair<std::optional<double>, std::optional<double>>;
  for (const auto& [name, range] : option<std::vector<std::pair<std::string, Range>>>(given, "parameters"))
    problem.parameters.push_back({name, range.first.value_or(-kInfinity), range.second.value_or(kInfinity)});
  if (given.contains("data")) problem.data = series_table(given["data"]);
  take(given, "deviations", problem.deviations), take(given, "minimize", problem.minimize);
  if (given.contains("goals"))
    for (const auto& [expression, value, t] :
         option<std::vector<std::tuple<std::string, double, std::optional<double>>>>(given, "goals"))
      problem.goals.push_back({expression, value, t});
  take(given, "until", problem.until), take(given, "tolerance", problem.tolerance);
  take(given, "max_iterations", problem.max_iterations);
  if (given.contains("inputs")) problem.inputs = series_sources(given["inputs"]);
  Watch watch;
  problem.on_run = [&](int, double) {
    if (!watch.go_on()) throw Interrupted();
  };
  const Json report = unlocked([&]() -> Json {
    const StartState start = read_start(state);
    try {
      const ModelFit found = fit_model(drive_series(m.model.driving(start), problem.inputs), start, problem);
      Json json = wire::to_json(found);
      json["failure"] = found.report.status == FitStatus::RunFailed ? found.report.message : "";
      return json;
    } catch (const Interrupted&) {
      return {};
    }
  });
  watch.rethrow();
  return to_python(report);
}

}  // namespace

void bind_analysis(py::module_& m) {
  m.def("evaluate", &evaluate_states);
  m.def("linearize", &linearize);
  m.def("root_locus", &root_locus);
  m.def("equilibrium", &equilibrium);
  m.def("frequency", &frequency);
  m.def("jacobian", &jacobian);
  m.def("reach", &reach);
  m.def("forces", &forces);
  m.def("inverse", &inverse);
  m.def("sensitivity", &sensitivity);
  m.def("fit", &fit);
}

}  // namespace kane::python
