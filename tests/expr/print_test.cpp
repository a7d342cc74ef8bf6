// Text, LaTeX and C-like code of expressions.

#include "kane/expr/print.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/parse.hpp"

namespace kane {
namespace {

struct Case {
  const char* input;
  const char* output;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.input; }

class Latex : public testing::TestWithParam<Case> {};
TEST_P(Latex, IsWhatABookWouldHave) {
  Graph graph;
  EXPECT_EQ(to_latex(parse(graph, GetParam().input)), GetParam().output);
}

INSTANTIATE_TEST_SUITE_P(
    Names, Latex,
    testing::Values(Case{"q1'", R"(\dot{q}_{1})"}, Case{"q1''", R"(\ddot{q}_{1})"}, Case{"x'''", R"(\dddot{x})"},
                    Case{"x''''", R"(x^{(4)})"}, Case{"theta", R"(\theta)"}, Case{"theta2'", R"(\dot{\theta}_{2})"},
                    Case{"omega_A", R"(\omega_{A})"}, Case{"T_AB", R"(T_{AB})"}, Case{"alpha12", R"(\alpha_{12})"},
                    Case{"Gamma_2'", R"(\dot{\Gamma}_{2})"}, Case{"B.mass", R"(B_{\mathrm{mass}})"},
                    Case{"I_xx", R"(I_{\mathrm{xx}})"}, Case{"u_theta", R"(u_{\theta})"},
                    Case{"u_theta'", R"(\dot{u}_{\theta})"}, Case{"M_phi1", R"(M_{\phi 1})"},
                    Case{"k_rear_psi", R"(k_{\mathrm{rear},\psi})"}, Case{"x1_2", R"(x_{1,2})"}, Case{"pi", R"(\pi)"},
                    Case{"speed", R"(\mathrm{speed})"}, Case{"lambda", R"(\lambda)"}));

INSTANTIATE_TEST_SUITE_P(
    Forms, Latex,
    testing::Values(Case{"x/y", R"(\frac{x}{y})"}, Case{"(a/b)^2", R"(\left(\frac{a}{b}\right)^{2})"},
                    Case{"(a + b)^2", R"(\left(a + b\right)^{2})"}, Case{"exp(x)^2", R"(\left(e^{x}\right)^{2})"},
                    Case{"log(x)^2", R"(\left(\ln x\right)^{2})"}, Case{"x''''^2", R"(\left(x^{(4)}\right)^{2})"},
                    Case{"sin(x)^2", R"(\sin^{2} x)"}, Case{"tanh(x)^3", R"(\tanh^{3} x)"},
                    Case{"sin(x)*y", R"(\sin \left(x\right)\,y)"}, Case{"y*sin(x)", R"(y\,\sin x)"},
                    Case{"-sin(x)*y", R"(-\sin \left(x\right)\,y)"}, Case{"sin(x) + y", R"(\sin x + y)"},
                    Case{"sin(a + b)", R"(\sin \left(a + b\right))"}, Case{"sqrt(x/y)", R"(\sqrt{\frac{x}{y}})"},
                    Case{"x^(1/3)", R"(\sqrt[3]{x})"}, Case{"x^(2/3)", R"(\left(\sqrt[3]{x}\right)^{2})"},
                    Case{"abs(x)", R"(\left|x\right|)"}, Case{"floor(x)", R"(\left\lfloor x\right\rfloor)"},
                    Case{"mod(x, y)", R"(x \bmod y)"}, Case{"2*mod(x, y)", R"(2\,\left(x \bmod y\right))"},
                    Case{"min(a, b)", R"(\min\left(a, b\right))"},
                    Case{"atan2(y, x)", R"(\operatorname{atan2}\left(y, x\right))"}, Case{"a <= b", R"(a \le b)"},
                    Case{"c*(a < b)", R"(c\,\left(a < b\right))"}, Case{"x/3", R"(\frac{1}{3}\,x)"},
                    Case{"9.81*x", R"(9.81\,x)"}, Case{"-(a - b)", R"(b - a)"},
                    Case{"select(x < 0, -x, x)", R"(\begin{cases}-x & x < 0 \\ x & \text{otherwise}\end{cases})"}));

TEST(LatexName, SpecialCharactersAreEscaped) {
  EXPECT_EQ(latex_name("50%"), R"(\mathrm{50\%})");
  EXPECT_EQ(latex_name("a_b#c"), R"(a_{\mathrm{b\#c}})");
  EXPECT_EQ(latex_name("_"), R"(\_)");
}

class Text : public testing::TestWithParam<Case> {};
TEST_P(Text, IsShort) {
  Graph graph;
  EXPECT_EQ(to_text(parse(graph, GetParam().input)), GetParam().output);
}

INSTANTIATE_TEST_SUITE_P(All, Text,
                         testing::Values(Case{"a-(b-c)", "a - (b - c)"}, Case{"a+(b-c)", "a + b - c"},
                                         Case{"-(a-b)", "b - a"}, Case{"a*(b*c)", "a*b*c"}, Case{"a/(b*c)", "a/(b*c)"},
                                         Case{"(a/b)*c", "a/b*c"}, Case{"2*(1/y)", "2/y"}, Case{"-x^2", "-x^2"},
                                         Case{"(-x)^2", "x^2"}, Case{"0.0625*x", "0.0625*x"}, Case{"x/2", "1/2*x"},
                                         Case{"x^(2/3)", "x^(2/3)"}, Case{"(a+b)^(1/3)", "(a + b)^(1/3)"},
                                         Case{"(a<b)*c", "(a < b)*c"}, Case{"q1''+B.mass", "q1'' + B.mass"},
                                         Case{"sqrt(x)", "sqrt(x)"}, Case{"root(x,4)", "x^(1/4)"}));

TEST(Print, IsCutOnRequest) {
  Graph graph;
  const Expr e = parse(graph, "1e300 + x + y");
  EXPECT_EQ(to_text(e, {.max_length = 20}).size(), 24U);
  EXPECT_LE(e.to_string().size(), 210U);
  Expr tree = graph.symbol("x");
  for (int i = 0; i < 60; ++i) tree = sin(tree) * (tree + 1);
  EXPECT_THROW((void)to_text(tree), LimitError);
  EXPECT_LE(tree.to_string().size(), 210U);
}

// ---- C-like code ---------------------------------------------------------------------------------------------------------

TEST(Code, IsReadable) {
  Graph graph;
  const auto code = [&](const char* text) { return to_code(parse(graph, text)); };
  EXPECT_EQ(code("x^2 + 3*y"), "pow(x, 2) + 3.0*y");
  EXPECT_EQ(code("q1'*B.mass + q1''"), "q1_dot*B_mass + q1_ddot");
  EXPECT_EQ(code("select(a < b, a, 1/3)"), "(a < b ? a : 0.3333333333333333)");
  EXPECT_EQ(code("1e400*x"), "HUGE_VAL*x");
  EXPECT_EQ(code("pi"), "3.141592653589793");
}

TEST(Code, CompilesAsCAndHasTheSameValue) {
  const char* const texts[] = {"a - (b - c)",
                               "a/(b/c)/(a*b)",
                               "-(a + b)^3*c",
                               "sign(a - b)*mod(a*b, c + 1) + mod(-a, b)",
                               "a^(2/3) + root(b, 4) + sqrt(c)",
                               "select(a < b, sin(a), cos(b))*(a <= c) + (a == b)",
                               "min(a, b) - max(b - c, a)*abs(-c)",
                               "floor(7*a)/3 + exp(-a)*log(b) + tan(c)",
                               "asin(a/9) + acos(b/9) + atan(c) + atan2(a, -b)",
                               "sinh(a)*cosh(b)*tanh(c) + a^b",
                               "1/3*a - 0.1*b + 123456789012345678901234567890*c",
                               "not (a < b) and (b != c) or a > 2",
                               "-2*(-3)^3*a^-2"};
  const auto folder = std::filesystem::temp_directory_path() / ("kane_code_" + std::to_string(std::random_device{}()));
  std::filesystem::create_directories(folder);
  const std::string source = folder / "code.c", library = folder / "code.so";
  Graph graph;
  {
    std::ofstream out(source);
    out << "#include <math.h>\n";
    for (std::size_t i = 0; i < std::size(texts); ++i)
      out << "double f" << i << "(double a, double b, double c) { return " << to_code(parse(graph, texts[i]))
          << "; }\n";
  }
  const std::string command = "cc -std=c99 -Wall -Werror -ffp-contract=off -shared -fPIC -o " + library + " " + source;
  ASSERT_EQ(std::system((command + " -lm").c_str()), 0);
  void* handle = dlopen(library.c_str(), RTLD_NOW);
  ASSERT_NE(handle, nullptr);
  for (std::size_t i = 0; i < std::size(texts); ++i) {
    void* const address = dlsym(handle, ("f" + std::to_string(i)).c_str());
    ASSERT_NE(address, nullptr);
    auto* const f = reinterpret_cast<double (*)(double, double, double)>(address);
    for (const auto& [a, b, c] : {std::array{1.25, 2.5, 0.75}, std::array{3.0, 1.5, 4.25}, std::array{0.5, 0.5, 1.0}}) {
      const double expected = evaluate(parse(graph, texts[i]), {{"a", a}, {"b", b}, {"c", c}});
      EXPECT_NEAR(f(a, b, c), expected, 1e-14 * std::abs(expected) + 1e-14) << texts[i];
    }
  }
  dlclose(handle);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kane
