// Speed of the equations of motion against other engines: the same robots, the same random states, in the same run, after
// the accelerations were found to agree. One thread; a call takes a state and gives accelerations, sines and cosines
// included.
//
//   bench_dynamics [--benchmark_out=FILE] [--filter=NAME]
//
// Targets are ratios to MuJoCo as packaged by Debian (the last columns).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "bench/engines/engine.hpp"
#include "bench/rounds.hpp"

namespace kane::bench {
namespace {

struct Case {
  std::string label;
  test::RobotTree robot;
  double target = 0;       ///< MuJoCo / Kane, one state per call; 0 if none
  double simd_target = 0;  ///< the same per state with all lanes
};

std::vector<Case> make_cases() {
  return {
      {"industrial arm (6)", test::make_industrial_arm(), 8, 30},
      {"general arm (7)", test::make_serial_arm(7), 8, 30},
      {"skew arm (7)", test::make_serial_arm(7, false, true), 8, 30},
      {"floating base + 6 (12)", test::make_serial_arm(6, true), 6.5, 0},
      {"quadruped (18)", test::make_quadruped(), 4.5, 0},
      {"humanoid (36)", test::make_humanoid(), 5, 20},
      {"chain (50)", test::make_serial_arm(50), 9, 0},
      {"chain (100)", test::make_serial_arm(100), 18, 0},
  };
}

std::vector<RobotState> random_states(const test::RobotTree& robot, std::size_t count) {
  test::Dice dice(11);
  std::vector<RobotState> states(count);
  for (RobotState& s : states) {
    if (robot.floating) {
      for (int i = 0; i < 7; ++i) s.q.push_back(dice.between(-1, 1));
      const double length = std::hypot(std::hypot(s.q[3], s.q[4]), std::hypot(s.q[5], s.q[6]));
      for (std::size_t i = 3; i < 7; ++i) s.q[i] /= length;
      for (int i = 0; i < 6; ++i) s.u.push_back(dice.between(-1, 1));
    }
    for (std::size_t i = 1; i < robot.links.size(); ++i) s.q.push_back(dice.between(-2, 2));
    for (std::size_t i = 1; i < robot.links.size(); ++i) s.u.push_back(dice.between(-1, 1));
  }
  return states;
}

std::vector<std::unique_ptr<Engine>> make_engines(const test::RobotTree& robot) {
  std::vector<std::unique_ptr<Engine>> engines;
  engines.push_back(make_kane_engine(robot));
#ifdef KANE_HAVE_MUJOCO
  engines.push_back(make_mujoco_engine(robot));
#endif
#ifdef KANE_HAVE_SIMBODY
  engines.push_back(make_simbody_engine(robot));
#endif
#ifdef KANE_HAVE_DART
  engines.push_back(make_dart_engine(robot));
#endif
  return engines;
}

/// Throws unless all engines find the same accelerations. Long chains amplify rounding.
double check_agreement(const std::vector<std::unique_ptr<Engine>>& engines, std::size_t states) {
  double worst = 0;
  for (std::size_t k = 0; k < states; ++k) {
    engines[0]->forward(k);
    const auto a = engines[0]->accelerations();
    double largest = 0;
    for (const double x : a) largest = std::max(largest, std::abs(x));
    for (std::size_t e = 1; e < engines.size(); ++e) {
      engines[e]->forward(k);
      const auto b = engines[e]->accelerations();
      for (std::size_t i = 0; i < a.size(); ++i) {
        const double off = std::abs(a[i] - b[i]) / largest;
        worst = std::max(worst, off);
        constexpr double kMost = 1e-7;
        if (!(off < kMost))
          throw std::runtime_error(
              fmt::format("{} disagrees: acceleration {} is {} instead of {}", engines[e]->name(), i, b[i], a[i]));
      }
    }
  }
  return worst;
}

std::string shown(double ns) { return std::isnan(ns) ? "-" : fmt::format("{:.0f}", ns); }

std::string ratio(double peer, double own, double target) {
  if (std::isnan(peer)) return "-";
  return target > 0 ? fmt::format("{:.1f} (>= {:g}){}", peer / own, target, peer / own >= target ? "" : " !")
                    : fmt::format("{:.1f}", peer / own);
}

std::string run_case(const Case& c) {
  constexpr std::size_t kStates = 64;
  const auto states = random_states(c.robot, kStates);
  auto engines = make_engines(c.robot);
  for (auto& engine : engines) engine->prepare(states);
  const double off = check_agreement(engines, 8);
  Rounds rounds;
  constexpr int kRounds = 61;
  for (int round = 0; round < kRounds; ++round) {
    for (auto& engine : engines) {
      std::size_t k = 0;
      const auto next = [&] { return k = (k + 1) % kStates; };
      rounds.add(engine->name(), [&] { engine->forward(next()); });
      if (engine->has_inverse()) {
        rounds.add(engine->name() + " inverse", [&] { engine->inverse(next()); });
        rounds.add(engine->name() + " mass", [&] { engine->mass_matrix(next()); });
      }
      if (engine->has_derivatives()) rounds.add(engine->name() + " derivatives", [&] { engine->derivatives(next()); });
      if (engine->lanes() > 0) rounds.add(engine->name() + " lanes", [&] { engine->forward_many(); });
    }
  }
  const double own = rounds.median("Kane");
  const double lanes = rounds.median("Kane lanes") / static_cast<double>(engines[0]->lanes());
  const double mujoco = rounds.median("MuJoCo");
  fmt::print("{:<24} {:>7} {:>7.0f} {:>8} {:>8} {:>8}   {:<14} {:<14} {:>6}/{:<6} {:>6}/{:<6} {:>11}   {:.0e}\n",
             c.label, shown(own), lanes, shown(mujoco), shown(rounds.median("Simbody")), shown(rounds.median("DART")),
             ratio(mujoco, own, c.target), ratio(mujoco, lanes, c.simd_target), shown(rounds.median("Kane inverse")),
             shown(rounds.median("MuJoCo inverse")), shown(rounds.median("Kane mass")),
             shown(rounds.median("MuJoCo mass")), shown(rounds.median("Kane derivatives")), off);
  std::fflush(stdout);
  std::string json =
      fmt::format("  {{\"name\": \"{}\", \"kane_ns\": {:.1f}, \"kane_simd_ns\": {:.1f}", c.label, own, lanes);
  for (const char* peer :
       {"MuJoCo", "Simbody", "DART", "Kane inverse", "MuJoCo inverse", "Kane mass", "MuJoCo mass", "Kane derivatives"})
    if (const double ns = rounds.median(peer); !std::isnan(ns)) json += fmt::format(", \"{} ns\": {:.1f}", peer, ns);
  return json + "}";
}

/// A processor that was idle takes a while to reach its speed.
void warm_up() {
  volatile double x = 1;
  while (now() < 3e8) x = x * 0.999 + 1e-3;
}

int run(int argc, char** argv) {
  std::string out, filter;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("--benchmark_out=")) out = word.substr(16);
    if (word.starts_with("--filter=")) filter = word.substr(9);
  }
  fmt::print(
      "Forward dynamics, ns per call (medians); inverse dynamics and mass matrix: Kane/MuJoCo; "
      "derivatives of the accelerations by all coordinates and speeds: Kane\n\n");
  fmt::print("{:<24} {:>7} {:>7} {:>8} {:>8} {:>8}   {:<14} {:<14} {:<13} {:<13} {:>11}   {}\n",
             "model (degrees of freedom)", "Kane", "SIMD", "MuJoCo", "Simbody", "DART", "MuJoCo/Kane", "MuJoCo/SIMD",
             "inverse", "mass matrix", "derivatives", "off by");
  warm_up();
  std::string json;
  for (const Case& c : make_cases())
    if (c.label.find(filter) != std::string::npos) json += (json.empty() ? "" : ",\n") + run_case(c);
  if (!out.empty()) std::ofstream(out) << "[\n" << json << "\n]\n";
  return 0;
}

}  // namespace
}  // namespace kane::bench

int main(int argc, char** argv) {
  try {
    return kane::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_dynamics: {}\n", error.what());
    return 1;
  }
}
