#include "kane/simulate/compiled_system.hpp"

#include <algorithm>

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/program/lower.hpp"

namespace kane {

/// std::function values behind the plain callbacks of kernels. Addresses must not change.
struct CompiledSystem::Functions {
  struct Entry {
    std::function<double(std::span<const double>)> value;
    std::size_t arity;
  };
  std::vector<std::unique_ptr<Entry>> entries;
  std::vector<NamedFunction> named;

  void add(const std::string& name, int arity, const std::function<double(std::span<const double>)>& value) {
    entries.push_back(std::make_unique<Entry>(Entry{value, static_cast<std::size_t>(arity)}));
    named.push_back({name,
                     arity,
                     {[](const double* arguments, void* context) {
                        const auto* entry = static_cast<const Entry*>(context);
                        return entry->value({arguments, entry->arity});
                      },
                      entries.back().get()}});
  }
};

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> names_of(const std::vector<Expr>& symbols) {
  std::vector<std::string> names;
  for (const auto& s : symbols) names.push_back(s.name());
  return names;
}

/// Collects the outputs of one kernel and compiles them.
class KernelMaker {
 public:
  KernelMaker(const EquationsOfMotion& e, const Substitution& laws, const std::vector<std::string>& inputs,
              const CompileOptions& options, const std::vector<NamedFunction>& functions)
      : equations_(e), laws_(laws), options_(options), functions_(functions) {
    for (const auto& p : e.parameters) names_.parameters.push_back(p.symbol.name());
    names_.inputs = inputs;
    names_.inputs.push_back(e.t.name());
    names_.state = names_of(e.q);
    for (const auto& u : e.u) names_.state.push_back(u.name());
  }

  /// udot, and lambda, as further arguments.
  void add_accelerations() {
    for (const auto& s : equations_.udot) names_.state.push_back(s.name());
  }
  void add_multipliers() {
    for (const auto& c : equations_.constraints) names_.state.push_back(c.multiplier.name());
  }

  void add(const Expr& e) { outputs_.push_back(e); }
  template <class Range>
  void add_all(const Range& range) {
    for (const auto& e : range) add(e);
  }
  void add_all(const Expr33& m) {
    for (const auto& row : m) add_all(row);
  }
  [[nodiscard]] std::size_t size() const { return outputs_.size(); }

  Kernel make(const std::string& name, bool& uses_time) {
    const auto values = substitute(outputs_, laws_);
    std::vector<NamedExpr> named;
    for (std::size_t i = 0; i < values.size(); ++i) named.push_back({fmt::format("y{}", i), values[i]});
    const auto symbols = symbols_of(values);
    uses_time = uses_time || std::any_of(symbols.begin(), symbols.end(),
                                         [&](const Expr& s) { return s.name() == equations_.t.name(); });
    LowerOptions lowering;
    lowering.strict = options_.strict;
    Program program = lower(name, named, names_, lowering);
    return compile_kernel(std::move(program), {.functions = functions_, .use_interpreter = options_.use_interpreter});
  }

 private:
  const EquationsOfMotion& equations_;
  const Substitution& laws_;
  const CompileOptions& options_;
  const std::vector<NamedFunction>& functions_;
  ProgramInputs names_;
  std::vector<Expr> outputs_;
};

/// Inputs whose default is a number are given from outside; the others are laws of the model, which may use one another.
Substitution collect_laws(const EquationsOfMotion& e, const CompileOptions& options, std::vector<std::string>& inputs,
                          std::vector<double>& defaults) {
  Substitution laws;
  std::vector<SymbolWithDefault> lawful;
  for (const auto& input : e.inputs) {
    const bool driven = contains(options.driven_inputs, input.symbol.name());
    if (driven || symbols_of({&input.value, 1}).empty()) {
      inputs.push_back(input.symbol.name());
      defaults.push_back(driven && !symbols_of({&input.value, 1}).empty() ? 0.0 : evaluate(input.value, {}));
    } else {
      lawful.push_back(input);
    }
  }
  // A law may use inputs defined by laws before or after it; each round resolves one level.
  for (std::size_t round = 0; round <= lawful.size(); ++round) {
    bool changed = false;
    for (auto& law : lawful) {
      Substitution once;
      for (const auto& other : lawful) once.set(other.symbol, other.value);
      const Expr next = substitute(law.value, once);
      changed = changed || !(next == law.value);
      law.value = next;
    }
    if (!changed) break;
    require(round < lawful.size(), "the laws of the inputs of '{}' refer to each other in a circle", e.name);
  }
  for (const auto& law : lawful) laws.set(law.symbol, law.value);
  return laws;
}

std::vector<ReportItem> add_reports(const EquationsOfMotion& e, KernelMaker& maker) {
  std::vector<ReportItem> items;
  const auto item = [&](ReportItem::Kind kind, const std::string& name, auto&& add) {
    const std::size_t first = maker.size();
    add();
    items.push_back({kind, name, first, maker.size() - first});
  };
  using Kind = ReportItem::Kind;
  item(Kind::Kinetic, "kinetic", [&] { maker.add(e.kinetic); });
  if (e.potential) item(Kind::Potential, "potential", [&] { maker.add(*e.potential); });
  item(Kind::Momentum, "momentum", [&] { maker.add_all(e.linear_momentum), maker.add_all(e.angular_momentum); });
  for (const auto& p : e.points)
    item(Kind::Point, p.name,
         [&] { maker.add_all(p.position), maker.add_all(p.velocity), maker.add_all(p.acceleration); });
  for (const auto& b : e.bodies)
    item(Kind::Body, b.name,
         [&] { maker.add_all(b.rotation), maker.add_all(b.angular_velocity), maker.add_all(b.angular_acceleration); });
  for (const auto& r : e.reactions)
    item(Kind::Reaction, r.name, [&] { maker.add_all(r.force), maker.add_all(r.torque); });
  for (const auto& f : e.auxiliary_forces) item(Kind::Auxiliary, f.name, [&] { maker.add(f.value); });
  for (const auto& o : e.outputs) item(Kind::Output, o.name, [&] { maker.add(o.value); });
  return items;
}

}  // namespace

CompiledSystem::CompiledSystem(EquationsOfMotion equations, const CompileOptions& options)
    : equations_(std::move(equations)), functions_(std::make_unique<Functions>()) {
  const EquationsOfMotion& e = equations_;
  for (const auto& [name, value] : options.functions)
    if (e.graph->has_function(name)) functions_->add(name, e.graph->function_arity(name), value);
  const Substitution laws = collect_laws(e, options, inputs_, default_inputs_);
  const auto maker = [&] { return KernelMaker(e, laws, inputs_, options, functions_->named); };

  if (!e.udot_explicit.empty()) {
    auto m = maker();
    m.add_all(e.qdot), m.add_all(e.udot_explicit);
    motion_ = m.make(e.name + ".motion", uses_time_);
  }
  if (e.M.rows > 0 || e.u.empty()) {
    auto m = maker();
    m.add_all(e.qdot), m.add_all(e.rhs);
    for (int i = 0; i < e.M.rows; ++i)
      for (int j = 0; j <= i; ++j) m.add(e.M(i, j));
    mass_ = m.make(e.name + ".mass", uses_time_);
  }
  if (!e.constraints.empty()) {
    auto m = maker();
    for (const auto& c : e.constraints) {
      m.add(c.phi ? *c.phi : Expr()), m.add(c.b), m.add(c.gamma);
      m.add_all(c.a);
    }
    constraints_ = m.make(e.name + ".constraints", uses_time_);
  }
  if (!e.inverse.empty()) {
    auto m = maker();
    m.add_accelerations();
    m.add_all(e.inverse);
    inverse_ = m.make(e.name + ".inverse", uses_time_);
  }
  if (options.reports) {
    auto m = maker();
    m.add_accelerations(), m.add_multipliers();
    report_items_ = add_reports(e, m);
    reports_ = m.make(e.name + ".reports", uses_time_);
  }
}

CompiledSystem::~CompiledSystem() = default;

std::vector<std::string> CompiledSystem::parameters() const {
  std::vector<std::string> names;
  for (const auto& p : equations_.parameters) names.push_back(p.symbol.name());
  return names;
}

std::vector<double> CompiledSystem::calc_parameters(const Values& given) const {
  const auto names = parameters();
  for (const auto& [name, value] : given)
    if (!contains(names, name))
      throw ModelError(fmt::format("there is no parameter '{}'{}", name, suggestion(name, names)));
  Values known;
  std::vector<double> values;
  for (const auto& p : equations_.parameters) {
    const auto own = given.find(p.symbol.name());
    const double value = own != given.end() ? own->second : evaluate(p.value, known);
    known[p.symbol.name()] = value;
    values.push_back(value);
  }
  return values;
}

}  // namespace kane
