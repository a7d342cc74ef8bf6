// AUTOLEV scripts against Kane's own derivation of the same systems, and against closed forms.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <filesystem>
#include <random>

#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/autolev/programs.hpp"
#include "kane/formats/autolev/script_system.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/mechanics/kane.hpp"
#include "kane/model/simulation.hpp"

namespace kane::autolev {
namespace {

constexpr double kPi = 3.14159265358979323846;

std::filesystem::path script_file(const std::string& name) {
  return std::filesystem::path(KANE_SOURCE_DIR) / "models" / "autolev" / (name + ".al");
}

ScriptSystem system_of_file(const std::string& name) {
  Session session({.folder = script_file(name).parent_path()});
  session.run_file(script_file(name));
  return make_system(session, name);
}

/// u' of a script at a state; parameters as the script gives them unless `values` has them.
std::vector<double> script_udot(const ScriptSystem& s, Values values) {
  for (const auto& [name, value] : s.constants) values.try_emplace(name, value);
  for (const auto& input : s.equations.inputs) values.try_emplace(input.symbol.name(), evaluate(input.value, {}));
  return evaluate(std::span<const Expr>(s.udot), values);
}

Values random_state(const ScriptSystem& s, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1.2, 1.2);
  Values values{{"t", number(random)}};
  for (const Expr& q : s.equations.q) values[q.name()] = number(random);
  for (const Expr& u : s.equations.u) values[u.name()] = number(random);
  return values;
}

/// u' by Kane's own derivation, constraints embedded by projection.
std::vector<double> own_udot(const EquationsOfMotion& e, const Values& values) {
  const bool embedded = e.embedded.has_value();
  const ExprMatrix& m = embedded ? e.embedded->M : e.M;
  const auto& rhs = embedded ? e.embedded->rhs : e.rhs;
  Eigen::MatrixXd M(m.rows, m.columns);
  Eigen::VectorXd b(m.rows);
  for (int i = 0; i < m.rows; ++i) {
    b[i] = evaluate(rhs[static_cast<std::size_t>(i)], values);
    for (int j = 0; j < m.columns; ++j) M(i, j) = evaluate(m(i, j), values);
  }
  const Eigen::VectorXd x = M.fullPivLu().solve(b);
  return {x.begin(), x.end()};
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance = 1e-12) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], tolerance * (1 + std::abs(b[i]))) << "u' number " << i + 1;
}

TEST(AutolevDynamics, DoublePendulumIsThatOfTheWorkbench) {
  const ScriptSystem script = system_of_file("double_pendulum");
  System s("pendulum");
  const Expr L1 = s.add_parameter("L1"), L2 = s.add_parameter("L2"), M1 = s.add_parameter("M1"),
             M2 = s.add_parameter("M2");
  const Expr G = s.add_parameter("G");
  const Expr q1 = s.add_coordinate("Q1"), q2 = s.add_coordinate("Q2");
  const FrameId A = s.add_frame("A", s.inertial(), SimpleRotation{Axis::Z, q1});
  const FrameId B = s.add_frame("B", s.inertial(), SimpleRotation{Axis::Z, q2});
  const PointId P = s.add_point("P", s.origin(), L1 * x(A));
  const PointId R = s.add_point("R", P, L2 * x(B));
  s.add_particle("P", P, M1);
  s.add_particle("R", R, M2);
  s.add_speed("U1", s.rate(q1));
  s.add_speed("U2", s.rate(q2));
  s.add_gravity(G * x(s.inertial()));
  const EquationsOfMotion own = form_equations(s);
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    Values values = random_state(script, random);
    for (const auto& [name, value] : script.constants) values[name] = value;
    expect_near(script_udot(script, values), own_udot(own, values));
  }
}

TEST(AutolevDynamics, RollingDiskIsThatOfTheWorkbench) {
  const ScriptSystem script = system_of_file("rolling_disk");
  System s("disk");
  const Expr M = s.add_parameter("M"), R = s.add_parameter("R"), G = s.add_parameter("G");
  std::vector<Expr> q;
  for (int i = 1; i <= 5; ++i) q.push_back(s.add_coordinate("Q" + std::to_string(i)));
  const FrameId A = s.add_frame("A", s.inertial(), SimpleRotation{Axis::Z, q[0]});
  const FrameId B = s.add_frame("B", A, SimpleRotation{Axis::X, q[1]});
  const FrameId C = s.add_frame("C", B, SimpleRotation{Axis::Y, q[2]});
  const PointId Co = s.add_point("Co", s.origin(), q[3] * x(s.inertial()) + q[4] * y(s.inertial()) - R * z(B));
  s.fix_point(Co, C);
  const PointId at = s.add_point("at", Co, R * z(B));
  const PointId K = s.add_point_of("K", C, at);
  const Expr I = M * R * R / 4;
  s.add_body("C", {.frame = C, .mass_centre = Co, .mass = M, .inertia = inertia(C, I, 2 * I, I)});
  const Vector w = s.angular_velocity(C);
  s.add_speed("U1", s.dot(w, x(B)));
  s.add_speed("U2", s.dot(w, y(B)));
  s.add_speed("U3", s.dot(w, z(B)));
  const Expr u4 = s.add_speed("U4", s.rate(q[3]));
  const Expr u5 = s.add_speed("U5", s.rate(q[4]));
  s.add_velocity_constraint("x", K, s.origin(), x(A));
  s.add_velocity_constraint("y", K, s.origin(), y(A));
  s.set_dependent_speeds({u4, u5});
  s.add_gravity(G * z(s.inertial()));
  const EquationsOfMotion own = form_equations(s);
  ASSERT_TRUE(own.embedded.has_value());
  std::mt19937 random(2);
  for (int i = 0; i < 20; ++i) {
    Values values = random_state(script, random);
    for (const auto& [name, value] : script.constants) values[name] = value;
    // The dependent speeds of the workbench follow from the independent ones.
    std::vector<Expr> d;
    for (std::size_t r = 0; r < own.embedded->dependent.size(); ++r) {
      double sum = evaluate(own.embedded->E[r], values);
      for (std::size_t c = 0; c < own.embedded->independent.size(); ++c)
        sum += evaluate(own.embedded->D(r, c), values) *
               values.at(own.u[static_cast<std::size_t>(own.embedded->independent[c])].name());
      values[own.u[static_cast<std::size_t>(own.embedded->dependent[r])].name()] = sum;
    }
    expect_near(script_udot(script, values), own_udot(own, values), 1e-11);
  }
}

TEST(AutolevDynamics, SpacecraftKeepsItsAngularMomentumRate) {
  // Internal torques: H is constant in N, so its magnitude is.
  ScriptSystem script = system_of_file("spacecraft");
  script.run.relative = 1e-11;
  const ScriptRun run = simulate_script(script, "spacecraft");
  EXPECT_EQ(run.failure, "");
  ASSERT_EQ(run.files.size(), 1U);
  std::istringstream lines(run.files[0].text);
  std::string line;
  double first = 0;
  int count = 0;
  while (std::getline(lines, line)) {
    if (line.starts_with('%')) continue;
    std::istringstream numbers(line);
    double value = 0;
    while (numbers >> value) {
    }
    if (count++ == 0) first = value;
    EXPECT_NEAR(value, first, 1e-9 * first);
  }
  EXPECT_EQ(count, 201);
}

TEST(AutolevDynamics, AuxiliarySpeedsGiveThePinForce) {
  const ScriptSystem script = system_of_file("auxiliary");
  ASSERT_EQ(script.equations.u.size(), 1U);
  std::mt19937 random(3);
  const Values c(script.constants.begin(), script.constants.end());
  const double L = c.at("L"), G = c.at("G"), I = c.at("IA"), m = c.at("M");
  for (int i = 0; i < 10; ++i) {
    Values values = random_state(script, random);
    const double q = values.at("Q"), u = values.at("U1");
    const double a = -m * G * L * std::sin(q) / (I + m * L * L);
    const auto udot = script_udot(script, values);
    EXPECT_NEAR(udot.at(0), a, 1e-12);
    // The pin force is what gravity leaves of m times the acceleration of the mass centre.
    const double ax = L * (-std::sin(q) * a - std::cos(q) * u * u), ay = L * (std::cos(q) * a - std::sin(q) * u * u);
    for (const auto& [name, value] : script.constants) values[name] = value;
    values["U1'"] = udot[0];
    for (const auto& o : script.equations.outputs) {
      if (o.name == "FX") {
        EXPECT_NEAR(evaluate(o.value, values), m * ax - m * G, 1e-11);
      }
      if (o.name == "FY") {
        EXPECT_NEAR(evaluate(o.value, values), m * ay, 1e-11);
      }
    }
  }
}

TEST(AutolevDynamics, FourBarIsThatOfTheWorkbench) {
  const ScriptSystem script = system_of_file("four_bar");
  System s("fourbar");
  std::map<std::string, Expr> p;
  for (const char* name : {"LA", "LB", "LC", "LN", "MA", "MB", "MC", "G"}) p[name] = s.add_parameter(name);
  const Expr q1 = s.add_coordinate("Q1"), q2 = s.add_coordinate("Q2"), q3 = s.add_coordinate("Q3");
  const FrameId N = s.inertial();
  const FrameId A = s.add_frame("A", N, SimpleRotation{Axis::Z, q1});
  const FrameId B = s.add_frame("B", N, SimpleRotation{Axis::Z, q2});
  const FrameId C = s.add_frame("C", N, SimpleRotation{Axis::Z, q3});
  const auto rod = [&](const char* name, FrameId f, PointId from, const Expr& length, const Expr& mass) {
    const PointId centre = s.add_point(std::string(name) + "o", from, length / 2 * x(f));
    s.add_body(
        name,
        {.frame = f, .mass_centre = centre, .mass = mass, .inertia = inertia(f, 0, 0, mass * length * length / 12)});
    return s.add_point(std::string(name) + "end", from, length * x(f));
  };
  const PointId PB = rod("A", A, s.origin(), p["LA"], p["MA"]);
  const PointId PC = rod("B", B, PB, p["LB"], p["MB"]);
  const PointId PD = rod("C", C, PC, p["LC"], p["MC"]);
  s.add_speed("U1", s.rate(q1));
  const Expr u2 = s.add_speed("U2", s.rate(q2)), u3 = s.add_speed("U3", s.rate(q3));
  const Vector loop = s.position(PD) - p["LN"] * x(N);
  s.add_configuration_constraint("x", s.dot(loop, x(N)));
  s.add_configuration_constraint("y", s.dot(loop, y(N)));
  s.set_dependent_speeds({u2, u3});
  s.add_gravity(-p["G"] * y(N));
  s.add_torque("tau", A, 2 * cos(3 * s.time()) * z(N));
  const EquationsOfMotion own = form_equations(s);
  ASSERT_TRUE(own.embedded.has_value());
  std::mt19937 random(4);
  for (int i = 0; i < 20; ++i) {
    Values values = random_state(script, random);
    for (const auto& [name, value] : script.constants) values[name] = value;
    for (std::size_t r = 0; r < own.embedded->dependent.size(); ++r)
      values[own.u[static_cast<std::size_t>(own.embedded->dependent[r])].name()] =
          evaluate(own.embedded->D(r, 0), values) * values.at("U1") + evaluate(own.embedded->E[r], values);
    expect_near(script_udot(script, values), own_udot(own, values), 1e-10);
  }
}

TEST(AutolevDynamics, BicycleMovesAsTheModelFileSays) {
  ScriptSystem script = system_of_file("bicycle");
  script.run.relative = 1e-11;
  const ScriptRun run = simulate_script(script, "bicycle");
  ASSERT_EQ(run.failure, "");
  const std::string& text = run.files.at(0).text;
  std::istringstream last(text.substr(text.rfind('\n', text.size() - 2)));
  std::vector<double> row;
  double value = 0;
  while (last >> value) row.push_back(value);
  ASSERT_EQ(row.size(), 8U);
  const Model model = read_model(std::filesystem::path(KANE_SOURCE_DIR) / "models" / "bicycle_nonlinear.yaml");
  Simulation other(model);
  (void)other.run({.until = 1});
  EXPECT_NEAR(row[1], other.value("phi") * 180 / kPi, 1e-8);
  EXPECT_NEAR(row[2], other.value("delta") * 180 / kPi, 1e-8);
  EXPECT_NEAR(row[3], other.value("u_phi"), 1e-10);
  EXPECT_NEAR(row[4], other.value("u_tR"), 1e-10);
  EXPECT_NEAR(row[5], other.value("u_delta"), 1e-10);
}

TEST(AutolevDynamics, TheBicycleRunsAsAModelToo) {
  // Its kernel of energies once asked for u', which cancels there.
  const Model script = read_model(script_file("bicycle"));
  const Model model = read_model(std::filesystem::path(KANE_SOURCE_DIR) / "models" / "bicycle_nonlinear.yaml");
  Simulation a(script), b(model);
  (void)a.run({.until = 0.3});
  (void)b.run({.until = 0.3});
  EXPECT_NEAR(a.value("Q4"), b.value("phi"), 1e-8);
  EXPECT_NEAR(a.value("U7"), b.value("u_delta"), 1e-8);
}

/// u' of a script given as text.
ScriptSystem system_of_text(const std::string& text) {
  Session session;
  session.run_text(text, "test.al");
  return make_system(session, "test");
}

TEST(AutolevDynamics, AGyrostatIsTheSameWithItsRotorOriented) {
  const std::string begin =
      "NEWTONIAN N\nBODIES A,B\nCONSTANTS J{3},JT,JS,L,MA,MB,TQ\nMOTIONVARIABLES' U{4}'\nVARIABLES Q{4}'\n"
      "MASS A=MA,B=MB\nINERTIA A,J1,J2,J3\nINERTIA B,JT,JS,JT\nDIRCOS(N,A,BODY123,Q1,Q2,Q3)\n"
      "W_A_N>=U1*A1>+U2*A2>+U3*A3>\nKINDIFFS(N,A,BODY123,Q1,Q2,Q3)\n";
  const std::string end =
      "TORQUE(A/B,TQ*A2>)\nZERO=FR()+FRSTAR()\nKANE()\n"
      "INPUT J1=2,J2=3,J3=4.5,JT=0.3,JS=0.5,L=0.7,MA=5,MB=1.5,TQ=0.4\n";
  const std::string places = "P_AO_BO>=L*A1>\nV_AO_N>=0>\n";
  const ScriptSystem carried = system_of_text(begin + "W_B_A>=U4*A2>\nQ4'=U4\n" + places + "GYROSTAT(A,B)\n" + end);
  const ScriptSystem oriented =
      system_of_text(begin + "SIMPROT(A,B,2,Q4)\nQ4'=U4\n" + places + "V2PTS(N,A,AO,BO)\n" + end);
  std::mt19937 random(11);
  for (int i = 0; i < 10; ++i) {
    const Values values = random_state(carried, random);
    expect_near(script_udot(carried, values), script_udot(oriented, values));
  }
  EXPECT_THROW((void)system_of_text(begin + "W_B_A>=U4*A1>\nQ4'=U4\n" + places + "GYROSTAT(A,B)\n" + end), ModelError);
}

TEST(AutolevDynamics, SimulationWritesColumnsInTheirUnits) {
  const ScriptSystem script = system_of_file("double_pendulum");
  const ScriptRun run = simulate_script(script, "double_pendulum");
  ASSERT_EQ(run.failure, "");
  ASSERT_EQ(run.files.size(), 1U);
  EXPECT_EQ(run.files[0].name, "double_pendulum.1");
  std::istringstream lines(run.files[0].text);
  std::string line;
  std::vector<std::vector<double>> rows;
  while (std::getline(lines, line)) {
    if (line.starts_with('%')) continue;
    std::istringstream numbers(line);
    rows.emplace_back();
    double value = 0;
    while (numbers >> value) rows.back().push_back(value);
  }
  ASSERT_EQ(rows.size(), 401U);
  ASSERT_EQ(rows[0].size(), 6U);
  EXPECT_NEAR(rows[0][1], 45, 1e-10);  // degrees
  EXPECT_NEAR(rows[0][2], 30, 1e-10);
  EXPECT_NEAR(rows.back()[0], 4, 1e-12);
  for (const auto& row : rows) EXPECT_NEAR(row[5], rows[0][5], 1e-6);  // energy
  // Speeds are the rates of the angles: differences of fourth order.
  for (std::size_t i = 2; i + 2 < rows.size(); i += 25)
    EXPECT_NEAR((rows[i - 2][1] - 8 * rows[i - 1][1] + 8 * rows[i + 1][1] - rows[i + 2][1]) / 0.12, rows[i][3], 2e-3);
}

TEST(AutolevDynamics, ValuesOfAProgramAreReadBack) {
  ScriptSystem script = system_of_file("double_pendulum");
  script.constants[0].second = 1.25;
  script.q[1] = 0.1;
  script.run.end = 2.5;
  const std::string text = input_file(script);
  EXPECT_NE(text.find("|  9.81\n"), std::string::npos) << text;
  ScriptSystem other = system_of_file("double_pendulum");
  read_input_file(other, text, "double_pendulum.in");
  EXPECT_EQ(other.constants, script.constants);
  EXPECT_EQ(other.q, script.q);
  EXPECT_EQ(other.u, script.u);
  EXPECT_EQ(other.run.end, 2.5);
  EXPECT_THROW(read_input_file(other, text.substr(0, text.size() / 2), "x.in"), ModelError);
  std::string wrong = text;
  wrong.replace(wrong.find("1.25"), 4, "abcd");
  try {
    read_input_file(other, wrong, "x.in");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.where().line, 7);
  }
}

TEST(AutolevDynamics, OldStyleVariablesAndDefinedSpeeds) {
  // VARIABLES alone, and a speed defined by a rate.
  Session session;
  session.run_text(
      "NEWTONIAN N\nPARTICLES P\nVARIABLES X'', V'\nCONSTANTS K\nMASS P=M\nP_NO_P> = X*N1>\nV = X'\nV_P_N> = V*N1>\n"
      "FORCE(P, -K*X*N1>)\nZERO = FR() + FRSTAR()\nKANE()\nINPUT K=8, M=2, X=0.3, V=0\n",
      "test");
  const ScriptSystem s = make_system(session, "oscillator");
  ASSERT_EQ(s.equations.u.size(), 1U);
  EXPECT_EQ(s.equations.u[0].name(), "V");
  ASSERT_EQ(s.equations.q.size(), 1U);
  EXPECT_NEAR(script_udot(s, {{"X", 0.3}, {"V", 0}, {"t", 0}}).at(0), -1.2, 1e-15);
  // Motion variables with two primes: the rates themselves are the speeds.
  Session second;
  second.run_text(
      "NEWTONIAN N\nPARTICLES P\nMOTIONVARIABLES' X''\nCONSTANTS K\nMASS P=M\nP_NO_P> = X*N1>\nV_P_N> = DT(P_NO_P>,N)\n"
      "FORCE(P, -K*X*N1>)\nZERO = FR() + FRSTAR()\nKANE()\nINPUT K=8, M=2, X=0.3, X'=0.1\n",
      "test");
  const ScriptSystem b = make_system(second, "oscillator");
  ASSERT_EQ(b.equations.u.size(), 1U);
  EXPECT_EQ(b.equations.u[0].name(), "X_dot");
  EXPECT_EQ(b.u.at(0), 0.1);
  EXPECT_NEAR(script_udot(b, {{"X", 0.3}, {"X_dot", 0}, {"t", 0}}).at(0), -1.2, 1e-15);
}

TEST(AutolevDynamics, EulerParametersFollowTheLogOfAutolev) {
  Session session;
  session.run_text(
      "NEWTONIAN N\nBODIES B\nVARIABLES E{4}'\nMOTIONVARIABLES' U{3}'\nW_B_N> = U1*B1> + U2*B2> + U3*B3>\n"
      "DIRCOS(N,B,EULER,E1,E2,E3,E4)\nKINDIFFS(N,B,EULER,E1,E2,E3,E4)\n",
      "test");
  const auto rate_of = [&](const char* name) { return *session.find_scalar(name)->value; };
  const Values v{{"E1", 0.1}, {"E2", 0.2}, {"E3", 0.3}, {"E4", 0.9}, {"U1", 1.5}, {"U2", -0.5}, {"U3", 0.7}};
  EXPECT_NEAR(evaluate(rate_of("E1'"), v), (0.2 * 0.7 + 0.9 * 1.5 - 0.3 * -0.5) / 2, 1e-15);
  EXPECT_NEAR(evaluate(rate_of("E4'"), v), -(0.1 * 1.5 + 0.2 * -0.5 + 0.3 * 0.7) / 2, 1e-15);
}

TEST(AutolevDynamics, StaticsOfABeamOnTwoSupports) {
  // Virtual speeds without derivatives: only FR is asked for.
  Session session;
  session.run_text(
      "NEWTONIAN N\nBODIES B\nPOINTS P,Q\nCONSTANTS L,G\nVARIABLES RP,RQ\nMOTIONVARIABLES U{2}\nMASS B=M\n"
      "SIMPROT(N,B,3,0)\nW_B_N> = U2*N3>\nV_P_N> = U1*N2>\nP_P_Q> = L*B1>\nP_P_BO> = L/3*B1>\n"
      "V2PTS(N,B,P,Q)\nV2PTS(N,B,P,BO)\nFORCE(P,RP*N2>)\nFORCE(Q,RQ*N2>)\nGRAVITY(-G*N2>)\nZERO = "
      "FR()\nSOLVE(ZERO,RP,RQ)\n",
      "test");
  const Values v{{"L", 2}, {"G", 9.81}, {"M", 3}};
  EXPECT_NEAR(evaluate(session.explicitly(*session.find_scalar("RQ")->value), v), 9.81, 1e-13);
  EXPECT_NEAR(evaluate(session.explicitly(*session.find_scalar("RP")->value), v), 2 * 9.81, 1e-13);
}

TEST(AutolevDynamics, LinearizationByTaylorAndByDerivatives) {
  Session session;
  session.run_text(
      "NEWTONIAN N\nPARTICLES P\nFRAMES A\nVARIABLES Q', DQ', DU'\nMOTIONVARIABLES' U'\nCONSTANTS L,G\nMASS "
      "P=M\nSIMPROT(N,A,3,Q)\n"
      "Q' = U\nP_NO_P> = L*A1>\nV_P_N> = DT(P_NO_P>,N)\nGRAVITY(G*N1>)\nZERO = FR() + FRSTAR()\nKANE()\n"
      "LIN = TAYLOR(ZERO,0:1,Q=0:DQ,U=0:DU,U'=0:DU')\nSOLVE(LIN,DU')\nA[1,1] = D(RHS(DU'),DQ)\nB = D(U',Q)\n",
      "test");
  const Values v{{"L", 0.5}, {"G", 9.81}, {"M", 3}, {"Q", 0.4}, {"U", 1}};
  EXPECT_NEAR(evaluate(session.explicitly(session.world().matrices.at("A")(0, 0)), v), -9.81 / 0.5, 1e-12);
  EXPECT_NEAR(evaluate(session.explicitly(*session.find_scalar("B")->value), v), -9.81 / 0.5 * std::cos(0.4), 1e-12);
}

TEST(AutolevDynamics, AForceBetweenTwoPointsActsOnTheSecond) {
  Session session;
  session.run_text("NEWTONIAN N\nPARTICLES P,Q\nFORCE(P/Q, 3*N1>)\nFORCE(P, N2>)\nTORQUE(N/N, 0>)\n", "test");
  const auto& w = session.world();
  const auto force = [&](const char* name) { return w.forces.at(w.point_names.at(name)); };
  EXPECT_EQ(session.text_of(force("Q")), "3*N1>");
  EXPECT_EQ(session.text_of(force("P")), "-3*N1> + N2>");
}

TEST(AutolevDynamics, DegreesAreConvertedWhereAutolevDoes) {
  Session session;
  session.run_text("NEWTONIAN N\nFRAMES A,B\nSIMPROT(N,A,3,30)\nDEGREES OFF\nSIMPROT(N,B,3,PI/6)\nX = DOT(A1>,B1>)\n",
                   "test");
  EXPECT_NEAR(evaluate(*session.find_scalar("X")->value, {}), 1, 1e-15);
  Session units;
  units.run_text("CONSTANTS A,B\nINPUT A=90 DEG, B=60 RPM\n", "test");
  EXPECT_NEAR(*units.input_value(units.find_scalar("A")->symbol), kPi / 2, 1e-15);
  EXPECT_NEAR(*units.input_value(units.find_scalar("B")->symbol), 2 * kPi, 1e-14);
}

}  // namespace
}  // namespace kane::autolev
