// kane results: what came out of a sweep.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/case_replay.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/output_guard.hpp"
#include "apps/kane/print.hpp"
#include "apps/kane/trajectory_file.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/base/suggest.hpp"
#include "kane/batch/results_page.hpp"
#include "kane/batch/row_expression.hpp"
#include "kane/batch/statistics.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct ResultsCommandOptions {
  std::string store, out, page, pareto, series;
  std::vector<std::string> measures, failures;
  std::vector<double> quantiles = {0.05, 0.5, 0.95};
  std::optional<double> run;
  long rows = 0, replays = 60;
  bool json = false, force = false;
};

Json number_json(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

std::vector<std::string> all_names(const StudyIdentity& identity) {
  std::vector<std::string> names = identity.variables;
  names.insert(names.end(), identity.measures.begin(), identity.measures.end());
  return names;
}

std::vector<double> row_of(const StoreTable& table, std::size_t r) {
  std::vector<double> row;
  for (const auto* columns : {&table.values, &table.measures})
    for (const auto& column : *columns) row.push_back(column[r]);
  return row;
}

std::size_t find_measure(const StoreTable& table, const std::string& name) {
  const auto& known = table.identity.measures;
  const auto found = std::find(known.begin(), known.end(), name);
  require(found != known.end(), "the store has no measure '{}'{}", name, suggestion(name, known));
  return static_cast<std::size_t>(found - known.begin());
}

std::string cell(const StoreTable& table, std::size_t column, double value) {
  const auto& choices = table.identity.choices;
  if (column < choices.size() && !choices[column].empty()) return choices[column][static_cast<std::size_t>(value)];
  return std::isfinite(value) ? number_text(value) : "-";
}

/// All runs as a table file: CSV, HDF5 or MATLAB.
void write_table(const StoreTable& table, const std::string& file) {
  std::vector<std::string> names = {"k", "status", "seconds"};
  for (const auto& name : all_names(table.identity)) names.push_back(name);
  TrajectoryFile out(file, names, table.identity.model_file);
  for (std::size_t r = 0; r < table.k.size(); ++r) {
    std::vector<double> row = {static_cast<double>(table.k[r]), table.ok[r] != 0 ? 0.0 : 1.0, table.seconds[r]};
    const auto rest = row_of(table, r);
    row.insert(row.end(), rest.begin(), rest.end());
    out.write(row);
  }
  out.finish();
}

/// The series of all runs, or of one, as a table: run, time, values.
void write_series(const StoreTable& table, const ResultsCommandOptions& options) {
  const StudyIdentity& identity = table.identity;
  require(!identity.series.empty(), "'{}' has no series; kane sweep keeps them with --series", options.store);
  std::vector<std::string> names = {"k", "t"};
  names.insert(names.end(), identity.series.begin(), identity.series.end());
  TrajectoryFile out(options.series, names, identity.model_file);
  std::optional<std::uint64_t> only;
  if (options.run) only = static_cast<std::uint64_t>(std::max(*options.run, 0.0));
  std::vector<double> row(names.size());
  read_series(
      options.store,
      [&](std::uint64_t k, std::span<const double> samples) {
        const std::size_t width = names.size() - 1;
        row[0] = static_cast<double>(k);
        for (std::size_t at = 0; at < samples.size(); at += width) {
          std::copy_n(samples.begin() + static_cast<std::ptrdiff_t>(at), width, row.begin() + 1);
          out.write(row);
        }
      },
      only);
  out.finish();
}

void show_run(const StoreTable& table, double which, bool json) {
  const auto found = std::find(table.k.begin(), table.k.end(), static_cast<std::uint64_t>(std::max(which, 0.0)));
  require(found != table.k.end() && which == std::floor(which), "the store has no run {}", which);
  const auto r = static_cast<std::size_t>(found - table.k.begin());
  const auto names = all_names(table.identity);
  const auto row = row_of(table, r);
  const auto reason = table.reasons.find(table.k[r]);
  if (json) {
    Json a{{"run", table.k[r]},
           {"ok", table.ok[r] != 0},
           {"seconds", table.seconds[r]},
           {"replay", replay_command(table, r)}};
    for (std::size_t i = 0; i < names.size(); ++i)
      a[i < table.values.size() ? "values" : "measures"][names[i]] =
          i < table.values.size() && !table.identity.choices[i].empty() ? Json(cell(table, i, row[i]))
                                                                        : number_json(row[i]);
    if (reason != table.reasons.end()) a["reason"] = reason->second;
    fmt::print("{}\n", a.dump());
    return;
  }
  TextTable shown({fmt::format("run {}", table.k[r]), "value"});
  for (std::size_t i = 0; i < names.size(); ++i) shown.add({names[i], cell(table, i, row[i])});
  shown.print();
  if (reason != table.reasons.end()) fmt::print("failed: {}\n", reason->second);
  fmt::print("\n{}\n", replay_command(table, r));
}

/// A measure of the runs in which a variable has one of its words.
NumberSummary summarize_choice(const StoreTable& table, std::size_t variable, std::size_t choice, std::size_t measure) {
  std::vector<double> numbers;
  for (std::size_t r = 0; r < table.k.size(); ++r)
    if (table.values[variable][r] == static_cast<double>(choice)) numbers.push_back(table.measures[measure][r]);
  return summarize(numbers);
}

/// Shares of runs for which a condition holds.
std::vector<std::pair<std::string, Proportion>> calc_failures(const StoreTable& table,
                                                              const std::vector<std::string>& conditions) {
  std::vector<std::pair<std::string, Proportion>> list;
  const auto failed = static_cast<std::size_t>(std::count(table.ok.begin(), table.ok.end(), 0));
  list.push_back({"run failed", calc_proportion(failed, table.ok.size())});
  for (const auto& text : conditions) {
    RowExpression condition(text, all_names(table.identity));
    std::size_t hits = 0, trials = 0;
    for (std::size_t r = 0; r < table.k.size(); ++r) {
      if (table.ok[r] == 0) continue;
      ++trials;
      if (condition.calc(row_of(table, r)) != 0) ++hits;
    }
    list.push_back({text, calc_proportion(hits, trials)});
  }
  return list;
}

struct ResultsReport {
  const StoreTable& table;
  const ResultsCommandOptions& options;
  std::vector<std::size_t> measures;

  [[nodiscard]] std::vector<std::size_t> pareto() const {
    std::vector<std::span<const double>> goals;
    std::vector<bool> larger;
    std::string left = options.pareto;
    while (!left.empty()) {
      const auto comma = left.find(',');
      std::string name = left.substr(0, comma);
      left = comma == std::string::npos ? "" : left.substr(comma + 1);
      larger.push_back(name.starts_with('+'));
      if (name.starts_with('+') || name.starts_with('-')) name.erase(0, 1);
      goals.emplace_back(table.measures[find_measure(table, name)]);
    }
    require(goals.size() >= 2, "--pareto takes at least two measures: cost,+range ('+': to be large)");
    return find_pareto_front(goals, larger);
  }

  void print() const {
    const StudyIdentity& id = table.identity;
    fmt::print("{}: {} of {} runs, sampling {}, model {}\n\n", options.store, table.k.size(), id.count, id.sampling,
               id.model_file);
    std::vector<std::string> heads = {"measure", "runs", "mean", "deviation", "min"};
    for (const double p : options.quantiles) heads.push_back(fmt::format("{:g} %", 100 * p));
    heads.emplace_back("max");
    TextTable summary(heads, 14, 10);
    for (const std::size_t m : measures) {
      const NumberSummary s = summarize(table.measures[m]);
      std::vector<std::string> cells = {id.measures[m], std::to_string(s.count), number_text(s.mean),
                                        number_text(s.deviation), number_text(s.least)};
      for (const double q : calc_quantiles(table.measures[m], options.quantiles)) cells.push_back(number_text(q));
      cells.resize(heads.size() - 1, "-");
      cells.push_back(number_text(s.most));
      summary.add(cells);
    }
    summary.print();
    print_influences();
    fmt::print("\n");
    TextTable shares({"share of runs", "runs", "%", "95 % interval"});
    for (const auto& [text, p] : calc_failures(table, options.failures))
      shares.add({text, std::to_string(p.hits), fmt::format("{:.4g}", 100 * p.share),
                  fmt::format("{:.4g} .. {:.4g}", 100 * p.low, 100 * p.high)});
    shares.print();
    if (!options.pareto.empty()) print_rows("not surpassed by any other run", pareto());
    if (options.rows > 0) {
      std::vector<std::size_t> rows;
      for (std::size_t r = 0; r < std::min(table.k.size(), static_cast<std::size_t>(options.rows)); ++r)
        rows.push_back(r);
      print_rows("runs", rows);
    }
  }

  void print_influences() const {
    const StudyIdentity& id = table.identity;
    for (const std::size_t m : measures) {
      fmt::print("\n");
      if (id.sampling == "saltelli") {
        TextTable t({id.measures[m] + ": Sobol's index", "first order", "+-", "total", "+-"});
        for (const auto& i : calc_sobol_indices(table, m))
          t.add(i.variable, {i.first, i.first_error, i.total, i.total_error}, 4);
        t.print();
      } else if (id.sampling == "morris") {
        TextTable t({id.measures[m] + ": effect", "mean size", "mean", "deviation"});
        for (const auto& e : calc_morris_effects(table, m)) t.add(e.variable, {e.mean_size, e.mean, e.deviation}, 4);
        t.print();
      } else {
        TextTable t({id.measures[m] + ": correlation", "linear", "of ranks"});
        bool any = false;
        for (std::size_t v = 0; v < table.values.size(); ++v) {
          if (!id.choices[v].empty()) continue;  // words have no order
          t.add(id.variables[v],
                {correlation(table.values[v], table.measures[m]), rank_correlation(table.values[v], table.measures[m])},
                4);
          any = true;
        }
        if (any) t.print();
        for (std::size_t v = 0; v < table.values.size(); ++v)
          if (!id.choices[v].empty()) print_choices(v, m, any || v > 0);
      }
    }
  }

  /// The measure for each word of a variable that takes words.
  void print_choices(std::size_t variable, std::size_t measure, bool apart) const {
    const StudyIdentity& id = table.identity;
    if (apart) fmt::print("\n");
    TextTable t({fmt::format("{}: {}", id.measures[measure], id.variables[variable]), "runs", "mean", "deviation"});
    for (std::size_t c = 0; c < id.choices[variable].size(); ++c) {
      const NumberSummary s = summarize_choice(table, variable, c, measure);
      t.add({id.choices[variable][c], std::to_string(s.count), number_text(s.mean), number_text(s.deviation)});
    }
    t.print();
  }

  void print_rows(const std::string& title, const std::vector<std::size_t>& rows) const {
    std::vector<std::string> heads = {title};
    for (const auto& name : all_names(table.identity)) heads.push_back(name);
    TextTable t(heads, 10, 12);
    for (const std::size_t r : rows) {
      std::vector<std::string> cells = {std::to_string(table.k[r])};
      const auto row = row_of(table, r);
      for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(cell(table, i, row[i]));
      t.add(cells);
    }
    fmt::print("\n");
    t.print();
  }

  [[nodiscard]] Json json() const {
    const StudyIdentity& id = table.identity;
    Json a{{"store", options.store},
           {"runs", table.k.size()},
           {"asked", id.count},
           {"sampling", id.sampling},
           {"model", id.model_file}};
    a["measures"] = Json::object();
    for (const std::size_t m : measures) {
      const NumberSummary s = summarize(table.measures[m]);
      Json& j = a["measures"][id.measures[m]];
      j = {{"count", s.count},
           {"mean", number_json(s.mean)},
           {"deviation", number_json(s.deviation)},
           {"min", number_json(s.least)},
           {"max", number_json(s.most)}};
      const auto q = calc_quantiles(table.measures[m], options.quantiles);
      for (std::size_t i = 0; i < q.size(); ++i) j["quantiles"][fmt::format("{:g}", options.quantiles[i])] = q[i];
      if (id.sampling == "saltelli")
        for (const auto& i : calc_sobol_indices(table, m))
          j["sobol"][i.variable] = {{"first", number_json(i.first)},
                                    {"first_error", number_json(i.first_error)},
                                    {"total", number_json(i.total)},
                                    {"total_error", number_json(i.total_error)}};
      else if (id.sampling == "morris")
        for (const auto& e : calc_morris_effects(table, m))
          j["morris"][e.variable] = {{"mean_size", number_json(e.mean_size)},
                                     {"mean", number_json(e.mean)},
                                     {"deviation", number_json(e.deviation)}};
      else
        for (std::size_t v = 0; v < table.values.size(); ++v) {
          for (std::size_t c = 0; c < id.choices[v].size(); ++c) {
            const NumberSummary part = summarize_choice(table, v, c, m);
            j["choices"][id.variables[v]][id.choices[v][c]] = {
                {"count", part.count}, {"mean", number_json(part.mean)}, {"deviation", number_json(part.deviation)}};
          }
          if (!id.choices[v].empty()) continue;  // words have no order
          j["correlation"][id.variables[v]] = {
              {"linear", number_json(correlation(table.values[v], table.measures[m]))},
              {"ranks", number_json(rank_correlation(table.values[v], table.measures[m]))}};
        }
    }
    for (const auto& [text, p] : calc_failures(table, options.failures))
      a["shares"][text] = {{"hits", p.hits}, {"runs", p.trials}, {"share", p.share}, {"low", p.low}, {"high", p.high}};
    if (!options.pareto.empty())
      for (const std::size_t r : pareto()) a["pareto"].push_back(table.k[r]);
    return a;
  }
};

void run_results(const ResultsCommandOptions& options) {
  for (const double p : options.quantiles)
    require(p >= 0 && p <= 1, "--quantiles takes numbers from 0 to 1, not {}", p);
  constexpr long kMostReplays = 5000;
  require(options.replays >= 0 && options.replays <= kMostReplays, "--replays takes 0 to {}, not {}", kMostReplays,
          options.replays);
  const StoreTable table = read_store(options.store);
  OutputGuard guard(options.force, {options.store});
  guard.claim(options.out), guard.claim(options.page), guard.claim(options.series);
  if (!options.series.empty()) write_series(table, options);
  if (options.series == "-") return;
  if (options.run) return show_run(table, *options.run, options.json);
  ResultsReport report{table, options, {}};
  for (const auto& name : options.measures) report.measures.push_back(find_measure(table, name));
  if (options.measures.empty())
    for (std::size_t m = 0; m < table.measures.size(); ++m) report.measures.push_back(m);
  if (!options.out.empty()) write_table(table, options.out);
  if (!options.page.empty()) {
    const PageReplays replays = make_replays(table, static_cast<std::size_t>(options.replays));
    write_file(options.page,
               make_results_page(table, "Sweep of " + std::filesystem::path(table.identity.model_file).stem().string(),
                                 replays, read_page_series(options.store, table, replays)));
  }
  if (options.out == "-") return;
  if (options.json)
    fmt::print("{}\n", report.json().dump());
  else
    report.print();
}

}  // namespace

void add_results_command(CLI::App& app) {
  auto options = std::make_shared<ResultsCommandOptions>();
  CLI::App* command = app.add_subcommand("results", "Tables, statistics and a page of the results of kane sweep");
  command->add_option("store", options->store, "The store that kane sweep wrote")->required();
  command->add_option("--out", options->out, "All runs as FILE.csv, FILE.h5 or FILE.mat; '-' prints CSV");
  command->add_option("--series", options->series,
                      "The series of all runs (of one, with --run) as FILE.csv, FILE.h5 or FILE.mat: k, t, values");
  command->add_option("--page", options->page, "A page with pictures: FILE.html");
  command->add_option("--replays", options->replays, "Runs that the page replays in 3-D (default: 60)");
  command->add_option("--measure", options->measures, "Only these measures")->allow_extra_args(false);
  command->add_option("--quantiles", options->quantiles, "Probabilities (default: 0.05,0.5,0.95)")->delimiter(',');
  command
      ->add_option("--failure", options->failures,
                   "A condition, such as \"peak > 0.3\": its probability with a confidence interval")
      ->allow_extra_args(false);
  command->add_option(
      "--pareto", options->pareto,
      "Measures to minimize, or with '+' to maximize: cost,+range; lists the runs that no other dominates");
  command->add_option("--run", options->run, "One run: its values, and the command that runs it again");
  command->add_option("--rows", options->rows, "Print the first runs");
  add_force_option(*command, options->force);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  kane sweep models/damped_pendulum.yaml --vary l=0.4..0.6 --runs 100 --measure \"peak=max(u)\" --until 2 --out "
      "swings.db\n"
      "  kane results swings.db --failure \"peak > 0.1\" --out swings.csv --page swings.html\n"
      "  kane results swings.db --run 7");
  command->callback([options] { run_results(*options); });
}

}  // namespace kane
