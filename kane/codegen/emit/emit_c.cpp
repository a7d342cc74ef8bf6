// C99: a header and a source file.

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/codegen/emit/emit_frame.hpp"

namespace kane::c99 {

namespace {

constexpr std::string_view kReserved = R"(
    auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile
    while main bool true false sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt fabs floor fmod
    pow class new delete this template namespace public private operator catch throw try NAN INFINITY NULL
    kane_min kane_max kane_sign kane_mod ws in typename using virtual friend and or not xor errno asm unused)";

const Dialect& dialect() {
  static const Dialect kDialect{.declare = "const double @n = @e;",
                                .assign = "@n = @e;",
                                .stored = "ws->w[@i]",
                                .naming = {.reserved = kReserved},
                                .nan = "NAN",
                                .infinity = "INFINITY",
                                .spellings = spell({.truth = "(@a @o @b ? 1.0 : 0.0)",
                                                    .rows = {{Code::Root, "pow(@a, 1.0/@n)"},
                                                             {Code::Atan2, "atan2(@a, @b)"},
                                                             {Code::Abs, "fabs(@a)"},
                                                             {Code::Sign, "kane_sign(@a)"},
                                                             {Code::Min, "kane_min(@a, @b)"},
                                                             {Code::Max, "kane_max(@a, @b)"},
                                                             {Code::Mod, "kane_mod(@a, @b)"},
                                                             {Code::Select, "(@a != 0.0 ? @b : @c)"}}})};
  return kDialect;
}

constexpr HelperRow kHelpers[] = {
    {Code::Min, "static double kane_min(double a, double b) { return a < b || a != a ? a : b; }"},
    {Code::Max, "static double kane_max(double a, double b) { return a > b || a != a ? a : b; }"},
    {Code::Sign, "static double kane_sign(double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : x); }"},
    {Code::Mod,
     "static double kane_mod(double a, double b) {\n"
     "  const double r = fmod(a, b);\n"
     "  return r != 0.0 && (r < 0.0) != (b < 0.0) ? r + b : r;\n"
     "}"}};

constexpr FunctionFrame kFunctions{
    .stages = {{{.head = "void @name_set_parameters(@name_workspace *ws, const @name_parameters *p_) {",
                 .begin = "ws->p = *p_;",
                 .call_part = "@part(ws);",
                 .part_head = "static void @part(@name_workspace *ws) {",
                 .open = "(void)ws;",
                 .read = "const double @n = ws->p.@n;"},
                {.head = "void @name_set_inputs(@name_workspace *ws, const @name_inputs *in_) {",
                 .begin = "ws->in = *in_;",
                 .call_part = "@part(ws);",
                 .part_head = "static void @part(@name_workspace *ws) {",
                 .open = "(void)ws;",
                 .read = "const double @n = ws->in.@n;"},
                {.head = "void @name_evaluate(@name_workspace *ws, const double *x_, double *y_) {",
                 .call_part = "@part(ws, x_, y_);",
                 .part_head = "static void @part(@name_workspace *ws, const double *x_, double *y_) {",
                 .open = "(void)ws;\n(void)x_;\n(void)y_;",
                 .read = "const double @n = x_[@i];"}}},
    .close = "}",
    .after = "\n"};

constexpr NameLists kNameLists{.head = "const char *const @name_@k_names[] = {",
                               .kinds = {"parameter", "input", "state", "output"},
                               .tail = "  0\n};\n\n"};

constexpr std::string_view kHeaderBegin = R"(#ifndef @NAME_H
#define @NAME_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
)";

constexpr std::string_view kHeaderEnd = R"(#ifdef __cplusplus
}
#endif

#endif
)";

void write_places(SourceText& t, const SourceModel& m) {
  t.comment("Places in the state x.");
  t.raw("enum {");
  t.in();
  write_fields(t, m, Stage::State, "@name_at_@n = @i,  // @g");
  write_lines(t, m, "@name_at_end");
  t.out();
  t.lines("};\n\n");
  t.comment("Places in the outputs y.");
  t.raw("enum {");
  t.in();
  for (std::size_t i = 0; i < m.names.outputs.size(); ++i)
    t.line("{}_out_{} = {},  // {}", m.names.program, m.names.outputs[i], i, harmless(m.program.outputs[i].name));
  write_lines(t, m, "@name_out_end");
  t.out();
  t.lines("};\n\n");
}

void write_struct(SourceText& t, const SourceModel& m, Stage stage, std::string_view tail) {
  t.raw("typedef struct {");
  t.in();
  write_fields(t, m, stage, "double @n;  // @g");
  if (m.inputs_begin(stage) == m.inputs_end(stage)) t.raw("double unused;  // there are none");
  t.out();
  write_lines(t, m, tail);
}

void write_declarations(SourceText& t, const SourceModel& m) {
  for (const StageFrame& stage : kFunctions.stages)
    write_lines(t, m, std::string(stage.head.substr(0, stage.head.size() - 2)) + ";");
  t.blank();
  t.comment("Names as they were given, in order.");
  for (const std::string_view list : kNameLists.kinds)
    t.line("extern const char *const {}_{}_names[];", m.names.program, list);
  t.blank();
  if (!m.calls_functions()) return;
  t.comment("Functions that you provide.");
  for (std::size_t i = 0; i < m.program.functions.size(); ++i) {
    const std::string arguments = argument_list(m.program.functions[i], "double");
    t.line("double {}({});", m.names.functions[i], arguments.empty() ? "void" : arguments);
  }
  t.blank();
}

std::string header(const SourceModel& m) {
  SourceText t(m.dialect);
  write_heading(t, m, "Header");
  t.comment("");
  t.comment("Call set_parameters, then set_inputs, then evaluate as often as you like. After set_parameters, call");
  t.comment("set_inputs again. Nothing is allocated and nothing is global: use one workspace for each thread.");
  write_lines(t, m, kHeaderBegin);
  constexpr std::string_view kKinds[] = {"PARAMETER", "INPUT", "STATE"};
  for (const Stage stage : kStages)
    t.line("  {}_{}_COUNT = {},", in_capitals(m.names.program), kKinds[at(stage)], m.program.input_count[stage]);
  t.line("  {}_OUTPUT_COUNT = {}", in_capitals(m.names.program), m.program.outputs.size());
  t.lines("};\n\n");
  write_places(t, m);
  write_struct(t, m, Stage::Parameters, "} @name_parameters;\n\n");
  write_struct(t, m, Stage::Inputs, "} @name_inputs;\n\n");
  write_lines(t, m, "typedef struct {\n  @name_parameters p;\n  @name_inputs in;");
  t.line("  double w[{}];  // values passed between stages", std::max(1U, m.listing.stored));
  write_lines(t, m, "} @name_workspace;\n\n");
  write_declarations(t, m);
  t.lines(kHeaderEnd);
  return t.take();
}

std::string source(const SourceModel& m) {
  SourceText t(m.dialect);
  write_heading(t, m, "Code");
  write_lines(t, m, "#include \"@name.h\"\n\n#include <math.h>\n\n");
  write_helpers(t, m, kHelpers);
  for (const Stage stage : kStages) write_stage(t, m, kFunctions, stage);
  write_name_lists(t, m, kNameLists);
  return t.take();
}

std::vector<SourceFile> emit(const SourceModel& m) {
  return {{m.names.program + ".h", header(m)}, {m.names.program + ".c", source(m)}};
}

constexpr DriverFrame kDriver{
    .file = "main.c",
    .text = R"(// Simulates @name with the classical Runge-Kutta method and prints comma-separated values.

#include <stdio.h>
#include <string.h>

@include "@name.h"

enum { kStates = @NAME_STATE_COUNT, kOutputs = @NAME_OUTPUT_COUNT };

static void calc_rates(@name_workspace *ws, @name_inputs *in, double t, const double *x, double *y) {
  @time
  @name_set_inputs(ws, in);
  @name_evaluate(ws, x, y);
}

static void print_line(double t, const double *x, const double *y) {
  printf("%.17g", t);
  for (int i = 0; i < kStates; ++i) printf(",%.17g", x[i]);
  for (int i = kStates; i < kOutputs; ++i) printf(",%.17g", y[i]);
  printf("\n");
}

int main(void) {
  static @name_workspace ws;
  @name_parameters p;
  @name_inputs in;
  memset(&p, 0, sizeof p);
  memset(&in, 0, sizeof in);
@settings
  double x[kStates + 1] = {@state};
  const double t0 = @start, h = @step;
  const long steps = @steps, every = @every;
  double k1[kOutputs + 1], k2[kOutputs + 1], k3[kOutputs + 1], k4[kOutputs + 1], z[kStates + 1];

  printf("t");
  for (int i = 0; i < kStates; ++i) printf(",%s", @name_state_names[i]);
  for (int i = kStates; i < kOutputs; ++i) printf(",%s", @name_output_names[i]);
  printf("\n");
  @name_set_parameters(&ws, &p);
  for (long n = 0;; ++n) {
    const double t = t0 + (double)n * h;
    calc_rates(&ws, &in, t, x, k1);
    if (n % every == 0 || n == steps) print_line(t, x, k1);
    if (n == steps) return 0;
    for (int i = 0; i < kStates; ++i) z[i] = x[i] + 0.5 * h * k1[i];
    calc_rates(&ws, &in, t + 0.5 * h, z, k2);
    for (int i = 0; i < kStates; ++i) z[i] = x[i] + 0.5 * h * k2[i];
    calc_rates(&ws, &in, t + 0.5 * h, z, k3);
    for (int i = 0; i < kStates; ++i) z[i] = x[i] + h * k3[i];
    calc_rates(&ws, &in, t + h, z, k4);
    for (int i = 0; i < kStates; ++i) x[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
  }
}
)",
    .parameter = "  p.@n = @e;\n",
    .input = "  in.@n = @e;\n",
    .time = "in->@n = t;",
    .no_time = "(void)t;"};

}  // namespace

}  // namespace kane::c99

const kane::LanguageRow& kane::c_language() {
  static constexpr LanguageRow kRow{
      .info = {Language::C, "c", "C99"},
      .aliases = "c99",
      .file_tail = ".c",
      .dialect = c99::dialect,
      .emit = c99::emit,
      .driver = &c99::kDriver,
      .how_to_run = "cc -std=c99 -O2 -o simulate main.c @name.c -lm\n./simulate > result.csv"};
  return kRow;
}
