#include "kane/haptics/haptic_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"

namespace kane {

namespace {

std::vector<VirtualCoupler> make_couplers(TickSimulator& simulator) {
  const EquationsOfMotion& e = simulator.system().equations();
  KernelRunner runner(&simulator.system().extra().handles(), simulator.evaluator().context());
  const auto y = runner.run(simulator.state().q, simulator.state().u);
  std::vector<VirtualCoupler> couplers;
  for (std::size_t i = 0; i < e.handles.size(); ++i) couplers.push_back({y[2 * i], y[2 * i + 1]});
  return couplers;
}

HapticSnapshot empty_snapshot(const EquationsOfMotion& e) {
  HapticSnapshot s;
  s.q.resize(e.q.size()), s.u.resize(e.u.size());
  for (auto* v : {&s.device, &s.image, &s.force}) v->resize(e.handles.size());
  return s;
}

std::size_t tick_count(const HapticOptions& options) {
  require(options.rate >= 1 && options.rate <= 1e5, "the rate must be between 1 Hz and 100 kHz, not {} Hz",
          options.rate);
  require(options.duration > 0 && options.duration * options.rate < 1e9,
          "the duration {} s is not possible: it must be positive, and shorter than 1e9 ticks", options.duration);
  return static_cast<std::size_t>(std::llround(options.duration * options.rate));
}

}  // namespace

HapticLoop::HapticLoop(TickSimulator& simulator, Device& device, HapticOptions options)
    : simulator_(simulator),
      device_(device),
      options_(options),
      axes_(simulator.system().equations().handles.size()),
      couplers_(make_couplers(simulator)),
      guard_(device, options.safety, 1 / options.rate),
      snapshots_(empty_snapshot(simulator.system().equations())),
      recording_({axes_, options.constraints.size(), options.display == Display::Admittance},
                 options.record ? tick_count(options) : 0) {
  (void)tick_count(options);
  require(axes_ > 0, "'{}' has no handle by which a device could hold it; add a section 'handle'",
          simulator.system().equations().name);
  require(device.axes() == axes_, "the device '{}' has {} axes, but the handle of '{}' has {}", device.name(),
          device.axes(), simulator.system().equations().name, axes_);
  require(std::abs(simulator.options().period * options.rate - 1) < 1e-9,
          "the simulation ticks every {} s, which does not match a rate of {} Hz", simulator.options().period,
          options.rate);
  for (std::size_t i = 0; i < axes_; ++i) {
    couplers_[i].wrap = device.axis(i).wrap;
    require(couplers_[i].stiffness >= 0 && couplers_[i].damping >= 0,
            "the coupler of the handle '{}' has a negative stiffness or damping",
            simulator.system().equations().handles[i].name);
    const double mass = device.axis(i).mass > 0 ? device.axis(i).mass : options.handle_mass, period = 1 / options.rate;
    const bool impedance = options.display == Display::Impedance;
    passivity_.emplace_back(
        period,
        impedance ? period * period / (2 * mass) : (options.hand_stiffness + options.hand_damping * options.rate) / 2,
        options.stored_energy);
  }
  for (auto* v : {&position_, &speed_, &force_, &shown_, &image_, &told_, &largest_}) v->resize(axes_);
  independent_.reserve(simulator.system().speed_count());
  require(options.handle_mass > 0 && options.hand_stiffness > 0 && options.hand_damping >= 0,
          "the mass of the handle and the stiffness of the hand must be positive, and the damping of the hand not "
          "negative");
  require(options.stored_energy >= 0 && std::isfinite(options.stored_energy),
          "the energy stored at the start must be finite and not negative, not {} J", options.stored_energy);
  require(options.wake_ahead >= 0 && options.wake_ahead <= 1,
          "waking {} s before a deadline is not possible; the range is 0 to 1 s", options.wake_ahead);
  wake_ahead_ns_ = std::llround(1e9 * std::min(options.wake_ahead, 0.5 / options.rate));
  require(options.ahead >= 0 && options.ahead <= 1, "looking {} s ahead is not possible; the range is 0 to 1 s",
          options.ahead);
  if (options.ahead > 0 && options.display == Display::Impedance)
    predictor_ = std::make_unique<Predictor>(
        simulator, couplers_,
        PredictorOptions{.horizon = std::max(1, static_cast<int>(std::lround(options.ahead * options.rate)))});
}

std::vector<std::string> HapticLoop::axis_names() const {
  std::vector<std::string> names;
  for (const auto& h : simulator_.system().equations().handles) names.push_back(h.name);
  return names;
}

std::string HapticLoop::check_margin(std::size_t axis) const {
  const VirtualCoupler& coupler = couplers_[axis];
  const DeviceAxis device = device_.axis(axis);
  const double period = 1 / options_.rate, needed = needed_damping(coupler, period), k = coupler.stiffness;
  std::string text;
  const auto add = [&](const std::string& sentence) { text += (text.empty() ? "" : ". ") + sentence; };
  if (device.damping == 0 && k > 0) {
    add(
        fmt::format("the device's damping is unknown; it must exceed K T/2 + |B| = {:.4g}, or the sampled coupler may "
                    "generate energy",
                    needed));
  } else if (device.damping > 0 && device.damping <= needed) {
    const double allowed = largest_stiffness(coupler, device.damping, period);
    add(fmt::format(
        "the device's damping {:.4g} does not exceed K T/2 + |B| = {:.4g}; the sampled coupler may generate "
        "energy. {}",
        device.damping, needed,
        allowed > 0 ? fmt::format("With this damping a stiffness below {:.4g} would be safe", allowed)
                    : std::string("The coupler's damping alone is too large for this device")));
  }
  if (device.resolution > 0 && device.friction > 0 && k * device.resolution > 2 * device.friction)
    add(fmt::format(
        "the resolution of the position sensor, {:.4g}, lets the coupler generate more energy than the device's "
        "friction {:.4g} dissipates; a stiffness below {:.4g} would be safe",
        device.resolution, device.friction, 2 * device.friction / device.resolution));
  if (device.max_stiffness > 0 && k > device.max_stiffness)
    add(fmt::format("the stiffness {:.4g} exceeds the {:.4g} that the device can display", k, device.max_stiffness));
  return text;
}

std::vector<std::string> HapticLoop::check_margins() const {
  std::vector<std::string> warnings;
  const auto names = axis_names();
  for (std::size_t i = 0; i < axes_; ++i)
    if (const std::string text = check_margin(i); !text.empty())
      warnings.push_back(fmt::format("axis '{}': {}", names[i], text));
  return warnings;
}

/// Forces of the couplers on the images, and the force displayed to the hand: the opposite of the force on the image.
void HapticLoop::couple() {
  const bool impedance = options_.display == Display::Impedance;
  for (std::size_t i = 0; i < axes_; ++i) {
    const auto image = simulator_.handle_motion(i);
    image_[i] = image.position;
    double on_image =
        impedance ? couplers_[i].calc_force(position_[i], speed_[i], image.position, image.speed) : force_[i];
    on_image = guard_.limit_force(i, on_image);
    if (impedance) on_image *= guard_.gain();  // a force that was sensed is there, whether ramped or not
    shown_[i] = 0;
    if (impedance) {
      double resist = passivity_[i].control_force(on_image, position_[i], speed_[i], options_.passivity);
      const double possible = guard_.limit_force(i, resist, guard_.gain());
      if (possible != resist) resist = passivity_[i].limit(possible);
      shown_[i] = -resist;
    } else {
      passivity_[i].note_force(force_[i]);
    }
    simulator_.apply_handle(i, on_image);
    largest_[i] = std::max(largest_[i], std::abs(on_image));
  }
}

/// Admittance: the images have moved; the displayed motion follows them as far as energy allows, and catches up later.
void HapticLoop::show_motion() {
  constexpr double kCatchUp = 0.05;  // s
  const double share = std::min(1.0, 1 / (options_.rate * kCatchUp));
  for (std::size_t i = 0; i < axes_; ++i) {
    const double now = simulator_.handle_motion(i).position, step = now - image_[i] + share * (image_[i] - told_[i]);
    told_[i] += guard_.limit_step(i, passivity_[i].control_motion(step, force_[i], options_.passivity));
    image_[i] = now;
  }
}

bool HapticLoop::note_choice() {
  const auto now = simulator_.evaluator().independent();
  if (std::ranges::equal(now, independent_)) return false;
  independent_.assign(now.begin(), now.end());
  return true;
}

void HapticLoop::record(double t) {
  recording_.begin(t, guard_.counted());
  for (std::size_t i = 0; writer_ && i < options_.constraints.size(); ++i) recording_.add_held(i, writer_->held(i));
  recording_.add(position_, speed_, force_, options_.display == Display::Impedance ? shown_ : told_);
}

void HapticLoop::follow_constraints(double t) {
  for (std::size_t i = 0; i < options_.constraints.size(); ++i) writer_->follow(i, device_.held(i) == 1, t);
}

TickReport HapticLoop::tick(double t, HapticReport& report) {
  const bool fresh = device_.read(t, position_, speed_, force_);
  if (!fresh) ++report.stale;
  guard_.check(t, fresh, position_, speed_, force_);
  couple();
  if (replayed_) follow_constraints(t);
  const TickReport ticked = simulator_.tick();
  if (ticked.status != TickStatus::Ok) std::fill(shown_.begin(), shown_.end(), 0.0);  // nothing is known any more
  if (options_.display == Display::Admittance)
    show_motion();
  else
    for (std::size_t i = 0; i < axes_; ++i) told_[i] = image_[i] = simulator_.handle_motion(i).position;
  device_.write(t, shown_, told_);
  if (options_.record) record(t);
  return ticked;
}

/// Rehearsals that might not finish in time are skipped; they change nothing, so runs stay repeatable.
void HapticLoop::wait_until(std::int64_t deadline, HapticReport& report) {
  sleep_until_ns(deadline - wake_ahead_ns_);
  if (wake_ahead_ns_ == 0) return;
  const std::int64_t awake = now_ns();
  if (awake + rehearsal_ns_ < deadline) {
    simulator_.rehearse();
    const std::int64_t took = now_ns() - awake;
    report.rehearsal.add(took);
    rehearsal_ns_ = std::max(took + took / 2, rehearsal_ns_ - rehearsal_ns_ / 16);
  } else {
    rehearsal_ns_ -= rehearsal_ns_ / 16;  // so that one interrupted rehearsal does not prevent all later ones
  }
  while (now_ns() < deadline) relax();
}

void HapticLoop::publish(double t, const HapticReport& report) {
  HapticSnapshot& s = snapshots_.draft();
  s.t = t;
  s.q = simulator_.state().q, s.u = simulator_.state().u;
  s.device = position_, s.image = image_, s.force = shown_;
  s.ticks = report.ticks, s.missed = report.missed, s.events = report.events;
  snapshots_.publish();
}

HapticReport HapticLoop::run() {
  HapticReport report;
  report.warnings = check_margins();
  for (auto& p : passivity_) p.reset();
  std::fill(largest_.begin(), largest_.end(), 0.0);
  for (std::size_t i = 0; i < axes_; ++i) told_[i] = image_[i] = simulator_.handle_motion(i).position;
  device_.start(image_);
  guard_.start(image_);
  const auto ticks = static_cast<long>(tick_count(options_));
  const double period = 1 / options_.rate;
  const auto period_ns = std::llround(1e9 * period);
  std::optional<RealTimeScope> scope;
  if (options_.real_time) {
    scope.emplace();
    report.real_time = scope->report();
  }
  replayed_ = !options_.constraints.empty() && device_.held(0) >= 0;
  if (!options_.constraints.empty())
    writer_ = std::make_unique<ConstraintWriter>(simulator_, options_.constraints, replayed_);
  // Code and data of a change are in memory, and its kernels have run, before the first deadline.
  constexpr int kRehearsals = 4;
  for (int k = 0; options_.paced && k < kRehearsals; ++k) simulator_.rehearse();
  const ThreadTroubles troubles = thread_troubles();
  (void)note_choice();
  const std::int64_t begin = now_ns();
  std::int64_t deadline = begin, last = begin;
  for (long k = 0; k < ticks && !stop_.load(std::memory_order_relaxed); ++k) {
    if (options_.paced) wait_until(deadline, report);
    const std::int64_t start = now_ns(), worked = options_.paced ? thread_ns() : 0;
    if (k > 0) report.period.add(start - last);
    last = start;
    const TickReport ticked = tick(static_cast<double>(k) * period, report);
    const std::int64_t end = now_ns();
    ++report.ticks;
    if (writer_) writer_->note_time(static_cast<double>(k + 1) * period);
    report.compute.add(end - start);
    report.events += ticked.events;
    if (ticked.events > 0) ++report.event_ticks, report.event_compute.add(end - start);
    if (note_choice()) ++report.reselections;
    publish(static_cast<double>(k) * period, report);
    std::int64_t done = end;
    if (predictor_ && ticked.status == TickStatus::Ok) {
      predictor_->step(position_, speed_);
      done = now_ns();
      report.ahead.add(done - end);
    }
    deadline += period_ns;
    if (options_.paced && done > deadline) {
      const std::int64_t late = (done - deadline) / period_ns + 1;
      report.missed += late;
      // Without the time that others had, would it have been in time?
      if (start + (thread_ns() - worked) <= deadline) report.missed_waiting += late;
      deadline += late * period_ns;
    }
    if (ticked.status != TickStatus::Ok || ticked.stop) {
      report.status = ticked.status;
      report.stopped = ticked.stop;
      break;
    }
  }
  device_.stop(static_cast<double>(report.ticks) * period);
  report.rejected = guard_.rejected(), report.releases = guard_.releases();
  if (report.rejected > 0)
    report.warnings.push_back(fmt::format("{} of the device not believed; first, {}",
                                          counted(report.rejected, "sample"), guard_.first_trouble(axis_names())));
  report.stopped = report.stopped || stop_.load(std::memory_order_relaxed);
  report.duration = static_cast<double>(now_ns() - begin) * 1e-9;
  if (writer_) report.constraints = writer_->finish();
  writer_.reset();
  const ThreadTroubles now = thread_troubles();
  report.troubles = {now.page_faults - troubles.page_faults, now.interruptions - troubles.interruptions};
  if (predictor_) report.predicted = predictor_->predicted(), report.prepared = simulator_.evaluator().adopted();
  add_axes(report);
  return report;
}

void HapticLoop::add_axes(HapticReport& report) const {
  const auto names = axis_names();
  for (std::size_t i = 0; i < axes_; ++i)
    report.axes.push_back({names[i], couplers_[i], device_.axis(i).damping,
                           needed_damping(couplers_[i], 1 / options_.rate), largest_[i], passivity_[i].least_energy(),
                           passivity_[i].energy(), passivity_[i].dissipated(), passivity_[i].largest_error(),
                           passivity_[i].interventions()});
}

}  // namespace kane
