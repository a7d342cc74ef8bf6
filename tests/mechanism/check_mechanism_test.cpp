// Each error in a mechanism is reported in a sentence that names it.

#include <gtest/gtest.h>

#include <functional>

#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/joint_library.hpp"

namespace kane {
namespace {

Joint pin(Mechanism& m, const std::string& name, const std::string& parent, const std::string& child) {
  Joint joint;
  joint.name = name, joint.kind = "revolute", joint.parent = parent, joint.child = child;
  joint.motions = open_joint(joint_kind("revolute", {}));
  name_motions(*m.graph, joint, {}, {});
  return joint;
}

MechanismBody bar(const std::string& name) {
  MechanismBody b;
  b.name = name, b.mass = 1;
  b.inertia = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  return b;
}

Mechanism pendulum() {
  Mechanism m("pendulum");
  m.add_parameter("L", 2);
  m.add_body(bar("A"));
  m.add_body(bar("B"));
  m.add_joint(pin(m, "J", "N", "A"));
  m.add_joint(pin(m, "K", "A", "B"));
  return m;
}

struct BadCase {
  const char* message;
  std::function<void(Mechanism&)> spoil;
};

const BadCase kBad[] = {
    {"names the body 'C', which does not exist", [](Mechanism& m) { m.joints[1].parent = "C"; }},
    {"connects the body 'A' with itself", [](Mechanism& m) { m.joints[0].parent = "A"; }},
    {"never reaches the ground 'N'", [](Mechanism& m) { m.joints[0].parent = "B"; }},
    {"has two parents", [](Mechanism& m) { m.add_joint(pin(m, "L2", "N", "B")); }},
    {"has the ground 'N' as its child", [](Mechanism& m) { std::swap(m.joints[0].parent, m.joints[0].child); }},
    {"no joint connects the body 'C' to the ground", [](Mechanism& m) { m.add_body(bar("C")); }},
    {"two things named 'A'", [](Mechanism& m) { m.add_body(bar("A")); }},
    {"two things named 'J'", [](Mechanism& m) { m.joints[1].name = "J"; }},
    {"cannot be the name of a body", [](Mechanism& m) { m.bodies[0].name = "2 A"; }},
    {"has length zero",
     [](Mechanism& m) {
       m.joints[0].motions[0].axis = {0, 0, 0};
     }},
    {"the mass of the body 'A' is negative", [](Mechanism& m) { m.bodies[0].mass = -1; }},
    {"the friction of the joint 'J' is -1; it must be zero or more",
     [](Mechanism& m) { m.joints[0].motions[0].law.friction = -1; }},
    {"the friction of the joint 'K' is -2; it must be zero or more",
     [](Mechanism& m) { m.joints[1].motions[0].law.friction = -m.graph->symbol("L"); }},
    {"is not symmetric", [](Mechanism& m) { m.bodies[0].inertia[0][1] = 0.5; }},
    {"about its axis y is negative", [](Mechanism& m) { m.bodies[0].inertia[1][1] = -1; }},
    {"is written with the unknown name 'nu'", [](Mechanism& m) { m.bodies[0].mass = m.graph->symbol("nu"); }},
    {"is written with 'q_J'", [](Mechanism& m) { m.bodies[0].mass = m.graph->symbol("q_J"); }},
    {"is not a finite number", [](Mechanism& m) { m.bodies[0].mass = 1 / (m.graph->symbol("L") - 2); }},
    {"lower limit", [](Mechanism& m) { m.joints[0].motions[0].law.lower = 1, m.joints[0].motions[0].law.upper = 0; }},
    {"needs 1 coordinates but has 0", [](Mechanism& m) { m.joints[0].motions[0].coordinates.clear(); }},
    {"locks its ball motion",
     [](Mechanism& m) {
       m.joints[0].motions[0].kind = MotionKind::Ball;
       m.joints[0].motions[0].free = false;
     }},
    {"there is no such coordinate or speed", [](Mechanism& m) { m.initial["q_Jj"] = 1; }},
    {"to be a dependent speed", [](Mechanism& m) { m.dependent_speeds = {"u_none"}; }},
    {"which is not a parameter above it",
     [](Mechanism& m) {
       m.parameters.insert(m.parameters.begin(), {m.graph->symbol("k"), m.graph->symbol("L")});
     }},
    {"measures its angles from 'Z'", [](Mechanism& m) { m.joints[1].rotation_from = "Z"; }},
    {"hangs on its own child", [](Mechanism& m) { m.joints[0].rotation_from = "B"; }},
    {"unknown name 'w'", [](Mechanism& m) { m.gravity.text = "w*N.x"; }},
    {"'N.x' is a vector",
     [](Mechanism& m) {
       m.outputs.push_back({"o", {"sin(N.x)", {}}});
     }},
    {"write dot(a, b) or cross(a, b)", [](Mechanism& m) { m.gravity.text = "N.x*N.y"; }},
    {"is a scalar", [](Mechanism& m) { m.gravity.text = "9.81"; }},
    {"did you mean 'position'",
     [](Mechanism& m) {
       m.outputs.push_back({"o", {"positon(A)", {}}});
     }},
    {"has no rate",
     [](Mechanism& m) {
       m.outputs.push_back({"o", {"L'", {}}});
     }},
    {"acts on motion 3 of the joint 'J'",
     [](Mechanism& m) {
       m.loads.push_back({"f", JointLoad{"J", 2, {}}, {}});
     }},
    {"names the joint 'JJ', which does not exist",
     [](Mechanism& m) {
       m.loads.push_back({"f", JointLoad{"JJ", 0, {}}, {}});
     }},
    {"both ends at the same point",
     [](Mechanism& m) {
       m.loads.push_back({"s", SpringLoad{"A", "A", 1, 0, 0, {}}, {}});
     }},
    {"act on the same body",
     [](Mechanism& m) {
       m.loads.push_back({"s", TorqueLoad{{"N.z", {}}, {}, "A", "A"}, {}});
     }},
    {"relates the point 'A' to itself",
     [](Mechanism& m) {
       m.constraints.push_back({"c", PointConstraint{"A", "A", {}, {}, false}, true, {}});
     }},
    {"cannot roll on itself",
     [](Mechanism& m) {
       m.constraints.push_back({"c", RollingConstraint{"A", "A", {"A.x", {}}, {}}, true, {}});
     }},
    {"states no condition",
     [](Mechanism& m) {
       m.constraints.push_back({"c", ExpressionConstraint{}, true, {}});
     }},
    {"both a path and directions",
     [](Mechanism& m) {
       m.constraints.push_back({"c", PointConstraint{"B", "N", {{"N.x", {}}}, {"N.y", {}}, false}, true, {}});
     }},
    {"which is not an input",
     [](Mechanism& m) {
       m.input_laws.push_back({"T", {"1", {}}});
     }},
};

TEST(CheckMechanism, TheRightOneIsInOrder) {
  EXPECT_TRUE(check_mechanism(pendulum()).empty());
  EXPECT_EQ(form_equations(pendulum()).u.size(), 2U);
}

TEST(CheckMechanism, EveryMistakeGetsASentence) {
  for (const BadCase& bad : kBad) {
    Mechanism m = pendulum();
    bad.spoil(m);
    try {
      (void)form_equations(m);
      ADD_FAILURE() << "no error: " << bad.message;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(bad.message), std::string::npos)
          << "expected: " << bad.message << "\n  actual: " << error.what();
    }
  }
}

TEST(CheckMechanism, InertiasBelowZeroByRoundingGetAWarning) {
  Mechanism m = pendulum();
  m.bodies[0].inertia[0][0] = m.graph->number(rational_from_double(-5.4e-20));
  const auto warnings = check_mechanism(m);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("rounding error"), std::string::npos) << warnings[0];
}

TEST(CheckMechanism, ImprobableThingsGetAWarning) {
  Mechanism m = pendulum();
  m.bodies[0].inertia = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 5}}};
  m.bodies[1].mass = 0;
  m.bodies[1].inertia = {};
  const auto warnings = check_mechanism(m);
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_NE(warnings[0].find("triangle inequality"), std::string::npos);
  EXPECT_NE(warnings[1].find("moves nothing that has mass"), std::string::npos);
}

}  // namespace
}  // namespace kane
