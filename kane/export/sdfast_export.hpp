#pragma once
// A mechanism as C code whose functions have the names and the calling conventions of SD/FAST, so that programs written for
// its code link against this.
//
// The code has tables of the bodies and joints and routines that work on them: kinematics joint by joint, Kane's equations
// with the partial velocities of each body, multipliers for loops and prescribed motions, reactions by Newton and Euler. They
// accept loads at any point and new parameters at run time, as that interface demands.

#include <string>
#include <vector>

#include "kane/codegen/emit/emit_source.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

struct SdfastExport {
  std::vector<SourceFile> files;   ///< the README last
  std::vector<std::string> notes;  ///< parts of the mechanism that the code lacks
};

/// What concerns the code rather than the mechanism.
struct SdfastCode {
  std::string prefix = "sd";  ///< of the functions
  int user_constraints = 0;   ///< that the program writes: sduperr, sduverr, sduaerr, sduconsfrc
};

/// `name`: of the files; "" = that of the mechanism. Throws ModelError for parts that the interface has no place for.
[[nodiscard]] SdfastExport export_sdfast(const Mechanism& mechanism, const std::string& name = "",
                                         const SdfastCode& code = {});

/// The routines, without tables.
[[nodiscard]] std::string_view sdfast_prototypes();
[[nodiscard]] std::string_view sdfast_dynamics();
[[nodiscard]] std::string_view sdfast_dynamics_interface();
[[nodiscard]] std::string_view sdfast_analyses();
[[nodiscard]] std::string_view sdfast_library();

}  // namespace kane
