#pragma once
// Shared by the tests of commands: the models of the project, and answers as JSON.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/command/run_command.hpp"

namespace kane::test {

/// "fourbar" or "damped_pendulum.csv", in models/.
[[nodiscard]] inline std::string model(const std::string& name) {
  return std::string(KANE_SOURCE_DIR) + "/models/" + name + (name.find('.') == std::string::npos ? ".yaml" : "");
}

[[nodiscard]] inline nlohmann::json run_json(std::vector<std::string> arguments, const std::string& input = {},
                                             int expected = 0) {
  arguments.emplace_back("--json");
  const auto result = run_kane(arguments, input);
  EXPECT_EQ(result.exit_code, expected) << result.err;
  return nlohmann::json::parse(result.out, nullptr, false);
}

}  // namespace kane::test
