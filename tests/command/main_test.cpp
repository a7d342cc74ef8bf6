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

TEST(Command, MissingArgumentIsBadInput) {
  const auto result = run_kane({"expr"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("expression"), std::string::npos);
  EXPECT_EQ(result.out, "");
}

}  // namespace
}  // namespace kane::test
