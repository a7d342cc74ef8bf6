// Linear equations derived from the nonlinear model: the benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab
// (2007), and finite differences.

#include "kane/mechanics/linearize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kane/expr/evaluate.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/solve/eigen.hpp"

namespace kane {
namespace {

const std::string kRoot = KANE_SOURCE_DIR;

EquationsOfMotion form_model(const std::string& name) {
  FormOptions options;
  options.formulation = Formulation::Projection;
  options.solve = false;
  options.outputs = false;
  options.embedding = EmbeddingMethod::Projection;
  return form_equations(read_yaml_model(kRoot + "/models/" + name + ".yaml"), options);
}

Values parameters_of(const EquationsOfMotion& e) {
  Values values;
  for (const auto& p : e.parameters) values[p.symbol.name()] = evaluate(p.value, values);
  return values;
}

class Bicycle : public ::testing::Test {
 protected:
  Bicycle() : equations(form_model("bicycle_nonlinear")) {
    std::ifstream file(kRoot + "/tests/oracles/bicycle_linear.json");
    file >> oracle;
    options.nominal["z"] = -equations.graph->symbol("rR");
    options.nominal["u_tR"] = -equations.graph->symbol("v") / equations.graph->symbol("rR");
    options.only = {"phi", "delta", "u_phi", "u_delta"};
    values = parameters_of(equations);
    for (const auto& [name, value] : oracle["parameters"].items()) values[name] = value.get<double>();
    linear = linearize(equations, options);
  }

  double at(const ExprMatrix& m, int i, int j, double v) {
    values["v"] = v;
    return evaluate(m(i, j), values);
  }

  EquationsOfMotion equations;
  nlohmann::json oracle;
  LinearizeOptions options;
  Values values;
  Linearization linear;
};

TEST_F(Bicycle, MatricesAreThoseOfTheBenchmark) {
  const double g = values.at("g");
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const auto I = static_cast<std::size_t>(i), J = static_cast<std::size_t>(j);
      const double M = oracle["M"][I][J], C1 = oracle["C1"][I][J], K0 = oracle["K0"][I][J], K2 = oracle["K2"][I][J];
      for (const double v : {0.0, 1.0, 4.6, 9.0}) {
        EXPECT_NEAR(at(linear.M, i, j, v), M, 1e-11 * 81) << i << j << " v=" << v;
        EXPECT_NEAR(at(linear.C, i, j, v), v * C1, 1e-11 * 300) << i << j << " v=" << v;
        EXPECT_NEAR(at(linear.K, i, j, v), g * K0 + v * v * K2, 1e-11 * 6000) << i << j << " v=" << v;
      }
    }
  }
}

TEST_F(Bicycle, EigenvaluesAreThoseOfTheBenchmark) {
  for (const auto& row : oracle["eigenvalues"]) {
    values["v"] = row["v"].get<double>();
    const auto flat = evaluate(linear.A.entries, values);
    const GeneralEigen eigen = calc_eigen(ConstMatrixView(flat.data(), 4, 4), false);
    ASSERT_TRUE(eigen.converged);
    for (std::size_t k = 0; k < 4; ++k) {
      // Sorted by real parts in both; pairs may be listed with either sign of the imaginary part first.
      EXPECT_NEAR(eigen.values[k].real(), row["lambda_re_im"][k][0].get<double>(), 1e-9) << "v = " << row["v"];
      EXPECT_NEAR(std::abs(eigen.values[k].imag()), std::abs(row["lambda_re_im"][k][1].get<double>()), 1e-9);
    }
  }
}

/// A and B of an unconstrained system against central differences of its own equations.
TEST(Linearize, AgreesWithFiniteDifferences) {
  for (const std::string name : {"planar2r", "stanford_arm", "wrist_body", "planar2r_opspace"}) {
    const EquationsOfMotion e = form_model(name);
    Values base = parameters_of(e);
    LinearizeOptions options;
    options.solve_accelerations = true;
    double x = 0.3;
    const auto nominal = [&](const Expr& s) {
      x = x > 1 ? x - 1.37 : x + 0.41;
      base[s.name()] = x;
      options.nominal[s.name()] = e.graph->number(rational_from_double(x));
    };
    for (const auto& q : e.q) nominal(q);
    for (const auto& u : e.u) nominal(u);
    for (const auto& r : e.inputs) nominal(r.symbol);
    base[e.t.name()] = 0;
    const Linearization l = linearize(e, options);
    const auto A = evaluate(l.A.entries, base), B = evaluate(l.B.entries, base);

    const auto n = e.q.size(), p = e.u.size();
    const auto rates = [&](const Values& at) {
      std::vector<double> y = evaluate(e.qdot, at);
      auto M = evaluate(e.M.entries, at), b = evaluate(e.rhs, at);
      // Gauss without pivoting: M is positive definite.
      for (std::size_t k = 0; k < p; ++k)
        for (std::size_t i = k + 1; i < p; ++i) {
          const double factor = M[i * p + k] / M[k * p + k];
          for (std::size_t j = k; j < p; ++j) M[i * p + j] -= factor * M[k * p + j];
          b[i] -= factor * b[k];
        }
      for (std::size_t i = p; i-- > 0;) {
        for (std::size_t j = i + 1; j < p; ++j) b[i] -= M[i * p + j] * b[j];
        b[i] /= M[i * p + i];
      }
      y.insert(y.end(), b.begin(), b.end());
      return y;
    };
    const auto check = [&](const Expr& s, const std::vector<double>& matrix, std::size_t columns, std::size_t column) {
      // Fourth-order differences: truncation and rounding both below 1e-10 of the largest entry.
      const double h = 1e-3;
      std::vector<std::vector<double>> f;
      for (const int k : {-2, -1, 1, 2}) {
        Values moved = base;
        moved[s.name()] += k * h;
        f.push_back(rates(moved));
      }
      double size = 1;
      for (const double a : matrix) size = std::max(size, std::abs(a));
      for (std::size_t i = 0; i < n + p; ++i) {
        const double difference = (f[0][i] - 8 * f[1][i] + 8 * f[2][i] - f[3][i]) / (12 * h);
        EXPECT_NEAR(matrix[i * columns + column] / size, difference / size, 1e-10)
            << name << " d/d" << s.name() << " row " << i;
      }
    };
    for (std::size_t j = 0; j < n; ++j) check(e.q[j], A, n + p, j);
    for (std::size_t j = 0; j < p; ++j) check(e.u[j], A, n + p, n + j);
    for (std::size_t j = 0; j < e.inputs.size(); ++j) check(e.inputs[j].symbol, B, e.inputs.size(), j);
  }
}

TEST(Linearize, UnknownNamesAreNamed) {
  const EquationsOfMotion e = form_model("planar2r");
  LinearizeOptions options;
  options.only = {"q3"};
  EXPECT_THROW((void)linearize(e, options), ModelError);
  options = {};
  options.nominal["q11"] = 1;
  try {
    (void)linearize(e, options);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("q11"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace kane
