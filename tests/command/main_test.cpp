// Behaviour common to all sub-commands: help, version, exit codes, bad options.

#include <gtest/gtest.h>

#include "tests/command/run_command.hpp"

namespace kane::test {
namespace {

TEST(Command, HelpAndVersionSucceed) {
  const auto help = run_kane({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("expr"), std::string::npos);
  EXPECT_EQ(help.err, "");
  const auto version = run_kane({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out.substr(0, 5), "kane ");
  EXPECT_EQ(run_kane({"expr", "--help"}).exit_code, 0);
}

TEST(Command, WithoutArgumentsShowsHelpAndFails) {
  const auto result = run_kane({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.out.find("Usage"), std::string::npos);
}

TEST(Command, UnknownWordsAreNamedWithASuggestion) {
  const auto command = run_kane({"exprr", "x"});
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_NE(command.err.find("unknown command 'exprr'; did you mean 'expr'?"), std::string::npos) << command.err;
  const auto option = run_kane({"expr", "x", "--latx"});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_NE(option.err.find("unknown option '--latx'; did you mean '--latex'?"), std::string::npos) << option.err;
  const auto argument = run_kane({"expr", "x", "y"});
  EXPECT_EQ(argument.exit_code, 2);
  EXPECT_NE(argument.err.find("unknown argument 'y'"), std::string::npos) << argument.err;
}

TEST(Command, OptionsWithSeveralWordsLeaveTheModelAlone) {
  const std::string model = kModels + "double_pendulum.yaml";
  const auto expected = run_kane({"jacobian", model, "--point", "lower.com", "--set", "q1=0.4"});
  EXPECT_EQ(expected.exit_code, 0) << expected.err;
  const auto result = run_kane({"jacobian", "--point", "lower.com", model, "--set", "q1=0.4"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, expected.out);
  const auto missing = run_kane({"jacobian", "--point", "lower.com", "--set", "q1=0.4"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("model is required"), std::string::npos) << missing.err;
}

TEST(Command, AJointNameInASettingNamesItsCoordinate) {
  const auto result = run_kane({"evaluate", kModels + "bouncing_ball.yaml", "--set", "fall=1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("the coordinate of the joint 'fall' is 'y'"), std::string::npos) << result.err;
}

TEST(Command, CheckNamesARedundantConstraintOnce) {
  const std::string out = run_kane({"check", kModels + "bennett.yaml"}).out;
  for (const char* name : {"J4.z ", "J4.r1 ", "J4.r2 "}) {
    const std::string constraint = std::string("constraint ") + name;
    const std::size_t first = out.find(constraint);
    ASSERT_NE(first, std::string::npos) << out;
    EXPECT_EQ(out.find(constraint, first + 1), std::string::npos) << out;
  }
}

TEST(Command, MissingArgumentIsBadInput) {
  const auto result = run_kane({"expr"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("expression"), std::string::npos);
  EXPECT_EQ(result.out, "");
}

}  // namespace
}  // namespace kane::test
