#include "kane/simulate/system/compiled_system.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/contains.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"
#include "kane/simulate/system/report_list.hpp"

namespace kane {

/// std::function values behind the plain callbacks of kernels. Addresses must not change.
struct CompiledSystem::Callbacks {
  struct Entry {
    std::function<double(std::span<const double>)> value;
    std::size_t arity;
  };
  std::vector<std::unique_ptr<Entry>> entries;

  NamedFunction add(const std::string& name, int arity, const std::function<double(std::span<const double>)>& value) {
    entries.push_back(std::make_unique<Entry>(Entry{value, at(arity)}));
    return {name,
            arity,
            {[](const double* arguments, void* context) {
               const auto* entry = static_cast<const Entry*>(context);
               return entry->value({arguments, entry->arity});
             },
             entries.back().get()}};
  }
};

namespace {

bool is_constant(const Expr& e) { return symbols_of({&e, 1}).empty(); }

}  // namespace

/// Inputs whose default is a number are given from outside; the others are laws of the model, which may use one another.
void CompiledSystem::collect_laws(const CompileOptions& options) {
  std::vector<SymbolWithDefault> driven;
  for (const auto& input : equations_.inputs) {
    const bool constant = is_constant(input.value);
    if (!constant && !contains(options.driven_inputs, input.symbol.name())) {
      laws_.push_back(input);
      continue;
    }
    setting_.inputs.push_back(input.symbol.name());
    default_inputs_.push_back(constant ? evaluate(input.value, {}) : 0.0);
    driven_laws_.push_back(input.value);
  }
  std::vector<Expr> symbols, values;
  for (const auto& law : laws_) symbols.push_back(law.symbol), values.push_back(law.value);
  require(resolve_definitions(symbols, values), "the laws of the inputs of '{}' refer to each other in a circle",
          equations_.name);
  for (std::size_t i = 0; i < laws_.size(); ++i) {
    laws_[i].value = values[i];
    setting_.laws.set(symbols[i], values[i]);
  }
}

CompiledSystem::CompiledSystem(EquationsOfMotion equations, const CompileOptions& options)
    : equations_(std::move(equations)),
      contact_layout_(find_contact_layout(equations_)),
      free_rows_(options.free_rows),
      functions_(options.functions),
      callbacks_(std::make_unique<Callbacks>()),
      setting_{equations_, {}, {}, {}, options.strict, options.use_interpreter} {
  const EquationsOfMotion& e = equations_;
  for (const auto& [name, value] : options.functions)
    if (e.graph->has_function(name))
      setting_.functions.push_back(callbacks_->add(name, e.graph->function_arity(name), value));
  collect_laws(options);
  extra_ = std::make_unique<ExtraKernels>(*this);

  if (!e.udot_explicit.empty()) {
    KernelMaker m(setting_);
    m.add_all(e.qdot), m.add_all(e.udot_explicit);
    motion_ = m.make("motion", uses_time_);
  }
  if (e.M.rows > 0 || e.u.empty()) {
    KernelMaker m(setting_);
    if (e.has_given_forces()) m.add_multipliers();
    m.add_all(e.qdot), m.add_all(e.rhs);
    for (int i = 0; i < e.M.rows; ++i)
      for (int j = 0; j < (e.symmetric ? i + 1 : e.M.columns); ++j) {
        if (e.symmetric && e.M(i, j).is_zero()) continue;
        m.add(e.M(i, j));
        if (e.symmetric) mass_places_.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
      }
    mass_ = m.make("mass", uses_time_);
  } else if (!e.inverse.empty() && !e.has_given_forces()) {
    KernelMaker m(setting_);
    m.add_all(e.qdot);
    rates_ = m.make("rates", uses_time_);
    // The inverse dynamics do not tell which entries are zero. (Only contacts and stops ask.)
    if (e.switched())
      for (std::uint32_t i = 0; i < e.u.size(); ++i)
        for (std::uint32_t j = 0; j <= i; ++j) mass_places_.push_back({i, j});
  }
  if (!e.constraints.empty()) {
    KernelMaker m(setting_);
    for (const auto& c : e.constraints) {
      m.add(c.phi ? *c.phi : Expr()), m.add(c.b), m.add(c.gamma);
      auto& places = constraint_places_.emplace_back();
      for (std::size_t j = 0; j < c.a.size(); ++j) {
        const bool zero = c.a[j].is_zero();
        if (!zero) places.push_back(static_cast<int>(j));
        // Two stops for each of a thousand joints are rows with one entry each.
        if (!zero || !e.switched()) m.add(c.a[j]);
      }
    }
    constraints_ = m.make("constraints", uses_time_);
  }
  if (!e.inverse.empty()) {
    KernelMaker m(setting_);
    m.add_accelerations();
    if (e.has_given_forces()) m.add_multipliers();
    m.add_all(e.inverse);
    inverse_ = m.make("inverse", uses_time_);
  }
  if (e.has_given_forces()) make_given();
  if (options.reports) {
    KernelMaker m(setting_);
    m.add_accelerations(), m.add_multipliers(), m.add_contact_wrenches();
    ReportList list = list_reports(e, options.brief_reports);
    m.add_all(list.values);
    report_items_ = std::move(list.items);
    reports_ = m.make("reports", uses_time_);
  }
}

void CompiledSystem::make_given() {
  KernelWorkshop shop(*this);  // derivatives are new expressions
  const EquationsOfMotion& e = shop.equations();
  std::vector<Expr> values, forces, multipliers;
  for (std::size_t i = 0; i < e.constraints.size(); ++i) {
    multipliers.push_back(e.constraints[i].multiplier);
    if (!e.constraints[i].given) continue;
    given_rows_.push_back(i);
    values.push_back(*e.constraints[i].given), forces.push_back(e.constraints[i].multiplier);
  }
  values = shop.with_laws(values);
  const Jacobian by_udot = jacobian(values, e.udot), by_lambda = jacobian(values, multipliers);
  const Jacobian rhs = jacobian(shop.with_laws(e.rhs), forces);
  std::vector<Expr> outputs = values;
  for (int k = 0; k < static_cast<int>(values.size()); ++k) {
    for (int j = 0; j < e.speed_count(); ++j) outputs.push_back(by_udot.at(k, j));
    for (int j = 0; j < static_cast<int>(multipliers.size()); ++j) outputs.push_back(by_lambda.at(k, j));
    for (int j = 0; j < e.speed_count(); ++j) outputs.push_back(rhs.at(j, k));
  }
  given_ = shop.compile("given", outputs);
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
    const double value = own != given.end() ? own->second : evaluate(p.value, known, functions_);
    known[p.symbol.name()] = value;
    values.push_back(value);
  }
  return values;
}

}  // namespace kane
