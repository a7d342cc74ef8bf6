// MATLAB and Octave: a file for each of the three functions. Works for one state (a column), or for many side by side.

#include "kane/codegen/emit/emit_frame.hpp"

namespace kane::matlab {

namespace {

constexpr std::string_view kReserved = R"(
    break case catch classdef continue do else elseif end endif endfor endfunction endwhile for function
    global if otherwise parfor persistent return spmd switch try until unwind_protect while sin cos tan asin
    acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max floor Inf NaN isnan zeros size cell kane_min
    kane_max kane_mod kane_select ws ones numel printf fprintf repmat main kane_sqrt kane_root kane_asin
    kane_acos kane_log isinf)";

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
                                .spellings = spell({.truth = "(1.0*(@a @o @b))",
                                                    .elementwise = true,
                                                    .rows = {{Code::Sqrt, "kane_sqrt(@a)"},
                                                             {Code::Root, "kane_root(@a, @n)"},
                                                             {Code::Asin, "kane_asin(@a)"},
                                                             {Code::Acos, "kane_acos(@a)"},
                                                             {Code::Atan2, "atan2(@a, @b)"},
                                                             {Code::Log, "kane_log(@a)"},
                                                             {Code::Min, "kane_min(@a, @b)"},
                                                             {Code::Max, "kane_max(@a, @b)"},
                                                             {Code::Mod, "kane_mod(@a, @b)"},
                                                             {Code::Select, "kane_select(@a, @b, @c)"}}})};
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

constexpr FunctionFrame kFunctions{.stages = {{{.begin = "ws.p = p_;\nw_ = cell(1, @stored);",
                                                .call_part = "w_ = @part(ws, w_);",
                                                .end = "ws.w = w_;",
                                                .part_head = "function w_ = @part(ws, w_)",
                                                .read = "@n = ws.p(@i);"},
                                               {.begin = "ws.u = u_;\nw_ = ws.w;",
                                                .call_part = "w_ = @part(ws, w_);",
                                                .end = "ws.w = w_;",
                                                .part_head = "function w_ = @part(ws, w_)",
                                                .read = "@n = ws.u(@i);"},
                                               {.begin = "w_ = ws.w;\ny_ = zeros(@outputs, size(x_, 2));",
                                                .call_part = "[w_, y_] = @part(ws, w_, x_, y_);",
                                                .part_head = "function [w_, y_] = @part(ws, w_, x_, y_)",
                                                .read = "@n = x_(@i, :);"}}},
                                   .close = "end",
                                   .after = "\n",
                                   .parts_first = false};

/// The head is written here, since MATLAB expects the explanation below it.
struct FileRow {
  std::string_view name, head, how;
};
constexpr FileRow kFiles[] = {
    {"_set_parameters", "function ws = @name_set_parameters(p_)",
     "Call this first. p_ is a vector of the parameters in this order."},
    {"_set_inputs", "function ws = @name_set_inputs(ws, u_)",
     "Call this after set_parameters, whenever an input or time changes. u_ is a vector of the inputs in this order."},
    {"_evaluate", "function y_ = @name_evaluate(ws, x_)",
     "x_ is the state as a column, or many of them side by side; y_ has the outputs in the same way."}};

std::vector<SourceFile> emit(const SourceModel& m) {
  std::vector<SourceFile> files;
  for (const Stage stage : kStages) {
    const FileRow& row = kFiles[at(stage)];
    SourceText t(m.dialect);
    write_lines(t, m, row.head);
    t.comment(row.how);
    write_heading(t, m, "Code");
    write_stage(t, m, kFunctions, stage);
    write_helpers(t, m, kHelpers);
    files.push_back({fmt::format("{}{}.m", m.names.program, row.name), t.take()});
  }
  return files;
}

constexpr DriverFrame kDriver{.file = "simulate_@name.m",
                              .text = R"(function simulate_@name()
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
                              .parameter = "  @e  % @n\n",
                              .input = "  @e  % @n\n",
                              .initial = "  @e\n",
                              .time = "  u(@i) = t;\n",
                              .heading = "fprintf('%s', @e);\n"};

}  // namespace

}  // namespace kane::matlab

const kane::LanguageRow& kane::matlab_language() {
  static constexpr LanguageRow kRow{.info = {Language::Matlab, "matlab", "MATLAB and Octave"},
                                    .aliases = "octave m",
                                    .file_tail = "_evaluate.m",
                                    .dialect = matlab::dialect,
                                    .emit = matlab::emit,
                                    .driver = &matlab::kDriver,
                                    .how_to_run = "octave --eval simulate_@name > result.csv"};
  return kRow;
}
