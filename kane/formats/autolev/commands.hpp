#pragma once
// Internal to AUTOLEV: the tables of functions (calls with a value) and commands (calls that do something).

#include <map>
#include <string>
#include <vector>

#include "kane/formats/autolev/session.hpp"

namespace kane::autolev {

using FunctionHandler = Value (*)(Session&, const Node&);
using CommandHandler = void (*)(Session&, const Node&);

[[nodiscard]] const std::map<std::string, FunctionHandler, std::less<>>& function_table();
[[nodiscard]] const std::map<std::string, CommandHandler, std::less<>>& command_table();
[[nodiscard]] std::vector<std::string> function_words();

}  // namespace kane::autolev
