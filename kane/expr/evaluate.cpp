#include "kane/expr/evaluate.hpp"

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/evaluate_in.hpp"

namespace kane {

std::vector<double> evaluate(std::span<const Expr> es, const Values& symbols, const FunctionTable& functions) {
  const auto symbol = [&](const std::string& name) {
    const auto found = symbols.find(name);
    if (found == symbols.end()) {
      std::vector<std::string> known;
      for (const auto& [key, value] : symbols) known.push_back(key);
      throw ModelError(fmt::format("the symbol '{}' has no value{}", name, suggestion(name, known)));
    }
    return found->second;
  };
  const auto call = [&](const std::string& name, std::span<const double> args) {
    const auto found = functions.find(name);
    require(found != functions.end(), "the external function '{}' has no value", name);
    return found->second(args);
  };
  return evaluate_in<double>(
      es, symbol, [](const Rational& r) { return to_double(r); }, call);
}

double evaluate(const Expr& e, const Values& symbols, const FunctionTable& functions) {
  return evaluate(std::span<const Expr>(&e, 1), symbols, functions).front();
}

}  // namespace kane
