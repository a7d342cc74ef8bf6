// Simulated seconds per second of processor time, for the same trees of links in Kane, MuJoCo and Simbody within one run: a
// planar arm of two links, an arm of seven joints with gravity and PD control, a quadruped on its floating base without
// contact, a chain of fifty links, trees of a hundred links with 10 and 20 ball joints that close loops (`loops`), and 1 to 50
// four-bar linkages in a row, whose ball joints have a redundant row each. RK4 with steps of 1 ms (Simbody has no RK4; its
// Merson method of the same order takes five evaluations per step), and adaptive steps for an error of 1e-6 (not in MuJoCo,
// whose loops are stiff springs). All engines must come to the
// same state after 0.2 s before anything is measured.
//
//   bench_simulate [--benchmark_out=FILE] [--filter=NAME]
//
// The last columns give the cost of a step of Kane and its breakdown.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "bench/rounds.hpp"
#include "bench/simulated/tree_run.hpp"
#include "bench/simulated/tree_text.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/simulate/motion/simulator.hpp"

namespace kane::bench {
namespace {

class KaneRun final : public TreeRun {
 public:
  KaneRun(const LinkTree& tree, SimulatorOptions options) : mechanism_(read_yaml_text(tree_text(tree))) {
    CompileOptions compile;
    compile.reports = false;
    FormOptions form;
    form.outputs = false;
    system_ = std::make_shared<const CompiledSystem>(form_equations(mechanism_, form), compile);
    simulator_ = std::make_unique<Simulator>(system_, std::move(options));
    const auto& q = system_->equations().q;
    for (std::size_t i = 0; i < tree.size(); ++i)
      for (std::size_t k = 0; k < q.size(); ++k)
        if (q[k].name() == fmt::format("q{}", i) && tree[i].axis != 'f') angles_.push_back(k);
    for (const auto& s : q) {
      const auto found = mechanism_.initial.find(s.name());
      begin_.q.push_back(found == mechanism_.initial.end() ? 0.0 : found->second);
    }
    begin_.u.resize(system_->speed_count());
    restart();
  }
  void restart() override { simulator_->start(begin_); }
  void run(double duration) override { report_ = simulator_->run({simulator_->state().t + duration, 0, 1}); }
  [[nodiscard]] std::vector<double> angles() const override {
    std::vector<double> r;
    for (const std::size_t k : angles_) r.push_back(simulator_->state().q[k]);
    return r;
  }
  [[nodiscard]] const RunReport& report() const { return report_; }

 private:
  Mechanism mechanism_;
  std::shared_ptr<const CompiledSystem> system_;
  std::unique_ptr<Simulator> simulator_;
  State begin_;
  std::vector<std::size_t> angles_;
  RunReport report_;
};

SimulatorOptions fixed() { return {.method = Method::Rk4, .step = 1e-3, .energy_interval = 0}; }
SimulatorOptions adaptive() { return {.method = Method::Dopri5, .tolerance = 1e-6, .energy_interval = 0}; }

/// Largest difference of the angles after 0.2 s. Throws if the engines were not given the same mechanism.
double check_agreement(const LinkTree& tree) {
  KaneRun kane(tree, fixed());
  const auto mujoco = make_mujoco_run(tree), simbody = make_simbody_run(tree, false);
  for (TreeRun* run : {static_cast<TreeRun*>(&kane), mujoco.get(), simbody.get()}) run->run(0.2);
  const auto a = kane.angles(), b = mujoco->angles(), c = simbody->angles();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max({worst, std::abs(a[i] - b[i]), std::abs(a[i] - c[i])});
  // Loops of MuJoCo are stiff springs.
  if (!(worst < (tree.loops.empty() ? 1e-4 : 2e-2)))
    throw std::runtime_error(fmt::format("the engines disagree by {} rad after 0.2 s", worst));
  return worst;
}

/// Parts of a step of Kane, gathered over all rounds.
struct Parts {
  RunTimes sum;
  double steps = 0;
  void add(const RunReport& report) {
    const RunTimes& t = report.times;
    sum.processor += t.processor, sum.kernel += t.kernel, sum.solve += t.solve, sum.projection += t.projection;
    steps += static_cast<double>(report.totals.steps);
  }
};

std::string rate(double ns, double duration) {
  return std::isnan(ns) ? "-" : fmt::format("{:.4g}", duration / (1e-9 * ns));
}

std::string ratio(double peer, double own) { return std::isnan(peer) ? "-" : fmt::format("{:.1f}", peer / own); }

std::string run_case(const std::string& name, bool is_adaptive) {
  const LinkTree tree = make_link_tree(name);
  const bool large = !tree.loops.empty() || name == "chain50";
  const double duration = large ? 0.1 : is_adaptive ? 2 : 0.5, off = check_agreement(tree);
  KaneRun kane(tree, is_adaptive ? adaptive() : fixed());
  const auto mujoco = make_mujoco_run(tree), simbody = make_simbody_run(tree, is_adaptive);
  Rounds rounds;
  Parts parts;
  const int rounds_to_run = tree.loops.empty() ? 15 : 3;
  const auto whole = [&](TreeRun& run) {
    run.restart();
    run.run(duration);
  };
  for (int round = 0; round < rounds_to_run; ++round) {
    rounds.add("kane", [&] { whole(kane), parts.add(kane.report()); });
    if (!is_adaptive) rounds.add("mujoco", [&] { whole(*mujoco); });
    rounds.add("simbody", [&] { whole(*simbody); });
  }
  const double own = rounds.median("kane"), m = rounds.median("mujoco"), s = rounds.median("simbody");
  const double step = 1e9 * parts.sum.processor / parts.steps;
  const auto percent = [&](double part) { return parts.sum.percent(part); };
  fmt::print("{:<10} {:<14} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9.0f} {:>8.0f} {:>8.0f} {:>10.1f}   {:.0e}\n", name,
             is_adaptive ? "adaptive 1e-6" : "RK4 1 ms", rate(own, duration), rate(m, duration), rate(s, duration),
             ratio(m, own), ratio(s, own), step, percent(parts.sum.kernel), percent(parts.sum.solve),
             percent(parts.sum.integrator()), off);
  std::fflush(stdout);
  std::string json = fmt::format(
      "  {{\"name\": \"{}/{}\", \"kane_sim_s_per_s\": {}, \"simbody_sim_s_per_s\": {}, \"step_ns\": {:.1f}, "
      "\"kernel_percent\": {:.1f}, \"solve_percent\": {:.1f}, \"integrator_percent\": {:.1f}",
      name, is_adaptive ? "adaptive" : "rk4", rate(own, duration), rate(s, duration), step, percent(parts.sum.kernel),
      percent(parts.sum.solve), percent(parts.sum.integrator()));
  if (!std::isnan(m)) json += fmt::format(", \"mujoco_sim_s_per_s\": {}", rate(m, duration));
  return json + "}";
}

int run(int argc, char** argv) {
  std::string out, filter;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("--benchmark_out=")) out = word.substr(16);
    if (word.starts_with("--filter=")) filter = word.substr(9);
  }
  fmt::print(
      "Simulated seconds per second of processor time (medians), and what a step of Kane is made of, per cent\n\n");
  fmt::print("{:<10} {:<14} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9} {:>8} {:>8} {:>10}   {}\n", "model", "method", "Kane",
             "MuJoCo", "Simbody", "/MuJoCo", "/Simbody", "step, ns", "kernel", "solve", "integrator", "off by, rad");
  std::string json;
  for (const std::string name : {"planar2r", "arm7", "quadruped", "chain50", "loops10", "loops20", "fourbars1",
                                 "fourbars5", "fourbars20", "fourbars50"})
    for (const bool is_adaptive : {false, true})
      if (name.find(filter) != std::string::npos) json += (json.empty() ? "" : ",\n") + run_case(name, is_adaptive);
  if (!out.empty()) std::ofstream(out) << "[\n" << json << "\n]\n";
  return 0;
}

}  // namespace
}  // namespace kane::bench

int main(int argc, char** argv) { return kane::bench::run(argc, argv); }
