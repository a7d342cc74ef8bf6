#pragma once
// Expressions compiled for many points at once.

#include <map>
#include <mutex>
#include <optional>

#include "kane/codegen/kernel.hpp"
#include "kane/program/lower.hpp"
#include "python/src/binding.hpp"

namespace kane::python {

/// One argument as the caller passes it: a number, or an array whose last axes are `shape`.
struct Argument {
  std::string name;                ///< for messages
  std::vector<py::ssize_t> shape;  ///< empty: a number
  std::size_t count = 1;           ///< numbers in it
};

/// A program with the arguments it is called with. Constant once made; threads may share one.
class VectorFunction {
 public:
  /// `symbols` of all numbers of the arguments, in order.
  VectorFunction(std::span<const Expr> outputs, std::vector<Argument> arguments, std::vector<std::string> symbols,
                 std::vector<NamedFunction> functions = {}, std::shared_ptr<const void> keep_alive = {});

  [[nodiscard]] std::size_t output_count() const { return program_->outputs.size(); }
  [[nodiscard]] const Program& program() const { return *program_; }
  [[nodiscard]] const std::vector<Argument>& arguments() const { return arguments_; }

  /// The outputs (m) or (n, m) for arguments with n rows; None if the arguments have more than one leading axis.
  [[nodiscard]] py::object call(const py::tuple& values, int threads) const;

 private:
  /// Where the numbers of one argument are; `step` bytes from one point to the next.
  struct Column {
    const char* first;
    py::ssize_t step;
  };
  struct Lane;
  void run(std::span<const Column> columns, std::size_t n, double* out, int threads) const;
  void run_part(const Kernel& kernel, std::span<const Column> columns, std::size_t begin, std::size_t end,
                double* out) const;
  [[nodiscard]] const Kernel& kernel(bool wide) const;
  [[nodiscard]] Workspace take(const Kernel& kernel) const;
  void give_back(const Kernel& kernel, Workspace workspace) const;

  std::vector<Argument> arguments_;
  std::vector<NamedFunction> functions_;
  std::shared_ptr<const void> keep_alive_;  ///< contexts of the functions
  std::shared_ptr<const Program> program_;
  mutable std::mutex mutex_;
  mutable std::optional<Kernel> narrow_, wide_;
  mutable std::vector<Workspace> spare_, wide_spare_;
};

}  // namespace kane::python
