// C++20: one header, templated on the scalar, so that it also runs on automatic differentiation types and the like.

#include <algorithm>

#include "kane/codegen/emit/emit_frame.hpp"

namespace kane::cpp20 {

namespace {

constexpr std::string_view kReserved = R"(
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t
    class compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield
    decltype default delete do double dynamic_cast else enum explicit export extern false float for friend
    goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
    protected public register requires reinterpret_cast return short signed sizeof static static_assert
    static_cast struct switch template this thread_local throw true try typedef typeid typename union
    unsigned using virtual void volatile wchar_t while xor xor_eq sin cos tan asin acos atan atan2 sinh cosh
    tanh exp log sqrt abs floor fmod pow main std T Functions Parameters Inputs kane_min kane_max kane_sign
    kane_mod NAN INFINITY NULL set_parameters set_inputs evaluate kStateCount kOutputCount kParameterNames
    kInputNames kStateNames kOutputNames errno)";

const Dialect& dialect() {
  static const Dialect kDialect{.declare = "const T @n = @e;",
                                .assign = "@n = @e;",
                                .stored = "w_[@i]",
                                .call = "Functions::@f(@e)",
                                .naming = {.reserved = kReserved},
                                .number = "T(@e)",
                                .nan = "T(NAN)",
                                .infinity = "T(INFINITY)",
                                .spellings = spell({.truth = "(@a @o @b ? T(1) : T(0))",
                                                    .rows = {{Code::Root, "pow(@a, T(1.0/@n))"},
                                                             {Code::Atan2, "atan2(@a, @b)"},
                                                             {Code::Sign, "kane_sign(T(@a))"},
                                                             {Code::Min, "kane_min(T(@a), T(@b))"},
                                                             {Code::Max, "kane_max(T(@a), T(@b))"},
                                                             {Code::Mod, "kane_mod(T(@a), T(@b))"},
                                                             {Code::Select, "(@a != T(0) ? T(@b) : T(@c))"}}})};
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

void write_usings(SourceText& t, const SourceModel& m, const SourcePart& part) {
  std::string list;
  for (const HelperRow& row : kUsings)
    if (m.listing.uses[row.code]) list += fmt::format("{}std::{}", list.empty() ? "using " : ", ", row.text);
  if (!list.empty() && !part.statements.empty()) t.raw(list + ";");
}

constexpr FunctionFrame kFunctions{
    .stages = {{{.head = "void set_parameters(const Parameters& parameters_) {",
                 .begin = "p_ = parameters_;",
                 .call_part = "@part();",
                 .part_head = "void @part() {",
                 .read = "const T @n = p_.@n;"},
                {.head = "void set_inputs(const Inputs& inputs_) {",
                 .begin = "in_ = inputs_;",
                 .call_part = "@part();",
                 .part_head = "void @part() {",
                 .read = "const T @n = in_.@n;"},
                {.head = "void evaluate(std::span<const T> x_, std::span<T> y_) {",
                 .call_part = "@part(x_, y_);",
                 .end = "static_cast<void>(x_), static_cast<void>(y_);",
                 .part_head = "void @part([[maybe_unused]] std::span<const T> x_, [[maybe_unused]] std::span<T> y_) {",
                 .read = "const T @n = x_[@i];"}}},
    .close = "}",
    .after = "\n",
    .declare = write_usings};

constexpr NameLists kNameLists{.head = "static constexpr std::array<std::string_view, @c> @k = {",
                               .kinds = {"kParameterNames", "kInputNames", "kStateNames", "kOutputNames"},
                               .tail = "};"};

constexpr std::string_view kIncludes = R"(#pragma once

#include <array>
#include <cmath>
#include <span>
#include <string_view>

)";

void write_struct(SourceText& t, const SourceModel& m, Stage stage, std::string_view what) {
  t.line("struct {} {{", what);
  t.in();
  write_fields(t, m, stage, "T @n{};  // @g");
  t.out();
  t.lines("};\n\n");
}

std::string header(const SourceModel& m) {
  SourceText t(m.dialect);
  write_heading(t, m, "Code");
  t.comment("");
  t.comment("Call set_parameters, then set_inputs, then evaluate as often as you like. After set_parameters, call");
  t.comment(
      "set_inputs again. Nothing is allocated and nothing is global: use one object for each thread. T is double,");
  t.comment("or any type with the usual operators and functions.");
  if (m.calls_functions()) t.comment("Functions is a class with the functions that you provide as static members.");
  write_lines(t, m, kIncludes);
  t.raw(m.calls_functions() ? "template <class T, class Functions>" : "template <class T>");
  write_lines(t, m, "class @name {\n public:");
  t.in();
  write_struct(t, m, Stage::Parameters, "Parameters");
  write_struct(t, m, Stage::Inputs, "Inputs");
  t.line("static constexpr std::size_t kStateCount = {};", m.program.input_count[Stage::State]);
  t.line("static constexpr std::size_t kOutputCount = {};", m.program.outputs.size());
  write_name_lists(t, m, kNameLists);
  t.blank();
  for (const Stage stage : kStages) write_function(t, m, kFunctions, stage);
  t.out();
  t.raw(" private:");
  t.in();
  for (const Stage stage : kStages) write_parts(t, m, kFunctions, stage);
  write_helpers(t, m, kHelpers);
  t.lines("Parameters p_{};\nInputs in_{};");
  t.line("std::array<T, {}> w_{{}};  // values passed between stages", std::max(1U, m.listing.stored));
  t.out();
  t.raw("};");
  return t.take();
}

std::vector<SourceFile> emit(const SourceModel& m) { return {{m.names.program + ".hpp", header(m)}}; }

constexpr DriverFrame kDriver{
    .file = "main.cpp",
    .text = R"(// Simulates @name with the classical Runge-Kutta method and prints comma-separated values.

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
    .parameter = "  p.@n = @e;\n",
    .input = "  in.@n = @e;\n",
    .time = "in.@n = t;",
    .no_time = "static_cast<void>(t);",
    .functions = "#include \"functions.hpp\"  // yours: struct Functions\n",
    .arguments = "double, Functions",
    .no_arguments = "double",
    .as_literals = false};

}  // namespace

}  // namespace kane::cpp20

const kane::LanguageRow& kane::cpp_language() {
  static constexpr LanguageRow kRow{.info = {Language::Cpp, "cpp", "C++20"},
                                    .aliases = "c++ cxx c++20",
                                    .file_tail = ".hpp",
                                    .dialect = cpp20::dialect,
                                    .emit = cpp20::emit,
                                    .driver = &cpp20::kDriver,
                                    .how_to_run = "c++ -std=c++20 -O2 -o simulate main.cpp\n./simulate > result.csv"};
  return kRow;
}
