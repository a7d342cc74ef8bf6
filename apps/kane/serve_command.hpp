#pragma once

#include <CLI/CLI.hpp>

namespace kane {

void add_serve_command(CLI::App& app);

}  // namespace kane
