// Functions: what a call in an expression is worth.

#include "kane/formats/autolev/functions.hpp"

#include <map>

#include "kane/base/suggest.hpp"
#include "kane/expr/number.hpp"

namespace kane::autolev {

namespace {

Expr factorial_of(Graph& graph, const Expr& x) {
  if (x.is_number() && x.number().is_whole() && x.number() >= Rational(0) && x.number() <= Rational(170)) {
    Rational product(1);
    for (long i = 2; Rational(i) <= x.number(); ++i) product *= Rational(i);
    return graph.number(product);
  }
  return graph.call("factorial", std::span(&x, 1));
}

using Scalar1 = Expr (*)(Graph&, const Expr&);
const std::map<std::string, Scalar1, std::less<>>& scalar_functions() {
  static const std::map<std::string, Scalar1, std::less<>> table{
      {"SIN", [](Graph&, const Expr& x) { return sin(x); }},
      {"COS", [](Graph&, const Expr& x) { return cos(x); }},
      {"TAN", [](Graph&, const Expr& x) { return tan(x); }},
      {"ASIN", [](Graph&, const Expr& x) { return asin(x); }},
      {"ACOS", [](Graph&, const Expr& x) { return acos(x); }},
      {"ATAN", [](Graph&, const Expr& x) { return atan(x); }},
      {"SINH", [](Graph&, const Expr& x) { return sinh(x); }},
      {"COSH", [](Graph&, const Expr& x) { return cosh(x); }},
      {"TANH", [](Graph&, const Expr& x) { return tanh(x); }},
      {"EXP", [](Graph&, const Expr& x) { return exp(x); }},
      {"LOG", [](Graph&, const Expr& x) { return log(x); }},
      {"LOG10", [](Graph& g, const Expr& x) { return log(x) / log(g.number(10)); }},
      {"SQRT", [](Graph&, const Expr& x) { return sqrt(x); }},
      {"SQR", [](Graph&, const Expr& x) { return x * x; }},
      {"ABS", [](Graph&, const Expr& x) { return abs(x); }},
      {"SIGN", [](Graph&, const Expr& x) { return sign(x); }},
      {"INT", [](Graph&, const Expr& x) { return sign(x) * floor(abs(x)); }},
      {"ROUND", [](Graph& g, const Expr& x) { return floor(x + g.number(1, 2)); }},
      {"CEIL", [](Graph&, const Expr& x) { return -floor(-x); }},
      {"FLOOR", [](Graph&, const Expr& x) { return floor(x); }},
      {"FACTORIAL", factorial_of},
  };
  return table;
}

}  // namespace

const std::map<std::string, FunctionHandler, std::less<>>& function_table() {
  static const std::map<std::string, FunctionHandler, std::less<>> table{
      {"DOT", Functions::dot},
      {"CROSS", Functions::cross},
      {"MAG", Functions::mag},
      {"UNITVEC", Functions::unitvec},
      {"VECTOR", Functions::vector},
      {"MATRIX", Functions::matrix},
      {"EXPRESS", Functions::express},
      {"PARTIALS", Functions::partials},
      {"DT", Functions::dt},
      {"D", Functions::d},
      {"MASS", Functions::mass},
      {"CM", Functions::cm},
      {"INERTIA", Functions::inertia},
      {"KE", Functions::ke},
      {"MOMENTUM", Functions::momentum},
      {"GYROSTAT", Functions::gyrostat},
      {"NICHECK", Functions::nicheck},
      {"FR", Functions::fr},
      {"FRSTAR", Functions::frstar},
      {"EXPAND", Functions::same},
      {"FACTOR", Functions::same},
      {"ARRANGE", Functions::same},
      {"RECOMBINE", Functions::same},
      {"ZEE", Functions::same},
      {"EXPLICIT", Functions::explicit_},
      {"RHS", Functions::rhs},
      {"REPLACE", Functions::replace},
      {"EVALUATE", Functions::evaluate},
      {"COEF", Functions::coef},
      {"EXCLUDE", Functions::exclude},
      {"INCLUDE", Functions::include},
      {"TAYLOR", Functions::taylor},
      {"POLYNOMIAL", Functions::polynomial},
      {"ROOTS", Functions::roots},
      {"EIG", Functions::eig},
      {"DET", Functions::det},
      {"INV", Functions::inv},
      {"INVERSE", Functions::inv},
      {"TRACE", Functions::trace},
      {"TRANSPOSE", Functions::transpose_},
      {"DIAGMAT", Functions::diagmat},
      {"ROWS", Functions::rows},
      {"COLS", Functions::cols},
      {"ELEMENT", Functions::element},
      {"UNITS", Functions::units},
      {"INPUT", Functions::input},
      {"ATAN2", Functions::atan2_},
      {"MAX", Functions::max_},
      {"MIN", Functions::min_},
      {"EPSILON", Functions::epsilon},
  };
  return table;
}

Value Session::call(const Node& node) {
  const std::string name = folded(node.text);
  check_time(node.where);
  try {
    if (const auto f = scalar_functions().find(name); f != scalar_functions().end()) {
      need_arguments(node, 1, 1);
      return each_scalar(node, evaluate(node.children[0]), [&](const Expr& e) { return f->second(*graph_, e); });
    }
    if (const auto f = function_table().find(name); f != function_table().end()) return f->second(*this, node);
  } catch (const LimitError&) {
    throw;
  } catch (const ModelError& error) {
    if (error.where().line != 0) throw;
    throw ModelError(node.where, error.message());
  }
  // Y = SOLVE(EQ,X): the command, then what it found.
  if (name == "SOLVE") {
    command_table().at(name)(*this, node);
    const std::vector<Expr> unknowns = symbols_named(std::span(node.children).subspan(1), false);
    ExprMatrix column(unknowns.size(), 1);
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      const Scalar* found = find_symbol(unknowns[i]);
      column(i, std::size_t{0}) = found != nullptr && found->value ? *found->value : unknowns[i];
    }
    if (unknowns.size() == 1) return column.entries.front();
    return column;
  }
  // M(1,2) is an element to some hands.
  if (w_.matrices.contains(name)) {
    Node element = node;
    element.kind = NodeKind::Element;
    return evaluate_element(element);
  }
  if (command_table().contains(name))
    throw ModelError(node.where, fmt::format("{} is a command and has no value; it stands alone on its line", name));
  throw ModelError(node.where,
                   fmt::format("there is no function '{}'{}", node.text, suggestion(name, statement_words())));
}

/// Definitions are put in only if the symbols asked about are hidden behind them.
Value Session::explicitly_visible(const Value& v, const std::vector<Expr>& symbols) {
  return explicitly(v, {.keep = symbols});
}
Expr Session::explicitly_visible(const Expr& e, const std::vector<Expr>& symbols) {
  return explicitly(e, {.keep = symbols});
}

std::vector<std::string> function_words() {
  std::vector<std::string> words;
  for (const auto& [name, f] : scalar_functions()) words.push_back(name);
  for (const auto& [name, f] : function_table()) words.push_back(name);
  return words;
}

}  // namespace kane::autolev
