// The parser of expressions: any bytes give an expression or a ModelError, and what is printed parses to the same node.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kane/base/error.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/print.hpp"

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMaxBytes) return 0;
  kane::Graph graph({.max_nodes = 200'000});
  kane::Expr e;
  try {
    e = kane::parse(graph, {reinterpret_cast<const char*>(data), size});
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
    (void)kane::to_latex(e, {.max_length = 10'000});
    (void)kane::to_code(e, {.max_length = 10'000});
  } catch (const kane::ModelError&) {
    return 0;  // no derivative, or a limit
  }
  return 0;
}
