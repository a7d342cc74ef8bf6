// Rust: one module without dependencies.

#include "kane/codegen/emit/emit_frame.hpp"

namespace kane::rust {

namespace {

constexpr std::string_view kReserved = R"(
    abstract as async await become box break const continue crate do dyn else enum extern false final fn for
    gen if impl in let loop macro match mod move mut override priv pub ref return self Self static struct
    super trait true try type typeof union unsafe unsized use virtual where while yield f64 usize kane_min
    kane_max kane_sign kane_mod main Vec Parameters Inputs Workspace Functions functions new set_parameters
    set_inputs evaluate)";

const Dialect& dialect() {
  constexpr Binding kAtom = Binding::Atom;
  static const Dialect kDialect{
      .indent = "    ",
      .declare = "let @n: f64 = @e;",
      .assign = "@n = @e;",
      .stored = "self.w[@i]",
      .call = "(self.functions.@f)(@e)",
      .naming = {.reserved = kReserved},
      .number = "@e_f64",
      .nan = "f64::NAN",
      .infinity = "f64::INFINITY",
      .spellings = spell({.function = "@a.@f()",
                          .truth = "(if @a @o @b { 1.0_f64 } else { 0.0_f64 })",
                          .needs = kAtom,
                          .rows = {{Code::Root, "@a.powf(1.0_f64/@n.0_f64)", kAtom},
                                   {Code::Atan2, "@a.atan2(@b)", kAtom},
                                   {Code::Log, "@a.ln()", kAtom},
                                   {Code::Sign, "kane_sign(@a)"},
                                   {Code::Min, "kane_min(@a, @b)"},
                                   {Code::Max, "kane_max(@a, @b)"},
                                   {Code::Mod, "kane_mod(@a, @b)"},
                                   {Code::Select, "(if @a != 0.0_f64 { @b } else { @c })", kAtom}}})};
  return kDialect;
}

constexpr HelperRow kHelpers[] = {
    {Code::Min, "fn kane_min(a: f64, b: f64) -> f64 {\n    if a < b || a.is_nan() { a } else { b }\n}"},
    {Code::Max, "fn kane_max(a: f64, b: f64) -> f64 {\n    if a > b || a.is_nan() { a } else { b }\n}"},
    {Code::Sign, "fn kane_sign(a: f64) -> f64 {\n    if a > 0.0 { 1.0 } else if a < 0.0 { -1.0 } else { a }\n}"},
    {Code::Mod,
     "fn kane_mod(a: f64, b: f64) -> f64 {\n    let r = a % b;\n"
     "    if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }\n}"}};

constexpr FunctionFrame kFunctions{.stages = {{{.head = "pub fn set_parameters(&mut self, p_: &Parameters) {",
                                                .begin = "self.p = *p_;",
                                                .call_part = "self.@part();",
                                                .part_head = "fn @part(&mut self) {",
                                                .read = "let @n = self.p.@n;"},
                                               {.head = "pub fn set_inputs(&mut self, u_: &Inputs) {",
                                                .begin = "self.u = *u_;",
                                                .call_part = "self.@part();",
                                                .part_head = "fn @part(&mut self) {",
                                                .read = "let @n = self.u.@n;"},
                                               {.head = "pub fn evaluate(&mut self, x_: &[f64], y_: &mut [f64]) {",
                                                .call_part = "self.@part(x_, y_);",
                                                .part_head = "fn @part(&mut self, x_: &[f64], y_: &mut [f64]) {",
                                                .read = "let @n = x_[@i];"}}},
                                   .close = "}",
                                   .after = "\n",
                                   .parts_first = false};

constexpr NameLists kNameLists{.head = "pub const @k: [&str; @c] = [",
                               .kinds = {"PARAMETER_NAMES", "INPUT_NAMES", "STATE_NAMES", "OUTPUT_NAMES"},
                               .tail = "];"};

void write_struct(SourceText& t, const SourceModel& m, Stage stage, std::string_view what) {
  t.raw("#[derive(Clone, Copy, Default)]");
  t.line("pub struct {} {{", what);
  t.in();
  write_fields(t, m, stage, "pub @n: f64, // @g");
  t.out();
  t.lines("}\n\n");
}

void write_functions(SourceText& t, const SourceModel& m) {
  if (!m.calls_functions()) return;
  t.comment("Functions that you provide.");
  t.lines("#[derive(Clone, Copy)]\npub struct Functions {");
  t.in();
  for (std::size_t i = 0; i < m.program.functions.size(); ++i)
    t.line("pub {}: fn({}) -> f64,", m.names.functions[i], argument_list(m.program.functions[i], "f64"));
  t.out();
  t.lines("}\n\n");
}

void write_workspace(SourceText& t, const SourceModel& m) {
  t.lines(R"(pub struct Workspace {
    p: Parameters,
    u: Inputs,
    w: Vec<f64>, // values passed between stages
)");
  if (m.calls_functions()) t.raw("    functions: Functions,");
  t.lines("}\n\nimpl Workspace {");
  t.in();
  t.line("pub fn new({}) -> Self {{", m.calls_functions() ? "functions: Functions" : "");
  t.line("    Workspace {{ p: Parameters::default(), u: Inputs::default(), w: vec![0.0; {}]{} }}", m.listing.stored,
         m.calls_functions() ? ", functions" : "");
  t.lines("}\n\n");
  for (const Stage stage : kStages) write_stage(t, m, kFunctions, stage);
  t.out();
  t.lines("}\n\n");
}

std::vector<SourceFile> emit(const SourceModel& m) {
  SourceText t(m.dialect);
  write_heading(t, m, "Code");
  t.comment("");
  t.comment("Call set_parameters, then set_inputs, then evaluate as often as you like. After set_parameters, call");
  t.comment("set_inputs again. Nothing is global: use one workspace for each thread.");
  t.raw("#![allow(non_snake_case, non_upper_case_globals, unused_variables, unused_parens, dead_code)]");
  t.blank();
  write_name_lists(t, m, kNameLists);
  t.blank();
  write_struct(t, m, Stage::Parameters, "Parameters");
  write_struct(t, m, Stage::Inputs, "Inputs");
  write_functions(t, m);
  write_workspace(t, m);
  write_helpers(t, m, kHelpers);
  return {{m.names.program + ".rs", t.take()}};
}

constexpr DriverFrame kDriver{
    .file = "main.rs",
    .text = R"(// Simulates @name with the classical Runge-Kutta method and prints comma-separated values.
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
    .parameter = "    p.@n = @e;\n",
    .input = "    u.@n = @e;\n",
    .time = "    u.@n = t;\n",
    .functions = "mod functions; // yours: pub const FUNCTIONS: Functions\n",
    .arguments = "functions::FUNCTIONS"};

}  // namespace

}  // namespace kane::rust

const kane::LanguageRow& kane::rust_language() {
  static constexpr LanguageRow kRow{.info = {Language::Rust, "rust", "Rust"},
                                    .aliases = "rs",
                                    .file_tail = ".rs",
                                    .dialect = rust::dialect,
                                    .emit = rust::emit,
                                    .driver = &rust::kDriver,
                                    .how_to_run = "rustc -O -o simulate main.rs\n./simulate > result.csv"};
  return kRow;
}
