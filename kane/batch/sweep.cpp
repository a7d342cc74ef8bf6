#include "kane/batch/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "kane/base/contains.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/names.hpp"
#include "kane/mechanism/symbol_units.hpp"

namespace kane {

namespace {

using Target = SweepTarget::Kind;

struct RunSetting {
  std::string_view name;
  Target kind;
  bool words;  ///< takes words, not numbers
};

/// Settings of the run that may vary like a parameter.
constexpr RunSetting kRunSettings[] = {{"run.formulation", Target::Formulation, true},
                                       {"run.method", Target::Method, true},
                                       {"run.active", Target::Active, true},
                                       {"run.tolerance", Target::Tolerance, false},
                                       {"run.step", Target::Step, false}};

[[noreturn]] void fail_variable(const StudyVariable& v, const std::string& message) {
  if (v.where.line > 0) throw ModelError(v.where, message);
  throw ModelError(message);
}

/// "pin+latch" names two constraints, "none" no one.
std::vector<std::string> split_active(const std::string& text) {
  std::vector<std::string> names;
  if (text == "none") return names;
  std::size_t begin = 0;
  for (std::size_t plus = text.find('+'); plus != std::string::npos; plus = text.find('+', begin)) {
    names.push_back(text.substr(begin, plus - begin));
    begin = plus + 1;
  }
  names.push_back(text.substr(begin));
  return names;
}

}  // namespace

Sweep::Sweep(const Model& model, Study study, std::vector<MeasureText> measures, SweepOptions options)
    : study_(std::move(study)), texts_(std::move(measures)), options_(std::move(options)) {
  options_.simulation.check();
  require(options_.case_limit >= 0, "the time limit of a case must not be negative");
  require(!options_.sample || (*options_.sample > 0 && std::isfinite(*options_.sample)),
          "the time between samples must be positive, but {} was given", options_.sample.value_or(0));
  require(!options_.series_step || (*options_.series_step > 0 && std::isfinite(*options_.series_step)),
          "the time between samples of series must be positive, but {} was given", options_.series_step.value_or(0));
  find_targets(model);
  std::vector<std::string> driven;
  for (const auto& [name, value] : options_.start.inputs) driven.push_back(name);
  for (const SweepTarget& target : targets_)
    if (target.kind == Target::Input) driven.push_back(target.name);
  models_.push_back(model.driving(driven));
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i].kind != Target::Formulation) continue;
    models_.clear();
    for (const std::string& choice : study_.variables()[i].choices) {
      ModelOptions o = model.options();
      try {
        o.formulation = formulation_from(choice);
      } catch (const ModelError& error) {
        fail_variable(study_.variables()[i], error.message());
      }
      o.driven.insert(o.driven.end(), driven.begin(), driven.end());
      models_.push_back(model.with_options(o));
    }
  }
  for (const Model& m : models_)
    measures_.push_back(std::make_unique<MeasureSet>(*m.system(), texts_, options_.series));
  add_free_models();
  check_start();
  for (std::size_t i = 0; i < targets_.size(); ++i)
    for (const std::string& choice : study_.variables()[i].choices) {
      if (targets_[i].kind != Target::Method && targets_[i].kind != Target::Active) continue;
      try {
        if (targets_[i].kind == Target::Method) (void)method_from(choice);
        if (targets_[i].kind != Target::Active) continue;
        StartState active = options_.start;
        active.active = split_active(choice);
        (void)models_.front().start(active);
      } catch (const ModelError& error) {
        fail_variable(study_.variables()[i], error.message());
      }
    }
}

bool Sweep::suits_lanes() const {
  const bool plain = std::all_of(targets_.begin(), targets_.end(), [](const SweepTarget& t) {
    return t.kind == Target::Parameter || t.kind == Target::Coordinate || t.kind == Target::Speed ||
           t.kind == Target::Input;
  });
  return plain && !options_.start.active && !options_.simulation.control_period && options_.simulation.inputs.empty();
}

/// Stops of coordinates are watched from outside; those of closing joints are not coordinates.
void Sweep::add_free_models() {
  free_models_.resize(models_.size()), free_measures_.resize(models_.size());
  for (std::size_t i = 0; suits_lanes() && i < models_.size(); ++i) {
    const Model& m = models_[i];
    const bool watchable =
        std::all_of(m.mechanism().joints.begin(), m.mechanism().joints.end(), [](const Joint& joint) {
          return std::all_of(joint.motions.begin(), joint.motions.end(), [&](const ElementaryMotion& motion) {
            return !motion.law.limited() || (!joint.closing && motion.free && motion.coordinates.size() == 1);
          });
        });
    if (!m.equations().switched() || !m.mechanism().stops || !watchable || measures_[i]->needs_events()) continue;
    ModelOptions o = m.options();
    o.stops = false;
    try {
      Model free = m.with_options(o);
      if (free.equations().switched()) continue;
      free_measures_[i] = std::make_unique<MeasureSet>(*free.system(), texts_, options_.series);
      free_models_[i] = std::move(free);
    } catch (const ModelError&) {  // measures that name a stop: the runs follow it
      continue;
    }
  }
}

/// Mistakes that every case would repeat are found here: it must be possible to start some of the first, middle and last.
void Sweep::check_start() const {
  std::exception_ptr first;
  for (const std::uint64_t k : {std::uint64_t{0}, study_.count() - 1, study_.count() / 2}) {
    std::vector<double> values(targets_.size());
    study_.calc_values(k, values);
    StartState start = options_.start;
    SimulationOptions o = options_.simulation;
    set_case(values, start, o);
    try {
      const Start made = models_[model_of(values)].start(start);
      check_end(made.state.t);
      return;
    } catch (const LimitError&) {
      throw;
    } catch (const ModelError&) {
      if (!first) first = std::current_exception();
    }
  }
  std::rethrow_exception(first);
}

void Sweep::check_end(double begin) const {
  const double end = end_time(models_.front(), begin, options_.until);
  require(std::isfinite(end) && end >= begin, "a run must end after it begins, but it goes from {} to {}", begin, end);
  if (options_.series.empty() || end == begin) return;
  constexpr double kMostNumbers = 10'000'000;  // 80 MB per run
  const double numbers = (end - begin) / series_step(begin, end) * static_cast<double>(options_.series.size() + 1);
  if (numbers > kMostNumbers)
    throw LimitError(fmt::format("series of {:.3g} numbers for each run are too long; at most {:.0g} are kept", numbers,
                                 kMostNumbers));
}

SweepTarget Sweep::find_target(const StudyVariable& v, const Model& model) const {
  const EquationsOfMotion& e = model.equations();
  std::vector<std::string> parameters = model.system()->parameters(), inputs;
  for (const auto& input : model.mechanism().inputs) inputs.push_back(input.symbol.name());
  const auto q = names_of(e.q), u = names_of(e.u);
  const std::pair<const std::vector<std::string>&, Target> groups[] = {
      {parameters, Target::Parameter}, {q, Target::Coordinate}, {u, Target::Speed}, {inputs, Target::Input}};
  std::vector<std::string> known;
  for (const auto& [names, kind] : groups) {
    if (contains(names, v.name)) {
      if (!v.choices.empty())
        fail_variable(v, fmt::format("'{}' takes numbers, not the word '{}'", v.name, v.choices.front()));
      return {kind, v.name};
    }
    known.insert(known.end(), names.begin(), names.end());
  }
  for (const RunSetting& setting : kRunSettings) {
    known.emplace_back(setting.name);
    if (setting.name != v.name) continue;
    if (setting.words == v.choices.empty())
      fail_variable(v, fmt::format("'{}' takes {}", v.name, setting.words ? "words: {a, b}" : "numbers"));
    return {setting.kind, v.name};
  }
  std::string help = suggestion(v.name, known);
  constexpr std::size_t kMostNames = 20;
  if (help.empty() && known.size() <= kMostNames) help = fmt::format("; it has {}", fmt::join(known, ", "));
  fail_variable(
      v, fmt::format("'{}' has no parameter, coordinate, speed or input '{}' to vary{}", model.name(), v.name, help));
}

void Sweep::find_targets(const Model& model) {
  const auto units = symbol_units(model.mechanism());
  for (const StudyVariable& v : study_.variables()) {
    targets_.push_back(find_target(v, model));
    const auto unit = units.find(v.name);
    if (v.dimension && unit != units.end() && parse_unit(unit->second).dimension != *v.dimension)
      fail_variable(v, fmt::format("'{}' is varied in {}, but it is measured in {}", v.name, unit_words(*v.dimension),
                                   unit->second));
    const StartState& start = options_.start;
    for (const Values* given : {&start.q, &start.u, &start.parameters, &start.inputs})
      if (given->contains(v.name))
        fail_variable(v, fmt::format("'{}' is varied, and the state gives it a value as well", v.name));
  }
}

double Sweep::series_step(double begin, double end) const {
  constexpr double kIntervals = 100;
  return options_.series_step.value_or(options_.sample.value_or((end - begin) / kIntervals));
}

std::size_t Sweep::model_of(std::span<const double> values) const {
  for (std::size_t i = 0; i < targets_.size(); ++i)
    if (targets_[i].kind == Target::Formulation) return static_cast<std::size_t>(values[i]);
  return 0;
}

void Sweep::set_case(std::span<const double> values, StartState& start, SimulationOptions& options) const {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const SweepTarget& target = targets_[i];
    const auto& choices = study_.variables()[i].choices;
    switch (target.kind) {
      case Target::Parameter: start.parameters[target.name] = values[i]; break;
      case Target::Coordinate: start.q[target.name] = values[i]; break;
      case Target::Speed: start.u[target.name] = values[i]; break;
      case Target::Input: start.inputs[target.name] = values[i]; break;
      case Target::Formulation: break;
      case Target::Method: options.method = method_from(choices[static_cast<std::size_t>(values[i])]); break;
      case Target::Active: start.active = split_active(choices[static_cast<std::size_t>(values[i])]); break;
      case Target::Tolerance: options.tolerance = values[i]; break;
      case Target::Step: options.step = values[i]; break;
    }
  }
}

std::string Sweep::describe() const {
  std::string text = study_.describe();
  for (std::size_t i = 0; i < texts_.size(); ++i)
    text += fmt::format("measure {} = {}\n", measure_names()[i], texts_[i].text);
  for (std::size_t i = 0; i < options_.series.size(); ++i)
    text += fmt::format("series {} = {}\n", series_names()[i], options_.series[i].text);
  const SimulationOptions& o = options_.simulation;
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) text += fmt::format("{} {}\n", name, *value);
  };
  if (o.method) text += fmt::format("method {}\n", to_string(*o.method));
  add("tolerance", o.tolerance), add("absolute", o.absolute_tolerance), add("step", o.step),
      add("until", options_.until);
  add("series step", options_.series_step), add("sample", options_.sample), add("control period", o.control_period);
  if (std::isfinite(o.max_step)) text += fmt::format("longest step {}\n", o.max_step);
  if (models_.front().options().strict) text += "strict\n";
  const StartState& s = options_.start;
  add("t", s.t);
  for (const Values* values : {&s.q, &s.u, &s.parameters, &s.inputs, &s.guess})
    for (const auto& [name, value] : *values) text += fmt::format("{} {}\n", name, value);
  if (s.active) text += fmt::format("active {}\n", fmt::join(*s.active, " "));
  return text;
}

}  // namespace kane
