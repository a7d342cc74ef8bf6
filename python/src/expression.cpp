// Expressions, their operators, derivatives and printed forms.

#include "python/src/expression.hpp"

#include <cmath>

#include "kane/base/error.hpp"
#include "kane/expr/count.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/print.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "python/src/function.hpp"

namespace kane::python {

std::shared_ptr<Graph> shared_graph() {
  static std::weak_ptr<Graph> present;  // guarded by the interpreter's lock
  auto graph = present.lock();
  if (!graph) present = graph = std::make_shared<Graph>();
  return graph;
}

Rational read_rational(const std::string& text) {
  require(!text.empty() && text.size() < 20'000 && text.find_first_not_of("-0123456789/") == std::string::npos,
          "'{}' is not an exact number", text.substr(0, 40));
  const auto slash = text.find('/');
  require(slash == std::string::npos || text.find_first_not_of('0', slash + 1) != std::string::npos,
          "'{}' divides by zero", text);
  return Rational(text);
}

bool is_expr_like(const py::handle& value) {
  return py::isinstance<PyExpr>(value) || PyFloat_Check(value.ptr()) != 0 || PyLong_Check(value.ptr()) != 0 ||
         (py::hasattr(value, "numerator") && py::hasattr(value, "denominator")) ||
         (py::hasattr(value, "__float__") && !py::hasattr(value, "free_symbols") && !py::hasattr(value, "shape"));
}

Expr to_expr(const std::shared_ptr<Graph>& graph, const py::handle& value) {
  if (py::isinstance<PyExpr>(value)) {
    const auto& e = value.cast<const PyExpr&>();
    return e.graph == graph ? e.value : copy_to(*graph, e.value);
  }
  if (!is_expr_like(value))
    throw py::type_error("a number or an expression of Kane is needed, not " +
                         py::str(py::type::of(value).attr("__name__")).cast<std::string>());
  if (PyLong_Check(value.ptr()) != 0) return graph->number(read_rational(py::str(value).cast<std::string>()));
  if (PyFloat_Check(value.ptr()) == 0 && py::hasattr(value, "denominator")) {
    const py::str text =
        py::str("{}/{}").format(py::int_(value.attr("numerator")), py::int_(value.attr("denominator")));
    return graph->number(read_rational(text.cast<std::string>()));
  }
  const double number = py::float_(py::reinterpret_borrow<py::object>(value)).cast<double>();
  require(std::isfinite(number), "an expression cannot contain the number {}", number);
  return graph->bind(Expr(number));
}

Expr apply_operator(Graph& graph, std::string_view name, std::span<const Expr> arguments) {
  return call_function(graph, name, arguments);
}

namespace {

using Binary = Expr (*)(const Expr&, const Expr&);

template <class Work>
py::object combine(const PyExpr& a, const py::object& b, Work work) {
  if (!is_expr_like(b)) return py::reinterpret_borrow<py::object>(Py_NotImplemented);
  return py::cast(PyExpr{a.graph, a.graph->bind(work(a.value, to_expr(a.graph, b)))});
}

PyExpr make_symbol(const std::string& name) {
  require(!name.empty(), "a symbol needs a name");
  auto graph = shared_graph();
  Expr symbol = graph->symbol(name);
  return {std::move(graph), symbol};
}

PyExpr call(const std::string& name, const py::args& arguments) {
  auto graph = shared_graph();
  std::vector<Expr> list;
  for (const auto& a : arguments) list.push_back(to_expr(graph, a));
  Expr value = graph->bind(call_function(*graph, name, list));
  return {std::move(graph), value};
}

PyExpr parse_text(const std::string& text) {
  auto graph = shared_graph();
  Expr value = graph->bind(parse(*graph, text));
  return {std::move(graph), value};
}

PyExpr differentiate(const PyExpr& e, const PyExpr& symbol) {
  require(symbol.value.is_symbol(), "derivatives are by symbols, not by '{}'", symbol.value.to_string());
  return {e.graph, e.graph->bind(derivative(e.value, to_expr(e.graph, py::cast(symbol))))};
}

Substitution substitution_of(const std::shared_ptr<Graph>& graph, const py::dict& map) {
  Substitution result;
  for (const auto& [key, value] : map) {
    const Expr symbol = py::isinstance<py::str>(key) ? graph->symbol(key.cast<std::string>()) : to_expr(graph, key);
    require(symbol.is_symbol(), "only symbols can be replaced, not '{}'", symbol.to_string());
    result.set(symbol, to_expr(graph, value));
  }
  return result;
}

std::vector<PyExpr> free_symbols(const PyExpr& e) {
  std::vector<PyExpr> list;
  const Expr roots[] = {e.value};
  for (const Expr& s : symbols_of(roots)) list.push_back({e.graph, s});
  return list;
}

std::vector<Expr> values_of(const std::shared_ptr<Graph>& graph, const py::sequence& list) {
  std::vector<Expr> values;
  for (const auto& item : list) values.push_back(graph->bind(to_expr(graph, item)));
  return values;
}

/// Each node once, operands before users: (operator, places of operands, name or number, exponent); and the places of the
/// expressions themselves.
py::tuple write_tape(const py::sequence& list) {
  const auto graph = shared_graph();
  const std::vector<Expr> roots = values_of(graph, list);
  std::map<NodeId, int> place;
  py::list tape;
  for (const NodeId id : topological_order(roots)) {
    const Expr e = graph->at(id);
    py::list operands;
    for (const NodeId a : graph->args(id)) operands.append(place.at(a));
    py::object detail = py::none();
    if (e.is_number()) detail = py::str(e.number().get_str());
    if (e.is_symbol() || e.op() == Op::Call) detail = py::str(e.name());
    const bool power = e.op() == Op::Pow || e.op() == Op::Root;
    tape.append(py::make_tuple(std::string(kOperators[static_cast<std::size_t>(e.op())].name), operands, detail,
                               power ? e.exponent() : 0));
    place[id] = static_cast<int>(place.size());
  }
  py::list ends;
  for (const Expr& e : roots) ends.append(place.at(e.id()));
  return py::make_tuple(tape, ends);
}

std::shared_ptr<VectorFunction> compile_list(const py::sequence& outputs, const std::vector<Argument>& arguments,
                                             const std::vector<std::string>& symbols) {
  // In a separate graph: others may continue building while this is compiled.
  const auto graph = shared_graph();
  auto own = std::make_shared<Graph>();
  const std::vector<Expr> copies = copy_to(*own, values_of(graph, outputs));
  return unlocked([&] { return std::make_shared<VectorFunction>(copies, arguments, symbols); });
}

/// As a person would write it, if it is short; else as the graph has it.
std::string show_expression(const PyExpr& e) {
  constexpr std::uint32_t kShort = 300;
  if (e.value.is_symbol() || e.value.is_number() || e.graph->cost(e.value.id()) > kShort) return e.value.to_string();
  const Literal form = literal(e.value);
  return form.too_long ? e.value.to_string() : form.text;
}

/// x of A x = b in symbols; A by rows.
py::list solve_symbols(const py::sequence& a, const py::sequence& b) {
  const auto graph = shared_graph();
  ExprMatrix matrix(b.size(), b.size());
  require(a.size() == b.size() * b.size(), "the matrix of {} equations has {} entries", b.size(), a.size());
  matrix.entries = values_of(graph, a);
  py::list result;
  for (const Expr& e : LinearSolver(matrix).solve(values_of(graph, b))) result.append(PyExpr{graph, graph->bind(e)});
  return result;
}

void add_methods(py::class_<PyExpr>& c) {
  c.def("__neg__",
        [](const PyExpr& a) {
          return PyExpr{a.graph, a.graph->bind(-a.value)};
        })
      .def("__pos__", [](const PyExpr& a) { return a; })
      .def("__abs__",
           [](const PyExpr& a) {
             return PyExpr{a.graph, a.graph->bind(abs(a.value))};
           })
      .def("__bool__",
           [](const PyExpr& a) {
             if (!a.value.is_number()) throw py::type_error("an expression with symbols is neither true nor false");
             return !a.value.is_zero();
           })
      .def("__float__", [](const PyExpr& a) { return evaluate(a.value, {}); })
      .def("__hash__", [](const PyExpr& a) { return static_cast<py::ssize_t>(a.value.id()) + 77; })
      .def("__eq__",
           [](const PyExpr& a, const py::object& b) {
             return is_expr_like(b) && a.graph->bind(a.value) == a.graph->bind(to_expr(a.graph, b));
           })
      .def("__str__", &show_expression)
      .def("__repr__", &show_expression)
      .def("__reduce__",
           [](const PyExpr& a) {
             return py::make_tuple(py::module_::import("kane._kane").attr("parse"), py::make_tuple(to_text(a.value)));
           })
      .def("diff", &differentiate, py::arg("symbol"))
      .def("subs",
           [](const PyExpr& a, const py::dict& map) {
             return PyExpr{a.graph, a.graph->bind(substitute(a.value, substitution_of(a.graph, map)))};
           })
      .def("total",
           [](const PyExpr& a, const py::dict& rates) {
             return PyExpr{a.graph, a.graph->bind(time_derivative(a.value, substitution_of(a.graph, rates)))};
           })
      .def("evaluate",
           [](const PyExpr& a, const std::map<std::string, double>& values) {
             return evaluate(a.value, Values(values.begin(), values.end()));
           })
      .def("latex", [](const PyExpr& a) { return literal(a.value).latex; })
      .def("infix", [](const PyExpr& a) { return to_text(a.value); })
      .def("text", [](const PyExpr& a) { return literal(a.value).text; })
      .def_property_readonly("is_symbol", [](const PyExpr& a) { return a.value.is_symbol(); })
      .def_property_readonly("is_number", [](const PyExpr& a) { return a.value.is_number(); })
      .def_property_readonly("is_zero", [](const PyExpr& a) { return a.value.is_zero(); })
      .def_property_readonly("name",
                             [](const PyExpr& a) {
                               if (!a.value.is_symbol()) throw py::attribute_error("only a symbol has a name");
                               return a.value.name();
                             })
      .def_property_readonly("operations",
                             [](const PyExpr& a) {
                               const Expr roots[] = {a.value};
                               return count_operations(roots).total();
                             })
      .def("free_symbols_list", &free_symbols);
}

void add_operators(py::class_<PyExpr>& c) {
  const auto both = [&c](const char* name, const char* reversed, Binary work) {
    c.def(name, [work](const PyExpr& a, const py::object& b) { return combine(a, b, work); });
    if (*reversed != '\0')
      c.def(reversed, [work](const PyExpr& a, const py::object& b) {
        return combine(a, b, [work](const Expr& x, const Expr& y) { return work(y, x); });
      });
  };
  both("__add__", "__radd__", [](const Expr& a, const Expr& b) { return a + b; });
  both("__sub__", "__rsub__", [](const Expr& a, const Expr& b) { return a - b; });
  both("__mul__", "__rmul__", [](const Expr& a, const Expr& b) { return a * b; });
  both("__truediv__", "__rtruediv__", [](const Expr& a, const Expr& b) { return a / b; });
  both("__mod__", "__rmod__", [](const Expr& a, const Expr& b) { return mod(a, b); });
  both("__lt__", "", [](const Expr& a, const Expr& b) { return less(a, b); });
  both("__le__", "", [](const Expr& a, const Expr& b) { return less_equal(a, b); });
  both("__gt__", "", [](const Expr& a, const Expr& b) { return less(b, a); });
  both("__ge__", "", [](const Expr& a, const Expr& b) { return less_equal(b, a); });
  const auto power = [](const Expr& a, const Expr& b) { return pow(a, b); };
  c.def(
      "__pow__", [power](const PyExpr& a, const py::object& b, const py::object&) { return combine(a, b, power); },
      py::arg("exponent"), py::arg("modulus") = py::none());
  c.def(
      "__rpow__",
      [power](const PyExpr& a, const py::object& b, const py::object&) {
        return combine(a, b, [power](const Expr& x, const Expr& y) { return power(y, x); });
      },
      py::arg("base"), py::arg("modulus") = py::none());
}

}  // namespace

void bind_expression(py::module_& m) {
  py::class_<Argument>(m, "Argument").def(py::init([](std::string name, std::vector<py::ssize_t> shape) {
    Argument a{std::move(name), std::move(shape), 1};
    for (const py::ssize_t n : a.shape) {
      require(n >= 0 && n < 1'000'000, "an axis of {} numbers", n);
      a.count *= static_cast<std::size_t>(n);
    }
    return a;
  }));
  py::class_<PyExpr> c(m, "Expr", "A scalar expression: exact, interned by value, differentiable.");
  add_methods(c);
  add_operators(c);
  m.def("symbol", &make_symbol);
  m.def("parse", &parse_text);
  m.def("call", &call);
  m.def("number", [](const py::object& value) {
    auto graph = shared_graph();
    Expr e = graph->bind(to_expr(graph, value));
    return PyExpr{std::move(graph), e};
  });
  m.def("tape", &write_tape);
  m.def("compile", &compile_list);
  m.def("solve", &solve_symbols);
  m.def("graph_size", [] { return shared_graph()->size(); });
}

}  // namespace kane::python
