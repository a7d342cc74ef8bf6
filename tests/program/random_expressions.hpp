#pragma once
// Random expressions over all operators: shared nodes, repeated factors, common divisors, angles of sums.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kane/expr/graph.hpp"
#include "kane/program/lower.hpp"

namespace kane::test {

struct RandomExpressions {
  std::vector<NamedExpr> outputs;
  ProgramInputs inputs;
};

struct RandomOptions {
  int operations = 40;
  int outputs = 4;
  bool functions = true;  ///< not only arithmetic
  bool calls = false;     ///< external functions "table" (1 argument) and "mix" (3 arguments)
};

class ExpressionMaker {
 public:
  ExpressionMaker(Graph& graph, std::uint64_t seed, RandomOptions options)
      : graph_(graph), random_(seed), options_(options) {}

  RandomExpressions run() {
    RandomExpressions made;
    made.inputs = {{"m", "L", "g", "k"}, {"T", "t"}, {"q1", "q2", "q3", "u1", "u2", "u3"}};
    for (const auto* names : {&made.inputs.parameters, &made.inputs.inputs, &made.inputs.state})
      for (const std::string& name : *names) pool_.push_back(graph_.symbol(name));
    for (int i = 0; i < options_.operations; ++i) pool_.push_back(make());
    for (int i = 0; i < options_.outputs; ++i) {
      const Expr e = pool_[pool_.size() - 1 - static_cast<std::size_t>(i)];
      made.outputs.push_back({"out" + std::to_string(i), below(4) == 0 ? -e : e});
    }
    return made;
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  Expr pick() {
    // Half of the time something recent, so that expressions get deep; sometimes a small number.
    if (below(12) == 0) return graph_.number(static_cast<int>(below(5)) - 2, static_cast<int>(below(3)) + 1);
    const std::size_t n = pool_.size();
    return below(2) == 0 && n > 24 ? pool_[n - 1 - below(12)] : pool_[below(n)];
  }

  Expr positive() { return Expr(1) + square(sin(pick())) / 2; }
  Expr divisor() { return below(3) == 0 ? positive() : positive() + Expr(1) / 4; }

  Expr make() {
    const std::size_t kinds = options_.functions ? (options_.calls ? 36 : 34) : 16;
    switch (below(kinds)) {
      case 0:
      case 1:
      case 2: return pick() + pick();
      case 3:
      case 4: return pick() - pick();
      case 5:
      case 6:
      case 7: return pick() * pick();
      case 8: {
        const Expr a = pick();
        return a * pick() + a * pick() - pick() * a;
      }
      case 9: return pick() / divisor();
      case 10: {
        const Expr d = divisor();
        return pick() / d + square(pick()) / (d * divisor());
      }
      case 11: return pow(pick(), static_cast<int>(below(6)) + 2) / 8;
      case 12: return pow(sin(pick()), static_cast<int>(below(6)) + 2) * pow(cos(pick()), 2);
      case 13: return graph_.symbol("m") * (graph_.symbol("L") * pick() + graph_.symbol("g") * pick());
      case 14: return -pick() * pick() - pick();
      case 15: return (pick() - pick()) * (pick() + pick()) * graph_.symbol("k") * pick();
      default: return make_function();
    }
  }

  Expr make_function() {
    const Expr x = pick();
    switch (below(options_.calls ? 26 : 24)) {
      case 0: return sin(x);
      case 1: return cos(x);
      case 2: return tan(x / 3);
      case 3: return sin(x) * cos(x) + tan(x);
      case 4: return sqrt(positive());
      case 5: return pow(positive(), Rational(1, 3));
      case 6: return asin(sin(x) * Expr(9) / 10);
      case 7: return acos(cos(x) * Expr(9) / 10);
      case 8: return atan(x);
      case 9: return atan2(x, positive());
      case 10: return sinh(sin(x));
      case 11: return cosh(sin(x));
      case 12: return tanh(-x);
      case 13: return exp(-square(sin(x)));
      case 14: return log(positive());
      case 15: return abs(x);
      case 16: return sign(x);
      case 17: return min(x, pick());
      case 18: return max(x, pick());
      case 19: return floor(x * 3);
      case 20: return mod(x, positive());
      case 21: return select(less(x, pick()), pick(), pick());
      case 22: return less_equal(x, pick()) + equal(floor(x), Expr(0));
      case 23: return select(less(0, x), sqrt(abs(x) + 1), -pick());
      case 24: return graph_.call("table", std::vector<Expr>{x});
      default: return graph_.call("mix", std::vector<Expr>{x, pick(), pick()});
    }
  }

  Graph& graph_;
  std::mt19937_64 random_;
  RandomOptions options_;
  std::vector<Expr> pool_;
};

inline RandomExpressions make_random_expressions(Graph& graph, std::uint64_t seed, RandomOptions options = {}) {
  return ExpressionMaker(graph, seed, options).run();
}

}  // namespace kane::test
