// JavaScript: one ES module, for browsers and Node.

#include "kane/codegen/emit/emit_frame.hpp"

namespace kane::javascript {

namespace {

constexpr std::string_view kReserved = R"(
    arguments await break case catch class const continue debugger default delete do else enum eval export
    extends false finally for function if implements import in instanceof interface let new null package
    private protected public return static super switch this throw true try typeof undefined var void while
    with yield Math Infinity NaN ws functions kaneMod setParameters setInputs evaluate makeWorkspace
    parameterNames inputNames stateNames outputNames Float64Array of)";

const Dialect& dialect() {
  static const Dialect kDialect{.declare = "const @n = @e;",
                                .assign = "@n = @e;",
                                .stored = "ws.w[@i]",
                                .call = "ws.functions.@f(@e)",
                                .naming = {.reserved = kReserved},
                                .infinity = "Infinity",
                                .spellings = spell({.function = "Math.@f(@a)",
                                                    .truth = "(@a @o @b ? 1.0 : 0.0)",
                                                    .rows = {{Code::Root, "Math.pow(@a, 1.0/@n)"},
                                                             {Code::Atan2, "Math.atan2(@a, @b)"},
                                                             {Code::Min, "Math.min(@a, @b)"},
                                                             {Code::Max, "Math.max(@a, @b)"},
                                                             {Code::Mod, "kaneMod(@a, @b)"},
                                                             {Code::Equal, "(@a === @b ? 1.0 : 0.0)"},
                                                             {Code::Select, "(@a !== 0.0 ? @b : @c)"}}})};
  return kDialect;
}

constexpr HelperRow kHelpers[] = {{Code::Mod,
                                   "function kaneMod(a, b) {\n"
                                   "  const r = a % b;\n"
                                   "  return r !== 0.0 && (r < 0.0) !== (b < 0.0) ? r + b : r;\n"
                                   "}"}};

constexpr FunctionFrame kFunctions{.stages = {{{.head = "export function setParameters(ws, p_) {",
                                                .begin = "ws.p.set(p_);",
                                                .call_part = "@part(ws);",
                                                .part_head = "function @part(ws) {",
                                                .read = "const @n = ws.p[@i];"},
                                               {.head = "export function setInputs(ws, u_) {",
                                                .begin = "ws.u.set(u_);",
                                                .call_part = "@part(ws);",
                                                .part_head = "function @part(ws) {",
                                                .read = "const @n = ws.u[@i];"},
                                               {.head = "export function evaluate(ws, x_, y_) {",
                                                .call_part = "@part(ws, x_, y_);",
                                                .part_head = "function @part(ws, x_, y_) {",
                                                .read = "const @n = x_[@i];"}}},
                                   .close = "}",
                                   .after = "\n"};

constexpr NameLists kNameLists{.head = "export const @k = [",
                               .kinds = {"parameterNames", "inputNames", "stateNames", "outputNames"},
                               .tail = "];"};

std::vector<SourceFile> emit(const SourceModel& m) {
  SourceText t(m.dialect);
  write_heading(t, m, "Code");
  t.comment("");
  t.comment("Call setParameters(ws, p), then setInputs(ws, u), then evaluate(ws, x, y) as often as you like. After");
  t.comment("setParameters, call setInputs again. p, u, x and y are arrays in the order of the lists of names below.");
  t.blank();
  write_name_lists(t, m, kNameLists);
  t.blank();
  t.comment("`functions` has the functions that you provide, by name.");
  t.raw("export function makeWorkspace(functions = {}) {");
  t.line("  return {{p: new Float64Array({}), u: new Float64Array({}), w: new Float64Array({}), functions}};",
         m.program.input_count[Stage::Parameters], m.program.input_count[Stage::Inputs], m.listing.stored);
  t.lines("}\n\n");
  for (const Stage stage : kStages) write_stage(t, m, kFunctions, stage);
  write_helpers(t, m, kHelpers);
  return {{m.names.program + ".mjs", t.take()}};
}

constexpr DriverFrame kDriver{
    .file = "main.mjs",
    .text = R"(// Simulates @name with the classical Runge-Kutta method and prints comma-separated values.

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
    .parameter = "  @e,  // @n\n",
    .input = "  @e,  // @n\n",
    .time = "  u[@i] = t;\n",
    .functions = "import {functions} from \"./functions.mjs\";  // yours\n",
    .arguments = "functions"};

}  // namespace

}  // namespace kane::javascript

const kane::LanguageRow& kane::javascript_language() {
  static constexpr LanguageRow kRow{.info = {Language::JavaScript, "javascript", "JavaScript"},
                                    .aliases = "js node mjs",
                                    .file_tail = ".mjs",
                                    .dialect = javascript::dialect,
                                    .emit = javascript::emit,
                                    .driver = &javascript::kDriver,
                                    .how_to_run = "node main.mjs > result.csv"};
  return kRow;
}
