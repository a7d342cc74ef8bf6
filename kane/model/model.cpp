#include "kane/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kane/base/at.hpp"
#include "kane/base/contains.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/names.hpp"
#include "kane/mechanism/automatic_speeds.hpp"
#include "kane/mechanism/check_values.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/symbol_units.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/model/input_sources.hpp"
#include "kane/model/settings.hpp"
#include "kane/simulate/system/extra_kernels.hpp"
#include "kane/simulate/system/kernel_runner.hpp"

namespace kane {

struct Model::Data {
  Mechanism mechanism;
  ModelOptions options;
  InputSources inputs;
  std::vector<std::string> notes;
  std::shared_ptr<const CompiledSystem> system;
};

namespace {

/// Sampled laws of inputs that are not driven act at every instant.
void make_continuous(Mechanism& mechanism, const std::vector<std::string>& driven, std::vector<std::string>& notes) {
  for (const auto& sampling : mechanism.sampled_inputs)
    if (!contains(driven, sampling.input))
      notes.push_back(
          fmt::format("the law of '{}', sampled every {} s, acts continuously here", sampling.input, sampling.period));
  mechanism.sampled_inputs.clear();
}

std::vector<std::string> input_names(const Mechanism& mechanism) {
  std::vector<std::string> names;
  for (const auto& input : mechanism.inputs) names.push_back(input.symbol.name());
  return names;
}

void check_driven(const Mechanism& mechanism, const std::vector<std::string>& driven) {
  const auto known = input_names(mechanism);
  for (const auto& name : driven)
    if (!contains(known, name))
      throw ModelError(fmt::format("'{}' has no input '{}'{}", mechanism.name, name, suggestion(name, known)));
}

/// Initial values mean the rates of the joints. What constraints make of those that are not given must not depend on the
/// choice of speeds: the start is assembled in the rates, and handed over as a whole.
void carry_closed_start(const Mechanism& mechanism, Mechanism& chosen) {
  const bool closing = std::any_of(mechanism.joints.begin(), mechanism.joints.end(), [](auto& j) { return j.closing; });
  if (mechanism.constraints.empty() && !closing) return;
  Mechanism rates = copy_mechanism(mechanism);
  rates.automatic_speeds = false;
  rates.speeds.clear();
  ModelOptions lean;
  lean.reports = false;
  const Model model(copy_mechanism(rates), lean);
  Start start = model.start({});
  const auto evaluator = model.make_evaluator(start);
  if (!assemble(*evaluator, start.state, start.given).ok) return;  // the run will say what is wrong
  const EquationsOfMotion& e = model.equations();
  for (std::size_t i = 0; i < e.q.size(); ++i) rates.initial[e.q[i].name()] = start.state.q[i];
  for (std::size_t i = 0; i < e.u.size(); ++i) rates.initial[e.u[i].name()] = start.state.u[i];
  translate_initial(rates, chosen, true);
}

/// Speeds beyond which the mass matrix of a tree is computed column by column rather than compiled: a chain of 500 links has
/// 125,000 entries, and takes twice as long to start with them.
constexpr std::size_t kLargestMassMatrix = 120;
/// The same for models that are asked for little.
constexpr std::size_t kLargestBriefMassMatrix = 12;

}  // namespace

Model::Model(Mechanism mechanism, ModelOptions options) {
  std::vector<std::string> notes;
  apply_settings(mechanism, options.set);
  apply_guesses(mechanism, options.guess);
  options.set.clear(), options.guess.clear();
  mechanism.stops = mechanism.stops && options.stops;
  mechanism.motor_limits = mechanism.motor_limits && options.motor_limits;
  if (mechanism.automatic_speeds) {
    AutomaticSpeeds automatic = choose_speeds(mechanism);
    notes.push_back(automatic.summary());
    if (!automatic.choices.empty()) carry_closed_start(mechanism, automatic.mechanism);
    mechanism = std::move(automatic.mechanism);
  }
  check_driven(mechanism, options.driven);
  if (options.sampled_laws == SampledLaws::Continuous) make_continuous(mechanism, options.driven, notes);
  for (const FmuController& fmu : mechanism.fmus)
    for (const auto& [input, output] : fmu.outputs)
      if (!options.allow_fmu && !contains(options.driven, input))
        notes.push_back(
            fmt::format("input '{}', which the FMU '{}' drives, has its start value here", input, fmu.given));
  FormOptions form;
  form.formulation = options.formulation;
  form.largest_mass_matrix = options.brief ? kLargestBriefMassMatrix : kLargestMassMatrix;
  EquationsOfMotion equations = form_equations(mechanism, form);
  compile(std::move(mechanism), std::move(equations), std::move(options), std::move(notes));
}

Model::Model(Mechanism mechanism, EquationsOfMotion equations, ModelOptions options) {
  check_driven(mechanism, options.driven);
  compile(std::move(mechanism), std::move(equations), std::move(options), {});
}

void Model::compile(Mechanism mechanism, EquationsOfMotion equations, ModelOptions options,
                    std::vector<std::string> notes) {
  InputSources inputs = model_input_sources(mechanism, options.driven);
  CompileOptions compile;
  compile.strict = options.strict;
  compile.use_interpreter = options.interpreter;
  compile.reports = options.reports;
  compile.brief_reports = options.brief;
  compile.free_rows = options.free_rows;
  compile.functions = table_functions(mechanism);
  compile.driven_inputs = options.driven;
  compile.driven_inputs.insert(compile.driven_inputs.end(), inputs.driven.begin(), inputs.driven.end());
  auto system = std::make_shared<const CompiledSystem>(std::move(equations), compile);
  data_ = std::make_shared<const Data>(
      Data{std::move(mechanism), std::move(options), std::move(inputs), std::move(notes), std::move(system)});
}

const std::string& Model::name() const { return data_->mechanism.name; }
const Mechanism& Model::mechanism() const { return data_->mechanism; }
const ModelOptions& Model::options() const { return data_->options; }
const std::shared_ptr<const CompiledSystem>& Model::system() const { return data_->system; }
const std::vector<InputSource>& Model::input_sources() const { return data_->inputs.sources; }
const std::vector<std::string>& Model::notes() const { return data_->notes; }

Model Model::with_options(ModelOptions options) const {
  return Model(copy_mechanism(data_->mechanism), std::move(options));
}

Model Model::driving(const std::vector<std::string>& inputs) const {
  ModelOptions options = data_->options;
  for (const auto& name : inputs)
    if (!contains(options.driven, name)) options.driven.push_back(name);
  // An input that is a constant of the model can be given without deriving anything again.
  const auto fed = [&](const std::string& name) {
    return contains(data_->options.driven, name) ||
           (contains(data_->system->inputs(), name) && !contains(data_->inputs.driven, name));
  };
  if (std::all_of(inputs.begin(), inputs.end(), fed)) return *this;
  check_driven(data_->mechanism, options.driven);
  return with_options(std::move(options));
}

Model Model::driving(const StartState& start) const {
  std::vector<std::string> names;
  for (const auto& [name, value] : start.inputs) names.push_back(name);
  const auto known = input_names(data_->mechanism);
  for (const auto& name : names)
    if (!contains(known, name))
      throw ModelError(fmt::format("{}: 'inputs' has no '{}'{}", start.label, name, suggestion(name, known)));
  return driving(names);
}

// ---- completing a state ---------------------------------------------------------------------------------------------------

namespace {

class StartBuilder {
 public:
  StartBuilder(const StartState& state, const Mechanism& mechanism, const CompiledSystem& system)
      : state_(state), mechanism_(mechanism), system_(system), equations_(system.equations()) {}

  Start build(const std::vector<InputSource>& sources) {
    set_time();
    set_parameters();
    set_initial(equations_.q, start_.state.q);
    set_initial(equations_.u, start_.state.u);
    complete_quaternions();
    check_guesses();
    for (auto [symbols, values] : {std::pair{&equations_.q, &start_.state.q}, {&equations_.u, &start_.state.u}})
      set_guesses(*symbols, *values);
    set_named("q", state_.q, equations_.q, start_.state.q);
    set_named("u", state_.u, equations_.u, start_.state.u);
    const auto& initial = mechanism_.initial;
    const auto& insisted = mechanism_.insisted;
    GivenValues& g = start_.given;
    g.q = named(equations_.q, state_.q, initial), g.u = named(equations_.u, state_.u, initial);
    g.insisted_q = named(equations_.q, state_.q, insisted), g.insisted_u = named(equations_.u, state_.u, insisted);
    hold_modes(g);
    set_active();
    set_inputs(sources);
    return std::move(start_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw ModelError(state_.label + ": " + message); }

  /// Loops close by turning joints, not by bending bodies: modes start undeformed and at rest, unless a guess is given.
  void hold_modes(GivenValues& g) const {
    const auto hold = [&](const std::vector<Expr>& modes, const std::vector<Expr>& all, std::vector<bool>& given) {
      for (const Expr& mode : modes) {
        const std::string name = mode.name();
        if (mechanism_.guess.contains(name) || state_.guess.contains(name)) continue;
        for (std::size_t i = 0; i < all.size(); ++i)
          if (all[i].name() == name) given[i] = true;
      }
    };
    for (const MechanismBody& body : mechanism_.bodies) {
      if (!body.flexible) continue;
      hold(body.flexible->coordinates, equations_.q, g.q);
      hold(body.flexible->speeds, equations_.u, g.u);
    }
  }

  void set_time() {
    const auto initial = mechanism_.initial.find(equations_.t.name());
    if (state_.t)
      start_.state.t = *state_.t;
    else if (initial != mechanism_.initial.end())
      start_.state.t = initial->second;
    else
      start_.state.t = mechanism_.simulation.from.value_or(0.0);
    if (!std::isfinite(start_.state.t)) fail("the time is not a finite number");
  }

  void set_parameters() {
    const auto names = system_.parameters();
    for (const auto& [name, value] : state_.parameters) check_name("parameters", name, value, names);
    start_.parameters = state_.parameters;
    const auto numbers = system_.calc_parameters(start_.parameters);
    for (std::size_t i = 0; i < names.size(); ++i) parameters_[names[i]] = numbers[i];
    if (!state_.parameters.empty()) (void)check_values(mechanism_, state_.parameters);
  }

  void check_name(const char* group, const std::string& name, double value,
                  const std::vector<std::string>& known) const {
    if (!contains(known, name)) fail(fmt::format("'{}' has no '{}'{}", group, name, suggestion(name, known)));
    if (!std::isfinite(value)) fail(fmt::format("the value of '{}' is not a finite number", name));
    const auto given = state_.dimensions.find(name);
    if (given == state_.dimensions.end()) return;
    const auto units = symbol_units(mechanism_);
    const auto unit = units.find(name);
    if (unit != units.end() && parse_unit(unit->second).dimension != given->second)
      fail(fmt::format("the value of '{}' is in {}, but '{}' is measured in {}", name, unit_words(given->second), name,
                       unit->second));
  }

  /// Initial values that are written with parameters and inputs follow those of the state.
  void set_initial(const std::vector<Expr>& symbols, std::vector<double>& to) const {
    const bool renew = !(state_.parameters.empty() && state_.inputs.empty()) && !mechanism_.initial_laws.empty();
    const FunctionTable functions = renew ? table_functions(mechanism_) : FunctionTable{};
    Values values = parameters_;
    if (renew) {
      for (const auto& [name, value] : state_.inputs) values.emplace(name, value);
      add_constant_inputs(mechanism_, values);
    }
    for (const Expr& symbol : symbols) {
      const auto law = mechanism_.initial_laws.find(symbol.name());
      if (renew && law != mechanism_.initial_laws.end())
        to.push_back(evaluate(law->second, values, functions));
      else
        to.push_back(mechanism_.start_value(symbol.name()));
    }
  }

  void complete_quaternions() {
    for (const int first : equations_.quaternions) {
      double* const e = &start_.state.q[at(first)];
      if (e[0] == 0 && e[1] == 0 && e[2] == 0 && e[3] == 0) e[3] = 1;  // no rotation
    }
  }

  void set_named(const char* group, const Values& values, const std::vector<Expr>& symbols,
                 std::vector<double>& to) const {
    const auto names = names_of(symbols);
    for (const auto& [name, value] : values) {
      check_name(group, name, value, names);
      to[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())] = value;
    }
  }

  void check_guesses() const {
    auto names = names_of(equations_.q);
    for (const Expr& u : equations_.u) names.push_back(u.name());
    for (const auto& [name, value] : state_.guess) {
      check_name("guess", name, value, names);
      if (state_.q.contains(name) || state_.u.contains(name))
        fail(fmt::format("'{}' is given and guessed; a value that is given is held and needs no guess", name));
    }
  }

  void set_guesses(const std::vector<Expr>& symbols, std::vector<double>& to) const {
    for (std::size_t i = 0; i < symbols.size(); ++i)
      if (const auto guess = state_.guess.find(symbols[i].name()); guess != state_.guess.end()) to[i] = guess->second;
  }

  /// Flags of the symbols that the state or the model gives; a guess of the state overrides the model.
  template <class Names>
  [[nodiscard]] std::vector<bool> named(const std::vector<Expr>& symbols, const Values& state,
                                        const Names& model) const {
    std::vector<bool> r;
    for (const Expr& s : symbols)
      r.push_back(state.contains(s.name()) || (model.contains(s.name()) && !state_.guess.contains(s.name())));
    return r;
  }

  void activate(const std::vector<std::string>& names) {
    const auto& constraints = equations_.constraints;
    for (std::size_t i = 0; i < constraints.size(); ++i)
      start_.active[i] = contains(names, constraints[i].group) || contains(names, constraints[i].name);
  }

  void set_active() {
    const auto& constraints = equations_.constraints;
    for (const auto& c : constraints) start_.active.push_back(c.active);
    if (!state_.active) {
      for (const auto& mode : equations_.modes)
        if (mode.name == equations_.initial_mode) activate(mode.active);
      return;
    }
    std::vector<std::string> known;
    for (const auto& c : constraints) known.push_back(c.group), known.push_back(c.name);
    for (const auto& name : *state_.active)
      if (!contains(known, name)) fail(fmt::format("there is no constraint '{}'{}", name, suggestion(name, known)));
    start_.active_given = true;
    activate(*state_.active);
  }

  /// Inputs at the first instant of a run: series at their values there, controllers after their first sample.
  void set_inputs(const std::vector<InputSource>& sources) {
    start_.inputs = system_.default_inputs();
    const auto& names = system_.inputs();
    for (const auto& [name, value] : state_.inputs) {
      check_name("inputs", name, value, names);
      start_.inputs[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())] = value;
    }
    if (sources.empty()) return;
    RunContext context;
    const bool sampled = std::any_of(sources.begin(), sources.end(),
                                     [](const InputSource& s) { return std::holds_alternative<SampledInput>(s); });
    const Kernel* const kernel = sampled ? system_.extra().laws() : nullptr;
    context.parameters = system_.calc_parameters(start_.parameters);
    context.inputs = start_.inputs;
    context.inputs.push_back(start_.state.t);
    KernelRunner laws(kernel, context);
    InputSchedule schedule(names, start_.inputs, sources,
                           [&](const State& s, std::span<const double> inputs, std::span<double> values) {
                             std::ranges::copy(inputs, context.inputs.begin());
                             context.inputs.back() = s.t;
                             ++context.input_changes;
                             std::ranges::copy(laws.run(s.q, s.u), values.begin());
                           });
    schedule.start(start_.state);
    std::ranges::copy(schedule.calc(start_.state.t), start_.inputs.begin());
  }

  const StartState& state_;
  const Mechanism& mechanism_;
  const CompiledSystem& system_;
  const EquationsOfMotion& equations_;
  Values parameters_;
  Start start_;
};

}  // namespace

Start Model::start(const StartState& state) const {
  return StartBuilder(state, data_->mechanism, *data_->system).build(data_->inputs.sources);
}

Values Model::parameters(const Start& start) const {
  const auto names = data_->system->parameters();
  const auto numbers = data_->system->calc_parameters(start.parameters);
  Values values;
  for (std::size_t i = 0; i < names.size(); ++i) values[names[i]] = numbers[i];
  return values;
}

std::unique_ptr<SystemEvaluator> Model::make_evaluator(const Start& start) const {
  auto evaluator = std::make_unique<SystemEvaluator>(data_->system);
  set_evaluator(*evaluator, start);
  return evaluator;
}

void set_evaluator(SystemEvaluator& evaluator, const Start& start) {
  evaluator.set_parameters(evaluator.system().calc_parameters(start.parameters));
  evaluator.set_inputs(start.inputs, start.state.t);
  evaluator.set_active(start.active);
}

AssemblyReport assemble_start(SystemEvaluator& evaluator, Start& start) {
  AssemblyReport report = assemble(evaluator, start.state, start.given);
  require(report.ok, "{}", report.message);
  return report;
}

}  // namespace kane
