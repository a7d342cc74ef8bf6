// Names, lines and the table of languages.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <sstream>

#include "kane/base/error.hpp"
#include "kane/codegen/emit/emit_export.hpp"
#include "kane/codegen/emit/emit_names.hpp"
#include "kane/codegen/emit/emit_source.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/parse.hpp"
#include "kane/program/lower.hpp"
#include "tests/program/random_expressions.hpp"

namespace kane {
namespace {

TEST(EmitNames, BecomeIdentifiers) {
  EXPECT_EQ(identifier_of("u1'"), "u1_dot");
  EXPECT_EQ(identifier_of("u1''"), "u1_ddot");
  EXPECT_EQ(identifier_of("B.mass"), "B_mass");
  // Files are named after an identifier with something added, which is then made one again.
  for (const char* name : {"\xC3\xBC \xC3\xB1", "\xCE\xB8\xCE\xB8", "a - \xCE\xB8", "it's", "__x"})
    EXPECT_EQ(identifier_of(identifier_of(name) + "_motion"), identifier_of(name) + "_motion") << name;
  EXPECT_EQ(identifier_of("2nd"), "x2nd");
  EXPECT_EQ(identifier_of("_a"), "a");
  EXPECT_EQ(identifier_of("a b--c"), "a_b_c");
  EXPECT_EQ(identifier_of("\xce\xb8"), "u3b8");  // theta
  EXPECT_EQ(identifier_of(""), "x");
  EXPECT_EQ(identifier_of("***"), "x");
  EXPECT_EQ(identifier_of("\xff\xfe"), "uff_ufe");  // not UTF-8
}

TEST(EmitNames, AreLegalAndDifferent) {
  NameTable table({.reserved = "for if", .ignores_case = true, .max_length = 10});
  EXPECT_EQ(table.add("for"), "for_2");
  EXPECT_EQ(table.add("If"), "If_2");
  EXPECT_EQ(table.add("q1'"), "q1_dot");
  EXPECT_EQ(table.add("q1_dot"), "q1_dot_2");
  EXPECT_EQ(table.add("Q1_DOT"), "Q1_DOT_3");
  EXPECT_EQ(table.add("abcdefghijklmn"), "abcdefghij");
  EXPECT_EQ(table.add("abcdefghijkl"), "abcdefgh_2");
  EXPECT_FALSE(table.has_numbered("z"));
  (void)table.add("z12");
  EXPECT_TRUE(table.has_numbered("Z"));
}

TEST(EmitNames, CannotEndACommentOrAText) {
  EXPECT_EQ(harmless("a*/\nb"), "a?/?b");
  EXPECT_EQ(quoted("a\"b\\", '"', true), "\"a\\\"b\\\\\"");
  EXPECT_EQ(quoted("it's", '\'', false), "'it''s'");
}

TEST(EmitSource, LanguagesHaveNames) {
  EXPECT_EQ(find_language("C++"), Language::Cpp);
  EXPECT_EQ(find_language("octave"), Language::Matlab);
  EXPECT_EQ(find_language("JS"), Language::JavaScript);
  EXPECT_EQ(find_language("cobol"), std::nullopt);
  EXPECT_EQ(find_language(""), std::nullopt);
  for (const LanguageInfo& row : languages()) {
    EXPECT_EQ(find_language(row.name), row.language);
    EXPECT_EQ(info(row.language).title, row.title);
  }
}

Program sample(int operations) {
  Graph graph;
  const auto made = test::make_random_expressions(graph, 3, {.operations = operations, .outputs = 8, .calls = true});
  return lower("sample", made.outputs, made.inputs);
}

std::size_t longest_line(const std::string& text) {
  std::istringstream in(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(in, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(EmitSource, EveryNameStandsInTheText) {
  const Program p = sample(60);
  for (const LanguageInfo& row : languages()) {
    std::string all;
    for (const SourceFile& f : emit_source(p, row.language)) all += f.text;
    for (const ProgramInput& i : p.inputs) EXPECT_NE(all.find(i.name), std::string::npos) << row.name << " " << i.name;
    for (const ProgramOutput& o : p.outputs)
      EXPECT_NE(all.find(o.name), std::string::npos) << row.name << " " << o.name;
  }
}

TEST(EmitSource, LinesAreShortEnough) {
  Program p = sample(500);
  p.inputs[0].name = std::string(300, 'a');
  p.inputs[1].name = std::string(299, 'a') + "b";
  for (const Language language : {Language::Fortran, Language::Matlab})
    for (const SourceFile& f : emit_source(p, language)) EXPECT_LE(longest_line(f.text), 132U) << f.name;
}

TEST(EmitSource, LatexIsBalanced) {
  const std::string text = emit_source(sample(200), Language::Latex)[0].text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  const auto count = [&](std::string_view what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("\\left") - count("\\left\\lfloor") - count("\\leftarrow"),
            count("\\right") - count("\\right\\rfloor"));
  EXPECT_EQ(count("\\begin{"), count("\\end{"));
  EXPECT_GT(count("\\\\"), 20U);
}

TEST(EmitSource, NumbersOfAllKinds) {
  Program p;
  p.name = "numbers";
  p.constants = {1,
                 0.1,
                 -2.5e-300,
                 std::numeric_limits<double>::infinity(),
                 -std::numeric_limits<double>::infinity(),
                 std::numeric_limits<double>::quiet_NaN(),
                 -0.0,
                 1e22};
  for (std::size_t i = 0; i < p.constants.size(); ++i)
    p.outputs.push_back({"c" + std::to_string(i), static_cast<ValueId>(i)});
  const std::string c = emit_source(p, Language::C)[1].text;
  for (const char* line : {"y_[0] = 1.0;", "y_[1] = 0.1;", "y_[2] = -2.5e-300;", "y_[3] = INFINITY;",
                           "y_[4] = -INFINITY;", "y_[5] = NAN;", "y_[6] = -0.0;", "y_[7] = 1e+22;"})
    EXPECT_NE(c.find(line), std::string::npos) << line << "\n" << c;
  EXPECT_NE(emit_source(p, Language::Fortran)[0].text.find("y_(2) = 0.1_dp"), std::string::npos);
}

TEST(EmitSource, ParenthesesOnlyWhereTheyAreNeeded) {
  Graph graph;
  std::vector<NamedExpr> outputs;
  for (const char* text : {"x - (y - z)", "x*(y + z)", "(x*y)*z", "x/(y*z)", "sin(x + y)", "-(x + y)"})
    outputs.push_back({"o" + std::to_string(outputs.size()), parse(graph, text)});
  LowerOptions options;
  options.strict = true;
  options.passes = {false, false, false, false, false, false, false, false};
  const std::string c = emit_source(lower("p", outputs, {{}, {}, {"x", "y", "z"}}, options), Language::C)[1].text;
  for (const char* line : {"= x - (y - z);", "= x*(y + z);", "= z*(x*y);", "= x/(y*z);", "sin(z1);"})
    EXPECT_NE(c.find(line), std::string::npos) << line << "\n" << c;
  EXPECT_EQ(c.find("(("), std::string::npos) << c;
}

TEST(EmitExport, ChecksWhatItIsGiven) {
  Graph graph;
  ExportModel model{.program = lower("p", std::vector<NamedExpr>{{"x'", parse(graph, "k*x")}}, {{"k"}, {"t"}, {"x"}}),
                    .parameters = {1},
                    .inputs = {0},
                    .state = {1},
                    .time = std::nullopt,
                    .description = ""};
  EXPECT_NO_THROW(check_export_model(model));
  const auto refused = [&](auto spoil) {
    ExportModel other = model;
    spoil(other);
    EXPECT_THROW(check_export_model(other), ModelError);
    EXPECT_THROW((void)emit_export(other, Language::C), ModelError);
  };
  refused([](ExportModel& m) { m.parameters.clear(); });
  refused([](ExportModel& m) { m.inputs.push_back(1); });
  refused([](ExportModel& m) { m.state = {1, 2}; });
  refused([](ExportModel& m) { m.program.outputs.clear(); });
  refused([](ExportModel& m) { m.time = "x"; });
  refused([](ExportModel& m) { m.time = "nothing"; });
  refused([](ExportModel& m) { m.step = 0; });
  refused([](ExportModel& m) { m.step = 1e-12; });
  refused([](ExportModel& m) { m.duration = -1; });
  refused([](ExportModel& m) { m.duration = std::numeric_limits<double>::quiet_NaN(); });
  refused([](ExportModel& m) { m.print_every = 0; });
  refused([](ExportModel& m) { m.program.stage_end[2] = 7; });
  EXPECT_THROW((void)emit_export(model, Language::C, "/proc/no/such/folder"), ModelError);
}

}  // namespace
}  // namespace kane
