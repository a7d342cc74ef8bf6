#include "kane/batch/row_expression.hpp"

#include <algorithm>
#include <numeric>

#include "kane/expr/graph.hpp"
#include "kane/expr/parse.hpp"
#include "kane/program/lower.hpp"

namespace kane {

namespace {

bool is_plain_name(const std::string& name) {
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.'") ==
         std::string::npos;
}

std::string column_symbol(std::size_t i) { return "kane_column_" + std::to_string(i); }

}  // namespace

RowExpression::RowExpression(const std::string& text, const std::vector<std::string>& names, const Where& where) {
  // Names that are not words become words, long ones first.
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return names[a].size() > names[b].size(); });
  std::string words = text;
  for (const std::size_t i : order) {
    if (is_plain_name(names[i])) continue;
    for (auto at = words.find(names[i]); at != std::string::npos; at = words.find(names[i], at + 1))
      words.replace(at, names[i].size(), column_symbol(i));
  }
  Graph graph;
  ParseOptions options;
  options.where = where;
  if (where.file.empty()) options.where.file = "'" + text + "'";
  options.known_names = names;
  ProgramInputs inputs;
  for (std::size_t i = 0; i < names.size(); ++i) inputs.state.push_back(column_symbol(i));
  options.resolve = [&](std::string_view name) -> std::optional<Expr> {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return graph.symbol(column_symbol(static_cast<std::size_t>(found - names.begin())));
    if (std::find(inputs.state.begin(), inputs.state.end(), name) != inputs.state.end()) return graph.symbol(name);
    return std::nullopt;
  };
  const Expr value = graph.bind(parse(graph, words, options));
  condition_ = value.op() == Op::Less || value.op() == Op::LessEqual;
  const std::vector<NamedExpr> outputs = {{"value", value},
                                          {"margin", condition_ ? value.arg(1) - value.arg(0) : value}};
  kernel_ = std::make_unique<Kernel>(compile_kernel(lower("row", outputs, inputs)));
  work_ = std::make_unique<Workspace>(*kernel_);
}

double RowExpression::calc(std::span<const double> row) {
  std::copy(row.begin(), row.end(), work_->state().begin());
  kernel_->run_state(*work_);
  return work_->outputs()[0];
}

double RowExpression::calc_margin(std::span<const double> row) {
  (void)calc(row);
  return work_->outputs()[1];
}

}  // namespace kane
