#pragma once
// Comparison of a derivation with the reference values of tests/oracles. Expressions are evaluated in extended
// precision, so that a difference of 1e-12 means a different formula and not rounding.

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kane/mechanics/kane.hpp"

namespace kane::test {

using Number = long double;
using NumberMap = std::map<std::string, Number, std::less<>>;

/// Values of expressions; every symbol must have one.
std::vector<Number> calc(std::span<const Expr> es, const NumberMap& values);
Number calc(const Expr& e, const NumberMap& values);
std::vector<Number> calc(const Expr3& e, const NumberMap& values);
/// Row by row.
std::vector<Number> calc(const ExprMatrix& m, const NumberMap& values);

/// Solves a dense system (rows one after the other) by elimination with pivoting.
std::vector<Number> solve(std::vector<Number> a, std::vector<Number> b);

class Oracle {
 public:
  explicit Oracle(const std::string& id);
  [[nodiscard]] const nlohmann::json& file() const { return file_; }
  [[nodiscard]] const nlohmann::json& states() const { return file_.at("states"); }
  [[nodiscard]] double parameter(const std::string& name) const { return file_.at("parameters").at(name); }

  /// Declares all parameters (arrays m become m1, m2, ...), inputs and coordinates under the oracle's names.
  void declare(System& s) const;
  /// Values of parameters, t, q, u and inputs of a state.
  [[nodiscard]] NumberMap values(const nlohmann::json& state) const;

 private:
  nlohmann::json file_;
};

/// All entries equal within 1e-12 of the largest reference entry.
void expect_close(const std::vector<Number>& computed, const nlohmann::json& reference, const std::string& what,
                  Number tolerance = 1e-12L);

struct CompareOptions {
  /// Oracle name of a partial velocity -> names of frame and point here ("" = none).
  std::map<std::string, std::pair<std::string, std::string>> partials = {};
  bool multipliers = true;
};

/// Everything every oracle has: qdot, M, rhs, F_r, udot, T, V, partial velocities; constraint Jacobian, multipliers and
/// embedded equations where there are constraints. Gives the values of each state, with udot and lambda added, for further
/// checks.
std::vector<NumberMap> compare(KaneDerivation& derivation, const Oracle& oracle, const CompareOptions& options = {});

/// The symbol of this name.
inline Expr sym(const System& s, const std::string& name) { return s.graph().symbol(name); }

}  // namespace kane::test
