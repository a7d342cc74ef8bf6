#include "kane/analysis/root_locus.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kane/analysis/equilibrium.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/names.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

void RootLocusOptions::check() const {
  constexpr std::size_t kMostValues = 1'000'001;
  require(!name.empty(), "a sweep needs a name to sweep");
  require(!values.empty() && values.size() <= kMostValues, "a sweep has between 1 and {} values, not {}", kMostValues,
          values.size());
  require(all_finite(values), "a value of the sweep of '{}' is not a finite number", name);
}

namespace {

using Eigenvalues = std::vector<std::complex<double>>;

/// The eigenvalues in the order of the branches so far: each goes to the nearest.
Eigenvalues continue_branches(const Eigenvalues& before, Eigenvalues next) {
  if (before.empty()) return next;
  Eigenvalues r(before.size());
  std::vector<bool> placed(before.size(), false);
  for (std::size_t n = 0; n < before.size(); ++n) {
    double best = std::numeric_limits<double>::infinity();
    std::size_t branch = 0, value = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
      for (std::size_t k = 0; k < next.size() && !placed[i]; ++k)
        if (const double d = std::abs(next[k] - before[i]); d < best) best = d, branch = i, value = k;
    r[branch] = next[value], placed[branch] = true;
    next.erase(next.begin() + static_cast<std::ptrdiff_t>(value));
  }
  return r;
}

class RootLocusFinder {
 public:
  RootLocusFinder(const Model& model, const StartState& start, const RootLocusOptions& options)
      : options_(options),
        point_(model, start, {StatePlace::AsGiven, options.open_loop, {}}),
        system_(*point_.model().system()) {
    const EquationsOfMotion& e = system_.equations();
    state_names_ = names_of(e.q);
    for (const auto& u : e.u) state_names_.push_back(u.name());
    parameters_ = system_.parameters();
    for (const auto& value : options.at) add_setting(value);
    check_name();
    linearizer_.emplace(point_.evaluator(), LinearModelOptions{.outputs = {}, .only = options.only});
    if (!options.equilibrium && !options.steady) return;
    EquilibriumOptions search;
    search.steady = options.steady;
    for (const auto& s : settings_) search.held.push_back(state_names_[s.place]);
    if (const auto k = find_state(options.name)) search.held.push_back(state_names_[*k]);
    finder_.emplace(point_.closed_evaluator(), search);
  }

  RootLocus run() {
    RootLocus r;
    r.name = options_.name, r.summary = point_.summary();
    State from = point_.state();
    bool warned = false;
    for (const double value : options_.values) {
      if (options_.on_value) options_.on_value();
      const std::optional<State> state = state_at(value, from, r.failure);
      if (!state) break;
      point_.move_to(*state);
      const LinearModel linear = linearizer_->calc(*state);
      ModeReport modes = calc_modes(linear.a);
      if (!r.eigenvalues.empty() && r.eigenvalues.back().size() != modes.eigenvalues.size()) {
        r.failure = fmt::format("the number of states changes at {} = {:.9g}", options_.name, value);
        break;
      }
      if (!finder_ && !warned) warned = warn_of_motion(linear, value, r.summary.warnings);
      r.values.push_back(value);
      r.eigenvalues.push_back(
          continue_branches(r.eigenvalues.empty() ? Eigenvalues{} : r.eigenvalues.back(), modes.eigenvalues));
      r.modes.push_back(std::move(modes));
      if (finder_) from = *state;
    }
    return r;
  }

 private:
  struct Setting {
    std::size_t place;  ///< in (q, u)
    Expr value;
  };

  [[nodiscard]] std::optional<std::size_t> find_state(const std::string& name) const {
    const auto at = std::find(state_names_.begin(), state_names_.end(), name);
    return at == state_names_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - state_names_.begin()));
  }

  [[nodiscard]] bool is_parameter(const std::string& name) const {
    return std::find(parameters_.begin(), parameters_.end(), name) != parameters_.end();
  }

  void add_setting(const SweptValue& setting) {
    const auto place = find_state(setting.name);
    if (!place)
      throw ModelError(
          fmt::format("there is no coordinate or speed '{}'{}", setting.name, suggestion(setting.name, state_names_)));
    ParseOptions options;
    options.where.file = fmt::format("the value of '{}'", setting.name);
    options.known_names = parameters_;
    options.known_names.push_back(options_.name);
    options.resolve = [&](std::string_view name) -> std::optional<Expr> {
      if (std::find(options.known_names.begin(), options.known_names.end(), name) == options.known_names.end())
        return std::nullopt;
      return graph_.symbol(name);
    };
    settings_.push_back({*place, parse(graph_, setting.expression, options)});
  }

  void check_name() {
    const std::string& name = options_.name;
    if (is_parameter(name) || find_state(name)) return;
    const bool used = std::any_of(settings_.begin(), settings_.end(),
                                  [&](const Setting& s) { return depends_on(s.value, graph_.symbol(name)); });
    if (used) return;
    std::vector<std::string> known = parameters_;
    known.insert(known.end(), state_names_.begin(), state_names_.end());
    throw ModelError(fmt::format(
        "'{}' cannot be swept: it is not a parameter, coordinate or speed of the model, and no value at each step is "
        "written with it{}",
        name, suggestion(name, known)));
  }

  /// Parameters set, the state assembled with the given values held, and brought to equilibrium if that is requested.
  std::optional<State> state_at(double value, State state, std::string& failure) {
    const std::string& name = options_.name;
    Values given = point_.start().parameters;
    if (is_parameter(name)) given[name] = value;
    const auto numbers = system_.calc_parameters(given);
    point_.set_parameters(numbers);
    Values values;
    for (std::size_t i = 0; i < numbers.size(); ++i) values[parameters_[i]] = numbers[i];
    values[name] = value;
    const std::size_t nq = state.q.size();
    GivenValues held{std::vector<bool>(nq, false), std::vector<bool>(state.u.size(), false)};
    const auto set = [&](std::size_t place, double x) {
      (place < nq ? state.q[place] : state.u[place - nq]) = x;
      if (place < nq)
        held.q[place] = true;
      else
        held.u[place - nq] = true;
    };
    for (const auto& s : settings_) set(s.place, evaluate(s.value, values));
    if (const auto k = find_state(name)) set(*k, value);
    held.insisted_q = held.q, held.insisted_u = held.u;
    if (settings_.empty() && !find_state(name)) held = point_.start().given;
    const AssemblyReport assembly = assemble(point_.closed_evaluator(), state, held);
    require(assembly.ok, "at {} = {:.9g}: {}", name, value, assembly.message);
    if (!finder_) return state;
    EquilibriumReport report = finder_->find(state);
    if (report.ok()) return std::move(report.found.front().state);
    failure = fmt::format("at {} = {:.9g}: {}", name, value, report.message);
    return std::nullopt;
  }

  /// True if there is something to warn of.
  bool warn_of_motion(const LinearModel& linear, double value, std::vector<std::string>& warnings) {
    const std::size_t before = warnings.size();
    const std::vector<std::string> coordinates(linear.states.begin(),
                                               linear.states.begin() + static_cast<std::ptrdiff_t>(linear.coordinates));
    OperatingPoint::warn_of_motion(point_.calc_largest_rate(coordinates, false), false, linear.a, warnings);
    if (warnings.size() == before) return false;
    warnings.back() = fmt::format("at {} = {:.9g}: {}", options_.name, value, warnings.back());
    return true;
  }

  const RootLocusOptions& options_;
  OperatingPoint point_;
  const CompiledSystem& system_;
  Graph graph_;  ///< of the settings
  std::vector<std::string> state_names_, parameters_;
  std::vector<Setting> settings_;
  std::optional<Linearizer> linearizer_;
  std::optional<EquilibriumFinder> finder_;
};

}  // namespace

RootLocus find_root_locus(const Model& model, const StartState& start, const RootLocusOptions& options) {
  options.check();
  return RootLocusFinder(model, start, options).run();
}

}  // namespace kane
