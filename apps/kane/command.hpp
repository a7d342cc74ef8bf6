#pragma once
// The sub-commands of `kane`. Each lives in its own file and adds itself to the application: it declares its options
// and a callback that does the work, prints to standard output, and throws if it cannot.
//
// Exit codes: 0 success, 1 the run failed (RunFailed, or a bug in Kane), 2 the input was wrong (ModelError, bad options).

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>

namespace kane {

enum class ExitCode : int { Done = 0, RunFailed = 1, InputWrong = 2 };

/// The input was valid, but the work could not be finished (a simulation that stopped, a value that does not exist).
/// The message is a complete sentence.
class RunFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void add_expr_command(CLI::App& app);        // expr_command.cpp
void add_evaluate_command(CLI::App& app);    // evaluate_command.cpp
void add_derive_command(CLI::App& app);      // derive_command.cpp
void add_bench_command(CLI::App& app);       // bench_command.cpp
void add_check_command(CLI::App& app);       // check_command.cpp
void add_export_command(CLI::App& app);      // export_command.cpp
void add_haptics_command(CLI::App& app);     // haptics_command.cpp
void add_import_command(CLI::App& app);      // import_command.cpp
void add_linearize_command(CLI::App& app);   // linearize_command.cpp
void add_new_command(CLI::App& app);         // new_command.cpp
void add_run_command(CLI::App& app);         // run_command.cpp
void add_repl_command(CLI::App& app);        // run_command.cpp
void add_simulate_command(CLI::App& app);    // simulate_command.cpp
void add_completion_command(CLI::App& app);  // completion_command.cpp

/// The whole of standard input, for arguments given as "-".
[[nodiscard]] std::string read_standard_input();

}  // namespace kane
