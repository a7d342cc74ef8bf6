#include "kane/server/live_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "kane/base/error.hpp"

namespace kane {

namespace {

using RunJson = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using RunMessage = ClientMessage::Kind;

constexpr double kPicture = 1.0 / 60;  // s between frames

double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

std::string dump(const RunJson& j) { return j.dump(-1, ' ', false, RunJson::error_handler_t::replace); }

std::string error_json(const std::exception& error) {
  RunJson j{{"type", "error"}, {"message", error.what()}, {"line", 0}, {"column", 0}};
  if (const auto* model = dynamic_cast<const ModelError*>(&error))
    j["message"] = model->message(), j["line"] = model->where().line, j["column"] = model->where().column;
  return dump(j);
}

}  // namespace

LiveRun::LiveRun(LiveSource source, LiveListener listener)
    : path_(source.path), listener_(std::move(listener)), to_build_(std::move(source)) {
  builder_ = std::thread([this] { build_loop(); });
  mover_ = std::thread([this] { move_loop(); });
}

LiveRun::~LiveRun() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  wake_.notify_all();
  builder_.join();
  mover_.join();
}

void LiveRun::send(ClientMessage message) {
  {
    const std::lock_guard lock(mutex_);
    if (message.kind == RunMessage::Edit) {
      to_build_ = LiveSource{path_, "", std::move(message.text)};
    } else if (message.kind == RunMessage::Analyse) {
      to_analyse_ = true;
    } else {
      // Only the latest of what comes in streams counts.
      const bool stream = message.kind == RunMessage::Pull || message.kind == RunMessage::Parameter ||
                          message.kind == RunMessage::Input;
      if (stream && !inbox_.empty() && inbox_.back().kind == message.kind && inbox_.back().name == message.name)
        inbox_.back() = std::move(message);
      else if (constexpr std::size_t kMostWaiting = 1000; inbox_.size() < kMostWaiting)
        inbox_.push_back(std::move(message));
    }
  }
  wake_.notify_all();
}

void LiveRun::set_watchers(std::size_t count) {
  {
    const std::lock_guard lock(mutex_);
    watchers_ = count;
    if (count == 0) inbox_.push_back({.kind = RunMessage::Release});
  }
  wake_.notify_all();
}

std::vector<std::string> LiveRun::greeting() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> messages;
  if (shown_) messages.push_back(shown_->info);
  if (!equations_.empty()) messages.push_back(equations_);
  if (!error_.empty()) messages.push_back(error_);
  return messages;
}

std::shared_ptr<const std::string> LiveRun::latest_frame() {
  const std::lock_guard lock(mutex_);
  return frame_;
}

/// Derives and compiles the newest text; one that came in the meantime waits, those before it are skipped.
void LiveRun::build_loop() {
  std::uint32_t version = 0;
  while (true) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return end_ || to_build_.has_value() || to_analyse_; });
    if (end_) return;
    if (!to_build_) {
      to_analyse_ = false;
      const auto model = shown_;
      StartState start;
      start.parameters = parameters_set_;
      lock.unlock();
      if (model) tell(make_live_analysis(*model, start));
      continue;
    }
    const LiveSource source = std::move(*to_build_);
    to_build_.reset();
    lock.unlock();
    std::string error;
    std::shared_ptr<const LiveModel> built;
    try {
      built = make_live_model(source, ++version);
    } catch (const std::exception& failure) {
      error = error_json(failure);
    }
    {
      const std::lock_guard locked(mutex_);
      error_ = error;
      if (built) shown_ = built, equations_.clear(), parameters_set_.clear();
    }
    tell(built ? built->info : error);
    if (!built) continue;
    {  // after pages were informed: they ignore frames of models that they do not know
      const std::lock_guard locked(mutex_);
      built_ = built;
    }
    wake_.notify_all();
    std::string equations =
        dump({{"type", "equations"}, {"version", built->version}, {"html", make_live_equations(source)}});
    {
      const std::lock_guard locked(mutex_);
      equations_ = equations;
    }
    tell(std::move(equations));
  }
}

/// Goes on with another model: every coordinate and speed that it has, too, keeps its value.
void LiveRun::take_model() {
  std::shared_ptr<const LiveModel> next;
  {
    const std::lock_guard lock(mutex_);
    next = std::move(built_);
    built_.reset();
  }
  if (!next) return;
  StartState start;
  if (simulation_) {
    const EquationsOfMotion &before = simulation_->equations(), &after = next->model.equations();
    const State& state = simulation_->state();
    const auto keep = [](const std::vector<Expr>& had, const std::vector<double>& values, const std::vector<Expr>& has,
                         Values& to) {
      for (std::size_t i = 0; i < had.size(); ++i)
        if (std::any_of(has.begin(), has.end(), [&](const Expr& e) { return e.name() == had[i].name(); }))
          to[had[i].name()] = values[i];
    };
    keep(before.q, state.q, after.q, start.guess), keep(before.u, state.u, after.u, start.guess);
    start.t = state.t;
  }
  hand_.reset();
  std::unique_ptr<Simulation> made;
  const auto begin = [&](const StartState& at) {
    try {
      made = std::make_unique<Simulation>(next->model, at);
    } catch (const std::exception& error) {
      if (at.empty()) tell(error_json(error));
    }
  };
  begin(start);
  if (!made && !start.empty()) begin({});
  if (!made) return;
  simulation_ = std::move(made);
  live_ = std::move(next);
  parameters_.clear();
  failed_ = false;
  residual_ = 0;
  publish();
}

void LiveRun::fail(const std::string& sentence) {
  failed_ = true;
  playing_ = false;
  tell(dump({{"type", "stopped"}, {"t", simulation_->time()}, {"message", sentence}}));
}

void LiveRun::set_parameter(const std::string& name, double value) {
  const Values before = parameters_;
  const State state = simulation_->state();
  MotionSimulator& simulator = simulation_->simulator();
  const auto use = [&](const Values& values) {
    simulator.set_parameters(values);
    GivenValues guesses;  // everything may move to close the loops
    guesses.q.assign(state.q.size(), false), guesses.u.assign(state.u.size(), false);
    simulator.start(simulator.assemble(state, guesses));
  };
  try {
    parameters_[name] = value;
    use(parameters_);
    RunJson j{{"type", "values"}, {"version", live_->version}};
    j["values"] = live_->model.system()->calc_parameters(parameters_);
    tell(dump(j));
    failed_ = false;
    const std::lock_guard lock(mutex_);
    parameters_set_ = parameters_;
  } catch (const std::exception& error) {
    parameters_ = before;
    try {
      use(parameters_);
    } catch (const std::exception&) {  // it was closed before, and is so to rounding
    }
    tell(dump({{"type", "refused"}, {"name", name}, {"message", error.what()}}));
  }
}

void LiveRun::handle(const ClientMessage& m) {
  if (!simulation_) return;
  switch (m.kind) {
    case RunMessage::Play: playing_ = m.on && !failed_; break;
    case RunMessage::Step:
      playing_ = false;
      advance(simulation_->time() + 0.01);
      break;
    case RunMessage::Reset: {
      hand_.reset();
      simulation_ = std::make_unique<Simulation>(live_->model, StartState{.parameters = parameters_});
      failed_ = false;
      break;
    }
    case RunMessage::Resume: {
      State state = simulation_->state();
      require(m.state.size() == state.q.size() + state.u.size(), "the state has {} numbers, not {}",
              state.q.size() + state.u.size(), m.state.size());
      std::copy_n(m.state.begin(), state.q.size(), state.q.begin());
      std::copy(m.state.begin() + static_cast<std::ptrdiff_t>(state.q.size()), m.state.end(), state.u.begin());
      state.t = m.value;
      hand_.reset();
      simulation_->simulator().start(state);
      failed_ = false;
      break;
    }
    case RunMessage::Speed:
      require(m.value > 0 && m.value <= 100, "the speed must be between 0 and 100, not {}", m.value);
      speed_ = m.value;
      break;
    case RunMessage::Parameter: set_parameter(m.name, m.value); break;
    case RunMessage::Input: simulation_->set_input(m.name, m.value); break;
    case RunMessage::Pull:
      if (hand_ && hand_->body() == m.hold.body)
        hand_->move(m.hold.target);
      else
        hand_.reset(), hand_ = std::make_unique<Hand>(*simulation_, live_->picture, m.hold);
      break;
    case RunMessage::Release: hand_.reset(); break;
    case RunMessage::Analyse:
    case RunMessage::Open:
    case RunMessage::Edit:
    case RunMessage::Save: break;
  }
}

/// In parts of a millisecond while a hand holds it. Ends where the motion does, and after a picture's time at the latest.
void LiveRun::advance(double until) {
  const auto begin = Clock::now();
  while (simulation_->time() < until - 1e-12 && seconds(Clock::now() - begin) < 0.1) {
    if (hand_) hand_->tick();
    const double next = hand_ ? std::min(until, simulation_->time() + Hand::kTick) : until;
    const RunReport report = simulation_->advance(next - simulation_->time());
    constexpr std::size_t kMostTold = 8;
    for (std::size_t i = 0; i < std::min(report.events.size(), kMostTold); ++i)
      tell(dump({{"type", "event"}, {"t", report.events[i].t}, {"text", describe(report.events[i])}}));
    residual_ = report.constraints.configuration;
    if (report.failure) return fail(report.failure->message(simulation_->equations()));
    if (simulation_->simulator().stopped()) {
      playing_ = false;
      return tell(
          dump({{"type", "stopped"}, {"t", simulation_->time()}, {"message", "An event of the model ended the run."}}));
    }
  }
}

void LiveRun::publish() {
  const State& state = simulation_->state();
  const auto reports = simulation_->simulator().calc_reports(state);
  if (reports.empty()) return;
  const auto& columns = live_->picture.columns();
  const std::size_t states = state.q.size() + state.u.size();
  auto frame = std::make_shared<std::string>(64 + 8 * (states + columns.size()), '\0');
  char* to = frame->data();
  const auto put = [&](std::size_t at, const auto& value) { std::memcpy(to + at, &value, sizeof value); };
  put(0, std::uint32_t{0x314e414b});  // "KAN1"
  put(4, live_->version);
  put(8, state.t), put(16, pace_), put(24, hand_ ? hand_->force() : 0.0), put(32, hand_ ? hand_->energy() : 0.0);
  put(40, residual_);
  put(48, static_cast<std::uint32_t>((playing_ ? 1U : 0U) | (failed_ ? 2U : 0U) | (hand_ ? 4U : 0U)));
  put(52, static_cast<std::uint32_t>(states)), put(56, static_cast<std::uint32_t>(columns.size()));
  std::size_t at = 64;
  for (const auto* list : {&state.q, &state.u})
    for (const double x : *list) put(at, x), at += 8;
  for (const std::size_t place : columns) put(at, reports[place]), at += 8;
  {
    const std::lock_guard lock(mutex_);
    frame_ = std::move(frame);
  }
  listener_.on_frame();
}

void LiveRun::move_loop() {
  Clock::time_point last = Clock::now();
  while (true) {
    std::deque<ClientMessage> messages;
    bool fresh = false;
    {
      std::unique_lock lock(mutex_);
      // Messages wait for the first model.
      const auto due = [this] { return end_ || built_ != nullptr || (simulation_ && !inbox_.empty()); };
      if (simulation_ && playing_ && watchers_ > 0)
        wake_.wait_until(
            lock, last + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kPicture)), due);
      else
        wake_.wait(lock, [&] { return due() || (simulation_ && playing_ && watchers_ > 0); });
      if (end_) break;
      if (simulation_ || built_) messages.swap(inbox_);
      fresh = built_ != nullptr;
    }
    if (fresh) take_model();
    for (const ClientMessage& message : messages) try {
        handle(message);
      } catch (const std::exception& error) {
        tell(dump({{"type", "note"}, {"message", error.what()}}));
      }
    if (!simulation_) continue;
    const double dt = std::min(0.1, seconds(Clock::now() - last));
    if (playing_ && dt >= 0.9 * kPicture) {
      last = Clock::now();
      const double from = simulation_->time();
      try {
        advance(from + dt * speed_);
      } catch (const std::exception& error) {
        fail(error.what());
      }
      pace_ += 0.1 * ((simulation_->time() - from) / std::max(dt, seconds(Clock::now() - last)) - pace_);
      publish();
    } else if (!playing_ && !messages.empty()) {
      last = Clock::now();
      publish();
    } else if (!playing_) {
      last = Clock::now();
    }
  }
  hand_.reset();
}

}  // namespace kane
