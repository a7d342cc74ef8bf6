#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kane/base/error.hpp"
#include "kane/batch/lane_integrator.hpp"
#include "kane/codegen/isa.hpp"
#include "kane/simulate/motion/make_integrator.hpp"
#include "kane/simulate/system/extra_kernels.hpp"

namespace kane {

namespace {

/// Longer programs are compiled once for each thread, and are slow enough one by one to be worth it nowhere else.
Kernel compile_lanes(const Kernel& kernel, const CompiledSystem& system, int lanes) {
  KernelOptions options;
  options.lanes = lanes;
  options.functions = system.setting().functions;
  options.use_interpreter = system.setting().use_interpreter;
  return compile_kernel(kernel.program(), options);
}

}  // namespace

std::optional<LaneProblemOptions> lane_problem_options(const Model& model, const SimulatorOptions& options, int lanes) {
  const auto isa = find_best_isa();
  const int most = isa && !model.options().interpreter ? vector_lanes(*isa) : 1;
  require(lanes == 0 || lanes == 1 || lanes == most, "this processor has {} lanes; --lanes takes 1 or {}, not {}", most,
          most, lanes);
  const EquationsOfMotion& e = model.equations();
  const CompiledSystem& system = *model.system();
  const Method method = options.method;
  if (method != Method::Automatic && method != Method::Rk4 && method != Method::Dopri5) return std::nullopt;
  if (e.switched() || !e.constraints.empty() || e.has_given_forces() || !options.inputs.empty()) return std::nullopt;
  if (system.row_count() > 0 || system.extra().rates() != nullptr || e.q.size() + e.u.size() == 0) return std::nullopt;
  const bool solvable = system.motion() != nullptr || (system.mass() != nullptr && e.symmetric);
  if (!solvable) return std::nullopt;
  const AdaptiveOptions adaptive = adaptive_options(options);
  LaneProblemOptions o;
  o.lanes = lanes == 0 ? most : lanes;
  o.fixed = method == Method::Rk4;
  o.step = options.step;
  o.relative = std::max(adaptive.tolerance.relative.front(), 10 * std::numeric_limits<double>::epsilon());
  o.absolute = adaptive.tolerance.absolute.front();
  o.max_step = adaptive.max_step;
  o.max_steps = adaptive.max_steps;
  // Motion that needs so many steps is likely stiff: the simulator will find out.
  constexpr long kStiffSteps = 20'000;
  if (method == Method::Automatic) o.max_steps = kStiffSteps;
  return o;
}

LaneArray::LaneArray(std::size_t size) : storage_(size + 8) {
  const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
  data_ = storage_.data() + ((64 - address % 64) % 64) / sizeof(double);
}

LaneProblem::LaneProblem(const Model& model, const MeasureSet& measures, const LaneProblemOptions& options)
    : options_(options),
      nq_(model.equations().q.size()),
      nu_(model.equations().u.size()),
      lanes_(static_cast<std::size_t>(options.lanes)),
      explicit_(model.system()->motion() != nullptr),
      uses_time_(model.system()->uses_time()),
      uses_rates_(measures.uses_rates()),
      quaternions_(model.equations().quaternions.begin(), model.equations().quaternions.end()),
      places_(model.system()->mass_places()),
      motion_(compile_lanes(explicit_ ? *model.system()->motion() : *model.system()->mass(), *model.system(),
                            options.lanes)),
      signals_(compile_lanes(measures.signals(), *model.system(), options.lanes)),
      work_(motion_),
      signal_work_(signals_),
      loops_(best_lane_loops(options.lanes)),
      mass_(nu_ * (nu_ + 1) / 2 * lanes_),
      rates_((nq_ + nu_) * lanes_) {}

void LaneProblem::set_parameters(std::size_t lane, std::span<const double> parameters, std::span<const double> inputs) {
  for (Workspace* work : {&work_, &signal_work_}) {
    const auto to = work->parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) to[i * lanes_ + lane] = parameters[i];
    const auto in = work->inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) in[i * lanes_ + lane] = inputs[i];
  }
}

void LaneProblem::update() {
  motion_.run_parameters(work_), motion_.run_inputs(work_);
  signals_.run_parameters(signal_work_), signals_.run_inputs(signal_work_);
}

void LaneProblem::calc_rates(const double* t, const double* y, double* ydot) {
  if (uses_time_) {
    const auto in = work_.inputs();
    std::copy_n(t, lanes_, in.data() + (in.size() - lanes_));
    motion_.run_inputs(work_);
  }
  std::copy_n(y, (nq_ + nu_) * lanes_, work_.state().data());
  motion_.run_state(work_);
  const double* const out = work_.outputs().data();
  std::copy_n(out, (nq_ + nu_) * lanes_,
              ydot);  // the right-hand sides follow qdot if the mass matrix is not solved for
  if (explicit_) return;
  std::fill_n(mass_.data(), nu_ * (nu_ + 1) / 2 * lanes_, 0.0);
  const double* from = out + (nq_ + nu_) * lanes_;
  for (const auto& place : places_) {
    std::copy_n(from, lanes_, mass_.data() + (place.row * (place.row + 1) / 2 + place.column) * lanes_);
    from += lanes_;
  }
  loops_.solve(mass_.data(), ydot + nq_ * lanes_, nu_);
}

const double* LaneProblem::calc_signals(const double* t, const double* y) {
  const auto in = signal_work_.inputs();
  std::copy_n(t, lanes_, in.data() + (in.size() - lanes_));
  signals_.run_inputs(signal_work_);
  const auto state = signal_work_.state();
  std::copy_n(y, (nq_ + nu_) * lanes_, state.data());
  if (uses_rates_) {
    calc_rates(t, y, rates_.data());
    std::copy_n(rates_.data() + nq_ * lanes_, nu_ * lanes_, state.data() + (nq_ + nu_) * lanes_);
  }
  signals_.run_state(signal_work_);
  return signal_work_.outputs().data();
}

bool LaneProblem::normalize(double* y) const {
  constexpr double kTolerance = 1e-13;
  bool changed = false;
  for (const int first : quaternions_)
    for (std::size_t l = 0; l < lanes_; ++l) {
      double* const e = y + static_cast<std::size_t>(first) * lanes_ + l;
      double square = 0;
      for (std::size_t i = 0; i < 4; ++i) square += e[i * lanes_] * e[i * lanes_];
      if (!(std::abs(0.5 * (square - 1)) > kTolerance)) continue;
      const double scale = 1 / std::sqrt(square);
      for (std::size_t i = 0; i < 4; ++i) e[i * lanes_] *= scale;
      changed = true;
    }
  return changed;
}

}  // namespace kane
