// HybridSimulator: what a snapshot holds besides the parts that plain motion has too.

#include "kane/base/error.hpp"
#include "kane/simulate/switching/hybrid_simulator.hpp"

namespace kane {

struct HybridSimulator::Snapshot final : MotionSnapshot::Data {
  using Data::Data;
  SwitchedDynamics::Memory dynamics;
  std::string initial_mode;
  std::optional<RunFailure> failure;
  bool stepping = false;
  ContactStepper::Memory contacts;
};

std::shared_ptr<MotionSnapshot::Data> HybridSimulator::make_snapshot() const {
  auto data = std::make_shared<Snapshot>(system_, options_.method, saved_choice());
  dynamics_.save(data->dynamics);
  data->initial_mode = initial_mode_;
  data->failure = failure_;
  data->stepping = stepping_;
  if (stepping_) stepper_->save(data->contacts);
  return data;
}

void HybridSimulator::read_snapshot(const MotionSnapshot::Data& data) {
  const auto* own = dynamic_cast<const Snapshot*>(&data);
  ensure(own != nullptr, "a snapshot of plain motion is restored in switched motion");
  dynamics_.restore(own->dynamics);
  initial_mode_ = own->initial_mode;
  failure_ = own->failure;
  ContactSet& set = dynamics_.contact_set();
  if (own->stepping) {
    make_stepper();
    stepper_->restore(own->contacts);
    evaluator_.attach(nullptr);
  } else if (set.shapes) {
    evaluator_.attach(set.shapes.get());
  }
  stepping_ = own->stepping;
}

void HybridSimulator::exchange(MemoryArchive& a) {
  MotionSimulator::exchange(a);
  locator_->exchange(a);
  jump_.exchange(a);
  bool jumped = step_ == &jump_;
  std::size_t hits = hits_.size();
  a(bilateral_, initial_, phase_, disturbed_, safe_end_, tiny_steps_, at_once_, event_count_, last_event_, jumped,
    hits);
  hits_.resize(hits);
  a(contact_step_, takeovers_, stepped_h_, calm_from_, patience_, busy_from_, cost_, events_before_);
  a(before_.t, before_.q, before_.u, impulses_);
  work_before_ = dynamics_.work();
  for (EventHit& hit : hits_) a(hit.index, hit.time, hit.rising);
  step_ = jumped ? static_cast<Integrator*>(&jump_) : integrator_.get();
}

}  // namespace kane
