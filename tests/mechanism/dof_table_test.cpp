// The table of potential degrees of freedom: constraint forces against a full system of multipliers, in which every locked
// axis is free and held by a constraint of its own.

#include "kane/mechanism/dof_table.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kane/mechanism/copy_mechanism.hpp"
#include "tests/mechanism/situation.hpp"

namespace kane {
namespace {

using testing::RandomTree;
using testing::Situation;

/// A tree of general joints with locked, free and prescribed axes; loads within joints, across them and from outside.
Mechanism general_tree(unsigned seed) {
  static constexpr const char* kSequences[] = {"123", "213", "312", "321", "231", "132", "313", "121"};
  RandomTree random(seed);
  Mechanism m("general");
  m.add_parameter("g", 9.81);
  m.gravity.text = "-g*N.z + 0.3*g*N.x";
  const int bodies = random.whole(2, 4);
  for (int i = 0; i < bodies; ++i) {
    MechanismBody body;
    body.name = "B" + std::to_string(i);
    body.mass = 1.3;
    body.mass_centre = {0.1, -0.2, 0.15};
    body.inertia = random.inertia();
    Joint joint;
    joint.name = "J" + std::to_string(i);
    joint.kind = "general";
    joint.parent = i == 0 ? "N" : "B" + std::to_string(random.whole(0, i - 1));
    joint.child = body.name;
    joint.on_parent = random.placement();
    joint.on_child = random.placement();
    const auto some = [&] {
      std::vector<int> free;
      for (int k = 1; k <= 3; ++k)
        if (random.whole(0, 2) == 0) free.push_back(k);
      return free;
    };
    std::vector<int> turns = some();
    if (turns.empty()) turns = {random.whole(1, 3)};
    joint.motions =
        open_general_joint({kSequences[random.whole(0, 5)], some()}, {kSequences[random.whole(0, 7)], turns}, {});
    for (ElementaryMotion& motion : joint.motions) {
      if (motion.free) {
        motion.law.stiffness = 2, motion.law.damping = 0.3;
      } else {
        motion.value = 0.2 + 0.1 * random.whole(0, 4);
        if (random.whole(0, 3) == 0) motion.value = Expr(1) / 2 + sin(2 * m.time()) / 5;
      }
    }
    name_motions(*m.graph, joint, {}, {});
    m.add_body(body);
    m.add_joint(joint);
  }
  m.points.push_back({"P", "B0", {0.2, 0.1, -0.1}, {}});
  m.points.push_back({"Q", "B1", {-0.1, 0.3, 0.2}, {}});
  const std::string parent = m.joints.back().parent, child = m.joints.back().child;
  m.loads.push_back({"thrust", ForceLoad{{"3*B0.x - 2*N.y", {}}, {}, "P", ""}, {}});
  m.loads.push_back({"pull", ForceLoad{{"2*B1.y", {}}, {}, "Q", "P"}, {}});
  m.loads.push_back({"beside", TorqueLoad{{"1.5*N.x + B0.z", {}}, {}, child, parent}, {}});
  m.loads.push_back({"across", TorqueLoad{{"0.5*B1.y", {}}, {}, "B1", "B0"}, {}});
  m.loads.push_back({"wheel", TorqueLoad{{"0.7*B1.z", {}}, {}, "B1", ""}, {}});
  m.loads.push_back({"spring", SpringLoad{"P", "Q", 4, 0.1, 0.2, {}}, {}});
  return m;
}

/// A locked axis made free, with where it stands and how it moves.
struct Held {
  std::string coordinate, speed;
  Expr value;
};

/// All axes free; the locked ones in the order of the table.
std::vector<Held> set_free(Mechanism& m) {
  std::vector<Held> held;
  for (Joint& joint : m.joints) {
    for (const std::size_t i : {3U, 4U, 5U, 0U, 1U, 2U}) {  // rotations come first in the table
      ElementaryMotion& motion = joint.motions[i];
      if (motion.free) continue;
      held.push_back({fmt::format("h_{}_{}", joint.name, i), fmt::format("s_{}_{}", joint.name, i), motion.value});
      motion.free = true;
      motion.coordinates = {m.graph->symbol(held.back().coordinate)};
      motion.speeds = {m.graph->symbol(held.back().speed)};
    }
  }
  return held;
}

TEST(DofTable, ConstraintForcesAreThoseOfTheFullSystem) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Mechanism m = general_tree(seed);
    Situation locked(m, seed);
    locked.solve_motion();
    const DofTable table = form_dof_table(m, lower_mechanism(m), locked.e);

    Mechanism freed = copy_mechanism(m);
    const std::vector<Held> held = set_free(freed);
    Situation full(freed, seed);
    for (const auto* symbols : {&locked.e.q, &locked.e.u})
      for (const Expr& s : *symbols) full.value(s) = locked.value(s);
    const double t = full.values.at("t");
    const std::size_t n = full.e.u.size(), size = n + held.size();
    std::vector<double> a(size * size), gamma;
    for (std::size_t k = 0; k < held.size(); ++k) {
      full.values[held[k].coordinate] = evaluate(held[k].value, {{"t", t}});
      const bool moves = evaluate(held[k].value, {{"t", 0}}) != evaluate(held[k].value, {{"t", 0.1}});
      full.values[held[k].speed] = moves ? 0.4 * std::cos(2 * t) : 0.0;
      gamma.push_back(moves ? -0.8 * std::sin(2 * t) : 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        if (full.e.u[i].name() != held[k].speed) continue;
        a[(n + k) * size + i] = 1;
        a[i * size + n + k] = -1;
      }
    }
    const std::vector<double> M = full.numbers(full.e.M.entries);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) a[i * size + j] = M[i * n + j];
    std::vector<double> b = full.numbers(full.e.rhs);
    b.insert(b.end(), gamma.begin(), gamma.end());
    const std::vector<double> x = testing::solve(a, b);

    const std::vector<double> forces = locked.numbers(table.constraint_forces());
    EXPECT_EQ(table.constraint_count, static_cast<int>(held.size()));
    EXPECT_EQ(table.free_count + table.constraint_count, static_cast<int>(6 * m.bodies.size()));
    EXPECT_LT(testing::distance(forces, {x.begin() + static_cast<std::ptrdiff_t>(n), x.end()}), 1e-11);
  }
}

TEST(DofTable, NamesEveryAxis) {
  Mechanism m("arm");
  RandomTree random(1);
  for (int i = 0; i < 2; ++i) {
    MechanismBody body;
    body.name = i == 0 ? "A" : "B";
    body.mass = 1;
    body.inertia = random.inertia();
    m.add_body(body);
    Joint joint;
    joint.name = i == 0 ? "base" : "slide";
    joint.kind = i == 0 ? "free" : "cylindrical";
    joint.parent = i == 0 ? "N" : "A";
    joint.child = body.name;
    joint.motions = open_joint(joint_kind(joint.kind, {}));
    name_motions(*m.graph, joint, {}, {});
    m.add_joint(joint);
  }
  const EquationsOfMotion e = testing::form(m, Formulation::Automatic, false);
  const DofTable table = form_dof_table(m, lower_mechanism(m), e);
  EXPECT_EQ(table.free_count, 8);
  EXPECT_EQ(table.constraint_names(),
            (std::vector<std::string>{"slide.Rot2", "slide.Rot3", "slide.Trn2", "slide.Trn3"}));
  ASSERT_EQ(table.entries.size(), 2U);
  const DofEntry &base = table.entries[0], &slide = table.entries[1];
  EXPECT_EQ(base.translation_sequence, "123");
  EXPECT_EQ(e.q[static_cast<std::size_t>(base.spherical_coordinate)].name(), "q_base_7");
  EXPECT_EQ(e.u[static_cast<std::size_t>(base.axes[1].speed)].name(), "w_base_y");
  EXPECT_TRUE(slide.axes[0].free && slide.axes[3].free);
  EXPECT_EQ(e.u[static_cast<std::size_t>(slide.axes[0].speed)].name(), "u_slide_2");
  EXPECT_EQ(slide.axes[4].constraint, 2);
  const std::string text = to_text(table);
  EXPECT_NE(text.find("8 degrees of freedom, 4 constraints"), std::string::npos) << text;
  EXPECT_NE(text.find("(Sph)"), std::string::npos) << text;
}

}  // namespace
}  // namespace kane
