// C++20: one header, templated on the scalar, so that it also runs on automatic differentiation types and the like.

#include <algorithm>
#include <cmath>

#include "kane/codegen/emit/emit_driver.hpp"
#include "kane/codegen/emit/emit_frame.hpp"

namespace kane {

namespace {

constexpr std::string_view kReserved[] = {"alignas",
                                          "alignof",
                                          "and",
                                          "and_eq",
                                          "asm",
                                          "auto",
                                          "bitand",
                                          "bitor",
                                          "bool",
                                          "break",
                                          "case",
                                          "catch",
                                          "char",
                                          "char8_t",
                                          "char16_t",
                                          "char32_t",
                                          "class",
                                          "compl",
                                          "concept",
                                          "const",
                                          "consteval",
                                          "constexpr",
                                          "constinit",
                                          "const_cast",
                                          "continue",
                                          "co_await",
                                          "co_return",
                                          "co_yield",
                                          "decltype",
                                          "default",
                                          "delete",
                                          "do",
                                          "double",
                                          "dynamic_cast",
                                          "else",
                                          "enum",
                                          "explicit",
                                          "export",
                                          "extern",
                                          "false",
                                          "float",
                                          "for",
                                          "friend",
                                          "goto",
                                          "if",
                                          "inline",
                                          "int",
                                          "long",
                                          "mutable",
                                          "namespace",
                                          "new",
                                          "noexcept",
                                          "not",
                                          "not_eq",
                                          "nullptr",
                                          "operator",
                                          "or",
                                          "or_eq",
                                          "private",
                                          "protected",
                                          "public",
                                          "register",
                                          "requires",
                                          "reinterpret_cast",
                                          "return",
                                          "short",
                                          "signed",
                                          "sizeof",
                                          "static",
                                          "static_assert",
                                          "static_cast",
                                          "struct",
                                          "switch",
                                          "template",
                                          "this",
                                          "thread_local",
                                          "throw",
                                          "true",
                                          "try",
                                          "typedef",
                                          "typeid",
                                          "typename",
                                          "union",
                                          "unsigned",
                                          "using",
                                          "virtual",
                                          "void",
                                          "volatile",
                                          "wchar_t",
                                          "while",
                                          "xor",
                                          "xor_eq",
                                          "sin",
                                          "cos",
                                          "tan",
                                          "asin",
                                          "acos",
                                          "atan",
                                          "atan2",
                                          "sinh",
                                          "cosh",
                                          "tanh",
                                          "exp",
                                          "log",
                                          "sqrt",
                                          "abs",
                                          "floor",
                                          "fmod",
                                          "pow",
                                          "main",
                                          "std",
                                          "T",
                                          "Functions",
                                          "Parameters",
                                          "Inputs",
                                          "kane_min",
                                          "kane_max",
                                          "kane_sign",
                                          "kane_mod",
                                          "NAN",
                                          "INFINITY",
                                          "NULL",
                                          "set_parameters",
                                          "set_inputs",
                                          "evaluate",
                                          "kStateCount",
                                          "kOutputCount",
                                          "kParameterNames",
                                          "kInputNames",
                                          "kStateNames",
                                          "kOutputNames",
                                          "errno"};

std::string number(double value) {
  if (std::isnan(value)) return "T(NAN)";
  if (std::isinf(value)) return value < 0 ? "-T(INFINITY)" : "T(INFINITY)";
  return std::signbit(value) ? fmt::format("-T({})", decimal(-value)) : fmt::format("T({})", decimal(value));
}

const Dialect& dialect() {
  static const Dialect kDialect{.declare = "const T @n = @e;",
                                .assign = "@n = @e;",
                                .stored = "w_[@i]",
                                .output = "y_[@i]",
                                .call = "Functions::@f(@e)",
                                .naming = {.reserved = kReserved},
                                .number = number,
                                .spellings = spell({{Code::Sqrt, "sqrt(@a)"},
                                                    {Code::Root, "pow(@a, T(1.0/@n))"},
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
                                                    {Code::Abs, "abs(@a)"},
                                                    {Code::Sign, "kane_sign(T(@a))"},
                                                    {Code::Min, "kane_min(T(@a), T(@b))"},
                                                    {Code::Max, "kane_max(T(@a), T(@b))"},
                                                    {Code::Floor, "floor(@a)"},
                                                    {Code::Mod, "kane_mod(T(@a), T(@b))"},
                                                    {Code::Less, "(@a < @b ? T(1) : T(0))"},
                                                    {Code::LessEqual, "(@a <= @b ? T(1) : T(0))"},
                                                    {Code::Equal, "(@a == @b ? T(1) : T(0))"},
                                                    {Code::Select, "(@a != T(0) ? T(@b) : T(@c))"}})};
  return kDialect;
}

constexpr HelperRow kHelpers[] = {
    {Code::Min, "static T kane_min(const T& a, const T& b) { return a < b || a != a ? a : b; }"},
    {Code::Max, "static T kane_max(const T& a, const T& b) { return a > b || a != a ? a : b; }"},
    {Code::Sign, "static T kane_sign(const T& x) { return x > T(0) ? T(1) : (x < T(0) ? T(-1) : x); }"},
    {Code::Mod,
     "static T kane_mod(const T& a, const T& b) {\n"
     "  using std::fmod;\n"
     "  const T r = fmod(a, b);\n"
     "  return r != T(0) && (r < T(0)) != (b < T(0)) ? T(r + b) : r;\n"
     "}"}};

/// Functions of the standard library that an opcode needs, to be found beside those of the scalar's own namespace.
constexpr HelperRow kUsings[] = {
    {Code::Sqrt, "sqrt"},   {Code::Root, "pow"},  {Code::Sin, "sin"},   {Code::Cos, "cos"},
    {Code::Tan, "tan"},     {Code::Asin, "asin"}, {Code::Acos, "acos"}, {Code::Atan, "atan"},
    {Code::Atan2, "atan2"}, {Code::Sinh, "sinh"}, {Code::Cosh, "cosh"}, {Code::Tanh, "tanh"},
    {Code::Exp, "exp"},     {Code::Log, "log"},   {Code::Abs, "abs"},   {Code::Floor, "floor"}};

class Frame {
 public:
  explicit Frame(const SourceModel& model) : m_(model), name_(model.names.program) {
    for (const HelperRow& row : kUsings)
      if (m_.listing.uses[static_cast<std::size_t>(row.code)])
        usings_ += fmt::format("{}std::{}", usings_.empty() ? "using " : ", ", row.text);
    if (!usings_.empty()) usings_ += ";";
  }

  std::string header() {
    SourceText t(m_.dialect);
    write_heading(t, m_, "Code");
    t.comment("");
    t.comment("Call set_parameters, then set_inputs, then evaluate as often as you like. After set_parameters, call");
    t.comment(
        "set_inputs again. Nothing is allocated and nothing is global: use one object for each thread. T is double,");
    t.comment("or any type with the usual operators and functions.");
    if (!m_.program.functions.empty())
      t.comment("Functions is a class with the functions that you provide as static members.");
    t.raw("#pragma once\n\n#include <array>\n#include <cmath>\n#include <span>\n#include <string_view>\n");
    t.raw(m_.program.functions.empty() ? "template <class T>" : "template <class T, class Functions>");
    t.line("class {} {{", name_);
    t.line(" public:");
    t.in();
    write_struct(t, Stage::Parameters, "Parameters");
    write_struct(t, Stage::Inputs, "Inputs");
    write_counts(t);
    for (int s = 0; s < kStageCount; ++s) write_stage(t, static_cast<Stage>(s));
    t.out();
    t.line(" private:");
    t.in();
    for (int s = 0; s < kStageCount; ++s) write_parts(t, static_cast<Stage>(s));
    write_helpers(t, m_, kHelpers);
    t.line("Parameters p_{{}};");
    t.line("Inputs in_{{}};");
    t.line("std::array<T, {}> w_{{}};  // what one stage computes for another", std::max(1U, m_.listing.stored));
    t.out();
    t.line("}};");
    return t.take();
  }

 private:
  void write_struct(SourceText& t, Stage stage, std::string_view what) {
    t.line("struct {} {{", what);
    t.in();
    for (std::uint32_t i = m_.inputs_begin(stage); i < m_.inputs_end(stage); ++i)
      t.line("T {}{{}};  // {}", m_.names.inputs[i], harmless(m_.program.inputs[i].name));
    t.out();
    t.line("}};");
    t.blank();
  }

  void write_counts(SourceText& t) {
    t.line("static constexpr std::size_t kStateCount = {};", m_.program.input_count[2]);
    t.line("static constexpr std::size_t kOutputCount = {};", m_.program.outputs.size());
    const auto list = [&](std::string_view what, const std::vector<std::string>& names) {
      t.line("static constexpr std::array<std::string_view, {}> {} = {{", names.size(), what);
      t.in();
      for (const std::string& n : names) t.line("{},", quoted(n, '"', true));
      t.out();
      t.line("}};");
    };
    constexpr std::string_view kLists[] = {"kParameterNames", "kInputNames", "kStateNames"};
    for (int s = 0; s < kStageCount; ++s) list(kLists[s], given_names(m_.program, static_cast<Stage>(s)));
    list("kOutputNames", given_outputs(m_.program));
    t.blank();
  }

  void write_stage(SourceText& t, Stage stage) {
    constexpr std::string_view kHeads[] = {"void set_parameters(const Parameters& parameters_) {",
                                           "void set_inputs(const Inputs& inputs_) {",
                                           "void evaluate(std::span<const T> x_, std::span<T> y_) {"};
    const auto& parts = m_.listing.parts[static_cast<std::size_t>(stage)];
    t.raw(kHeads[static_cast<std::size_t>(stage)]);
    t.in();
    if (stage == Stage::Parameters) t.line("p_ = parameters_;");
    if (stage == Stage::Inputs) t.line("in_ = inputs_;");
    if (parts.size() == 1) {
      write_body(t, parts[0]);
    } else {
      for (std::size_t k = 0; k < parts.size(); ++k)
        t.line("{}({});", part_name(m_, stage, k), stage == Stage::State ? "x_, y_" : "");
    }
    if (stage == Stage::State) t.line("static_cast<void>(x_), static_cast<void>(y_);");
    t.out();
    t.line("}}");
    t.blank();
  }

  void write_parts(SourceText& t, Stage stage) {
    const auto& parts = m_.listing.parts[static_cast<std::size_t>(stage)];
    for (std::size_t k = 0; parts.size() > 1 && k < parts.size(); ++k) {
      t.line("void {}({}) {{", part_name(m_, stage, k),
             stage == Stage::State ? "[[maybe_unused]] std::span<const T> x_, [[maybe_unused]] std::span<T> y_" : "");
      t.in();
      write_body(t, parts[k]);
      t.out();
      t.line("}}");
      t.blank();
    }
  }

  void write_body(SourceText& t, const SourcePart& part) {
    if (!usings_.empty() && !part.statements.empty()) t.raw(usings_);
    for (const std::uint32_t i : part.inputs) {
      const std::string& id = m_.names.inputs[i];
      switch (m_.program.inputs[i].stage) {
        case Stage::Parameters: t.line("const T {0} = p_.{0};", id); break;
        case Stage::Inputs: t.line("const T {0} = in_.{0};", id); break;
        case Stage::State: t.line("const T {} = x_[{}];", id, i - m_.inputs_begin(Stage::State)); break;
      }
    }
    t.lines(part.statements);
  }

  const SourceModel& m_;
  const std::string& name_;
  std::string usings_;
};

}  // namespace

std::vector<SourceFile> emit_cpp(const Program& program, const EmitOptions& options) {
  const SourceModel model = make_model(program, dialect(), options);
  return {{model.names.program + ".hpp", Frame(model).header()}};
}

std::vector<SourceFile> emit_cpp_driver(const ExportModel& model, const EmitOptions& options) {
  const SourceNames names = choose_names(model.program, dialect(), options.name);
  const DriverTable d = make_driver_table(model, names, decimal);
  std::string settings;
  for (const DriverSetting& s : d.parameters) settings += fmt::format("  p.{} = {};\n", s.name, s.value);
  for (const DriverSetting& s : d.inputs) settings += fmt::format("  in.{} = {};\n", s.name, s.value);
  const std::string time = d.time.empty() ? "static_cast<void>(t);" : fmt::format("in.{} = t;", d.time);
  const bool calls = !model.program.functions.empty();
  return {{"main.cpp",
           fill_driver(R"(// Simulates @name with the classical Runge-Kutta method and prints comma-separated values.

#include <cstdio>
#include <string>
#include <vector>

@include "@name.hpp"
@functions
using Model = @name<@arguments>;

int main() {
  Model model;
  Model::Parameters p;
  Model::Inputs in;
@settings
  std::vector<double> x{@state};
  const std::size_t n = Model::kStateCount;
  const double t0 = @start, h = @step;
  const long steps = @steps, every = @every;
  std::vector<double> k1(Model::kOutputCount), k2(k1), k3(k1), k4(k1), z(n);

  const auto calc_rates = [&](double t, const std::vector<double>& state, std::vector<double>& rates) {
    @time
    model.set_inputs(in);
    model.evaluate(state, rates);
  };
  std::printf("t");
  for (std::size_t i = 0; i < n; ++i) std::printf(",%s", std::string(Model::kStateNames[i]).c_str());
  for (std::size_t i = n; i < k1.size(); ++i) std::printf(",%s", std::string(Model::kOutputNames[i]).c_str());
  std::printf("\n");
  model.set_parameters(p);
  for (long step = 0;; ++step) {
    const double t = t0 + static_cast<double>(step) * h;
    calc_rates(t, x, k1);
    if (step % every == 0 || step == steps) {
      std::printf("%.17g", t);
      for (std::size_t i = 0; i < n; ++i) std::printf(",%.17g", x[i]);
      for (std::size_t i = n; i < k1.size(); ++i) std::printf(",%.17g", k1[i]);
      std::printf("\n");
    }
    if (step == steps) return 0;
    for (std::size_t i = 0; i < n; ++i) z[i] = x[i] + 0.5 * h * k1[i];
    calc_rates(t + 0.5 * h, z, k2);
    for (std::size_t i = 0; i < n; ++i) z[i] = x[i] + 0.5 * h * k2[i];
    calc_rates(t + 0.5 * h, z, k3);
    for (std::size_t i = 0; i < n; ++i) z[i] = x[i] + h * k3[i];
    calc_rates(t + h, z, k4);
    for (std::size_t i = 0; i < n; ++i) x[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
  }
}
)",
                       d,
                       {{"settings", settings},
                        {"time", time},
                        {"functions", calls ? "#include \"functions.hpp\"  // yours: struct Functions\n" : ""},
                        {"arguments", calls ? "double, Functions" : "double"}})}};
}

}  // namespace kane
