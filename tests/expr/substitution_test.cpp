#include "kane/expr/substitution.hpp"

#include <gtest/gtest.h>

#include "kane/expr/copy_without.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {
namespace {

// The node a (x + b) - a x has the value a b, but is written with x until somebody builds a b.
TEST(Substitution, LeavesNothingOfWhatIsReplaced) {
  Graph g;
  const Expr a = g.symbol("a"), b = g.symbol("b"), x = g.symbol("x"), y = g.symbol("y");
  const Expr e = a * (x + b) - a * x;
  const Expr replaced = substitute(e, {{x, y}});
  EXPECT_FALSE(depends_on(replaced, x)) << replaced.to_string();
  EXPECT_EQ(replaced, a * b);
}

TEST(Substitution, KeepsWhatTheValuesBringIn) {
  Graph g;
  const Expr x = g.symbol("x"), y = g.symbol("y");
  EXPECT_EQ(substitute(x + y, {{x, y}, {y, x}}), y + x);
  EXPECT_EQ(substitute(2 * x, {{x, x + 1}}), 2 * x + 2);
}

TEST(Substitution, CopiesHaveNothingOfWhatTheyDoNotDependOn) {
  Graph g, other;
  const Expr a = g.symbol("a"), b = g.symbol("b"), x = g.symbol("x");
  const std::vector<Expr> e{a * (x + b) - a * x, (a / x + b / x) * x};
  const auto copies = copy_without({&x, 1}, other, e);
  ASSERT_TRUE(copies);
  const Expr p = other.symbol("a"), q = other.symbol("b");
  EXPECT_EQ(*copies, (std::vector<Expr>{p * q, p + q}));
  for (const Expr& copy : *copies) EXPECT_FALSE(depends_on(copy, other.symbol("x"))) << copy.to_string();
  Graph another;
  EXPECT_FALSE(copy_without({&x, 1}, another, std::vector<Expr>{a * x + b}));
}

}  // namespace
}  // namespace kane
