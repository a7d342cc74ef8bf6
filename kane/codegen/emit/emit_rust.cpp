// Rust: one module without dependencies.

#include <algorithm>
#include <cmath>

#include "kane/codegen/emit/emit_driver.hpp"
#include "kane/codegen/emit/emit_frame.hpp"

namespace kane {

namespace {

constexpr std::string_view kReserved[] = {"abstract",   "as",         "async",    "await",
                                          "become",     "box",        "break",    "const",
                                          "continue",   "crate",      "do",       "dyn",
                                          "else",       "enum",       "extern",   "false",
                                          "final",      "fn",         "for",      "gen",
                                          "if",         "impl",       "in",       "let",
                                          "loop",       "macro",      "match",    "mod",
                                          "move",       "mut",        "override", "priv",
                                          "pub",        "ref",        "return",   "self",
                                          "Self",       "static",     "struct",   "super",
                                          "trait",      "true",       "try",      "type",
                                          "typeof",     "union",      "unsafe",   "unsized",
                                          "use",        "virtual",    "where",    "while",
                                          "yield",      "f64",        "usize",    "kane_min",
                                          "kane_max",   "kane_sign",  "kane_mod", "main",
                                          "Vec",        "Parameters", "Inputs",   "Workspace",
                                          "Functions",  "functions",  "new",      "set_parameters",
                                          "set_inputs", "evaluate"};

std::string number(double value) {
  if (std::isnan(value)) return "f64::NAN";
  if (std::isinf(value)) return value < 0 ? "-f64::INFINITY" : "f64::INFINITY";
  return decimal(value) + "_f64";
}

const Dialect& dialect() {
  constexpr Binding kAtom = Binding::Atom;
  static const Dialect kDialect{
      .indent = "    ",
      .declare = "let @n: f64 = @e;",
      .assign = "@n = @e;",
      .stored = "self.w[@i]",
      .output = "y_[@i]",
      .call = "(self.functions.@f)(@e)",
      .naming = {.reserved = kReserved},
      .number = number,
      .spellings = spell({{Code::Sqrt, "@a.sqrt()", kAtom},
                          {Code::Root, "@a.powf(1.0_f64/@n.0_f64)", kAtom},
                          {Code::Sin, "@a.sin()", kAtom},
                          {Code::Cos, "@a.cos()", kAtom},
                          {Code::Tan, "@a.tan()", kAtom},
                          {Code::Asin, "@a.asin()", kAtom},
                          {Code::Acos, "@a.acos()", kAtom},
                          {Code::Atan, "@a.atan()", kAtom},
                          {Code::Atan2, "@a.atan2(@b)", kAtom},
                          {Code::Sinh, "@a.sinh()", kAtom},
                          {Code::Cosh, "@a.cosh()", kAtom},
                          {Code::Tanh, "@a.tanh()", kAtom},
                          {Code::Exp, "@a.exp()", kAtom},
                          {Code::Log, "@a.ln()", kAtom},
                          {Code::Abs, "@a.abs()", kAtom},
                          {Code::Sign, "kane_sign(@a)"},
                          {Code::Min, "kane_min(@a, @b)"},
                          {Code::Max, "kane_max(@a, @b)"},
                          {Code::Floor, "@a.floor()", kAtom},
                          {Code::Mod, "kane_mod(@a, @b)"},
                          {Code::Less, "(if @a < @b { 1.0_f64 } else { 0.0_f64 })", kAtom},
                          {Code::LessEqual, "(if @a <= @b { 1.0_f64 } else { 0.0_f64 })", kAtom},
                          {Code::Equal, "(if @a == @b { 1.0_f64 } else { 0.0_f64 })", kAtom},
                          {Code::Select, "(if @a != 0.0_f64 { @b } else { @c })", kAtom}})};
  return kDialect;
}

constexpr HelperRow kHelpers[] = {
    {Code::Min, "fn kane_min(a: f64, b: f64) -> f64 {\n    if a < b || a.is_nan() { a } else { b }\n}"},
    {Code::Max, "fn kane_max(a: f64, b: f64) -> f64 {\n    if a > b || a.is_nan() { a } else { b }\n}"},
    {Code::Sign, "fn kane_sign(a: f64) -> f64 {\n    if a > 0.0 { 1.0 } else if a < 0.0 { -1.0 } else { a }\n}"},
    {Code::Mod,
     "fn kane_mod(a: f64, b: f64) -> f64 {\n    let r = a % b;\n"
     "    if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }\n}"}};

class Frame {
 public:
  explicit Frame(const SourceModel& model) : m_(model) {}

  std::string module() {
    SourceText t(m_.dialect);
    write_heading(t, m_, "Code");
    t.comment("");
    t.comment("Call set_parameters, then set_inputs, then evaluate as often as you like. After set_parameters, call");
    t.comment("set_inputs again. Nothing is global: use one workspace for each thread.");
    t.raw("#![allow(non_snake_case, non_upper_case_globals, unused_variables, unused_parens, dead_code)]");
    t.blank();
    write_names(t);
    write_struct(t, Stage::Parameters, "Parameters");
    write_struct(t, Stage::Inputs, "Inputs");
    write_functions(t);
    t.line("pub struct Workspace {{");
    t.in();
    t.line("p: Parameters,");
    t.line("u: Inputs,");
    t.line("w: Vec<f64>, // what one stage computes for another");
    if (!m_.program.functions.empty()) t.line("functions: Functions,");
    t.out();
    t.line("}}");
    t.blank();
    t.line("impl Workspace {{");
    t.in();
    write_constructor(t);
    for (int s = 0; s < kStageCount; ++s) write_stage(t, static_cast<Stage>(s));
    t.out();
    t.line("}}");
    t.blank();
    write_helpers(t, m_, kHelpers);
    return t.take();
  }

 private:
  void write_names(SourceText& t) {
    constexpr std::string_view kLists[] = {"PARAMETER_NAMES", "INPUT_NAMES", "STATE_NAMES", "OUTPUT_NAMES"};
    for (int s = 0; s <= kStageCount; ++s) {
      const auto names = s < kStageCount ? given_names(m_.program, static_cast<Stage>(s)) : given_outputs(m_.program);
      t.line("pub const {}: [&str; {}] = [", kLists[s], names.size());
      t.in();
      for (const std::string& n : names) t.line("{},", quoted(n, '"', true));
      t.out();
      t.line("];");
    }
    t.blank();
  }

  void write_struct(SourceText& t, Stage stage, std::string_view what) {
    t.line("#[derive(Clone, Copy, Default)]");
    t.line("pub struct {} {{", what);
    t.in();
    for (std::uint32_t i = m_.inputs_begin(stage); i < m_.inputs_end(stage); ++i)
      t.line("pub {}: f64, // {}", m_.names.inputs[i], harmless(m_.program.inputs[i].name));
    t.out();
    t.line("}}");
    t.blank();
  }

  void write_functions(SourceText& t) {
    if (m_.program.functions.empty()) return;
    t.comment("Functions that you provide.");
    t.line("#[derive(Clone, Copy)]");
    t.line("pub struct Functions {{");
    t.in();
    for (std::size_t i = 0; i < m_.program.functions.size(); ++i) {
      std::string arguments;
      for (int k = 0; k < m_.program.functions[i].arity; ++k) arguments += k == 0 ? "f64" : ", f64";
      t.line("pub {}: fn({}) -> f64,", m_.names.functions[i], arguments);
    }
    t.out();
    t.line("}}");
    t.blank();
  }

  void write_constructor(SourceText& t) {
    const bool calls = !m_.program.functions.empty();
    t.line("pub fn new({}) -> Self {{", calls ? "functions: Functions" : "");
    t.line("    Workspace {{ p: Parameters::default(), u: Inputs::default(), w: vec![0.0; {}]{} }}", m_.listing.stored,
           calls ? ", functions" : "");
    t.line("}}");
    t.blank();
  }

  void write_stage(SourceText& t, Stage stage) {
    constexpr std::string_view kHeads[] = {"set_parameters(&mut self, p_: &Parameters)",
                                           "set_inputs(&mut self, u_: &Inputs)",
                                           "evaluate(&mut self, x_: &[f64], y_: &mut [f64])"};
    const auto& parts = m_.listing.parts[static_cast<std::size_t>(stage)];
    t.line("pub fn {} {{", kHeads[static_cast<std::size_t>(stage)]);
    t.in();
    if (stage == Stage::Parameters) t.line("self.p = *p_;");
    if (stage == Stage::Inputs) t.line("self.u = *u_;");
    if (parts.size() == 1) write_body(t, parts[0]);
    for (std::size_t k = 0; parts.size() > 1 && k < parts.size(); ++k)
      t.line("self.{}({});", part_name(m_, stage, k), stage == Stage::State ? "x_, y_" : "");
    t.out();
    t.line("}}");
    t.blank();
    for (std::size_t k = 0; parts.size() > 1 && k < parts.size(); ++k) {
      t.line("fn {}(&mut self{}) {{", part_name(m_, stage, k),
             stage == Stage::State ? ", x_: &[f64], y_: &mut [f64]" : "");
      t.in();
      write_body(t, parts[k]);
      t.out();
      t.line("}}");
      t.blank();
    }
  }

  void write_body(SourceText& t, const SourcePart& part) {
    for (const std::uint32_t i : part.inputs) {
      const std::string& id = m_.names.inputs[i];
      switch (m_.program.inputs[i].stage) {
        case Stage::Parameters: t.line("let {0} = self.p.{0};", id); break;
        case Stage::Inputs: t.line("let {0} = self.u.{0};", id); break;
        case Stage::State: t.line("let {} = x_[{}];", id, i - m_.inputs_begin(Stage::State)); break;
      }
    }
    t.lines(part.statements);
  }

  const SourceModel& m_;
};

}  // namespace

std::vector<SourceFile> emit_rust(const Program& program, const EmitOptions& options) {
  const SourceModel model = make_model(program, dialect(), options);
  return {{model.names.program + ".rs", Frame(model).module()}};
}

std::vector<SourceFile> emit_rust_driver(const ExportModel& model, const EmitOptions& options) {
  const SourceNames names = choose_names(model.program, dialect(), options.name);
  const DriverTable d = make_driver_table(model, names, number);
  std::string settings;
  for (const DriverSetting& s : d.parameters) settings += fmt::format("    p.{} = {};\n", s.name, s.value);
  for (const DriverSetting& s : d.inputs) settings += fmt::format("    u.{} = {};\n", s.name, s.value);
  const std::string time = d.time.empty() ? "" : fmt::format("    u.{} = t;\n", d.time);
  const bool calls = !model.program.functions.empty();
  return {{"main.rs",
           fill_driver(R"(// Simulates @name with the classical Runge-Kutta method and prints comma-separated values.
#![allow(unused_mut, unused_variables)]

mod @name;
@functionsuse @name::{Inputs, Parameters, Workspace, OUTPUT_NAMES, STATE_NAMES};

fn calc_rates(ws: &mut Workspace, inputs: &Inputs, t: f64, x: &[f64]) -> Vec<f64> {
    let mut u = *inputs;
@time    let mut y = vec![0.0; OUTPUT_NAMES.len()];
    ws.set_inputs(&u);
    ws.evaluate(x, &mut y);
    y
}

fn moved(x: &[f64], h: f64, k: &[f64]) -> Vec<f64> {
    x.iter().zip(k).map(|(a, b)| a + h * b).collect()
}

fn main() {
    let mut p = Parameters::default();
    let mut u = Inputs::default();
@settings
    let mut x: Vec<f64> = vec![@state];
    let (t0, h): (f64, f64) = (@start, @step);
    let (steps, every) = (@steps, @every);
    let n = STATE_NAMES.len();
    let mut ws = Workspace::new(@arguments);
    ws.set_parameters(&p);
    let mut names = vec!["t"];
    names.extend(STATE_NAMES.iter());
    names.extend(OUTPUT_NAMES[n..].iter());
    println!("{}", names.join(","));
    for step in 0..=steps {
        let t = t0 + step as f64 * h;
        let k1 = calc_rates(&mut ws, &u, t, &x);
        if step % every == 0 || step == steps {
            let mut line = format!("{:.16e}", t);
            for v in x.iter().chain(k1[n..].iter()) {
                line += &format!(",{:.16e}", v);
            }
            println!("{}", line);
        }
        let k2 = calc_rates(&mut ws, &u, t + 0.5 * h, &moved(&x, 0.5 * h, &k1));
        let k3 = calc_rates(&mut ws, &u, t + 0.5 * h, &moved(&x, 0.5 * h, &k2));
        let k4 = calc_rates(&mut ws, &u, t + h, &moved(&x, h, &k3));
        for i in 0..n {
            x[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
}
)",
                       d,
                       {{"settings", settings},
                        {"time", time},
                        {"functions", calls ? "mod functions; // yours: pub const FUNCTIONS: Functions\n" : ""},
                        {"arguments", calls ? "functions::FUNCTIONS" : ""}})}};
}

}  // namespace kane
