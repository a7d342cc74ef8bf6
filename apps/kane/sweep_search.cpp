#include "apps/kane/sweep_search.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/kane/command.hpp"
#include "apps/kane/interrupt.hpp"
#include "apps/kane/print.hpp"
#include "kane/batch/results_page.hpp"
#include "kane/batch/search.hpp"

namespace kane {

namespace {

SearchOptions search_options(const StudyFile& file) {
  SearchOptions o;
  for (const auto& entry : file.minimize) o.goals.push_back({entry.text, false, entry.where});
  for (const auto& entry : file.maximize) o.goals.push_back({entry.text, true, entry.where});
  for (const auto& entry : file.subject_to) o.conditions.push_back({entry.text, false, entry.where});
  if (file.search) o.method = file.search->text;
  if (file.evaluations) o.evaluations = static_cast<std::uint64_t>(std::max(1.0, *file.evaluations));
  return o;
}

/// The options that the runs of a search depend on, besides the sweep.
std::string describe_search(const SearchOptions& o) {
  std::string text = "search " + o.method + "\n";
  for (const auto& goal : o.goals) text += fmt::format("{} {}\n", goal.larger ? "maximize" : "minimize", goal.text);
  for (const auto& condition : o.conditions) text += "subject to " + condition.text + "\n";
  return text + fmt::format("evaluations {}\n", o.evaluations);
}

void print_search(const SearchReport& report, const SearchOptions& o, const Sweep& sweep, const std::string& store) {
  fmt::print("{} runs in {}; {}\n", report.runs, store, report.stopped);
  if (report.gradients > 0) fmt::print("{} derivatives from the variational equations\n", report.gradients);
  if (!report.no_gradients.empty())
    fmt::print("derivatives by differences of runs{}: {}\n", report.gradients > 0 ? " elsewhere" : "",
               report.no_gradients);
  fmt::print("\n");
  std::vector<std::string> heads = {"run"};
  for (const auto& goal : o.goals) heads.push_back((goal.larger ? "largest " : "smallest ") + goal.text);
  for (const auto& v : sweep.study().variables()) heads.push_back(v.name);
  for (const auto& name : sweep.measure_names()) heads.push_back(name);
  TextTable table(heads, 6, 12);
  for (std::size_t i = 0; i < report.best.size(); ++i) {
    std::vector<double> row = report.goals[i];
    row.insert(row.end(), report.best[i].values.begin(), report.best[i].values.end());
    row.insert(row.end(), report.best[i].measures.begin(), report.best[i].measures.end());
    table.add(std::to_string(report.best[i].k), row);
  }
  table.print();
}

void print_search_json(const SearchReport& report, const SearchOptions& o, const Sweep& sweep,
                       const std::string& store) {
  nlohmann::ordered_json a{{"store", store},
                           {"runs", report.runs},
                           {"feasible", report.feasible},
                           {"stopped", report.stopped},
                           {"gradients", report.gradients}};
  a["best"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < report.best.size(); ++i) {
    nlohmann::ordered_json b{{"run", report.best[i].k}};
    for (std::size_t g = 0; g < o.goals.size(); ++g) b["goals"][o.goals[g].text] = report.goals[i][g];
    for (std::size_t v = 0; v < report.best[i].values.size(); ++v)
      b["values"][sweep.study().variables()[v].name] = report.best[i].values[v];
    for (std::size_t m = 0; m < report.best[i].measures.size(); ++m)
      b["measures"][sweep.measure_names()[m]] = report.best[i].measures[m];
    a["best"].push_back(b);
  }
  fmt::print("{}\n", a.dump());
}

}  // namespace

void run_search(const StudySource& source, const Sweep& sweep, bool fresh, bool json) {
  const SearchOptions o = search_options(source.file());
  StudyIdentity identity = source.identity();
  identity.sampling = "search";
  identity.study += describe_search(o);
  identity.count = o.evaluations;
  SweepStore store(source.store(), identity, fresh);
  const StoreTable known = read_store(source.store());
  CaseRunner runner(sweep);
  const InterruptScope scope;
  const SearchEvaluation evaluate = [&](std::uint64_t k, const std::vector<double>& values) {
    throw_if_interrupted();
    CaseResult r;
    if (k < known.k.size() && known.k[k] == k) {
      r.k = k, r.ok = known.ok[k] != 0;
      for (const auto& column : known.values) r.values.push_back(column[k]);
      for (const auto& column : known.measures) r.measures.push_back(column[k]);
      if (r.values == values) return r;
    }
    r = runner.run(k, values);
    store.write(std::span(&r, 1));
    return r;
  };
  const SearchReport report = search(sweep, o, evaluate);
  if (report.best.empty())
    throw RunFailed("no run of the search succeeded; the reasons are in the store (kane results --run 0)");
  if (json)
    print_search_json(report, o, sweep, source.store());
  else
    print_search(report, o, sweep, source.store());
  if (!report.feasible) throw RunFailed("no run satisfies all conditions; the one that comes nearest is shown");
}

}  // namespace kane
