#pragma once
// Runs AArch64 kernels on any machine: a tiny program around the code, assembled by binutils, run by qemu-user.
//
// The functions that kernels call are stand-ins written in assembly, simple enough to be repeated exactly in C++:
//   sine x*x, cosine x+x; every other function of one value x+1, of two a-b; root x+n; external functions
//   (first argument, or 7 if there is none) + 2.
// They spoil every register that a function may spoil.

#include <filesystem>
#include <string>
#include <vector>

#include "kane/codegen/jit/generate_code.hpp"

namespace kane::test {

class A64Machine {
 public:
  A64Machine();
  ~A64Machine();
  A64Machine(const A64Machine&) = delete;
  A64Machine& operator=(const A64Machine&) = delete;

  /// The tools are installed.
  [[nodiscard]] static bool is_there();

  /// Addresses of the stand-ins.
  [[nodiscard]] static Runtime runtime(const Program& program);
  /// The value of an instruction with the stand-ins; `x(id)` gives that of an operand, `first` the first argument of an
  /// external function.
  [[nodiscard]] static double stand_in(const Instruction& i, double a, double b);
  [[nodiscard]] static bool has_stand_in(Code code);

  /// Runs all three stages on a workspace and gives it back.
  [[nodiscard]] std::vector<double> run(const GeneratedCode& code, const std::vector<double>& workspace);
  /// One line per instruction: mnemonic and operands.
  [[nodiscard]] std::vector<std::string> disassemble(const GeneratedCode& code);

 private:
  void write_code(const GeneratedCode& code) const;
  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

}  // namespace kane::test
