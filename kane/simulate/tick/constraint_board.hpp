#pragma once
// Where a thread that runs ticks and one that writes constraints meet, without locks: the writer posts a row that is ready to
// run, the next tick takes it; the writer takes it down, the next tick releases it. A place belongs to one side at a time, and its
// stage says which.

#include <atomic>
#include <memory>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/simulate/tick/written_constraint.hpp"

namespace kane {

/// The stage of a place for a constraint.
enum class HoldStage : std::uint8_t {
  Free,
  Wanted,    ///< posted, not yet seen by a tick
  Held,      ///< in force
  Unwanted,  ///< taken down, not yet seen by a tick
  Refused,   ///< it cannot hold together with the others
};

class ConstraintBoard {
 public:
  explicit ConstraintBoard(std::size_t places) : places_(places) {}

  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] HoldStage stage(std::size_t place) const {
    return places_[place].stage.load(std::memory_order_acquire);
  }

  // ---- the writer -------------------------------------------------------------------------------------------------------
  /// Throws ModelError if no place is free.
  std::size_t post(std::unique_ptr<WrittenRow> row) {
    std::size_t k = 0;
    while (k < places_.size() && stage(k) != HoldStage::Free && stage(k) != HoldStage::Refused) ++k;
    require(k < places_.size(), "at most {} constraints can be added and held at once; '{}' has to wait",
            places_.size(), row->constraint().name());
    places_[k].row = std::move(row);
    change(k, HoldStage::Wanted);
    return k;
  }
  void take_down(std::size_t place) {
    HoldStage held = HoldStage::Held, wanted = HoldStage::Wanted;
    std::atomic<HoldStage>& now = places_[place].stage;
    // A row that no tick has seen yet may be picked up in the meantime; then it is held.
    if (now.compare_exchange_strong(wanted, HoldStage::Unwanted) ||
        now.compare_exchange_strong(held, HoldStage::Unwanted))
      news_.fetch_add(1, std::memory_order_release);
  }

  // ---- ticks ------------------------------------------------------------------------------------------------------------
  /// Something was posted or taken down since this was asked last.
  [[nodiscard]] bool news() {
    const long now = news_.load(std::memory_order_acquire);
    return now != std::exchange(seen_, now);
  }
  [[nodiscard]] WrittenRow& row(std::size_t place) { return *places_[place].row; }
  /// From Wanted. False if it was taken down meanwhile.
  bool settle(std::size_t place, HoldStage stage) {
    HoldStage wanted = HoldStage::Wanted;
    return places_[place].stage.compare_exchange_strong(wanted, stage);
  }
  void let_go(std::size_t place) { places_[place].stage.store(HoldStage::Free, std::memory_order_release); }

 private:
  struct Place {
    std::atomic<HoldStage> stage{HoldStage::Free};
    std::unique_ptr<WrittenRow> row;
  };

  void change(std::size_t place, HoldStage stage) {
    places_[place].stage.store(stage, std::memory_order_release);
    news_.fetch_add(1, std::memory_order_release);
  }

  std::vector<Place> places_;
  std::atomic<long> news_{0};
  long seen_ = 0;
};

}  // namespace kane
