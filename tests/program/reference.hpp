#pragma once
// True values of expressions at random points, with the error that rounding may cause, and the external functions of
// random expressions.

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kane/expr/evaluate_in.hpp"
#include "kane/program/external_function.hpp"
#include "kane/program/lower.hpp"
#include "tests/program/tracked.hpp"

namespace kane::test {

inline double table(const double* x, void* context) { return std::tanh(x[0]) + *static_cast<const double*>(context); }
inline double mix(const double* x, void*) { return x[0] - 2 * x[1] * x[2]; }
inline double kOffset = 0.25;

inline std::vector<NamedFunction> external_functions() {
  return {{"mix", 3, {mix, nullptr}}, {"table", 1, {table, &kOffset}}};
}

struct Sample {
  std::vector<double> parameters, inputs, state;
};

inline Sample random_sample(const Program& p, std::mt19937_64& random) {
  std::uniform_real_distribution<double> number(-2, 2);
  Sample s;
  for (const ProgramInput& i : p.inputs)
    (i.stage == Stage::Parameters ? s.parameters
     : i.stage == Stage::Inputs   ? s.inputs
                                  : s.state)
        .push_back(number(random));
  return s;
}

/// True values with the error that rounding may cause.
inline std::vector<Tracked> reference(const std::vector<NamedExpr>& outputs, const Program& p, const Sample& s) {
  std::vector<double> all = s.parameters;
  all.insert(all.end(), s.inputs.begin(), s.inputs.end());
  all.insert(all.end(), s.state.begin(), s.state.end());
  std::vector<Expr> es;
  for (const NamedExpr& o : outputs) es.push_back(o.value);
  Tracked::undecided = false;
  return evaluate_in<Tracked>(
      es, [&](const std::string& name) { return Tracked(all.at(p.find_input(name).value())); },
      [](const Rational& r) {
        const double v = to_double(r);
        return Tracked(v, r == Rational(v) ? 0 : Tracked::kUnit * std::fabs(v));
      },
      [](const std::string& name, std::span<const Tracked> x) {
        return name == "table" ? tanh(x[0]) + Tracked(kOffset) : x[0] - Tracked(2) * x[1] * x[2];
      });
}

}  // namespace kane::test
