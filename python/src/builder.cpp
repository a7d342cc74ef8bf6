// A workshop for translators of other systems' expressions (SymPy): nodes are built by number in a separate graph, so that
// a large tree costs one short call for each of its nodes.

#include <cmath>

#include "kane/base/error.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/parse.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "python/src/expression.hpp"
#include "python/src/function.hpp"
#include "python/src/special_functions.hpp"

namespace kane::python {
namespace {

class Builder {
 public:
  using Place = std::size_t;
  using Places = std::vector<Place>;

  Place number(const std::string& text) { return keep(graph_->number(read_rational(text))); }
  Place real(double value) {
    require(std::isfinite(value), "an expression cannot contain the number {}", value);
    return keep(graph_->number(Rational(value)));  // every bit of it, not its shortest decimal form
  }
  Place symbol(const std::string& name) { return keep(graph_->symbol(name)); }
  Place pi() { return keep(graph_->pi()); }
  Place sum(const Places& terms) {
    Expr total;
    for (const Place p : terms) total += at(p);
    return keep(total);
  }
  Place product(const Places& factors) {
    Expr total = 1;
    for (const Place p : factors) total *= at(p);
    return keep(total);
  }
  Place quotient(Place a, Place b) { return keep(at(a) / at(b)); }
  Place power(Place base, Place exponent) { return keep(pow(at(base), at(exponent))); }
  Place rational_power(Place base, const std::string& exponent) { return keep(pow(at(base), read_rational(exponent))); }
  Place call(const std::string& name, const Places& arguments) {
    const std::vector<Expr> list = values(arguments);
    if (is_special_function(name) && list.size() == 1) return keep(graph_->call(name, list));
    return keep(apply_operator(*graph_, name, list));
  }
  /// Derivatives of the outputs by symbols, by rows.
  Places jacobian(const Places& outputs, const Places& symbols) {
    Places result;
    std::vector<std::vector<Expr>> columns;
    const std::vector<Expr> values_of_outputs = values(outputs);
    for (const Place s : symbols) columns.push_back(derivative(values_of_outputs, at(s)));
    for (std::size_t i = 0; i < outputs.size(); ++i)
      for (const auto& column : columns) result.push_back(keep(column[i]));
    return result;
  }
  /// x of A x = b in symbols; A by rows.
  Places solve(const Places& a, const Places& b) {
    ExprMatrix matrix(b.size(), b.size());
    require(a.size() == b.size() * b.size(), "the matrix of {} equations has {} entries", b.size(), a.size());
    matrix.entries = values(a);
    const std::vector<Expr> right = values(b);
    const std::vector<Expr> x = unlocked([&] { return LinearSolver(matrix).solve(right); });
    Places result;
    for (const Expr& e : x) result.push_back(keep(e));
    return result;
  }
  std::shared_ptr<VectorFunction> compile(const Places& outputs, const std::vector<Argument>& arguments,
                                          const std::vector<std::string>& symbols) {
    const std::vector<Expr> list = values(outputs);
    return unlocked([&] { return std::make_shared<VectorFunction>(list, arguments, symbols); });
  }
  /// In the graph of all expressions of Python.
  PyExpr expression(Place place) {
    auto graph = shared_graph();
    Expr copy = graph->bind(copy_to(*graph, at(place)));
    return {std::move(graph), copy};
  }
  [[nodiscard]] bool is_zero(Place place) const { return at(place).is_zero(); }
  [[nodiscard]] std::size_t size() const { return graph_->size(); }

 private:
  Place keep(const Expr& e) {
    nodes_.push_back(graph_->bind(e));
    return nodes_.size() - 1;
  }
  [[nodiscard]] const Expr& at(Place place) const {
    ensure(place < nodes_.size(), "no expression has the number {}", place);
    return nodes_[place];
  }
  [[nodiscard]] std::vector<Expr> values(const Places& places) const {
    std::vector<Expr> list;
    for (const Place p : places) list.push_back(at(p));
    return list;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::vector<Expr> nodes_;
};

}  // namespace

void bind_builder(py::module_& m) {
  py::class_<Builder>(m, "Builder")
      .def(py::init<>())
      .def("number", &Builder::number)
      .def("real", &Builder::real)
      .def("symbol", &Builder::symbol)
      .def("pi", &Builder::pi)
      .def("sum", &Builder::sum)
      .def("product", &Builder::product)
      .def("quotient", &Builder::quotient)
      .def("power", &Builder::power)
      .def("rational_power", &Builder::rational_power)
      .def("call", &Builder::call)
      .def("jacobian", &Builder::jacobian)
      .def("solve", &Builder::solve)
      .def("compile", &Builder::compile)
      .def("expression", &Builder::expression)
      .def("is_zero", &Builder::is_zero)
      .def_property_readonly("size", &Builder::size);
}

}  // namespace kane::python
