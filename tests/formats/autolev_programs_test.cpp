// Programs that CODE writes, compiled and run, against the run of the script itself; and what goes into their tables.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "kane/base/error.hpp"
#include "kane/formats/autolev/programs.hpp"
#include "kane/formats/autolev/script_system.hpp"

namespace kane::autolev {
namespace {

namespace fs = std::filesystem;

/// The numbers of a table; lines that begin with % are its heading.
std::vector<std::vector<double>> table_of(const std::string& text) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('%')) continue;
    std::istringstream numbers(line);
    rows.emplace_back();
    for (double x = 0; numbers >> x;) rows.back().push_back(x);
  }
  return rows;
}

std::string text_of_file(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

constexpr const char* kDrivenPendulum = R"(NEWTONIAN N
FRAMES A
PARTICLES P
POINTS O
MOTIONVARIABLES' U'
VARIABLES Q'
CONSTANTS L=0.5, M, G, LONGNAMEOFADAMPINGCOEFFICIENT
SPECIFIED S''
S = 0.1*SIN(3*T)
Q' = U
SIMPROT(N,A,3,Q)
W_A_N> = U*N3>
V_O_N> = S'*N2>
P_O_P> = L*A1>
V2PTS(N,A,O,P)
MASS P=M
FORCE(P, -LONGNAMEOFADAMPINGCOEFFICIENT*V_P_N>)
GRAVITY(G*N1>)
ZERO = FR() + FRSTAR()
KANE()
INPUT M=2, G=9.81, LONGNAMEOFADAMPINGCOEFFICIENT=0.3, Q=40 deg, U=-0.5
INPUT TFINAL=2, INTEGSTP=0.05, ABSERR=1E-10, RELERR=1E-10
)";

/// Without OUTPUT there are the time and the states. The .f file is compiled as fixed form, as compilers do by default.
TEST(AutolevPrograms, AgreeWithTheRunOfTheScript) {
  const fs::path folder = fs::path(::testing::TempDir()) / "kane_autolev_programs";
  fs::remove_all(folder);
  fs::create_directories(folder);
  Session session;
  session.run_text(kDrivenPendulum, "driven.al");
  const ScriptSystem system = make_system(session, "driven", WithoutOutput::AllStates);
  const ScriptRun run = simulate_script(system, "driven");
  ASSERT_EQ(run.files.size(), 1U);
  const auto expected = table_of(run.files[0].text);
  ASSERT_EQ(expected.size(), 41U);
  ASSERT_EQ(expected[0].size(), 3U);
  struct Kind {
    const char *file, *build;
  };
  for (const Kind& kind : {Kind{"driven.c", "gcc -std=c99 -Wall -Wextra -Werror -O1 -o run driven.c -lm && ./run"},
                           Kind{"driven.f", "gfortran -Wall -O1 -o run driven.f && ./run"},
                           Kind{"driven.m", "octave-cli --norc -q driven.m"}}) {
    SCOPED_TRACE(kind.file);
    for (const WrittenFile& file : emit_program(system, kind.file)) std::ofstream(folder / file.name) << file.text;
    const std::string command = "cd '" + folder.string() + "' && (" + kind.build + ") > log 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << text_of_file(folder / "log");
    if (!std::string(kind.file).ends_with(".m")) {
      EXPECT_EQ(text_of_file(folder / "log"), "") << "compilers have nothing to say";
    }
    const auto found = table_of(text_of_file(folder / "driven.1"));
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(found[i][j], expected[i][j], 1e-7);
    fs::remove(folder / "driven.1");
  }
}

/// The response of an oscillator: real and imaginary part in columns of their own.
TEST(AutolevPrograms, ComplexNumbersHaveTwoColumns) {
  Session session;
  session.run_text(
      "IMAGINARY i\nCONSTANTS M,C,K\nVARIABLES W\nH = 1/(K - M*W^2 + i*C*W)\nSIZE = ABS(H)\nZ = (1+2*i)*(3-i)\n"
      "E = EXP(i*W)\nINPUT M=2, C=0.3, K=5\nOUTPUT W, H, SIZE, E\nCODE ALGEBRAIC() [W=0.5,2,0.5] response.c\n",
      "t.al");
  EXPECT_NE(session.log_text().find("Z = 5*i + 5"), std::string::npos) << session.log_text();
  const ScriptRun run = evaluate_script(session, session.world().codes.at(0));
  const auto rows = table_of(run.files.at(0).text);
  ASSERT_EQ(rows.size(), 4U);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 6U);
    const std::complex<double> h = 1.0 / std::complex<double>(5 - 2 * row[0] * row[0], 0.3 * row[0]);
    EXPECT_NEAR(row[1], h.real(), 1e-13);
    EXPECT_NEAR(row[2], h.imag(), 1e-13);
    EXPECT_NEAR(row[3], std::abs(h), 1e-13);
    EXPECT_NEAR(row[4], std::cos(row[0]), 1e-13);
    EXPECT_NEAR(row[5], std::sin(row[0]), 1e-13);
  }
  EXPECT_NE(emit_algebraic(session, session.world().codes.at(0)).at(0).text.find("Im(H)"), std::string::npos);
}

TEST(AutolevPrograms, StartingValuesOfNonlinearEquations) {
  Session session;
  session.run_text("VARIABLES X,Y\nEQ[1] = X^2+Y^2-25\nEQ[2] = X-Y-1\nOUTPUT X,Y\nCODE NONLINEAR(EQ,X=-3,Y=-4.5) f.c\n",
                   "t.al");
  const auto rows = table_of(evaluate_script(session, session.world().codes.at(0)).files.at(0).text);
  EXPECT_NEAR(rows.at(0).at(0), -3, 1e-12);
  EXPECT_NEAR(rows.at(0).at(1), -4, 1e-12);
}

double value_in(Session& session, const char* name) {
  return session.number_of(session.find_scalar(name)->symbol, name);
}

TEST(AutolevPrograms, UnitsOfDeclarations) {
  Session session;
  session.run_text(
      "UNITSYSTEM kg,meter,sec\nNEWTONIAN N\nBODIES B\nCONSTANTS A=30 deg, L=20 cm, G=9.81 m/s^2\nMASS B=M=2 lb\n"
      "INERTIA B,I1=3 kg*m^2,0,0\nR = UNITS(LB,KG)\n",
      "t.al");
  EXPECT_NEAR(value_in(session, "A"), std::acos(-1.0) / 6, 1e-15);
  EXPECT_NEAR(value_in(session, "L"), 0.2, 1e-15);
  EXPECT_NEAR(value_in(session, "G"), 9.81, 1e-15);
  EXPECT_NEAR(value_in(session, "M"), 0.90718474, 1e-15);
  EXPECT_NEAR(value_in(session, "I1"), 3, 1e-15);
  EXPECT_NEAR(value_in(session, "R"), 0.45359237, 1e-15);
  for (const char* wrong : {"CONSTANTS B1=3 B2=4", "MASS B=M2=3 M3=4", "X = UNITS(LB,METER)"}) {
    Session other;
    other.run_text("NEWTONIAN N\nBODIES B\n", "t.al");
    EXPECT_THROW(other.run_text(wrong, "t.al"), ModelError) << wrong;
  }
}

/// From forms that people fill in: declarations without names, and comments between a line and its continuation.
TEST(AutolevPrograms, FormsAndContinuedComments) {
  Session session;
  session.run_text("NEWTONIAN N\nFRAMES\nBODIES A, & % the first\n  % and\nB\nCONSTANTS C, &\n% more\n D\n", "t.al");
  EXPECT_EQ(session.world().bodies.size(), 2U);
  EXPECT_NE(session.find_scalar("D"), nullptr);
  ASSERT_EQ(session.notes().size(), 1U);
  EXPECT_EQ(session.notes()[0], "FRAMES names nothing");
}

/// A rotation about any vector: w is the rate along it.
TEST(AutolevPrograms, RotationsAboutVectors) {
  Session session;
  session.run_text("NEWTONIAN N\nFRAMES A\nVARIABLES Q'\nSIMPROT(N,A,N1>+2*N2>-2*N3>,Q)\nW1 = DOT(W_A_N>,N1>)\n",
                   "t.al");
  EXPECT_NE(session.log_text().find("W1 = 1/3*Q'"), std::string::npos) << session.log_text();
}

}  // namespace
}  // namespace kane::autolev
