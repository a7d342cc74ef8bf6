// kane expr: simplify, differentiate, print and evaluate one expression.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/kane/command.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/count.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/infix.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/names.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/print.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {
namespace {

/// An expression typed by hand needs a few nodes; one that needs more than this is a mistake or an attack.
constexpr std::size_t kMaxNodes = 10'000'000;

struct ExprOptions {
  std::string expression;
  std::vector<std::string> functions;
  std::vector<std::string> derivatives;
  std::vector<std::string> rates;
  std::vector<std::string> settings;
  bool latex = false;
  bool code = false;
  bool literal = false;
  bool count = false;
  bool value = false;
  bool json = false;
};

/// The results; empty if not requested.
struct ExprReport {
  std::vector<std::string> symbols;
  std::optional<std::string> text;
  std::optional<std::string> latex;
  std::optional<std::string> code;
  std::optional<Literal> literal;
  std::optional<OperationCount> count;
  std::optional<double> value;
};

/// The line of `text` that contains `where`, with a mark below the column.
std::string marked_line(const std::string& text, const Where& where) {
  std::size_t begin = 0;
  for (int line = 1; line < where.line && begin != std::string::npos; ++line) {
    begin = text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  const auto column = static_cast<std::size_t>(where.column);
  if (begin == std::string::npos || column == 0 || column > 200) return {};
  const auto line = text.substr(begin, text.find('\n', begin) - begin).substr(0, 200);
  return line.empty() ? std::string() : fmt::format("\n  {}\n  {:>{}}", InfixText::printable(line, 200), '^', column);
}

Expr parse_argument(Graph& graph, const std::string& text, std::string name) {
  ParseOptions options;
  options.where = {std::move(name), 1, 1};
  try {
    return parse(graph, text, options);
  } catch (const LimitError&) {
    throw;
  } catch (const ModelError& error) {
    throw ModelError(error.where(), error.message() + marked_line(text, error.where()));
  }
}

Expr differentiate(Graph& graph, Expr e, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    const Expr symbol = parse_argument(graph, name, "--derivative");
    require(symbol.is_symbol(), "--derivative needs the name of a symbol, not '{}'", name);
    e = derivative(e, symbol);
  }
  return e;
}

/// The pairs NAME=EXPRESSION of an option. `known`: the symbols of the expression.
Substitution read_pairs(Graph& graph, const std::string& option, const std::vector<std::string>& pairs,
                        const std::vector<std::string>& known) {
  Substitution values;
  for (const auto& pair : pairs) {
    const auto equals = pair.find('=');
    require(equals != std::string::npos, "{} needs NAME=VALUE, not '{}'", option, pair);
    const std::string name = pair.substr(0, equals);
    require(std::find(known.begin(), known.end(), name) != known.end(), "{} {}: the expression has no symbol '{}'{}",
            option, pair, name, suggestion(name, known));
    values.set(graph.symbol(name), parse_argument(graph, pair.substr(equals + 1), option + " " + name));
  }
  return values;
}

/// Declares f(x, y): a function of two arguments whose derivatives are f_x and f_y.
void declare_function(Graph& graph, const std::string& text) {
  const auto is_name = [](const std::string& name) {
    return !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
           std::all_of(name.begin(), name.end(),
                       [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
  };
  std::string compact;
  std::copy_if(text.begin(), text.end(), std::back_inserter(compact), [](char c) { return c != ' '; });
  const auto open = compact.find('(');
  bool good = open != std::string::npos && compact.back() == ')' && is_name(compact.substr(0, open));
  std::vector<std::string> derivatives;
  for (std::size_t at = open; good && at + 1 < compact.size();) {
    const std::size_t end = compact.find_first_of(",)", at + 1);
    const std::string argument = compact.substr(at + 1, end - at - 1);
    good = is_name(argument);
    derivatives.push_back(compact.substr(0, open) + "_" + argument);
    at = end;
  }
  require(good && !derivatives.empty(), "--function needs a form such as f(x, y), not '{}'", text);
  const int arity = static_cast<int>(derivatives.size());
  graph.declare_function(compact.substr(0, open), arity, std::move(derivatives));
}

double calc_value(const Expr& e) {
  const double value = evaluate(e, {});
  if (!std::isfinite(value))
    throw RunFailed(fmt::format("the value of {} is {}: not a real number, or too large", e.to_string(),
                                std::isnan(value) ? "not a number" : "infinite"));
  return value;
}

ExprReport form_report(const Expr& e, const ExprOptions& options) {
  const Expr roots[] = {e};
  ExprReport report;
  report.symbols = names_of(symbols_of(roots));
  const bool all_set = !options.settings.empty() && report.symbols.empty();
  if (options.value || all_set) report.value = calc_value(e);
  if (options.count) report.count = count_operations(roots);
  if (options.literal) report.literal = literal(e);
  if (options.code) report.code = to_code(e);
  if (options.latex) report.latex = report.literal ? report.literal->latex : to_latex(e);
  const bool nothing_else = !report.value && !report.count && !report.code && !report.latex;
  if (options.json || nothing_else || (options.literal && !options.latex))
    report.text = report.literal ? report.literal->text : to_text(e);
  return report;
}

nlohmann::ordered_json to_json(const ExprReport& report, const ExprOptions& options) {
  nlohmann::ordered_json json;
  json["expression"] = options.expression;
  if (!options.rates.empty()) json["rate"] = options.rates;
  if (!options.derivatives.empty()) json["derivative"] = options.derivatives;
  json["text"] = *report.text;
  json["symbols"] = report.symbols;
  if (report.latex) json["latex"] = *report.latex;
  if (report.code) json["code"] = *report.code;
  if (report.literal)
    json["literal"] = {{"terms", report.literal->terms},
                       {"operations", report.literal->operations},
                       {"too_long", report.literal->too_long}};
  if (report.count)
    json["operations"] = {{"mul", report.count->mul},
                          {"add", report.count->add},
                          {"div", report.count->div},
                          {"func", report.count->func}};
  if (report.value) json["value"] = *report.value;
  return json;
}

/// A single result is printed alone; several are labelled.
void print_expression(const ExprReport& report) {
  std::vector<std::pair<std::string, std::string>> lines;
  if (report.text) lines.emplace_back("text", *report.text);
  if (report.latex) lines.emplace_back("latex", *report.latex);
  if (report.code) lines.emplace_back("code", *report.code);
  if (report.count) lines.emplace_back("operations", report.count->to_string());
  if (report.value) lines.emplace_back("value", fmt::format("{}", *report.value));
  for (const auto& [name, line] : lines)
    if (lines.size() == 1)
      fmt::print("{}\n", line);
    else
      fmt::print("{:<11} {}\n", name, line);
}

void run_expr(ExprOptions options) {
  if (options.expression == "-") options.expression = read_standard_input();
  Graph graph({.max_nodes = kMaxNodes});
  for (const auto& function : options.functions) declare_function(graph, function);
  Expr e = graph.bind(parse_argument(graph, options.expression, "expression"));
  const auto known = names_of(graph.symbols());
  if (!options.rates.empty()) e = time_derivative(e, read_pairs(graph, "--rate", options.rates, known));
  e = differentiate(graph, e, options.derivatives);
  e = graph.bind(substitute(e, read_pairs(graph, "--set", options.settings, known)));
  const auto report = form_report(e, options);
  if (report.literal && report.literal->too_long)
    fmt::print(stderr, "kane: note: the textbook form would be too long; this is the shared form\n");
  if (options.json)
    fmt::print("{}\n", to_json(report, options).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  else
    print_expression(report);
}

}  // namespace

void add_expr_command(CLI::App& app) {
  auto* command = app.add_subcommand("expr", "Simplify, differentiate, print or evaluate an expression");
  auto options = std::make_shared<ExprOptions>();
  command->add_option("expression", options->expression, "e.g. \"sin(q)^2 + cos(q)^2\"; - reads standard input")
      ->required();
  command
      ->add_option("--derivative", options->derivatives, "differentiate with respect to this symbol (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("SYMBOL");
  command->add_option("--rate", options->rates, "the time derivative, where this symbol has this rate, e.g. q=u")
      ->allow_extra_args(false)
      ->type_name("NAME=RATE");
  command->add_option("--function", options->functions, "your own function, e.g. f(x, y); its derivatives are f_x, f_y")
      ->allow_extra_args(false)
      ->type_name("FORM");
  command->add_option("--set", options->settings, "replace a symbol, e.g. q=pi/4; if none is left, print the value")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  command->add_flag("--value", options->value, "print the numeric value");
  command->add_flag("--latex", options->latex, "print as LaTeX");
  command->add_flag("--code", options->code, "print as C-like code");
  command->add_flag("--literal", options->literal, "the textbook form: multiplied out, reduced and factored");
  command->add_flag("--count", options->count, "print the operation counts");
  command->add_flag("--json", options->json, "print one JSON object");
  command->footer(
      "Examples:\n"
      "  kane expr 'sin(q)^2 + cos(q)^2'\n"
      "  kane expr 'k*x^2/2 + f(x, v)' --function 'f(x, v)' --derivative x\n"
      "  kane expr 'atan2(y, x) + pi/4' --set x=1 --set y=1");
  command->callback([options] { run_expr(*options); });
}

}  // namespace kane
