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

/// An instruction set of this processor with registers of so many numbers.
std::optional<Isa> isa_with(int lanes) {
  for (const Isa isa : {Isa::Avx512, Isa::Avx2, Isa::Sse2, Isa::Neon})
    if (is_available(isa) && vector_lanes(isa) == lanes) return isa;
  return std::nullopt;
}

/// Longer programs are compiled once for each thread, and are slow enough one by one to be worth it nowhere else.
Kernel compile_lanes(const Kernel& kernel, const CompiledSystem& system, int lanes) {
  KernelOptions options;
  options.lanes = lanes;
  if (lanes > 1) options.isa = isa_with(lanes);
  options.functions = system.setting().functions;
  options.use_interpreter = system.setting().use_interpreter;
  return compile_kernel(kernel.program(), options);
}

std::vector<std::size_t> active_rows_of(const EquationsOfMotion& e) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < e.constraints.size(); ++i)
    if (e.constraints[i].active && !e.constraints[i].redundant) rows.push_back(i);
  return rows;
}

}  // namespace

std::optional<LaneProblemOptions> lane_problem_options(const Model& model, const SimulatorOptions& options, int lanes) {
  const auto isa = find_best_isa();
  const int most = isa && !model.options().interpreter ? vector_lanes(*isa) : 1;
  require(lanes == 0 || lanes == 1 || (lanes <= most && isa_with(lanes)),
          "this processor has registers of {} numbers; --lanes takes 1, {}, not {}", most,
          most == 8   ? "2, 4 or 8"
          : most == 4 ? "2 or 4"
                      : fmt::format("{}", most),
          lanes);
  const EquationsOfMotion& e = model.equations();
  const CompiledSystem& system = *model.system();
  const Method method = options.method;
  if (method != Method::Automatic && method != Method::Rk4 && method != Method::Dopri5) return std::nullopt;
  if (e.switched() || e.has_given_forces() || !options.inputs.empty()) return std::nullopt;
  if (system.row_count() > system.constraint_count() || system.extra().rates() != nullptr ||
      e.q.size() + e.u.size() == 0)
    return std::nullopt;
  const bool solvable = system.motion() != nullptr || (system.mass() != nullptr && e.symmetric);
  if (!solvable) return std::nullopt;
  // Loops are solved with the mass matrix; Euler parameters would have to be projected together with them.
  if (!e.constraints.empty() && (system.mass() == nullptr || !e.symmetric || !e.quaternions.empty()))
    return std::nullopt;
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
      explicit_(model.system()->motion() != nullptr && model.equations().constraints.empty()),
      uses_time_(model.system()->uses_time()),
      uses_rates_(measures.uses_rates()),
      quaternions_(model.equations().quaternions.begin(), model.equations().quaternions.end()),
      places_(model.system()->mass_places()),
      rows_(active_rows_of(model.equations())),
      motion_(compile_lanes(explicit_ ? *model.system()->motion() : *model.system()->mass(), *model.system(),
                            options.lanes)),
      signals_(compile_lanes(measures.signals(), *model.system(), options.lanes)),
      work_(motion_),
      signal_work_(signals_),
      loops_(best_lane_loops(options.lanes)),
      mass_((nu_ + rows_.size()) * (nu_ + rows_.size() + 1) / 2 * lanes_),
      rates_((nq_ + nu_ + model.equations().constraints.size()) * lanes_),
      jacobian_(rows_.size() * std::max(nq_, nu_) * lanes_),
      sides_((nu_ + rows_.size()) * lanes_) {
  if (rows_.empty()) return;
  const CompiledSystem& system = *model.system();
  constraints_.emplace(compile_lanes(*system.constraints(), system, options.lanes));
  constraint_work_.emplace(*constraints_);
  std::size_t place = 0;
  const auto& constraints = model.equations().constraints;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (!constraints[i].phi) continue;
    if (std::find(rows_.begin(), rows_.end(), i) != rows_.end()) places_of_phi_.push_back(place);
    ++place;
  }
  if (places_of_phi_.empty()) return;
  configuration_.emplace(compile_lanes(system.extra().configuration()->kernel, system, options.lanes));
  configuration_work_.emplace(*configuration_);
}

void LaneProblem::set_parameters(std::size_t lane, std::span<const double> parameters, std::span<const double> inputs) {
  for (Workspace* work : {&work_, &signal_work_, constraint_work_ ? &*constraint_work_ : nullptr,
                          configuration_work_ ? &*configuration_work_ : nullptr}) {
    if (work == nullptr) continue;
    const auto to = work->parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) to[i * lanes_ + lane] = parameters[i];
    const auto in = work->inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) in[i * lanes_ + lane] = inputs[i];
  }
}

void LaneProblem::update() {
  motion_.run_parameters(work_), motion_.run_inputs(work_);
  signals_.run_parameters(signal_work_), signals_.run_inputs(signal_work_);
  if (constraints_) constraints_->run_parameters(*constraint_work_), constraints_->run_inputs(*constraint_work_);
  if (configuration_)
    configuration_->run_parameters(*configuration_work_), configuration_->run_inputs(*configuration_work_);
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
  const std::size_t all = nu_ + rows_.size();
  std::fill_n(mass_.data(), all * (all + 1) / 2 * lanes_, 0.0);
  const double* from = out + (nq_ + nu_) * lanes_;
  for (const auto& place : places_) {
    std::copy_n(from, lanes_, mass_.data() + (place.row * (place.row + 1) / 2 + place.column) * lanes_);
    from += lanes_;
  }
  if (rows_.empty())
    loops_.solve(mass_.data(), ydot + nq_ * lanes_, nu_);
  else
    solve_loops(t, y, ydot + nq_ * lanes_);
}

const double* LaneProblem::calc_constraints(const double* t, const double* y) {
  Workspace& work = *constraint_work_;
  if (uses_time_) {
    const auto in = work.inputs();
    std::copy_n(t, lanes_, in.data() + (in.size() - lanes_));
    constraints_->run_inputs(work);
  }
  std::copy_n(y, (nq_ + nu_) * lanes_, work.state().data());
  constraints_->run_state(work);
  return work.outputs().data();
}

/// ( M A^T ; A 0 ) ( udot ; -lambda ) = ( rhs ; gamma ). M is positive definite and comes first, so that L D L^T needs no pivots as
/// long as the rows of A are independent.
void LaneProblem::solve_loops(const double* t, const double* y, double* udot) {
  const double* const from = calc_constraints(t, y);
  const std::size_t width = nu_ + 3;
  std::copy_n(udot, nu_ * lanes_, sides_.data());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double* const row = from + rows_[i] * width * lanes_;
    std::copy_n(row + 2 * lanes_, lanes_, sides_.data() + (nu_ + i) * lanes_);
    const std::size_t at = nu_ + i;
    std::copy_n(row + 3 * lanes_, nu_ * lanes_, mass_.data() + at * (at + 1) / 2 * lanes_);
  }
  loops_.solve(mass_.data(), sides_.data(), nu_ + rows_.size());
  std::copy_n(sides_.data(), nu_ * lanes_, udot);
}

/// Solves J J^T x = sides for the rows of jacobian_; lanes in which they depend on each other are broken.
void LaneProblem::factor_rows(std::size_t rows, std::size_t columns) {
  std::array<double, kMostLanes> diagonal[2] = {};
  std::vector<double> sizes(rows * lanes_);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      diagonal[0].fill(0);
      for (std::size_t k = 0; k < columns; ++k)
        for (std::size_t l = 0; l < lanes_; ++l)
          diagonal[0][l] += jacobian_[(i * columns + k) * lanes_ + l] * jacobian_[(j * columns + k) * lanes_ + l];
      for (std::size_t l = 0; l < lanes_; ++l) mass_[(i * (i + 1) / 2 + j) * lanes_ + l] = diagonal[0][l];
      if (i == j) std::copy_n(diagonal[0].data(), lanes_, sizes.data() + i * lanes_);
    }
  loops_.solve(mass_.data(), sides_.data(), rows);
  constexpr double kDependent = 1e-10;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t l = 0; l < lanes_; ++l)
      if (!(mass_[(i * (i + 1) / 2 + i) * lanes_ + l] > kDependent * sizes[i * lanes_ + l])) broken_[l] = true;
}

bool LaneProblem::project_coordinates(const double* t, double* y) {
  const std::size_t rows = places_of_phi_.size();
  constexpr double kClosed = 1e-13, kStalled = 1e-9;
  constexpr int kMost = 8;
  bool changed = false;
  std::array<double, kMostLanes> largest{};
  for (int tries = 0;; ++tries) {
    Workspace& work = *configuration_work_;
    const auto in = work.inputs();
    if (uses_time_) {
      std::copy_n(t, lanes_, in.data() + (in.size() - lanes_));
      configuration_->run_inputs(work);
    }
    std::copy_n(y, nq_ * lanes_, work.state().data());
    configuration_->run_state(work);
    const double* const out = work.outputs().data();
    largest.fill(0);
    for (std::size_t i = 0; i < rows; ++i) {
      const double* const from = out + places_of_phi_[i] * (nq_ + 1) * lanes_;
      for (std::size_t l = 0; l < lanes_; ++l) {
        sides_[i * lanes_ + l] = -from[l];
        if (!(std::abs(from[l]) <= largest[l])) largest[l] = std::abs(from[l]);
      }
      std::copy_n(from + lanes_, nq_ * lanes_, jacobian_.data() + i * nq_ * lanes_);
    }
    bool open = false;
    for (std::size_t l = 0; l < lanes_; ++l) open = open || !(largest[l] <= kClosed);
    if (!open || tries == kMost) break;
    factor_rows(rows, nq_);
    for (std::size_t l = 0; l < lanes_; ++l) {
      if (largest[l] <= kClosed || broken_[l]) continue;  // what a lane does depends on itself alone
      changed = true;
      for (std::size_t k = 0; k < nq_; ++k)
        for (std::size_t i = 0; i < rows; ++i)
          y[k * lanes_ + l] += jacobian_[(i * nq_ + k) * lanes_ + l] * sides_[i * lanes_ + l];
    }
  }
  for (std::size_t l = 0; l < lanes_; ++l) broken_[l] = broken_[l] || !(largest[l] <= kStalled);
  return changed;
}

bool LaneProblem::project_speeds(const double* t, double* y) {
  const std::size_t rows = rows_.size(), width = nu_ + 3;
  const double* const out = calc_constraints(t, y);
  double* const u = y + nq_ * lanes_;
  for (std::size_t i = 0; i < rows; ++i) {
    const double* const from = out + rows_[i] * width * lanes_;
    std::copy_n(from + 3 * lanes_, nu_ * lanes_, jacobian_.data() + i * nu_ * lanes_);
    for (std::size_t l = 0; l < lanes_; ++l) {
      double sum = from[lanes_ + l];
      for (std::size_t k = 0; k < nu_; ++k) sum += from[(3 + k) * lanes_ + l] * u[k * lanes_ + l];
      sides_[i * lanes_ + l] = -sum;
    }
  }
  factor_rows(rows, nu_);
  for (std::size_t k = 0; k < nu_; ++k)
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t l = 0; l < lanes_; ++l)
        u[k * lanes_ + l] += jacobian_[(i * nu_ + k) * lanes_ + l] * sides_[i * lanes_ + l];
  return true;
}

bool LaneProblem::project(const double* t, double* y) {
  broken_.fill(false);
  if (rows_.empty()) return false;
  if (!places_of_phi_.empty()) (void)project_coordinates(t, y);
  return project_speeds(t, y);
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
    for (std::size_t i = 0; i < rows_.size(); ++i)  // multipliers follow the accelerations
      for (std::size_t l = 0; l < lanes_; ++l)
        state[(nq_ + 2 * nu_ + rows_[i]) * lanes_ + l] = -sides_[(nu_ + i) * lanes_ + l];
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
