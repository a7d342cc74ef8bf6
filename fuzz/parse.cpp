// The parser of expressions: any bytes give an expression or a ModelError, what is printed parses to the same node, and so
// does the textbook form; affine coefficients leave nothing over.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kane/base/error.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/print.hpp"
#include "kane/expr/traverse.hpp"

namespace {

constexpr std::size_t kMaxBytes = 4096;

void check_round_trip(kane::Graph& graph, const kane::Expr& e) {
  std::string text;
  try {
    text = kane::to_text(e, {.max_nodes = 20'000});
  } catch (const kane::LimitError&) {
    return;  // far longer as a tree than as a graph
  }
  kane::ParseOptions options;
  options.max_depth = 1'000'000;
  const kane::Expr again = kane::parse(graph, text, options);
  if (again == e) return;
  fmt::print(stderr, "printed as {}\nwhich parses to {}\n", text, again.to_string());
  std::abort();
}

void check_literal(kane::Graph& graph, const kane::Expr& e) {
  const kane::Literal literal = kane::literal(e, {.max_terms = 30});
  if (literal.too_long) return;
  kane::ParseOptions options;
  options.max_depth = 1'000'000;
  if (kane::parse(graph, literal.text, options) == e) return;
  fmt::print(stderr, "{}\nhas the textbook form {}\n", e.to_string(), literal.text);
  std::abort();
}

void check_affine(kane::Graph& graph, const kane::Expr& e) {
  const auto symbols = graph.symbols();
  const auto affine = kane::find_affine(e, symbols);
  if (!affine) return;
  kane::Expr sum = affine->remainder;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    sum += affine->coefficients[i] * symbols[i];
    for (const auto& symbol : symbols)
      if (kane::depends_on(graph.bind(affine->coefficients[i]), symbol)) std::abort();
  }
  for (const auto& symbol : symbols)
    if (kane::depends_on(graph.bind(affine->remainder), symbol)) std::abort();
  // A select is taken apart into one for each coefficient, which cannot be put together again.
  const auto order = kane::topological_order({&e, 1});
  if (std::any_of(order.begin(), order.end(), [&](auto id) { return graph.op(id) == kane::Op::Select; })) return;
  if (graph.bind(sum) == e) return;
  fmt::print(stderr, "{}\nis not {}\n", e.to_string(), sum.to_string());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMaxBytes) return 0;
  kane::Graph graph({.max_nodes = 200'000});
  kane::Expr e;
  try {
    e = graph.bind(kane::parse(graph, {reinterpret_cast<const char*>(data), size}));
  } catch (const kane::ModelError&) {
    return 0;
  }
  try {
    check_round_trip(graph, e);
  } catch (const kane::LimitError&) {
    return 0;
  }
  try {
    for (const auto& symbol : graph.symbols()) (void)kane::derivative(e, symbol);
    check_literal(graph, e);
    check_affine(graph, e);
    (void)kane::to_latex(e, {.max_length = 10'000});
    (void)kane::to_code(e, {.max_length = 10'000});
  } catch (const kane::ModelError&) {
    return 0;  // no derivative, or a limit
  }
  return 0;
}
