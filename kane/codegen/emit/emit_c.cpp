// C99: a header and a source file.

#include <algorithm>
#include <cmath>

#include "kane/codegen/emit/emit_driver.hpp"
#include "kane/codegen/emit/emit_frame.hpp"

namespace kane {

namespace {

constexpr std::string_view kReserved[] = {
    "auto",      "break",    "case",     "char",     "const",    "continue", "default",   "do",       "double",
    "else",      "enum",     "extern",   "float",    "for",      "goto",     "if",        "inline",   "int",
    "long",      "register", "restrict", "return",   "short",    "signed",   "sizeof",    "static",   "struct",
    "switch",    "typedef",  "union",    "unsigned", "void",     "volatile", "while",     "main",     "bool",
    "true",      "false",    "sin",      "cos",      "tan",      "asin",     "acos",      "atan",     "atan2",
    "sinh",      "cosh",     "tanh",     "exp",      "log",      "sqrt",     "fabs",      "floor",    "fmod",
    "pow",       "class",    "new",      "delete",   "this",     "template", "namespace", "public",   "private",
    "operator",  "catch",    "throw",    "try",      "NAN",      "INFINITY", "NULL",      "kane_min", "kane_max",
    "kane_sign", "kane_mod", "ws",       "in",       "typename", "using",    "virtual",   "friend",   "and",
    "or",        "not",      "xor",      "errno",    "asm",      "unused"};

std::string number(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  return decimal(value);
}

const Dialect& dialect() {
  static const Dialect kDialect{.declare = "const double @n = @e;",
                                .assign = "@n = @e;",
                                .stored = "ws->w[@i]",
                                .output = "y_[@i]",
                                .naming = {.reserved = kReserved},
                                .number = number,
                                .spellings = spell({{Code::Sqrt, "sqrt(@a)"},
                                                    {Code::Root, "pow(@a, 1.0/@n)"},
                                                    {Code::Sin, "sin(@a)"},
                                                    {Code::Cos, "cos(@a)"},
                                                    {Code::Tan, "tan(@a)"},
                                                    {Code::Asin, "asin(@a)"},
                                                    {Code::Acos, "acos(@a)"},
                                                    {Code::Atan, "atan(@a)"},
                                                    {Code::Atan2, "atan2(@a, @b)"},
                                                    {Code::Sinh, "sinh(@a)"},
                                                    {Code::Cosh, "cosh(@a)"},
                                                    {Code::Tanh, "tanh(@a)"},
                                                    {Code::Exp, "exp(@a)"},
                                                    {Code::Log, "log(@a)"},
                                                    {Code::Abs, "fabs(@a)"},
                                                    {Code::Sign, "kane_sign(@a)"},
                                                    {Code::Min, "kane_min(@a, @b)"},
                                                    {Code::Max, "kane_max(@a, @b)"},
                                                    {Code::Floor, "floor(@a)"},
                                                    {Code::Mod, "kane_mod(@a, @b)"},
                                                    {Code::Less, "(@a < @b ? 1.0 : 0.0)"},
                                                    {Code::LessEqual, "(@a <= @b ? 1.0 : 0.0)"},
                                                    {Code::Equal, "(@a == @b ? 1.0 : 0.0)"},
                                                    {Code::Select, "(@a != 0.0 ? @b : @c)"}})};
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

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

class Frame {
 public:
  explicit Frame(const SourceModel& model) : m_(model), name_(model.names.program) {}

  std::string header() {
    SourceText t(m_.dialect);
    write_heading(t, m_, "Header");
    t.comment("");
    t.comment("Call set_parameters, then set_inputs, then evaluate as often as you like. After set_parameters, call");
    t.comment("set_inputs again. Nothing is allocated and nothing is global: use one workspace for each thread.");
    t.line("#ifndef {}_H", upper(name_));
    t.line("#define {}_H", upper(name_));
    t.blank();
    t.raw("#ifdef __cplusplus\nextern \"C\" {\n#endif");
    t.blank();
    write_counts(t);
    write_struct(t, Stage::Parameters, "parameters");
    write_struct(t, Stage::Inputs, "inputs");
    write_workspace(t);
    write_functions(t);
    t.raw("#ifdef __cplusplus\n}\n#endif");
    t.blank();
    t.line("#endif");
    return t.take();
  }

  std::string source() {
    SourceText t(m_.dialect);
    write_heading(t, m_, "Code");
    t.line("#include \"{}.h\"", name_);
    t.blank();
    t.line("#include <math.h>");
    t.blank();
    write_helpers(t, m_, kHelpers);
    for (int s = 0; s < kStageCount; ++s) write_stage(t, static_cast<Stage>(s));
    write_name_lists(t);
    return t.take();
  }

 private:
  void write_counts(SourceText& t) {
    t.line("enum {{");
    t.in();
    constexpr std::string_view kKinds[] = {"PARAMETER", "INPUT", "STATE"};
    for (std::size_t s = 0; s < kStageCount; ++s)
      t.line("{}_{}_COUNT = {},", upper(name_), kKinds[s], m_.program.input_count[s]);
    t.line("{}_OUTPUT_COUNT = {}", upper(name_), m_.program.outputs.size());
    t.out();
    t.line("}};");
    t.blank();
    write_places(t, "Places in the state x.", "at", Stage::State);
    t.comment("Places in the outputs y.");
    t.line("enum {{");
    t.in();
    for (std::size_t i = 0; i < m_.names.outputs.size(); ++i)
      t.line("{}_out_{} = {},  // {}", name_, m_.names.outputs[i], i, harmless(m_.program.outputs[i].name));
    t.line("{}_out_end", name_);
    t.out();
    t.line("}};");
    t.blank();
  }

  void write_places(SourceText& t, std::string_view what, std::string_view word, Stage stage) {
    t.comment(what);
    t.line("enum {{");
    t.in();
    for (std::uint32_t i = m_.inputs_begin(stage); i < m_.inputs_end(stage); ++i)
      t.line("{}_{}_{} = {},  // {}", name_, word, m_.names.inputs[i], i - m_.inputs_begin(stage),
             harmless(m_.program.inputs[i].name));
    t.line("{}_{}_end", name_, word);
    t.out();
    t.line("}};");
    t.blank();
  }

  void write_struct(SourceText& t, Stage stage, std::string_view what) {
    t.line("typedef struct {{");
    t.in();
    for (std::uint32_t i = m_.inputs_begin(stage); i < m_.inputs_end(stage); ++i)
      t.line("double {};  // {}", m_.names.inputs[i], harmless(m_.program.inputs[i].name));
    if (m_.inputs_begin(stage) == m_.inputs_end(stage)) t.line("double unused;  // there are none");
    t.out();
    t.line("}} {}_{};", name_, what);
    t.blank();
  }

  void write_workspace(SourceText& t) {
    t.line("typedef struct {{");
    t.in();
    t.line("{}_parameters p;", name_);
    t.line("{}_inputs in;", name_);
    t.line("double w[{}];  // what one stage computes for another", std::max(1U, m_.listing.stored));
    t.out();
    t.line("}} {}_workspace;", name_);
    t.blank();
  }

  [[nodiscard]] std::string signature(Stage stage) const {
    switch (stage) {
      case Stage::Parameters:
        return fmt::format("void {0}_set_parameters({0}_workspace *ws, const {0}_parameters *p_)", name_);
      case Stage::Inputs: return fmt::format("void {0}_set_inputs({0}_workspace *ws, const {0}_inputs *in_)", name_);
      case Stage::State: break;
    }
    return fmt::format("void {0}_evaluate({0}_workspace *ws, const double *x_, double *y_)", name_);
  }

  void write_functions(SourceText& t) {
    for (int s = 0; s < kStageCount; ++s) t.line("{};", signature(static_cast<Stage>(s)));
    t.blank();
    t.comment("Names as they were given, in order.");
    for (const std::string_view list : {"parameter", "input", "state", "output"})
      t.line("extern const char *const {}_{}_names[];", name_, list);
    t.blank();
    if (m_.program.functions.empty()) return;
    t.comment("Functions that you provide.");
    for (std::size_t i = 0; i < m_.program.functions.size(); ++i) {
      std::string arguments;
      for (int k = 0; k < m_.program.functions[i].arity; ++k) arguments += k == 0 ? "double" : ", double";
      t.line("double {}({});", m_.names.functions[i], arguments.empty() ? "void" : arguments);
    }
    t.blank();
  }

  void write_stage(SourceText& t, Stage stage) {
    const auto& parts = m_.listing.parts[static_cast<std::size_t>(stage)];
    if (parts.size() > 1)
      for (std::size_t k = 0; k < parts.size(); ++k) {
        t.line("static void {}({}) {{", part_name(m_, stage, k), part_arguments(stage));
        write_body(t, parts[k], stage);
        t.line("}}");
        t.blank();
      }
    t.line("{} {{", signature(stage));
    t.in();
    if (stage == Stage::Parameters) t.line("ws->p = *p_;");
    if (stage == Stage::Inputs) t.line("ws->in = *in_;");
    t.out();
    if (parts.size() > 1) {
      t.in();
      for (std::size_t k = 0; k < parts.size(); ++k)
        t.line("{}({});", part_name(m_, stage, k), stage == Stage::State ? "ws, x_, y_" : "ws");
      t.out();
    } else {
      write_body(t, parts[0], stage);
    }
    t.line("}}");
    t.blank();
  }

  [[nodiscard]] std::string part_arguments(Stage stage) const {
    return name_ + (stage == Stage::State ? "_workspace *ws, const double *x_, double *y_" : "_workspace *ws");
  }

  void write_body(SourceText& t, const SourcePart& part, Stage stage) {
    t.in();
    t.line("(void)ws;");
    if (stage == Stage::State) t.line("(void)x_;\n  (void)y_;");
    for (const std::uint32_t i : part.inputs) {
      const std::string& id = m_.names.inputs[i];
      switch (m_.program.inputs[i].stage) {
        case Stage::Parameters: t.line("const double {0} = ws->p.{0};", id); break;
        case Stage::Inputs: t.line("const double {0} = ws->in.{0};", id); break;
        case Stage::State: t.line("const double {} = x_[{}];", id, i - m_.inputs_begin(Stage::State)); break;
      }
    }
    t.lines(part.statements);
    t.out();
  }

  void write_name_lists(SourceText& t) {
    constexpr std::string_view kKinds[] = {"parameter", "input", "state"};
    const auto write = [&](std::string_view kind, const std::vector<std::string>& names) {
      t.line("const char *const {}_{}_names[] = {{", name_, kind);
      t.in();
      for (const std::string& n : names) t.line("{},", quoted(n, '"', true));
      t.line("0");
      t.out();
      t.line("}};");
      t.blank();
    };
    for (int s = 0; s < kStageCount; ++s) {
      std::vector<std::string> names;
      for (const ProgramInput& i : m_.program.inputs)
        if (i.stage == static_cast<Stage>(s)) names.push_back(i.name);
      write(kKinds[s], names);
    }
    std::vector<std::string> names;
    for (const ProgramOutput& o : m_.program.outputs) names.push_back(o.name);
    write("output", names);
  }

  const SourceModel& m_;
  const std::string& name_;
};

}  // namespace

std::vector<SourceFile> emit_c(const Program& program, const EmitOptions& options) {
  const SourceModel model = make_model(program, dialect(), options);
  Frame frame(model);
  return {{model.names.program + ".h", frame.header()}, {model.names.program + ".c", frame.source()}};
}

std::vector<SourceFile> emit_c_driver(const ExportModel& model, const EmitOptions& options) {
  const SourceNames names = choose_names(model.program, dialect(), options.name);
  const DriverTable d = make_driver_table(model, names, number);
  std::string settings;
  for (const DriverSetting& s : d.parameters) settings += fmt::format("  p.{} = {};\n", s.name, s.value);
  for (const DriverSetting& s : d.inputs) settings += fmt::format("  in.{} = {};\n", s.name, s.value);
  const std::string time = d.time.empty() ? "(void)t;" : fmt::format("in->{} = t;", d.time);
  return {{"main.c",
           fill_driver(R"(// Simulates @name with the classical Runge-Kutta method and prints comma-separated values.

#include <stdio.h>
#include <string.h>

@include "@name.h"

enum { kStates = @name_upper_STATE_COUNT, kOutputs = @name_upper_OUTPUT_COUNT };

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
                       d, {{"settings", settings}, {"time", time}, {"name_upper", upper(names.program)}})}};
}

}  // namespace kane
