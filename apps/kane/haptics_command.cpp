// kane haptics: a model held by a haptic device, in real time.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "apps/kane/command.hpp"
#include "apps/kane/device_sheet.hpp"
#include "apps/kane/interrupt.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/output_guard.hpp"
#include "apps/kane/print.hpp"
#include "kane/analysis/signals.hpp"
#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/base/suggest.hpp"
#include "kane/haptics/haptic_loop.hpp"
#include "kane/haptics/simulated_device.hpp"
#include "kane/haptics/udp_device.hpp"
#include "kane/model/model.hpp"
#include "kane/wire/json.hpp"

namespace kane {
namespace {

using wire::Json;

struct HapticsOptions {
  ModelSource source;
  StateSource state;
  std::string device = "simulated", record, display = "impedance";
  double rate = 1000, duration = 10;
  double amplitude = 0.1, frequency = 0.5;
  std::string sheet_file;
  std::optional<double> device_damping, device_mass, max_force;  ///< override the data sheet
  double ramp = HapticSafety{}.ramp;
  double ahead = 0, stored_energy = 0, wake_ahead = 1e6 * HapticOptions{}.wake_ahead;
  std::string key_file, address = UdpOptions{}.address;
  double loan = LoopLinkOptions{}.loan;
  std::vector<std::string> impose, angles;
  bool no_passivity = false, unpaced = false, force = false, json = false, quiet = false;
};

/// Properties of each axis: from the data sheet, or generic values; options override both.
std::vector<DeviceAxis> device_axes(const HapticsOptions& o, const std::vector<std::string>& names) {
  const std::size_t axes = names.size();
  std::vector<DeviceAxis> all(axes, DeviceAxis{.damping = 0.5, .mass = 0.2});
  if (!o.sheet_file.empty()) {
    const DeviceSheet sheet = read_device_sheet(o.sheet_file);
    for (std::size_t i = 0; i < axes; ++i) all[i] = sheet.axis(i);
    if (sheet.rate > 0 && o.rate > sheet.rate)
      fmt::print(stderr, "warning: the device '{}' is designed for {:g} ticks per second, not {:g}\n", sheet.name,
                 sheet.rate, o.rate);
  }
  require(o.device_damping.value_or(0) >= 0 && o.device_mass.value_or(1) > 0 && o.max_force.value_or(0) >= 0,
          "--device-mass must be positive, --device-damping and --max-force zero or more");
  for (const std::string& name : o.angles) {
    const auto found = std::ranges::find(names, name);
    require(found != names.end(), "--angles: the handle has no axis '{}'{}", name, suggestion(name, names));
    all[static_cast<std::size_t>(found - names.begin())].wrap = 2 * std::numbers::pi;
  }
  for (DeviceAxis& axis : all) {
    axis.damping = o.device_damping.value_or(axis.damping);
    axis.mass = o.device_mass.value_or(axis.mass);
    axis.max_force = o.max_force.value_or(axis.max_force);
  }
  return all;
}

UdpOptions udp_options(const HapticsOptions& o, const std::string& text, const std::vector<DeviceAxis>& data) {
  const bool number = !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string::npos;
  const int port = number ? std::stoi(text) : -1;
  require(port >= 0 && port < 65536, "--device udp:PORT needs a port from 0 to 65535, not '{}'", text);
  UdpOptions options{.address = o.address, .port = static_cast<std::uint16_t>(port), .data = data};
  options.link.axes = data.size();
  options.link.period = 1 / o.rate;
  options.link.loan = o.loan;
  options.link.stored = o.stored_energy;
  options.link.motion = o.display == "admittance";
  for (const DeviceAxis& axis : data)
    options.link.max_force.push_back(axis.max_force > 0 ? axis.max_force : HapticSafety{}.max_force);
  if (!o.key_file.empty()) options.link.key = read_link_key(o.key_file);
  return options;
}

Recording read_recording(const HapticsOptions& o, const std::string& file) {
  Recording recording = Recording::read(file);
  const Recording::Shape& shape = recording.shape();
  require(shape.motion == (o.display == "admittance"), "'{}' was recorded with --display {}; replay it with the same",
          file, shape.motion ? "admittance" : "impedance");
  require(shape.constraints == 0 || shape.constraints == o.impose.size(),
          "'{}' was recorded with {} imposed at run time; replay it with the same --impose", file,
          counted(shape.constraints, "constraint"));
  return recording;
}

std::unique_ptr<Device> make_device(const HapticsOptions& o, const std::vector<std::string>& names) {
  const std::size_t axes = names.size();
  const std::vector<DeviceAxis> data = device_axes(o, names);
  const std::string replay = "replay:", udp = "udp:";
  require(o.device.starts_with(udp) || (o.key_file.empty() && o.address == UdpOptions{}.address),
          "--key and --address belong to a device on a network; use them with --device udp:PORT");
  if (o.device == "simulated") {
    std::vector<SimulatedAxis> all;
    for (std::size_t i = 0; i < axes; ++i) {
      HandAxis hand;
      hand.amplitude = o.amplitude;
      hand.frequency = o.frequency * (1 + 0.3 * static_cast<double>(i));
      all.push_back({data[i], hand});
      if (all.back().device.mass == 0) all.back().device.mass = 0.2;  // not on the sheet
    }
    return std::make_unique<SimulatedDevice>(std::move(all), o.display == "admittance");
  }
  if (o.device.starts_with(replay))
    return std::make_unique<ReplayDevice>(read_recording(o, o.device.substr(replay.size())), data);
  if (o.device.starts_with(udp)) {
    auto device = std::make_unique<UdpDevice>(udp_options(o, o.device.substr(udp.size()), data));
    fmt::print(stderr, "waiting for packets at {}\n", device->name());
    if (o.key_file.empty())
      fmt::print(stderr, "packets are not authenticated: any program of this machine can be the device; --key FILE\n");
    if (data.front().max_force == 0)
      fmt::print(stderr, "forces are limited to {:g} N or N*m; --max-force or a data sheet changes that\n",
                 HapticSafety{}.max_force);
    return device;
  }
  throw ModelError(fmt::format("--device is simulated, replay:FILE or udp:PORT, not '{}'", o.device));
}

class HapticsRun {
 public:
  explicit HapticsRun(const HapticsOptions& options)
      : options_(options), start_state_(options.state.read_one()), model_(load(options, start_state_)) {
    require(options.rate > 0 && std::isfinite(options.rate), "--rate must be positive, but it is {}", options.rate);
    TickOptions tick;
    tick.period = 1 / options.rate;
    tick.inputs = model_.input_sources();
    simulator_ = std::make_unique<TickSimulator>(model_.system(), tick);
    start();
  }

  void run() {
    HapticOptions haptic;
    haptic.rate = options_.rate;
    haptic.duration = options_.duration;
    haptic.passivity = !options_.no_passivity;
    haptic.real_time = haptic.paced = !options_.unpaced;
    haptic.record = !options_.record.empty();
    haptic.ahead = options_.ahead;
    haptic.stored_energy = options_.stored_energy;
    require(options_.wake_ahead >= 0 && options_.wake_ahead <= 1e6,
            "--wake-ahead must be between 0 and a million microseconds, but it is {}", options_.wake_ahead);
    haptic.safety.ramp = options_.ramp;
    haptic.wake_ahead = 1e-6 * options_.wake_ahead;
    require(options_.display == "impedance" || options_.display == "admittance",
            "--display is impedance or admittance, not '{}'", options_.display);
    haptic.display = options_.display == "impedance" ? Display::Impedance : Display::Admittance;
    require(options_.duration > 0 && std::isfinite(options_.frequency) && std::isfinite(options_.amplitude),
            "--duration must be positive, --amplitude and --frequency finite");
    haptic.constraints = timed_constraints();
    if (haptic.record) {
      const std::string replay = "replay:";
      OutputGuard guard(options_.force,
                        {options_.source.model, options_.state.file, options_.sheet_file,
                         options_.device.starts_with(replay) ? options_.device.substr(replay.size()) : ""});
      guard.claim(options_.record);
      check_writable(options_.record);
    }
    std::vector<std::string> names;
    for (const HandleEquation& handle : model_.equations().handles) names.push_back(handle.name);
    const auto device = make_device(options_, names);
    HapticLoop loop(*simulator_, *device, haptic);
    {
      const InterruptScope scope([](void* running) { static_cast<HapticLoop*>(running)->stop(); }, &loop);
      report_ = loop.run();
    }
    if (haptic.record) loop.recording().write(options_.record, loop.axis_names());
    if (options_.json)
      print_json(*device);
    else if (!options_.quiet)
      print(*device);
    print_warnings(stderr, report_.warnings);
    throw_if_interrupted();
    if (report_.status == TickStatus::Jammed)
      throw RunFailed(
          fmt::format("at t = {:.6g} s no contact forces exist: the mechanism is jammed", simulator_->state().t));
    if (report_.status == TickStatus::Failed)
      throw RunFailed(
          fmt::format("at t = {:.6g} s the motion could not be evaluated: a singular configuration, constraints "
                      "that contradict each other, or a coupler too stiff for this rate",
                      simulator_->state().t));
  }

 private:
  /// "FROM: EXPRESSION" or "FROM..TO: EXPRESSION".
  [[nodiscard]] std::vector<TimedConstraint> timed_constraints() {
    std::vector<TimedConstraint> all;
    for (const std::string& text : options_.impose) {
      const std::size_t colon = text.find(':'), dots = std::min(text.find(".."), colon);
      require(colon != std::string::npos, "--impose needs 'FROM: EXPRESSION' or 'FROM..TO: EXPRESSION', not '{}'",
              text);
      TimedConstraint c;
      c.name = text.substr(std::min(text.size(), text.find_first_not_of(' ', colon + 1)));
      signals_.push_back(parse_signal(model_.equations(), c.name, "--impose"));
      c.expression = signals_.back().value;
      c.from = seconds(text.substr(0, dots), text);
      if (dots < colon) c.to = seconds(text.substr(dots + 2, colon - dots - 2), text);
      require(dots == colon || c.to > c.from, "--impose '{}' ends before it begins", text);
      (void)WrittenConstraint(KernelWorkshop(*model_.system()), c.name,
                              c.expression);  // errors are told before the run
      all.push_back(std::move(c));
    }
    return all;
  }

  static double seconds(const std::string& number, const std::string& text) {
    std::size_t used = 0;
    double value = -1;
    try {
      value = std::stod(number, &used);
    } catch (const std::exception&) {
    }
    require(value >= 0 && std::isfinite(value) && number.find_first_not_of(" s", used) == std::string::npos,
            "'{}' in --impose '{}' is not a time in seconds", number, text);
    return value;
  }

  static Model load(const HapticsOptions& options, const StartState& start) {
    ModelOptions model;
    model.reports = false;
    model.free_rows = options.impose.size();
    for (const auto& [name, value] : start.inputs) model.driven.push_back(name);
    Model loaded = options.source.load(std::move(model));
    for (const FmuController& fmu : loaded.mechanism().fmus)
      for (const auto& [input, output] : fmu.outputs)
        require(start.inputs.contains(input),
                "the FMU '{}' drives the input '{}'; FMUs do not run in a haptic loop, so give the input a value "
                "(--set \"{}=0\")",
                fmu.given, input, input);
    return loaded;
  }

  void start() {
    Start start = model_.start(start_state_);
    simulator_->set_parameters(start.parameters);
    simulator_->set_inputs(start.inputs);
    require(!start.active_given,
            "--state: 'active' cannot be chosen for haptics; the loop starts with the constraints of the model");
    (void)assemble_start(simulator_->evaluator(), start);
    simulator_->start(start.state);
  }

  static Json histogram_json(const Histogram& h) {
    return {{"min_us", h.least() * 1e-3},
            {"median_us", h.quantile(0.5) * 1e-3},
            {"p99_us", h.quantile(0.99) * 1e-3},
            {"p99_9_us", h.quantile(0.999) * 1e-3},
            {"max_us", h.largest() * 1e-3}};
  }

  void print_json(const Device& device) const {
    const HapticReport& r = report_;
    Json j;
    j["model"] = model_.equations().name;
    j["device"] = device.name();
    j["rate"] = options_.rate;
    j["ticks"] = r.ticks, j["missed"] = r.missed, j["stale"] = r.stale;
    j["missed_waiting"] = r.missed_waiting;
    j["page_faults"] = r.troubles.page_faults, j["interruptions"] = r.troubles.interruptions;
    j["reselections"] = r.reselections;
    j["rejected"] = r.rejected, j["releases"] = r.releases;
    j["events"] = r.events;
    j["predicted"] = r.predicted, j["prepared"] = r.prepared;
    j["seconds"] = r.duration;
    j["stopped"] = r.stopped;
    j["period"] = histogram_json(r.period);
    j["compute"] = histogram_json(r.compute);
    j["compute_with_events"] = histogram_json(r.event_compute);
    if (r.ahead.count() > 0) j["looking_ahead"] = histogram_json(r.ahead);
    if (r.rehearsal.count() > 0) j["rehearsing"] = histogram_json(r.rehearsal), j["rehearsals"] = r.rehearsal.count();
    j["memory_locked"] = r.real_time.memory_locked;
    j["real_time_priority"] = r.real_time.priority;
    j["axes"] = Json::array();
    for (const auto& a : r.axes)
      j["axes"].push_back({{"name", a.name},
                           {"stiffness", a.coupler.stiffness},
                           {"damping", a.coupler.damping},
                           {"device_damping", a.device_damping},
                           {"needed_damping", a.needed_damping},
                           {"largest_force", a.largest_force},
                           {"least_energy", a.least_energy},
                           {"energy", a.energy},
                           {"energy_error", a.energy_error},
                           {"dissipated", a.dissipated},
                           {"interventions", a.interventions}});
    j["state"] = {{"t", simulator_->state().t}, {"q", simulator_->state().q}, {"u", simulator_->state().u}};
    j["notes"] = device.notes();
    for (const auto& note : r.real_time.notes) j["notes"].push_back(note);
    for (const auto& c : r.constraints)
      j["constraints"].push_back({{"expression", c.name},
                                  {"imposed", c.imposed >= 0 ? Json(c.imposed) : Json()},
                                  {"released", c.released >= 0 ? Json(c.released) : Json()},
                                  {"compile_us", c.compile_us},
                                  {"failure", c.failure}});
    j["warnings"] = r.warnings;
    fmt::print("{}\n", j.dump());
  }

  static void print_row(const char* name, const Histogram& h) {
    if (h.count() == 0) return;
    fmt::print("  {:<22} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f}\n", name, h.least() * 1e-3,
               h.quantile(0.5) * 1e-3, h.quantile(0.99) * 1e-3, h.quantile(0.999) * 1e-3, h.largest() * 1e-3);
  }

  static std::string describe(const TimedConstraintReport& c) {
    if (!c.failure.empty()) return fmt::format("constraint '{}' was not imposed: {}", c.name, c.failure);
    if (c.imposed < 0) return fmt::format("constraint '{}' was not imposed: the run ended first", c.name);
    return fmt::format("constraint '{}' derived and compiled in {:.0f} us, active from {:.3f} s{}", c.name,
                       c.compile_us, c.imposed,
                       c.released >= 0 ? fmt::format(", released at {:.3f} s", c.released) : "");
  }

  [[nodiscard]] std::string why_missed() const {
    const HapticReport& r = report_;
    if (r.missed == 0) return {};
    return fmt::format(": {} computing, {} while other programs had the processor ({}, {})",
                       r.missed - r.missed_waiting, r.missed_waiting, counted(r.troubles.interruptions, "interruption"),
                       counted(r.troubles.page_faults, "page fault"));
  }

  void print(const Device& device) const {
    const HapticReport& r = report_;
    fmt::print("{}: {} at {:g} Hz in {:.3f} s with the device '{}'{}\n", model_.equations().name,
               counted(r.ticks, "tick"), options_.rate, r.duration, device.name(), r.stopped ? ", stopped" : "");
    fmt::print("  missed deadlines       {}{}\n", r.missed, why_missed());
    fmt::print("  changes of constraints {} in {}; other independent speeds after {}\n", r.events,
               counted(r.event_ticks, "tick"), counted(r.reselections, "tick"));
    if (options_.ahead > 0)
      fmt::print("  predicted changes      {}; prepared equations used {}\n", r.predicted, counted(r.prepared, "time"));
    if (r.stale > 0) fmt::print("  without new data       {}\n", r.stale);
    if (r.rejected > 0) fmt::print("  rejected samples       {}\n", r.rejected);
    if (r.releases > 0) fmt::print("  force taken away       {}\n", counted(r.releases, "time"));
    fmt::print("  {:<22} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "microseconds", "min", "median", "p99", "p99.9", "max");
    print_row("period", r.period);
    print_row("compute", r.compute);
    print_row("compute with changes", r.event_compute);
    print_row("looking ahead", r.ahead);
    print_row("rehearsing", r.rehearsal);
    for (const auto& a : r.axes)
      fmt::print("  axis {:<17} largest force {:.4g}, lowest energy {:.3g} J, passivity control {} ({:.3g} J)\n",
                 a.name, a.largest_force, a.least_energy, counted(a.interventions, "time"), a.dissipated);
    for (const auto& c : r.constraints) fmt::print("  {}\n", describe(c));
    if (options_.unpaced) return print_notes(device);
    fmt::print("  memory {}, priority {}\n", r.real_time.memory_locked ? "locked" : "not locked",
               r.real_time.priority ? "real-time" : "ordinary");
    print_notes(device);
  }

  void print_notes(const Device& device) const {
    for (const auto& note : device.notes()) fmt::print("  {}\n", note);
    for (const auto& note : report_.real_time.notes) fmt::print("  note: {}\n", note);
    if (!options_.record.empty()) fmt::print("  recorded in {}\n", options_.record);
  }

  const HapticsOptions& options_;
  StartState start_state_;
  Model model_;
  std::vector<Signal> signals_;  ///< own the expressions of constraints that are imposed
  std::unique_ptr<TickSimulator> simulator_;
  HapticReport report_;
};

}  // namespace

void add_haptics_command(CLI::App& app) {
  auto o = std::make_shared<HapticsOptions>();
  CLI::App* command = app.add_subcommand("haptics", "Run a model in real time, held by a haptic device");
  o->source.add_to(*command);
  command->add_option("--device", o->device, "simulated, replay:FILE or udp:PORT (default: simulated)");
  o->state.add_to(*command, "JSON file with the state to start from; '-' reads standard input");
  command->add_option("--rate", o->rate, "Ticks per second (default 1000)");
  command->add_option("--duration", o->duration, "Seconds to run (default 10)");
  command->add_option("--record", o->record, "FILE.csv in which to record the device's motion, for replay:FILE");
  command->add_option("--display", o->display, "impedance (motion sensed, force displayed) or admittance");
  command->add_option("--amplitude", o->amplitude, "Amplitude of the simulated hand, m or rad (default 0.1)");
  command->add_option("--frequency", o->frequency, "Frequency of the simulated hand, Hz (default 0.5)");
  command->add_option("--device-sheet", o->sheet_file,
                      "FILE.yaml with the device's data sheet, such as models/devices/phantom_omni.yaml");
  command->add_option("--device-damping", o->device_damping,
                      "Physical damping of the device's axes (default: from the data sheet, or 0.5)");
  command->add_option("--device-mass", o->device_mass,
                      "Mass of the device's axes (default: from the data sheet, or 0.2)");
  command->add_option("--max-force", o->max_force,
                      "Largest force of the device (default: from the data sheet, or 20; simulated: unlimited)");
  command->add_option("--ramp", o->ramp,
                      "Seconds from no force to full force, at the start and after trouble (default 0.25)");
  command->add_option("--stored-energy", o->stored_energy,
                      "Energy, J, that the model stores at the start and may release to the hand (default 0)");
  command->add_option("--ahead", o->ahead,
                      "Seconds to simulate ahead of real time, preparing for changes of constraints (default 0: no)");
  command->add_option("--wake-ahead", o->wake_ahead,
                      "Microseconds before each deadline to wake, rehearse a change and busy-wait (default 100; 0: "
                      "sleep until the deadline)");
  command->add_option("--impose", o->impose,
                      "'FROM: EXPRESSION' or 'FROM..TO: EXPRESSION': a constraint that is derived and compiled while "
                      "the loop runs (s): phi(q) is held at its value, psi(q, u) at zero; may be repeated");
  command
      ->add_option("--angles", o->angles,
                   "Axes of the handle that are angles, separated by commas: whole turns more or less are the same "
                   "place, for the device and for the model")
      ->delimiter(',');
  command->add_option("--key", o->key_file,
                      "FILE with a secret of 16 bytes or more that a device on the network has too: packets of others "
                      "are refused");
  command->add_option("--address", o->address,
                      "IPv4 address to listen at for a device on the network (default 127.0.0.1; others need --key)");
  command->add_option("--loan", o->loan,
                      "Energy, J per axis, by which either end of a network may run ahead of the other's account "
                      "(default 0.05)");
  add_force_option(*command, o->force);
  command->add_flag("--no-passivity", o->no_passivity, "Observe energy, but do not control it");
  command->add_flag("--unpaced", o->unpaced, "Run as fast as possible instead of in real time");
  command->add_flag("--json", o->json, "Print the statistics as one JSON object");
  command->add_flag("--quiet", o->quiet, "Print warnings only");
  command->footer(
      "The section 'handle' of the model says where it is held; see docs/haptics.md.\n"
      "Examples:\n"
      "  kane haptics models/shopping_cart.yaml --duration 1\n"
      "  kane haptics models/shopping_cart.yaml --duration 1 --unpaced --record run.csv\n"
      "  kane haptics models/shopping_cart.yaml --duration 1 --unpaced --device replay:run.csv   # repeats the run");
  command->callback([o] { HapticsRun(*o).run(); });
}

}  // namespace kane
