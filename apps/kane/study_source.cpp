#include "apps/kane/study_source.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "apps/kane/command.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_mark.hpp"
#include "kane/formats/yaml/yaml_document.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"

namespace kane {

namespace {

constexpr std::size_t kMostFileBytes = 256U << 20U;

std::uint64_t whole(double value, const char* option) {
  constexpr double kMost = 9e15;
  require(value >= 0 && value <= kMost && value == std::floor(value), "{} takes a whole number, not {}", option, value);
  return static_cast<std::uint64_t>(value);
}

/// "peak=max(x)" or "max(x)".
MeasureText split_measure(const std::string& text) {
  const auto equals = text.find('=');
  const bool named =
      equals != std::string::npos && equals > 0 && text[equals + 1] != '=' &&
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == equals;
  return named ? MeasureText{text.substr(0, equals), text.substr(equals + 1)} : MeasureText{"", text};
}

/// "a,b=0.5"
StudyCorrelation split_correlation(const std::string& text) {
  const auto comma = text.find(','), equals = text.find('=');
  require(comma != std::string::npos && equals != std::string::npos && comma < equals,
          "--correlate needs name,name=number, not '{}'", text);
  StudyCorrelation c{text.substr(0, comma), text.substr(comma + 1, equals - comma - 1), 0, {}};
  std::istringstream number(text.substr(equals + 1));
  require(static_cast<bool>(number >> c.value) && number.eof(), "--correlate {}: '{}' is not a number", text,
          text.substr(equals + 1));
  return c;
}

void take(std::optional<double>& option, const std::optional<double>& from_file) {
  if (!option) option = from_file;
}

void take(StudyOptions& o, const StudyVariables& found) {
  o.variables.insert(o.variables.end(), found.variables.begin(), found.variables.end());
  o.correlations.insert(o.correlations.end(), found.correlations.begin(), found.correlations.end());
}

}  // namespace

void StudySource::add_to(CLI::App& command) {
  source_.add_to(command);
  command.get_option("model")->description("Study file, or model file (Kane YAML, URDF, MJCF, SD/FAST, AUTOLEV)");
  const auto list = [&](const char* name, std::vector<std::string>& to, const char* help) {
    command.add_option(name, to, help)->allow_extra_args(false);
  };
  list("--vary", vary_, "Variable: m=1..2:50, m={1,2,5}, m=1..2, \"L~normal(0.3, 0.01)\", run.method={rk4,dopri5}");
  list("--measure", measures_, "Measure of a run: \"max(x)\" or \"peak=max(x)\"; see docs/sweeps.md");
  list("--series", series_, "Signal whose samples are kept for every run: \"x\" or \"tip=x + L*sin(q)\"");
  command.add_option("--series-step", series_step_,
                     "Time between the samples of --series, s (default: --output-step, else 100 intervals)");
  list("--correlate", correlations_, "name,name=number: correlation between two distributions");
  command.add_option("--cases", cases_, "CSV file of cases: names, then one line of numbers for each");
  command.add_option("--runs", runs_, "Number of runs, if any variable has a distribution");
  command.add_option("--sampling", sampling_, "random, lhs, sobol, halton, saltelli (Sobol's indices) or morris");
  command.add_option("--seed", seed_, "Seed of the random numbers (default: 1)");
  command.add_option("--until", until_, "End time, s; 0: only the start is measured");
  command.add_option("--tolerance", tolerance_, "Relative accuracy");
  command.add_option("--method", method_, "As in kane simulate; rk4 and dopri5 run several cases at once");
  command.add_option("--step", step_, "Step of fixed-step methods, s");
  command.add_option("--output-step", sample_,
                     "Time between samples that measures are taken from, s (default: 1000 intervals)");
  command.add_option("--limit", limit_, "Computing time allowed for one case, s (default: 60; 0: no limit)");
  command.add_flag("--strict", strict_, "The same bits on any processor, with any number of lanes, threads and ranks");
  command.add_option(
      "--lanes", lanes_,
      "Cases that a thread advances together: 1, or the numbers in a vector register: 2, 4 or 8 (default: most)");
  state_.add_to(command, "JSON file with the initial state that the cases have in common");
  list("--minimize", minimize_, "Search: an expression of measures to minimize");
  list("--maximize", maximize_, "Search: the same, to maximize");
  list("--subject-to", subject_to_, "Search: a condition, such as \"peak <= 0.3\"");
  command.add_option("--search", search_, "auto, local, global, gradient or pareto");
  command.add_option("--evaluations", evaluations_, "Search: largest number of runs (default: 500)");
  command.add_option("--out", out_, "The store: a file that keeps all results (default: NAME.db)");
}

void StudySource::read() {
  given_ = source_.model;
  if (given_ != "-" && is_study(read_file_bytes(given_, given_, kMostFileBytes))) {
    file_ = read_study(given_);
    require(!file_.model.empty(), "{}: error: the study names no model; add 'model: FILE'", given_);
    source_.model = file_.model;
    std::vector<std::string> settings = file_.set;
    settings.insert(settings.end(), source_.settings.begin(), source_.settings.end());
    source_.settings = settings;
    source_.guesses.insert(source_.guesses.begin(), file_.guess.begin(), file_.guess.end());
  }
  take(runs_, file_.runs), take(seed_, file_.seed), take(until_, file_.until), take(tolerance_, file_.tolerance);
  take(step_, file_.step), take(sample_, file_.sample), take(limit_, file_.limit),
      take(evaluations_, file_.evaluations), take(series_step_, file_.series_step);
  if (sampling_.empty() && file_.sampling) sampling_ = file_.sampling->text;
  if (method_.empty() && file_.method) method_ = file_.method->text;
  if (search_.empty() && file_.search) search_ = file_.search->text;
  if (cases_.empty()) cases_ = file_.cases;
  if (state_.file.empty()) state_.file = file_.state;
  strict_ = strict_ || file_.strict;
  for (const auto& text : minimize_) file_.minimize.push_back({"minimize", text, {}});
  for (const auto& text : maximize_) file_.maximize.push_back({"maximize", text, {}});
  for (const auto& text : subject_to_) file_.subject_to.push_back({"subject_to", text, {}});
  file_.evaluations = evaluations_;
  if (!search_.empty()) file_.search = StudyFile::Entry{"search", search_, {}};
  require(searches() || (!file_.search && file_.subject_to.empty() && !evaluations_),
          "--search, --subject-to and --evaluations belong to a search: say what to --minimize or --maximize");
  if (out_.empty() && file_.out) out_ = (std::filesystem::path(given_).parent_path() / file_.out->text).string();
  if (out_.empty()) out_ = file_stem(std::filesystem::path(given_ == "-" ? "sweep" : given_).stem().string()) + ".db";
}

StudyOptions StudySource::study_options() const {
  StudyOptions o;
  for (const auto& entry : file_.vary) {
    const bool replaced = std::any_of(vary_.begin(), vary_.end(), [&](const std::string& v) {
      return v.starts_with(entry.name) && (v[entry.name.size()] == '=' || v[entry.name.size()] == '~');
    });
    if (!replaced) take(o, parse_study_variables(entry.name, entry.text, entry.where));
  }
  for (const auto& text : vary_) take(o, parse_vary_option(text, "--vary"));
  if (!cases_.empty()) o.cases = parse_cases(read_file_bytes(cases_, cases_, kMostFileBytes), cases_);
  for (const auto& c : file_.correlations) o.correlations.push_back({c.a, c.b, c.value, c.where});
  for (const auto& text : correlations_) o.correlations.push_back(split_correlation(text));
  if (!sampling_.empty()) {
    try {
      o.sampling = sampling_from(sampling_);
    } catch (const ModelError& error) {
      if (file_.sampling && file_.sampling->text == sampling_) throw ModelError(file_.sampling->where, error.message());
      throw;
    }
  }
  if (runs_) o.runs = whole(*runs_, "--runs");
  if (seed_) o.seed = whole(*seed_, "--seed");
  if (searches()) {
    for (const StudyVariable& v : o.variables)
      require(v.range, "a search needs a range for each variable: {}=a..b", v.name);
    require(o.cases.names.empty() && !runs_ && sampling_.empty(),
            "a search chooses its own cases: leave out --cases, --runs and --sampling");
    o.runs = 1;
  }
  return o;
}

SweepOptions StudySource::sweep_options() const {
  SweepOptions o;
  if (!state_.file.empty()) o.start = state_.read_one();
  o.until = until_, o.sample = sample_, o.series_step = series_step_;
  for (const auto& entry : file_.series) o.series.push_back({entry.name, entry.text, entry.where});
  for (const auto& text : series_) o.series.push_back(split_measure(text));
  require(!series_step_ || !o.series.empty(), "--series-step is for series: say which with --series");
  o.simulation.tolerance = tolerance_, o.simulation.step = step_;
  if (!method_.empty()) o.simulation.method = method_from(method_);
  o.case_limit = limit_.value_or(o.case_limit);
  o.lanes = lanes_;
  require(lanes_ >= 0, "--lanes must not be negative");
  return o;
}

std::unique_ptr<Sweep> StudySource::load() {
  Study study(study_options());
  std::vector<MeasureText> measures;
  for (const auto& entry : file_.measures) measures.push_back({entry.name, entry.text, entry.where});
  for (const auto& text : measures_) measures.push_back(split_measure(text));
  ModelOptions options;
  options.strict = strict_;
  SweepOptions sweep_settings = sweep_options();
  const Model model = source_.load(options);
  auto sweep = std::make_unique<Sweep>(model, std::move(study), std::move(measures), std::move(sweep_settings));
  identify(*sweep, model.mechanism());
  return sweep;
}

std::string hash_of(const ModelSource& source, const Mechanism& mechanism) {
  try {
    return text_hash(write_yaml(mechanism));
  } catch (const ModelError&) {  // what cannot be written as a model file is known by its bytes
    return text_hash(read_file_bytes(source.model, source.model, kMostFileBytes) +
                     fmt::format("{}", fmt::join(source.settings, " ")));
  }
}

void StudySource::identify(const Sweep& sweep, const Mechanism& mechanism) {
  identity_.model_file = source_.model;
  identity_.version = KANE_VERSION;
  identity_.model_hash = hash_of(source_, mechanism);
  identity_.study = sweep.describe();
  identity_.sampling =
      sweep.study().random_variables().empty() ? "grid" : std::string(to_string(sweep.study().options().sampling));
  identity_.count = sweep.study().count();
  identity_.measures = sweep.measure_names();
  identity_.series = sweep.series_names();
  for (const StudyVariable& v : sweep.study().variables()) {
    identity_.variables.push_back(v.name);
    identity_.choices.push_back(v.choices);
  }
  std::vector<std::string>& list = identity_.arguments;
  list = source_.arguments();
  const auto add = [&](const char* option, const std::string& value) {
    list.emplace_back(option), list.push_back(value);
  };
  if (!state_.file.empty()) add("--state", state_.file);
  if (until_) add("--until", fmt::format("{}", *until_));
  if (!method_.empty()) add("--method", method_);
  if (tolerance_) add("--tolerance", fmt::format("{}", *tolerance_));
  if (step_) add("--step", fmt::format("{}", *step_));
  if (strict_) list.emplace_back("--strict");
}

}  // namespace kane
