#include "apps/kane/root_locus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/kane/analysis_model.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/trajectory_file.hpp"
#include "kane/analysis/equilibrium.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

class RootLocus {
 public:
  explicit RootLocus(const RootLocusOptions& options) : options_(options), model_(options.source, options.state) {
    const auto [name, range] = split_assignment(options.sweep, "--sweep");
    name_ = name, values_ = parse_range(range, "--sweep");
    const EquationsOfMotion& e = model_.equations();
    for (const auto* symbols : {&e.q, &e.u})
      for (const auto& s : *symbols) state_names_.push_back(s.name());
    parameters_ = model_.system()->parameters();
    for (const auto& text : options.at) add_setting(split_assignment(text, "--at"));
    check_sweep();
    for (const auto& s : settings_) held_.push_back(state_names_[s.place]);
    if (const auto k = find_state(name_)) held_.push_back(state_names_[*k]);
    linearizer_.emplace(model_.evaluator(), LinearModelOptions{.outputs = {}, .only = options.only});
    if (options.equilibrium || options.steady) {
      EquilibriumOptions equilibrium;
      equilibrium.steady = options.steady, equilibrium.held = held_;
      finder_.emplace(model_.evaluator(), equilibrium);
    }
  }

  void run() {
    State from = model_.start();
    for (const double value : values_) {
      const State state = state_at(value, from);
      const ModeReport modes = calc_modes(linearizer_->calc(state).a);
      if (!order_.empty() && order_.size() != modes.eigenvalues.size())
        throw RunFailed(fmt::format("the number of states changes at {} = {:.9g}", name_, value));
      order_ = continue_branches(modes.eigenvalues);
      rows_.push_back(order_), verdicts_.push_back(modes);
      if (finder_) from = state;
    }
    if (!options_.out.empty()) write();
    print();
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

  void add_setting(const NamedText& setting) {
    const auto place = find_state(setting.name);
    if (!place)
      throw ModelError(fmt::format("--at: there is no coordinate or speed '{}'{}", setting.name,
                                   suggestion(setting.name, state_names_)));
    ParseOptions options;
    options.where.file = "--at " + setting.name;
    options.known_names = parameters_;
    options.known_names.push_back(name_);
    Graph& graph = *model_.equations().graph;
    options.resolve = [&](std::string_view name) -> std::optional<Expr> {
      if (std::find(options.known_names.begin(), options.known_names.end(), name) == options.known_names.end())
        return std::nullopt;
      return graph.symbol(name);
    };
    settings_.push_back({*place, parse(graph, setting.text, options)});
  }

  void check_sweep() const {
    if (std::find(parameters_.begin(), parameters_.end(), name_) != parameters_.end() || find_state(name_)) return;
    const bool used = std::any_of(settings_.begin(), settings_.end(), [&](const Setting& s) {
      return depends_on(s.value, model_.equations().graph->symbol(name_));
    });
    if (used) return;
    std::vector<std::string> known = parameters_;
    known.insert(known.end(), state_names_.begin(), state_names_.end());
    throw ModelError(
        fmt::format("--sweep: '{}' is not a parameter, coordinate or speed of the model, and no --at uses it{}", name_,
                    suggestion(name_, known)));
  }

  /// Parameters set, the state assembled with the values of --at held, and brought to equilibrium if requested.
  State state_at(double value, State state) {
    SystemEvaluator& evaluator = model_.evaluator();
    Values given = model_.situation().parameters;
    if (std::find(parameters_.begin(), parameters_.end(), name_) != parameters_.end()) given[name_] = value;
    const auto numbers = model_.system()->calc_parameters(given);
    evaluator.set_parameters(numbers);
    Values values;
    for (std::size_t i = 0; i < numbers.size(); ++i) values[parameters_[i]] = numbers[i];
    values[name_] = value;
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
    if (const auto k = find_state(name_)) set(*k, value);
    if (settings_.empty() && !find_state(name_)) held = model_.given();
    const AssemblyReport assembly = assemble(evaluator, state, held);
    require(assembly.ok, "at {} = {:.9g}: {}", name_, value, assembly.message);
    if (!finder_) return state;
    const EquilibriumReport report = finder_->find(state);
    if (!report.ok()) throw RunFailed(fmt::format("at {} = {:.9g}: {}", name_, value, report.message));
    return report.found.front().state;
  }

  /// The eigenvalues in the order of the branches so far: each goes to the nearest.
  [[nodiscard]] std::vector<std::complex<double>> continue_branches(std::vector<std::complex<double>> next) const {
    if (order_.empty()) return next;
    std::vector<std::complex<double>> r(order_.size());
    std::vector<bool> placed(order_.size(), false);
    for (std::size_t n = 0; n < order_.size(); ++n) {
      double best = std::numeric_limits<double>::infinity();
      std::size_t branch = 0, value = 0;
      for (std::size_t i = 0; i < order_.size(); ++i)
        for (std::size_t k = 0; k < next.size() && !placed[i]; ++k)
          if (const double d = std::abs(next[k] - order_[i]); d < best) best = d, branch = i, value = k;
      r[branch] = next[value], placed[branch] = true;
      next.erase(next.begin() + static_cast<std::ptrdiff_t>(value));
    }
    return r;
  }

  void write() const {
    std::vector<std::string> names{name_};
    for (std::size_t k = 0; k < order_.size(); ++k)
      names.push_back(fmt::format("re{}", k + 1)), names.push_back(fmt::format("im{}", k + 1));
    TrajectoryFile file(options_.out, names);
    std::vector<double> row;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      row.assign(1, values_[i]);
      for (const auto& s : rows_[i]) row.push_back(s.real()), row.push_back(s.imag());
      file.write(row);
    }
    file.finish();
  }

  void print() const {
    if (options_.json) {
      Json a;
      a["model"] = model_.equations().name, a["parameter"] = name_, a["values"] = values_;
      for (const auto& row : rows_) {
        Json list = Json::array();
        for (const auto& s : row) list.push_back({s.real(), s.imag()});
        a["eigenvalues"].push_back(list);
      }
      for (const auto& m : verdicts_) a["growing"].push_back(m.growing);
      fmt::print("{}\n", a.dump());
      return;
    }
    if (options_.out == "-") return;
    fmt::print("{}: eigenvalues over {}\n\n  {:>10}", model_.equations().name, name_, name_);
    for (std::size_t k = 0; k < order_.size(); ++k) fmt::print(" {:>25}", fmt::format("branch {}", k + 1));
    fmt::print("  growing\n");
    for (std::size_t i = 0; i < values_.size(); ++i) {
      fmt::print("  {:>10.6g}", values_[i]);
      for (const auto& s : rows_[i]) {
        const bool real = std::abs(s.imag()) <= verdicts_[i].tolerance;
        const double re = std::abs(s.real()) <= verdicts_[i].tolerance ? 0.0 : s.real();
        fmt::print(" {:>25}", real ? fmt::format("{:.8f}", re) : fmt::format("{:.8f}{:+.8f}i", re, s.imag()));
      }
      fmt::print("  {:>7}\n", verdicts_[i].growing);
    }
    for (std::size_t i = 1; i < values_.size(); ++i)
      if ((verdicts_[i].growing > 0) != (verdicts_[i - 1].growing > 0))
        fmt::print("  becomes {} between {} = {:.6g} and {:.6g}\n", verdicts_[i].growing > 0 ? "unstable" : "stable",
                   name_, values_[i - 1], values_[i]);
  }

  const RootLocusOptions& options_;
  AnalysisModel model_;
  std::string name_;
  std::vector<double> values_;
  std::vector<std::string> state_names_, parameters_, held_;
  std::vector<Setting> settings_;
  std::optional<Linearizer> linearizer_;
  std::optional<EquilibriumFinder> finder_;
  std::vector<std::complex<double>> order_;
  std::vector<std::vector<std::complex<double>>> rows_;
  std::vector<ModeReport> verdicts_;
};

}  // namespace

void run_root_locus(const RootLocusOptions& options) { RootLocus(options).run(); }

}  // namespace kane
