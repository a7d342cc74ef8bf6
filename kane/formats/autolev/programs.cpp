#include "kane/formats/autolev/programs.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "kane/base/identifier.hpp"
#include "kane/codegen/emit/emit_driver.hpp"
#include "kane/codegen/emit/emit_frame.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/autolev/fortran_form.hpp"
#include "kane/program/lower.hpp"

namespace kane::autolev {

namespace {

// The drivers read the values in the order of input_file(), integrate with steps of INTEGSTP by the classical
// Runge-Kutta method, each divided in two and more until halving it changes nothing beyond ABSERR and RELERR, and write
// every PRINTINT-th step.

constexpr DriverFrame kMainC{.file = "main.c",
                             .text = R"(
// ---- the run --------------------------------------------------------------------------------------------------------

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kStates = @NAME_STATE_COUNT, kOutputs = @NAME_OUTPUT_COUNT };

static @name_workspace ws;
static @name_inputs in;

static void calc_rates(double t, const double *x, double *y) {
  @time
  @name_set_inputs(&ws, &in);
  @name_evaluate(&ws, x, y);
}

// The number behind the next "|".
static double read_value(FILE *file) {
  char line[512];
  while (fgets(line, sizeof line, file)) {
    const char *bar = strrchr(line, '|');
    char *end;
    if (bar == NULL) continue;
    const double value = strtod(bar + 1, &end);
    if (end != bar + 1) return value;
    if (strchr(line, '-') == line) continue;  // the line below the heading
    fprintf(stderr, "%s: expected a number after '|': %s", @@INFILE, line);
    exit(2);
  }
  fprintf(stderr, "%s: there are too few values\n", @@INFILE);
  exit(2);
}

static void step(double t, double h, const double *x, double *to) {
  double k1[kOutputs + 1], k2[kOutputs + 1], k3[kOutputs + 1], k4[kOutputs + 1], z[kStates + 1];
  calc_rates(t, x, k1);
  for (int i = 0; i < kStates; ++i) z[i] = x[i] + 0.5 * h * k1[i];
  calc_rates(t + 0.5 * h, z, k2);
  for (int i = 0; i < kStates; ++i) z[i] = x[i] + 0.5 * h * k2[i];
  calc_rates(t + 0.5 * h, z, k3);
  for (int i = 0; i < kStates; ++i) z[i] = x[i] + h * k3[i];
  calc_rates(t + h, z, k4);
  for (int i = 0; i < kStates; ++i) to[i] = x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
}

// One step of the table, in as many parts as ABSERR and RELERR ask for.
static int kutta(double t, double h, double abserr, double relerr, double *x) {
  double coarse[kStates + 1], fine[kStates + 1];
  for (long parts = 1; parts <= 65536; parts *= 2) {
    memcpy(coarse, x, sizeof coarse);
    memcpy(fine, x, sizeof fine);
    const double part = h / (double)parts;
    for (long i = 0; i < parts; ++i) step(t + (double)i * part, part, coarse, coarse);
    for (long i = 0; i < 2 * parts; ++i) step(t + 0.5 * (double)i * part, 0.5 * part, fine, fine);
    int good = 1;
    for (int i = 0; i < kStates; ++i) {
      const double size = fine[i] < 0 ? -fine[i] : fine[i];
      const double change = coarse[i] < fine[i] ? fine[i] - coarse[i] : coarse[i] - fine[i];
      if (!(change <= abserr + relerr * size)) good = 0;
    }
    if (!good) continue;
    memcpy(x, fine, sizeof fine);
    return 1;
  }
  return 0;
}

int main(void) {
  @name_parameters p;
  double x[kStates + 1] = {0}, y[kOutputs + 1];
  FILE *const values = fopen(@@INFILE, "r");
  if (values == NULL) {
    fprintf(stderr, "%s cannot be opened\n", @@INFILE);
    return 2;
  }
  for (int i = 0; i < 6; ++i) {  // the heading
    char line[512];
    if (fgets(line, sizeof line, values) == NULL) break;
  }
  memset(&p, 0, sizeof p);
  memset(&in, 0, sizeof in);
@settings  for (int i = 0; i < kStates; ++i) x[i] = read_value(values);
  const double t0 = read_value(values), t1 = read_value(values), h = read_value(values);
  const double printint = read_value(values), abserr = read_value(values), relerr = read_value(values);
  fclose(values);
  if (!(h > 0)) {
    fprintf(stderr, "INTEGSTP must be positive\n");
    return 2;
  }
  const long every = printint < 1 ? 1 : (long)printint;
@@OPEN
  @name_set_parameters(&ws, &p);
  for (long n = 0;; ++n) {
    double t = t0 + (double)n * h;
    if (t > t1) t = t1;
    calc_rates(t, x, y);
    const int last = t >= t1 - 1e-9 * h;
    if (n % every == 0 || last) {
@@WRITE    }
    if (last) break;
    const double next = t + h > t1 ? t1 : t + h;
    if (!kutta(t, next - t, abserr, relerr, x)) {
      fprintf(stderr, "the integration cannot go on past T = %.9g\n", t);
      return 1;
    }
  }
@@CLOSE  return 0;
}
)",
                             .parameter = "  p.@n = read_value(values);\n",
                             .input = "  in.@n = @e;  // to be specified\n",
                             .time = "in.@n = t;",
                             .no_time = "(void)t;"};

constexpr DriverFrame kMainFortran{.file = "main.f90",
                                   .text = R"(
program main
  use @name
  implicit none
  type(@name_workspace) :: ws
  type(@name_parameters) :: p
  type(@name_inputs) :: in
  real(dp) :: x(state_count), y(output_count), t, t0, t1, h, printint, abserr, relerr
  integer :: n, every, i, values
  logical :: last, good
  character(len=512) :: line

  open (newunit=values, file=@@INFILE, status='old', action='read')
  do i = 1, 6
    read (values, '(a)') line
  end do
@settings  do i = 1, state_count
    x(i) = read_value()
  end do
  t0 = read_value()
  t1 = read_value()
  h = read_value()
  printint = read_value()
  abserr = read_value()
  relerr = read_value()
  close (values)
  if (.not. h > 0) error stop 'INTEGSTP must be positive'
  every = max(1, int(printint))
@@OPEN
  call @name_set_parameters(ws, p)
  n = 0
  do
    t = min(t0 + real(n, dp)*h, t1)
    call calc_rates(t, x, y)
    last = t >= t1 - 1.0e-9_dp*h
    if (mod(n, every) == 0 .or. last) then
@@WRITE    end if
    if (last) exit
    call kutta(t, min(t + h, t1) - t, x, good)
    if (.not. good) error stop 'the integration cannot go on'
    n = n + 1
  end do
contains
  function read_value() result(value)
    real(dp) :: value
    integer :: bar, status
    do
      read (values, '(a)', iostat=status) line
      if (status /= 0) error stop 'there are too few values'
      bar = index(line, '|', back=.true.)
      if (bar == 0 .or. line(1:1) == '-') cycle
      read (line(bar + 1:), *, iostat=status) value
      if (status /= 0) error stop 'expected a number'
      return
    end do
  end function
  subroutine calc_rates(t, x, y)
    real(dp), intent(in) :: t, x(state_count)
    real(dp), intent(inout) :: y(output_count)
    @time
    call @name_set_inputs(ws, in)
    call @name_evaluate(ws, x, y)
  end subroutine
  subroutine step(t, h, x)
    real(dp), intent(in) :: t, h
    real(dp), intent(inout) :: x(state_count)
    real(dp), dimension(output_count) :: k1, k2, k3, k4
    call calc_rates(t, x, k1)
    call calc_rates(t + 0.5_dp*h, x + 0.5_dp*h*k1(:state_count), k2)
    call calc_rates(t + 0.5_dp*h, x + 0.5_dp*h*k2(:state_count), k3)
    call calc_rates(t + h, x + h*k3(:state_count), k4)
    x = x + h/6.0_dp*(k1(:state_count) + 2.0_dp*k2(:state_count) + 2.0_dp*k3(:state_count) + k4(:state_count))
  end subroutine
  subroutine kutta(t, h, x, good)
    real(dp), intent(in) :: t, h
    real(dp), intent(inout) :: x(state_count)
    logical, intent(out) :: good
    real(dp) :: coarse(state_count), fine(state_count), part
    integer :: parts, k
    parts = 1
    good = .false.
    do while (parts <= 65536)
      coarse = x
      fine = x
      part = h/real(parts, dp)
      do k = 0, parts - 1
        call step(t + real(k, dp)*part, part, coarse)
      end do
      do k = 0, 2*parts - 1
        call step(t + 0.5_dp*real(k, dp)*part, 0.5_dp*part, fine)
      end do
      if (all(abs(coarse - fine) <= abserr + relerr*abs(fine))) then
        x = fine
        good = .true.
        return
      end if
      parts = 2*parts
    end do
  end subroutine
end program
)",
                                   .parameter = "  p%@n = read_value()\n",
                                   .input = "  in%@n = @e\n",
                                   .initial = "",
                                   .time = "in%@n = t",
                                   .heading = "",
                                   .longest_name = 60};

constexpr DriverFrame kMainMatlab{.file = "main.m",
                                  .text = R"(function @@FUNCTION()
% Reads @@INNAME, integrates the equations of motion and writes the tables that OUTPUT asked for.
f = fopen(@@INFILE, 'r');
if f < 0, error('%s cannot be opened', @@INFILE); end
for i = 1:6, fgetl(f); end
v = [];
line = fgetl(f);
while ischar(line)
  bar = find(line == '|', 1, 'last');
  if ~isempty(bar) && line(1) ~= '-', v(end+1, 1) = str2double(line(bar+1:end)); end
  line = fgetl(f);
end
fclose(f);
count = @@PARAMETERS;
states = @@STATES;
p = v(1:count);
x = v(count+1:count+states);
run = v(count+states+1:end);
t0 = run(1); t1 = run(2); h = run(3); every = max(1, floor(run(4))); abserr = run(5); relerr = run(6);
u = [
@inputs];
ws = @name_set_parameters(p);
@@OPEN
n = 0;
while true
  t = min(t0 + n*h, t1);
  y = calc_rates(ws, u, t, x);
  last = t >= t1 - 1e-9*h;
  if mod(n, every) == 0 || last
@@WRITE  end
  if last, break; end
  x = kutta(ws, u, t, min(t + h, t1) - t, x, abserr, relerr);
  n = n + 1;
end
@@CLOSEend

function y = calc_rates(ws, u, t, x)
@time  ws = @name_set_inputs(ws, u);
  y = @name_evaluate(ws, x);
end

function x = step(ws, u, t, h, x)
  n = numel(x);
  k1 = calc_rates(ws, u, t, x);
  k2 = calc_rates(ws, u, t + 0.5*h, x + 0.5*h*k1(1:n));
  k3 = calc_rates(ws, u, t + 0.5*h, x + 0.5*h*k2(1:n));
  k4 = calc_rates(ws, u, t + h, x + h*k3(1:n));
  x = x + h/6*(k1(1:n) + 2*k2(1:n) + 2*k3(1:n) + k4(1:n));
end

function fine = kutta(ws, u, t, h, x, abserr, relerr)
  parts = 1;
  while parts <= 65536
    coarse = x; fine = x; part = h/parts;
    for i = 0:parts-1, coarse = step(ws, u, t + i*part, part, coarse); end
    for i = 0:2*parts-1, fine = step(ws, u, t + 0.5*i*part, 0.5*part, fine); end
    if all(abs(coarse - fine) <= abserr + relerr*abs(fine)), return; end
    parts = 2*parts;
  end
  error('the integration cannot go on past T = %g', t);
end
)",
                                  .parameter = "",
                                  .input = "  @e  % @n, to be specified\n",
                                  .initial = "",
                                  .time = "  u(@i) = t;\n",
                                  .heading = ""};

std::string replace_all(std::string text, std::string_view mark, const std::string& by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size()))
    text.replace(at, mark.size(), by);
  return text;
}

struct Words {
  std::string open, write, close;
};

std::string heading_line(const ScriptColumn& c) {
  return fmt::format("{} ({})", c.name, c.unit.empty() ? "UNITS" : c.unit);
}

/// Code that opens the tables, writes a line of each, and closes them. Place of a column: -1 is the time.
Words table_words(const ScriptSystem& system, const std::string& stem, Language language,
                  const std::vector<std::vector<int>>& places) {
  Words w;
  for (std::size_t f = 0; f < system.files.size(); ++f) {
    std::string heading = "%";
    for (const auto& c : system.files[f]) heading += " " + heading_line(c);
    std::string escaped;
    for (const char c : heading) escaped += c == '"' || c == '\\' ? '_' : c;
    const std::string name = fmt::format("{}.{}", stem, f + 1);
    std::string values;
    for (std::size_t i = 0; i < places[f].size(); ++i) {
      const int place = places[f][i];
      const double factor = system.files[f][i].factor;
      const std::string what = language == Language::C ? (place < 0 ? "t" : fmt::format("y[{}]", place))
                                                       : (place < 0 ? "t" : fmt::format("y({})", place + 1));
      const std::string number = fmt::format("{:.17e}", factor) + (language == Language::Fortran ? "_dp" : "");
      const std::string value = factor == 1 ? what : what + "*" + number;
      if (language == Language::C) w.write += fmt::format("      fprintf(file{}, \" %22.14E\", {});\n", f + 1, value);
      if (language == Language::Fortran) values += (values.empty() ? "" : ", &\n        ") + value;
      if (language == Language::Matlab) values += (values.empty() ? "" : ", ...\n      ") + value;
    }
    if (language == Language::C) {
      w.open += fmt::format(
          "  FILE *const file{0} = fopen(\"{1}\", \"w\");\n  if (file{0} == NULL) return 1;\n"
          "  fputs(\"{2}\\n\", file{0});\n",
          f + 1, name, escaped);
      w.write += fmt::format("      fputs(\"\\n\", file{});\n", f + 1);
      w.close += fmt::format("  if (fclose(file{}) != 0) return 1;\n", f + 1);
    } else if (language == Language::Fortran) {
      w.open += fmt::format("  open (unit={}, file='{}', status='replace')\n", f + 51, name);
      w.open += fmt::format("  write ({}, '(a)') '{}'\n", f + 51, replace_all(escaped.substr(0, 100), "'", "''"));
      w.write += fmt::format("      write ({}, '(*(1x, es22.14))') {}\n", f + 51, values);
    } else {
      w.open += fmt::format("file{} = fopen('{}', 'w');\nfprintf(file{}, '%s\\n', '{}');\n", f + 1, name, f + 1,
                            replace_all(escaped, "'", "''"));
      w.write +=
          fmt::format("    fprintf(file{}, ' %22.14E', [{}]);\n    fprintf(file{}, '\\n');\n", f + 1, values, f + 1);
      w.close += fmt::format("fclose(file{});\n", f + 1);
    }
  }
  return w;
}

ExportModel export_model(const ScriptSystem& system) {
  const EquationsOfMotion& e = system.equations;
  ExportModel m;
  std::vector<NamedExpr> outputs;
  Substitution udot;
  for (std::size_t i = 0; i < e.udot.size(); ++i) udot.set(e.udot[i], system.udot[i]);
  const auto closed = [&](const Expr& x) { return x.graph() == nullptr ? x : substitute(x, udot); };
  for (std::size_t i = 0; i < e.q.size(); ++i) outputs.push_back({e.q[i].name() + "'", closed(e.qdot[i])});
  for (std::size_t i = 0; i < e.u.size(); ++i) outputs.push_back({e.u[i].name() + "'", system.udot[i]});
  for (std::size_t i = 0; i < e.outputs.size(); ++i)
    outputs.push_back({fmt::format("output {}: {}", i + 1, e.outputs[i].name), closed(e.outputs[i].value)});
  std::vector<Expr> parameters, inputs, state;
  for (const auto& p : e.parameters) parameters.push_back(p.symbol);
  for (const auto& p : e.inputs) inputs.push_back(p.symbol);
  inputs.push_back(e.t);
  state = e.q;
  state.insert(state.end(), e.u.begin(), e.u.end());
  for (auto& o : outputs) o.value = e.graph->bind(o.value);
  m.program = lower(system.name, outputs, inputs_of(parameters, inputs, state));
  for (const auto& [name, value] : system.constants) m.parameters.push_back(value);
  for (const auto& p : e.inputs) m.inputs.push_back(kane::evaluate(p.value, {}));
  m.inputs.push_back(0);
  m.state = system.q;
  m.state.insert(m.state.end(), system.u.begin(), system.u.end());
  m.time = "t";
  m.start = system.run.begin;
  m.duration = system.run.end - system.run.begin;
  m.step = system.run.step;
  return m;
}

/// Without the lines that include the header, whose text is there already.
std::string joined_c(const std::vector<SourceFile>& files, const std::string& name) {
  std::string text;
  for (const SourceFile& f : files) text += replace_all(f.text, "#include \"" + name + ".h\"\n", "") + "\n";
  return text;
}

}  // namespace

std::string input_file(const ScriptSystem& system) {
  std::string text = fmt::format(
      " File: {}.in\n Values for the program of the same name, written by Kane. Change the numbers behind the bars.\n\n"
      "--------------------------------+--------------------------\n"
      " Description      Quantity      | Value\n"
      "--------------------------------|--------------------------\n",
      system.name);
  const auto line = [&](std::string_view what, const std::string& name, double value) {
    text += fmt::format("{:<17} {:<13} |  {}\n", what, name, value);
  };
  for (const auto& [name, value] : system.constants) line("Constant", name, value);
  if (!system.constants.empty()) text += '\n';
  for (std::size_t i = 0; i < system.q.size(); ++i) line("Initial Value", system.equations.q[i].name(), system.q[i]);
  for (std::size_t i = 0; i < system.u.size(); ++i) line("Initial Value", system.equations.u[i].name(), system.u[i]);
  text += '\n';
  line("Initial Time", "TINITIAL", system.run.begin);
  line("Final Time", "TFINAL", system.run.end);
  line("Integration Step", "INTEGSTP", system.run.step);
  line("Print-Integer", "PRINTINT", system.run.print_every);
  line("Absolute Error", "ABSERR", system.run.absolute);
  line("Relative Error", "RELERR", system.run.relative);
  return text;
}

void read_input_file(ScriptSystem& system, std::string_view text, const std::string& file) {
  std::vector<double*> places;
  for (auto& [name, value] : system.constants) places.push_back(&value);
  for (double& x : system.q) places.push_back(&x);
  for (double& x : system.u) places.push_back(&x);
  for (double* x : {&system.run.begin, &system.run.end, &system.run.step, &system.run.print_every, &system.run.absolute,
                    &system.run.relative})
    places.push_back(x);
  int number = 0;
  std::size_t next = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (++number <= 6) continue;
    const std::size_t bar = line.rfind('|');
    if (bar == std::string_view::npos) continue;
    std::string_view value = line.substr(bar + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\r' || value.back() == '\t'))
      value.remove_suffix(1);
    if (next >= places.size())
      throw ModelError({file, number, 1},
                       fmt::format("there are more values than the {} that the script has", places.size()));
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), *places[next]);
    if (error != std::errc() || stop != value.data() + value.size())
      throw ModelError({file, number, static_cast<int>(bar) + 2},
                       fmt::format("expected a number after '|', not '{}'", value));
    ++next;
  }
  if (next != places.size())
    throw ModelError({file, number, 1}, fmt::format("there are {} values, and the script has {}", next, places.size()));
  system.missing.clear();
  for (std::size_t i = 0; i < system.constants.size(); ++i)
    system.equations.parameters[i].value = system.equations.graph->bind(Expr(system.constants[i].second));
}

namespace {

Language language_of(const std::string& file) {
  const std::string ending = folded(std::filesystem::path(file).extension().string());
  if (ending == ".C") return Language::C;
  if (ending == ".F" || ending == ".FOR" || ending == ".F90") return Language::Fortran;
  if (ending == ".M") return Language::Matlab;
  throw ModelError(fmt::format("CODE writes files that end in .c, .f, .for and .m, not '{}'", file));
}

/// Compilers take .f90 as free form and other endings as fixed form.
std::string fortran_text(std::string text, const std::string& file) {
  if (folded(std::filesystem::path(file).extension().string()) == ".F90") return text;
  return in_both_forms(text);
}

}  // namespace

std::vector<WrittenFile> emit_algebraic(Session& session, const CodeRequest& request) {
  const std::filesystem::path path(request.file);
  const Language language = language_of(request.file);
  std::vector<NamedExpr> outputs;
  const auto add = [&](std::string name, const Expr& value) {
    while (std::any_of(outputs.begin(), outputs.end(), [&](const NamedExpr& o) { return o.name == name; })) name += "_";
    const Expr closed =
        session.rectangular_form(session.explicitly(value, {.solutions = true, .keep = request.unknowns}));
    Expr real = session.graph().bind(closed);
    for (const Expr& i : session.world().imaginary) {
      if (!depends_on(real, i)) continue;  // a + b*i is a in one place and b in another
      outputs.push_back({"Im(" + name + ")", session.graph().bind(derivative(real, i))});
      real = session.graph().bind(substitute(real, Substitution{{i, Expr(0)}}));
    }
    outputs.push_back({std::move(name), real});
  };
  for (const auto& file : session.world().outputs)
    for (const auto& c : file) add(c.name, c.value);
  for (const auto& c : session.world().encoded) add(c.name, c.value);
  const std::size_t first = outputs.size();
  for (std::size_t i = 0; i < request.equations.size(); ++i) add(fmt::format("EQ[{}]", i + 1), request.equations[i]);
  for (std::size_t i = 0; i < request.equations.size(); ++i)
    for (const Expr& x : request.unknowns)
      add(fmt::format("dEQ[{}]/d{}", i + 1, x.name()), derivative(outputs[first + i].value, x));
  if (outputs.empty())
    throw ModelError(request.where, "CODE ALGEBRAIC() has nothing to compute; name it by OUTPUT or ENCODE");
  std::vector<Expr> values, constants, others;
  for (const auto& o : outputs) values.push_back(o.value);
  for (const Expr& x : symbols_of(values)) {
    const Scalar* s = session.find_symbol(x);
    (s != nullptr && s->role == Role::Constant ? constants : others).push_back(x);
  }
  const std::string name = identifier_of(path.stem().string());
  const Program program = lower(name, outputs, inputs_of(constants, {}, others));
  const auto sources = emit_source(program, language, {.name = name});
  if (language == Language::C) return {{request.file, joined_c(sources, name)}};
  if (language == Language::Fortran) return {{request.file, fortran_text(sources.front().text, request.file)}};
  std::vector<WrittenFile> files;
  for (const SourceFile& f : sources) files.push_back({(path.parent_path() / f.name).string(), f.text});
  return files;
}

std::vector<WrittenFile> emit_program(const ScriptSystem& given, const std::string& file) {
  const std::filesystem::path path(file);
  const Language language = language_of(file);
  ScriptSystem system = given;
  const std::string stem = std::filesystem::path(file).replace_extension().string();
  const std::string base = path.stem().string();
  system.name = identifier_of(base) + "_equations";
  const ExportModel model = export_model(system);
  const LanguageRow& row = row_of(language);
  const EmitOptions options{.name = system.name};
  const auto sources = emit_source(model.program, language, options);
  const std::size_t states = model.state.size();
  std::vector<std::vector<int>> places;
  for (const auto& columns : system.files) {
    std::vector<int> list;
    for (const auto& c : columns) {
      int place = -1;
      for (std::size_t i = 0; i < system.equations.outputs.size(); ++i)
        if (c.output != "t" && system.equations.outputs[i].name == c.output) place = static_cast<int>(states + i);
      list.push_back(place);
    }
    places.push_back(std::move(list));
  }
  const DriverFrame& frame = language == Language::C         ? kMainC
                             : language == Language::Fortran ? kMainFortran
                                                             : kMainMatlab;
  std::string text = emit_driver(model, options, row.dialect(), frame).text;
  const Words words = table_words(system, base, language, places);
  text = replace_all(text, "@@OPEN\n", words.open);
  text = replace_all(text, "@@WRITE", words.write);
  text = replace_all(text, "@@CLOSE", words.close);
  const std::string in_name = base + ".in";
  text = replace_all(text, "@@INFILE", language == Language::C ? "\"" + in_name + "\"" : "'" + in_name + "'");
  text = replace_all(text, "@@INNAME", in_name);
  text = replace_all(text, "@@FUNCTION", base);
  text = replace_all(text, "@@PARAMETERS", std::to_string(model.parameters.size()));
  text = replace_all(text, "@@STATES", std::to_string(states));
  std::vector<WrittenFile> files;
  if (language == Language::C) {
    files.push_back({file, fmt::format("// Build: cc -std=c99 -O2 -o {0} {1} -lm     Run: ./{0}, which reads {2}\n\n",
                                       base, path.filename().string(), in_name) +
                               joined_c(sources, system.name) + text});
  } else if (language == Language::Fortran) {
    files.push_back({file, fmt::format("! Build: gfortran -O2 -o {0} {1}     Run: ./{0}, which reads {2}\n\n", base,
                                       path.filename().string(), in_name) +
                               fortran_text(sources.front().text + text, file)});
  } else {
    files.push_back({file, text});
    for (const SourceFile& f : sources) files.push_back({(path.parent_path() / f.name).string(), f.text});
  }
  system.name = base;
  files.push_back({stem + ".in", input_file(system)});
  return files;
}

}  // namespace kane::autolev
