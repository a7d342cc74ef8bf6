// The module kane._kane, and what its parts share. The package kane wraps it; users do not import it.

#include <nlohmann/json.hpp>

#include "kane/base/error.hpp"
#include "kane/formats/state_file.hpp"
#include "python/src/binding.hpp"

namespace kane::python {
namespace {

/// The classes of kane/errors.py; references that live as long as the interpreter.
PyObject* model_error = nullptr;
PyObject* limit_error = nullptr;
PyObject* internal_error = nullptr;

void raise_model_error(PyObject* type, const ModelError& error) {
  const auto& where = error.where();
  const py::object file = where.file.empty() ? py::object(py::none()) : py::object(py::str(where.file));
  const py::object value = py::reinterpret_borrow<py::object>(type)(
      error.message(), file, where.line == 0 ? py::object(py::none()) : py::object(py::int_(where.line)),
      where.column == 0 ? py::object(py::none()) : py::object(py::int_(where.column)));
  PyErr_SetObject(type, value.ptr());
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const LimitError& error) {
    raise_model_error(limit_error, error);
  } catch (const ModelError& error) {
    raise_model_error(model_error, error);
  } catch (const InternalError& error) {
    PyErr_SetString(internal_error, error.what());
  } catch (const py::cast_error&) {
    PyErr_SetString(PyExc_TypeError, "an argument has a value of the wrong type");
  }
}

}  // namespace

void bind_errors(py::module_& m) {
  m.def("set_errors", [](const py::object& model, const py::object& limit, const py::object& internal) {
    model_error = model.inc_ref().ptr();
    limit_error = limit.inc_ref().ptr();
    internal_error = internal.inc_ref().ptr();
  });
  py::register_exception_translator(&translate);
}

py::object to_python(const nlohmann::ordered_json& value) {
  using Type = nlohmann::ordered_json::value_t;
  switch (value.type()) {
    case Type::object: {
      py::dict dict;
      for (const auto& [key, item] : value.items()) dict[py::str(key)] = to_python(item);
      return dict;
    }
    case Type::array: {
      py::list list;
      for (const auto& item : value) list.append(to_python(item));
      return list;
    }
    case Type::string: return py::str(value.get<std::string>());
    case Type::boolean: return py::bool_(value.get<bool>());
    case Type::number_integer: return py::int_(value.get<std::int64_t>());
    case Type::number_unsigned: return py::int_(value.get<std::uint64_t>());
    case Type::number_float: return py::float_(value.get<double>());
    default: return py::none();
  }
}

StartState read_start(const std::string& text) { return only_state(parse_states(text, "state")); }

py::array_t<double> to_array(const std::vector<double>& numbers, std::size_t columns) {
  const auto rows = columns == 0 ? 0 : static_cast<py::ssize_t>(numbers.size() / columns);
  py::array_t<double> array({rows, static_cast<py::ssize_t>(columns)});
  std::copy(numbers.begin(), numbers.end(), array.mutable_data());
  return array;
}

bool Watch::go_on() {
  if (failure_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(20)) return true;
  last_ = now;
  return call([] {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  });
}

void Watch::rethrow() {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace kane::python

PYBIND11_MODULE(_kane, m) {
  using namespace kane::python;
  m.attr("__version__") = KANE_VERSION;
  bind_errors(m);
  bind_expression(m);
  bind_function(m);
  bind_builder(m);
  bind_model(m);
  bind_analysis(m);
  bind_export(m);
  bind_simulation(m);
  bind_sweep(m);
  bind_ticks(m);
}
