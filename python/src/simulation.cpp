// Runs: a whole one as arrays, or step by step with inputs set on the way. Controllers written in Python are called with the
// interpreter's lock; everything else runs without it.

#include "python/src/simulation.hpp"

#include <mutex>
#include <nlohmann/json.hpp>

#include "kane/base/error.hpp"
#include "kane/model/run_table.hpp"
#include "kane/picture/run_pictures.hpp"
#include "kane/picture/scene.hpp"
#include "kane/wire/json.hpp"
#include "python/src/model.hpp"
#include "python/src/tables.hpp"

namespace kane::python {
namespace {

using Json = nlohmann::ordered_json;

py::array_t<double> copy_of(std::span<const double> numbers) {
  return py::array_t<double>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}

template <class T>
void take_option(const py::dict& given, const char* key, std::optional<T>& to) {
  if (given.contains(key)) to = option<T>(given, key);
}

/// A controller in Python: (inputs, period, delay, f) with f(t, q, u, inputs) -> values.
InputSource controller(const py::tuple& given, const std::shared_ptr<Watch>& watch) {
  SampledInput source;
  source.inputs = given[0].cast<std::vector<std::string>>();
  source.period = given[1].cast<double>(), source.delay = given[2].cast<double>();
  // The owner of the options copies and destroys it, with or without the lock.
  const std::shared_ptr<py::object> f(new py::object(given[3]), [](py::object* object) {
    const py::gil_scoped_acquire lock;
    delete object;
  });
  source.law = [f, watch](const State& state, std::span<const double> inputs, std::span<double> values) {
    watch->call([&] {
      const py::object answer = (*f)(state.t, copy_of(state.q), copy_of(state.u), copy_of(inputs));
      const auto numbers = answer.cast<std::vector<double>>();
      require(numbers.size() == values.size(), "a controller of {} inputs answered {} numbers", values.size(),
              numbers.size());
      for (const double x : numbers) require(std::isfinite(x), "a controller answered {} at t = {} s", x, state.t);
      std::copy(numbers.begin(), numbers.end(), values.begin());
    });
  };
  return source;
}

}  // namespace

SimulationOptions simulation_options(const py::dict& given, const std::shared_ptr<Watch>& watch) {
  SimulationOptions o;
  if (given.contains("method")) o.method = method_from(option<std::string>(given, "method"));
  take_option(given, "tolerance", o.tolerance), take_option(given, "absolute_tolerance", o.absolute_tolerance);
  take_option(given, "step", o.step), take_option(given, "contact_step", o.contact_step);
  if (given.contains("max_step")) o.max_step = option<double>(given, "max_step");
  if (given.contains("constraints")) o.constraints = constraint_method_from(option<std::string>(given, "constraints"));
  if (given.contains("contacts")) o.contacts = contact_scheme_from(option<std::string>(given, "contacts"));
  if (given.contains("strict_contacts")) o.strict_contacts = option<bool>(given, "strict_contacts");
  take_option(given, "control_period", o.control_period);
  if (given.contains("control_delay")) o.control_delay = option<double>(given, "control_delay");
  if (given.contains("series"))
    for (const auto& table : given["series"])
      for (InputSource& source : series_sources(py::reinterpret_borrow<py::object>(table)))
        o.inputs.push_back(std::move(source));
  if (given.contains("controllers"))
    for (const auto& one : given["controllers"]) o.inputs.push_back(controller(one.cast<py::tuple>(), watch));
  o.check();
  return o;
}

std::vector<std::string> inputs_of(const SimulationOptions& options) {
  std::vector<std::string> names;
  for (const InputSource& source : options.inputs) {
    if (const auto* series = std::get_if<SeriesInput>(&source)) names.push_back(series->input);
    if (const auto* sampled = std::get_if<SampledInput>(&source))
      names.insert(names.end(), sampled->inputs.begin(), sampled->inputs.end());
  }
  return names;
}

namespace {

Json summary_of(const RunReport& report, const Simulation& run) {
  Json json = wire::to_json(report, run.equations());
  json["events"] = wire::events(report, run.equations());
  json["assembly"] = wire::to_json(run.assembly());
  json["failure"] = report.failure ? report.failure->message(run.equations()) : "";
  json["stopped"] = report.status == RunStatus::Stopped;
  json["warnings"] = report.warnings;
  return json;
}

/// One run from beginning to end.
py::tuple simulate(const PyModel& m, const std::string& state, const py::dict& given) {
  const auto watch = std::make_shared<Watch>();
  SimulationOptions options = simulation_options(given, watch);
  std::optional<double> until, output_step;
  take_option(given, "until", until), take_option(given, "output_step", output_step);
  const auto groups =
      given.contains("columns") ? option<std::vector<std::string>>(given, "columns") : std::vector<std::string>{};
  PictureOptions pictures;
  if (given.contains("report")) pictures.report = option<std::string>(given, "report");
  if (given.contains("frames")) pictures.frames = option<std::string>(given, "frames");
  if (given.contains("video")) pictures.video = option<std::string>(given, "video");
  pictures.check();
  std::vector<std::string> columns, units;
  std::vector<double> rows;
  const Json summary = unlocked([&] {
    const TableColumns table_columns = table_columns_from(groups);
    const StartState start = read_start(state);
    Model model = m.model;
    if (table_columns.any() || pictures.wanted())
      model = with_reports(model, [&](Mechanism& mechanism) {
        if (pictures.wanted()) add_scene_outputs(mechanism), add_contact_outputs(mechanism);
        add_table_outputs(mechanism, table_columns);
      });
    Simulation run(model.driving(inputs_of(options)), start, options);
    const RunPlan plan = run.plan(until, output_step);
    RunTable table(run, table_columns);
    columns = table.columns(), units = table.units();
    std::optional<RunPictures> page;
    if (pictures.wanted()) page.emplace(pictures, run);
    const RunReport report = run.run(
        plan,
        [&](const State& sample) {
          const auto row = table.row(sample);
          rows.insert(rows.end(), row.begin(), row.end());
          if (page) page->add(sample);
          return watch->go_on();
        },
        [&](double) { return watch->go_on(); });
    if (page && !rows.empty()) page->finish(report, m.file);
    return summary_of(report, run);
  });
  watch->rethrow();
  return py::make_tuple(to_python(summary), columns, units, to_array(rows, columns.size()));
}

/// A run step by step. One thread at a time: others wait.
class Stepwise {
 public:
  Stepwise(const PyModel& m, const std::string& state, const py::dict& given)
      : watch_(std::make_shared<Watch>()), options_(simulation_options(given, watch_)) {
    unlocked([&] {
      const StartState start = read_start(state);
      run_.emplace(m.model.driving(inputs_of(options_)), start, options_);
    });
    finish();
  }

  [[nodiscard]] double time() {
    return locked([&] { return run_->time(); });
  }
  [[nodiscard]] py::array_t<double> q() {
    return copy_of(locked([&] { return run_->state().q; }));
  }
  [[nodiscard]] py::array_t<double> u() {
    return copy_of(locked([&] { return run_->state().u; }));
  }
  [[nodiscard]] double value(const std::string& name) {
    return locked([&] { return run_->value(name); });
  }
  void set_input(const std::string& name, double value) {
    require(std::isfinite(value), "input '{}' cannot be {}", name, value);
    locked([&] { run_->set_input(name, value); });
  }
  py::object advance(double duration) {
    require(std::isfinite(duration) && duration >= 0, "a run cannot advance by {} s", duration);
    const Json summary = locked([&] {
      RunPlan plan;
      plan.until = run_->time() + duration;
      plan.intervals = 1;
      running_ = true;
      const std::shared_ptr<void> ends(nullptr, [&](void*) { running_ = false; });
      const RunReport report = run_->run(plan, {}, [&](double) { return watch_->go_on(); });
      return summary_of(report, *run_);
    });
    finish();
    return to_python(summary);
  }
  [[nodiscard]] std::vector<std::string> columns() {
    return locked([&] { return run_->columns(); });
  }
  [[nodiscard]] py::array_t<double> row() {
    return copy_of(locked([&] {
      const auto row = run_->row(run_->state());
      return std::vector<double>(row.begin(), row.end());
    }));
  }
  [[nodiscard]] MotionSnapshot snapshot() {
    return locked([&] { return run_->snapshot(); });
  }
  void restore(const MotionSnapshot& snapshot) {
    locked([&] { run_->restore(snapshot); });
  }
  [[nodiscard]] std::vector<std::string> names(bool coordinates) {
    std::vector<std::string> list;
    for (const Expr& e : coordinates ? run_->equations().q : run_->equations().u) list.push_back(e.name());
    return list;
  }

 private:
  /// Without the interpreter's lock, and never two threads at once.
  template <class Work>
  auto locked(Work work) -> decltype(work()) {
    const py::gil_scoped_release release;
    const std::lock_guard guard(mutex_);
    require(!running_, "a controller cannot use the simulation that calls it");
    return work();
  }
  /// A controller that failed once does not spoil the simulation for ever.
  void finish() {
    const Watch seen = *watch_;
    *watch_ = Watch();
    Watch(seen).rethrow();
  }

  std::shared_ptr<Watch> watch_;
  SimulationOptions options_;
  std::optional<Simulation> run_;
  std::recursive_mutex mutex_;
  bool running_ = false;
};

}  // namespace

void bind_simulation(py::module_& m) {
  m.def("simulate", &simulate);
  py::class_<MotionSnapshot>(m, "Snapshot");
  py::class_<Stepwise>(m, "Simulation")
      .def(py::init<const PyModel&, const std::string&, const py::dict&>())
      .def_property_readonly("time", &Stepwise::time)
      .def_property_readonly("q", &Stepwise::q)
      .def_property_readonly("u", &Stepwise::u)
      .def_property_readonly("coordinates", [](Stepwise& s) { return s.names(true); })
      .def_property_readonly("speeds", [](Stepwise& s) { return s.names(false); })
      .def("value", &Stepwise::value)
      .def("set_input", &Stepwise::set_input)
      .def("advance", &Stepwise::advance)
      .def_property_readonly("columns", &Stepwise::columns)
      .def("row", &Stepwise::row)
      .def("snapshot", &Stepwise::snapshot)
      .def("restore", &Stepwise::restore);
}

}  // namespace kane::python
