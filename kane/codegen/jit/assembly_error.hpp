#pragma once
// Keeps the first error of the assembler, which would be a bug in Kane.

#include <asmjit/core.h>

#include <string>

#include "kane/base/error.hpp"

namespace kane {

class AssemblyError final : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error, const char* message, asmjit::BaseEmitter*) override {
    if (first_.empty()) first_ = message;
  }
  void check() const { ensure(first_.empty(), "the assembler refused an instruction: {}", first_); }

 private:
  std::string first_;
};

}  // namespace kane
