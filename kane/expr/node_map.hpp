#pragma once
// Internal to expr: a value per node for a walk over part of a graph. The nodes of a small expression may be spread
// over a large graph, so memory is allocated in pages as the walk reaches them.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "kane/expr/expr.hpp"

namespace kane {

template <class T>
class NodeMap {
 public:
  /// With room for the nodes 0 ... size-1 (it grows when one beyond is set); all have the value `initial` until another
  /// is set.
  explicit NodeMap(std::size_t size, T initial = T()) : pages_((size >> kPageBits) + 1), initial_(initial) {}

  [[nodiscard]] T operator[](NodeId id) const {
    const std::size_t page = id >> kPageBits;
    return page < pages_.size() && pages_[page] ? pages_[page][id & kMask] : initial_;
  }

  void set(NodeId id, T value) { page_of(id)[id & kMask] = value; }

  /// Sets the value and returns whether it was different before.
  bool change(NodeId id, T value) {
    T& known = page_of(id)[id & kMask];
    if (known == value) return false;
    known = value;
    return true;
  }

 private:
  static constexpr std::size_t kPageBits = 9;
  static constexpr std::size_t kPageSize = std::size_t{1} << kPageBits;
  static constexpr std::size_t kMask = kPageSize - 1;

  T* page_of(NodeId id) {
    if (id >> kPageBits >= pages_.size()) pages_.resize((id >> kPageBits) + 1);
    auto& page = pages_[id >> kPageBits];
    if (!page) {
      page = std::make_unique_for_overwrite<T[]>(kPageSize);
      std::fill_n(page.get(), kPageSize, initial_);
    }
    return page.get();
  }

  std::vector<std::unique_ptr<T[]>> pages_;
  T initial_;
};

}  // namespace kane
