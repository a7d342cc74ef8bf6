// Drawings: areas against closed forms and against a fine polygon, layers as bodies, and what is refused.

#include <fmt/format.h>
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

std::string pairs(const std::vector<std::pair<int, double>>& list) {
  std::string text;
  for (const auto& [code, value] : list) text += fmt::format("{}\n{}\n", code, value);
  return text;
}

DxfArea area_of_layer(const std::string& text, const std::string& name) {
  const DxfFile file = read_dxf_file(text, "d.dxf");
  for (const DxfLayer& layer : file.layers)
    if (layer.name == name) return dxf_area(layer.chains);
  return {};
}

TEST(Dxf, EllipsesEncloseWhatTheirAxesSay) {
  // Half axes 3 and 1 about (2, 1), turned by 30 degrees.
  const double c = std::cos(kDxfPi / 6), s = std::sin(kDxfPi / 6);
  const std::string head = "0\nELLIPSE\n8\na\n" + pairs({{10, 2}, {20, 1}, {11, 3 * c}, {21, 3 * s}, {40, 1.0 / 3}});
  const DxfArea whole = area_of_layer(drawing(head), "a");
  const double area = kDxfPi * 3;
  EXPECT_NEAR(whole.area, area, 2e-6 * area);
  EXPECT_NEAR(whole.x, 2, 1e-9);
  EXPECT_NEAR(whole.y, 1, 1e-9);
  const double along = area * 9 / 4, across = area * 1 / 4;  // integrals of the squares along the axes
  EXPECT_NEAR(whole.xx + whole.yy, along + across, 5e-6 * along);
  EXPECT_NEAR(whole.xy, (along - across) * c * s, 5e-6 * along);
  // Half of it, closed by a line; from below (230 is -1) it is the other half.
  const std::string half = head + pairs({{41, 0}, {42, kDxfPi}});
  const std::string chord =
      "0\nLINE\n8\na\n" + pairs({{10, 2 - 3 * c}, {20, 1 - 3 * s}, {11, 2 + 3 * c}, {21, 1 + 3 * s}});
  for (const double side : {1.0, -1.0}) {
    const std::string seen = half + pairs({{230, side}});
    const Mechanism m = read_dxf_text(drawing(seen + chord), "d.dxf");
    EXPECT_NEAR(evaluate(m.bodies[0].mass, {{"area_density", 1}}), area / 2, 2e-6 * area);
    const double off = side * 4 / (3 * kDxfPi);  // of the centroid along the minor axis
    EXPECT_NEAR(m.initial.at("a_x"), 2 - s * off, 1e-6);
    EXPECT_NEAR(m.initial.at("a_y"), 1 + c * off, 1e-6);
  }
}

TEST(Dxf, SplinesEncloseTheirIntegrals) {
  // x = 3 t^2 - 2 t^3, y = 3 t (1 - t): the area below it is 3/5.
  const std::string bezier = "0\nSPLINE\n8\na\n" +
                             pairs({{71, 3}, {40, 0}, {40, 0}, {40, 0}, {40, 0}, {40, 1}, {40, 1}, {40, 1}, {40, 1}}) +
                             pairs({{10, 0}, {20, 0}, {10, 0}, {20, 1}, {10, 1}, {20, 1}, {10, 1}, {20, 0}});
  const std::string base = "0\nLINE\n8\na\n" + pairs({{10, 0}, {20, 0}, {11, 1}, {21, 0}});
  const Mechanism m = read_dxf_text(drawing(bezier + base), "d.dxf");
  EXPECT_NEAR(evaluate(m.bodies[0].mass, {{"area_density", 1}}), 0.6, 2e-6);
  EXPECT_NEAR(m.initial.at("a_x"), 0.5, 1e-9);
  // A circle of radius 2 as a rational spline of degree 2: arcs through its points are exact.
  std::string circle = "0\nSPLINE\n8\na\n71\n2\n";
  for (const double knot : {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4}) circle += pairs({{40, knot}});
  const double x[] = {1, 1, 0, -1, -1, -1, 0, 1, 1}, y[] = {0, 1, 1, 1, 0, -1, -1, -1, 0};
  for (int i = 0; i < 9; ++i)
    circle += pairs({{10, 2 * x[i] + 5}, {20, 2 * y[i]}, {41, i % 2 == 0 ? 1 : std::sqrt(0.5)}});
  const DxfArea disk = area_of_layer(drawing(circle), "a");
  EXPECT_NEAR(disk.area, 4 * kDxfPi, 1e-12);
  EXPECT_NEAR(disk.x, 5, 1e-12);
  EXPECT_NEAR(disk.xx, 4 * kDxfPi, 1e-11);
}

TEST(Dxf, BlocksAreInsertedTurnedScaledAndMirrored) {
  // Half a disk of radius 1 about the base point (1, 1), and a hole of its own layer.
  const std::string block =
      "0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n8\n0\n2\nhalf\n70\n0\n10\n1\n20\n1\n0\nLWPOLYLINE\n8\n0\n70\n1\n" +
      pairs({{10, 2}, {20, 1}, {42, 1}, {10, 0}, {20, 1}, {42, 0}}) + "0\nCIRCLE\n8\npin\n" +
      pairs({{10, 1}, {20, 1}, {40, 0.25}}) + "0\nENDBLK\n5\n1F\n8\n0\n0\nBLOCK\n2\nouter\n0\nINSERT\n8\n0\n2\nhalf\n" +
      pairs({{10, 1}, {20, 0}, {50, 90}}) + "0\nENDBLK\n0\nENDSEC\n";
  const double off = 4 / (3 * kDxfPi);
  const auto half = [](double a) { return kDxfPi * a * a / 2; };
  // Twice as large, turned by 90 degrees: the centroid lies towards -x.
  const std::string turned = "0\nINSERT\n8\nbody\n2\nhalf\n" + pairs({{10, 7}, {20, 3}, {41, 2}, {42, 2}, {50, 90}});
  DxfArea a = area_of_layer(drawing(turned, block), "body");
  EXPECT_NEAR(a.area, half(2), 1e-12);
  EXPECT_NEAR(a.x, 7 - 2 * off, 1e-12);
  EXPECT_NEAR(a.y, 3, 1e-12);
  a = area_of_layer(drawing(turned, block), "pin");
  EXPECT_NEAR(a.area, kDxfPi / 4, 1e-12);
  EXPECT_NEAR(a.x, 7, 1e-12);
  // Upside down by a negative scale, and from below.
  a = area_of_layer(drawing("0\nINSERT\n8\nbody\n2\nhalf\n" + pairs({{10, 1}, {20, 1}, {42, -1}}), block), "body");
  EXPECT_NEAR(a.y, 1 - off, 1e-12);
  a = area_of_layer(drawing("0\nINSERT\n8\nbody\n2\nhalf\n" + pairs({{10, 1}, {20, 1}, {50, 90}, {230, -1}}), block),
                    "body");
  EXPECT_NEAR(a.x, -1 + off, 1e-12);
  EXPECT_NEAR(a.y, 1, 1e-12);
  // A block in a block: turned by 90 and again by 90.
  a = area_of_layer(drawing("0\nINSERT\n8\nbody\n2\nouter\n" + pairs({{10, 5}, {20, 0}, {50, 90}}), block), "body");
  EXPECT_NEAR(a.x, 5, 1e-12);
  EXPECT_NEAR(a.y, 1 - off, 1e-12);
  // Rows and columns.
  const DxfFile grid = read_dxf_file(
      drawing("0\nINSERT\n8\nbody\n2\nhalf\n" + pairs({{10, 0}, {20, 0}, {70, 3}, {71, 2}, {44, 4}, {45, 5}}), block),
      "d.dxf");
  ASSERT_EQ(grid.layers.size(), 2U);
  ASSERT_EQ(grid.layers[0].chains.size(), 6U);
  EXPECT_NEAR(grid.layers[0].chains[5].vertices[0].x, 9, 1e-12);
  EXPECT_NEAR(grid.layers[0].chains[5].vertices[0].y, 5, 1e-12);
  EXPECT_NE(failure_of(drawing("0\nINSERT\n8\nbody\n2\nhalf\n" + pairs({{10, 0}, {20, 0}, {41, 2}}), block))
                .find("stretches differently in x and y"),
            std::string::npos);
  const std::string endless =
      "0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n2\na\n0\nINSERT\n2\na\n" + pairs({{10, 0}, {20, 0}}) + "0\nENDBLK\n0\nENDSEC\n";
  EXPECT_NE(failure_of(drawing("0\nINSERT\n2\na\n" + pairs({{10, 0}, {20, 0}}), endless)).find("the limit max_depth"),
            std::string::npos);
}

TEST(Dxf, WhatIsLeftOutIsCounted) {
  const Mechanism m =
      read_dxf_text(drawing("0\nTEXT\n8\na\n0\nCIRCLE\n8\na\n10\n0\n20\n0\n40\n1\n0\nHATCH\n0\nTEXT\n"), "d.dxf");
  EXPECT_EQ(m.notes.front(), "left out, since they outline nothing: 1 HATCH, 2 TEXT");
}

TEST(Dxf, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_NE(failure_of("hello\n").find("d.dxf:1:1: error: 'hello' is no group code"), std::string::npos);
  EXPECT_NE(failure_of(drawing("0\nREGION\n8\na\n")).find("d.dxf:6:1: error: the entity 'REGION' is not supported"),
            std::string::npos);
  EXPECT_NE(failure_of(drawing("0\nSPLINE\n8\na\n71\n3\n11\n0\n21\n0\n")).find("no control points; explode it"),
            std::string::npos);
  EXPECT_NE(failure_of(drawing("0\nINSERT\n8\na\n2\nnut\n10\n0\n20\n0\n")).find("there is no block 'nut'"),
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

TEST(Dxf, SplinesThatAreWrongEndWithASentence) {
  const auto spline = [](int degree, const std::vector<double>& knots, const std::vector<double>& x,
                         const std::vector<double>& weights) {
    std::string text = fmt::format("0\nSPLINE\n8\na\n71\n{}\n", degree);
    for (const double k : knots) text += pairs({{40, k}});
    for (const double v : x) text += pairs({{10, v}, {20, v * v}});
    for (const double w : weights) text += pairs({{41, w}});
    return failure_of(drawing(text));
  };
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says(spline(2, {0, 0, 0, 1, 1}, {0, 1, 2}, {}), "of degree 2 with 3 control points needs 6 knots, not 5");
  says(spline(2, {0, 0, 0, 1, 1, 0}, {0, 1, 2}, {}), "not in order");
  says(spline(2, {1, 1, 1, 1, 1, 1}, {0, 1, 2}, {}), "all the same");
  says(spline(2, {0, 0, 0, 1, 1, 1}, {0, 1, 2}, {1, 0, 1}), "one positive weight");
  says(spline(2, {0, 0, 0, 1, 1, 1}, {0, 1, 2}, {1, 1}), "one positive weight");
  says(spline(0, {0, 1}, {0}, {}), "from 1 to 10");
  says(spline(11, {0, 1}, {0}, {}), "from 1 to 10");
  says(spline(3, {0, 0, 0, 1, 1, 1}, {0, 1}, {}), "needs 6 knots");
  // A great many pieces: the limit of vertices ends them.
  std::vector<double> knots(20'001 + 4), x(20'001);
  for (std::size_t i = 0; i < knots.size(); ++i) knots[i] = static_cast<double>(i);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) / 1e4;
  says(spline(3, knots, x, {}), "the limit max_vertices");
}

TEST(Dxf, SplinesThatTurnBackKeepTheirArea) {
  // Out along a line to x = 1.5 and back: nothing is enclosed, and the lines beside it give the rest.
  const std::string spike = "0\nSPLINE\n8\na\n" +
                            pairs({{71, 2}, {40, 0}, {40, 0}, {40, 0}, {40, 1}, {40, 1}, {40, 1}}) +
                            pairs({{10, 0}, {20, 0}, {10, 3}, {20, 0}, {10, 1}, {20, 0}});
  std::string rest;
  const double x[] = {1, 1, 0, 0}, y[] = {0, 1, 1, 0};
  for (int i = 0; i < 3; ++i)
    rest += "0\nLINE\n8\na\n" + pairs({{10, x[i]}, {20, y[i]}, {11, x[i + 1]}, {21, y[i + 1]}});
  const Mechanism m = read_dxf_text(drawing(spike + rest), "d.dxf");
  EXPECT_NEAR(evaluate(m.bodies[0].mass, {{"area_density", 1}}), 1, 1e-12);
}

TEST(Dxf, AWholeEllipseMayBeWrittenWithRoundedDecimals) {
  for (const double whole : {6.28318, 6.283185, 6.28318531, 6.2831854}) {
    const std::string text =
        "0\nELLIPSE\n8\na\n" + pairs({{10, 0}, {20, 0}, {11, 2}, {21, 0}, {40, 0.5}, {41, 0}, {42, whole}});
    EXPECT_NEAR(area_of_layer(drawing(text + "0\nCIRCLE\n8\nb\n10\n9\n20\n0\n40\n1\n"), "a").area, 2 * kDxfPi, 1e-4)
        << whole;
  }
}

TEST(Dxf, BlocksAreBounded) {
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const auto insert = [](const std::string& name) { return "0\nINSERT\n8\na\n2\n" + name + "\n10\n0\n20\n0\n"; };
  // Each of seven blocks inserts the next one a hundred times: 1e14 circles.
  std::string blocks = "0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n2\nb7\n0\nCIRCLE\n10\n0\n20\n0\n40\n1\n0\nENDBLK\n";
  for (int k = 6; k >= 0; --k)
    blocks += fmt::format("0\nBLOCK\n2\nb{}\n{}70\n10\n71\n10\n0\nENDBLK\n", k, insert(fmt::format("b{}", k + 1)));
  says(failure_of(drawing(insert("b0"), blocks + "0\nENDSEC\n")), "the limit max_entities");
  // Rows and columns of an empty block.
  const std::string empty = "0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n2\ne\n0\nENDBLK\n0\nENDSEC\n";
  says(failure_of(drawing(insert("e") + "70\n1000000\n71\n1000000\n", empty)), "the limit max_entities");
  says(failure_of(drawing(insert("e") + "70\n1e9\n", empty)), "the group code 70 of this INSERT is no count");
  says(failure_of(drawing(insert("e") + "41\n0\n", empty)), "has the scale 0");
  // Blocks that do not end.
  says(failure_of(drawing(insert("e"), "0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n2\ne\n0\nENDSEC\n")),
       "'ENDSEC' stands where ENDBLK must come first");
  says(failure_of("0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n2\ne\n"), "the file ends inside a block");
  says(failure_of(drawing("", "0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n8\n0\n0\nENDBLK\n0\nENDSEC\n")), "has no name");
  // Many group codes again and again.
  DxfLimits few;
  few.max_pairs = 100;
  std::string fat = "0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n2\nf\n0\nPOINT\n10\n0\n20\n0\n";
  for (int i = 0; i < 20; ++i) fat += "5\n1\n";
  fat += "0\nENDBLK\n0\nENDSEC\n";
  EXPECT_THROW((void)read_dxf_text(drawing(insert("f") + "70\n6\n", fat), "d.dxf", few), LimitError);
  // A drawing may come before its blocks.
  const std::string disk = "0\nBLOCK\n2\nd\n0\nCIRCLE\n10\n0\n20\n0\n40\n1\n0\nENDBLK\n0\nENDSEC\n";
  const std::string late =
      "0\nSECTION\n2\nENTITIES\n" + insert("d") + "0\nENDSEC\n0\nSECTION\n2\nBLOCKS\n" + disk + "0\nEOF\n";
  EXPECT_NEAR(area_of_layer(late, "a").area, kDxfPi, 1e-12);
}

}  // namespace
}  // namespace kane::test
