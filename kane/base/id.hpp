#pragma once
// Small typed indices by value: a BodyId does not convert to a FrameId.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace kane {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : index_(static_cast<std::uint32_t>(index)) {}

  [[nodiscard]] constexpr std::size_t index() const { return index_; }
  [[nodiscard]] constexpr bool valid() const { return index_ != kNone; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  std::uint32_t index_ = kNone;
};

}  // namespace kane

template <class Tag>
struct std::hash<kane::Id<Tag>> {
  std::size_t operator()(kane::Id<Tag> id) const noexcept { return std::hash<std::size_t>{}(id.index()); }
};
