#include "kane/base/suggest.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace kane {
namespace {

TEST(EditDistance, KnownValues) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("mass", "mass"), 0);
  EXPECT_EQ(edit_distance("mass", ""), 4);
  EXPECT_EQ(edit_distance("", "mass"), 4);
  EXPECT_EQ(edit_distance("mas", "mass"), 1);
  EXPECT_EQ(edit_distance("mass", "mash"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("sunday", "saturday"), 3);
}

TEST(EditDistance, NeighboursSwappedAreOneMistake) {
  EXPECT_EQ(edit_distance("parnet", "parent"), 1);
  EXPECT_EQ(edit_distance("ab", "ba"), 1);
  // Each letter moves at most once: restricted (optimal string alignment) distance.
  EXPECT_EQ(edit_distance("ca", "abc"), 3);
}

/// The textbook recursion, without tables: slow, but written from the definition.
int plain_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return static_cast<int>(a.size() + b.size());
  const auto a1 = a.substr(0, a.size() - 1), b1 = b.substr(0, b.size() - 1);
  int best = std::min(
      {plain_distance(a1, b) + 1, plain_distance(a, b1) + 1, plain_distance(a1, b1) + (a.back() == b.back() ? 0 : 1)});
  if (a1.size() > 0 && b1.size() > 0 && a.back() == b1.back() && a1.back() == b.back())
    best = std::min(best, plain_distance(a1.substr(0, a1.size() - 1), b1.substr(0, b1.size() - 1)) + 1);
  return best;
}

std::string random_word(std::size_t longest) {
  const auto length = *rc::gen::inRange<std::size_t>(0, longest + 1);
  return *rc::gen::container<std::string>(length, rc::gen::inRange('a', 'd'));
}

TEST(EditDistance, AgreesWithTheDefinition) {
  EXPECT_TRUE(rc::check([] {
    const auto a = random_word(6), b = random_word(6);
    RC_ASSERT(edit_distance(a, b) == plain_distance(a, b));
  }));
}

TEST(EditDistance, IsSymmetricAndBounded) {
  EXPECT_TRUE(rc::check([] {
    const auto a = random_word(20), b = random_word(20);
    const int d = edit_distance(a, b);
    RC_ASSERT(d == edit_distance(b, a));
    RC_ASSERT(d <= static_cast<int>(std::max(a.size(), b.size())));
    RC_ASSERT((d == 0) == (a == b));
  }));
}

const std::vector<std::string> kKnown{"mass", "inertia", "length", "L", "theta_1", "theta_2"};

TEST(FindNearestName, FindsMisspellings) {
  EXPECT_EQ(find_nearest_name("mas", kKnown), "mass");
  EXPECT_EQ(find_nearest_name("intertia", kKnown), "inertia");
  EXPECT_EQ(find_nearest_name("lenght", kKnown), "length");
  EXPECT_EQ(find_nearest_name("theta_3", kKnown), "theta_1");  // the first of equally near ones
}

TEST(FindNearestName, ForgivesCapitals) {
  EXPECT_EQ(find_nearest_name("LENGTH", kKnown), "length");
  EXPECT_EQ(find_nearest_name("l", kKnown), "L");
}

TEST(FindNearestName, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(find_nearest_name("gravity", kKnown), std::nullopt);
  EXPECT_EQ(find_nearest_name("", kKnown), std::nullopt);
  EXPECT_EQ(find_nearest_name("mass", {}), std::nullopt);
  EXPECT_EQ(find_nearest_name("B", {"t", "g"}), std::nullopt);  // another name, not a misspelt one
  EXPECT_EQ(find_nearest_name("qb", {"qa", "xy"}), "qa");
}

TEST(FindNearestName, HostileLengthsCostNothing) {
  const std::string huge(10'000'000, 'm');
  EXPECT_EQ(find_nearest_name(huge, kKnown), std::nullopt);
  EXPECT_EQ(find_nearest_name("mas", {huge, "mass"}), "mass");
}

TEST(Suggestion, IsAPartOfASentence) {
  EXPECT_EQ("unknown name 'mas'" + suggestion("mas", kKnown), "unknown name 'mas'; did you mean 'mass'?");
  EXPECT_EQ(suggestion("gravity", kKnown), "");
}

}  // namespace
}  // namespace kane
