// The benchmark bicycle (Meijaard, Papadopoulos, Ruina and Schwab 2007).

#include "bicycle.hpp"

#include <gtest/gtest.h>

#include <iostream>

#include "kane/expr/count.hpp"

namespace kane::test {
namespace {

TEST(Oracle, BicycleNonlinear) {
  for (const EmbeddingMethod method : {EmbeddingMethod::Projection, EmbeddingMethod::Recombination}) {
    Bicycle bicycle;
    DeriveOptions options;
    options.embedding = method;
    KaneDerivation d(bicycle.s, options);
    const EquationsOfMotion& e = d.equations();
    std::vector<Expr> outputs = e.embedded->M.entries;
    outputs.insert(outputs.end(), e.embedded->rhs.begin(), e.embedded->rhs.end());
    std::vector<Expr> variables = e.q;
    variables.insert(variables.end(), e.u.begin(), e.u.end());
    for (const SymbolWithDefault& i : e.inputs) variables.push_back(i.symbol);
    const OperationCount count = count_operations(outputs, variables);
    std::cout << "bicycle, M and forcing: " << count.to_string() << " = " << count.total() << "\n";
    if (method == EmbeddingMethod::Projection) {
      EXPECT_LT(count.total(), 1500) << count.to_string();
    }
    compare(d, bicycle.oracle);
  }
}

}  // namespace
}  // namespace kane::test
