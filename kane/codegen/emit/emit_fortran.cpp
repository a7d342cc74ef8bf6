// Fortran 2008: one module.

#include <algorithm>
#include <cmath>

#include "kane/codegen/emit/emit_frame.hpp"

namespace kane::fortran {

namespace {

// Fortran has no reserved words, but a variable hides an intrinsic function of its name.
constexpr std::string_view kReserved = R"(
    sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs aint modulo merge ieee_value kane_min
    kane_max kane_sign kane_floor kane_inf kane_nan dp ws if end do real integer call subroutine function
    module program type use contains return select case then else stop write print read kind parameter
    implicit none only result elemental private public huge state_count output_count main intent interface
    where while data save)";

const Dialect& dialect() {
  static const Dialect kDialect{.comment = "!",
                                .stored = "ws%w(@i)",
                                .output = "y_(@i)",
                                .first_index = 1,
                                .width = 100,
                                .continuation = " &",
                                .naming = {.reserved = kReserved, .ignores_case = true, .max_length = 50},
                                .number = "@e_dp",
                                .nan = "kane_nan()",
                                .infinity = "kane_inf()",
                                .spellings = spell({.truth = "merge(1.0_dp, 0.0_dp, @a @o @b)",
                                                    .rows = {{Code::Root, "(@a)**(1.0_dp/@n.0_dp)"},
                                                             {Code::Atan2, "atan2(@a, @b)"},
                                                             {Code::Sign, "kane_sign(@a)"},
                                                             {Code::Min, "kane_min(@a, @b)"},
                                                             {Code::Max, "kane_max(@a, @b)"},
                                                             {Code::Floor, "kane_floor(@a)"},
                                                             {Code::Mod, "modulo(@a, @b)"},
                                                             {Code::Select, "merge(@b, @c, @a /= 0.0_dp)"}}})};
  return kDialect;
}

constexpr HelperRow kHelpers[] = {
    {Code::Min,
     "elemental function kane_min(a, b) result(r)\n  real(dp), intent(in) :: a, b\n  real(dp) :: r\n"
     "  r = b\n  if (a < b .or. a /= a) r = a\nend function"},
    {Code::Max,
     "elemental function kane_max(a, b) result(r)\n  real(dp), intent(in) :: a, b\n  real(dp) :: r\n"
     "  r = b\n  if (a > b .or. a /= a) r = a\nend function"},
    {Code::Sign,
     "elemental function kane_sign(a) result(r)\n  real(dp), intent(in) :: a\n  real(dp) :: r\n"
     "  r = a\n  if (a > 0.0_dp) r = 1.0_dp\n  if (a < 0.0_dp) r = -1.0_dp\nend function"},
    {Code::Floor,
     "elemental function kane_floor(a) result(r)\n  real(dp), intent(in) :: a\n  real(dp) :: r\n"
     "  r = aint(a)\n  if (r > a) r = r - 1.0_dp\nend function"}};

void write_interface(SourceText& t, const SourceModel& m, std::uint32_t function) {
  const std::string arguments = argument_list(m.program.functions[function], "a@i");
  t.raw("interface");
  t.in();
  t.line("function {}({}) result(r)", m.names.functions[function], arguments);
  t.in();
  t.raw("import :: dp");
  if (!arguments.empty()) t.line("real(dp), intent(in) :: {}", arguments);
  t.raw("real(dp) :: r");
  t.out();
  t.raw("end function");
  t.out();
  t.raw("end interface");
}

void write_declarations(SourceText& t, const SourceModel& m, const SourcePart& part) {
  constexpr std::size_t kLongestLine = 70;
  std::vector<std::string> names;
  for (const std::uint32_t i : part.inputs) names.push_back(m.names.inputs[i]);
  names.insert(names.end(), part.locals.begin(), part.locals.end());
  std::string line;
  for (const std::string& n : names) {
    if (line.size() + n.size() > kLongestLine) {
      t.line("real(dp) :: {}", line);
      line.clear();
    }
    line += (line.empty() ? "" : ", ") + n;
  }
  if (!line.empty()) t.line("real(dp) :: {}", line);
  for (const std::uint32_t f : part.functions) write_interface(t, m, f);
}

constexpr FunctionFrame kFunctions{
    .stages = {{{.head = "subroutine @name_set_parameters(ws, p_)\n  type(@name_workspace), intent(inout) :: ws\n"
                         "  type(@name_parameters), intent(in) :: p_",
                 .begin = "ws%p = p_",
                 .call_part = "call @part(ws)",
                 .part_head = "subroutine @part(ws)\n  type(@name_workspace), intent(inout) :: ws",
                 .read = "@n = ws%p%@n"},
                {.head = "subroutine @name_set_inputs(ws, in_)\n  type(@name_workspace), intent(inout) :: ws\n"
                         "  type(@name_inputs), intent(in) :: in_",
                 .begin = "ws%in = in_",
                 .call_part = "call @part(ws)",
                 .part_head = "subroutine @part(ws)\n  type(@name_workspace), intent(inout) :: ws",
                 .read = "@n = ws%in%@n"},
                {.head = "subroutine @name_evaluate(ws, x_, y_)\n  type(@name_workspace), intent(inout) :: ws\n"
                         "  real(dp), intent(in) :: x_(state_count)\n  real(dp), intent(inout) :: y_(output_count)",
                 .call_part = "call @part(ws, x_, y_)",
                 .part_head = "subroutine @part(ws, x_, y_)\n  type(@name_workspace), intent(inout) :: ws\n"
                              "  real(dp), intent(in) :: x_(state_count)\n"
                              "  real(dp), intent(inout) :: y_(output_count)",
                 .read = "@n = x_(@i)"}}},
    .close = "end subroutine",
    .before = "\n",
    .parts_first = false,
    .declare = write_declarations,
    .declares_first = true};

void write_type(SourceText& t, const SourceModel& m, Stage stage, std::string_view what) {
  t.blank();
  t.line("type, public :: {}_{}", m.names.program, what);
  t.in();
  for (std::uint32_t i = m.inputs_begin(stage); i < m.inputs_end(stage); ++i) {
    if (m.names.inputs[i] != m.program.inputs[i].name) t.comment(harmless(m.program.inputs[i].name));
    t.line("real(dp) :: {} = 0.0_dp", m.names.inputs[i]);
  }
  t.out();
  t.raw("end type");
}

void write_workspace(SourceText& t, const SourceModel& m) {
  t.blank();
  write_lines(t, m, "type, public :: @name_workspace\n  type(@name_parameters) :: p\n  type(@name_inputs) :: in");
  t.in();
  t.comment("Values passed between stages.");
  t.line("real(dp) :: w({}) = 0.0_dp", std::max(1U, m.listing.stored));
  t.out();
  t.raw("end type");
}

void write_constants(SourceText& t, const SourceModel& m) {
  const auto write = [&](bool (*is)(double), std::string_view name, std::string_view value) {
    if (!std::any_of(m.program.constants.begin(), m.program.constants.end(), is)) return;
    t.line("pure function {}() result(r)", name);
    t.raw("  real(dp) :: r");
    t.line("  r = ieee_value(1.0_dp, {})", value);
    t.lines("end function\n\n");
  };
  write([](double v) { return std::isinf(v); }, "kane_inf", "ieee_positive_inf");
  write([](double v) { return std::isnan(v); }, "kane_nan", "ieee_quiet_nan");
}

std::vector<SourceFile> emit(const SourceModel& m) {
  SourceText t(m.dialect);
  write_heading(t, m, "Code");
  t.comment("");
  t.comment("Call set_parameters, then set_inputs, then evaluate as often as you like. After set_parameters, call");
  t.comment("set_inputs again. Nothing is allocated and nothing is global: use one workspace for each thread.");
  write_lines(t, m, "module @name");
  t.in();
  t.raw("use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_positive_inf, ieee_quiet_nan");
  t.lines("implicit none\nprivate\ninteger, parameter, public :: dp = kind(1.0d0)");
  t.line("integer, parameter, public :: state_count = {}", m.program.input_count[Stage::State]);
  t.line("integer, parameter, public :: output_count = {}", m.program.outputs.size());
  write_lines(t, m, "public :: @name_set_parameters, @name_set_inputs, @name_evaluate");
  write_type(t, m, Stage::Parameters, "parameters");
  write_type(t, m, Stage::Inputs, "inputs");
  write_workspace(t, m);
  t.out();
  t.raw("contains");
  t.in();
  for (const Stage stage : kStages) {
    write_stage(t, m, kFunctions, stage);
    t.blank();
  }
  write_helpers(t, m, kHelpers);
  write_constants(t, m);
  t.out();
  t.raw("end module");
  return {{m.names.program + ".f90", t.take()}};
}

constexpr DriverFrame kDriver{
    .file = "main.f90",
    .text = R"(! Simulates @name with the classical Runge-Kutta method and prints comma-separated values.
program main
  use @name
  implicit none
  type(@name_workspace) :: ws
  type(@name_parameters) :: p
  type(@name_inputs) :: in
  real(dp), parameter :: t0 = @start, h = @step
  integer, parameter :: steps = @steps, every = @every
  real(dp) :: x(state_count), z(state_count), t
  real(dp), dimension(output_count) :: k1, k2, k3, k4
  integer :: step

@settings@initial
  write (*, '(a)', advance='no') 't'
@heading
  write (*, '(a)') ''
  call @name_set_parameters(ws, p)
  do step = 0, steps
    t = t0 + real(step, dp)*h
    call calc_rates(t, x, k1)
    if (mod(step, every) == 0 .or. step == steps) &
      write (*, '(*(es25.16e3, :, ","))') t, x, k1(state_count + 1:)
    if (step == steps) exit
    z = x + 0.5_dp*h*k1(:state_count)
    call calc_rates(t + 0.5_dp*h, z, k2)
    z = x + 0.5_dp*h*k2(:state_count)
    call calc_rates(t + 0.5_dp*h, z, k3)
    z = x + h*k3(:state_count)
    call calc_rates(t + h, z, k4)
    x = x + h/6.0_dp*(k1(:state_count) + 2.0_dp*k2(:state_count) + 2.0_dp*k3(:state_count) + k4(:state_count))
  end do
contains
  subroutine calc_rates(t, x, y)
    real(dp), intent(in) :: t, x(state_count)
    real(dp), intent(inout) :: y(output_count)
    @time
    call @name_set_inputs(ws, in)
    call @name_evaluate(ws, x, y)
  end subroutine
end program
)",
    .parameter = "  p%@n = @e\n",
    .input = "  in%@n = @e\n",
    .initial = "  x(@i) = @e\n",
    .time = "in%@n = t",
    .heading = "  write (*, '(a)', advance='no') @e\n",
    .longest_name = 60};

}  // namespace

}  // namespace kane::fortran

const kane::LanguageRow& kane::fortran_language() {
  static constexpr LanguageRow kRow{
      .info = {Language::Fortran, "fortran", "Fortran 2008"},
      .aliases = "f90 f95 f2008",
      .file_tail = ".f90",
      .dialect = fortran::dialect,
      .emit = fortran::emit,
      .driver = &fortran::kDriver,
      .how_to_run = "gfortran -O2 -o simulate @name.f90 main.f90\n./simulate > result.csv"};
  return kRow;
}
