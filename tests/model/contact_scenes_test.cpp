// Scenes of the folder models with many places that touch, against what a drawing of forces says.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "kane/formats/model_reader.hpp"
#include "kane/model/simulation.hpp"

namespace kane {
namespace {

constexpr double kGravity = 9.81;

Model load_scene(const std::string& id) { return read_model(std::string(KANE_SOURCE_DIR) + "/models/" + id + ".yaml"); }

TEST(ContactScenes, AParcelComesToRideOnTheBelt) {
  Simulation run(load_scene("conveyor"));
  constexpr double kV = 0.8, kMu = 0.4, kM = 3, kRide = kV / (kMu * kGravity);
  ASSERT_EQ(run.run({.until = 0.1}).status, RunStatus::Done);
  EXPECT_NEAR(run.value("vx"), kMu * kGravity * 0.1, 1e-9);
  EXPECT_NEAR(run.value("drag"), kMu * kM * kGravity, 1e-6);
  EXPECT_NEAR(run.value("load"), kM * kGravity, 1e-6);
  const RunReport report = run.run({.until = 1});
  ASSERT_EQ(report.status, RunStatus::Done);
  EXPECT_EQ(report.stepping.steps, 0) << "the belt feeds the parcel: that is no rise of energy to step over";
  EXPECT_NEAR(run.value("vx"), kV, 1e-9);
  EXPECT_NEAR(run.value("x"), kV * 1 - kV * kRide / 2, 1e-8);
  EXPECT_NEAR(run.value("drag"), 0, 1e-6);
}

TEST(ContactScenes, AHandHoldsABoxByFriction) {
  Simulation run(load_scene("gripper"));
  EXPECT_NEAR(run.value("press"), 8, 1e-6);
  ASSERT_EQ(run.run({.until = 0.5}).status, RunStatus::Done);
  const double a = 16 * 0.03 * std::cos(4 * 0.5);  // of the hand
  EXPECT_NEAR(run.value("y"), 0.03 * (1 - std::cos(2.0)), 1e-9);
  EXPECT_NEAR(run.value("press"), 8, 1e-6);
  EXPECT_NEAR(run.value("carried"), 0.5 * (kGravity + a), 1e-6);
}

TEST(ContactScenes, AnArchOfDryStonesStands) {
  Simulation run(load_scene("stone_arch"));
  ASSERT_EQ(run.run({.until = 0.1}).status, RunStatus::Done);
  EXPECT_NEAR(run.value("load"), 7 * 40 * kGravity, 1e-2);
  EXPECT_GT(run.value("thrust"), 0);
  EXPECT_NEAR(run.value("y4"), 0, 1e-9);
  EXPECT_NEAR(run.value("w4"), 0, 1e-9);
}

TEST(ContactScenes, CardsLeanAgainstEachOther) {
  const Model cards = load_scene("card_house");
  Simulation run(cards);
  ASSERT_EQ(run.run({.until = 0.05}).status, RunStatus::Done);
  const double thrust = 0.002 * kGravity / 2 * (std::tan(20 * M_PI / 180) - 1.0 / 90);
  EXPECT_NEAR(run.value("thrust"), thrust, 1e-8);
  EXPECT_NEAR(run.value("foot"), thrust, 1e-8);
  Simulation slides(cards, {.parameters = {{"mu", 0.1}}});
  ASSERT_EQ(slides.run({.until = 0.05}).status, RunStatus::Done);
  EXPECT_LT(slides.value("x1"), run.value("x1") - 1e-4);
}

TEST(ContactScenes, AFourLeggedRobotStandsWalksAndFalls) {
  const Model robot = load_scene("quadruped_walk");
  constexpr double kWeight = 9 * kGravity;
  Simulation stands(robot, {.parameters = {{"swing", 0}, {"lift", 0}}});
  ASSERT_EQ(stands.run({.until = 2, .intervals = 20}).status, RunStatus::Done);
  EXPECT_NEAR(stands.value("weight"), kWeight, 0.02 * kWeight);
  EXPECT_GT(stands.value("height"), 0.3);
  Simulation walks(robot);
  ASSERT_EQ(walks.run({.until = 2, .intervals = 20}).status, RunStatus::Done);
  EXPECT_GT(walks.value("forward"), 0.4);
  EXPECT_GT(walks.value("height"), 0.28);
  Simulation falls(robot, {.parameters = {{"hold", 0}}});
  ASSERT_EQ(falls.run({.until = 1.5, .intervals = 15}).status, RunStatus::Done);
  EXPECT_NEAR(falls.value("height"), 0.04, 1e-3) << "on its belly";
  EXPECT_NEAR(falls.value("weight"), kWeight, 0.02 * kWeight);
}

}  // namespace
}  // namespace kane
