#include "kane/analysis/motion_path.hpp"

#include <algorithm>

#include "kane/analysis/signals.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/parse.hpp"

namespace kane {

namespace {

std::vector<std::string> coordinate_names(const EquationsOfMotion& e) {
  std::vector<std::string> names;
  for (const auto& q : e.q) names.push_back(q.name());
  return names;
}

}  // namespace

void MotionPath::claim(std::size_t coordinate) {
  require(std::find(coordinates_.begin(), coordinates_.end(), coordinate) == coordinates_.end(),
          "the motion of '{}' is prescribed twice", evaluator_.system().equations().q[coordinate].name());
  coordinates_.push_back(coordinate);
  kernel_.reset();
}

void MotionPath::add(const std::string& coordinate, const std::string& expression) {
  const EquationsOfMotion& e = shop_->equations();
  const auto names = coordinate_names(e);
  const auto found = std::find(names.begin(), names.end(), coordinate);
  if (found == names.end())
    throw ModelError(fmt::format("the motion of '{}' cannot be prescribed: it is not a coordinate{}", coordinate,
                                 suggestion(coordinate, names)));
  ParseOptions options;
  options.where.file = "motion of " + coordinate;
  options.known_names.push_back(e.t.name());
  for (const auto& p : e.parameters) options.known_names.push_back(p.symbol.name());
  options.resolve = [&](std::string_view name) -> std::optional<Expr> {
    if (name == e.t.name()) return e.t;
    const auto parameter =
        std::find_if(e.parameters.begin(), e.parameters.end(), [&](const auto& p) { return p.symbol.name() == name; });
    return parameter == e.parameters.end() ? std::nullopt : std::optional(parameter->symbol);
  };
  const Expr value = parse(*e.graph, expression, options);
  claim(static_cast<std::size_t>(found - names.begin()));
  source_.push_back(static_cast<int>(expressions_.size()));
  expressions_.push_back(value);
}

void MotionPath::add(const SeriesTable& table) {
  const EquationsOfMotion& e = shop_->equations();
  const auto names = coordinate_names(e);
  const auto known = named_signals(e);
  bool any = false;
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), table.names[i]);
    if (found == names.end()) {
      if (std::none_of(known.begin(), known.end(), [&](const Signal& s) { return s.name == table.names[i]; }))
        throw ModelError(fmt::format("the table has a column '{}', which is not a coordinate{}", table.names[i],
                                     suggestion(table.names[i], names)));
      continue;
    }
    claim(static_cast<std::size_t>(found - names.begin()));
    source_.push_back(-1 - static_cast<int>(splines_.size()));
    splines_.emplace_back(table.t, table.columns[i]);
    begin_ = std::max(begin_, splines_.back().begin()), end_ = std::min(end_, splines_.back().end());
    any = true;
  }
  require(any, "the table has no column that is a coordinate of '{}'", e.name);
}

void MotionPath::compile() {
  const EquationsOfMotion& e = shop_->equations();
  std::vector<Expr> outputs;
  for (const auto& value : expressions_) {
    const Expr rate = derivative(value, e.t);
    outputs.push_back(value), outputs.push_back(rate), outputs.push_back(derivative(rate, e.t));
  }
  kernel_ = std::make_unique<Kernel>(shop_->compile("path", outputs));
  // A separate time: the path may be evaluated at other times than the evaluator's.
  context_ = evaluator_.context();
  runner_ = KernelRunner(kernel_.get(), context_);
  zeros_.assign(e.q.size() + 2 * e.u.size() + e.constraints.size(), 0.0);
}

void MotionPath::calc(double t, std::span<CurvePoint> points) {
  std::span<const double> values;
  if (!expressions_.empty()) {
    if (kernel_ == nullptr) compile();
    context_.parameters = evaluator_.context().parameters;
    context_.inputs.back() = t;
    ++context_.parameter_changes, ++context_.time_changes;
    values = runner_.run(zeros_);
  }
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const int source = source_[i];
    if (source < 0) {
      points[i] = splines_[static_cast<std::size_t>(-1 - source)].calc(t);
    } else {
      const auto k = 3 * static_cast<std::size_t>(source);
      points[i] = {values[k], values[k + 1], values[k + 2]};
    }
  }
}

}  // namespace kane
