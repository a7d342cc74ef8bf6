#include "kane/simulate/motion/motion_simulator.hpp"

#include <algorithm>

#include "kane/base/error.hpp"
#include "kane/simulate/motion/simulator.hpp"
#include "kane/simulate/switching/hybrid_simulator.hpp"

namespace kane {

namespace {

SimulatorOptions checked(SimulatorOptions options) {
  options.check();
  return options;
}

}  // namespace

MotionSimulator::MotionSimulator(std::shared_ptr<const CompiledSystem> system, SimulatorOptions options,
                                 double projection_tolerance, ChangePoint::Motion motion)
    : system_(std::move(system)),
      options_(checked(std::move(options))),
      evaluator_(system_),
      laws_(find_sampled_laws(*system_, options_.inputs), evaluator_.context()),
      inputs_(system_->inputs(), system_->default_inputs(), options_.inputs,
              [this](const State& s, std::span<const double> inputs, std::span<double> values) {
                evaluator_.set_inputs(inputs, s.t);
                std::ranges::copy(laws_.run(s.q, s.u), values.begin());
              }),
      projector_(evaluator_, projection_tolerance),
      change_point_(evaluator_, projector_, options_.tolerance, std::move(motion)),
      energy_(evaluator_, options_.watch),
      jumps_(evaluator_, options_.watch),
      y_(system_->coordinate_count() + system_->speed_count()),
      qdot_(system_->coordinate_count()),
      udot_(system_->speed_count()),
      lambda_(system_->constraint_count()) {
  state_.q.resize(qdot_.size());
  state_.u.resize(udot_.size());
  sample_ = state_;
}

MotionSimulator::~MotionSimulator() = default;

void MotionSimulator::set_parameters(const Values& parameters) {
  evaluator_.set_parameters(system_->calc_parameters(parameters));
  if (started_) disturb();
}

void MotionSimulator::set_inputs(std::span<const double> inputs) {
  ensure(inputs.size() == system_->inputs().size(), "{} inputs are given, not {}", inputs.size(),
         system_->inputs().size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!started_ || !inputs_.has_source(i)) inputs_.set_constant(i, inputs[i]);
  evaluator_.set_inputs(inputs_.values(), started_ ? state_.t : evaluator_.time());
  if (started_) disturb();
}

void MotionSimulator::set_input(std::size_t input, double value) {
  ensure(input < system_->inputs().size(), "there is no input {}, only {}", input, system_->inputs().size());
  require(!started_ || !inputs_.has_source(input),
          "the input '{}' follows a time series or a sampled law; it cannot be set during the run",
          system_->inputs()[input]);
  if (inputs_.values()[input] == value) return;
  inputs_.set_constant(input, value);
  evaluator_.set_inputs(inputs_.values(), started_ ? state_.t : evaluator_.time());
  if (started_) disturb();
}

State MotionSimulator::assemble(State state, const GivenValues& given, AssemblyReport* report) {
  inputs_.start(state);
  evaluator_.set_inputs(inputs_.values(), state.t);
  prepare_assembly();
  require_assembly(evaluator_, state, given, {.tolerance = options_.constraint_tolerance}, report);
  return state;
}

void MotionSimulator::begin(const State& state) {
  check_initial_state(system_->equations(), state);
  state_ = state;
  change_point_.start();
  inputs_.start(state_);
  evaluator_.set_inputs(inputs_.values(), state_.t);
  event_.reset();
  stop_ = false;
  started_ = fresh_ = true;
  if (has_fixed_step(options_.method) && system_->row_count() > 0 && !aside_) aside_ = saved_choice();
}

MotionSimulator::ChoiceKeeper::ChoiceKeeper(MotionSimulator& simulator)
    : simulator_(simulator),
      keeps_(has_fixed_step(simulator.options_.method) && !simulator.evaluator_.active_rows().empty()) {
  if (!keeps_) return;
  if (simulator.aside_)
    simulator.evaluator_.save_choice(*simulator.aside_);
  else
    simulator.aside_ = simulator.saved_choice();
}

MotionSimulator::ChoiceKeeper::~ChoiceKeeper() {
  if (keeps_) simulator_.evaluator_.restore_choice(*simulator_.aside_);
}

void MotionSimulator::situate(double t) { kane::situate(evaluator_, inputs_, t); }

ConstraintResiduals MotionSimulator::calc_residuals(const State& sample) {
  situate(sample.t);
  return projector_.calc_residuals(sample.q, sample.u);
}

std::unique_ptr<MotionSimulator> make_simulator(std::shared_ptr<const CompiledSystem> system,
                                                SimulatorOptions options) {
  if (system->equations().switched()) return std::make_unique<HybridSimulator>(std::move(system), std::move(options));
  return std::make_unique<Simulator>(std::move(system), std::move(options));
}

}  // namespace kane
