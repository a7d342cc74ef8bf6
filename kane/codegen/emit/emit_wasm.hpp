#pragma once
// Programs as WebAssembly, for pages that run without Kane: the bytes of a module, written directly from the instructions.
//
// The module imports functions of one module "m" ("sin", "pow", ...), of doubles only, and exports
//
//     memory   doubles: the inputs of the program in its order (parameters, inputs, state), then results that one stage
//              hands to another, then the outputs from `first_output` on
//     p, u, x  the three stages, without arguments: write the parameters and call p, then the inputs and call u, then
//              the state and call x; call u after every p
//
// Fused multiply-adds become a product and a sum, since WebAssembly has none.

#include <cstdint>
#include <string_view>
#include <vector>

#include "kane/program/program.hpp"

namespace kane {

struct WasmModule {
  std::vector<std::uint8_t> bytes;
  std::uint32_t first_output = 0;  ///< place of the first output in the memory, in doubles
};

/// Functions longer than `part_length` instructions are split. Throws ModelError if the program calls functions of its user,
/// which a module cannot contain.
[[nodiscard]] WasmModule emit_wasm(const Program& program, std::uint32_t part_length = 2000);

/// JavaScript: an object of the functions that modules import.
[[nodiscard]] std::string_view wasm_imports_javascript();

}  // namespace kane
