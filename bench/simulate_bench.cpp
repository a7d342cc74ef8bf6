// Simulated seconds per second of processor time, for the same trees in Kane, MuJoCo and Simbody within one run: a planar
// arm of two links, an arm of seven joints with gravity and PD control, a quadruped on its floating base without contact,
// and a chain of fifty links. RK4 with steps of 1 ms (Simbody has no RK4; its Merson method of the same order takes five
// evaluations per step), and adaptive steps for an error of 1e-6 (not in MuJoCo). All engines must come to the same state
// after 0.2 s before anything is measured.
//
// Kane's runs also say what their steps are made of, in per cent: kernel, linear solve, integrator.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

// Simbody's headers do not stand our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wdeprecated-copy"
#include <Simbody.h>
#pragma GCC diagnostic pop

#include "kane/formats/yaml_reader.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/simulate/simulator.hpp"

namespace kane::bench {
namespace {

using Triple = std::array<double, 3>;

struct Link {
  int parent = -1;  ///< -1: the ground
  char axis = 'z';  ///< of its revolute joint; 'f': free
  Triple at{};      ///< of the joint in the parent
  double mass = 1;
  Triple com{}, inertia{};
  double stiffness = 0, damping = 0;  ///< PD control towards zero
  double start = 0;                   ///< angle
};

using Tree = std::vector<Link>;

Link rod(int parent, char axis, const Triple& at, double length, double mass, double start) {
  Link link{parent, axis, at, mass, {length / 2, 0, 0}, {}, 0, 0, start};
  link.inertia = {0.01 * mass * length * length, mass * length * length / 12, mass * length * length / 12};
  return link;
}

Tree make_tree(const std::string& name) {
  Tree tree;
  if (name == "planar2r") return {rod(-1, 'y', {0, 0, 0}, 0.7, 1.3, 0.4), rod(0, 'y', {0.7, 0, 0}, 0.7, 1.3, -0.7)};
  if (name == "arm7") {
    const char* axes = "zyzyzyz";
    for (int i = 0; i < 7; ++i) {
      Link link = rod(i - 1, axes[i], {i == 0 ? 0.0 : 0.3, 0, i == 0 ? 0.3 : 0.05}, 0.3, 4 - 0.5 * i, 0.2 + 0.1 * i);
      link.com[2] = 0.04;
      link.stiffness = 100, link.damping = 5;
      tree.push_back(link);
    }
    return tree;
  }
  if (name == "quadruped") {
    tree.push_back({-1, 'f', {}, 25, {0.01, 0, 0.02}, {0.3, 0.9, 1.0}, 0, 0, 0});
    for (const double x : {0.35, -0.35})
      for (const double y : {0.2, -0.2}) {
        const int first = static_cast<int>(tree.size());
        Link hip = rod(0, 'x', {x, y, 0}, 0.1, 1.4, 0.1),
             thigh = rod(first, 'y', {0.06, y > 0 ? 0.1 : -0.1, 0}, 0.3, 1.6, 0.7),
             shank = rod(first + 1, 'y', {0.3, 0, 0}, 0.3, 0.4, -1.2);
        for (Link* link : {&hip, &thigh, &shank}) link->stiffness = 40, link->damping = 1, tree.push_back(*link);
      }
    return tree;
  }
  for (int i = 0; i < 50; ++i)
    tree.push_back(rod(i - 1, i % 2 == 0 ? 'y' : 'z', {i == 0 ? 0.0 : 0.1, 0, 0}, 0.1, 0.2, i % 2 == 0 ? 0.1 : 0.05));
  return tree;
}

// ---- Kane -----------------------------------------------------------------------------------------------------------------

std::string yaml_of(const Tree& tree) {
  std::string bodies = "bodies:\n", joints = "joints:\n", values = "initial:\n";
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const Link& l = tree[i];
    const std::string parent = l.parent < 0 ? "N" : fmt::format("B{}", l.parent);
    bodies += fmt::format("  B{}: {{mass: {}, com: [{}], inertia: [{}]}}\n", i, l.mass, fmt::join(l.com, ", "),
                          fmt::join(l.inertia, ", "));
    if (l.axis == 'f') {
      joints += fmt::format("  J{}: {{type: free, parent: {}, child: B{}}}\n", i, parent, i);
      continue;
    }
    joints += fmt::format("  J{0}: {{type: revolute, parent: {1}, at: [{2}], child: B{0}, axis: {3}, coordinate: q{0}",
                          i, parent, fmt::join(l.at, ", "), l.axis);
    if (l.stiffness > 0) joints += fmt::format(", stiffness: {}, damping: {}", l.stiffness, l.damping);
    joints += "}\n";
    values += fmt::format("  q{}: {}\n", i, l.start);
  }
  return "kane: 1\nname: tree\ngravity: -9.81*N.z\n" + bodies + joints + values;
}

class KaneRun {
 public:
  KaneRun(const Tree& tree, SimulatorOptions options) : mechanism_(read_yaml_text(yaml_of(tree))) {
    CompileOptions compile;
    compile.reports = false;
    FormOptions form;
    form.outputs = false;
    system_ = std::make_shared<const CompiledSystem>(form_equations(mechanism_, form), compile);
    simulator_ = std::make_unique<Simulator>(system_, std::move(options));
    restart();
  }
  void restart() {
    State start;
    const auto value = [&](const Expr& s) {
      const auto found = mechanism_.initial.find(s.name());
      return found == mechanism_.initial.end() ? 0.0 : found->second;
    };
    for (const auto& q : system_->equations().q) start.q.push_back(value(q));
    start.u.resize(system_->speed_count());
    simulator_->start(start);
  }
  /// Joint angles in the order of the tree.
  std::vector<double> angles(const Tree& tree) {
    std::vector<double> r;
    const auto& q = system_->equations().q;
    for (std::size_t i = 0; i < tree.size(); ++i)
      for (std::size_t k = 0; k < q.size(); ++k)
        if (q[k].name() == fmt::format("q{}", i) && tree[i].axis != 'f') r.push_back(simulator_->state().q[k]);
    return r;
  }
  RunReport run(double duration) { return simulator_->run({simulator_->state().t + duration, 0, 1}); }

 private:
  Mechanism mechanism_;
  std::shared_ptr<const CompiledSystem> system_;
  std::unique_ptr<Simulator> simulator_;
};

// ---- MuJoCo ---------------------------------------------------------------------------------------------------------------

std::string xml_of(const Tree& tree, int parent) {
  std::string text;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const Link& l = tree[i];
    if (l.parent != parent) continue;
    text += fmt::format("<body pos=\"{}\"><inertial pos=\"{}\" mass=\"{}\" diaginertia=\"{}\"/>", fmt::join(l.at, " "),
                        fmt::join(l.com, " "), l.mass, fmt::join(l.inertia, " "));
    if (l.axis == 'f')
      text += "<freejoint/>";
    else
      text += fmt::format("<joint type=\"hinge\" axis=\"{} {} {}\" stiffness=\"{}\" damping=\"{}\"/>",
                          l.axis == 'x' ? 1 : 0, l.axis == 'y' ? 1 : 0, l.axis == 'z' ? 1 : 0, l.stiffness, l.damping);
    text += xml_of(tree, static_cast<int>(i)) + "</body>\n";
  }
  return text;
}

class MujocoRun {
 public:
  explicit MujocoRun(const Tree& tree) {
    const auto file = std::filesystem::temp_directory_path() / fmt::format("kane_bench_{}.xml", tree.size());
    std::ofstream(file) << "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/>"
                           "<option timestep=\"0.001\" gravity=\"0 0 -9.81\" integrator=\"RK4\">"
                           "<flag contact=\"disable\" constraint=\"disable\"/></option><worldbody>"
                        << xml_of(tree, -1) << "</worldbody></mujoco>";
    char error[1000] = "";
    model_ = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
    std::filesystem::remove(file);
    if (model_ == nullptr) throw std::runtime_error(error);
    data_ = mj_makeData(model_);
    int at = 0;
    for (const Link& l : tree) {  // all trees here are written depth first, the order of qpos
      if (l.axis != 'f') data_->qpos[at] = l.start;
      at += l.axis == 'f' ? 7 : 1;
    }
  }
  ~MujocoRun() { mj_deleteData(data_), mj_deleteModel(model_); }
  MujocoRun(const MujocoRun&) = delete;
  MujocoRun& operator=(const MujocoRun&) = delete;

  void run(double duration) {
    const auto steps = std::lround(duration / 1e-3);
    for (long i = 0; i < steps; ++i) mj_step(model_, data_);
  }
  std::vector<double> angles(const Tree& tree) {
    std::vector<double> r;
    int at = 0;
    for (const Link& l : tree) {
      if (l.axis != 'f') r.push_back(data_->qpos[at]);
      at += l.axis == 'f' ? 7 : 1;
    }
    return r;
  }

 private:
  mjModel* model_;
  mjData* data_;
};

// ---- Simbody --------------------------------------------------------------------------------------------------------------

class SimbodyRun {
 public:
  SimbodyRun(const Tree& tree, bool adaptive)
      : matter_(system_), forces_(system_), gravity_(forces_, matter_, -SimTK::ZAxis, 9.81) {
    for (const Link& l : tree) {
      const SimTK::Vec3 com(l.com[0], l.com[1], l.com[2]);
      const SimTK::Inertia central(l.inertia[0], l.inertia[1], l.inertia[2]);
      const SimTK::Body::Rigid body(SimTK::MassProperties(l.mass, com, central.shiftFromMassCenter(com, l.mass)));
      SimTK::MobilizedBody& parent = l.parent < 0 ? static_cast<SimTK::MobilizedBody&>(matter_.updGround())
                                                  : bodies_[static_cast<std::size_t>(l.parent)];
      const SimTK::Vec3 at(l.at[0], l.at[1], l.at[2]);
      if (l.axis == 'f') {
        bodies_.push_back(SimTK::MobilizedBody::Free(parent, SimTK::Transform(at), body, SimTK::Transform()));
        continue;
      }
      const SimTK::UnitVec3 axis(l.axis == 'x' ? 1 : 0, l.axis == 'y' ? 1 : 0, l.axis == 'z' ? 1 : 0);
      const SimTK::Rotation turned(axis, SimTK::ZAxis);
      bodies_.push_back(
          SimTK::MobilizedBody::Pin(parent, SimTK::Transform(turned, at), body, SimTK::Transform(turned)));
      if (l.stiffness > 0)
        SimTK::Force::MobilityLinearSpring(forces_, bodies_.back(), SimTK::MobilizerQIndex(0), l.stiffness, 0);
      if (l.damping > 0)
        SimTK::Force::MobilityLinearDamper(forces_, bodies_.back(), SimTK::MobilizerUIndex(0), l.damping);
    }
    SimTK::State state = system_.realizeTopology();
    for (std::size_t i = 0; i < tree.size(); ++i)
      if (tree[i].axis != 'f') bodies_[i].setOneQ(state, 0, tree[i].start);
    integrator_ = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system_);
    if (adaptive)
      integrator_->setAccuracy(1e-6);
    else
      integrator_->setFixedStepSize(1e-3);
    integrator_->initialize(state);
  }
  void run(double duration) {
    const double until = integrator_->getTime() + duration;
    while (integrator_->getTime() < until) (void)integrator_->stepTo(until);
  }
  std::vector<double> angles(const Tree& tree) {
    std::vector<double> r;
    for (std::size_t i = 0; i < tree.size(); ++i)
      if (tree[i].axis != 'f') r.push_back(bodies_[i].getOneQ(integrator_->getState(), 0));
    return r;
  }

 private:
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::Gravity gravity_;
  std::vector<SimTK::MobilizedBody> bodies_;
  std::unique_ptr<SimTK::RungeKuttaMersonIntegrator> integrator_;
};

// ---- measuring ------------------------------------------------------------------------------------------------------------

SimulatorOptions fixed() { return {.method = Method::Rk4, .step = 1e-3, .energy_interval = 0}; }
SimulatorOptions adaptive() { return {.method = Method::Dopri5, .tolerance = 1e-6, .energy_interval = 0}; }

/// Whether all engines are given the same mechanism.
void check_agreement(const std::string& name, const Tree& tree) {
  KaneRun kane(tree, fixed());
  MujocoRun mujoco(tree);
  SimbodyRun simbody(tree, false);
  constexpr double kUntil = 0.2;
  (void)kane.run(kUntil), mujoco.run(kUntil), simbody.run(kUntil);
  const auto a = kane.angles(tree), b = mujoco.angles(tree), c = simbody.angles(tree);
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max({worst, std::abs(a[i] - b[i]), std::abs(a[i] - c[i])});
  fmt::print(stderr, "{}: after {} s the engines agree to {:.1e} rad\n", name, kUntil, worst);
  if (!(worst < 1e-4)) {
    fmt::print(stderr, "{}: the engines were not given the same mechanism\n", name);
    std::exit(1);
  }
}

double duration_of(const std::string& name) { return name == "chain50" ? 0.05 : 0.5; }

void count(benchmark::State& state, double duration) {
  state.counters["sim_s_per_s"] =
      benchmark::Counter(duration * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void run_kane(benchmark::State& state, const std::string& name, const SimulatorOptions& options) {
  const Tree tree = make_tree(name);
  KaneRun run(tree, options);
  const double duration = duration_of(name);
  RunReport report;
  WallTimes sum;
  double steps = 0;
  for (auto _ : state) {
    run.restart();
    report = run.run(duration);
    sum.total += report.wall.total, sum.kernel += report.wall.kernel, sum.solve += report.wall.solve;
    sum.projection += report.wall.projection, sum.output += report.wall.output;
    steps = static_cast<double>(report.totals.steps);
  }
  count(state, duration);
  const double total = std::max(sum.total, 1e-12);
  state.counters["steps_per_s"] = steps / duration;
  state.counters["kernel_%"] = 100 * sum.kernel / total;
  state.counters["solve_%"] = 100 * sum.solve / total;
  state.counters["integrator_%"] = 100 * sum.integrator() / total;
}

void register_all() {
  for (const std::string name : {"planar2r", "arm7", "quadruped", "chain50"}) {
    check_agreement(name, make_tree(name));
    const double duration = duration_of(name);
    benchmark::RegisterBenchmark((name + "/rk4_1ms/kane").c_str(), [=](auto& s) { run_kane(s, name, fixed()); });
    benchmark::RegisterBenchmark((name + "/rk4_1ms/mujoco").c_str(), [=](benchmark::State& s) {
      MujocoRun run(make_tree(name));
      for (auto _ : s) run.run(duration);
      count(s, duration);
    });
    benchmark::RegisterBenchmark((name + "/merson_1ms/simbody").c_str(), [=](benchmark::State& s) {
      SimbodyRun run(make_tree(name), false);
      for (auto _ : s) run.run(duration);
      count(s, duration);
    });
    benchmark::RegisterBenchmark((name + "/adaptive_1e-6/kane").c_str(),
                                 [=](auto& s) { run_kane(s, name, adaptive()); });
    benchmark::RegisterBenchmark((name + "/adaptive_1e-6/simbody").c_str(), [=](benchmark::State& s) {
      std::unique_ptr<SimbodyRun> run;
      for (auto _ : s) {
        s.PauseTiming();
        run = std::make_unique<SimbodyRun>(make_tree(name), true);
        s.ResumeTiming();
        run->run(duration);
      }
      count(s, duration);
    });
  }
}

}  // namespace
}  // namespace kane::bench

int main(int argc, char** argv) {
  kane::bench::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
