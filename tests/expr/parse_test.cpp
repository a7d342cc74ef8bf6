// The grammar, and messages about text that does not follow it.

#include "kane/expr/parse.hpp"

#include <gtest/gtest.h>

#include <string>

#include "kane/expr/evaluate.hpp"
#include "kane/expr/graph.hpp"

namespace kane {
namespace {

struct Bad {
  const char* text;
  int line;
  int column;
  const char* message;  ///< a part of it
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.text; }

class BadText : public testing::TestWithParam<Bad> {};
TEST_P(BadText, IsRefusedWithThePlaceAndWhatWasExpected) {
  const Bad& bad = GetParam();
  Graph graph;
  try {
    (void)parse(graph, bad.text);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.where().line, bad.line) << error.what();
    EXPECT_EQ(error.where().column, bad.column) << error.what();
    EXPECT_NE(error.message().find(bad.message), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadText,
    testing::Values(Bad{"", 1, 1, "the expression ends here"}, Bad{"x +", 1, 4, "expected a number, a name"},
                    Bad{"x y", 1, 3, "expected an operator or the end"}, Bad{"(x", 1, 3, "expected an operator or ')'"},
                    Bad{"x)", 1, 2, "expected an operator or the end"}, Bad{"2x", 1, 2, "unknown unit 'x'"},
                    Bad{"a +\n  * b", 2, 3, "found '*'"}, Bad{"sin()", 1, 5, "an argument of sin"},
                    Bad{"sin(x, y)", 1, 1, "sin takes 1 argument, but 2 are given"},
                    Bad{"1 + atan2(y)", 1, 5, "atan2 takes 2 arguments, but 1 is given"},
                    Bad{"sine(x)", 1, 1, "did you mean 'sin'"}, Bad{"max(x, y", 1, 9, "expected ',' or ')'"},
                    Bad{"(x, y)", 1, 3, "expected ')'"}, Bad{"a < b < c", 1, 7, "comparisons cannot be chained"},
                    Bad{"a/(b - b)", 1, 3, "'(b - b)', which is identically zero"},
                    Bad{"1/0", 1, 3, "identically zero"}, Bad{"mod(x, 0)", 1, 1, "mod(x, 0) has no value"},
                    Bad{"1e999999", 1, 1, "out of range"}, Bad{"2^(10^9)", 1, 2, "too many digits"},
                    Bad{"x^(10^9)", 1, 2, "the exponent 1000000000 is too large"}, Bad{"x^(10^30)", 1, 2, "too large"},
                    Bad{"(x^999999)^999999", 1, 11, "too large"},
                    Bad{"1e10000*1e10000*1e10000*1e10000*1e10000", 1, 24, "bytes of digits"},
                    Bad{"x + \xff\xfe", 1, 5, "found '?'"}, Bad{"\u00e9 + 1", 1, 1, "found '\u00e9'"},
                    Bad{"a\u00e9 + b", 1, 2, "found '\u00e9'"}, Bad{"x @ y", 1, 3, "found '@'"},
                    Bad{"'x", 1, 1, "found '''"}, Bad{"log(-1)", 1, 1, "log(-1) is not real"},
                    Bad{"root(x, -2)", 1, 1, "positive whole number"}, Bad{"tan(pi/2)", 1, 1, "has no value"},
                    Bad{"= 3", 1, 1, "found '='"}, Bad{"a = 3", 1, 3, "expected an operator or the end"},
                    Bad{"1..2", 1, 3, "found '.2'"}, Bad{"x!", 1, 2, "found '!'"}));

TEST(Parse, NulBytesAndControlCharactersAreShownHarmlessly) {
  Graph graph;
  try {
    (void)parse(graph, std::string_view("x + \0 y", 7));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(error.message().find("found '?'"), std::string::npos);
  }
}

TEST(Parse, DepthIsLimitedNotTheStack) {
  Graph graph;
  const auto nested = [](std::size_t depth, const std::string& open, const std::string& close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    text += "x";
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
  };
  EXPECT_EQ(parse(graph, nested(999, "(", ")")), graph.symbol("x"));
  EXPECT_EQ(parse(graph, nested(998, "-", "")), graph.symbol("x"));
  for (const auto& text : {nested(1'000'000, "(", ")"), nested(1'000'000, "-", ""), nested(1'000'000, "sin(", ")"),
                           nested(1'000'000, "not ", ""), nested(1'000'000, "(", "")})
    EXPECT_THROW((void)parse(graph, text), LimitError);
  ParseOptions deep;
  deep.max_depth = 2'000'000;
  EXPECT_EQ(parse(graph, nested(1'000'000, "(", ")"), deep), graph.symbol("x"));
}

TEST(Parse, PrecedenceIsThatOfMathematics) {
  Graph graph;
  const auto value = [&](const char* text) { return evaluate(parse(graph, text), {{"x", 3.0}}); };
  EXPECT_EQ(value("2 + 3*4^2"), 50);
  EXPECT_EQ(value("-x^2"), -9);
  EXPECT_NEAR(value("2^-x"), 0.125, 1e-16);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("2**3"), 8);
  EXPECT_EQ(value("8/4/2"), 1);
  EXPECT_EQ(value("8 - 4 - 2"), 2);
  EXPECT_EQ(value("1 < 2 and 3 < 2 or 1 == 1"), 1);
  EXPECT_EQ(value("not 1 < 2"), 0);
  EXPECT_EQ(value("2*-3"), -6);
  EXPECT_EQ(value("1 - -1"), 2);
  EXPECT_EQ(value("1e3 + .5 + 2.e1"), 1020.5);
}

TEST(Parse, NamesAreResolvedOrSuggested) {
  Graph graph;
  ParseOptions options;
  options.resolve = [&](std::string_view name) -> std::optional<Expr> {
    if (name == "length") return graph.symbol("L");
    return std::nullopt;
  };
  options.known_names = {"length"};
  EXPECT_EQ(parse(graph, "2*length", options), 2 * graph.symbol("L"));
  try {
    (void)parse(graph, "2*lenght", options);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.where().column, 3);
    EXPECT_NE(error.message().find("did you mean 'length'"), std::string::npos);
  }
}

}  // namespace
}  // namespace kane
