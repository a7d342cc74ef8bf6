#pragma once
// External functions of a program: tables, motor curves, user code. A program names them; the
// caller that runs it supplies them.

#include <span>
#include <string>
#include <vector>

#include "kane/program/program.hpp"

namespace kane {

/// `call` gets the arguments in order (as many as the arity says) and `context`. It must not throw, and must
/// be safe to call from several threads if several threads evaluate.
struct ExternalFunction {
  double (*call)(const double* arguments, void* context) = nullptr;
  void* context = nullptr;
};

struct NamedFunction {
  std::string name;
  int arity = 0;
  ExternalFunction function;
};

/// The functions of `program`, in its order. Throws ModelError naming the first that `available` does not
/// have, or has with another number of arguments.
[[nodiscard]] std::vector<ExternalFunction> bind_functions(const Program& program,
                                                           std::span<const NamedFunction> available);

}  // namespace kane
