#pragma once
// A model with changing constraints, run from its own or other values.

#include <gtest/gtest.h>

#include <map>

#include "kane/simulate/switching/hybrid_simulator.hpp"
#include "tests/simulate/models.hpp"

namespace kane::test {

struct HybridRun {
  RunReport report;
  std::vector<State> samples;

  [[nodiscard]] const State& last() const { return samples.back(); }
};

inline HybridRun run_hybrid(const Model& model, const Values& parameters, const State& initial, const RunPlan& plan,
                            SimulatorOptions options = {}) {
  HybridSimulator sim(model.system, std::move(options));
  sim.set_parameters(parameters);
  sim.start(initial);
  HybridRun run;
  run.report = sim.run(plan, [&](const State& s) {
    run.samples.push_back(s);
    return true;
  });
  if (run.report.failure) throw std::runtime_error(run.report.failure->message(model.equations()));
  return run;
}

inline HybridRun run_hybrid(const Model& model, const Values& parameters, const RunPlan& plan,
                            SimulatorOptions options = {}) {
  return run_hybrid(model, parameters, model.initial(), plan, std::move(options));
}

inline double calc_energy(const Model& model, HybridSimulator& sim, const State& s) {
  for (const auto& item : model.system->report_items())
    if (item.name == "E") return sim.calc_reports(s)[item.first];
  throw std::runtime_error("no output E");
}

/// Runs and checks that the energy never rises.
inline HybridRun run_losing(const Model& model, const State& initial, double until, double slack = 1e-7) {
  HybridSimulator sim(model.system, {.tolerance = 1e-8});
  sim.start(initial);
  HybridRun run;
  double before = 1e300;
  run.report = sim.run({.until = until, .intervals = 300}, [&](const State& s) {
    const double now = calc_energy(model, sim, s);
    EXPECT_LE(now, before + slack) << "t = " << s.t;
    before = now;
    run.samples.push_back(s);
    return true;
  });
  if (run.report.failure) ADD_FAILURE() << run.report.failure->message(model.equations());
  return run;
}

}  // namespace kane::test
