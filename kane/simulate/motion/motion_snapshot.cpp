// MotionSimulator: taking snapshots and going back to them.

#include "kane/simulate/motion/motion_snapshot.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/simulate/motion/motion_simulator.hpp"

namespace kane {

SystemEvaluator::SavedChoice MotionSimulator::saved_choice() const {
  SystemEvaluator::SavedChoice saved{.choice = IndependentSpeeds(system_->row_count(), system_->speed_count())};
  evaluator_.save_choice(saved);
  return saved;
}

std::shared_ptr<MotionSnapshot::Data> MotionSimulator::make_snapshot() const {
  return std::make_shared<MotionSnapshot::Data>(system_, options_.method, saved_choice());
}

void MotionSimulator::exchange(MemoryArchive& a) {
  a(stop_, fresh_);
  inputs_.exchange(a);
  change_point_.exchange(a);
  energy_.exchange(a);
  jumps_.exchange(a);
  integrator_->exchange(a);
}

MotionSnapshot MotionSimulator::snapshot() {
  require(started_, "a snapshot can only be taken of a simulation that has been started");
  const std::shared_ptr<MotionSnapshot::Data> data = make_snapshot();
  data->state = state_;
  data->parameters = evaluator_.context().parameters;
  data->inputs.assign(evaluator_.inputs().begin(), evaluator_.inputs().end());
  data->evaluator_time = evaluator_.time();
  data->active.assign(system_->row_count(), false);
  for (const int row : evaluator_.active_rows()) data->active[at(row)] = true;
  data->mode = mode_;
  data->event = event_;
  MemoryArchive writer = MemoryArchive::writer(data->numbers);
  exchange(writer);
  return MotionSnapshot(data);
}

void MotionSimulator::restore(const MotionSnapshot& snapshot) {
  require(snapshot.data_ != nullptr, "an empty snapshot cannot be restored");
  const MotionSnapshot::Data& data = *snapshot.data_;
  require(data.system == system_ && data.method == options_.method,
          "this snapshot was taken of another system or with another method; restore it in a simulator of the same "
          "compiled system and method");
  state_ = data.state;
  evaluator_.set_parameters(data.parameters);
  evaluator_.set_inputs(data.inputs, data.evaluator_time);
  evaluator_.set_active(data.active);
  mode_ = data.mode;
  event_ = data.event;
  started_ = true;
  read_snapshot(data);
  evaluator_.restore_choice(data.choice);
  projector_.update_active();
  MemoryArchive reader = MemoryArchive::reader(data.numbers);
  exchange(reader);
  ensure(reader.finished(), "a snapshot is longer than the simulator that reads it");
}

void MotionSimulator::read_snapshot(const MotionSnapshot::Data& /*data*/) {}

}  // namespace kane
