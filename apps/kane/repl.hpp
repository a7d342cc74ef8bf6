#pragma once
// The interactive prompt on a terminal or a pipe.

namespace kane {

/// Reads lines until the end. On a terminal with line editing, history and completion if the library libedit is there.
void run_repl();

}  // namespace kane
