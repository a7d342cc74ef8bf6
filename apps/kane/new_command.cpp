// kane new: a starter file.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "apps/kane/command.hpp"
#include "kane/base/error.hpp"

namespace kane {
namespace {

constexpr const char* kStarter = R"(# A pendulum with a torque at its pin. `kane derive {0}.yaml` prints its equations,
# `kane simulate {0}.yaml` runs it; docs/model-file.md explains every key.
kane: 1
name: {0}
parameters:
  m: 1 kg
  L: 500 mm
  g: 9.81 m/s^2
  b: 0.02 N*m*s/rad
inputs:
  T: 0 N*m                        # a constant, a law such as -2*q - 0.1*u, or driven from outside
gravity: -g*N.y
bodies:
  rod:
    mass: m
    com: [L/2, 0, 0]
    inertia: [0, m*L^2/12, m*L^2/12]
    geometry: {{rod: {{radius: 10 mm, length: L}}, at: [L/2, 0, 0], orientation: {{axis: y, angle: 90 deg}}}}
joints:
  pin: {{type: revolute, parent: N, child: rod, axis: z, coordinate: q, speed: u, damping: b, actuator: T}}
outputs:
  tip: L*rod.x
  E: energy
initial:
  q: 30 deg
simulate:
  until: 10 s
)";

void run_new(const std::string& name, bool force) {
  require(!name.empty() && name.find_first_of("/\\:*?\"<>| ") == std::string::npos,
          "the name of a model is a plain word, not '{}'", name);
  const std::string file = name + ".yaml";
  if (!force && std::filesystem::exists(file))
    throw ModelError(fmt::format("'{}' exists already; use --force to write over it", file));
  std::ofstream stream(file);
  stream << fmt::format(fmt::runtime(kStarter), name);
  stream.close();
  if (!stream) throw RunFailed(fmt::format("the file '{}' cannot be written", file));
  fmt::print("wrote {}; try\n\n  kane derive {}\n  kane evaluate {}\n", file, file, file);
}

}  // namespace

void add_new_command(CLI::App& app) {
  auto name = std::make_shared<std::string>("pendulum");
  auto force = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("new", "Write a starter model file");
  command->add_option("name", *name, "Name of the model; the file is NAME.yaml")->capture_default_str();
  command->add_flag("--force", *force, "Write over a file that exists");
  command->callback([name, force] { run_new(*name, *force); });
}

}  // namespace kane
