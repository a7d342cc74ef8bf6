#pragma once
// Shared by the files of the binding. Each file adds one subject to the module.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <exception>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kane/expr/graph.hpp"
#include "kane/model/start_state.hpp"

namespace kane::python {

namespace py = pybind11;

void bind_errors(py::module_& m);
void bind_model(py::module_& m);
void bind_analysis(py::module_& m);
void bind_export(py::module_& m);
void bind_simulation(py::module_& m);
void bind_sweep(py::module_& m);
void bind_ticks(py::module_& m);
void bind_function(py::module_& m);
void bind_builder(py::module_& m);
void bind_expression(py::module_& m);

/// JSON as dicts, lists, strings, numbers and None.
[[nodiscard]] py::object to_python(const nlohmann::ordered_json& value);
/// The text of a state file.
[[nodiscard]] StartState read_start(const std::string& text);
/// Rows of numbers as an array (rows, columns).
[[nodiscard]] py::array_t<double> to_array(const std::vector<double>& numbers, std::size_t columns);

/// What an option of type T takes, in words.
template <class T>
[[nodiscard]] std::string wanted_value() {
  if constexpr (std::is_same_v<T, bool>) return "True or False";
  if constexpr (std::is_integral_v<T>) return "a whole number";
  if constexpr (std::is_floating_point_v<T>) return "a number";
  if constexpr (std::is_same_v<T, std::string>) return "a text";
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return "a list of texts";
  return "another value";
}

/// The value of an option that is given. Throws TypeError with its name if it has the wrong type.
template <class T>
[[nodiscard]] T option(const py::dict& given, const char* key) {
  const py::object value = given[key];
  try {
    return value.cast<T>();
  } catch (const py::cast_error&) {
    throw py::type_error("the option '" + std::string(key) + "' takes " + wanted_value<T>() + ", not " +
                         py::str(py::type::of(value).attr("__name__")).cast<std::string>());
  }
}

/// Runs without the interpreter's lock. Whatever is called must not touch Python objects.
template <class Work>
auto unlocked(Work work) -> decltype(work()) {
  const py::gil_scoped_release release;
  return work();
}

/// Checks for Ctrl-C now and then, and keeps exceptions of Python code until the run is over: nothing is thrown through
/// integrators. To be used without the interpreter's lock.
class Watch {
 public:
  /// False: the run must end. Takes the lock at most every few milliseconds.
  [[nodiscard]] bool go_on();
  /// Calls Python; false if that failed now or before.
  template <class Work>
  bool call(Work work) {
    if (failure_) return false;
    const py::gil_scoped_acquire lock;
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
    return !failure_;
  }
  /// With the lock held: throws the exception that was kept.
  void rethrow();

 private:
  std::exception_ptr failure_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace kane::python
