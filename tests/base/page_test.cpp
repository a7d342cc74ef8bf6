// Pages in all their forms: line breaks, numbers, contents, folded lists, MathML.

#include "kane/base/page.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kane/base/line_break.hpp"

namespace kane::test {
namespace {

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

TEST(LineBreak, ShortFormulasStayOnOneLine) {
  EXPECT_EQ(joined(break_text("F_1 = TA - m*L*g*cos(q1)", 40)), "F_1 = TA - m*L*g*cos(q1)\n");
}

TEST(LineBreak, LinesAreAlignedWithTheRightSide) {
  EXPECT_EQ(joined(break_text("F_1 = TA - m*L*g*cos(q1) + k*x - c*u1 + m*L*u1^2", 31)),
            "F_1 = TA - m*L*g*cos(q1) + k*x\n"
            "      - c*u1 + m*L*u1^2\n");
}

/// The right side begins in a line of its own where that saves a line.
TEST(LineBreak, ALongRightSideGetsTheWholeWidth) {
  EXPECT_EQ(joined(break_text("b*m3*((b + a*cos(q3))*u2' + b*u3') = T3 - b*m3*((b*sin(2*q2 + 2*q3)/2 + "
                              "a*cos(q2)*sin(q2 + q3))*u1^2 + a*sin(q3)*u2^2 + g*cos(q2 + q3))",
                              90)),
            "b*m3*((b + a*cos(q3))*u2' + b*u3')\n"
            "  = T3 - b*m3*((b*sin(2*q2 + 2*q3)/2 + a*cos(q2)*sin(q2 + q3))*u1^2 + a*sin(q3)*u2^2\n"
            "               + g*cos(q2 + q3))\n");
}

/// The name of a constraint beside a tall formula.
TEST(Mathml, OnlyParenthesesOfTheFormulaGrow) {
  const std::string page = mathml("\\frac{a}{b}=0\\qquad(\\mathrm{rod})", true);
  EXPECT_NE(page.find("<mo stretchy='false'>(</mo>"), std::string::npos) << page;
  EXPECT_EQ(page.find("<mo>(</mo>"), std::string::npos) << page;
}

TEST(LineBreak, LinesInsideOfParenthesesAreAlignedWithThem) {
  EXPECT_EQ(joined(break_text("F = m*(aaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbb + ccccccccccccccccc)", 42)),
            "F = m*(aaaaaaaaaaaaaaaa\n"
            "       + bbbbbbbbbbbbbbbbb\n"
            "       + ccccccccccccccccc)\n");
}

TEST(LineBreak, ALongLeftSideEndsBeforeTheEqualsSign) {
  EXPECT_EQ(joined(break_text("(J1 + J2 + m*L^2)*u1' + (J2 + m*L*b)*u2' = tau - m*g*L*sin(q1)", 45)),
            "(J1 + J2 + m*L^2)*u1' + (J2 + m*L*b)*u2'\n"
            "  = tau - m*g*L*sin(q1)\n");
}

TEST(LineBreak, ArgumentsOfFunctionsStayTogether) {
  EXPECT_EQ(
      joined(break_text("J*(sin(phi_f - phi_b)*u1'/(l*(cos(q + phi_f)*cos(phi_b) + cos(q + phi_b))) + u2') = T", 70)),
      "J*(sin(phi_f - phi_b)*u1'/(l*(cos(q + phi_f)*cos(phi_b)\n"
      "                              + cos(q + phi_b))) + u2') = T\n");
}

/// Nothing is lost, no line is longer than the width where there is a sign to break at.
TEST(LineBreak, KeepsEveryCharacter) {
  std::string formula = "F = x";
  for (int i = 1; i < 60; ++i)
    formula += (i % 3 == 0 ? " - (a" : " + b") + std::to_string(i) + (i % 3 == 0 ? " + c)" : "*d");
  for (const std::size_t width : {20U, 33U, 50U, 96U}) {
    const auto lines = break_text(formula, width);
    EXPECT_EQ(without_blanks(joined(lines)), without_blanks(formula));
    for (const auto& line : lines) EXPECT_LE(text_width(line), width) << line;
  }
}

TEST(LineBreak, LatexLinesHaveBalancedParentheses) {
  std::string formula = "F_{1} = m\\,\\left(x";
  for (int i = 1; i < 40; ++i) formula += " + \\frac{a_{" + std::to_string(i) + "}}{b}\\,\\sin q";
  formula += "\\right)\\,u";
  const auto lines = break_latex(formula, 60);
  ASSERT_GT(lines.size(), 3U);
  EXPECT_EQ(lines[0].left, "F_{1}");
  std::string all;
  for (const auto& line : lines) {
    EXPECT_LT(latex_width(line.right), 66) << line.right;
    EXPECT_EQ(line.right.find("\\left"), std::string::npos) << line.right;  // it opens here and closes elsewhere
    all += line.right;
  }
  EXPECT_NE(all.find("\\Bigl("), std::string::npos);
  EXPECT_NE(all.find("\\Bigr)"), std::string::npos);
}

TEST(LineBreak, AFractionWiderThanTheLineOpens) {
  std::string above = "a";
  for (int i = 0; i < 40; ++i) above += " + b\\,c";
  const auto lines = break_latex("x = \\frac{" + above + "}{d + e}", 50);
  EXPECT_GT(lines.size(), 2U);
  EXPECT_EQ(lines[0].right.substr(0, 19), "= \\frac{1}{d + e}\\b");
}

Page sample() {
  Page page;
  page.title = "A & B";
  page.add_heading(1, "Equations of motion");
  page.add_text("F_r = 0:", "$F_{r} = 0$:");
  page.add_formulas({{"Z1 = a", "Z_{1} = a"}}, "1 intermediate variable, Z1");
  page.add_equations({{"a = b", "a = b"}, {"c = -d", "c = -d"}});
  page.add_heading(1, "1. Preliminaries");
  page.add_table({{words("parameter"), words("unit")}, {{{"k", "k"}, unit_formula("N*s/m^2")}}});
  page.add_heading(1, "2. More");
  page.add_heading(1, "3. Still more");
  page.add_heading(1, "Last");
  page.add_equations({{"e = f", "e = f"}});
  return page;
}

TEST(Page, EquationsHaveTheSameNumbersInAllForms) {
  const Page page = sample();
  const std::string text = write_text(page), markdown = write_markdown(page), html = write_html(page);
  EXPECT_NE(text.find("  a = b    (1)\n  c = -d   (2)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  e = f   (3)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  Z1 = a\n"), std::string::npos) << text;
  EXPECT_NE(markdown.find("$$c = -d \\tag{2}$$"), std::string::npos) << markdown;
  EXPECT_NE(html.find("id='eq3' href='#eq3'>(3)</a>"), std::string::npos);
  const std::string latex = write_latex(page);
  EXPECT_NE(latex.find("\\begin{align}\na &= b \\\\\nc &= -d\n\\end{align}"), std::string::npos) << latex;
  EXPECT_NE(latex.find("\\begin{align*}\nZ_{1} &= a\n\\end{align*}"), std::string::npos) << latex;
}

TEST(Page, ContentsListTheHeadings) {
  const Page page = sample();
  EXPECT_NE(
      write_text(page).find("\nContents: Equations of motion | 1. Preliminaries | 2. More | 3. Still more | Last\n"),
      std::string::npos);
  EXPECT_NE(write_markdown(page).find("- [1. Preliminaries](#1-preliminaries)\n"), std::string::npos);
  EXPECT_NE(write_latex(page).find("\\tableofcontents"), std::string::npos);
  const std::string html = write_html(page);
  EXPECT_NE(html.find("<a href='#1-preliminaries'>1. Preliminaries</a>"), std::string::npos);
  EXPECT_NE(html.find("<h2 id='1-preliminaries'>"), std::string::npos);
}

TEST(Page, LongListsFold) {
  const Page page = sample();
  for (const std::string& form : {write_html(page), write_markdown(page)}) {
    EXPECT_NE(form.find("<details><summary>1 intermediate variable, Z1</summary>"), std::string::npos);
    EXPECT_NE(form.find("</details>"), std::string::npos);
  }
}

/// A font with a MATH table comes with the page: without one, dots over letters collide with them.
TEST(Page, HtmlBringsItsFont) {
  const std::string html = write_html(sample());
  EXPECT_NE(html.find("url(data:font/woff2;base64,d09GMk9UVE8"), std::string::npos);  // the signature wOF2, then OTTO
  EXPECT_NE(html.find("SIL Open Font License"), std::string::npos);
  EXPECT_NE(html.find("math { font-size: 1.15rem; font-family: \"Kane Math\""), std::string::npos);
  EXPECT_NE(html.find("<title>A &amp; B</title>"), std::string::npos);
}

TEST(Page, UnitsAreTypeset) {
  EXPECT_EQ(unit_formula("N*s/m^2").latex, R"(\mathrm{N}\,\mathrm{s}/\mathrm{m}^{2})");
  EXPECT_EQ(unit_formula("1/s").latex, R"(1/\mathrm{s})");
  EXPECT_EQ(unit_formula("").text, "");
}

TEST(MathmlLines, VectorsAreBoldAndSignsBelongToTheirTerms) {
  EXPECT_EQ(mathml("\\mathbf{v}", false), "<math><mrow><mi mathvariant='normal'>\U0001D42F</mi></mrow></math>");
  EXPECT_EQ(mathml("\\boldsymbol{\\omega}", false), "<math><mrow><mi>\U0001D74E</mi></mrow></math>");
  EXPECT_EQ(mathml("a = -b", false),
            "<math><mrow><mi>a</mi><mo>=</mo><mo form='prefix'>\u2212</mo><mi>b</mi></mrow></math>");
}

}  // namespace
}  // namespace kane::test
