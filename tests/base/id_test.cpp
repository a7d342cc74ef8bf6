#include "kane/base/id.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

namespace kane {
namespace {

struct BodyTag;
struct FrameTag;
using BodyId = Id<BodyTag>;
using FrameId = Id<FrameTag>;

TEST(Id, IsSmallAndKnowsItsIndex) {
  static_assert(sizeof(BodyId) == 4);
  static_assert(std::is_trivially_copyable_v<BodyId>);
  EXPECT_EQ(BodyId(7).index(), 7U);
  EXPECT_TRUE(BodyId(0).valid());
}

TEST(Id, WithoutIndexIsNotValid) {
  EXPECT_FALSE(BodyId().valid());
  EXPECT_NE(BodyId(), BodyId(0));
  EXPECT_EQ(BodyId(), BodyId());
}

TEST(Id, KindsDoNotMix) {
  static_assert(!std::is_convertible_v<BodyId, FrameId>);
  static_assert(!std::is_constructible_v<BodyId, FrameId>);
  static_assert(!std::is_convertible_v<std::size_t, BodyId>, "an index becomes an id only on request");
  static_assert(!std::is_convertible_v<BodyId, std::size_t>);
}

TEST(Id, IsOrderedByIndex) {
  EXPECT_LT(BodyId(1), BodyId(2));
  EXPECT_GT(BodyId(3), BodyId(2));
  EXPECT_EQ(BodyId(2), BodyId(2));
}

TEST(Id, IsAKeyOfHashTables) {
  const std::unordered_set<BodyId> set{BodyId(1), BodyId(2), BodyId(1), BodyId()};
  EXPECT_EQ(set.size(), 3U);
  EXPECT_TRUE(set.contains(BodyId(2)));
  EXPECT_FALSE(set.contains(BodyId(3)));
}

}  // namespace
}  // namespace kane
