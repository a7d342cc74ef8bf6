// Flexible bodies: the cost of one evaluation, and a run of an arm of three elastic links next to the same arm made of rigid
// segments with springs between them in Simbody, by the accuracy of the motion of the tip.
//
//   bench_flexible [--benchmark_out=FILE]
//
// Targets: a spinning beam with five modes below 300 ns, an arm of three links with three modes in each of two planes below
// 5 us, and ten times the speed of segments of the same accuracy.

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <span>

#include "bench/rounds.hpp"
#include "bench/simulated/tree_run.hpp"
#include "kane/codegen/kernel.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/program/lower.hpp"
#include "kane/simulate/motion/simulator.hpp"

namespace kane::bench {
namespace {

constexpr const char* kSpinningBeam = R"(
kane: 1
name: spinning_beam
bodies: {hub: {inertia: [0, 0, 1]}, B: {flexible: {length: 2, mass_per_length: 0.3, EI: 7, modes: 5}}}
joints:
  spin: {type: revolute, parent: N, child: hub, axis: z}
  root: {type: weld, parent: hub, at: [0.1, 0, 0], child: B}
)";

constexpr const char* kSpatialArm = R"(
kane: 1
name: spatial_arm
gravity: -9.81*N.z
bodies:
  A: {flexible: {length: 0.8, mass_per_length: 1, EI: 1500, modes: {y: 3, z: 3}, damping: 0.01}}
  B: {flexible: {length: 0.8, mass_per_length: 1, EI: 1500, modes: {y: 3, z: 3}, damping: 0.01}}
  C: {flexible: {length: 0.8, mass_per_length: 1, EI: 1500, modes: {y: 3, z: 3}, damping: 0.01}}
joints:
  shoulder: {type: revolute, parent: N, child: A, axis: z, stiffness: 200, damping: 2}
  elbow: {type: revolute, parent: A, at: [0.8, 0, 0], child: B, axis: y, stiffness: 200, damping: 2}
  wrist: {type: revolute, parent: B, at: [0.8, 0, 0], child: C, axis: y, stiffness: 100, damping: 1}
)";

std::string time_of(const char* text, Formulation formulation, double target, std::string& json) {
  FormOptions form;
  form.formulation = formulation;
  form.outputs = form.mass_matrix = false;
  const EquationsOfMotion e = form_equations(read_yaml_text(text), form);
  ProgramInputs names;
  Values values;
  std::vector<double> parameters;
  for (const auto& p : e.parameters) {
    names.parameters.push_back(p.symbol.name());
    parameters.push_back(values[p.symbol.name()] = evaluate(p.value, values));
  }
  names.inputs.push_back(e.t.name());
  for (const auto& q : e.q) names.state.push_back(q.name());
  for (const auto& u : e.u) names.state.push_back(u.name());
  std::vector<NamedExpr> outputs;
  for (std::size_t i = 0; i < e.udot_explicit.size(); ++i)
    outputs.push_back({fmt::format("a{}", i), e.udot_explicit[i]});
  const Kernel kernel = compile_kernel(lower("bench", outputs, names), {});
  Workspace workspace(kernel);
  kernel.set_parameters(parameters, workspace);
  kernel.set_inputs(std::vector<double>(1, 0.0), workspace);
  std::vector<double> state(names.state.size()), a(outputs.size());
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = 0.001 * static_cast<double>(i % 7);
  Rounds rounds;
  constexpr int kRounds = 41;
  for (int round = 0; round < kRounds; ++round) rounds.add("kane", [&] { kernel.evaluate(state, a, workspace); });
  const double ns = rounds.median("kane");
  json += fmt::format("{}  {{\"name\": \"{}/{}\", \"kane_ns\": {:.1f}, \"operations\": {}}}", json.empty() ? "" : ",\n",
                      e.name, to_string(formulation), ns, count_dynamics(e).total());
  return fmt::format("{:<16} {:<12} {:>6} operations {:>7.0f} ns (< {:g} ns){}\n", e.name, to_string(formulation),
                     count_dynamics(e).total(), ns, target, ns < target ? "" : " !");
}

// ---- an arm in a vertical plane -----------------------------------------------------------------------------------------

constexpr double kLength = 0.8, kMass = 0.8, kEI = 60;
constexpr double kStiffness[] = {60, 40, 20}, kDamping[] = {2, 1, 0.5}, kStart[] = {-0.3, 0.4, 0.3};
constexpr double kDuration = 1;

struct Tip {
  double x = 0, z = 0;
};
double distance(const Tip& a, const Tip& b) { return std::hypot(a.x - b.x, a.z - b.z); }

class BentArm {
 public:
  BentArm(int modes, double tolerance) {
    std::string text = "kane: 1\nname: arm\ngravity: -9.81*N.z\nbodies:\n";
    for (int i = 0; i < 3; ++i)
      text += fmt::format(
          "  B{}: {{flexible: {{length: {}, mass_per_length: {}, EI: {}, shapes: polynomial, modes: {{z: {}}}}}}}\n", i,
          kLength, kMass / kLength, kEI, modes);
    text += "joints:\n";
    for (int i = 0; i < 3; ++i)
      text += fmt::format(
          "  J{0}: {{type: revolute, parent: {1}, at: [{2}, 0, 0], child: B{0}, axis: y, coordinate: q{0}, "
          "stiffness: {3}, damping: {4}}}\n",
          i, i == 0 ? "N" : fmt::format("B{}", i - 1), i == 0 ? 0.0 : kLength, kStiffness[i], kDamping[i]);
    text += fmt::format("points: {{tip: {{on: B2, at: [{}, 0, 0]}}}}\noutputs: {{tip: position(tip)}}\ninitial: {{",
                        kLength);
    for (int i = 0; i < 3; ++i) text += fmt::format("q{}: {}, ", i, kStart[i]);
    const Mechanism mechanism = read_yaml_text(text + "}\n");
    system_ = std::make_shared<const CompiledSystem>(form_equations(mechanism), CompileOptions{});
    SimulatorOptions options;
    options.method = Method::Dopri5, options.tolerance = tolerance, options.energy_interval = 0;
    simulator_ = std::make_unique<Simulator>(system_, options);
    for (const Expr& q : system_->equations().q) {
      const auto found = mechanism.initial.find(q.name());
      begin_.q.push_back(found == mechanism.initial.end() ? 0.0 : found->second);
    }
    begin_.u.resize(system_->speed_count());
  }
  void run() {
    simulator_->start(begin_);
    (void)simulator_->run({kDuration, 0, 1});
  }
  [[nodiscard]] Tip tip() {
    const std::span<const double> reports = simulator_->calc_reports(simulator_->state());
    Tip tip;
    for (const auto& item : system_->report_items()) {
      if (item.kind == ReportItem::Kind::Output && item.name == "tip.x") tip.x = reports[item.first];
      if (item.kind == ReportItem::Kind::Output && item.name == "tip.z") tip.z = reports[item.first];
    }
    return tip;
  }

 private:
  std::shared_ptr<const CompiledSystem> system_;
  std::unique_ptr<Simulator> simulator_;
  State begin_;
};

/// Every link as n + 1 rods with n springs EI n/L between them, half rods at its ends.
LinkTree segmented_arm(int n) {
  LinkTree tree;
  const double h = kLength / n;
  double before = 0;  // length of the rod before
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k <= n; ++k) {
      const double length = k == 0 || k == n ? h / 2 : h;
      Link link = make_rod(static_cast<int>(tree.size()) - 1, 'y', {before, 0, 0}, length, kMass * length / kLength,
                           k == 0 ? kStart[i] : 0);
      link.inertia = {1e-6 * link.mass, link.mass * length * length / 12, link.mass * length * length / 12};
      link.stiffness = k == 0 ? kStiffness[i] : kEI / h;
      link.damping = k == 0 ? kDamping[i] : 0;
      tree.push_back(link);
      before = length;
    }
  }
  return tree;
}

Tip tip_of(const LinkTree& tree, const std::vector<double>& angles) {
  Tip tip;
  double angle = 0;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    angle += angles[i];
    tip.x += 2 * tree[i].com[0] * std::cos(angle), tip.z -= 2 * tree[i].com[0] * std::sin(angle);
  }
  return tip;
}

template <class Call>
double seconds(Call call) {
  double best = INFINITY;
  constexpr int kTimes = 3;
  for (int i = 0; i < kTimes; ++i) best = std::min(best, 1e-9 * measure(1, call));
  return best;
}

void compare_arms(std::string& json) {
  BentArm fine(6, 1e-9);
  fine.run();
  const Tip reference = fine.tip();
  const auto row = [&](const std::string& name, double error, double time) {
    fmt::print("{:<34} {:>12.2e} m {:>12.4f} s\n", name, error, time / kDuration);
    json += fmt::format(",\n  {{\"name\": \"bent_arm/{}\", \"tip_error_m\": {}, \"s_per_simulated_s\": {}}}", name,
                        error, time / kDuration);
  };
  fmt::print("\narm of three elastic links in a plane: error of the tip after {:g} s, time per simulated second\n",
             kDuration);
  for (const int modes : {2, 3, 4}) {
    BentArm arm(modes, 1e-6);
    const double time = seconds([&] { arm.run(); });
    row(fmt::format("Kane, {} modes for each link", modes), distance(arm.tip(), reference), time);
  }
  for (const int n : {2, 4, 8, 16}) {
    const LinkTree tree = segmented_arm(n);
    const auto run = make_simbody_run(tree, true);
    const double time = seconds([&] { run->restart(), run->run(kDuration); });
    row(fmt::format("Simbody, {} springs for each link", n), distance(tip_of(tree, run->angles()), reference), time);
  }
}

int run(int argc, char** argv) {
  std::string out, json;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("--benchmark_out=")) out = word.substr(16);
  }
  for (const Formulation f : {Formulation::Projection, Formulation::Composite, Formulation::Articulated})
    fmt::print("{}", time_of(kSpinningBeam, f, 300, json));
  for (const Formulation f : {Formulation::Projection, Formulation::Composite, Formulation::Articulated})
    fmt::print("{}", time_of(kSpatialArm, f, 5000, json));
  compare_arms(json);
  if (!out.empty()) std::ofstream(out) << "[\n" << json << "\n]\n";
  return 0;
}

}  // namespace
}  // namespace kane::bench

int main(int argc, char** argv) { return kane::bench::run(argc, argv); }
