#include "apps/kane/case_replay.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/kane/model_source.hpp"
#include "apps/kane/study_source.hpp"
#include "kane/batch/sweep.hpp"
#include "kane/picture/page_json.hpp"
#include "kane/picture/run_pictures.hpp"

namespace kane {

namespace {

using ReplayJson = nlohmann::ordered_json;

/// The options of `kane simulate` that a store names.
struct ReplaySource {
  ModelSource model;
  StateSource state;
  SweepOptions options{};
  bool strict = false;

  explicit ReplaySource(const StudyIdentity& identity) {
    CLI::App app;
    std::string method;
    model.add_to(app);
    state.add_to(app, "");
    app.add_option("--until", options.until, "");
    app.add_option("--method", method, "");
    app.add_option("--tolerance", options.simulation.tolerance, "");
    app.add_option("--step", options.simulation.step, "");
    app.add_flag("--strict", strict, "");
    std::vector<std::string> arguments(identity.arguments.rbegin(), identity.arguments.rend());
    arguments.push_back(identity.model_file);
    try {
      app.parse(arguments);
    } catch (const CLI::ParseError& error) {
      throw ModelError(fmt::format("the options in the store cannot be read: {}", error.what()));
    }
    if (!method.empty()) options.simulation.method = method_from(method);
    if (!state.file.empty()) options.start = state.read_one();
  }
};

/// A study of the same variables, whose values come from the store.
Study study_of_columns(const StoreTable& table) {
  StudyOptions o;
  for (std::size_t i = 0; i < table.identity.variables.size(); ++i) {
    StudyVariable v;
    v.name = table.identity.variables[i];
    v.choices = table.identity.choices[i];
    if (v.choices.empty()) v.values = {table.values[i].front()};
    o.variables.push_back(std::move(v));
  }
  return Study(o);
}

/// Rows to be shown: the least and the largest value of each measure, then evenly spaced ones.
std::vector<std::size_t> choose_rows(const StoreTable& table, std::size_t most) {
  std::vector<std::size_t> rows;
  std::set<std::size_t> taken;
  double spent = 0;
  constexpr double kMostSeconds = 30;  // of computing, as the store recorded it
  const auto add = [&](std::size_t r) {
    if (rows.size() >= most || spent > kMostSeconds || table.ok[r] == 0 || !taken.insert(r).second) return;
    spent += table.seconds[r];
    rows.push_back(r);
  };
  for (const auto& column : table.measures) {
    const auto less = [&](std::size_t a, std::size_t b) { return column[a] < column[b]; };
    std::vector<std::size_t> finite;
    for (std::size_t r = 0; r < column.size(); ++r)
      if (std::isfinite(column[r])) finite.push_back(r);
    if (finite.empty()) continue;
    const auto [least, largest] = std::minmax_element(finite.begin(), finite.end(), less);
    add(*least), add(*largest);
  }
  const std::size_t n = table.k.size();
  for (std::size_t i = 0; i < most && n > 0; ++i) add(n <= most ? std::min(i, n - 1) : i * (n - 1) / (most - 1));
  return rows;
}

/// Texts that many runs have in common (meshes above all) are kept once: {"shared": number}.
class SharedTexts {
 public:
  void share(ReplayJson& value) {
    constexpr std::size_t kShortest = 200;
    if (value.is_structured()) {
      for (auto& item : value) share(item);
    } else if (value.is_string() && value.get_ref<const std::string&>().size() >= kShortest) {
      const auto [at, fresh] = places_.try_emplace(value.get<std::string>(), texts_.size());
      if (fresh) texts_.push_back(value);
      value = ReplayJson{{"shared", at->second}};
    }
  }
  [[nodiscard]] const ReplayJson& texts() const { return texts_; }

 private:
  std::map<std::string, std::size_t> places_;
  ReplayJson texts_ = ReplayJson::array();
};

std::string replay(const Sweep& sweep, const StoreTable& table, std::size_t row, SharedTexts& shared) {
  std::vector<double> values;
  for (const auto& column : table.values) values.push_back(column[row]);
  StartState start = sweep.options().start;
  SimulationOptions options = sweep.options().simulation;
  sweep.set_case(values, start, options);
  Simulation simulation(sweep.model(sweep.model_of(values)), start, options);
  RunPlan plan = simulation.plan(sweep.options().until);
  constexpr int kPictures = 150;
  plan.output_step = 0, plan.intervals = kPictures;
  RunPictures pictures({}, simulation);
  RunReport report;
  if (plan.until > simulation.time())
    report = simulation.run(plan, [&](const State& sample) { return pictures.add(sample), true; });
  else
    pictures.add(simulation.state());
  std::vector<PageRow> rows = {{"run", fmt::format("{} of the sweep", table.k[row])}};
  ReplayJson data = ReplayJson::parse(pictures.page_data(report, rows));
  data["title"] = fmt::format("Run {}", table.k[row]);
  shared.share(data);
  return embeddable(data);
}

}  // namespace

PageReplays make_replays(const StoreTable& table, std::size_t most) {
  PageReplays replays;
  if (most == 0 || table.k.empty()) return replays;
  try {
    ReplaySource source(table.identity);
    ModelOptions options = driven_by(source.options.start);
    options.strict = source.strict;
    const Model model = source.model.load(options, [&](Mechanism& mechanism) {
      require(hash_of(source.model, mechanism) == table.identity.model_hash,
              "the model '{}' was changed since the sweep", table.identity.model_file);
      add_scene_outputs(mechanism);
      add_contact_outputs(mechanism);
    });
    const Sweep sweep(model, study_of_columns(table), {{"start", "start(t)", {}}}, source.options);
    SharedTexts shared;
    std::size_t bytes = 0;
    constexpr std::size_t kMostBytes = 40'000'000;
    for (const std::size_t row : choose_rows(table, most)) {
      try {
        replays.runs.push_back({row, replay(sweep, table, row, shared)});
      } catch (const ModelError&) {
        continue;  // its failure is in the store
      }
      bytes += replays.runs.back().second.size();
      if (bytes > kMostBytes) break;
    }
    replays.shared = embeddable(shared.texts());
    replays.frame = make_report_frame(table.identity.model_file);
    replays.mark = kReportDataMark;
  } catch (const ModelError& error) {
    replays.runs.clear();
    replays.note = error.message();
  }
  return replays;
}

}  // namespace kane
