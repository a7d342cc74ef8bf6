// JavaScript: one ES module, for browsers and Node.

#include <algorithm>
#include <cmath>

#include "kane/codegen/emit/emit_driver.hpp"
#include "kane/codegen/emit/emit_frame.hpp"

namespace kane {

namespace {

constexpr std::string_view kReserved[] = {
    "arguments",     "await",      "break",       "case",          "catch",
    "class",         "const",      "continue",    "debugger",      "default",
    "delete",        "do",         "else",        "enum",          "eval",
    "export",        "extends",    "false",       "finally",       "for",
    "function",      "if",         "implements",  "import",        "in",
    "instanceof",    "interface",  "let",         "new",           "null",
    "package",       "private",    "protected",   "public",        "return",
    "static",        "super",      "switch",      "this",          "throw",
    "true",          "try",        "typeof",      "undefined",     "var",
    "void",          "while",      "with",        "yield",         "Math",
    "Infinity",      "NaN",        "ws",          "functions",     "kaneMod",
    "setParameters", "setInputs",  "evaluate",    "makeWorkspace", "parameterNames",
    "inputNames",    "stateNames", "outputNames", "Float64Array",  "of"};

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return decimal(value);
}

const Dialect& dialect() {
  static const Dialect kDialect{.declare = "const @n = @e;",
                                .assign = "@n = @e;",
                                .stored = "ws.w[@i]",
                                .output = "y_[@i]",
                                .call = "ws.functions.@f(@e)",
                                .naming = {.reserved = kReserved},
                                .number = number,
                                .spellings = spell({{Code::Sqrt, "Math.sqrt(@a)"},
                                                    {Code::Root, "Math.pow(@a, 1.0/@n)"},
                                                    {Code::Sin, "Math.sin(@a)"},
                                                    {Code::Cos, "Math.cos(@a)"},
                                                    {Code::Tan, "Math.tan(@a)"},
                                                    {Code::Asin, "Math.asin(@a)"},
                                                    {Code::Acos, "Math.acos(@a)"},
                                                    {Code::Atan, "Math.atan(@a)"},
                                                    {Code::Atan2, "Math.atan2(@a, @b)"},
                                                    {Code::Sinh, "Math.sinh(@a)"},
                                                    {Code::Cosh, "Math.cosh(@a)"},
                                                    {Code::Tanh, "Math.tanh(@a)"},
                                                    {Code::Exp, "Math.exp(@a)"},
                                                    {Code::Log, "Math.log(@a)"},
                                                    {Code::Abs, "Math.abs(@a)"},
                                                    {Code::Sign, "Math.sign(@a)"},
                                                    {Code::Min, "Math.min(@a, @b)"},
                                                    {Code::Max, "Math.max(@a, @b)"},
                                                    {Code::Floor, "Math.floor(@a)"},
                                                    {Code::Mod, "kaneMod(@a, @b)"},
                                                    {Code::Less, "(@a < @b ? 1.0 : 0.0)"},
                                                    {Code::LessEqual, "(@a <= @b ? 1.0 : 0.0)"},
                                                    {Code::Equal, "(@a === @b ? 1.0 : 0.0)"},
                                                    {Code::Select, "(@a !== 0.0 ? @b : @c)"}})};
  return kDialect;
}

constexpr HelperRow kHelpers[] = {{Code::Mod,
                                   "function kaneMod(a, b) {\n"
                                   "  const r = a % b;\n"
                                   "  return r !== 0.0 && (r < 0.0) !== (b < 0.0) ? r + b : r;\n"
                                   "}"}};

class Frame {
 public:
  explicit Frame(const SourceModel& model) : m_(model) {}

  std::string module() {
    SourceText t(m_.dialect);
    write_heading(t, m_, "Code");
    t.comment("");
    t.comment("Call setParameters(ws, p), then setInputs(ws, u), then evaluate(ws, x, y) as often as you like. After");
    t.comment(
        "setParameters, call setInputs again. p, u, x and y are arrays in the order of the lists of names below.");
    t.blank();
    constexpr std::string_view kLists[] = {"parameterNames", "inputNames", "stateNames"};
    for (int s = 0; s < kStageCount; ++s) write_list(t, kLists[s], given_names(m_.program, static_cast<Stage>(s)));
    write_list(t, "outputNames", given_outputs(m_.program));
    t.blank();
    t.comment("`functions` has the functions that you provide, by name.");
    t.line("export function makeWorkspace(functions = {{}}) {{");
    t.line("  return {{p: new Float64Array({}), u: new Float64Array({}), w: new Float64Array({}), functions}};",
           m_.program.input_count[0], m_.program.input_count[1], m_.listing.stored);
    t.line("}}");
    t.blank();
    for (int s = 0; s < kStageCount; ++s) write_stage(t, static_cast<Stage>(s));
    write_helpers(t, m_, kHelpers);
    return t.take();
  }

 private:
  static void write_list(SourceText& t, std::string_view name, const std::vector<std::string>& names) {
    t.line("export const {} = [", name);
    t.in();
    for (const std::string& n : names) t.line("{},", quoted(n, '"', true));
    t.out();
    t.line("];");
  }

  void write_stage(SourceText& t, Stage stage) {
    constexpr std::string_view kHeads[] = {"setParameters(ws, p_)", "setInputs(ws, u_)", "evaluate(ws, x_, y_)"};
    const auto& parts = m_.listing.parts[static_cast<std::size_t>(stage)];
    const std::string_view arguments = stage == Stage::State ? "ws, x_, y_" : "ws";
    for (std::size_t k = 0; parts.size() > 1 && k < parts.size(); ++k) {
      t.line("function {}({}) {{", part_name(m_, stage, k), arguments);
      t.in();
      write_body(t, parts[k]);
      t.out();
      t.line("}}");
      t.blank();
    }
    t.line("export function {} {{", kHeads[static_cast<std::size_t>(stage)]);
    t.in();
    if (stage == Stage::Parameters) t.line("ws.p.set(p_);");
    if (stage == Stage::Inputs) t.line("ws.u.set(u_);");
    if (parts.size() == 1) write_body(t, parts[0]);
    for (std::size_t k = 0; parts.size() > 1 && k < parts.size(); ++k)
      t.line("{}({});", part_name(m_, stage, k), arguments);
    t.out();
    t.line("}}");
    t.blank();
  }

  void write_body(SourceText& t, const SourcePart& part) {
    for (const std::uint32_t i : part.inputs) {
      const Stage stage = m_.program.inputs[i].stage;
      constexpr std::string_view kFrom[] = {"ws.p", "ws.u", "x_"};
      t.line("const {} = {}[{}];", m_.names.inputs[i], kFrom[static_cast<std::size_t>(stage)],
             i - m_.inputs_begin(stage));
    }
    t.lines(part.statements);
  }

  const SourceModel& m_;
};

}  // namespace

std::vector<SourceFile> emit_javascript(const Program& program, const EmitOptions& options) {
  const SourceModel model = make_model(program, dialect(), options);
  return {{model.names.program + ".mjs", Frame(model).module()}};
}

std::vector<SourceFile> emit_javascript_driver(const ExportModel& model, const EmitOptions& options) {
  const SourceNames names = choose_names(model.program, dialect(), options.name);
  const DriverTable d = make_driver_table(model, names, number);
  const auto list = [](const std::vector<DriverSetting>& settings) {
    std::string text;
    for (const DriverSetting& s : settings) text += fmt::format("  {},  // {}\n", s.value, s.name);
    return text;
  };
  const std::string time = d.time.empty() ? "" : fmt::format("  u[{}] = t;\n", d.time_place);
  const bool calls = !model.program.functions.empty();
  return {{"main.mjs",
           fill_driver(R"(// Simulates @name with the classical Runge-Kutta method and prints comma-separated values.

import * as model from "./@name.mjs";
@functions
const p = [
@parameters];
const u = [
@inputs];
let x = [@state];
const t0 = @start, h = @step, steps = @steps, every = @every;
const n = x.length;
const ws = model.makeWorkspace(@arguments);
model.setParameters(ws, p);

function calcRates(t, state) {
@time  model.setInputs(ws, u);
  const y = new Float64Array(model.outputNames.length);
  model.evaluate(ws, state, y);
  return y;
}

const show = (v) => (Object.is(v, -0) ? "-0" : String(v));
const lines = [["t", ...model.stateNames, ...model.outputNames.slice(n)].join(",")];
for (let step = 0; step <= steps; ++step) {
  const t = t0 + step * h;
  const k1 = calcRates(t, x);
  if (step % every === 0 || step === steps) lines.push([t, ...x, ...k1.slice(n)].map(show).join(","));
  const k2 = calcRates(t + 0.5 * h, x.map((v, i) => v + 0.5 * h * k1[i]));
  const k3 = calcRates(t + 0.5 * h, x.map((v, i) => v + 0.5 * h * k2[i]));
  const k4 = calcRates(t + h, x.map((v, i) => v + h * k3[i]));
  x = x.map((v, i) => v + (h / 6) * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]));
}
console.log(lines.join("\n"));
)",
                       d,
                       {{"parameters", list(d.parameters)},
                        {"inputs", list(d.inputs)},
                        {"time", time},
                        {"functions", calls ? "import {functions} from \"./functions.mjs\";  // yours\n" : ""},
                        {"arguments", calls ? "functions" : ""}})}};
}

}  // namespace kane
