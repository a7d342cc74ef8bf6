#pragma once
// CODE: a script's equations of motion as a complete program in C, Fortran or MATLAB, and the file of values it reads.
//
// The values are read from FILE.in when the program starts: six lines of heading, then one line for each value with the
// number behind a "|" (constants, initial values, then TINITIAL TFINAL INTEGSTP PRINTINT ABSERR RELERR). The results are
// written to FILE.1, FILE.2, ..., one for each OUTPUT.

#include <string>
#include <string_view>
#include <vector>

#include "kane/formats/autolev/script_system.hpp"

namespace kane::autolev {

/// FILE.c (or .f, .for, .m), and FILE.in. Throws ModelError for other endings.
[[nodiscard]] std::vector<WrittenFile> emit_program(const ScriptSystem& system, const std::string& file);

/// CODE ALGEBRAIC and NONLINEAR: functions that compute everything OUTPUT and ENCODE ask for and, with equations, these and
/// their derivatives by the unknowns.
[[nodiscard]] std::vector<WrittenFile> emit_algebraic(Session& session, const CodeRequest& request);

/// The text of FILE.in.
[[nodiscard]] std::string input_file(const ScriptSystem& system);
/// Puts the values of such a file into the system. Throws ModelError with the line that is wrong.
void read_input_file(ScriptSystem& system, std::string_view text, const std::string& file);

}  // namespace kane::autolev
