#include "kane/simulate/system/motion_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/program/lower.hpp"
#include "kane/simulate/motion/sample_times.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"

namespace kane {

namespace {

/// qdot, udot, outputs; without accelerations, multipliers, laws and calls.
std::vector<NamedExpr> form_outputs(const KernelWorkshop& shop, const MotionExportOptions& options,
                                    Graph& without_calls) {
  const EquationsOfMotion& e = shop.equations();
  std::vector<std::string> names;
  std::vector<Expr> rates = e.qdot;
  for (const auto& q : e.q) names.push_back(q.name() + "'");
  for (const auto& u : e.u) names.push_back(u.name() + "'");
  rates.insert(rates.end(), e.udot.begin(), e.udot.end());
  refuse_contact_outputs(e);
  for (const auto& o : e.outputs) {
    names.push_back(o.name);
    rates.push_back(o.value);
  }
  std::vector<Expr> values = with_motion(shop, options.udot, options.multipliers, rates);
  if (options.write_out) values = options.write_out(without_calls, values);
  std::vector<NamedExpr> named;
  for (std::size_t i = 0; i < values.size(); ++i) named.push_back({names[i], values[i]});
  return named;
}

bool uses(const std::vector<NamedExpr>& named, const std::string& symbol) {
  std::vector<Expr> values;
  for (const auto& n : named) values.push_back(n.value);
  const auto symbols = symbols_of(values);
  return std::any_of(symbols.begin(), symbols.end(), [&](const Expr& s) { return s.name() == symbol; });
}

/// Steps that meet the lines to be printed, and the end.
void plan_steps(ExportModel& model, const MotionExportOptions& options) {
  const double begin = options.start.t;
  constexpr long kIntervals = 1000;
  const SampleTimes samples(begin, options.until, options.output_step, kIntervals);
  require(std::isfinite(options.step) && options.step > 0, "the step must be positive, but it is {}", options.step);
  model.start = begin;
  model.duration = options.until - begin;
  const double between = samples.time(1) - begin;
  const double parts = std::ceil(between / options.step * (1 - 1e-9));
  constexpr double kMost = 1e9;
  require(parts * static_cast<double>(samples.last()) < kMost,
          "steps of {} s from {} to {} are too many for a simple simulation", options.step, begin, options.until);
  model.print_every = static_cast<int>(parts);
  model.step = between / parts;
  if (samples.hit_by(between) &&
      std::abs(begin + between * static_cast<double>(samples.last()) - options.until) <= 1e-9 * model.duration)
    return;
  // The samples do not divide the run: its end counts more than they do.
  model.step = model.duration / std::ceil(model.duration / model.step * (1 - 1e-9));
}

}  // namespace

std::vector<Expr> with_motion(const KernelWorkshop& shop, const std::vector<Expr>& udot,
                              const std::vector<Expr>& multipliers, std::span<const Expr> expressions) {
  const EquationsOfMotion& e = shop.equations();
  ensure(udot.size() == e.u.size() && multipliers.size() == e.constraints.size(),
         "the accelerations of '{}' have not been formed", e.name);
  const std::vector<Expr> own_udot = shop.own(udot), own_multipliers = shop.own(multipliers);
  Substitution known;
  for (std::size_t i = 0; i < e.udot.size(); ++i) known.set(e.udot[i], own_udot[i]);
  for (std::size_t i = 0; i < e.constraints.size(); ++i) known.set(e.constraints[i].multiplier, own_multipliers[i]);
  return shop.with_laws(substitute(expressions, known));
}

void refuse_contact_outputs(const EquationsOfMotion& equations) {
  if (equations.contact_sensors.empty()) return;
  const ContactSensorEquation& sensor = equations.contact_sensors.front();
  throw ModelError(fmt::format(
      "an output uses contact({}{}{}), and exported programs contain no contacts: such a model can be simulated, "
      "but not exported; leave that output out",
      sensor.first, sensor.second.empty() ? "" : ", ", sensor.second));
}

ExportModel form_motion_export(const CompiledSystem& system, const MotionExportOptions& options) {
  const EquationsOfMotion& e = system.equations();
  Graph without_calls;
  const KernelWorkshop shop(system);
  const std::vector<NamedExpr> outputs = form_outputs(shop, options, without_calls);
  ProgramInputs names;
  names.parameters = system.parameters();
  names.inputs = system.inputs();
  ExportModel model;
  model.inputs = options.inputs.empty() ? system.default_inputs() : options.inputs;
  if (uses(outputs, e.t.name())) {
    names.inputs.push_back(e.t.name());
    model.inputs.push_back(options.start.t);
    model.time = e.t.name();
  }
  for (const auto& q : e.q) names.state.push_back(q.name());
  for (const auto& u : e.u) names.state.push_back(u.name());
  model.program = lower(e.name, outputs, names);
  model.parameters = system.calc_parameters(options.parameters);
  model.state = options.start.q;
  model.state.insert(model.state.end(), options.start.u.begin(), options.start.u.end());
  plan_steps(model, options);
  return model;
}

}  // namespace kane
