// One-dimensional tables: interpolation, smoothness, and extrapolation beyond the ends.

#include "kane/mechanism/tables.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kane/expr/derivative.hpp"
#include "kane/expr/parse.hpp"

namespace kane {
namespace {

Table table(bool cubic, bool monotone = false) {
  return {"f", {-1, 0, 0.5, 2, 3.5}, {1, 0.2, 0.4, 2, 2}, cubic, monotone, {}};
}

TEST(Tables, GoThroughTheirPointsAndOnStraight) {
  for (const Table& t : {table(false), table(true), table(false, true)}) {
    const TableFunction f(t);
    for (std::size_t i = 0; i < t.x.size(); ++i) EXPECT_NEAR(f(t.x[i]), t.y[i], 1e-14);
    EXPECT_NEAR(f(-3), f(-1) - 2 * f(-1, 1), 1e-14);
    EXPECT_NEAR(f(5), f(3.5) + 1.5 * f(5, 1), 1e-14);
    EXPECT_EQ(f(-3, 2), 0);
    EXPECT_EQ(f(5, 3), 0);
  }
}

TEST(Tables, Lines) {
  const TableFunction f(table(false));
  EXPECT_NEAR(f(-0.25), 0.4, 1e-15);
  EXPECT_NEAR(f(1.25), 1.2, 1e-15);
  EXPECT_NEAR(f(1.25, 1), 1.6 / 1.5, 1e-15);
  EXPECT_EQ(f(1.25, 2), 0);
}

TEST(Tables, DerivativesAreDerivatives) {
  for (const Table& t : {table(true), table(false, true)}) {
    const TableFunction f(t);
    for (const double x : {-2.0, -0.3, 0.2, 1.1, 3.0, 4.0}) {
      const double h = 1e-5;
      for (int order = 0; order < 3; ++order)
        EXPECT_NEAR((f(x + h, order) - f(x - h, order)) / (2 * h), f(x, order + 1), 1e-8) << x << " " << order;
    }
  }
}

TEST(Tables, SplinesAreSmoothAndNaturalAtTheEnds) {
  const Table t = table(true);
  const TableFunction f(t);
  const double h = 1e-9;
  for (const double x : {0.0, 0.5, 2.0})
    for (int order = 0; order < 3; ++order) EXPECT_NEAR(f(x - h, order), f(x, order), 1e-7) << x << " " << order;
  EXPECT_NEAR(f(-1, 2), 0, 1e-12);
  EXPECT_NEAR(f(3.5 - 1e-12, 2), 0, 1e-10);
  // A spline through points of a straight line is the line.
  const TableFunction line({"g", {0, 1, 3, 4}, {1, 3, 7, 9}, true, false, {}});
  for (const double x : {-1.0, 0.4, 2.2, 3.7, 6.0}) EXPECT_NEAR(line(x), 1 + 2 * x, 1e-13);
}

TEST(Tables, MonotoneOnesNeverOvershoot) {
  const Table t{"f", {0, 1, 2, 3, 4, 5}, {0, 0, 0, 1, 1, 3}, false, true, {}};
  const TableFunction f(t);
  for (double x = 0; x < 5; x += 0.01) {
    EXPECT_GE(f(x, 1), -1e-12) << x;
    EXPECT_GE(f(x), -1e-12) << x;
  }
  for (double x = 3; x <= 4; x += 0.1) EXPECT_NEAR(f(x), 1, 1e-12);
  for (const double x : {1.0, 2.0, 3.0, 4.0}) EXPECT_NEAR(f(x - 1e-9, 1), f(x, 1), 1e-6);
}

TEST(Tables, AreFunctionsOfExpressions) {
  Mechanism m("m");
  m.add_table(table(true));
  Expr x = m.graph->symbol("x");
  const Expr e = parse(*m.graph, "2*f(x^2)");
  const TableFunction f(table(true));
  const FunctionTable functions = table_functions(m);
  EXPECT_NEAR(evaluate(e, {{"x", 0.9}}, functions), 2 * f(0.81), 1e-14);
  EXPECT_NEAR(evaluate(derivative(e, x), {{"x", 0.9}}, functions), 2 * 1.8 * f(0.81, 1), 1e-13);
}

TEST(Tables, BadTables) {
  const auto message = [](const Table& t) -> std::string {
    try {
      check_table(t);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(table(true)), "");
  EXPECT_NE(message({"f", {0}, {0}, false, false, {}}).find("at least two points"), std::string::npos);
  EXPECT_NE(message({"f", {0, 1}, {0}, false, false, {}}).find("2 values of x but 1 of y"), std::string::npos);
  EXPECT_NE(message({"f", {0, 0}, {0, 1}, false, false, {}}).find("must increase"), std::string::npos);
  EXPECT_NE(message({"f", {0, NAN}, {0, 1}, false, false, {}}).find("finite"), std::string::npos);
  EXPECT_NE(message({"sin", {0, 1}, {0, 1}, false, false, {}}).find("function already"), std::string::npos);
}

}  // namespace
}  // namespace kane
