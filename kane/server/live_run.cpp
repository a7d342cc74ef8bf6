#include "kane/server/live_run.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
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

/// Speeds meet constraints that are imposed in an instant by an impulse: M (u+ - u) = A' l with A u+ + b = 0.
void strike(const LiveModel& live, StartState& start) {
  const Start at = live.model.start(start);
  const EquationsOfMotion& e = live.model.equations();
  std::vector<double> q = at.state.q, u = at.state.u;
  for (std::size_t i = 0; i < q.size(); ++i)
    if (const auto found = start.guess.find(e.q[i].name()); found != start.guess.end()) q[i] = found->second;
  for (std::size_t i = 0; i < u.size(); ++i)
    if (const auto found = start.guess.find(e.u[i].name()); found != start.guess.end()) u[i] = found->second;
  const auto evaluator = live.model.make_evaluator(at);
  evaluator->set_inputs(at.inputs, start.t.value_or(0));
  evaluator->calc_mass(q, u);
  evaluator->calc_constraints(q, u);
  const ConstMatrixView mass = evaluator->mass_matrix(), rows = evaluator->active_jacobian();
  const auto n = static_cast<Eigen::Index>(u.size()), m = static_cast<Eigen::Index>(evaluator->active_rows().size());
  if (m == 0 || n == 0) return;
  Eigen::MatrixXd M(n, n), A(m, n);
  Eigen::VectorXd gap(m);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index k = 0; k < n; ++k) M(i, k) = mass(static_cast<std::size_t>(i), static_cast<std::size_t>(k));
  for (Eigen::Index i = 0; i < m; ++i) {
    gap(i) = evaluator->active_b()[static_cast<std::size_t>(i)];
    for (Eigen::Index k = 0; k < n; ++k) {
      A(i, k) = rows(static_cast<std::size_t>(i), static_cast<std::size_t>(k));
      gap(i) += A(i, k) * u[static_cast<std::size_t>(k)];
    }
  }
  const Eigen::MatrixXd spread = M.fullPivLu().solve(A.transpose());
  const Eigen::VectorXd impulse = (A * spread).completeOrthogonalDecomposition().solve(-gap);
  const Eigen::VectorXd change = spread * impulse;
  if (!change.allFinite()) return;
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    start.guess[e.u[k].name()] = u[k] + change(i);
  }
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
      LiveSource next{path_, "", std::move(message.text), {}, {}};
      next.locked = source_.locked, next.imposed = source_.imposed;
      to_build_ = std::move(next);
    } else if (message.kind == RunMessage::Lock || message.kind == RunMessage::Impose) {
      switch_part(message);
    } else if (message.kind == RunMessage::Analyse) {
      to_analyse_ = true;
    } else if (message.kind == RunMessage::Derive) {
      to_derive_ = DerivationRequest{message.name, std::move(message.definitions), std::move(message.steps)};
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

/// Called with the lock held.
void LiveRun::switch_part(const ClientMessage& message) {
  LiveSource next = to_build_ ? *to_build_ : source_;
  if (message.kind == RunMessage::Impose)
    next.imposed[message.name] = message.on;
  else if (message.on)
    next.locked.insert(message.name);
  else
    next.locked.erase(message.name);
  constexpr std::size_t kMostSwitched = 1000;
  if (next.locked.size() + next.imposed.size() <= kMostSwitched) to_build_ = std::move(next);
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
  if (shown_) messages.push_back(shown_->info), messages.push_back(locks_json());
  if (!equations_.empty()) messages.push_back(equations_);
  if (!error_.empty()) messages.push_back(error_);
  return messages;
}

std::shared_ptr<const std::string> LiveRun::latest_frame() {
  const std::lock_guard lock(mutex_);
  return frame_;
}

std::string LiveRun::locks_json() const {
  RunJson j{{"type", "locks"}, {"locked", RunJson::array()}, {"constraints", RunJson::array()}};
  for (const std::string& name : shown_->locked) j["locked"].push_back(name);
  for (const auto& [name, on] : shown_->constraints) j["constraints"].push_back({{"name", name}, {"on", on}});
  return dump(j);
}

/// Derives and compiles the newest text; one that came in the meantime waits, those before it are skipped. What is only read
/// comes after what runs.
void LiveRun::build_loop() {
  while (true) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return end_ || to_build_.has_value() || to_analyse_ || to_derive_.has_value(); });
    if (end_) return;
    if (to_build_) {
      LiveSource source = std::move(*to_build_);
      to_build_.reset();
      lock.unlock();
      build(std::move(source));
    } else if (to_derive_) {
      const DerivationRequest request = std::move(*to_derive_);
      to_derive_.reset();
      const LiveSource source = source_;
      const std::uint32_t version = version_;
      const bool ready = shown_ != nullptr;
      lock.unlock();
      if (ready) tell(make_live_derivation(source, version, request));
    } else {
      to_analyse_ = false;
      const auto model = shown_;
      StartState start;
      start.parameters = parameters_set_;
      lock.unlock();
      if (model) tell(make_live_analysis(*model, start));
    }
  }
}

void LiveRun::build(LiveSource source) {
  std::string error;
  std::shared_ptr<const LiveModel> built;
  const std::uint32_t version = version_ + 1;
  try {
    built = make_live_model(source, version);
  } catch (const std::exception& failure) {
    // What was switched by a click is no mistake of the text.
    error = shown_ && source.same_text(source_) ? dump({{"type", "note"}, {"message", failure.what()}})
                                                : error_json(failure);
  }
  if (!built) {
    const bool of_text = !(shown_ && source.same_text(source_));
    {
      const std::lock_guard lock(mutex_);
      if (of_text) error_ = error;
    }
    tell(error);
    if (shown_) tell(locks_json());
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    if (!source.same_text(source_)) parameters_set_.clear();
    error_.clear();
    shown_ = built, version_ = version, source_ = source, equations_.clear();
    announcing_ = true;
  }
  tell(built->info);
  tell(locks_json());
  {  // after pages were informed: they ignore frames of models that they do not know
    const std::lock_guard lock(mutex_);
    built_ = built;
    announcing_ = false;
  }
  wake_.notify_all();
  std::string equations = make_live_derivation(source, version, {});
  {
    const std::lock_guard lock(mutex_);
    equations_ = equations;
  }
  tell(std::move(equations));
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
    if (next->text == live_->text) start.parameters = parameters_;
    if (next->locked != live_->locked || next->constraints != live_->constraints) strike(*next, start);
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
  const bool kept = made != nullptr;
  if (!made && !start.empty()) begin({});
  if (!made) return;
  simulation_ = std::move(made);
  live_ = std::move(next);
  parameters_ = kept ? start.parameters : Values{};
  if (!parameters_.empty()) tell_values();
  failed_ = false;
  residual_ = 0;
  publish();
}

void LiveRun::fail(const std::string& sentence) {
  failed_ = true;
  playing_ = false;
  tell(dump({{"type", "stopped"}, {"t", simulation_->time()}, {"message", sentence}}));
}

void LiveRun::tell_values() {
  RunJson j{{"type", "values"}, {"version", live_->version}};
  j["values"] = live_->model.system()->calc_parameters(parameters_);
  tell(dump(j));
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
    {  // before the answer, after which a page may ask for an analysis
      const std::lock_guard lock(mutex_);
      parameters_set_ = parameters_;
    }
    tell_values();
    failed_ = false;
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
    case RunMessage::Step: {
      playing_ = false;
      constexpr int kMostParts = 50;  // of a picture's time
      const double end = simulation_->time() + 0.01;
      for (int k = 0; k < kMostParts && simulation_->time() < end - 1e-12 && !failed_; ++k) {
        advance(end);
        if (simulation_->simulator().stopped()) break;
      }
      break;
    }
    case RunMessage::Reset: {
      hand_.reset();
      simulation_ = std::make_unique<Simulation>(live_->model, StartState{.parameters = parameters_});
      failed_ = false;
      if (m.mark != 0) mark_ = m.mark;
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
      if (m.mark != 0) mark_ = m.mark;
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
    case RunMessage::Derive:
    case RunMessage::Lock:
    case RunMessage::Impose:
    case RunMessage::Open:
    case RunMessage::Edit:
    case RunMessage::Save: break;
  }
}

/// In parts of a millisecond while a hand holds it. Ends where the motion does, and after a picture's time at the latest, also
/// where steps get smaller and smaller: what a page sends is heard, and the next model gets its turn.
void LiveRun::advance(double until) {
  constexpr double kPatience = 0.1, kStuck = 5;  // s
  const auto begin = Clock::now();
  const double from = simulation_->time();
  const StepCallback in_time = [&](double) { return seconds(Clock::now() - begin) < kPatience; };
  while (simulation_->time() < until - 1e-12 && seconds(Clock::now() - begin) < kPatience) {
    if (hand_) hand_->tick();
    const double next = hand_ ? std::min(until, simulation_->time() + Hand::kTick) : until;
    const RunReport report = simulation_->run({.until = next, .output_step = 0, .intervals = 1}, {}, in_time);
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
  const bool got_on = simulation_->time() - from > 1e-9 * (until - from);
  stuck_ = got_on ? 0 : stuck_ + seconds(Clock::now() - begin);
  if (stuck_ > kStuck) {
    stuck_ = 0;
    fail(fmt::format("The simulation stopped at t = {:.9g} s: the steps have become so small that it does not get on.",
                     simulation_->time()));
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
  put(48,
      static_cast<std::uint32_t>((playing_ ? 1U : 0U) | (failed_ ? 2U : 0U) | (hand_ ? 4U : 0U) | mark_ << kMarkShift));
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
      // Messages wait for the first model, and while one is announced: what a page says of it must not reach the one before.
      const auto due = [this] { return end_ || built_ != nullptr || (simulation_ && !announcing_ && !inbox_.empty()); };
      if (simulation_ && playing_ && watchers_ > 0)
        wake_.wait_until(
            lock, last + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kPicture)), due);
      else
        wake_.wait(lock, [&] { return due() || (simulation_ && playing_ && watchers_ > 0); });
      if (end_) break;
      if ((simulation_ && !announcing_) || built_) messages.swap(inbox_);
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
