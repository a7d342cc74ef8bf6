#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/command/run_command.hpp"

namespace kane::test {
namespace {

/// The one line that `kane expr arguments...` prints.
std::string expr(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "expr");
  const auto result = run_kane(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_FALSE(result.out.empty());
  return result.out.substr(0, result.out.find('\n'));
}

nlohmann::json expr_json(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  return nlohmann::json::parse(expr(std::move(arguments)));
}

TEST(ExprCommand, RecognisesWhatIsEqual) {
  EXPECT_EQ(expr({"sin(q)^2 + cos(q)^2"}), "1");
  EXPECT_EQ(expr({"x - x"}), "0");
  EXPECT_EQ(expr({"0.1 + 0.2 - 0.3"}), "0");
  EXPECT_EQ(expr({"(x^2 - 1)/(x - 1) - x"}), "1");
}

TEST(ExprCommand, WritesTheTextbookForm) {
  EXPECT_EQ(expr({"sin(q1)*cos(q2) + cos(q1)*sin(q2)", "--literal"}), "sin(q1 + q2)");
  EXPECT_EQ(expr({"(x^2 - 1)/(x - 1)", "--literal"}), "x + 1");
}

TEST(ExprCommand, Differentiates) {
  // d/dx d/dy of x^3 y^2 is 6 x^2 y = 6*4*5 at x = 2, y = 5.
  EXPECT_EQ(expr({"x^3*y^2", "--derivative", "x", "--derivative", "y", "--set", "x=2", "--set", "y=5"}), "120");
  EXPECT_EQ(expr({"x^2", "--derivative", "y"}), "0");
}

TEST(ExprCommand, DifferentiatesByTime) {
  EXPECT_EQ(expr({"m*q^2", "--rate", "q=u"}), "2*m*q*u");
  EXPECT_EQ(expr({"q*t", "--rate", "q=q'", "--rate", "t=1", "--set", "q=2", "--set", "t=3"}), "3*q' + 2");
  const auto result = run_kane({"expr", "q*t", "--rate", "x=1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("no symbol 'x'"), std::string::npos);
}

TEST(ExprCommand, KnowsFunctionsOfYourOwn) {
  EXPECT_EQ(expr({"f(x, 2*x)", "--function", "f(a, b)", "--derivative", "x"}), "f_a(x, 2*x) + 2*f_b(x, 2*x)");
  for (const char* bad : {"f", "f()", "f(", "f(a,)", "f(a b", "2(x)", "f(a,b))", "sin(x)"}) {
    const auto result = run_kane({"expr", "x", "--function", bad});
    EXPECT_EQ(result.exit_code, 2) << bad;
    EXPECT_NE(result.err.find("error"), std::string::npos) << bad;
  }
}

TEST(ExprCommand, BytesThatAreNotTextDoNotReachTheTerminal) {
  const auto result = run_kane({"expr", "x + \xff"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err.find('\xff'), std::string::npos);
}

TEST(ExprCommand, Evaluates) {
  EXPECT_EQ(expr({"x^2", "--set", "x=0.1"}), "0.01");
  EXPECT_EQ(expr({"x^2 + y", "--set", "x=-3", "--set", "y=1/2"}), "9.5");
  EXPECT_DOUBLE_EQ(std::stod(expr({"tan(q)", "--set", "q=pi/3"})), std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(std::stod(expr({"exp(1)", "--value"})), std::exp(1.0));
}

TEST(ExprCommand, ReplacesSomeSymbolsOnly) {
  EXPECT_EQ(expr({"x*y + x", "--set", "x=0"}), "0");
  EXPECT_EQ(expr({"x*y - y", "--set", "x=2"}), "y");
  // All at once: x becomes y, and that y is not replaced again.
  EXPECT_EQ(expr({"x - y", "--set", "x=y", "--set", "y=x", "--derivative", "x"}), "1");
}

TEST(ExprCommand, ExpressionMayBeginWithAMinus) {
  EXPECT_EQ(expr({"-x", "--set", "x=2"}), "-2");
  EXPECT_EQ(expr({"-x + 1", "--set", "x=2"}), "-1");
  EXPECT_EQ(expr({"-1"}), "-1");
}

TEST(ExprCommand, ReadsStandardInput) {
  const auto result = run_kane({"expr", "-", "--set", "x=3"}, "x +\n x\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "6\n");
}

TEST(ExprCommand, PrintsJson) {
  const auto json = expr_json({"x*sin(x) + x", "--count", "--latex", "--code", "--literal"});
  EXPECT_EQ(json["expression"], "x*sin(x) + x");
  EXPECT_EQ(json["symbols"], nlohmann::json::array({"x"}));
  EXPECT_EQ(json["operations"], (nlohmann::json{{"mul", 1}, {"add", 1}, {"div", 0}, {"func", 1}}));
  EXPECT_NE(json["latex"].get<std::string>().find("\\sin"), std::string::npos);
  EXPECT_FALSE(json["literal"]["too_long"].get<bool>());
  EXPECT_FALSE(json.contains("value"));
  // Numbers survive the way out and back in.
  EXPECT_EQ(expr_json({"x/3", "--set", "x=1"})["value"].get<double>(), 1.0 / 3.0);
}

TEST(ExprCommand, NamesSeveralAnswers) {
  const auto result = run_kane({"expr", "x + 1", "--code", "--count"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("operations  0 mul, 1 add, 0 div, 0 func\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("code"), std::string::npos);
}

struct BadInput {
  std::vector<std::string> arguments;
  std::string message;
};

TEST(ExprCommand, BadInputIsNamedAndEndsWithTwo) {
  const BadInput cases[] = {
      {{"x +* 2"}, "expression:1:4: error: "},
      {{"x +* 2"}, "\n  x +* 2\n     ^\n"},
      {{""}, "expression:1:1: error: "},
      {{"foo(x)"}, "unknown function 'foo'"},
      {{"1/(x - x)"}, "zero"},
      {{"1/x", "--set", "x=0"}, "zero"},
      {{"mass*x", "--set", "mas=1"}, "no symbol 'mas'; did you mean 'mass'?"},
      {{"x", "--set", "x"}, "NAME=VALUE"},
      {{"x", "--set", "x=1+"}, "--set x:1:3: error: "},
      {{"x", "--derivative", "x+1"}, "name of a symbol"},
      {{"x", "--value"}, "'x' has no value"},
  };
  for (const auto& [arguments, message] : cases) {
    auto all = arguments;
    all.insert(all.begin(), "expr");
    const auto result = run_kane(all);
    EXPECT_EQ(result.exit_code, 2) << arguments[0];
    EXPECT_EQ(result.out, "") << arguments[0];
    EXPECT_NE(result.err.find(message), std::string::npos) << arguments[0] << ": " << result.err;
  }
}

TEST(ExprCommand, ValueThatDoesNotExistIsAFailedRun) {
  const auto result = run_kane({"expr", "log(x - 3)", "--set", "x=1"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(run_kane({"expr", "exp(x)", "--set", "x=10000"}).exit_code, 1);
}

TEST(ExprCommand, HostileInputIsRefused) {
  const std::string deep(1'000'000, '(');
  EXPECT_EQ(run_kane({"expr", "-"}, deep).exit_code, 2);
  EXPECT_EQ(run_kane({"expr", "-"}, std::string("\0\x01\xff", 3)).exit_code, 2);
  EXPECT_EQ(run_kane({"expr", "1e999999999"}).exit_code, 2);
  EXPECT_EQ(run_kane({"expr", "9^9^9^9^9"}).exit_code, 2);
}

}  // namespace
}  // namespace kane::test
