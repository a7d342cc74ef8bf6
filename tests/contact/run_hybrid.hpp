#pragma once
// A model with changing constraints, run from its own or other values.

#include <map>

#include "kane/simulate/hybrid_simulator.hpp"
#include "tests/simulate/models.hpp"

namespace kane::test {

struct HybridRun {
  HybridReport report;
  std::vector<State> samples;

  [[nodiscard]] const State& last() const { return samples.back(); }
};

inline HybridRun run_hybrid(const Model& model, const Values& parameters, const State& initial, const RunPlan& plan,
                            HybridOptions options = {}) {
  HybridSimulator sim(model.system, std::move(options));
  sim.set_parameters(parameters);
  sim.start(initial);
  HybridRun run;
  run.report = sim.run(plan, [&](const State& s) {
    run.samples.push_back(s);
    return true;
  });
  if (run.report.run.failure) throw std::runtime_error(run.report.run.failure->message(model.equations()));
  return run;
}

inline HybridRun run_hybrid(const Model& model, const Values& parameters, const RunPlan& plan,
                            HybridOptions options = {}) {
  return run_hybrid(model, parameters, model.initial(), plan, std::move(options));
}

}  // namespace kane::test
