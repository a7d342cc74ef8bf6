// The recursive formulations and the projection agree on random trees of rigid and flexible bodies.

#include <gtest/gtest.h>

#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/formulation.hpp"
#include "tests/mechanism/situation.hpp"

namespace kane {
namespace {

using testing::distance;
using testing::RandomTree;

/// Beams of any kind of modes and rigid bodies, in any order, on joints of any kind at any place of each other.
class FlexibleTree {
 public:
  explicit FlexibleTree(unsigned seed) : random_(seed), m_("flexible tree") {}

  Mechanism make(int bodies) {
    m_.set_gravity({0.4, -9.81, 1.5});
    bool flexible = false;
    for (int i = 0; i < bodies; ++i) {
      const bool bends = random_.whole(0, 2) > 0 || (i + 1 == bodies && !flexible);
      flexible = flexible || bends;
      add_body(i, bends);
    }
    return m_;
  }

 private:
  double number(double low, double high) { return std::round(random_.uniform(low, high) * 1000) / 1000; }

  FlexibleBeam beam() {
    FlexibleBeam b;
    b.length = number(0.5, 1.5), b.mass_per_length = number(0.5, 2);
    b.bending_y = number(5, 20), b.bending_z = number(5, 20);
    b.torsion = number(3, 9), b.tension = number(100, 300);
    b.section_inertia = {Expr(0.04), Expr(0.015), Expr(0.025)};
    static constexpr BeamShapes kShapes[] = {BeamShapes::Cantilever, BeamShapes::Polynomial, BeamShapes::Pinned};
    b.shapes = kShapes[random_.whole(0, 2)];
    b.modes.push_back({BeamMotion::BendY, random_.whole(1, 2)});
    if (random_.whole(0, 1) == 0) b.modes.push_back({BeamMotion::BendZ, random_.whole(1, 2)});
    if (random_.whole(0, 2) == 0) b.modes.push_back({BeamMotion::Twist, 1});
    if (random_.whole(0, 3) == 0) b.modes.push_back({BeamMotion::Stretch, 1});
    if (random_.whole(0, 3) == 0) {
      b.shear_y = 200;
      b.modes.push_back({BeamMotion::ShearY, 1});
    }
    if (random_.whole(0, 2) == 0 && b.shear_y.is_zero()) b.exact = true;
    if (random_.whole(0, 3) == 0) b.premature = true;
    b.viscosity = 0.01;
    if (random_.whole(0, 2) == 0) b.offset = {Expr(number(-0.1, 0.1)), Expr(number(-0.1, 0.1))};
    b.coupled = random_.whole(0, 1) == 0;
    return b;
  }

  void add_body(int i, bool bends) {
    const std::string name = "B" + std::to_string(i);
    MechanismBody body;
    body.name = name;
    Joint joint;
    joint.name = "j" + std::to_string(i);
    joint.child = name;
    joint.parent = "N";
    joint.on_parent = random_.placement();
    joint.on_child = random_.placement();
    if (i > 0 && random_.whole(0, 5) > 0) {
      const auto p = static_cast<std::size_t>(random_.whole(0, i - 1));
      joint.parent = "B" + std::to_string(p);
      if (lengths_[p] > 0) joint.on_parent.position[0] = place_on(lengths_[p]);
    }
    lengths_.push_back(0);
    if (bends) {
      body.flexible = beam();
      name_beam_coordinates(*m_.graph, name, *body.flexible);
      lengths_.back() = evaluate(m_.graph->bind(body.flexible->length), {});
      joint.on_child.position = {};
    } else {
      body.mass = number(0.5, 2);
      body.mass_centre = {number(-0.2, 0.2), 0, number(-0.2, 0.2)};
      body.inertia = random_.inertia();
    }
    static constexpr const char* kKinds[] = {"revolute", "revolute", "prismatic", "universal", "spherical", "weld"};
    joint.kind = i == 0 && random_.whole(0, 2) == 0 ? "free" : kKinds[random_.whole(0, 5)];
    joint.motions = open_joint(joint_kind(joint.kind, {}));
    for (auto& motion : joint.motions) {
      if (joint.motions.size() == 1 && motion.kind != MotionKind::Ball) motion.axis = random_.axis();
      if (motion.free && !bends && motion.kind != MotionKind::Ball) motion.law.stiffness = 3;
    }
    name_motions(*m_.graph, joint, {}, {});
    m_.add_body(std::move(body));
    m_.add_joint(std::move(joint));
    if (bends && random_.whole(0, 1) == 0)
      m_.add_particle("P" + std::to_string(i),
                      {.mass = 0.3, .on = name, .at = {place_on(lengths_.back()), 0.1, -0.05}});
  }

  /// The root, the tip, or somewhere between.
  double place_on(double length) {
    const int k = random_.whole(0, 3);
    return k == 0 ? 0.0 : k == 1 ? length : number(0.1, 0.9) * length;
  }

  RandomTree random_;
  Mechanism m_;
  std::vector<double> lengths_;  ///< zero: rigid
};

struct FlexibleNumbers {
  std::vector<double> udot, M, rhs, inverse, active;
};

FlexibleNumbers numbers_of(const Mechanism& mechanism, Formulation formulation, bool regroup, unsigned seed) {
  FormOptions options;
  options.formulation = formulation;
  options.regroup = regroup;
  const EquationsOfMotion e = form_equations(copy_mechanism(mechanism), options);
  RandomTree random(seed);
  Values values = testing::random_state(e, random);
  for (const Expr& q : e.q)
    if (q.name().find("_q") != std::string::npos) values[q.name()] *= 0.03;  // amplitudes of modes
  return {evaluate(e.udot_explicit, values), evaluate(e.M.entries, values), evaluate(e.rhs, values),
          evaluate(e.inverse, values), evaluate(e.active, values)};
}

class FlexibleTrees : public ::testing::TestWithParam<int> {};

TEST_P(FlexibleTrees, FormulationsAgree) {
  constexpr int kTrees = 6;
  for (int i = 0; i < kTrees; ++i) {
    const auto seed = static_cast<unsigned>(GetParam() * kTrees + i);
    const Mechanism mechanism = FlexibleTree(seed).make(1 + static_cast<int>(seed % 4));
    const FlexibleNumbers projection = numbers_of(mechanism, Formulation::Projection, true, seed);
    const std::vector<double> udot = testing::solve(projection.M, projection.rhs);
    for (const Formulation formulation : {Formulation::Composite, Formulation::Articulated}) {
      for (const bool regroup : {true, false}) {
        const FlexibleNumbers other = numbers_of(mechanism, formulation, regroup, seed);
        EXPECT_LT(distance(other.M, projection.M), 1e-11) << "seed " << seed;
        EXPECT_LT(distance(other.rhs, projection.rhs), 1e-11) << "seed " << seed;
        EXPECT_LT(distance(other.inverse, projection.inverse), 1e-11) << "seed " << seed;
        EXPECT_LT(distance(other.active, projection.active), 1e-11) << "seed " << seed;
        EXPECT_LT(distance(other.udot, udot), 1e-11) << "seed " << seed << " " << to_string(formulation);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Trees, FlexibleTrees, ::testing::Range(0, 4));

TEST(FlexibleTree, SlidingAttachmentsAreRefusedByName) {
  Mechanism m("slide");
  FlexibleBeam beam;
  beam.length = beam.mass_per_length = beam.bending_y = 1;
  beam.modes = {{BeamMotion::BendY, 2}};
  m.add_body("B", {.flexible = beam});
  m.weld("root", BodyRef(m.ground), "B");
  const Expr s = m.graph->symbol("s");
  m.extra_coordinates.push_back(s);
  m.add_particle("P", {.mass = 1, .on = "B", .at = {s, 0, 0}});
  EXPECT_NE(why_no_tree(m), "");
  Mechanism rigid("rigid");
  rigid.add_body("A", {.mass = 1, .inertia = {1, 1, 1}});
  rigid.add_body("C", {.mass = 1, .inertia = {1, 1, 1}});
  rigid.revolute("turn", BodyRef(rigid.ground), "A", axis::z, {.coordinate = "q1"});
  rigid.revolute("other", BodyRef(rigid.ground), "C", axis::z, {.coordinate = "q2"});
  EXPECT_EQ(why_no_tree(rigid), "");
  rigid.add_particle("P", {.mass = 1, .on = "A", .at = {rigid.graph->symbol("q2"), 0, 0}});
  EXPECT_EQ(why_no_tree(rigid), "the particle 'P' slides along its body");
}

}  // namespace
}  // namespace kane
