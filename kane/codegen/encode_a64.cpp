#include "kane/base/error.hpp"
#include "kane/codegen/machine_code.hpp"
namespace kane {
MachineCode encode_a64(const MachineProgram&, const Layout&, const Target&, const Runtime&) {
  throw InternalError("later");
}
}  // namespace kane
