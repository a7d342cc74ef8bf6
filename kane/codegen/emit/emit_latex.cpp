// LaTeX: the program as a list of equations, for reading rather than running.

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/codegen/emit/emit_frame.hpp"
#include "kane/expr/print.hpp"

namespace kane::latex {

namespace {

std::string number(double value) {
  if (std::isnan(value)) return "\\mathrm{NaN}";
  if (std::isinf(value)) return value < 0 ? "-\\infty" : "\\infty";
  std::string text = fmt::format("{}", value);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  const int exponent = std::stoi(text.substr(e + 1));
  const std::string mantissa = text.substr(0, e);
  return mantissa == "1" ? fmt::format("10^{{{}}}", exponent) : fmt::format("{} \\cdot 10^{{{}}}", mantissa, exponent);
}

Spellings spellings() {
  constexpr Binding kAny = Binding::Any, kSum = Binding::Sum, kProduct = Binding::Product, kAtom = Binding::Atom;
  Spellings table =
      spell({.function = "\\@f\\left(@a\\right)",
             .truth = "\\left[@a @o @b\\right]",
             .rows = {{Code::Div, "\\frac{@a}{@b}"},
                      {Code::Sqrt, "\\sqrt{@a}"},
                      {Code::Root, "\\sqrt[@n]{@a}"},
                      {Code::Asin, "\\arcsin\\left(@a\\right)"},
                      {Code::Acos, "\\arccos\\left(@a\\right)"},
                      {Code::Atan, "\\arctan\\left(@a\\right)"},
                      {Code::Atan2, "\\operatorname{atan2}\\left(@a, @b\\right)"},
                      {Code::Log, "\\ln\\left(@a\\right)"},
                      {Code::Abs, "\\left|@a\\right|"},
                      {Code::Sign, "\\operatorname{sign}\\left(@a\\right)"},
                      {Code::Min, "\\min\\left(@a, @b\\right)"},
                      {Code::Max, "\\max\\left(@a, @b\\right)"},
                      {Code::Floor, "\\left\\lfloor @a\\right\\rfloor"},
                      {Code::Mod, "\\left(@a \\bmod @b\\right)", kAtom},
                      {Code::LessEqual, "\\left[@a \\le @b\\right]"},
                      {Code::Equal, "\\left[@a = @b\\right]"},
                      {Code::Select, "\\begin{cases} @b & @a \\ne 0 \\\\ @c & \\text{otherwise} \\end{cases}"}}});
  const auto set = [&](Code code, std::string_view text, Binding binding, std::array<Binding, 3> needs) {
    table[code] = {std::string(text), binding, needs};
  };
  set(Code::Mul, "@a \\, @b", kProduct, {kProduct, kAtom, kAny});
  set(Code::Fma, "@a \\, @b + @c", kSum, {kProduct, kAtom, kProduct});
  set(Code::Fms, "@a \\, @b - @c", kSum, {kProduct, kAtom, kProduct});
  set(Code::Fnma, "@c - @a \\, @b", kSum, {kProduct, kAtom, kSum});
  set(Code::Fnms, "-@a \\, @b - @c", kSum, {kProduct, kAtom, kProduct});
  return table;
}

const Dialect& dialect() {
  static const Dialect kDialect{.comment = "%",
                                .declare = "@n &= @e \\\\",
                                .assign = "@n &= @e \\\\",
                                .stored = "\\zeta_{@i}",
                                .output = "@n",
                                .first_index = 1,
                                .call = "\\operatorname{@f}\\left(@e\\right)",
                                .temporary = "@n_{@i}",
                                .write_number = number,
                                .spellings = spellings()};
  return kDialect;
}

/// Escapes what LaTeX would take for a command.
std::string plain(std::string_view name) {
  std::string text;
  for (const char c : harmless(name)) {
    if (std::string_view("&%$#_").find(c) != std::string_view::npos) text += '\\';
    text += c == '^' || c == '~' ? '?' : c;
  }
  return text;
}

void write_inputs(SourceText& t, const Program& p, Stage stage, std::string_view what) {
  std::string list;
  for (const ProgramInput& i : p.inputs)
    if (i.stage == stage) list += (list.empty() ? "$" : ", $") + latex_name(i.name) + "$";
  t.line("\\item[{}] {}", what, list.empty() ? "none" : list);
}

std::vector<SourceFile> emit(const SourceModel& m) {
  // Names as mathematics, in one part and without a workspace: values that later stages need are numbered like all
  // others.
  constexpr std::uint32_t kNeverCut = 0xffffffffU;
  const Program& program = m.program;
  SourceNames names = m.names;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) names.inputs[i] = latex_name(program.inputs[i].name);
  for (std::size_t i = 0; i < program.outputs.size(); ++i) names.outputs[i] = latex_name(program.outputs[i].name);
  for (std::size_t i = 0; i < program.functions.size(); ++i) names.functions[i] = plain(program.functions[i].name);
  const SourceListing listing = make_listing(program, m.dialect, names, kNeverCut);
  const SourceModel model{program, m.dialect, std::move(names), {}};

  SourceText t(m.dialect);
  write_heading(t, model, "Equations");
  t.lines(
      "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\begin{"
      "document}");
  t.line("\\section*{{{}}}", plain(program.name));
  t.raw("\\begin{description}");
  write_inputs(t, program, Stage::Parameters, "Parameters");
  write_inputs(t, program, Stage::Inputs, "Inputs");
  write_inputs(t, program, Stage::State, "State");
  t.raw("\\end{description}");
  constexpr std::string_view kTitles[] = {"Once for the parameters", "Once for the inputs and time", "For each state"};
  for (const Stage stage : kStages) {
    const std::vector<std::string>& statements = listing.parts[stage][0].statements;
    if (statements.empty()) continue;
    t.line("\\subsection*{{{}}}", kTitles[at(stage)]);
    t.raw("\\begin{align*}");
    for (const std::string& s : statements) t.raw(s);
    t.raw("\\end{align*}");
  }
  t.raw("\\end{document}");
  return {{model.names.program + ".tex", t.take()}};
}

}  // namespace

}  // namespace kane::latex

const kane::LanguageRow& kane::latex_language() {
  static constexpr LanguageRow kRow{.info = {Language::Latex, "latex", "LaTeX"},
                                    .aliases = "tex",
                                    .file_tail = ".tex",
                                    .dialect = latex::dialect,
                                    .emit = latex::emit,
                                    .how_to_run = "pdflatex @name.tex"};
  return kRow;
}
