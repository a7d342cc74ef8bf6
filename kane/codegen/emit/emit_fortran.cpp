// Fortran 2008: one module.

#include <algorithm>
#include <cmath>

#include "kane/codegen/emit/emit_driver.hpp"
#include "kane/codegen/emit/emit_frame.hpp"

namespace kane {

namespace {

// Fortran has no reserved words, but a variable hides an intrinsic function of its name.
constexpr std::string_view kReserved[] = {
    "sin",        "cos",        "tan",         "asin",         "acos",      "atan",       "atan2",     "sinh",
    "cosh",       "tanh",       "exp",         "log",          "sqrt",      "abs",        "aint",      "modulo",
    "merge",      "ieee_value", "kane_min",    "kane_max",     "kane_sign", "kane_floor", "kane_inf",  "kane_nan",
    "dp",         "ws",         "if",          "end",          "do",        "real",       "integer",   "call",
    "subroutine", "function",   "module",      "program",      "type",      "use",        "contains",  "return",
    "select",     "case",       "then",        "else",         "stop",      "write",      "print",     "read",
    "kind",       "parameter",  "implicit",    "none",         "only",      "result",     "elemental", "private",
    "public",     "huge",       "state_count", "output_count", "main",      "intent",     "interface", "where",
    "while",      "data",       "save"};

std::string number(double value) {
  if (std::isnan(value)) return "kane_nan()";
  if (std::isinf(value)) return value < 0 ? "-kane_inf()" : "kane_inf()";
  return decimal(value) + "_dp";
}

const Dialect& dialect() {
  static const Dialect kDialect{.comment = "!",
                                .declare = "@n = @e",
                                .assign = "@n = @e",
                                .stored = "ws%w(@i)",
                                .output = "y_(@i)",
                                .first_index = 1,
                                .width = 100,
                                .continuation = " &",
                                .naming = {.reserved = kReserved, .ignores_case = true, .max_length = 50},
                                .number = number,
                                .spellings = spell({{Code::Sqrt, "sqrt(@a)"},
                                                    {Code::Root, "(@a)**(1.0_dp/@n.0_dp)"},
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
                                                    {Code::Sign, "kane_sign(@a)"},
                                                    {Code::Min, "kane_min(@a, @b)"},
                                                    {Code::Max, "kane_max(@a, @b)"},
                                                    {Code::Floor, "kane_floor(@a)"},
                                                    {Code::Mod, "modulo(@a, @b)"},
                                                    {Code::Less, "merge(1.0_dp, 0.0_dp, @a < @b)"},
                                                    {Code::LessEqual, "merge(1.0_dp, 0.0_dp, @a <= @b)"},
                                                    {Code::Equal, "merge(1.0_dp, 0.0_dp, @a == @b)"},
                                                    {Code::Select, "merge(@b, @c, @a /= 0.0_dp)"}})};
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

class Frame {
 public:
  explicit Frame(const SourceModel& model) : m_(model), name_(model.names.program) {}

  std::string module() {
    SourceText t(m_.dialect);
    write_heading(t, m_, "Code");
    t.comment("");
    t.comment("Call set_parameters, then set_inputs, then evaluate as often as you like. After set_parameters, call");
    t.comment("set_inputs again. Nothing is allocated and nothing is global: use one workspace for each thread.");
    t.line("module {}", name_);
    t.in();
    t.raw("use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_positive_inf, ieee_quiet_nan");
    t.line("implicit none");
    t.line("private");
    t.line("integer, parameter, public :: dp = kind(1.0d0)");
    t.line("integer, parameter, public :: state_count = {}", m_.program.input_count[2]);
    t.line("integer, parameter, public :: output_count = {}", m_.program.outputs.size());
    t.line("public :: {0}_set_parameters, {0}_set_inputs, {0}_evaluate", name_);
    write_type(t, Stage::Parameters, "parameters");
    write_type(t, Stage::Inputs, "inputs");
    write_workspace(t);
    t.out();
    t.line("contains");
    t.in();
    for (int s = 0; s < kStageCount; ++s) write_stage(t, static_cast<Stage>(s));
    write_helpers(t, m_, kHelpers);
    write_constants(t);
    t.out();
    t.line("end module");
    return t.take();
  }

 private:
  void write_type(SourceText& t, Stage stage, std::string_view what) {
    t.blank();
    t.line("type, public :: {}_{}", name_, what);
    t.in();
    for (std::uint32_t i = m_.inputs_begin(stage); i < m_.inputs_end(stage); ++i) {
      if (m_.names.inputs[i] != m_.program.inputs[i].name) t.comment(harmless(m_.program.inputs[i].name));
      t.line("real(dp) :: {} = 0.0_dp", m_.names.inputs[i]);
    }
    t.out();
    t.line("end type");
  }

  void write_workspace(SourceText& t) {
    t.blank();
    t.line("type, public :: {}_workspace", name_);
    t.in();
    t.line("type({}_parameters) :: p", name_);
    t.line("type({}_inputs) :: in", name_);
    t.comment("What one stage computes for another.");
    t.line("real(dp) :: w({}) = 0.0_dp", std::max(1U, m_.listing.stored));
    t.out();
    t.line("end type");
  }

  void write_stage(SourceText& t, Stage stage) {
    constexpr std::string_view kNames[] = {"set_parameters", "set_inputs", "evaluate"};
    constexpr std::string_view kArguments[] = {"ws, p_", "ws, in_", "ws, x_, y_"};
    const auto s = static_cast<std::size_t>(stage);
    const auto& parts = m_.listing.parts[s];
    t.blank();
    t.line("subroutine {}_{}({})", name_, kNames[s], kArguments[s]);
    t.in();
    t.line("type({}_workspace), intent(inout) :: ws", name_);
    if (stage == Stage::Parameters) t.line("type({}_parameters), intent(in) :: p_", name_);
    if (stage == Stage::Inputs) t.line("type({}_inputs), intent(in) :: in_", name_);
    if (stage == Stage::State) write_state_arguments(t);
    if (parts.size() == 1) write_declarations(t, parts[0]);
    if (stage == Stage::Parameters) t.line("ws%p = p_");
    if (stage == Stage::Inputs) t.line("ws%in = in_");
    if (parts.size() == 1) {
      write_statements(t, parts[0]);
    } else {
      for (std::size_t k = 0; k < parts.size(); ++k)
        t.line("call {}({})", part_name(m_, stage, k), stage == Stage::State ? "ws, x_, y_" : "ws");
    }
    t.out();
    t.line("end subroutine");
    for (std::size_t k = 0; parts.size() > 1 && k < parts.size(); ++k) write_part(t, stage, k);
    t.blank();
  }

  void write_state_arguments(SourceText& t) {
    t.line("real(dp), intent(in) :: x_(state_count)");
    t.line("real(dp), intent(inout) :: y_(output_count)");
  }

  void write_part(SourceText& t, Stage stage, std::size_t k) {
    const SourcePart& part = m_.listing.parts[static_cast<std::size_t>(stage)][k];
    t.blank();
    t.line("subroutine {}({})", part_name(m_, stage, k), stage == Stage::State ? "ws, x_, y_" : "ws");
    t.in();
    t.line("type({}_workspace), intent(inout) :: ws", name_);
    if (stage == Stage::State) write_state_arguments(t);
    write_declarations(t, part);
    write_statements(t, part);
    t.out();
    t.line("end subroutine");
  }

  void write_declarations(SourceText& t, const SourcePart& part) {
    std::vector<std::string> names;
    for (const std::uint32_t i : part.inputs) names.push_back(m_.names.inputs[i]);
    names.insert(names.end(), part.locals.begin(), part.locals.end());
    std::string line;
    for (const std::string& n : names) {
      if (line.size() + n.size() > 70) {
        t.line("real(dp) :: {}", line);
        line.clear();
      }
      line += (line.empty() ? "" : ", ") + n;
    }
    if (!line.empty()) t.line("real(dp) :: {}", line);
    for (const std::uint32_t f : part.functions) write_interface(t, f);
  }

  void write_interface(SourceText& t, std::uint32_t f) {
    std::string arguments;
    for (int k = 0; k < m_.program.functions[f].arity; ++k)
      arguments += fmt::format("{}a{}", k == 0 ? "" : ", ", k + 1);
    t.line("interface");
    t.in();
    t.line("function {}({}) result(r)", m_.names.functions[f], arguments);
    t.in();
    t.line("import :: dp");
    if (!arguments.empty()) t.line("real(dp), intent(in) :: {}", arguments);
    t.line("real(dp) :: r");
    t.out();
    t.line("end function");
    t.out();
    t.line("end interface");
  }

  void write_statements(SourceText& t, const SourcePart& part) {
    for (const std::uint32_t i : part.inputs) {
      const std::string& id = m_.names.inputs[i];
      switch (m_.program.inputs[i].stage) {
        case Stage::Parameters: t.line("{0} = ws%p%{0}", id); break;
        case Stage::Inputs: t.line("{0} = ws%in%{0}", id); break;
        case Stage::State: t.line("{} = x_({})", id, i - m_.inputs_begin(Stage::State) + 1); break;
      }
    }
    t.lines(part.statements);
  }

  void write_constants(SourceText& t) {
    const auto has = [&](bool (*is)(double)) {
      return std::any_of(m_.program.constants.begin(), m_.program.constants.end(), is);
    };
    const auto write = [&](std::string_view name, std::string_view value) {
      t.line("pure function {}() result(r)", name);
      t.line("  real(dp) :: r");
      t.line("  r = ieee_value(1.0_dp, {})", value);
      t.line("end function");
      t.blank();
    };
    if (has([](double v) { return std::isinf(v); })) write("kane_inf", "ieee_positive_inf");
    if (has([](double v) { return std::isnan(v); })) write("kane_nan", "ieee_quiet_nan");
  }

  const SourceModel& m_;
  const std::string& name_;
};

}  // namespace

std::vector<SourceFile> emit_fortran(const Program& program, const EmitOptions& options) {
  const SourceModel model = make_model(program, dialect(), options);
  return {{model.names.program + ".f90", Frame(model).module()}};
}

std::vector<SourceFile> emit_fortran_driver(const ExportModel& model, const EmitOptions& options) {
  const SourceNames names = choose_names(model.program, dialect(), options.name);
  const DriverTable d = make_driver_table(model, names, number);
  std::string settings, heading;
  for (const DriverSetting& s : d.parameters) settings += fmt::format("  p%{} = {}\n", s.name, s.value);
  for (const DriverSetting& s : d.inputs) settings += fmt::format("  in%{} = {}\n", s.name, s.value);
  for (std::size_t i = 0; i < model.state.size(); ++i)
    settings += fmt::format("  x({}) = {}\n", i + 1, number(model.state[i]));
  for (const ProgramInput& i : model.program.inputs)
    if (i.stage == Stage::State)
      heading += fmt::format("  write (*, '(a)', advance='no') {}\n", quoted("," + i.name.substr(0, 60), '\'', false));
  for (std::size_t i = model.state.size(); i < model.program.outputs.size(); ++i)
    heading += fmt::format("  write (*, '(a)', advance='no') {}\n",
                           quoted("," + model.program.outputs[i].name.substr(0, 60), '\'', false));
  const std::string time = d.time.empty() ? "" : fmt::format("in%{} = t", d.time);
  return {{"main.f90",
           fill_driver(R"(! Simulates @name with the classical Runge-Kutta method and prints comma-separated values.
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

@settings
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
                       d, {{"settings", settings}, {"heading", heading}, {"time", time}})}};
}

}  // namespace kane
