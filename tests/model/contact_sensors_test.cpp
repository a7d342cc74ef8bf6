// contact(A, B).force and its other parts, against weights, momentum and geometry: contacts of the model and of shapes, by
// events and by steps.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/model/simulation.hpp"

namespace kane {
namespace {

constexpr double kBallG = 9.81, kBallRadius = 0.05, kBallMass = 2;

struct BallContact {
  const char* scheme;
  const char* contact;
};
/// A ball on the ground: as a contact of the model, and as a shape.
const std::vector<BallContact> kBallContacts{
    {"events", "{sphere: b, radius: 0.05, plane: N.z, friction: 0.3, restitution: 0.6}"},
    {"stepping", "{sphere: b, radius: 0.05, plane: N.z, friction: 0.3, restitution: 0.6}"},
    {"events", "{between: [b, N], plane: N.z, friction: 0.3, restitution: 0.6}"},
    {"stepping", "{between: [b, N], plane: N.z, friction: 0.3, restitution: 0.6}"},
};

std::string ball(const BallContact& c, double z) {
  return fmt::format(R"yaml(
kane: 1
gravity: -9.81*N.z
bodies: {{b: {{mass: 2, shape: {{sphere: 0.05}}}}}}
joints: {{fly: {{type: free, parent: N, child: b, coordinates: [x, y, z, e1, e2, e3, e4]}}}}
contacts: {{scheme: {}, step: 1 ms, floor: {}}}
outputs:
  F: contact(b, N).force
  back: contact(N, b).force
  T: contact(b, N).torque
  M: contact(b, N, N).torque
  N_n: contact(b, N).normal
  mu_n: contact(b, N).friction
  gap: contact(b, N).gap
  P: contact(b, N).point
  n: contact(b, N).direction
  J: contact(b, N).impulse
  touch: contact(b, N).touching
  named: magnitude(contact(floor).force)
initial: {{x: 0.3, z: {}, e4: 1}}
)yaml",
                     c.scheme, c.contact, z);
}

TEST(ContactSensors, ABallAtRestPressesWithItsWeight) {
  for (const BallContact& c : kBallContacts) {
    SCOPED_TRACE(std::string(c.scheme) + " " + c.contact);
    Simulation run(read_model_text(ball(c, kBallRadius), "ball.yaml"));
    ASSERT_EQ(run.run({.until = 0.02}).status, RunStatus::Done);
    const double weight = kBallMass * kBallG;
    EXPECT_NEAR(run.value("F.z"), weight, 1e-8);
    EXPECT_NEAR(run.value("back.z"), -weight, 1e-8);
    EXPECT_NEAR(run.value("N_n"), weight, 1e-8);
    EXPECT_NEAR(run.value("named"), weight, 1e-8);
    EXPECT_NEAR(run.value("mu_n"), 0, 1e-8);
    EXPECT_NEAR(run.value("T.y"), 0, 1e-8);
    EXPECT_NEAR(run.value("M.y"), -0.3 * weight, 1e-7);  // (0.3 x) x (W z) = -0.3 W y
    EXPECT_NEAR(run.value("gap"), 0, 1e-9);
    EXPECT_NEAR(run.value("P.x"), 0.3, 1e-9);
    EXPECT_NEAR(run.value("P.z"), 0, 1e-9);
    EXPECT_NEAR(run.value("n.z"), 1, 1e-12);
    EXPECT_EQ(run.value("touch"), 1);
  }
}

TEST(ContactSensors, AnImpactReversesTheMomentum) {
  const double height = 0.2, speed = std::sqrt(2 * kBallG * height);
  for (const BallContact& c : kBallContacts) {
    SCOPED_TRACE(std::string(c.scheme) + " " + c.contact);
    Simulation run(read_model_text(ball(c, kBallRadius + height), "ball.yaml"));
    EXPECT_NEAR(run.value("gap"), height, 1e-5);
    EXPECT_EQ(run.value("touch"), 0);
    ASSERT_EQ(run.run({.until = 0.25}).status, RunStatus::Done);
    // Steps find the instant to a millisecond, and so the speed to g times that, both ways.
    const double tolerance =
        std::string(c.scheme) == "events" ? 1e-7 : kBallMass * (1.6 * kBallG * 1e-3 + kBallG * 1e-3);
    EXPECT_NEAR(run.value("J.z"), 1.6 * kBallMass * speed, tolerance);
    EXPECT_NEAR(run.value("F.z"), 0, 1e-12);
  }
}

TEST(ContactSensors, ABlockOnASlopeIsHeldByFriction) {
  for (const char* scheme : {"events", "stepping"})
    for (const char* contact : {"{between: [b, N], plane: N.z, friction: 0.5}",
                                "{box: b, size: [0.2, 0.2, 0.1], plane: N.z, friction: 0.5}"}) {
      SCOPED_TRACE(std::string(scheme) + " " + contact);
      Simulation run(read_model_text(fmt::format(R"yaml(
kane: 1
gravity: -9.81*cos(0.3)*N.z + 9.81*sin(0.3)*N.x
bodies: {{b: {{mass: 2, shape: {{box: [0.2, 0.2, 0.1]}}}}}}
joints: {{fly: {{type: free, parent: N, child: b, coordinates: [x, y, z, e1, e2, e3, e4]}}}}
contacts: {{scheme: {}, rest: {}}}
outputs: {{F: "contact(b, N).force", T: "contact(b, N).torque", n: contact(rest).normal, f: contact(rest).friction, P: contact(rest).point}}
initial: {{z: 0.05, e4: 1}}
)yaml",
                                                 scheme, contact),
                                     "slope.yaml"));
      ASSERT_EQ(run.run({.until = 0.02}).status, RunStatus::Done);
      const double normal = kBallMass * kBallG * std::cos(0.3), drag = kBallMass * kBallG * std::sin(0.3);
      EXPECT_NEAR(run.value("F.x"), -drag, 1e-6);
      EXPECT_NEAR(run.value("F.z"), normal, 1e-6);
      EXPECT_NEAR(run.value("n"), normal, 1e-6);
      EXPECT_NEAR(run.value("f"), drag, 1e-6);
      EXPECT_NEAR(run.value("T.y"), 0, 1e-6);                     // it does not turn
      EXPECT_NEAR(run.value("P.x"), 0.05 * drag / normal, 1e-6);  // below the centre, downhill by h tan(slope)
    }
}

TEST(ContactSensors, TwoBallsPushEachOther) {
  Simulation run(read_model_text(R"yaml(
kane: 1
bodies: {a: {mass: 1, shape: {sphere: 0.1}}, b: {mass: 3, shape: {sphere: 0.1}}}
joints:
  A: {type: prismatic, parent: N, child: a, axis: x, coordinate: x, speed: u}
  B: {type: prismatic, parent: N, child: b, axis: x, coordinate: y, speed: v}
loads: [{force: 8*N.x, at: a}]
contacts: {click: {spheres: [a, b], radii: [0.1, 0.1]}}
outputs: {F: "contact(a, b).force", G: "contact(b, a).force", P: "contact(a, b).point", gap: contact(click).gap}
initial: {x: 0, y: 0.2}
)yaml",
                                 "balls.yaml"));
  ASSERT_EQ(run.run({.until = 0.1}).status, RunStatus::Done);
  EXPECT_NEAR(run.value("F.x"), -6, 1e-9);  // both accelerate with 8/4
  EXPECT_NEAR(run.value("G.x"), 6, 1e-9);
  EXPECT_NEAR(run.value("P.x"), run.value("x") + 0.1, 1e-9);
  EXPECT_NEAR(run.value("gap"), 0, 1e-12);
}

TEST(ContactSensors, ALinearContactSinksInByItsForce) {
  for (const char* scheme : {"events", "stepping"})
    for (const char* contact : {"{sphere: b, radius: 0.05, plane: N.z, stiffness: 1962, damping: 40}",
                                "{between: [b, N], plane: N.z, stiffness: 1962, damping: 40}"}) {
      const BallContact c{scheme, contact};
      SCOPED_TRACE(std::string(scheme) + " " + contact);
      Simulation rest(read_model_text(ball(c, kBallRadius - 0.01), "ball.yaml"));  // m g / k = 0.01
      ASSERT_EQ(rest.run({.until = 0.05}).status, RunStatus::Done);
      EXPECT_NEAR(rest.value("z"), kBallRadius - 0.01, 1e-9);
      EXPECT_NEAR(rest.value("N_n"), kBallMass * kBallG, 1e-6);
    }
}

std::string model_message(const std::string& text) {
  try {
    (void)read_model_text(text, "ball.yaml");
    return "";
  } catch (const ModelError& error) {
    return error.what();
  }
}

TEST(ContactSensors, WhatIsNotKnownIsSaid) {
  const auto with = [](const std::string& output) {
    std::string text = ball(kBallContacts[2], 0.1);
    const auto at = text.find("  F: contact(b, N).force");
    return text.insert(at, "  wrong: " + output + "\n");
  };
  EXPECT_NE(model_message(with("contact(b, N).forse")).find("did you mean 'force'"), std::string::npos);
  EXPECT_NE(model_message(with("contact(flor).normal")).find("flor"), std::string::npos);
  EXPECT_NE(model_message(with("contact(b, b).normal")).find("nothing in 'contacts' lets 'b' and 'b' touch"),
            std::string::npos);
  EXPECT_NE(model_message(with("contact(b, N)")).find("name a part of it"), std::string::npos);
  EXPECT_NE(model_message(with("position(b).force")).find("only contact(A, B) has parts"), std::string::npos);
  std::string load = ball(kBallContacts[2], 0.1);
  load += "loads: [{force: \"contact(b, N).normal*N.x\", at: b}]\n";
  EXPECT_NE(model_message(load).find("may stand in outputs only"), std::string::npos);
}

TEST(ContactSensors, ListedBodiesPassThroughEachOther) {
  const std::string text = R"yaml(
kane: 1
gravity: -9.81*N.z
bodies: {a: {mass: 1, shape: {sphere: 0.1}}, b: {mass: 1, shape: {sphere: 0.1}}, c: {mass: 1, shape: {sphere: 0.1}}}
joints:
  A: {type: prismatic, parent: N, child: a, axis: z, coordinate: x, speed: u}
  B: {type: prismatic, parent: N, child: b, axis: z, coordinate: y, speed: v}
  C: {type: prismatic, parent: N, child: c, axis: z, coordinate: z, speed: w}
contacts: {pile: {all: true, plane: N.z, except: [[a, b]]}}
outputs: {F: "contact(c, a).normal"}
initial: {x: 0.1, y: 0.1, z: 0.3}
)yaml";
  const Model model = read_model_text(text, "pile.yaml");
  for (const auto& pair : model.equations().contact_pairs) EXPECT_EQ(pair.name.find("a.b"), std::string::npos);
  Simulation run(model);
  ASSERT_EQ(run.run({.until = 0.01}).status, RunStatus::Done);
  EXPECT_NE(model_message(text.substr(0, text.find("except")) + "except: [[a, d]]}}\n").find("'d'"), std::string::npos);
}

/// A prism over an L (or over a square, if it is convex) as an OBJ file, and a model that drops it.
std::string write_mesh_model(const std::string& name, bool convex, bool hull) {
  const std::vector<std::pair<double, double>> corners =
      convex ? std::vector<std::pair<double, double>>{{0, 0}, {0.2, 0}, {0.2, 0.2}, {0, 0.2}}
             : std::vector<std::pair<double, double>>{{0, 0}, {0.2, 0}, {0.2, 0.1}, {0.1, 0.1}, {0.1, 0.2}, {0, 0.2}};
  const std::size_t n = corners.size();
  std::string mesh;
  for (const double z : {0.0, 0.1})
    for (const auto& corner : corners) mesh += fmt::format("v {} {} {}\n", corner.first, corner.second, z);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = (i + 1) % n;
    mesh += fmt::format("f {} {} {} {}\n", i + 1, j + 1, n + j + 1, n + i + 1);
  }
  const std::string folder = testing::TempDir();
  std::ofstream(folder + name + ".obj") << mesh;
  std::ofstream(folder + name + ".yaml") << fmt::format(R"yaml(
kane: 1
gravity: -9.81*N.z
bodies: {{b: {{mass: 1, inertia: [1, 1, 1], geometry: {{mesh: {}.obj{}}}}}}}
joints: {{slide: {{type: prismatic, parent: N, child: b, axis: z, coordinate: z, speed: w}}}}
contacts: {{floor: {{between: [b, N], plane: N.z}}}}
initial: {{z: 0.1}}
)yaml",
                                                        name, hull ? ", hull: true" : "");
  return folder + name + ".yaml";
}

TEST(ContactMeshes, TheHullIsTakenOnlyIfItIsMeant) {
  EXPECT_NO_THROW(Simulation(read_model(write_mesh_model("square", true, false))));
  EXPECT_NO_THROW(Simulation(read_model(write_mesh_model("hull", false, true))));
  try {
    Simulation run(read_model(write_mesh_model("corner", false, false)));
    FAIL() << "the hull was taken silently";
  } catch (const ModelError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'corner.obj' of 'b' is not convex"), std::string::npos) << text;
    EXPECT_NE(text.find("up to 0.1 m"), std::string::npos) << text;
    EXPECT_NE(text.find("hull: true"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace kane
