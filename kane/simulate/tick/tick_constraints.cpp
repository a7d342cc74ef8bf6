// Constraints added while ticks run: they are imposed by an impulse between two ticks, and released in the same way.

#include <algorithm>
#include <cmath>

#include "kane/simulate/tick/tick_simulator.hpp"

namespace kane {

std::size_t TickSimulator::impose(const std::string& name, const Expr& expression) {
  require(board_.size() > 0, "'{}' has no free rows for constraints added at run time", system_->equations().name);
  const std::scoped_lock lock(writing_);
  return board_.post(std::make_unique<WrittenRow>(
      std::make_shared<const WrittenConstraint>(*workshop_, name, expression), evaluator_.context()));
}

double TickSimulator::written_force(std::size_t place) const {
  return stage(place) == HoldStage::Held ? dynamics_.row_force(system_->first_free_row() + place) : 0.0;
}

/// The speeds jump onto it. False, with everything as before, if they cannot: it contradicts other constraints.
bool TickSimulator::hold_written(std::size_t place) {
  WrittenRow& row = board_.row(place);
  row.calc(state_.q, state_.u);
  row.hold_present();
  evaluator_.set_written(place, &row);
  dynamics_.set_written(place, true);
  saved_ = state_;
  if (dynamics_.impose(state_.q, state_.u)) {
    constexpr double kMet = 1e-8;
    const std::size_t at = system_->first_free_row() + place;
    double size = std::abs(evaluator_.b()[at]);
    for (std::size_t j = 0; j < saved_.u.size(); ++j) size += std::abs(evaluator_.jacobian()(at, j) * saved_.u[j]);
    if (std::abs(dynamics_.calc_row_speed(at, state_.u)) <= kMet * std::max(1.0, size)) return true;
  }
  state_ = saved_;
  drop_written(place);
  return false;
}

void TickSimulator::drop_written(std::size_t place) {
  dynamics_.set_written(place, false);
  evaluator_.set_written(place, nullptr);
}

/// Applies constraints posted and withdrawn since the last tick. Returns the number of changes, or -1 if no contact forces
/// exist with them.
int TickSimulator::take_written() {
  int changes = 0;
  situate(state_.t);
  for (std::size_t k = 0; k < board_.size(); ++k) {
    if (board_.stage(k) == HoldStage::Wanted) {
      const bool held = hold_written(k);
      if (board_.settle(k, held ? HoldStage::Held : HoldStage::Refused)) changes += held ? 1 : 0;
    }
    if (board_.stage(k) == HoldStage::Unwanted) {
      drop_written(k);
      board_.let_go(k);
      ++changes;
    }
  }
  if (changes > 0 && !dynamics_.settle(state_.q, state_.u).ok()) return -1;
  projector_.update_active();
  calc_functions(before_);
  return changes;
}

void TickSimulator::forget_written() {
  for (std::size_t k = 0; k < board_.size(); ++k) {
    if (board_.stage(k) != HoldStage::Held && board_.stage(k) != HoldStage::Unwanted) continue;
    drop_written(k);
    board_.let_go(k);
  }
}

}  // namespace kane
