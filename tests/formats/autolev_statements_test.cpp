// Every statement of the language: its result, and how it fails.

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/autolev/programs.hpp"
#include "kane/formats/autolev/prompt.hpp"
#include "kane/formats/autolev/script_system.hpp"

namespace kane::autolev {
namespace {

/// The log of a script without its input lines and numbers.
std::string results(const std::string& script) {
  Session session;
  session.run_text(script, "test.al");
  std::string text;
  for (const LogLine& line : session.log())
    if (line.kind == LogLine::Kind::Result) text += line.text + "\n";
  return text;
}

/// Output of SIMPROT(A,B,3,Q).
const std::string kOrientation = "A_B = [COS(Q), -SIN(Q), 0; SIN(Q), COS(Q), 0; 0, 0, 1]\n";

/// "line:column: message" of what stops a script.
std::string failure(const std::string& script, SessionOptions options = {}) {
  Session session(std::move(options));
  try {
    session.run_text(script, "test.al");
  } catch (const ModelError& error) {
    return fmt::format("{}:{}: {}", error.where().line, error.where().column, error.message());
  }
  return "no failure";
}

double value_of(const std::string& script, const std::string& name, const Values& values = {}) {
  Session session;
  session.run_text(script, "test.al");
  const Scalar* s = session.find_scalar(name);
  if (s == nullptr || !s->value) throw ModelError("no value of " + name);
  return evaluate(session.explicitly(*s->value, {.solutions = true}), values);
}

TEST(AutolevSyntax, NamesRangesAndContinuation) {
  EXPECT_EQ(results("CONSTANTS A{3}, b{2:3}, C{1:2,1:2}\nX = a1 + A2 + &\n  a3*B2 % comment\nY = C11*C22 - c12*C21;\n"),
            "X = A1 + A2 + A3*b2\nY = C11*C22 - C12*C21\n");
  EXPECT_EQ(results("points rrf{2}o\nframes n\np_rrf1o_rrf2o> = 3*n1>\np_rrf2o_rrf1o>\n"),
            "p_rrf1o_rrf2o> = 3*n1>\np_rrf2o_rrf1o> = -3*n1>\n");
  EXPECT_DOUBLE_EQ(value_of("X = 2^3^2 + 1.5E-3 + .5 + 1.\n", "X"), 513.5015);
  EXPECT_DOUBLE_EQ(value_of("X = -2^2\nX += 1\nX *= 2\nX -= 4\nX /= 5\nX ^= 2\n", "X"), 4);
}

TEST(AutolevSyntax, LinesOfOldMacintoshesAndOfDos) {
  EXPECT_EQ(results("CONSTANTS A % first\rX = A +&\r 1\r"), "X = A + 1\n");
  EXPECT_EQ(results("CONSTANTS A\r\nX = A\r\n\x1a"), "X = A\n");
  EXPECT_EQ(failure("CONSTANTS A\r\rX = B\r").substr(0, 4), "3:5:");
}

TEST(AutolevSyntax, ErrorsNameLineColumnAndNearestStatement) {
  EXPECT_EQ(failure("NEWTONIAN N\n\nFRAMS A\n"),
            "3:1: 'FRAMS' begins no statement that is known; did you mean 'FRAME'?");
  EXPECT_EQ(failure("X = 1 +\n"), "1:8: the statement ends where a number, a name or '(' is expected");
  EXPECT_EQ(failure("CONSTANTS LENGTH\nX = LENGHT\n"), "2:5: 'LENGHT' is not declared; did you mean 'LENGTH'?");
  EXPECT_EQ(failure("X = SINE(1)\n"), "1:5: there is no function 'SINE'; did you mean 'SIN'?");
  EXPECT_EQ(failure("NEWTONIAN N\nSIMPROTS(N,N,3,1)\n"),
            "2:1: there is no statement or command 'SIMPROTS'; did you mean 'SIMPROT'?");
  EXPECT_EQ(failure("X = X + 1\n"), "1:5: 'X' is not declared");
  EXPECT_EQ(failure("VARIABLES X\nX = X + 1\n"), "2:1: 'X' would be defined by itself");
  EXPECT_NE(failure("CONSTANTS A\nA> = A\n").find("2:6: 'A>' is a vector, and what is assigned to it is not"),
            std::string::npos);
  EXPECT_EQ(failure("NEWTONIAN N\nFRAMES A\nX = DOT(N1>,A1>)\n").substr(0, 4), "3:5:");
  EXPECT_EQ(failure("AUTOZ MAYBE\n"), "1:7: AUTOZ is ON or OFF, not 'MAYBE'");
  EXPECT_EQ(failure("NEWTONIAN N\nV_P_N> = 0>\nV_Q_N>\n").substr(0, 4), "3:1:");
  EXPECT_EQ(failure("X = \xc3\xa4\n").substr(0, 4), "1:5:");
}

TEST(AutolevSyntax, RangesAreAssignedNameByName) {
  EXPECT_EQ(results("VARIABLES Q{2}\nCONSTANTS U{2}\nQ{2} = U{2}\n"), "Q1 = U1\nQ2 = U2\n");
  EXPECT_EQ(results("VARIABLES Q{1:2}\nQ{1:2} = 3\n"), "Q1 = 3\nQ2 = 3\n");
  EXPECT_EQ(failure("VARIABLES Q{2}\nCONSTANTS U{3}\nQ{2} = U{3}\n").substr(0, 4), "3:8:");
}

TEST(AutolevSyntax, SettingsWithoutEffectSayOnceThatTheyHaveNone) {
  Session session;
  session.run_text("FACTORING ON\nFACTORING OFF\nDIGITS 7\nDEGREES OFF\nAUTOZ ON\n", "test.al");
  ASSERT_EQ(session.notes().size(), 2U);
  EXPECT_EQ(session.notes()[0], "FACTORING has no effect: equal expressions are one, however they are written");
  EXPECT_EQ(failure("FACTORING MAYBE\n"), "1:11: FACTORING is ON or OFF, not 'MAYBE'");
}

TEST(AutolevSyntax, StatementsOfOthersAreNamed) {
  EXPECT_EQ(
      failure("NewtonianFrame N\n"),
      "1:1: 'NEWTONIANFRAME' begins no statement that is known; it belongs to MotionGenesis, whose scripts are not "
      "read");
}

TEST(AutolevAlgebra, CoefficientsOfPowersAndSolveAsAFunction) {
  EXPECT_EQ(results("CONSTANTS A,B,C\nVARIABLES X\nK = COEF(A*X^2+B*X+C,X^2)\n"), "K = A\n");
  EXPECT_DOUBLE_EQ(value_of("CONSTANTS A,B\nVARIABLES X\nK = COEF((A*X+B)^3,X^2)\n", "K", {{"A", 2}, {"B", 5}}), 60);
  EXPECT_DOUBLE_EQ(value_of("VARIABLES X,Y\nR = SOLVE(2*X-3,X)\n", "R"), 1.5);
  EXPECT_EQ(results("VARIABLES X,Y\nR = SOLVE([X+Y-3;X-Y-1],X,Y)\n"), "X = 2\nY = 1\nR[1] = 2\nR[2] = 1\n");
}

TEST(AutolevAlgebra, PolynomialsWrittenWithDivisions) {
  // Gauss' elimination of s*1 - A divides by s; the determinant is a polynomial all the same.
  const std::string text =
      "CONSTANTS K,M\nVARIABLES S\nA = [0,0,1,0; 0,0,0,1; -2*K/M,K/M,0,0; K/M,-K/M,0,0]\n"
      "P = DET(S*DIAGMAT(4,1) - A)\nC = POLYNOMIAL(P,S,4)\nC2 = C[3]\nC0 = C[5]\nC4 = C[1]\nC1 = C[4]\n";
  const Values v{{"K", 5}, {"M", 2}};
  EXPECT_NEAR(value_of(text, "C4", v), 1, 1e-15);
  EXPECT_NEAR(value_of(text, "C2", v), 7.5, 1e-14);
  EXPECT_NEAR(value_of(text, "C1", v), 0, 1e-15);
  EXPECT_NEAR(value_of(text, "C0", v), 6.25, 1e-14);
  EXPECT_NE(failure("VARIABLES S\nC = POLYNOMIAL(1/S,S,2)\n").find("no polynomial of degree 2"), std::string::npos);
}

TEST(AutolevVectors, TheUnitDyadicNeedsNoOrientation) {
  EXPECT_EQ(results("NEWTONIAN N\nFRAMES A\nD>> = EXPRESS(2*1>>,A)\nM = MATRIX(A,1>>)\n"),
            "D>> = 2*A1>*A1> + 2*A2>*A2> + 2*A3>*A3>\nM = [1, 0, 0; 0, 1, 0; 0, 0, 1]\n");
}

TEST(AutolevSession, UnitsOfListsAndArraysOfTheCaller) {
  Session session;
  session.run_text("CONSTANTS L,M,K\nVARIABLES X\nUNITS [L,M]=M, K=N/M\nINPUT L=2 M, X=start[3], K=5\n", "test.al");
  EXPECT_EQ(session.find_scalar("M")->unit, "M");
  EXPECT_EQ(session.find_scalar("K")->unit, "N/M");
  EXPECT_FALSE(session.input_value(session.find_scalar("X")->symbol).has_value());
  ASSERT_EQ(session.notes().size(), 1U);
  EXPECT_NE(session.notes()[0].find("left to the program that calls the code"), std::string::npos);
  EXPECT_EQ(failure("VARIABLES X\nINPUT X=start\n").substr(0, 29), "2:9: 'start' is not declared");
}

/// Scripts state units at their end: the columns asked for before have them as well.
TEST(AutolevSession, UnitsAfterOutput) {
  Session session;
  session.run_text(
      "CONSTANTS A\nVARIABLES Q,H\nH = 2*Q\nM = [Q;H]\nINPUT A=90\nOUTPUT Q,H,Q RAD,M\n"
      "UNITS A=DEG,Q=DEG,H=DEG,M=DEG\nCODE ALGEBRAIC() [Q DEG=30,60,30] f.c\n",
      "test.al");
  const auto& columns = session.world().outputs.at(0);
  ASSERT_EQ(columns.size(), 5U);
  EXPECT_EQ(columns[0].unit, "DEG");
  EXPECT_EQ(columns[1].unit, "DEG");
  EXPECT_EQ(columns[2].unit, "RAD");
  EXPECT_EQ(columns[4].unit, "DEG");
  const std::string table = evaluate_script(session, session.world().codes.at(0)).files.at(0).text;
  EXPECT_NE(table.find("   3.00000000000000E+01   6.00000000000000E+01   5.23598775598299E-01   3.00000000000000E+01"),
            std::string::npos)
      << table;
  EXPECT_NEAR(*session.input_value(session.find_scalar("A")->symbol), std::acos(0.0), 1e-15);
}

TEST(AutolevSyntax, LimitsNameThemselves) {
  EXPECT_NE(failure("CONSTANTS A{100,1000}\n").find("more than 10000 names"), std::string::npos);
  std::string deep = "X = ";
  for (int i = 0; i < 5000; ++i) deep += "(";
  EXPECT_NE(failure(deep + "1\n").find("more than 200 deep"), std::string::npos);
  EXPECT_NE(failure("M[100000,100000] = 1\n").find("more than 250000 elements"), std::string::npos);
  SessionOptions few;
  few.limits.max_statements = 3;
  EXPECT_NE(failure("X=1\nX:=2\nX:=3\nX:=4\n", few).find("more than 3 statements"), std::string::npos);
  EXPECT_NE(failure("VARIABLES X,Y\nX = Y\nY = X\nZ = EXPLICIT(X)\n").find("in a circle"), std::string::npos);
}

TEST(AutolevAlgebra, Scalars) {
  const Values v{{"X", 0.4}, {"Y", 1.3}};
  const std::string head = "VARIABLES X', Y'\n";
  EXPECT_NEAR(value_of(head + "E = SIN(X)+COS(X)+TAN(X)+ASIN(X)+ACOS(X)+ATAN(X)+SINH(X)+COSH(X)+TANH(X)\n", "E", v),
              std::sin(.4) + std::cos(.4) + std::tan(.4) + std::asin(.4) + std::acos(.4) + std::atan(.4) +
                  std::sinh(.4) + std::cosh(.4) + std::tanh(.4),
              1e-14);
  EXPECT_NEAR(value_of(head + "E = EXP(X)+LOG(Y)+LOG10(Y)+SQRT(Y)+SQR(Y)+ATAN2(X,Y)+MAX(X,Y)+MIN(X,Y)\n", "E", v),
              std::exp(.4) + std::log(1.3) + std::log10(1.3) + std::sqrt(1.3) + 1.69 + std::atan2(.4, 1.3) + 1.7,
              1e-14);
  EXPECT_EQ(value_of("E = ABS(-1) + INT(-1.5) + ROUND(1.9) + CEIL(1.2) + FLOOR(-1.2) + SIGN(-3) + FACTORIAL(5)\n", "E"),
            1 - 1 + 2 + 2 - 2 - 1 + 120);
  EXPECT_NEAR(value_of(head + "E = D(X^2*Y,X) + D(SIN(X),Y)\n", "E", v), 2 * .4 * 1.3, 1e-15);
  EXPECT_EQ(results(head + "E = X^2\nF = DT(E)\n"), "E = X^2\nF = 2*X*X'\n");
  EXPECT_NEAR(value_of(head + "E = TAYLOR(COS(X*Y),0:2,X=0)\n", "E", v), 1 - .16 * 1.69 / 2, 1e-15);
  EXPECT_NEAR(value_of(head + "E = COEF(3*X+2*Y,X) + EXCLUDE(3*X+2*Y,X) + INCLUDE(3*X+2*Y,X)\n", "E", v), 3 + 2.6 + 1.2,
              1e-15);
  EXPECT_NEAR(value_of(head + "E = REPLACE(SIN(X)+X,SIN(X)=2,Y=1) + EVALUATE(X*Y,X=2,Y=3)\n", "E", v), 2.4 + 6, 1e-15);
  EXPECT_NEAR(value_of(head + "P = POLYNOMIAL([1,2,3],X)\n", "P", v), .16 + .8 + 3, 1e-15);
  EXPECT_EQ(results("R = ROOTS([1,-3,2])\n"), "R[1] = 1\nR[2] = 2\n");
  EXPECT_EQ(results("IMAGINARY J\nR = ROOTS([1,0,4])\n"), "R[1] = -2*J\nR[2] = 2*J\n");
  EXPECT_NEAR(value_of("X = UNITS(DEG,RAD)*180\n", "X"), 3.14159265358979323846, 1e-15);
  EXPECT_NEAR(value_of("X = EPSILON(3 + 1.0E-12*PI, 1.0E-9)\n", "X"), 3, 1e-15);
}

TEST(AutolevAlgebra, DefinitionsActLate) {
  const std::string script = "CONSTANTS A\nB = A^2\nC = B + 1\n";
  EXPECT_EQ(results(script), "B = A^2\nC = B + 1\n");
  EXPECT_EQ(value_of(script + "B := A^3\n", "C", {{"A", 2}}), 9);
  EXPECT_EQ(results("CONSTANTS A\nAUTORHS ON\nB = A^2\nC = B + 1\n"), "B = A^2\nC = A^2 + 1\n");
  EXPECT_EQ(results(script + "EXPLICIT(C)\nRHS(B)\n"), "B = A^2\nC = B + 1\nC = A^2 + 1\nA^2\n");
  EXPECT_EQ(value_of("CONSTANTS A\nB = 2*A\nC = B*A\nE = D(C,A) + D(C,B)\n", "E", {{"A", 3}}), 4 * 3 + 3);
  EXPECT_EQ(results("VARIABLES X,Y\nCONSTANTS A,B\nEQ[1] = A*X+B*Y-1\nEQ[2] = A*X-B*Y-3\nSOLVE(EQ,X,Y)\n"),
            "EQ[1] = A*X + B*Y - 1\nEQ[2] = A*X - B*Y - 3\nX = 2/A\nY = -1/B\n");
}

TEST(AutolevAlgebra, Matrices) {
  const std::string m = "CONSTANTS A,B\nM = [1,2;3,4]\n";
  EXPECT_EQ(results(m + "X = M*M - TRANSPOSE(M)\n"), "M = [1, 2; 3, 4]\nX = [6, 7; 13, 18]\n");
  EXPECT_EQ(value_of(m + "X = DET(M) + TRACE(M) + ROWS(M) + COLS(M) + ELEMENT(M,2,1) + M[1,2]\n", "X"),
            -2 + 5 + 2 + 2 + 3 + 2);
  EXPECT_EQ(results(m + "X = INV(M)*M\nY = DIAGMAT(2,3,A)\nZ = ROWS(M,2)\nW = COLS(M,2,1)\n"),
            "M = [1, 2; 3, 4]\nX = [1, 0; 0, 1]\nY = [A, 0, 0; 0, A, 0]\nZ = [3, 4]\nW = [2, 1; 4, 3]\n");
  EXPECT_EQ(results(m + "X = [A;M[1,1]]\nY = [M;5,6]\nM[1,2] = B\n"),
            "M = [1, 2; 3, 4]\nX[1] = A\nX[2] = 1\nY = [1, 2; 3, 4; 5, 6]\nM[1,2] = B\n");
  EXPECT_EQ(results("VARIABLES X,Y\nJ = D([X*Y;X+Y],[X,Y])\nK = COEF([2*X;3*Y],[X,Y])\n"),
            "J = [Y, X; 1, 1]\nK = [2, 0; 0, 3]\n");
  EXPECT_EQ(results("E = EIG([2,0;0,1])\nEIG([2,1;1,2],V,W)\n").substr(0, 41),
            "E[1] = 1\nE[2] = 2\nV[1] = 1\nV[2] = 3\nW = [");
  EXPECT_NE(failure("M = [1,2;3]\n").find("differ in length"), std::string::npos);
  EXPECT_NE(failure("M = INV([1,2;2,4])\n").find("singular"), std::string::npos);
}

TEST(AutolevVectors, ProductsAndFrames) {
  const std::string head = "FRAMES A,B\nVARIABLES Q',X{3}\nSIMPROT(A,B,3,Q)\n";
  EXPECT_EQ(results(head + "S = DOT(A1>,B2>)\nC> = CROSS(A1>,A2>)\n"),
            "A_B = [COS(Q), -SIN(Q), 0; SIN(Q), COS(Q), 0; 0, 0, 1]\nS = -SIN(Q)\nC> = A3>\n");
  EXPECT_EQ(results(head + "E> = EXPRESS(B1>,A)\nM = MAG(3*A1>+4*A2>)\nU> = UNITVEC(2*A3>)\nV> = VECTOR(B,X1,X2,X3)\n")
                .substr(kOrientation.size()),
            "E> = COS(Q)*A1> + SIN(Q)*A2>\nM = 5\nU> = A3>\nV> = X1*B1> + X2*B2> + X3*B3>\n");
  EXPECT_EQ(results(head + "V> = DT(B1>,A)\nW> = D(B1>,Q,A)\nANGVEL(A,B)\n").substr(kOrientation.size()),
            "V> = Q'*B2>\nW> = -SIN(Q)*A1> + COS(Q)*A2>\nW_B_A> = Q'*B3>\n");
  EXPECT_EQ(
      results(head + "D>> = 2*A1>*A1> + A2>*A3>\nM = MATRIX(A,D>>)\nW> = DOT(D>>,A3>)\nI>> = EXPRESS(1>>,A)\n")
          .substr(kOrientation.size()),
      "D>> = 2*A1>*A1> + A2>*A3>\nM = [2, 0, 0; 0, 0, 1; 0, 0, 0]\nW> = A2>\nI>> = A1>*A1> + A2>*A2> + A3>*A3>\n");
  EXPECT_EQ(results(head + "S = COEF(EXPRESS(2*B1>,A),A2>)\n").substr(kOrientation.size()), "S = 2*SIN(Q)\n");
  EXPECT_EQ(results(head + "S = DOT([A1>;2*A2>],3*A2>)\n").substr(kOrientation.size()), "S[1] = 0\nS[2] = 6\n");
}

TEST(AutolevVectors, PointsAndBodies) {
  const std::string head =
      "NEWTONIAN N\nFRAMES A\nBODIES R\nPARTICLES P\nPOINTS O\nCONSTANTS C{3}\nMASS P=MP, R=MR\nINERTIA R,I1,I2,I3\n"
      "SIMPROT(N,R,3,0)\nSIMPROT(N,A,3,0)\nP_O_P> = C1*A1>\nP_O_RO> = C2*N2>\n";
  EXPECT_EQ(value_of(head + "X = DOT(CM(O),N1>)*MASS()\n", "X", {{"C1", 2}, {"MP", 3}, {"MR", 5}, {"C2", 7}}), 6);
  EXPECT_EQ(value_of(head + "X = DOT(N3>,DOT(I_R_O>>,N3>))\n", "X", {{"I3", 2}, {"MR", 5}, {"C2", 7}}), 2 + 5 * 49);
  EXPECT_EQ(value_of(head + "X = DOT(N3>,DOT(INERTIA(O),N3>))\n", "X",
                     {{"I3", 2}, {"MR", 5}, {"C2", 7}, {"MP", 3}, {"C1", 2}}),
            2 + 5 * 49 + 3 * 4);
  EXPECT_EQ(value_of(head + "MOTIONVARIABLES' U{2}'\nV_P_N> = U1*N1>\nV_RO_N> = U2*N1>\nW_R_N> = U1*N3>\nX = KE()\n",
                     "X", {{"U1", 2}, {"U2", 3}, {"MP", 4}, {"MR", 6}, {"I3", 5}}),
            8 + 27 + 10);
  EXPECT_EQ(results(head + "MOTIONVARIABLES' U{2}'\nV_P_N> = U1*N1> + 3*U2*N2>\nX> = PARTIALS(V_P_N>,U2)\n")
                    .find("X> = 3*N2>") != std::string::npos,
            true);
}

TEST(AutolevSession, LogHasAutolevsForm) {
  Session session;
  session.run_text("% a comment\nCONSTANTS A, B\nC = A + B\n", "test.al");
  EXPECT_EQ(session.log_text(), "   (1) % a comment\n   (2) CONSTANTS A, B\n   (3) C = A + B\n-> (4) C = A + B\n");
}

TEST(AutolevSession, RunsOtherScriptsBeneathItsFolderOnly) {
  const auto folder = std::filesystem::temp_directory_path() / "kane_autolev_run";
  std::filesystem::create_directories(folder / "parts");
  const auto write = [&](const char* name, const char* text) { std::ofstream(folder / name) << text; };
  write("main.al", "RUN parts/first.al\nX = A + 1\nTWICE(X)\n");
  write("parts/first.al", "CONSTANTS A\nEXIT\nNONSENSE\n");
  write("twice.a", "#1#_TWICE = 2*#1#\n");
  write("endless.al", "RUN endless.al\n");
  Session session({.folder = folder});
  session.run_file(folder / "main.al");
  EXPECT_NE(session.find_scalar("X_TWICE"), nullptr);
  Session endless({.folder = folder});
  EXPECT_THROW(endless.run_file(folder / "endless.al"), LimitError);
  Session outside({.folder = folder / "parts"});
  try {
    outside.run_text("RUN ../main.al\n", "test.al");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(error.message().find("outside"), std::string::npos) << error.message();
  }
  try {
    outside.run_text("RUN " + (folder / "main.al").string() + "\n", "test.al");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(error.message().find("outside"), std::string::npos) << error.message();
  }
  std::filesystem::remove_all(folder);
}

TEST(AutolevSession, OutputsUnitsAndSweeps) {
  Session session;
  session.run_text(
      "CONSTANTS A\nVARIABLES Q\nE = A*SIN(Q)\nINPUT A=2\nOUTPUT Q DEG, E\nCODE ALGEBRAIC() [Q DEG=0,90,30] sweep.m\n",
      "t.al");
  const ScriptRun run = evaluate_script(session, session.world().codes.at(0));
  EXPECT_EQ(run.samples, 4U);
  EXPECT_EQ(run.files.at(0).name, "sweep.1");
  EXPECT_NE(run.files.at(0).text.find("9.00000000000000E+01   2.00000000000000E+00"), std::string::npos)
      << run.files[0].text;
  Session nonlinear;
  nonlinear.run_text(
      "VARIABLES X,Y\nEQ[1] = X^2+Y^2-25\nEQ[2] = X-Y-1\nINPUT X=3.5,Y=2.5\nOUTPUT X,Y\nCODE NONLINEAR(EQ,X,Y) f.c\n",
      "t.al");
  const ScriptRun found = evaluate_script(nonlinear, nonlinear.world().codes.at(0));
  EXPECT_NE(found.files.at(0).text.find("4.00000000000000E+00   3.00000000000000E+00"), std::string::npos)
      << found.files[0].text;
  Session missing;
  missing.run_text("CONSTANTS A\nOUTPUT A\nCODE ALGEBRAIC() f.c\n", "t.al");
  EXPECT_EQ(evaluate_script(missing, missing.world().codes.at(0)).missing, "A");
  EXPECT_NE(emit_algebraic(missing, missing.world().codes.at(0)).at(0).text.find("f_evaluate"), std::string::npos);
}

TEST(AutolevSession, FilesLeadNowhereElse) {
  Session session;
  session.run_text(
      "SAVE ../../x.all\nSAVE C:\\al\\y.all\nSAVE /v.all\nVARIABLES X'\nX' = -X\nOUTPUT X\nCODE DYNAMICS() /tmp/z.c\n",
      "t.al");
  EXPECT_EQ(session.files().at(0).name, "x.all");
  EXPECT_EQ(session.files().at(1).name, "y.all");
  EXPECT_EQ(session.world().codes.at(0).file, "z.c");
  EXPECT_EQ(session.files().at(2).name, "v.all");
  EXPECT_EQ(session.notes().size(), 4U);
}

TEST(AutolevPrompt, AMistakeLosesNothing) {
  Prompt prompt;
  EXPECT_EQ(prompt.enter("CONSTANTS A,B").text, "");
  EXPECT_EQ(prompt.enter("C = A + &").more, true);
  EXPECT_EQ(prompt.enter("B").text.substr(0, 3), "-> ");
  EXPECT_TRUE(prompt.enter("D = C + NOTHING").error);
  EXPECT_EQ(prompt.script(), "CONSTANTS A,B\nC = A + &\nB\n");
  EXPECT_NE(prompt.enter("D = C^2").text.find("D = C^2"), std::string::npos);
  EXPECT_NE(prompt.enter("undo").text.find("D = C^2"), std::string::npos);
  EXPECT_TRUE(prompt.enter("D").error);
  EXPECT_NE(prompt.enter("C").text.find("C = A + B"), std::string::npos);
  EXPECT_EQ(prompt.enter("sin(x)^2 + cos(x)^2").text, "   1\n");
  EXPECT_NE(prompt.enter("help FORCE").text.find("FORCE(P/Q,V>)"), std::string::npos);
  EXPECT_NE(prompt.enter("help AUXILIARY").text.find("CONSTRAIN(AUXILIARY[U4])"), std::string::npos);
  EXPECT_EQ(prompt.enter("history").text, prompt.script());
  EXPECT_TRUE(prompt.enter("help FORCES").error);
  EXPECT_EQ(prompt.enter("save x.al").error, false);
  EXPECT_EQ(prompt.take_files().at(0).text.substr(0, 13), "CONSTANTS A,B");
  EXPECT_TRUE(prompt.enter("quit").end);
  EXPECT_FALSE(prompt.complete("SIMP").empty());
}

TEST(AutolevSpeed, FiveHundredLinesInAFifthOfASecond) {
  std::string script =
      "NEWTONIAN N\nVARIABLES Q{40}'\nMOTIONVARIABLES' U{40}'\nCONSTANTS L,G\nPARTICLES P{40}\nFRAMES A{40}\n";
  for (int i = 1; i <= 40; ++i) {
    script += fmt::format("Q{0}' = U{0}\nSIMPROT(N,A{0},3,Q{0})\nW_A{0}_N> = U{0}*N3>\nMASS P{0}=M{0}\n", i);
    script += fmt::format(
        "P_{1}_P{0}> = L*A{0}1>\nV2PTS(N,A{0},{1},P{0})\nX{0} = DOT(P_NO_P{0}>,N1>)\nY{0} = DOT(V_P{0}_N>,N2>)\n", i,
        i == 1 ? "NO" : fmt::format("P{}", i - 1));
    script +=
        fmt::format("K{0} = M{0}*DOT(V_P{0}_N>,V_P{0}_N>)/2\nF{0} = D(K{0},U{0})\nG{0} = DT(X{0})\nH{0} = X{0}^2\n", i);
  }
  const std::clock_t begin = std::clock();  // of this process: the machine may be busy
  Session session;
  session.run_text(script, "t.al");
  EXPECT_GT(session.statements(), 480U);
  // A fifth of a second on a fast machine; sanitizers take their time.
#ifdef KANE_SANITIZED
  constexpr double kSecondsAtMost = 60;
#else
  constexpr double kSecondsAtMost = 5;
#endif
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, kSecondsAtMost);
}

}  // namespace
}  // namespace kane::autolev
