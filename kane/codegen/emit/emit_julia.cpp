// Julia: one module.

#include "kane/codegen/emit/emit_frame.hpp"

namespace kane::julia {

namespace {

constexpr std::string_view kReserved = R"(
    baremodule begin break catch const continue do else elseif end export false finally for function global
    if import in isa let local macro module quote return struct true try using where while abstract mutable
    primitive type sin cos tan asin acos atan sinh cosh tanh exp log sqrt abs sign min max floor mod ifelse
    Inf NaN ws pi Workspace PARAMETERS INPUTS STATE OUTPUTS functions kane_sign im kane_sqrt kane_root
    kane_sin kane_cos kane_tan kane_asin kane_acos kane_log isinf)";

const Dialect& dialect() {
  static const Dialect kDialect{.indent = "    ",
                                .comment = "#",
                                .stored = "ws.w[@i]",
                                .first_index = 1,
                                .call = "ws.functions.@f(@e)",
                                .naming = {.reserved = kReserved},
                                .spellings = spell({.truth = "ifelse(@a @o @b, 1.0, 0.0)",
                                                    .rows = {{Code::Sqrt, "kane_sqrt(@a)"},
                                                             {Code::Root, "kane_root(@a, @n)"},
                                                             {Code::Sin, "kane_sin(@a)"},
                                                             {Code::Cos, "kane_cos(@a)"},
                                                             {Code::Tan, "kane_tan(@a)"},
                                                             {Code::Asin, "kane_asin(@a)"},
                                                             {Code::Acos, "kane_acos(@a)"},
                                                             {Code::Atan2, "atan(@a, @b)"},
                                                             {Code::Log, "kane_log(@a)"},
                                                             {Code::Min, "min(@a, @b)"},
                                                             {Code::Max, "max(@a, @b)"},
                                                             {Code::Mod, "mod(@a, @b)"},
                                                             {Code::Select, "ifelse(@a != 0.0, @b, @c)"}}})};
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

constexpr FunctionFrame kFunctions{.stages = {{{.head = "function set_parameters!(ws, p_)",
                                                .begin = "ws.p .= p_",
                                                .call_part = "@part(ws)",
                                                .end = "return ws",
                                                .part_head = "function @part(ws)",
                                                .read = "@n = ws.p[@i]"},
                                               {.head = "function set_inputs!(ws, u_)",
                                                .begin = "ws.u .= u_",
                                                .call_part = "@part(ws)",
                                                .end = "return ws",
                                                .part_head = "function @part(ws)",
                                                .read = "@n = ws.u[@i]"},
                                               {.head = "function evaluate!(y_, ws, x_)",
                                                .call_part = "@part(y_, ws, x_)",
                                                .end = "return y_",
                                                .part_head = "function @part(y_, ws, x_)",
                                                .read = "@n = x_[@i]"}}},
                                   .part_end = "return nothing",
                                   .close = "end",
                                   .after = "\n",
                                   .parts_first = false};

/// A dollar sign in a string would begin an interpolation.
constexpr NameLists kNameLists{
    .head = "const @k = String[", .kinds = {"PARAMETERS", "INPUTS", "STATE", "OUTPUTS"}, .tail = "]", .escape = '$'};

std::vector<SourceFile> emit(const SourceModel& m) {
  SourceText t(m.dialect);
  write_heading(t, m, "Code");
  t.comment("");
  t.comment(
      "Call set_parameters!(ws, p), then set_inputs!(ws, u), then evaluate!(y, ws, x) as often as you like. After");
  t.comment("set_parameters!, call set_inputs! again. Vectors are in the order of the lists of names below. Use one");
  t.comment("Workspace for each thread; its argument is a named tuple of the functions that you provide.");
  write_lines(t, m, "module @name\n\n");
  write_name_lists(t, m, kNameLists);
  t.blank();
  write_helpers(t, m, kHelpers);
  t.lines(R"(mutable struct Workspace{F}
    p::Vector{Float64}
    u::Vector{Float64}
    w::Vector{Float64}  # values passed between stages
    functions::F
end
)");
  t.line("Workspace(functions = (;)) = Workspace(zeros({}), zeros({}), zeros({}), functions)",
         m.program.input_count[Stage::Parameters], m.program.input_count[Stage::Inputs], m.listing.stored);
  t.blank();
  for (const Stage stage : kStages) write_stage(t, m, kFunctions, stage);
  t.raw("end");
  return {{m.names.program + ".jl", t.take()}};
}

constexpr DriverFrame kDriver{
    .file = "main.jl",
    .text = R"(# Simulates @name with the classical Runge-Kutta method and prints comma-separated values.
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
    .parameter = "    @e,  # @n\n",
    .input = "    @e,  # @n\n",
    .time = "    u[@i] = t\n",
    .functions = "include(\"functions.jl\")  # yours: FUNCTIONS = (name = function, ...)\n",
    .arguments = "FUNCTIONS"};

}  // namespace

}  // namespace kane::julia

const kane::LanguageRow& kane::julia_language() {
  static constexpr LanguageRow kRow{.info = {Language::Julia, "julia", "Julia"},
                                    .aliases = "jl",
                                    .file_tail = ".jl",
                                    .dialect = julia::dialect,
                                    .emit = julia::emit,
                                    .driver = &julia::kDriver,
                                    .how_to_run = "julia main.jl > result.csv"};
  return kRow;
}
