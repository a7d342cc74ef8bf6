#include "kane/base/error.hpp"

#include <gtest/gtest.h>

namespace kane {
namespace {

TEST(Where, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ((Where{"a.yaml", 3, 7}.to_string()), "a.yaml:3:7");
  EXPECT_EQ((Where{"a.yaml", 3, 0}.to_string()), "a.yaml:3");
  EXPECT_EQ((Where{"a.yaml", 0, 7}.to_string()), "a.yaml");
  EXPECT_EQ((Where{"", 3, 7}.to_string()), "3:7");
  EXPECT_EQ(Where{}.to_string(), "");
}

TEST(ModelError, SaysThePlaceAndTheSentence) {
  const ModelError error(Where{"arm.yaml", 12, 5}, "the mass of 'rod' is negative");
  EXPECT_STREQ(error.what(), "arm.yaml:12:5: error: the mass of 'rod' is negative");
  EXPECT_EQ(error.message(), "the mass of 'rod' is negative");
  EXPECT_EQ(error.where().file, "arm.yaml");
  EXPECT_EQ(error.where().line, 12);
  EXPECT_EQ(error.where().column, 5);
}

TEST(ModelError, WithoutPlaceIsTheSentence) {
  const ModelError error("the mass is negative");
  EXPECT_STREQ(error.what(), "the mass is negative");
  EXPECT_EQ(error.message(), error.what());
  EXPECT_EQ(error.where().to_string(), "");
}

TEST(ModelError, KeepsItsTextWhenCopied) {
  const ModelError copy = [] {
    const ModelError original(Where{"a", 1, 1}, std::string(1000, 'x'));
    return ModelError(original);
  }();
  EXPECT_EQ(copy.message().size(), 1000U);
}

TEST(LimitError, IsAModelErrorWithAPlace) {
  try {
    throw LimitError(Where{"a.yaml", 1, 2}, "more than 10 nodes");
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "a.yaml:1:2: error: more than 10 nodes");
  }
}

TEST(Require, IsSilentWhenItHolds) { EXPECT_NO_THROW(require(true, "not said: {}", 1)); }

TEST(Require, AddressesTheUser) {
  try {
    require(false, "joint '{}' has {} axes", "elbow", 7);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "joint 'elbow' has 7 axes");
  }
}

TEST(Ensure, IsSilentWhenItHolds) { EXPECT_NO_THROW(ensure(true, "not said")); }

TEST(Ensure, SaysThatKaneIsWrong) {
  try {
    ensure(false, "node {} is older than its operand", 5);
    FAIL() << "no error";
  } catch (const InternalError& error) {
    EXPECT_STREQ(error.what(), "internal error: node 5 is older than its operand");
  }
}

// A reader that catches the user's errors must not swallow Kane's own.
TEST(Ensure, IsNoModelError) {
  static_assert(!std::is_base_of_v<ModelError, InternalError>);
  static_assert(!std::is_base_of_v<std::runtime_error, InternalError>);
}

}  // namespace
}  // namespace kane
