// Python with NumPy: one module. Works for one state, or for many at once (a column for each).

#include <algorithm>
#include <cmath>

#include "kane/codegen/emit/emit_driver.hpp"
#include "kane/codegen/emit/emit_frame.hpp"

namespace kane {

namespace {

constexpr std::string_view kReserved[] = {"False",      "None",     "True",       "and",
                                          "as",         "assert",   "async",      "await",
                                          "break",      "case",     "class",      "continue",
                                          "def",        "del",      "elif",       "else",
                                          "except",     "finally",  "for",        "from",
                                          "global",     "if",       "import",     "in",
                                          "is",         "lambda",   "match",      "nonlocal",
                                          "not",        "or",       "pass",       "raise",
                                          "return",     "try",      "type",       "while",
                                          "with",       "yield",    "np",         "ws",
                                          "len",        "range",    "float",      "print",
                                          "functions",  "self",     "PARAMETERS", "INPUTS",
                                          "STATE",      "OUTPUTS",  "Workspace",  "set_parameters",
                                          "set_inputs", "evaluate", "simulate",   "sys"};

std::string number(double value) {
  if (std::isnan(value)) return "np.nan";
  if (std::isinf(value)) return value < 0 ? "-np.inf" : "np.inf";
  return decimal(value);
}

const Dialect& dialect() {
  static const Dialect kDialect{.indent = "    ",
                                .comment = "#",
                                .declare = "@n = @e",
                                .assign = "@n = @e",
                                .stored = "ws.w[@i]",
                                .output = "y_[@i]",
                                .call = "ws.functions[\"@f\"](@e)",
                                .width = 100,
                                .continuation = " \\",
                                .naming = {.reserved = kReserved, .max_length = 60},
                                .number = number,
                                .spellings = spell({{Code::Sqrt, "np.sqrt(@a)"},
                                                    {Code::Root, "np.power(@a, 1.0/@n)"},
                                                    {Code::Sin, "np.sin(@a)"},
                                                    {Code::Cos, "np.cos(@a)"},
                                                    {Code::Tan, "np.tan(@a)"},
                                                    {Code::Asin, "np.arcsin(@a)"},
                                                    {Code::Acos, "np.arccos(@a)"},
                                                    {Code::Atan, "np.arctan(@a)"},
                                                    {Code::Atan2, "np.arctan2(@a, @b)"},
                                                    {Code::Sinh, "np.sinh(@a)"},
                                                    {Code::Cosh, "np.cosh(@a)"},
                                                    {Code::Tanh, "np.tanh(@a)"},
                                                    {Code::Exp, "np.exp(@a)"},
                                                    {Code::Log, "np.log(@a)"},
                                                    {Code::Abs, "np.abs(@a)"},
                                                    {Code::Sign, "np.sign(@a)"},
                                                    {Code::Min, "np.minimum(@a, @b)"},
                                                    {Code::Max, "np.maximum(@a, @b)"},
                                                    {Code::Floor, "np.floor(@a)"},
                                                    {Code::Mod, "np.mod(@a, @b)"},
                                                    {Code::Less, "np.where(@a < @b, 1.0, 0.0)"},
                                                    {Code::LessEqual, "np.where(@a <= @b, 1.0, 0.0)"},
                                                    {Code::Equal, "np.where(@a == @b, 1.0, 0.0)"},
                                                    {Code::Select, "np.where(@a != 0.0, @b, @c)"}})};
  return kDialect;
}

class Frame {
 public:
  explicit Frame(const SourceModel& model) : m_(model) {}

  std::string module() {
    SourceText t(m_.dialect);
    write_heading(t, m_, "Code");
    t.blank();
    t.block(R"("""Call set_parameters(ws, p), then set_inputs(ws, u), then evaluate(ws, x) as often as you like.

After set_parameters, call set_inputs again. p, u and x are sequences in the order of PARAMETERS, INPUTS and STATE;
x may also be an array with one column for each of many states. Use one Workspace for each thread.
"""
import numpy as np
)");
    t.blank();
    constexpr std::string_view kLists[] = {"PARAMETERS", "INPUTS", "STATE"};
    for (int s = 0; s < kStageCount; ++s) write_list(t, kLists[s], given_names(m_.program, static_cast<Stage>(s)));
    write_list(t, "OUTPUTS", given_outputs(m_.program));
    write_workspace(t);
    for (int s = 0; s < kStageCount; ++s) write_stage(t, static_cast<Stage>(s));
    return t.take();
  }

 private:
  static void write_list(SourceText& t, std::string_view name, const std::vector<std::string>& names) {
    t.line("{} = (", name);
    t.in();
    for (const std::string& n : names) t.line("{},", quoted(n, '"', true));
    t.out();
    t.line(")");
  }

  void write_workspace(SourceText& t) {
    t.blank();
    t.blank();
    t.line("class Workspace:");
    t.in();
    t.line("def __init__(self, functions=None):");
    t.in();
    t.line("self.p = np.zeros({})", m_.program.input_count[0]);
    t.line("self.u = np.zeros({})", m_.program.input_count[1]);
    t.comment("What one stage computes for another.");
    t.line("self.w = [0.0]*{}", m_.listing.stored);
    t.comment("Functions that you provide, by name.");
    t.line("self.functions = functions or {{}}");
    t.out();
    t.out();
  }

  void write_stage(SourceText& t, Stage stage) {
    constexpr std::string_view kHeads[] = {
        "def set_parameters(ws, p_):", "def set_inputs(ws, u_):", "def evaluate(ws, x_):"};
    const auto& parts = m_.listing.parts[static_cast<std::size_t>(stage)];
    for (std::size_t k = 0; parts.size() > 1 && k < parts.size(); ++k) {
      t.blank();
      t.blank();
      t.line("def {}({}):", part_name(m_, stage, k), stage == Stage::State ? "ws, x_, y_" : "ws");
      t.in();
      write_body(t, parts[k]);
      t.line("return");
      t.out();
    }
    t.blank();
    t.blank();
    t.raw(kHeads[static_cast<std::size_t>(stage)]);
    t.in();
    if (stage == Stage::Parameters) t.line("ws.p = np.asarray(p_, dtype=float)");
    if (stage == Stage::Inputs) t.line("ws.u = np.asarray(u_, dtype=float)");
    if (stage == Stage::State) {
      t.line("x_ = np.asarray(x_, dtype=float)");
      t.line("y_ = np.empty(({},) + x_.shape[1:])", m_.program.outputs.size());
    }
    if (parts.size() == 1) write_body(t, parts[0]);
    for (std::size_t k = 0; parts.size() > 1 && k < parts.size(); ++k)
      t.line("{}({})", part_name(m_, stage, k), stage == Stage::State ? "ws, x_, y_" : "ws");
    t.raw(stage == Stage::State ? "return y_" : "return ws");
    t.out();
  }

  void write_body(SourceText& t, const SourcePart& part) {
    for (const std::uint32_t i : part.inputs) {
      const Stage stage = m_.program.inputs[i].stage;
      constexpr std::string_view kFrom[] = {"ws.p", "ws.u", "x_"};
      t.line("{} = {}[{}]", m_.names.inputs[i], kFrom[static_cast<std::size_t>(stage)], i - m_.inputs_begin(stage));
    }
    t.lines(part.statements);
  }

  const SourceModel& m_;
};

}  // namespace

std::vector<SourceFile> emit_python(const Program& program, const EmitOptions& options) {
  const SourceModel model = make_model(program, dialect(), options);
  return {{model.names.program + ".py", Frame(model).module()}};
}

std::vector<SourceFile> emit_python_driver(const ExportModel& model, const EmitOptions& options) {
  const SourceNames names = choose_names(model.program, dialect(), options.name);
  const DriverTable d = make_driver_table(model, names, number);
  const auto list = [](const std::vector<DriverSetting>& settings) {
    std::string text;
    for (const DriverSetting& s : settings) text += fmt::format("    {},  # {}\n", s.value, s.name);
    return text;
  };
  std::string state;
  for (const double x : model.state) state += fmt::format("    {},\n", number(x));
  const std::string time = d.time.empty() ? "" : fmt::format("    u[{}] = t\n", d.time_place);
  const bool calls = !model.program.functions.empty();
  return {{"main.py",
           fill_driver(R"("""Simulates @name with the classical Runge-Kutta method and prints comma-separated values."""
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
                       d,
                       {{"parameters", list(d.parameters)},
                        {"inputs", list(d.inputs)},
                        {"initial", state},
                        {"time", time},
                        {"functions", calls ? "import functions  # yours: FUNCTIONS = {name: function}\n" : ""},
                        {"arguments", calls ? "functions.FUNCTIONS" : ""}})}};
}

}  // namespace kane
