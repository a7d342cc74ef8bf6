#include "kane/batch/case_starts.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "kane/base/contains.hpp"
#include "kane/expr/names.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {

namespace {

using Target = SweepTarget::Kind;

std::size_t place_in(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

bool uses(const Expr& e, const std::set<std::string, std::less<>>& names) {
  if (e.graph() == nullptr) return false;
  const auto symbols = symbols_of({&e, 1});
  return std::any_of(symbols.begin(), symbols.end(), [&](const Expr& s) { return names.contains(s.name()); });
}

}  // namespace

// Inputs that follow series or samples, Euler parameters (which complete each other) and settings of the run take the long way.
CaseStarts::CaseStarts(const Sweep& sweep, const Model& model)
    : sweep_(sweep), model_(model), whole_(!sweep.suits_lanes() || !model.input_sources().empty()) {
  for (const SymbolWithDefault& p : model.mechanism().parameters)
    if (!contains(model.system()->parameters(), p.symbol.name())) whole_ = true;
}

Start& CaseStarts::start(std::span<const double> values) {
  if (kept_) {
    change(values);
    return start_;
  }
  StartState state = sweep_.options().start;
  SimulationOptions options = sweep_.options().simulation;
  sweep_.set_case(values, state, options);
  start_ = model_.start(state);
  parameters_ = model_.system()->calc_parameters(start_.parameters);
  if (!whole_) keep();
  return start_;
}

/// From now on only what changes is done again.
void CaseStarts::keep() {
  begin_ = start_.state;
  const std::vector<std::string> names = model_.system()->parameters();
  for (std::size_t i = 0; i < names.size(); ++i) known_[names[i]] = parameters_[i];
  find_changing();
  find_derived();
  kept_ = find_laws();
  if (kept_ && !names_.empty()) {
    recheck_ = std::make_unique<ValueRecheck>(model_.mechanism(), names_);
    kept_ = recheck_->possible();
  }
  whole_ = !kept_;
}

void CaseStarts::find_changing() {
  const auto q = names_of(model_.equations().q), u = names_of(model_.equations().u);
  const std::vector<std::string> names = model_.system()->parameters();
  for (const SweepTarget& target : sweep_.targets()) {
    switch (target.kind) {
      case Target::Parameter:
        changing_.push_back({target.kind, place_in(names, target.name), &known_.at(target.name),
                             &start_.parameters.find(target.name)->second});
        names_.insert(target.name);
        break;
      case Target::Coordinate: changing_.push_back({target.kind, place_in(q, target.name)}); break;
      case Target::Speed: changing_.push_back({target.kind, place_in(u, target.name)}); break;
      default: changing_.push_back({target.kind, place_in(model_.system()->inputs(), target.name)});
    }
  }
}

/// Parameters follow from those above them only.
void CaseStarts::find_derived() {
  const auto& parameters = model_.equations().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string name = parameters[i].symbol.name();
    if (start_.parameters.contains(name) || !uses(parameters[i].value, names_)) continue;
    derived_.push_back({parameters[i].value, &parameters_[i], &known_.at(name)});
    names_.insert(name);
  }
}

/// Initial values that are written with what changes. False: in a way that is not followed here.
bool CaseStarts::find_laws() {
  const Mechanism& m = model_.mechanism();
  const StartState& given = sweep_.options().start;
  std::set<std::string, std::less<>> inputs, varied;
  for (const auto& input : m.inputs) inputs.insert(input.symbol.name());
  for (const SweepTarget& target : sweep_.targets()) varied.insert(target.name);
  for (const auto& [symbols, to, values] :
       {std::tuple{&model_.equations().q, &begin_.q, &given.q}, {&model_.equations().u, &begin_.u, &given.u}})
    for (std::size_t i = 0; i < symbols->size(); ++i) {
      const std::string name = (*symbols)[i].name();
      const auto law = m.initial_laws.find(name);
      if (law == m.initial_laws.end() || values->contains(name) || given.guess.contains(name) || varied.contains(name))
        continue;
      if (uses(law->second, inputs)) return false;
      if (!uses(law->second, names_)) continue;
      if (!model_.equations().quaternions.empty()) return false;
      laws_.push_back({law->second, &(*to)[i]});
    }
  return true;
}

void CaseStarts::change(std::span<const double> values) {
  for (std::size_t i = 0; i < changing_.size(); ++i) {
    const Changing& c = changing_[i];
    require(std::isfinite(values[i]), "the value of '{}' is not a finite number", sweep_.targets()[i].name);
    switch (c.kind) {
      case Target::Parameter: parameters_[c.place] = *c.known = *c.given = values[i]; break;
      case Target::Coordinate: begin_.q[c.place] = values[i]; break;
      case Target::Speed: begin_.u[c.place] = values[i]; break;
      default: start_.inputs[c.place] = values[i];
    }
  }
  const FunctionTable& functions = model_.system()->functions();
  for (const Following& p : derived_) {
    *p.to = *p.known = evaluate(p.value, known_, functions);
    require(std::isfinite(*p.to), "the parameter that is {} is not a finite number", p.value.to_string());
  }
  if (recheck_) recheck_->check(known_);
  for (const Following& x : laws_) *x.to = evaluate(x.value, known_, functions);
  start_.state = begin_;
}

}  // namespace kane
