#pragma once
// Pass: instructions and constants that no output needs are removed. Inputs stay, so that their indices do.

#include "kane/program/program.hpp"

namespace kane {

void remove_dead_code(Program& program);

}  // namespace kane
