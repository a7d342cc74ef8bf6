// Python with NumPy: one module. Works for one state, or for many at once (a column for each).

#include "kane/codegen/emit/emit_frame.hpp"

namespace kane::python {

namespace {

constexpr std::string_view kReserved = R"(
    False None True and as assert async await break case class continue def del elif else except finally for
    from global if import in is lambda match nonlocal not or pass raise return try type while with yield np
    ws len range float print functions self PARAMETERS INPUTS STATE OUTPUTS Workspace set_parameters
    set_inputs evaluate simulate sys)";

const Dialect& dialect() {
  static const Dialect kDialect{.indent = "    ",
                                .comment = "#",
                                .stored = "ws.w[@i]",
                                .call = "ws.functions[\"@f\"](@e)",
                                .width = 100,
                                .continuation = " \\",
                                .naming = {.reserved = kReserved, .max_length = 60},
                                .nan = "np.nan",
                                .infinity = "np.inf",
                                .spellings = spell({.function = "np.@f(@a)",
                                                    .truth = "np.where(@a @o @b, 1.0, 0.0)",
                                                    .rows = {{Code::Root, "np.power(@a, 1.0/@n)"},
                                                             {Code::Asin, "np.arcsin(@a)"},
                                                             {Code::Acos, "np.arccos(@a)"},
                                                             {Code::Atan, "np.arctan(@a)"},
                                                             {Code::Atan2, "np.arctan2(@a, @b)"},
                                                             {Code::Min, "np.minimum(@a, @b)"},
                                                             {Code::Max, "np.maximum(@a, @b)"},
                                                             {Code::Mod, "np.mod(@a, @b)"},
                                                             {Code::Select, "np.where(@a != 0.0, @b, @c)"}}})};
  return kDialect;
}

constexpr FunctionFrame kFunctions{.stages = {{{.head = "def set_parameters(ws, p_):",
                                                .begin = "ws.p = np.asarray(p_, dtype=float)",
                                                .call_part = "@part(ws)",
                                                .end = "return ws",
                                                .part_head = "def @part(ws):",
                                                .read = "@n = ws.p[@i]"},
                                               {.head = "def set_inputs(ws, u_):",
                                                .begin = "ws.u = np.asarray(u_, dtype=float)",
                                                .call_part = "@part(ws)",
                                                .end = "return ws",
                                                .part_head = "def @part(ws):",
                                                .read = "@n = ws.u[@i]"},
                                               {.head = "def evaluate(ws, x_):",
                                                .begin = "x_ = np.asarray(x_, dtype=float)\n"
                                                         "y_ = np.empty((@outputs,) + x_.shape[1:])",
                                                .call_part = "@part(ws, x_, y_)",
                                                .end = "return y_",
                                                .part_head = "def @part(ws, x_, y_):",
                                                .read = "@n = x_[@i]"}}},
                                   .part_end = "return",
                                   .before = "\n\n"};

constexpr NameLists kNameLists{.head = "@k = (", .kinds = {"PARAMETERS", "INPUTS", "STATE", "OUTPUTS"}, .tail = ")"};

std::vector<SourceFile> emit(const SourceModel& m) {
  SourceText t(m.dialect);
  write_heading(t, m, "Code");
  t.blank();
  t.block(R"("""Call set_parameters(ws, p), then set_inputs(ws, u), then evaluate(ws, x) as often as you like.

After set_parameters, call set_inputs again. p, u and x are sequences in the order of PARAMETERS, INPUTS and STATE;
x may also be an array with one column for each of many states. Use one Workspace for each thread.
"""
import numpy as np
)");
  t.blank();
  write_name_lists(t, m, kNameLists);
  t.lines("\n\nclass Workspace:\n    def __init__(self, functions=None):");
  t.in();
  t.in();
  t.line("self.p = np.zeros({})", m.program.input_count[Stage::Parameters]);
  t.line("self.u = np.zeros({})", m.program.input_count[Stage::Inputs]);
  t.comment("Values passed between stages.");
  t.line("self.w = [0.0]*{}", m.listing.stored);
  t.comment("Functions that you provide, by name.");
  t.raw("self.functions = functions or {}");
  t.out();
  t.out();
  for (const Stage stage : kStages) write_stage(t, m, kFunctions, stage);
  return {{m.names.program + ".py", t.take()}};
}

constexpr DriverFrame kDriver{
    .file = "main.py",
    .text = R"("""Simulates @name with the classical Runge-Kutta method and prints comma-separated values."""
import numpy as np

import @name as model
@functions
p = np.array([
@parameters])
u = np.array([
@inputs])
x = np.array([
@initial])
t0, h = @start, @step
steps, every = @steps, @every
n = len(model.STATE)
ws = model.Workspace(@arguments)
model.set_parameters(ws, p)


def calc_rates(t, x):
@time    model.set_inputs(ws, u)
    return model.evaluate(ws, x)


print(",".join(("t",) + model.STATE + model.OUTPUTS[n:]))
for step in range(steps + 1):
    t = t0 + step*h
    k1 = calc_rates(t, x)
    if step % every == 0 or step == steps:
        print(",".join(repr(float(v)) for v in (t, *x, *k1[n:])))
    k2 = calc_rates(t + 0.5*h, x + 0.5*h*k1[:n])
    k3 = calc_rates(t + 0.5*h, x + 0.5*h*k2[:n])
    k4 = calc_rates(t + h, x + h*k3[:n])
    x = x + h/6.0*(k1[:n] + 2.0*k2[:n] + 2.0*k3[:n] + k4[:n])
)",
    .parameter = "    @e,  # @n\n",
    .input = "    @e,  # @n\n",
    .initial = "    @e,\n",
    .time = "    u[@i] = t\n",
    .functions = "import functions  # yours: FUNCTIONS = {name: function}\n",
    .arguments = "functions.FUNCTIONS"};

}  // namespace

}  // namespace kane::python

const kane::LanguageRow& kane::python_language() {
  static constexpr LanguageRow kRow{.info = {Language::Python, "python", "Python with NumPy"},
                                    .aliases = "py numpy",
                                    .file_tail = ".py",
                                    .dialect = python::dialect,
                                    .emit = python::emit,
                                    .driver = &python::kDriver,
                                    .how_to_run = "python3 main.py > result.csv"};
  return kRow;
}
