// Every model file of a reference system against the reference values (tests/oracles), to 1e-12.

#include <gtest/gtest.h>

#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/mechanism/check_values.hpp"
#include "kane/mechanism/lowering.hpp"
#include "tests/mechanics/oracle.hpp"

namespace kane {
namespace {

using nlohmann::json;

constexpr const char* kIds[] = {
    "planar2r",
    "planar2r_tip_damped",
    "planar2r_opspace",
    "rp_robot",
    "grasp",
    "space_arm_2r",
    "disk_slide",
    "disk_roll",
    "wrist_rates",
    "wrist_body",
    "cart_free",
    "cart_stuck",
    "rolling_disk_3d",
    "fourbar",
    "stanford_arm",
    "osiris_tree",
    "npend5",
    "npend20",
    "gravity_gradient",
    "bicycle_nonlinear",
};

Mechanism model(const std::string& id) {
  return read_yaml_model(std::filesystem::path(KANE_SOURCE_DIR) / "models" / (id + ".yaml"));
}

std::vector<std::string> strings(const json& list) { return list.get<std::vector<std::string>>(); }

/// Points of bodies that coincide with others for a moment: no part of the models, but the references list them.
void add_material_points(LoweredMechanism& lowered, const std::string& id) {
  System& s = lowered.system;
  const Expr r = s.graph().symbol("r");
  const auto contact = [&](const std::string& disk, const Vector& offset) {
    const PointId place = s.add_point("contact_place", lowered.body_origins.at(disk), offset);
    s.add_point_of("contact", lowered.body_frames.at(disk), place);
  };
  if (id == "rp_robot") s.add_point_of("Phat", lowered.body_frames.at("B"), s.point("P"));
  if (id.starts_with("disk_")) contact("B", -r * y(lowered.names.frame("A")));
  if (id == "rolling_disk_3d") contact("R", -r * z(lowered.names.frame("L")));
}

class OracleModels : public ::testing::TestWithParam<const char*> {};

TEST_P(OracleModels, NamesAndDefaults) {
  const Mechanism m = model(GetParam());
  const test::Oracle oracle(GetParam());
  std::vector<std::string> coordinates;
  for (const Expr& q : m.all_coordinates()) coordinates.push_back(q.name());
  EXPECT_EQ(coordinates, strings(oracle.file().at("coordinates")));
  std::vector<std::string> inputs;
  for (const auto& input : m.inputs) inputs.push_back(input.symbol.name());
  EXPECT_EQ(inputs, strings(oracle.file().at("inputs")));
  if (oracle.file().contains("dependent_speeds")) {
    EXPECT_EQ(m.dependent_speeds, strings(oracle.file().at("dependent_speeds")));
  }
  const Values parameters = parameter_values(m);
  const auto expected = oracle.values(oracle.states().front());
  std::size_t count = 0;
  for (const auto& [name, value] : oracle.file().at("parameters").items()) count += value.is_array() ? value.size() : 1;
  EXPECT_EQ(parameters.size(), count);
  for (const auto& [name, value] : parameters) EXPECT_EQ(value, static_cast<double>(expected.at(name))) << name;
  const json& trajectory = oracle.file().at("trajectory");
  EXPECT_EQ(m.simulation.until.value(), trajectory.at("t_end").get<double>());
  for (const char* group : {"q0", "u0"}) {
    for (const auto& [name, value] : trajectory.at(group).items()) {
      const auto given = m.initial.find(name);
      EXPECT_NEAR(given == m.initial.end() ? 0.0 : given->second, value.get<double>(), 1e-40) << name;
    }
  }
}

TEST_P(OracleModels, Values) {
  const Mechanism m = model(GetParam());
  const test::Oracle oracle(GetParam());
  LoweredMechanism lowered = lower_mechanism(m);
  add_material_points(lowered, m.name);
  KaneDerivation derivation(lowered.system);
  const EquationsOfMotion& equations = derivation.equations();
  std::vector<std::string> speeds;
  for (const Expr& u : equations.u) speeds.push_back(u.name());
  EXPECT_EQ(speeds, strings(oracle.file().at("speeds")));
  (void)test::compare(derivation, oracle);
}

INSTANTIATE_TEST_SUITE_P(All, OracleModels, ::testing::ValuesIn(kIds),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace kane
