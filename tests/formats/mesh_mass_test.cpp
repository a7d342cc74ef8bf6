// Mass properties of meshes against those of the bodies that they are the surface of.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"

namespace kane::test {
namespace {

/// A folder with a box of 1 x 2 x 3, a corner at the origin, and a model that uses it.
class MeshMass : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / "kane_mesh_mass";
    std::filesystem::create_directories(folder_);
    const std::string corners = "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 1 0 3\nv 1 2 3\nv 0 2 3\n";
    const std::string sides = "f 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 1 5 8 4\n";
    std::ofstream(folder_ / "box.obj") << corners << "f 1 4 3 2\n" << sides;
    std::ofstream(folder_ / "open.obj") << corners << sides;
  }
  [[nodiscard]] Mechanism read(const std::string& body) const {
    std::ofstream(folder_ / "m.yaml") << "parameters: {rho: 7800 kg/m^3}\nbodies: {A: " << body
                                      << "}\njoints: {J: {type: revolute, parent: N, child: A, coordinate: q}}\n";
    return read_yaml_model(folder_ / "m.yaml");
  }
  std::filesystem::path folder_;
};

TEST_F(MeshMass, AMeshOfABoxIsABox) {
  const Mechanism mesh =
      read("{shape: {mesh: box.obj, at: [1, 0, 0], orientation: {axis: x, angle: 30 deg}}, density: rho}");
  const Mechanism box = read(
      "{shape: {box: [1, 2, 3], at: [1.5, cos(30 deg) - 1.5*sin(30 deg), sin(30 deg) + 1.5*cos(30 deg)], "
      "orientation: {axis: x, angle: 30 deg}}, density: rho}");
  const Values values{{"rho", 7800}};
  const MechanismBody &a = mesh.bodies[0], &b = box.bodies[0];
  EXPECT_NEAR(evaluate(a.mass, values), 6 * 7800, 1e-8);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(evaluate(a.mass_centre[i], values), evaluate(b.mass_centre[i], values), 1e-13);
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(evaluate(a.inertia[i][j], values), evaluate(b.inertia[i][j], values), 1e-8);
  }
  const Mechanism again = read_yaml_text(write_yaml(mesh));
  EXPECT_EQ(evaluate(again.bodies[0].inertia[0][0], values), evaluate(a.inertia[0][0], values));
}

TEST_F(MeshMass, TheTotalMassMayBeGiven) {
  const Mechanism m = read("{shape: {mesh: box.obj}, mass: 12}");
  EXPECT_NEAR(evaluate(m.bodies[0].inertia[2][2], {}), 12 * (1 + 4) / 12.0, 1e-13);
}

TEST_F(MeshMass, SurfacesThatEncloseNothingAreRefused) {
  const auto refused = [&](const std::string& body, const std::string& sentence) {
    try {
      (void)read(body);
      ADD_FAILURE() << body;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(sentence), std::string::npos) << error.what();
      EXPECT_EQ(error.where().line, 2);
    }
  };
  refused("{shape: {mesh: open.obj}, density: 1}", "is not closed");
  refused("{shape: {mesh: none.obj}, density: 1}", "none.obj");
}

}  // namespace
}  // namespace kane::test
