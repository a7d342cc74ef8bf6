#include "kane/server/live_model.hpp"

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kane/analysis/linearization.hpp"
#include "kane/base/error.hpp"
#include "kane/export/page_export.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/mechanism/automatic_speeds.hpp"
#include "kane/mechanism/symbol_units.hpp"
#include "kane/model/pull.hpp"
#include "kane/model/simulation.hpp"
#include "kane/wire/json.hpp"

namespace kane {

namespace {

using InfoJson = nlohmann::ordered_json;

constexpr std::string_view kLockMark = "kane_lock_";

/// The names of everything that can be imposed and released, with what the model says.
std::vector<std::pair<std::string, bool>> constraints_of(const Mechanism& mechanism) {
  std::vector<std::pair<std::string, bool>> list;
  if (!mechanism.switching.modes.empty() || mechanism.equations) return list;
  for (const Constraint& c : mechanism.constraints)
    if (!c.name.starts_with(kLockMark)) list.emplace_back(c.name, c.active);
  for (const Joint& joint : mechanism.joints)
    if (joint.closing) list.emplace_back(joint.name, joint.active);
  return list;
}

/// The rates of a joint, each of which is zero while it is locked.
std::vector<Quantity> rates_of(const Joint& joint) {
  std::vector<Quantity> rates;
  for (const ElementaryMotion& motion : joint.motions) {
    if (!motion.free) continue;
    if (motion.kind != MotionKind::Ball)
      for (const Expr& q : motion.coordinates) rates.emplace_back(q.name() + "'");
    else
      for (const char axis : {'x', 'y', 'z'})
        rates.emplace_back(fmt::format("dot(omega({0}) - omega({1}), {0}.{2})", joint.child, joint.parent, axis));
  }
  return rates;
}

void apply_locks(Mechanism& mechanism, const LiveSource& source) {
  const auto list = constraints_of(mechanism);
  require(source.locked.empty() || mechanism.switching.modes.empty(),
          "The modes of this model say what holds; joints are not locked in it.");
  for (Constraint& c : mechanism.constraints)
    if (const auto found = source.imposed.find(c.name); found != source.imposed.end()) c.active = found->second;
  for (Joint& joint : mechanism.joints)
    if (const auto found = source.imposed.find(joint.name); joint.closing && found != source.imposed.end())
      joint.active = found->second;
  for (const std::string& name : source.locked)
    if (const Joint* joint = mechanism.find_joint(name); joint != nullptr && is_lockable(*joint))
      mechanism.hold_motion(std::string(kLockMark) + name, rates_of(*joint));
}

/// Samples of the first seconds, so that the page's picture covers the motion to come. As many as can be computed in a short time.
InfoJson preview_of(const LiveModel& live) {
  InfoJson list = InfoJson::array();
  const auto begin = std::chrono::steady_clock::now();
  constexpr std::chrono::milliseconds kPatience{30};
  constexpr double kAhead = 4, kStep = 0.1;  // s
  Simulation run(live.model);
  const double end = run.time() + kAhead;
  while (true) {
    const auto reports = run.simulator().calc_reports(run.state());
    if (reports.empty()) break;
    InfoJson state = run.state().q, row = InfoJson::array();
    for (const double u : run.state().u) state.push_back(u);
    for (const std::size_t place : live.picture.columns()) row.push_back(reports[place]);
    list.push_back({run.time(), std::move(state), std::move(row)});
    if (run.time() >= end || std::chrono::steady_clock::now() - begin > kPatience) break;
    if (run.advance(kStep).failure) break;
  }
  return list;
}

std::string info_of(const LiveModel& live, const std::string& path) {
  const Mechanism& mechanism = live.model.mechanism();
  const EquationsOfMotion& e = live.model.equations();
  const CompiledSystem& system = *live.model.system();
  const auto units = symbol_units(mechanism);
  const auto unit_of = [&](const std::string& name) {
    const auto found = units.find(name);
    return found == units.end() ? std::string() : found->second;
  };
  InfoJson j;
  j["type"] = "model";
  j["version"] = live.version;
  j["name"] = live.model.name(), j["description"] = mechanism.description;
  j["file"] = path, j["text"] = live.text;
  j["coordinates"] = j["speeds"] = j["parameters"] = j["inputs"] = InfoJson::array();
  for (const auto& q : e.q) j["coordinates"].push_back(q.name());
  for (const auto& u : e.u) j["speeds"].push_back(u.name());
  const std::vector<double> values = system.calc_parameters({});
  for (std::size_t i = 0; i < e.parameters.size(); ++i) {
    const auto& p = e.parameters[i];
    j["parameters"].push_back({{"name", p.symbol.name()},
                               {"value", values[i]},
                               {"unit", unit_of(p.symbol.name())},
                               {"free", symbols_of({&p.value, 1}).empty()}});
  }
  const Start start = live.model.start();
  for (std::size_t i = 0; i < system.inputs().size(); ++i) {
    const std::string& name = system.inputs()[i];
    bool fed = false;
    for (const InputSource& source : live.model.input_sources()) {
      if (const auto* series = std::get_if<SeriesInput>(&source)) fed = fed || series->input == name;
      if (const auto* sampled = std::get_if<SampledInput>(&source))
        fed = fed || std::find(sampled->inputs.begin(), sampled->inputs.end(), name) != sampled->inputs.end();
    }
    j["inputs"].push_back({{"name", name},
                           {"value", start.inputs[i]},
                           {"unit", unit_of(name)},
                           {"pull", is_pull_input(name)},
                           {"law", fed}});
  }
  j["constrained"] = !e.constraints.empty();
  j["notes"] = live.model.notes();
  j["scene"] = InfoJson::parse(live.picture.to_json(true));
  j["preview"] = preview_of(live);
  return j.dump(-1, ' ', false, InfoJson::error_handler_t::replace);
}

}  // namespace

Mechanism read_live_mechanism(const LiveSource& source) {
  Mechanism mechanism = source.file.empty()
                            ? read_mechanism_text(source.text, source.path.empty() ? "model.yaml" : source.path)
                            : read_mechanism(source.file);
  apply_locks(mechanism, source);
  return mechanism;
}

LiveModel::LiveModel(Model compiled, std::string text_of_it, std::uint32_t number)
    : model(std::move(compiled)),
      picture(model.mechanism(), *model.system(), model.parameters(model.start())),
      text(std::move(text_of_it)),
      version(number) {}

std::shared_ptr<const LiveModel> make_live_model(const LiveSource& source, std::uint32_t version) {
  Mechanism mechanism = read_live_mechanism(source);
  require(!mechanism.equations || !mechanism.all_coordinates().empty(), "'{}' has no coordinates", mechanism.name);
  if (mechanism.automatic_speeds) mechanism = choose_speeds(mechanism).mechanism;
  const auto constraints = constraints_of(mechanism);
  std::set<std::string> locked;
  for (const std::string& name : source.locked)
    if (const Joint* joint = mechanism.find_joint(name); joint != nullptr && is_lockable(*joint)) locked.insert(name);
  prepare_page(mechanism);
  auto live = std::make_shared<LiveModel>(Model(std::move(mechanism)), source.text, version);
  live->locked = std::move(locked), live->constraints = constraints;
  live->info = info_of(*live, source.path);
  return live;
}

std::string make_live_analysis(const LiveModel& live, const StartState& start) {
  InfoJson j{{"type", "analysis"}, {"version", live.version}};
  try {
    ModelOptions options = live.model.options();
    options.sampled_laws = SampledLaws::Continuous;
    const Model model = live.model.mechanism().sampled_inputs.empty() ? live.model : live.model.with_options(options);
    LinearizeModelOptions linearize;
    linearize.equilibrium = true;
    const LinearizationReport report = linearize_model(model, start, linearize);
    if (!report.failure.empty()) {
      j["message"] = report.failure;
    } else {
      const InfoJson all = wire::to_json(report);
      j["eigenvalues"] = wire::complex_list(report.modes.eigenvalues);
      if (all.contains("nominal")) j["equilibrium"] = all["nominal"]["q"];
      for (const char* part : {"modes", "states", "inputs", "A", "B"})
        if (all.contains(part)) j[part] = all[part];
      j["stability"] = describe_stability(report.modes);
    }
  } catch (const std::exception& error) {
    j["message"] = error.what();
  }
  return j.dump(-1, ' ', false, InfoJson::error_handler_t::replace);
}

}  // namespace kane
