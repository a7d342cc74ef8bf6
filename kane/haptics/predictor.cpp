#include "kane/haptics/predictor.hpp"
#include "kane/base/at.hpp"

#include <algorithm>

namespace kane {

namespace {

/// Inputs keep their present values in what lies ahead: controllers must not be asked before their time.
TickOptions without_inputs(TickOptions options) {
  options.inputs.clear();
  return options;
}

}  // namespace

Predictor::Predictor(TickSimulator& now, std::vector<VirtualCoupler> couplers, PredictorOptions options)
    : now_(now),
      ahead_(now.shared_system(), without_inputs(now.options())),
      couplers_(std::move(couplers)),
      options_(options),
      position_(couplers_.size()),
      speed_(couplers_.size()) {
  ahead_.share_parameters(now);
  now_.evaluator().reserve_prepared();
}

void Predictor::step(std::span<const double> position, std::span<const double> speed) {
  if (now_.holds_written()) return void(left_ = 0);  // the simulator ahead has no rows for it
  if (left_ == 0) {
    ahead_.copy_state(now_);
    std::ranges::copy(position, position_.begin());
    std::ranges::copy(speed, speed_.begin());
    left_ = options_.horizon;
    guess_ = static_cast<Guess>((static_cast<std::size_t>(guess_) + 1) % kGuesses);
  }
  const double period = now_.options().period;
  const double push = guess_ == Guess::Pushes ? options_.acceleration : -options_.acceleration;
  for (int k = 0; k < options_.pace && left_ > 0; ++k, --left_) {
    for (std::size_t i = 0; i < couplers_.size(); ++i) {
      if (guess_ != Guess::Continues) speed_[i] += period * (speed[i] < 0 ? -push : push);
      position_[i] += period * speed_[i];
      const auto image = ahead_.handle_motion(i);
      ahead_.apply_handle(i, couplers_[i].calc_force(position_[i], speed_[i], image.position, image.speed));
    }
    const TickReport ticked = ahead_.tick();
    if (ticked.status != TickStatus::Ok) return void(left_ = 0);
    if (ticked.events == 0) continue;
    now_.evaluator().prepare(ahead_.evaluator());
    ++predicted_[at(guess_)];
  }
}

}  // namespace kane
