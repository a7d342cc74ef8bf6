// Whatever bytes it gets, the reader of program files gives a program that can be run, or a ModelError.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/program/interpreter.hpp"
#include "kane/program/program_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The checksum is made to fit, or every input would end there.
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::uint32_t checksum = kane::calc_checksum(bytes);
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(checksum >> (8 * i));
  try {
    const auto program = std::make_shared<kane::Program>(kane::read_program(bytes));
    const kane::ExternalFunction one{[](const double*, void*) { return 1.0; }, nullptr};
    kane::Interpreter run(program, std::vector<kane::ExternalFunction>(program->functions.size(), one));
    std::vector<double> outputs(program->outputs.size());
    run.evaluate(std::vector<double>(program->input_count[2], 0.5), outputs);
    if (kane::write_program(kane::read_program(kane::write_program(*program))) != kane::write_program(*program))
      __builtin_trap();
  } catch (const kane::ModelError&) {
  }
  return 0;
}
