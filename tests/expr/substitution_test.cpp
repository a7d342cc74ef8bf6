#include "kane/expr/substitution.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kane
