// MATLAB and Octave: a file for each of the three functions. Works for one state (a column), or for many side by side.

#include <algorithm>
#include <cmath>

#include "kane/codegen/emit/emit_driver.hpp"
#include "kane/codegen/emit/emit_frame.hpp"

namespace kane {

namespace {

constexpr std::string_view kReserved[] = {
    "break",     "case",           "catch",    "classdef",    "continue", "do",       "else",        "elseif",
    "end",       "endif",          "endfor",   "endfunction", "endwhile", "for",      "function",    "global",
    "if",        "otherwise",      "parfor",   "persistent",  "return",   "spmd",     "switch",      "try",
    "until",     "unwind_protect", "while",    "sin",         "cos",      "tan",      "asin",        "acos",
    "atan",      "atan2",          "sinh",     "cosh",        "tanh",     "exp",      "log",         "sqrt",
    "abs",       "sign",           "min",      "max",         "floor",    "Inf",      "NaN",         "isnan",
    "zeros",     "size",           "cell",     "kane_min",    "kane_max", "kane_mod", "kane_select", "ws",
    "ones",      "numel",          "printf",   "fprintf",     "repmat",   "main",     "kane_sqrt",   "kane_root",
    "kane_asin", "kane_acos",      "kane_log", "isinf"};

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "Inf";
  return decimal(value);
}

const Dialect& dialect() {
  static const Dialect kDialect{.comment = "%",
                                .declare = "@n = @e;",
                                .assign = "@n = @e;",
                                .stored = "w_{@i}",
                                .output = "y_(@i, :)",
                                .first_index = 1,
                                .width = 100,
                                .continuation = " ...",
                                .naming = {.reserved = kReserved, .max_length = 50},
                                .number = number,
                                .spellings = spell({{Code::Sqrt, "kane_sqrt(@a)"},
                                                    {Code::Root, "kane_root(@a, @n)"},
                                                    {Code::Sin, "sin(@a)"},
                                                    {Code::Cos, "cos(@a)"},
                                                    {Code::Tan, "tan(@a)"},
                                                    {Code::Asin, "kane_asin(@a)"},
                                                    {Code::Acos, "kane_acos(@a)"},
                                                    {Code::Atan, "atan(@a)"},
                                                    {Code::Atan2, "atan2(@a, @b)"},
                                                    {Code::Sinh, "sinh(@a)"},
                                                    {Code::Cosh, "cosh(@a)"},
                                                    {Code::Tanh, "tanh(@a)"},
                                                    {Code::Exp, "exp(@a)"},
                                                    {Code::Log, "kane_log(@a)"},
                                                    {Code::Abs, "abs(@a)"},
                                                    {Code::Sign, "sign(@a)"},
                                                    {Code::Min, "kane_min(@a, @b)"},
                                                    {Code::Max, "kane_max(@a, @b)"},
                                                    {Code::Floor, "floor(@a)"},
                                                    {Code::Mod, "kane_mod(@a, @b)"},
                                                    {Code::Less, "(1.0*(@a < @b))"},
                                                    {Code::LessEqual, "(1.0*(@a <= @b))"},
                                                    {Code::Equal, "(1.0*(@a == @b))"},
                                                    {Code::Select, "kane_select(@a, @b, @c)"}},
                                                   true)};
  return kDialect;
}

// Outside their domain functions of MATLAB become complex; here they are NaN. min and max of MATLAB pass over a NaN; adding
// the arguments brings it back.
constexpr HelperRow kHelpers[] = {
    {Code::Sqrt, "function r = kane_sqrt(a)\n  a(a < 0) = NaN;\n  r = sqrt(a);\nend"},
    {Code::Root, "function r = kane_root(a, n)\n  a(a < 0) = NaN;\n  r = a .^ (1.0/n);\nend"},
    {Code::Asin, "function r = kane_asin(a)\n  a(abs(a) > 1) = NaN;\n  r = asin(a);\nend"},
    {Code::Acos, "function r = kane_acos(a)\n  a(abs(a) > 1) = NaN;\n  r = acos(a);\nend"},
    {Code::Log, "function r = kane_log(a)\n  a(a < 0) = NaN;\n  r = log(a);\nend"},
    {Code::Min, "function r = kane_min(a, b)\n  r = min(a, b);\n  s = a + b;\n  r(isnan(s)) = NaN;\nend"},
    {Code::Max, "function r = kane_max(a, b)\n  r = max(a, b);\n  s = a + b;\n  r(isnan(s)) = NaN;\nend"},
    {Code::Mod,
     "function r = kane_mod(a, b)\n  n = max(size(a, 2), size(b, 2));\n  a = a .* ones(1, n);\n  b = b .* ones(1, n);\n"
     "  q = floor(a ./ b);\n  r = a - b .* q;\n  r(q == 0) = a(q == 0);\n"
     "  k = isinf(b) & r ~= 0 & (r < 0) ~= (b < 0);\n  r(k) = b(k);\nend"},
    {Code::Select,
     "function r = kane_select(c, a, b)\n  n = max([size(c, 2), size(a, 2), size(b, 2)]);\n"
     "  c = c .* ones(1, n);\n  a = a .* ones(1, n);\n  b = b .* ones(1, n);\n"
     "  r = b;\n  r(c ~= 0) = a(c ~= 0);\nend"}};

class Frame {
 public:
  explicit Frame(const SourceModel& model) : m_(model), name_(model.names.program) {}

  std::vector<SourceFile> files() {
    return {
        {name_ + "_set_parameters.m", file(Stage::Parameters, "ws = {}_set_parameters(p_)",
                                           "Call this first. p_ is a vector of the parameters in this order.")},
        {name_ + "_set_inputs.m", file(Stage::Inputs, "ws = {}_set_inputs(ws, u_)",
                                       "Call this after set_parameters, whenever an input or time changes. u_ is a "
                                       "vector of the inputs in this order.")},
        {name_ + "_evaluate.m", file(Stage::State, "y_ = {}_evaluate(ws, x_)",
                                     "x_ is the state as a column, or many of them side by side; y_ has the outputs "
                                     "in the same way.")}};
  }

 private:
  std::string file(Stage stage, std::string_view head, std::string_view how) {
    const auto& parts = m_.listing.parts[static_cast<std::size_t>(stage)];
    SourceText t(m_.dialect);
    t.line("function {}", fmt::format(fmt::runtime(head), name_));
    t.comment(how);
    write_heading(t, m_, "Code");
    t.in();
    if (stage == Stage::Parameters) t.line("ws.p = p_;\n  w_ = cell(1, {});", m_.listing.stored);
    if (stage == Stage::Inputs) t.line("ws.u = u_;\n  w_ = ws.w;");
    if (stage == Stage::State) t.line("w_ = ws.w;\n  y_ = zeros({}, size(x_, 2));", m_.program.outputs.size());
    if (parts.size() == 1) write_body(t, parts[0]);
    for (std::size_t k = 0; parts.size() > 1 && k < parts.size(); ++k)
      t.raw(stage == Stage::State ? fmt::format("[w_, y_] = {}(ws, w_, x_, y_);", part_name(m_, stage, k))
                                  : fmt::format("w_ = {}(ws, w_);", part_name(m_, stage, k)));
    if (stage != Stage::State) t.line("ws.w = w_;");
    t.out();
    t.line("end");
    for (std::size_t k = 0; parts.size() > 1 && k < parts.size(); ++k) {
      t.blank();
      t.raw(stage == Stage::State ? fmt::format("function [w_, y_] = {}(ws, w_, x_, y_)", part_name(m_, stage, k))
                                  : fmt::format("function w_ = {}(ws, w_)", part_name(m_, stage, k)));
      t.in();
      write_body(t, parts[k]);
      t.out();
      t.line("end");
    }
    t.blank();
    write_helpers(t, m_, kHelpers);
    return t.take();
  }

  void write_body(SourceText& t, const SourcePart& part) {
    for (const std::uint32_t i : part.inputs) {
      const Stage stage = m_.program.inputs[i].stage;
      const std::uint32_t place = i - m_.inputs_begin(stage) + 1;
      if (stage == Stage::State) {
        t.line("{} = x_({}, :);", m_.names.inputs[i], place);
      } else {
        t.line("{} = ws.{}({});", m_.names.inputs[i], stage == Stage::Parameters ? "p" : "u", place);
      }
    }
    t.lines(part.statements);
  }

  const SourceModel& m_;
  const std::string& name_;
};

}  // namespace

std::vector<SourceFile> emit_matlab(const Program& program, const EmitOptions& options) {
  const SourceModel model = make_model(program, dialect(), options);
  return Frame(model).files();
}

std::vector<SourceFile> emit_matlab_driver(const ExportModel& model, const EmitOptions& options) {
  const SourceNames names = choose_names(model.program, dialect(), options.name);
  const DriverTable d = make_driver_table(model, names, number);
  const auto list = [](const std::vector<DriverSetting>& settings) {
    std::string text;
    for (const DriverSetting& s : settings) text += fmt::format("  {}  % {}\n", s.value, s.name);
    return text;
  };
  std::string state, heading;
  for (const double x : model.state) state += fmt::format("  {}\n", number(x));
  for (const ProgramInput& i : model.program.inputs)
    if (i.stage == Stage::State) heading += fmt::format("fprintf('%s', {});\n", quoted("," + i.name, '\'', false));
  for (std::size_t i = model.state.size(); i < model.program.outputs.size(); ++i)
    heading += fmt::format("fprintf('%s', {});\n", quoted("," + model.program.outputs[i].name, '\'', false));
  const std::string time = d.time.empty() ? "" : fmt::format("  u({}) = t;\n", d.time_place + 1);
  return {{"simulate_" + d.name + ".m", fill_driver(R"(function simulate_@name()
% Simulates @name with the classical Runge-Kutta method and prints comma-separated values.
p = [
@parameters];
u = [
@inputs];
x = [
@initial];
t0 = @start;
h = @step;
steps = @steps;
every = @every;
n = numel(x);
fprintf('t');
@headingfprintf('\n');
ws = @name_set_parameters(p);
for step = 0:steps
  t = t0 + step*h;
  k1 = calc_rates(ws, u, t, x);
  if mod(step, every) == 0 || step == steps
    fprintf('%.17g', t);
    fprintf(',%.17g', [x; k1(n+1:end)]);
    fprintf('\n');
  end
  k2 = calc_rates(ws, u, t + 0.5*h, x + 0.5*h*k1(1:n));
  k3 = calc_rates(ws, u, t + 0.5*h, x + 0.5*h*k2(1:n));
  k4 = calc_rates(ws, u, t + h, x + h*k3(1:n));
  x = x + h/6*(k1(1:n) + 2*k2(1:n) + 2*k3(1:n) + k4(1:n));
end
end

function y = calc_rates(ws, u, t, x)
@time  ws = @name_set_inputs(ws, u);
  y = @name_evaluate(ws, x);
end
)",
                                                    d,
                                                    {{"parameters", list(d.parameters)},
                                                     {"inputs", list(d.inputs)},
                                                     {"initial", state},
                                                     {"heading", heading},
                                                     {"time", time}})}};
}

}  // namespace kane
