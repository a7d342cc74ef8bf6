// Drawings: areas against closed forms and against a fine polygon, layers as bodies, and what is refused.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "kane/expr/evaluate.hpp"
#include "kane/formats/dxf/dxf_reader.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "same_equations.hpp"

namespace kane::test {
namespace {

constexpr double kDxfPi = 3.14159265358979323846;

std::string drawing(const std::string& entities, const std::string& header = "") {
  return header + "0\nSECTION\n2\nENTITIES\n" + entities + "0\nENDSEC\n0\nEOF\n";
}

std::string failure_of(const std::string& text) {
  try {
    (void)read_dxf_text(text, "d.dxf");
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

DxfChain closed(std::vector<DxfVertex> vertices) { return {std::move(vertices), true, {}}; }

TEST(Dxf, AreasOfCirclesRingsAndRoundedBars) {
  const DxfChain circle = closed({{5, 1, 1}, {1, 1, 1}});  // radius 2 about (3, 1)
  const DxfArea disk = dxf_area({circle});
  EXPECT_NEAR(disk.area, 4 * kDxfPi, 1e-13);
  EXPECT_NEAR(disk.x, 3, 1e-14);
  EXPECT_NEAR(disk.y, 1, 1e-14);
  EXPECT_NEAR(disk.xx, kDxfPi * 16 / 4, 1e-12);
  EXPECT_NEAR(disk.yy, kDxfPi * 16 / 4, 1e-12);
  EXPECT_NEAR(disk.xy, 0, 1e-13);
  // A hole, and an island in it.
  const DxfArea ring = dxf_area({closed({{4, 1, 1}, {2, 1, 1}}), circle, closed({{3.5, 1, -1}, {2.5, 1, -1}})});
  EXPECT_NEAR(ring.area, kDxfPi * (4 - 1 + 0.25), 1e-13);
  EXPECT_NEAR(ring.xx, kDxfPi / 4 * (16 - 1 + 0.0625), 1e-12);
  // Half a disk, whose centroid is 4 r/(3 pi) from the chord, and an ear cut out of a square instead of put on it.
  const DxfArea half = dxf_area({closed({{1, 0, 1}, {-1, 0, 0}})});
  EXPECT_NEAR(half.y, 4 / (3 * kDxfPi), 1e-14);
  EXPECT_NEAR(half.yy, kDxfPi / 8 - 8 / (9 * kDxfPi), 1e-14);
  EXPECT_NEAR(half.xx, kDxfPi / 8, 1e-14);
  EXPECT_NEAR(dxf_area({closed({{0, 0, 0}, {2, 0, -1}, {2, 2, 0}, {0, 2, 0}})}).area, 4 - kDxfPi / 2, 1e-13);
}

TEST(Dxf, AreasOfRandomOutlinesMatchFinePolygons) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> radius(1, 2), bend(-0.4, 0.4);
  for (int run = 0; run < 5; ++run) {
    std::vector<DxfVertex> corners;
    for (int i = 0; i < 7; ++i) {
      const double r = radius(engine), a = 2 * kDxfPi * i / 7;
      corners.push_back({3 + r * std::cos(a), -2 + r * std::sin(a), bend(engine)});
    }
    // Each arc by 2000 chords, with the centre from the three-point form instead.
    std::vector<DxfVertex> fine;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const DxfVertex &p = corners[i], &q = corners[(i + 1) % corners.size()];
      const double theta = 4 * std::atan(p.bulge), c = std::hypot(q.x - p.x, q.y - p.y);
      const double heading = std::atan2(q.y - p.y, q.x - p.x) - theta / 2, k = 2 * std::sin(theta / 2) / c;
      for (int s = 0; s < 2000; ++s) {
        const double along = theta / k * s / 2000;  // of the arc, curvature k
        fine.push_back({p.x + (std::sin(heading + k * along) - std::sin(heading)) / k,
                        p.y - (std::cos(heading + k * along) - std::cos(heading)) / k, 0});
      }
    }
    const DxfArea a = dxf_area({closed(corners)}), b = dxf_area({closed(fine)});
    EXPECT_NEAR(a.area, b.area, 1e-6);
    EXPECT_NEAR(a.x, b.x, 1e-6);
    EXPECT_NEAR(a.xy, b.xy, 1e-6);
    EXPECT_NEAR(a.xx, b.xx, 1e-6);
    EXPECT_NEAR(a.yy, b.yy, 1e-6);
  }
}

TEST(Dxf, LayersBecomeBodies) {
  const auto path = std::filesystem::path(KANE_SOURCE_DIR) / "models" / "dxf" / "rod_and_plate.dxf";
  const Mechanism m = read_mechanism(path);
  ASSERT_EQ(m.bodies.size(), 3U);
  EXPECT_EQ(m.bodies[0].name, "rod");
  EXPECT_EQ(m.bodies[1].name, "plate");
  EXPECT_EQ(m.bodies[2].name, "background");
  const Values values{{"area_density", 40}};
  // A bar of 120 mm x 30 mm with round ends and two holes of 6 mm.
  const double area = 0.12 * 0.03 + kDxfPi * 0.015 * 0.015 - 2 * kDxfPi * 0.006 * 0.006;
  EXPECT_NEAR(evaluate(m.bodies[0].mass, values), 40 * area, 1e-14);
  // Lines and an arc that meet: 80 mm x 40 mm and half a disk of 40 mm.
  EXPECT_NEAR(evaluate(m.bodies[1].mass, values), 40 * (0.08 * 0.04 + kDxfPi * 0.04 * 0.04 / 2), 1e-14);
  EXPECT_NEAR(m.initial.at("rod_x"), 0.06, 1e-15);
  EXPECT_EQ(m.points.size(), 2U);
  const Mechanism again = read_yaml_text(write_yaml(m), "again.yaml");
  expect_same_equations(m, again);
}

TEST(Dxf, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_NE(failure_of("hello\n").find("d.dxf:1:1: error: 'hello' is no group code"), std::string::npos);
  EXPECT_NE(failure_of(drawing("0\nSPLINE\n8\na\n")).find("d.dxf:6:1: error: the entity 'SPLINE' is not supported"),
            std::string::npos);
  EXPECT_NE(failure_of(drawing("0\nCIRCLE\n8\na\n10\n0\n20\n0\n40\n-1\n")).find("d.dxf:6:1: error: the radius"),
            std::string::npos);
  EXPECT_NE(failure_of(drawing("0\nCIRCLE\n8\na\n10\n0\n20\nx\n")).find("d.dxf:12:1: error: 'x' is no number"),
            std::string::npos);
  EXPECT_NE(
      failure_of(drawing("0\nLINE\n8\na\n10\n0\n20\n0\n11\n1\n21\n0\n")).find("no layer of the drawing has a closed"),
      std::string::npos);
  EXPECT_NE(
      failure_of("0\nSECTION\n2\nENTITIES\n0\nCIRCLE\n8\na\n10\n0\n20\n0\n40\n1\n").find("ends inside its section"),
      std::string::npos);
  EXPECT_NE(failure_of("AutoCAD Binary DXF\r\n").find("binary DXF"), std::string::npos);
  DxfLimits few;
  few.max_entities = 1;
  EXPECT_THROW((void)read_dxf_text(drawing("0\nPOINT\n10\n0\n20\n0\n0\nPOINT\n10\n0\n20\n0\n"), "d.dxf", few),
               LimitError);
}

}  // namespace
}  // namespace kane::test
