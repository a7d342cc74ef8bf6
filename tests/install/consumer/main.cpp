#include <iostream>

#include "kane/expr/derivative.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/print.hpp"

int main() {
  kane::Graph graph;
  const auto x = graph.symbol("x");
  std::cout << kane::to_text(kane::derivative(x * x * x, x)) << '\n';
  std::cout << kane::to_text(kane::square(kane::sin(x)) + kane::square(kane::cos(x))) << '\n';
  return 0;
}
