// Ticks of fixed length, as a haptic loop makes them, and the loop itself with a simulated hand.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "kane/analysis/signals.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/haptics/haptic_loop.hpp"
#include "kane/haptics/simulated_device.hpp"
#include "python/src/model.hpp"
#include "python/src/simulation.hpp"

namespace kane::python {
namespace {

using Json = nlohmann::ordered_json;

py::array_t<double> array_of(const std::vector<double>& numbers) {
  return py::array_t<double>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}

/// A model by ticks. One thread at a time: others wait.
class Ticks {
 public:
  Ticks(const PyModel& m, const std::string& state, const py::dict& given) : watch_(std::make_shared<Watch>()) {
    TickOptions tick;
    const SimulationOptions run = simulation_options(given, watch_);
    if (given.contains("period")) tick.period = option<double>(given, "period");
    if (given.contains("max_events")) tick.max_events = option<int>(given, "max_events");
    std::size_t rows = 0;
    if (given.contains("free_rows")) rows = option<std::size_t>(given, "free_rows");
    require(std::isfinite(tick.period) && tick.period > 0, "the period of a tick must be positive, but it is {}",
            tick.period);
    require(tick.max_events >= 0, "the number of events in a tick must not be negative, but it is {}", tick.max_events);
    constexpr std::size_t kMostRows = 64;
    require(rows <= kMostRows, "at most {} constraints can be added, not {}", kMostRows, rows);
    unlocked([&] {
      const StartState start = read_start(state);
      ModelOptions options = m.model.options();
      options.set.clear(), options.guess.clear();  // they are in the mechanism already
      options.free_rows = rows;
      for (const auto& [name, value] : start.inputs) options.driven.push_back(name);
      for (const std::string& name : inputs_of(run)) options.driven.push_back(name);
      model_.emplace(m.model.with_options(options));
      tick.inputs = model_->input_sources();
      for (const InputSource& source : run.inputs) tick.inputs.push_back(source);
      simulator_ = std::make_unique<TickSimulator>(model_->system(), tick);
      begin(start);
    });
    finish();
  }

  [[nodiscard]] double time() {
    return locked([&] { return simulator_->state().t; });
  }
  [[nodiscard]] py::array_t<double> q() {
    return array_of(locked([&] { return simulator_->state().q; }));
  }
  [[nodiscard]] py::array_t<double> u() {
    return array_of(locked([&] { return simulator_->state().u; }));
  }
  [[nodiscard]] std::string mode() {
    return locked([&] { return simulator_->mode(); });
  }
  [[nodiscard]] long events() {
    return locked([&] { return simulator_->events(); });
  }

  py::dict tick(long count) {
    require(count >= 0, "the number of ticks must not be negative, but it is {}", count);
    TickReport last;
    long made = 0, events = 0;
    locked([&] {
      running_ = true;
      const std::shared_ptr<void> ends(nullptr, [&](void*) { running_ = false; });
      while (made < count && watch_->go_on()) {
        last = simulator_->tick();
        ++made, events += last.events;
        if (last.status != TickStatus::Ok || last.stop) break;
      }
    });
    finish();
    py::dict d;
    d["ticks"] = made, d["events"] = events, d["stop"] = last.stop;
    d["status"] = last.status == TickStatus::Ok ? "ok" : last.status == TickStatus::Jammed ? "jammed" : "failed";
    d["work"] = py::dict(py::arg("steps") = last.work.steps, py::arg("evaluations") = last.work.evaluations,
                         py::arg("refinements") = last.work.refinements, py::arg("problems") = last.work.problems,
                         py::arg("pivots") = last.work.pivots, py::arg("impacts") = last.work.impacts);
    return d;
  }

  void set_input(const std::string& name, double value) {
    require(std::isfinite(value), "input '{}' cannot be {}", name, value);
    locked([&] {
      const std::vector<std::string>& names = model_->system()->inputs();
      const auto found = std::find(names.begin(), names.end(), name);
      require(found != names.end(), "'{}' has no free input '{}'{}", model_->name(), name, suggestion(name, names));
      inputs_[static_cast<std::size_t>(found - names.begin())] = value;
      simulator_->set_inputs(inputs_);
    });
  }

  [[nodiscard]] std::vector<std::string> handles() const {
    std::vector<std::string> names;
    for (const HandleEquation& handle : model_->equations().handles) names.push_back(handle.name);
    return names;
  }
  [[nodiscard]] std::pair<double, double> handle(const std::string& name) {
    return locked([&] {
      const TickSimulator::RowMotion motion = simulator_->handle_motion(place_of(name));
      return std::pair{motion.position, motion.speed};
    });
  }
  void apply(const std::string& name, double force) {
    require(std::isfinite(force), "the force on the handle '{}' cannot be {}", name, force);
    locked([&] { simulator_->apply_handle(place_of(name), force); });
  }

  std::size_t impose(const std::string& text) {
    return locked([&] {
      signals_.push_back(parse_signal(model_->equations(), text, "impose"));
      return simulator_->impose(text, signals_.back().value);
    });
  }
  void release(std::size_t place) {
    locked([&] {
      check_place(place);
      simulator_->release(place);
    });
  }
  [[nodiscard]] std::string stage(std::size_t place) {
    return locked([&] {
      check_place(place);
      switch (simulator_->stage(place)) {
        case HoldStage::Free: return std::string("free");
        case HoldStage::Wanted: return std::string("wanted");
        case HoldStage::Held: return std::string("held");
        case HoldStage::Unwanted: return std::string("unwanted");
        case HoldStage::Refused: return std::string("refused");
      }
      return std::string();
    });
  }
  [[nodiscard]] double written_force(std::size_t place) {
    return locked([&] {
      check_place(place);
      require(simulator_->stage(place) == HoldStage::Held, "constraint {} is not held", place);
      return simulator_->written_force(place);
    });
  }
  void restart(const std::string& state) {
    const StartState start = read_start(state);
    locked([&] { begin(start); });
  }

 private:
  void begin(const StartState& given) {
    Start start = model_->start(given);
    require(!start.active_given, "'active' cannot be chosen for ticks; they start with the constraints of the model");
    simulator_->set_parameters(start.parameters);
    simulator_->set_inputs(start.inputs);
    inputs_ = start.inputs;
    (void)assemble_start(simulator_->evaluator(), start);
    simulator_->start(start.state);
  }
  [[nodiscard]] std::size_t place_of(const std::string& name) const {
    const std::vector<std::string> names = handles();
    const auto found = std::find(names.begin(), names.end(), name);
    require(found != names.end(), "'{}' has no handle '{}'{}", model_->name(), name, suggestion(name, names));
    return static_cast<std::size_t>(found - names.begin());
  }
  void check_place(std::size_t place) const {
    require(place < model_->options().free_rows, "there is no constraint {}: room was made for {}", place,
            model_->options().free_rows);
  }
  /// Without the interpreter's lock, and never two threads at once.
  template <class Work>
  auto locked(Work work) -> decltype(work()) {
    const py::gil_scoped_release release;
    const std::lock_guard guard(mutex_);
    require(!running_, "a controller cannot use the simulation that calls it");
    return work();
  }
  void finish() {
    const Watch seen = *watch_;
    *watch_ = Watch();
    Watch(seen).rethrow();
  }

  std::shared_ptr<Watch> watch_;
  std::optional<Model> model_;
  std::unique_ptr<TickSimulator> simulator_;
  std::vector<double> inputs_;
  std::vector<Signal> signals_;  ///< keep the graphs of imposed constraints
  std::recursive_mutex mutex_;
  bool running_ = false;
};

/// The loop of `kane haptics` with a simulated hand, as fast as the machine allows.
py::object run_haptics(const PyModel& m, const std::string& state, const py::dict& given) {
  HapticOptions haptic;
  HandAxis hand;
  DeviceAxis device{.damping = 0.5, .mass = 0.2};
  const auto take = [&](const char* key, double& to) {
    if (given.contains(key)) to = option<double>(given, key);
    require(std::isfinite(to), "{} cannot be {}", key, to);
  };
  take("rate", haptic.rate), take("duration", haptic.duration), take("amplitude", hand.amplitude);
  take("frequency", hand.frequency), take("hand_stiffness", hand.stiffness), take("hand_damping", hand.damping);
  take("device_damping", device.damping), take("device_mass", device.mass), take("max_force", device.max_force);
  take("stored_energy", haptic.stored_energy);
  bool admittance = false;
  if (given.contains("admittance")) admittance = option<bool>(given, "admittance");
  if (given.contains("passivity")) haptic.passivity = option<bool>(given, "passivity");
  haptic.display = admittance ? Display::Admittance : Display::Impedance;
  haptic.real_time = haptic.paced = false;
  require(haptic.rate > 0 && haptic.duration > 0, "rate and duration must be positive, but they are {} and {}",
          haptic.rate, haptic.duration);
  require(device.mass > 0 && device.damping >= 0 && device.max_force >= 0 && hand.stiffness >= 0 && hand.damping >= 0,
          "the device's mass must be positive, damping, stiffness and the largest force zero or more");
  constexpr double kMostTicks = 1e8;
  if (haptic.rate * haptic.duration > kMostTicks)
    throw LimitError(fmt::format("a haptic run has at most {:g} ticks, this one has {:g}", kMostTicks,
                                 haptic.rate * haptic.duration));
  Watch watch;
  const Json report = unlocked([&]() -> Json {
    const StartState start_state = read_start(state);
    const Model model = m.model.driving(start_state);
    TickOptions tick;
    tick.period = 1 / haptic.rate;
    tick.inputs = model.input_sources();
    TickSimulator simulator(model.system(), tick);
    Start start = model.start(start_state);
    require(!start.active_given,
            "'active' cannot be chosen for haptics; the loop starts with the constraints of the model");
    simulator.set_parameters(start.parameters);
    simulator.set_inputs(start.inputs);
    (void)assemble_start(simulator.evaluator(), start);
    simulator.start(start.state);
    std::vector<SimulatedAxis> axes;
    for (std::size_t i = 0; i < model.equations().handles.size(); ++i) {
      axes.push_back({device, hand});
      axes.back().hand.frequency *= 1 + 0.3 * static_cast<double>(i);
    }
    SimulatedDevice simulated(axes, admittance);
    HapticLoop loop(simulator, simulated, haptic);
    const HapticReport r = loop.run();
    Json j{{"ticks", r.ticks},
           {"missed", r.missed},
           {"events", r.events},
           {"event_ticks", r.event_ticks},
           {"stopped", r.stopped}};
    j["status"] = r.status == TickStatus::Ok ? "ok" : r.status == TickStatus::Jammed ? "jammed" : "failed";
    j["compute_median"] = r.compute.quantile(0.5) * 1e-9, j["compute_largest"] = r.compute.largest() * 1e-9;
    j["t"] = simulator.state().t, j["q"] = simulator.state().q, j["u"] = simulator.state().u;
    j["axes"] = Json::array();
    for (const AxisReport& a : r.axes)
      j["axes"].push_back({{"name", a.name},
                           {"stiffness", a.coupler.stiffness},
                           {"damping", a.coupler.damping},
                           {"needed_damping", a.needed_damping},
                           {"largest_force", a.largest_force},
                           {"least_energy", a.least_energy},
                           {"energy", a.energy},
                           {"dissipated", a.dissipated},
                           {"interventions", a.interventions}});
    j["warnings"] = r.warnings;
    return j;
  });
  watch.rethrow();
  return to_python(report);
}

}  // namespace

void bind_ticks(py::module_& m) {
  m.def("haptics", &run_haptics);
  py::class_<Ticks>(m, "Ticks")
      .def(py::init<const PyModel&, const std::string&, const py::dict&>())
      .def_property_readonly("time", &Ticks::time)
      .def_property_readonly("q", &Ticks::q)
      .def_property_readonly("u", &Ticks::u)
      .def_property_readonly("mode", &Ticks::mode)
      .def_property_readonly("events", &Ticks::events)
      .def_property_readonly("handles", &Ticks::handles)
      .def("tick", &Ticks::tick)
      .def("set_input", &Ticks::set_input)
      .def("handle", &Ticks::handle)
      .def("apply", &Ticks::apply)
      .def("impose", &Ticks::impose)
      .def("release", &Ticks::release)
      .def("stage", &Ticks::stage)
      .def("written_force", &Ticks::written_force)
      .def("restart", &Ticks::restart);
}

}  // namespace kane::python
