// The page a person reads: the corrected equations of Buffinton section 6.3, and the same page in all forms.

#include "kane/mechanics/derivation_page.hpp"

#include <gtest/gtest.h>

#include "oracle.hpp"

namespace kane::test {
namespace {

/// Buffinton's robot of figure 6.1.
struct Robot {
  System s{"planar2r"};
  Robot() {
    const Expr m = s.add_parameter("m", 1.3), L = s.add_parameter("L", 0.7), g = s.add_parameter("g", 9.81);
    const Expr q1 = s.add_coordinate("q1"), q2 = s.add_coordinate("q2");
    const FrameId N = s.inertial(), A = s.add_frame("A", N, SimpleRotation{Axis::Z, q1});
    const FrameId B = s.add_frame("B", A, SimpleRotation{Axis::Z, q2});
    const PointId P1 = s.add_point("P1", s.origin(), L * x(A)), P2 = s.add_point("P2", P1, L * x(B));
    s.add_particle("P1", P1, m);
    s.add_particle("P2", P2, m);
    s.add_speed("u1", s.rate(q1));
    s.add_speed("u2", s.rate(q2));
    s.add_gravity(-g * y(N));
    s.add_torque("TA", A, s.add_input("TA") * z(A));
    s.add_torque_pair("TAB", B, A, s.add_input("TAB") * z(B));
  }
  std::string text(const std::vector<int>& steps = {}) {
    KaneDerivation d(s);
    return write_text(form_derivation_page(d, {.steps = steps}));
  }
};

/// Whole lines, apart from the number at the end of an equation.
void expect_lines(const std::string& page, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    const std::size_t at = page.find("\n  " + line), after = at + 3 + line.size();
    ASSERT_NE(at, std::string::npos) << line << page;
    std::string rest = page.substr(after, page.find('\n', after) - after);
    if (rest.starts_with("   ") && rest.ends_with(")")) std::erase_if(rest, [](char c) { return c != '='; });
    EXPECT_EQ(rest, "") << line;
  }
}

TEST(DerivationPage, PlanarRobotAsInTheTextbook) {
  const std::string page = Robot().text();
  expect_lines(page, {
                         // (6.14) to (6.19)
                         "omega(A) = u1 A.z",
                         "omega(B) = (u1 + u2) B.z",
                         "v(P1) = L*u1 A.y",
                         "v(P2) = L*u1 A.y + L*(u1 + u2) B.y",
                         "a(P1) = -L*u1^2 A.x + L*u1' A.y",
                         "a(P2) = -L*u1^2 A.x + L*u1' A.y - L*(u1 + u2)^2 B.x + L*(u1' + u2') B.y",
                         // table 6.1
                         "1 (u1)  L A.y    L A.y + L B.y  A.z         B.z",
                         "2 (u2)  0        L B.y          0           B.z",
                         // (6.21), (6.22), (6.24), (6.25), corrected
                         "F*_1 = -m*L^2*((3 + 2*cos(q2))*u1' + (1 + cos(q2))*u2' - sin(q2)*u2*(2*u1 + u2))",
                         "F*_2 = -m*L^2*((1 + cos(q2))*u1' + u2' + sin(q2)*u1^2)",
                         "F_1 = TA - m*L*g*(2*cos(q1) + cos(q1 + q2))",
                         "F_2 = TAB - m*L*g*cos(q1 + q2)",
                         // what the frames are, and numbers as people write them
                         "A      N            q1 about z",
                         "m          1.3",
                     });
}

TEST(DerivationPage, LeadsWithTheEquationsOfMotion) {
  const std::string page = Robot().text();
  const std::size_t lead = page.find("\nEquations of motion\n==="), first = page.find("(1)\n");
  ASSERT_NE(lead, std::string::npos) << page;
  EXPECT_LT(lead, first);
  EXPECT_LT(first, page.find("\n1. Preliminaries\n"));
  EXPECT_NE(page.find("q1' = u1   (3)\n"), std::string::npos) << page;
  EXPECT_NE(page.find("F_r + F*_r = 0 for r = 1 to 2, the sums of steps 6 and 7, are equations (1) and (2)."),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("Solved for the derivatives of the coordinates, they are equations (3) and (4)."),
            std::string::npos);
}

TEST(DerivationPage, TablesHaveUnits) {
  Robot robot;
  KaneDerivation d(robot.s);
  const std::string page = write_text(form_derivation_page(
      d, {.units = {
              {"m", "kg"}, {"L", "m"}, {"g", "m/s^2"}, {"TA", "N*m"}, {"q1", "rad"}, {"q2", "rad"}, {"u1", "rad/s"}}}));
  expect_lines(page, {"parameter  value  unit", "m          1.3    kg", "g          9.81   m/s^2",
                      "TA     0                    N*m"});
  EXPECT_NE(page.find("Generalized coordinates: q1, q2 (rad). Generalized speeds: u1 (rad/s), u2, by definition:"),
            std::string::npos)
      << page;
}

/// Constant rotations in degrees about an axis, and those about an axis of the frame by a parameter: no matrices.
TEST(DerivationPage, ConstantRotationsAreAnglesAboutAxes) {
  System s("frames");
  const Expr a = s.add_parameter("alpha", 0.3), q = s.add_coordinate("q");
  const FrameId N = s.inertial();
  s.add_frame("A", N, DirectionCosines{{{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}}});
  s.add_frame("B", N, DirectionCosines{{{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}});
  s.add_frame("C", N, DirectionCosines{{{{cos(a), sin(a), 0}, {-sin(a), cos(a), 0}, {0, 0, 1}}}});
  s.add_frame("D", N, DirectionCosines{{{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}}});
  s.add_frame("E", N, SimpleRotation{Axis::Y, -s.shared_graph()->pi() / 6});
  const FrameId F = s.add_frame("F", N, SimpleRotation{Axis::Z, q});
  s.add_particle("P", s.add_point("P", s.origin(), x(F)), Expr(1));
  s.add_speed("u", s.rate(q));
  KaneDerivation d(s);
  expect_lines(write_text(form_derivation_page(d, {.steps = {1}})),
               {"A      N            90\u00b0 about x", "B      N            120\u00b0 about (1, 1, 1)",
                "C      N            -alpha about z", "D      N            180\u00b0 about z",
                "E      N            -30\u00b0 about y", "F      N            q about z"});
}

TEST(DerivationPage, SingleSteps) {
  const std::string page = Robot().text({7});
  EXPECT_NE(page.find("F_2 = TAB"), std::string::npos);
  EXPECT_EQ(page.find("F*_2"), std::string::npos);
}

/// Braces, brackets of \left and \right, and environments come in pairs.
void expect_balanced(const std::string& latex) {
  const auto count = [&](std::string_view what) {
    int n = 0;
    for (auto at = latex.find(what); at != std::string::npos; at = latex.find(what, at + what.size())) ++n;
    return n;
  };
  EXPECT_EQ(count("{") - count("\\{"), count("}") - count("\\}"));
  EXPECT_EQ(count("\\left"), count("\\right"));
  EXPECT_EQ(count("\\begin{"), count("\\end{"));
}

TEST(DerivationPage, AllForms) {
  Robot robot;
  robot.s.add_motion_constraint("hold_it", sym(robot.s, "u1") - sym(robot.s, "u2"));
  robot.s.add_auxiliary_speed("side_force", robot.s.point("P2"), z(robot.s.inertial()));
  KaneDerivation d(robot.s);
  const Page page = form_derivation_page(d);
  const std::string latex = write_latex(page), html = write_html(page), markdown = write_markdown(page);
  expect_balanced(latex);
  EXPECT_NE(latex.find("\\boldsymbol{\\omega}^{\\mathrm{B}}"), std::string::npos);
  EXPECT_NE(latex.find("side\\_force"), std::string::npos);
  EXPECT_EQ(markdown.find("$\\text{body}$"), std::string::npos);  // words are not mathematics
  EXPECT_NE(markdown.find("| body | mass, kg |"), std::string::npos);
  // Self-contained, typeset by the browser.
  EXPECT_NE(html.find("<math"), std::string::npos);
  for (const char* outside : {"src=", "href='h", "href=\"", "@import", "url(h", "url('", "url(\""})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  expect_lines(write_text(page), {"u1 - u2 = 0    (hold_it)", "side_force = 0"});
}

TEST(DerivationPage, LongExpressionsThroughIntermediateVariables) {
  System s("chain");
  const FrameId N = s.inertial();
  FrameId F = N;
  PointId end = s.origin();
  for (int i = 1; i <= 4; ++i) {  // axes in turn: nothing to contract
    const Expr q = s.add_coordinate("q" + std::to_string(i));
    F = s.add_frame("F" + std::to_string(i), F, SimpleRotation{static_cast<Axis>(i % 3), q});
    end = s.add_point("P" + std::to_string(i), end, x(F) + 2 * y(F) - z(F));
    s.add_particle("P" + std::to_string(i), end, Expr(1));
    s.add_speed("u" + std::to_string(i), s.rate(q));
  }
  s.add_gravity(-y(N));
  KaneDerivation d(s);
  const std::string page = write_text(form_derivation_page(d, {.max_terms = 20, .steps = {8}}));
  EXPECT_NE(page.find("\n  Z1 = "), std::string::npos);
  std::size_t longest = 0;
  for (std::size_t at = 0; at != std::string::npos;) {
    const std::size_t next = page.find('\n', at);
    const std::size_t line_end = next == std::string::npos ? page.size() : next;
    if (page.substr(at, 2) == "  ") longest = std::max(longest, line_end - at);  // formulas
    at = next == std::string::npos ? next : next + 1;
  }
  EXPECT_LT(longest, 120U);
}

}  // namespace
}  // namespace kane::test
