// Calling a compiled function: numbers are read where they are (any strides), a full vector register of points is
// evaluated at a time, long arrays are shared among threads.

#include "python/src/function.hpp"

#include <algorithm>
#include <thread>

#include "kane/base/error.hpp"
#include "python/src/special_functions.hpp"

namespace kane::python {
namespace {

constexpr std::size_t kMostSpare = 16;             ///< workspaces kept for later calls
constexpr std::size_t kWorkPerThread = 4'000'000;  ///< instructions below which a thread is not worth its start

[[nodiscard]] std::string shape_text(const py::ssize_t* shape, py::ssize_t count) {
  std::string text = "(";
  for (py::ssize_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + (count == 1 ? ",)" : ")");
}

/// float64 as it is; other real numbers converted.
[[nodiscard]] py::array real_array(const py::handle& value, const Argument& argument) {
  const py::array array = py::array::ensure(value);
  if (!array) {
    PyErr_Clear();
    throw py::type_error("argument '" + argument.name + "' is not a number or an array of numbers");
  }
  const char kind = array.dtype().kind();
  if (kind == 'f' && array.itemsize() == 8 && array.dtype().is(py::dtype::of<double>())) return array;
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b')
    throw py::type_error("argument '" + argument.name + "' must hold real numbers, not " +
                         py::str(array.dtype()).cast<std::string>());
  return py::array_t<double>(array);
}

}  // namespace

VectorFunction::VectorFunction(std::span<const Expr> outputs, std::vector<Argument> arguments,
                               std::vector<std::string> symbols, std::vector<NamedFunction> functions,
                               std::shared_ptr<const void> keep_alive)
    : arguments_(std::move(arguments)), functions_(std::move(functions)), keep_alive_(std::move(keep_alive)) {
  for (NamedFunction& function : special_functions()) functions_.push_back(std::move(function));
  std::vector<NamedExpr> named;
  for (std::size_t i = 0; i < outputs.size(); ++i) named.push_back({"y" + std::to_string(i), outputs[i]});
  ProgramInputs inputs;
  inputs.state = std::move(symbols);
  program_ = std::make_shared<const Program>(lower("function", named, inputs));
}

const Kernel& VectorFunction::kernel(bool wide) const {
  const std::lock_guard lock(mutex_);
  auto& made = wide ? wide_ : narrow_;
  if (!made) {
    KernelOptions options;
    options.functions = functions_;
    if (wide) options.lanes = vector_lanes(*find_best_isa());
    made = compile_kernel(program_, options);
  }
  return *made;
}

Workspace VectorFunction::take(const Kernel& kernel) const {
  {
    const std::lock_guard lock(mutex_);
    auto& spare = kernel.lanes() > 1 ? wide_spare_ : spare_;
    if (!spare.empty()) {
      Workspace workspace = std::move(spare.back());
      spare.pop_back();
      return workspace;
    }
  }
  return Workspace(kernel);
}

void VectorFunction::give_back(const Kernel& kernel, Workspace workspace) const {
  const std::lock_guard lock(mutex_);
  auto& spare = kernel.lanes() > 1 ? wide_spare_ : spare_;
  if (spare.size() < kMostSpare) spare.push_back(std::move(workspace));
}

void VectorFunction::run_part(const Kernel& kernel, std::span<const Column> columns, std::size_t begin, std::size_t end,
                              double* out) const {
  const auto lanes = static_cast<std::size_t>(kernel.lanes());
  const std::size_t m = output_count();
  Workspace workspace = take(kernel);
  const std::span<double> state = workspace.state();
  for (std::size_t k = begin; k < end; k += lanes) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::size_t point = std::min(k + l, end - 1);  // the last register repeats the last point
        std::memcpy(&state[i * lanes + l], columns[i].first + static_cast<py::ssize_t>(point) * columns[i].step,
                    sizeof(double));
      }
    kernel.run_state(workspace);
    const std::span<const double> results = workspace.outputs();
    const std::size_t used = std::min(lanes, end - k);
    for (std::size_t l = 0; l < used; ++l)
      for (std::size_t j = 0; j < m; ++j) out[(k + l) * m + j] = results[j * lanes + l];
  }
  give_back(kernel, std::move(workspace));
}

void VectorFunction::run(std::span<const Column> columns, std::size_t n, double* out, int threads) const {
  if (n == 0 || output_count() == 0) return;
  const bool wide = n > 1 && find_best_isa().has_value();
  const Kernel& code = kernel(wide);
  const auto lanes = static_cast<std::size_t>(code.lanes());
  const std::size_t work = n * (program_->instructions.size() + columns.size() + output_count());
  std::size_t parts = threads > 0 ? static_cast<std::size_t>(threads)
                                  : std::min<std::size_t>(std::thread::hardware_concurrency(), work / kWorkPerThread);
  parts = std::clamp<std::size_t>(parts, 1, (n + lanes - 1) / lanes);
  if (parts == 1) return run_part(code, columns, 0, n, out);
  const std::size_t blocks = (n + lanes - 1) / lanes;
  std::vector<std::exception_ptr> failures(parts);
  std::vector<std::thread> crew;
  for (std::size_t p = 0; p < parts; ++p)
    crew.emplace_back([&, p] {
      try {
        run_part(code, columns, blocks * p / parts * lanes, std::min(n, blocks * (p + 1) / parts * lanes), out);
      } catch (...) {
        failures[p] = std::current_exception();
      }
    });
  for (auto& thread : crew) thread.join();
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

py::object VectorFunction::call(const py::tuple& values, int threads) const {
  if (values.size() != arguments_.size())
    throw py::type_error("the function has " + std::to_string(arguments_.size()) + " arguments, not " +
                         std::to_string(values.size()));
  std::vector<Column> columns;
  std::vector<double> numbers(values.size());
  std::vector<py::array> arrays;
  py::ssize_t n = -1;  // no leading axis so far
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    const py::handle value = values[i];
    if (argument.shape.empty() && PyFloat_Check(value.ptr()) != 0) {
      numbers[i] = PyFloat_AS_DOUBLE(value.ptr());
      columns.push_back({reinterpret_cast<const char*>(&numbers[i]), 0});
      continue;
    }
    arrays.push_back(real_array(value, argument));
    const py::array& array = arrays.back();
    const auto inner = static_cast<py::ssize_t>(argument.shape.size());
    const py::ssize_t outer = array.ndim() - inner;
    if (outer < 0 || !std::equal(argument.shape.begin(), argument.shape.end(), array.shape() + outer))
      throw py::value_error("argument '" + argument.name + "' has the shape " +
                            shape_text(array.shape(), array.ndim()) + "; its last axes must be " +
                            shape_text(argument.shape.data(), inner));
    if (outer > 1) return py::none();
    const py::ssize_t rows = outer == 0 ? 1 : array.shape(0);
    if (outer == 1) {
      if (n >= 0 && n != 1 && rows != 1 && rows != n)
        throw py::value_error("arguments have " + std::to_string(n) + " and " + std::to_string(rows) + " rows");
      if (n < 0 || n == 1) n = rows;
    }
    const py::ssize_t step = rows == 1 ? 0 : array.strides(0);
    const char* const first = static_cast<const char*>(array.data());
    for (std::size_t k = 0; k < argument.count; ++k) {
      py::ssize_t place = 0;
      auto rest = static_cast<py::ssize_t>(k);
      for (py::ssize_t d = inner - 1; d >= 0; --d) {
        const py::ssize_t size = argument.shape[static_cast<std::size_t>(d)];
        place += rest % size * array.strides(outer + d);
        rest /= size;
      }
      columns.push_back({first + place, step});
    }
  }
  const auto m = static_cast<py::ssize_t>(output_count());
  py::array_t<double> out = n < 0 ? py::array_t<double>(m) : py::array_t<double>({n, m});
  double* const data = out.mutable_data();
  unlocked([&] { run(columns, n < 0 ? 1 : static_cast<std::size_t>(n), data, threads); });
  return out;
}

void bind_function(py::module_& m) {
  py::class_<VectorFunction, std::shared_ptr<VectorFunction>>(m, "Function")
      .def("call", &VectorFunction::call, py::arg("values"), py::arg("threads") = 0)
      .def_property_readonly("output_count", &VectorFunction::output_count)
      .def_property_readonly("instructions", [](const VectorFunction& f) { return f.program().instructions.size(); })
      .def_property_readonly("arguments", [](const VectorFunction& f) {
        py::list list;
        for (const Argument& a : f.arguments()) list.append(py::make_tuple(a.name, py::tuple(py::cast(a.shape))));
        return list;
      });
}

}  // namespace kane::python
