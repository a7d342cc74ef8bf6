// Julia: one module.

#include <algorithm>
#include <cmath>

#include "kane/codegen/emit/emit_driver.hpp"
#include "kane/codegen/emit/emit_frame.hpp"

namespace kane {

namespace {

constexpr std::string_view kReserved[] = {
    "baremodule", "begin",     "break",     "catch",   "const",     "continue",  "do",         "else",      "elseif",
    "end",        "export",    "false",     "finally", "for",       "function",  "global",     "if",        "import",
    "in",         "isa",       "let",       "local",   "macro",     "module",    "quote",      "return",    "struct",
    "true",       "try",       "using",     "where",   "while",     "abstract",  "mutable",    "primitive", "type",
    "sin",        "cos",       "tan",       "asin",    "acos",      "atan",      "sinh",       "cosh",      "tanh",
    "exp",        "log",       "sqrt",      "abs",     "sign",      "min",       "max",        "floor",     "mod",
    "ifelse",     "Inf",       "NaN",       "ws",      "pi",        "Workspace", "PARAMETERS", "INPUTS",    "STATE",
    "OUTPUTS",    "functions", "kane_sign", "im",      "kane_sqrt", "kane_root", "kane_sin",   "kane_cos",  "kane_tan",
    "kane_asin",  "kane_acos", "kane_log",  "isinf"};

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "Inf";
  return decimal(value);
}

const Dialect& dialect() {
  static const Dialect kDialect{.indent = "    ",
                                .comment = "#",
                                .declare = "@n = @e",
                                .assign = "@n = @e",
                                .stored = "ws.w[@i]",
                                .output = "y_[@i]",
                                .first_index = 1,
                                .call = "ws.functions.@f(@e)",
                                .naming = {.reserved = kReserved},
                                .number = number,
                                .spellings = spell({{Code::Sqrt, "kane_sqrt(@a)"},
                                                    {Code::Root, "kane_root(@a, @n)"},
                                                    {Code::Sin, "kane_sin(@a)"},
                                                    {Code::Cos, "kane_cos(@a)"},
                                                    {Code::Tan, "kane_tan(@a)"},
                                                    {Code::Asin, "kane_asin(@a)"},
                                                    {Code::Acos, "kane_acos(@a)"},
                                                    {Code::Atan, "atan(@a)"},
                                                    {Code::Atan2, "atan(@a, @b)"},
                                                    {Code::Sinh, "sinh(@a)"},
                                                    {Code::Cosh, "cosh(@a)"},
                                                    {Code::Tanh, "tanh(@a)"},
                                                    {Code::Exp, "exp(@a)"},
                                                    {Code::Log, "kane_log(@a)"},
                                                    {Code::Abs, "abs(@a)"},
                                                    {Code::Sign, "sign(@a)"},
                                                    {Code::Min, "min(@a, @b)"},
                                                    {Code::Max, "max(@a, @b)"},
                                                    {Code::Floor, "floor(@a)"},
                                                    {Code::Mod, "mod(@a, @b)"},
                                                    {Code::Less, "ifelse(@a < @b, 1.0, 0.0)"},
                                                    {Code::LessEqual, "ifelse(@a <= @b, 1.0, 0.0)"},
                                                    {Code::Equal, "ifelse(@a == @b, 1.0, 0.0)"},
                                                    {Code::Select, "ifelse(@a != 0.0, @b, @c)"}})};
  return kDialect;
}

// Outside their domain functions of Julia throw; here they are NaN.
constexpr HelperRow kHelpers[] = {{Code::Sqrt, "kane_sqrt(a) = a < 0 ? NaN : sqrt(a)"},
                                  {Code::Root, "kane_root(a, n) = a < 0 ? NaN : a^(1.0/n)"},
                                  {Code::Sin, "kane_sin(a) = isinf(a) ? NaN : sin(a)"},
                                  {Code::Cos, "kane_cos(a) = isinf(a) ? NaN : cos(a)"},
                                  {Code::Tan, "kane_tan(a) = isinf(a) ? NaN : tan(a)"},
                                  {Code::Asin, "kane_asin(a) = abs(a) > 1 ? NaN : asin(a)"},
                                  {Code::Acos, "kane_acos(a) = abs(a) > 1 ? NaN : acos(a)"},
                                  {Code::Log, "kane_log(a) = a < 0 ? NaN : log(a)"}};

class Frame {
 public:
  explicit Frame(const SourceModel& model) : m_(model) {}

  std::string module() {
    SourceText t(m_.dialect);
    write_heading(t, m_, "Code");
    t.comment("");
    t.comment(
        "Call set_parameters!(ws, p), then set_inputs!(ws, u), then evaluate!(y, ws, x) as often as you like. After");
    t.comment("set_parameters!, call set_inputs! again. Vectors are in the order of the lists of names below. Use one");
    t.comment("Workspace for each thread; its argument is a named tuple of the functions that you provide.");
    t.line("module {}", m_.names.program);
    t.blank();
    constexpr std::string_view kLists[] = {"PARAMETERS", "INPUTS", "STATE"};
    for (int s = 0; s < kStageCount; ++s) write_list(t, kLists[s], given_names(m_.program, static_cast<Stage>(s)));
    write_list(t, "OUTPUTS", given_outputs(m_.program));
    t.blank();
    write_helpers(t, m_, kHelpers);
    t.line("mutable struct Workspace{{F}}");
    t.line("    p::Vector{{Float64}}");
    t.line("    u::Vector{{Float64}}");
    t.line("    w::Vector{{Float64}}  # what one stage computes for another");
    t.line("    functions::F");
    t.line("end");
    t.line("Workspace(functions = (;)) = Workspace(zeros({}), zeros({}), zeros({}), functions)",
           m_.program.input_count[0], m_.program.input_count[1], m_.listing.stored);
    t.blank();
    for (int s = 0; s < kStageCount; ++s) write_stage(t, static_cast<Stage>(s));
    t.line("end");
    return t.take();
  }

 private:
  static void write_list(SourceText& t, std::string_view name, const std::vector<std::string>& names) {
    t.line("const {} = String[", name);
    t.in();
    for (const std::string& n : names) {
      std::string text = quoted(n, '"', true);
      for (std::size_t at = 0; (at = text.find('$', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
      t.line("{},", text);
    }
    t.out();
    t.line("]");
  }

  void write_stage(SourceText& t, Stage stage) {
    constexpr std::string_view kHeads[] = {"set_parameters!(ws, p_)", "set_inputs!(ws, u_)", "evaluate!(y_, ws, x_)"};
    const auto& parts = m_.listing.parts[static_cast<std::size_t>(stage)];
    const std::string_view arguments = stage == Stage::State ? "y_, ws, x_" : "ws";
    t.line("function {}", kHeads[static_cast<std::size_t>(stage)]);
    t.in();
    if (stage == Stage::Parameters) t.line("ws.p .= p_");
    if (stage == Stage::Inputs) t.line("ws.u .= u_");
    if (parts.size() == 1) write_body(t, parts[0]);
    for (std::size_t k = 0; parts.size() > 1 && k < parts.size(); ++k)
      t.line("{}({})", part_name(m_, stage, k), arguments);
    t.raw(stage == Stage::State ? "return y_" : "return ws");
    t.out();
    t.line("end");
    t.blank();
    for (std::size_t k = 0; parts.size() > 1 && k < parts.size(); ++k) {
      t.line("function {}({})", part_name(m_, stage, k), arguments);
      t.in();
      write_body(t, parts[k]);
      t.line("return nothing");
      t.out();
      t.line("end");
      t.blank();
    }
  }

  void write_body(SourceText& t, const SourcePart& part) {
    for (const std::uint32_t i : part.inputs) {
      const Stage stage = m_.program.inputs[i].stage;
      constexpr std::string_view kFrom[] = {"ws.p", "ws.u", "x_"};
      t.line("{} = {}[{}]", m_.names.inputs[i], kFrom[static_cast<std::size_t>(stage)], i - m_.inputs_begin(stage) + 1);
    }
    t.lines(part.statements);
  }

  const SourceModel& m_;
};

}  // namespace

std::vector<SourceFile> emit_julia(const Program& program, const EmitOptions& options) {
  const SourceModel model = make_model(program, dialect(), options);
  return {{model.names.program + ".jl", Frame(model).module()}};
}

std::vector<SourceFile> emit_julia_driver(const ExportModel& model, const EmitOptions& options) {
  const SourceNames names = choose_names(model.program, dialect(), options.name);
  const DriverTable d = make_driver_table(model, names, number);
  const auto list = [](const std::vector<DriverSetting>& settings) {
    std::string text;
    for (const DriverSetting& s : settings) text += fmt::format("    {},  # {}\n", s.value, s.name);
    return text;
  };
  const std::string time = d.time.empty() ? "" : fmt::format("    u[{}] = t\n", d.time_place + 1);
  const bool calls = !model.program.functions.empty();
  return {{"main.jl",
           fill_driver(
               R"(# Simulates @name with the classical Runge-Kutta method and prints comma-separated values.
include("@name.jl")
@functionsconst model = @name
const ws = model.Workspace(@arguments)
const p = Float64[
@parameters]
const u = Float64[
@inputs]

function calc_rates(t, x)
@time    model.set_inputs!(ws, u)
    return model.evaluate!(zeros(length(model.OUTPUTS)), ws, x)
end

function simulate(x)
    t0, h, steps, every = @start, @step, @steps, @every
    n = length(x)
    println(join(vcat("t", model.STATE, model.OUTPUTS[n+1:end]), ","))
    model.set_parameters!(ws, p)
    for step in 0:steps
        t = t0 + step*h
        k1 = calc_rates(t, x)
        if step % every == 0 || step == steps
            println(join(vcat(t, x, k1[n+1:end]), ","))
        end
        k2 = calc_rates(t + 0.5h, x + 0.5h*k1[1:n])
        k3 = calc_rates(t + 0.5h, x + 0.5h*k2[1:n])
        k4 = calc_rates(t + h, x + h*k3[1:n])
        x = x + h/6*(k1[1:n] + 2k2[1:n] + 2k3[1:n] + k4[1:n])
    end
end

simulate(Float64[@state])
)",
               d,
               {{"parameters", list(d.parameters)},
                {"inputs", list(d.inputs)},
                {"time", time},
                {"functions", calls ? "include(\"functions.jl\")  # yours: FUNCTIONS = (name = function, ...)\n" : ""},
                {"arguments", calls ? "FUNCTIONS" : ""}})}};
}

}  // namespace kane
