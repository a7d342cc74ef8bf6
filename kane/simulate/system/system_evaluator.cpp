#include "kane/simulate/system/system_evaluator.hpp"

#include <algorithm>
#include <functional>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/simulate/system/contact_rows.hpp"
#include "kane/simulate/tick/written_constraint.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// Beyond this |D_ij| the choice of independent speeds is made again: well before digits are lost, and rarely.
constexpr double kLargestGrowth = 1e3;

MotionReport not_finite(std::span<const double> rates, MotionStatus status = MotionStatus::NotFinite) {
  const auto bad = std::ranges::find_if(rates, [](double v) { return !std::isfinite(v); });
  return {status, static_cast<int>(bad - rates.begin())};
}

}  // namespace

SystemEvaluator::SystemEvaluator(std::shared_ptr<const CompiledSystem> system)
    : system_(std::move(system)),
      written_(system_->free_rows(), nullptr),
      motion_(system_->motion(), context_, system_->uses_time()),
      mass_(system_->mass(), context_, system_->uses_time()),
      rates_(system_->rates(), context_, system_->uses_time()),
      constraints_(system_->constraints(), context_, system_->uses_time()),
      reports_(system_->reports(), context_, system_->uses_time()),
      inverse_(system_->inverse(), context_, system_->uses_time()),
      given_(system_->given(), context_, system_->uses_time()),
      mass_matrix_(system_->speed_count(), system_->speed_count()),
      jacobian_(system_->row_count(), system_->speed_count()),
      active_jacobian_(system_->row_count(), system_->speed_count()),
      qdot_(system_->coordinate_count()),
      rhs_(system_->speed_count()),
      phi_(system_->row_count()),
      b_(system_->row_count()),
      gamma_(system_->row_count()),
      active_b_(system_->row_count()),
      active_gamma_(system_->row_count()),
      active_lambda_(system_->row_count()),
      choice_(system_->row_count(), system_->speed_count()),
      embedding_(system_->speed_count(), system_->row_count(), system_->equations().symmetric),
      factors_(system_->speed_count(), system_->equations().symmetric),
      given_factors_(system_->given_rows().size()) {
  if (const std::size_t k = system_->given_rows().size(); k > 0) {
    multipliers_.resize(system_->constraint_count()), given_lambda_.resize(system_->constraint_count());
    residual_.resize(k), change_.resize(k), before_.resize(k), zeros_.resize(system_->row_count());
    given_udot_ = Matrix(k, system_->speed_count());
    given_multipliers_ = Matrix(k, system_->constraint_count());
  }
  contact_wrenches_.resize(6 * system_->equations().contact_bodies.size());
  contact_senses_.resize(sensor_part::kCount * system_->equations().contact_sensors.size());
  context_.parameters = system_->calc_parameters({});
  context_.inputs = system_->default_inputs();
  context_.inputs.push_back(0.0);
  std::vector<bool> active;
  for (const auto& c : system_->equations().constraints) active.push_back(c.active);
  set_active(active);
}

void SystemEvaluator::set_parameters(std::span<const double> parameters) {
  ensure(parameters.size() == context_.parameters.size(), "{} parameters are given, not {}", parameters.size(),
         context_.parameters.size());
  std::copy(parameters.begin(), parameters.end(), context_.parameters.begin());
  ++context_.parameter_changes;
}

void SystemEvaluator::set_inputs(std::span<const double> inputs, double t) {
  ensure(inputs.size() + 1 == context_.inputs.size(), "{} inputs are given, not {}", inputs.size(),
         context_.inputs.size() - 1);
  std::copy(inputs.begin(), inputs.end(), context_.inputs.begin());
  ++context_.input_changes;
  set_time(t);
}

void SystemEvaluator::set_time(double t) {
  if (context_.inputs.back() == t) return;
  context_.inputs.back() = t;
  ++context_.time_changes;
}

void SystemEvaluator::set_active(const std::vector<bool>& active) {
  ensure(active.size() == system_->constraint_count() || active.size() == system_->row_count(),
         "{} constraints are switched, there are {}", active.size(), system_->constraint_count());
  active_.clear();
  for (std::size_t i = 0; i < active.size(); ++i)
    if (active[i]) active_.push_back(static_cast<int>(i));
  forget_choice();
  choices_ = 0;
}

void SystemEvaluator::forget_choice() {
  chosen_ = doubtful_ = range_rows_ = range_lambda_known_ = false;
  choice_.set_most_rank(std::min(system_->row_count(), system_->speed_count()));
}

void SystemEvaluator::confirm_rank() {
  if (!doubtful_) return;
  doubtful_ = false;
  const auto before = at(choice_.report().rank);
  choice_.set_most_rank(std::min(system_->row_count(), system_->speed_count()));
  choose_independent();
  choice_.set_most_rank(std::max(before, at(choice_.report().rank)));
}

// The inverse dynamics f(q, u, u') = M u' - rhs, with u' = 0 and with unit vectors. M does not depend on u: at rest less is
// lost in the differences.
void SystemEvaluator::calc_mass_columns(std::span<const double> q, std::span<const double> u) {
  const std::size_t n = rhs_.size();
  std::ranges::copy(rates_.run(q, u), qdot_.begin());
  column_.assign(n, 0.0), rest_.assign(n, 0.0), bias_.resize(n);
  const auto moving = inverse_.run(q, u, column_);
  std::ranges::transform(moving, rhs_.begin(), std::negate());
  std::ranges::copy(inverse_.run(q, rest_, column_), bias_.begin());
  for (std::size_t j = 0; j < n; ++j) {
    column_[j] = 1;
    const auto f = inverse_.run(q, rest_, column_);
    column_[j] = 0;
    for (std::size_t i = j; i < n; ++i) mass_matrix_(i, j) = mass_matrix_(j, i) = f[i] - bias_[i];
  }
}

void SystemEvaluator::calc_mass(std::span<const double> q, std::span<const double> u) {
  if (rates_.present()) {
    const CallTimes::Measurement measurement(times_.mass);
    calc_mass_columns(q, u);
    return;
  }
  ensure(mass_.present(), "the mass matrix of '{}' was not formed", system_->equations().name);
  const CallTimes::Measurement measurement(times_.mass);
  const auto y = multipliers_.empty() ? mass_.run(q, u) : mass_.run(q, u, multipliers_);
  const std::size_t nq = qdot_.size(), n = rhs_.size();
  std::copy_n(y.begin(), nq, qdot_.begin());
  std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(nq), n, rhs_.begin());
  const double* from = y.data() + nq + n;
  if (!system_->equations().symmetric) {
    std::copy_n(from, n * n, mass_matrix_.view().data);
    return;
  }
  const auto& places = system_->mass_places();
  if (places.size() == n * (n + 1) / 2) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) mass_matrix_(i, j) = mass_matrix_(j, i) = *from++;
    return;
  }
  for (const auto& at : places) mass_matrix_(at.row, at.column) = mass_matrix_(at.column, at.row) = *from++;
}

void SystemEvaluator::calc_constraints(std::span<const double> q, std::span<const double> u) {
  if (constraints_.present()) {
    const CallTimes::Measurement measurement(times_.constraints);
    const auto y = constraints_.run(q, u);
    const std::size_t n = rhs_.size();
    const bool compact = system_->equations().switched();
    for (std::size_t i = 0, k = 0; i < system_->constraint_count(); ++i) {
      phi_[i] = y[k++], b_[i] = y[k++], gamma_[i] = y[k++];
      if (compact) {
        for (const int j : system_->constraint_places()[i]) jacobian_(i, at(j)) = y[k++];
        continue;
      }
      for (const int j : system_->constraint_places()[i]) jacobian_(i, at(j)) = y[k + at(j)];
      k += n;
    }
  }
  if (contacts_ != nullptr) calc_contacts(q, u);
  if (!written_.empty()) calc_written(q, u);
  gather_active();
}

void SystemEvaluator::calc_written(std::span<const double> q, std::span<const double> u) {
  for (std::size_t k = 0; k < written_.size(); ++k) {
    if (written_[k] == nullptr) continue;
    WrittenRow& from = *written_[k];
    from.calc(q, u);
    const std::size_t row = system_->first_free_row() + k;
    phi_[row] = from.phi(), b_[row] = from.b(), gamma_[row] = from.gamma();
    std::ranges::copy(from.a(u.size()), jacobian_.view().row(row));
  }
}

void SystemEvaluator::calc_contacts(std::span<const double> q, std::span<const double> u) {
  contacts_->calc_bodies(q, u);
  contacts_->calc(phi_, b_, gamma_, jacobian_.view());
}

void SystemEvaluator::gather_active() {
  const auto rows = active_jacobian_.packed(active_.size(), rhs_.size());
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto row = at(active_[i]);
    for (std::size_t j = 0; j < rhs_.size(); ++j) rows(i, j) = jacobian_(row, j);
    active_b_[i] = b_[row];
    active_gamma_[i] = gamma_[row];
  }
}

const IndependentReport& SystemEvaluator::choose_independent() {
  const auto& preferred = system_->equations().dependent_speeds;
  const IndependentReport& report =
      chosen_ ? choice_.update(active_jacobian(), {}, preferred) : choice_.choose(active_jacobian(), {}, preferred);
  if (!chosen_ || report.changed) embedding_.set_choice(choice_), ++choices_, range_rows_ = false;
  if (!chosen_ && report.finite) choice_.set_most_rank(at(report.rank));
  chosen_ = chosen_ || report.finite;
  return report;
}

void SystemEvaluator::reserve_prepared() {
  prepared_.reserve(kMostPrepared);
  while (prepared_.size() < kMostPrepared) {
    prepared_.push_back({{}, IndependentSpeeds(system_->row_count(), system_->speed_count()), false});
    prepared_.back().active.reserve(system_->row_count());
  }
}

void SystemEvaluator::prepare(const SystemEvaluator& ahead) {
  if (!ahead.chosen_) return;
  reserve_prepared();
  auto place = std::find_if(prepared_.begin(), prepared_.end(),
                            [&](const Prepared& p) { return p.used && p.active == ahead.active_; });
  if (place == prepared_.end())
    place = prepared_.begin() + static_cast<std::ptrdiff_t>(next_prepared_++ % kMostPrepared);
  place->active = ahead.active_;
  place->choice = ahead.choice_;
  place->used = true;
}

bool SystemEvaluator::adopt_prepared() {
  const auto known = std::find_if(prepared_.begin(), prepared_.end(),
                                  [&](const Prepared& p) { return p.used && p.active == active_; });
  if (known == prepared_.end()) return false;
  choice_ = known->choice;
  embedding_.set_choice(choice_);
  chosen_ = true;
  range_rows_ = false;
  ++choices_, ++adopted_;
  return true;
}

void SystemEvaluator::save_choice(SavedChoice& saved) const {
  saved.choice = choice_;
  saved.chosen = chosen_, saved.doubtful = doubtful_;
  saved.choices = choices_, saved.adopted = adopted_;
  saved.row_lengths = row_lengths_;
}

void SystemEvaluator::restore_choice(const SavedChoice& saved) {
  const bool same_rows = chosen_ && saved.chosen && std::ranges::equal(choice_.kept_rows(), saved.choice.kept_rows()) &&
                         std::ranges::equal(choice_.redundant_rows(), saved.choice.redundant_rows());
  choice_ = saved.choice;
  chosen_ = saved.chosen, doubtful_ = saved.doubtful;
  choices_ = saved.choices, adopted_ = saved.adopted;
  range_lambda_known_ = false;
  range_rows_ = range_rows_ && same_rows;
  if (range_allowed_ && chosen_ && !range_rows_) prepare_range();
  if (row_lengths_.size() == saved.row_lengths.size()) row_lengths_ = saved.row_lengths;
  if (chosen_) embedding_.set_choice(choice_);
}

EmbedReport SystemEvaluator::refresh_embedding() {
  embedding_behind_ = false;
  if (!chosen_ && !adopt_prepared() && !choose_independent().finite) return {EmbedStatus::NotFinite, -1, 0};
  EmbedReport report = embedding_.refresh(active_jacobian());
  if (report.status == EmbedStatus::NotFinite || (report.ok() && embedding_.growth() <= kLargestGrowth)) return report;
  // The choice made earlier has gone bad on the way here: choose again, once.
  choose_independent();
  report = embedding_.refresh(active_jacobian());
  if (report.status != EmbedStatus::RowsIndependent) return report;
  doubtful_ = true;
  return {};
}

MotionReport SystemEvaluator::solve_free(std::span<double> udot) {
  const FactorReport factored = factors_.factor(mass_matrix_.view());
  if (!factored.ok())
    return {factored.status == FactorStatus::NotFinite ? MotionStatus::NotFinite : MotionStatus::SingularMass,
            factored.pivot};
  std::copy(rhs_.begin(), rhs_.end(), udot.begin());
  factors_.solve(udot);
  return {};
}

MotionReport SystemEvaluator::solve_embedded(std::span<double> udot) {
  range_lambda_known_ = factor_range();
  if (range_lambda_known_) {
    range_->solve(rhs_, active_gamma(), udot, {range_lambda_.data(), active_.size()});
    embedding_behind_ = true;
    return {};
  }
  EmbedReport embedded = refresh_embedding();
  if (embedded.ok()) embedded = embedding_.solve(mass_matrix_.view(), rhs_, active_gamma(), udot);
  switch (embedded.status) {
    case EmbedStatus::Ok: return {};
    case EmbedStatus::InertiaSingular: return {MotionStatus::SingularMass, embedded.index};
    case EmbedStatus::NotFinite: return {MotionStatus::NotFinite, embedded.index};
    default: return {MotionStatus::SingularBlock, embedded.index};
  }
}

MotionReport SystemEvaluator::calc_motion(std::span<const double> q, std::span<const double> u, std::span<double> qdot,
                                          std::span<double> udot) {
  if (active_.empty() && motion_.present()) {
    const CallTimes::Measurement measurement(times_.motion);
    const auto y = motion_.run(q, u);
    const bool rates = copy_finite(y.data(), qdot.size(), qdot.data());
    const bool accelerations = copy_finite(y.data() + qdot.size(), udot.size(), udot.data());
    if (!rates) return not_finite(qdot, MotionStatus::RateNotFinite);
    return accelerations ? MotionReport{} : not_finite(udot);
  }
  // The search for forces begins at zero, so that they depend on the state alone and not on earlier evaluations.
  std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
  calc_mass(q, u);
  if (!copy_finite(qdot_.data(), qdot.size(), qdot.data())) return not_finite(qdot, MotionStatus::RateNotFinite);
  if (!active_.empty()) calc_constraints(q, u);
  const CallTimes::Measurement measurement(times_.solve);
  const MotionReport report = given_.present()  ? solve_given(q, u, udot)
                              : active_.empty() ? solve_free(udot)
                                                : solve_embedded(udot);
  return !report.ok() || all_finite(udot) ? report : not_finite(udot);
}

void SystemEvaluator::calc_multipliers(std::span<const double> udot, std::span<double> lambda) {
  std::fill(lambda.begin(), lambda.end(), 0.0);
  for (const std::size_t row : system_->given_rows()) lambda[row] = multipliers_[row];
  if (active_.empty()) return;
  const std::span<double> active{active_lambda_.data(), active_.size()};
  if (range_lambda_known_ && choice_.redundant_rows().empty())
    std::copy_n(range_lambda_.begin(), active_.size(), active.begin());
  else
    embedding().calc_multipliers(mass_matrix_.view(), rhs_, udot, Multipliers::MinimumNorm, active);
  for (std::size_t i = 0; i < active_.size(); ++i) lambda[at(active_[i])] = active[i];
}

std::span<const double> SystemEvaluator::calc_reports(std::span<const double> q, std::span<const double> u,
                                                      std::span<const double> udot, std::span<const double> lambda) {
  ensure(reports_.present(), "the reports of '{}' were not compiled", system_->equations().name);
  return reports_.run(q, u, udot, lambda, contact_wrenches_, contact_senses_);
}

std::span<const double> SystemEvaluator::calc_contact_places(std::span<const double> q, std::span<const double> u) {
  if (!contact_places_) contact_places_ = std::make_unique<KernelRunner>(&system_->extra().contact_places(), context_);
  return contact_places_->run(q, u);
}

void SystemEvaluator::calc_inverse(std::span<const double> q, std::span<const double> u, std::span<const double> udot,
                                   std::span<double> forces) {
  ensure(inverse_.present(), "the inverse dynamics of '{}' was not formed", system_->equations().name);
  const auto y = multipliers_.empty() ? inverse_.run(q, u, udot) : inverse_.run(q, u, udot, multipliers_);
  std::copy_n(y.begin(), forces.size(), forces.begin());
}

std::string describe(const MotionReport& report, const EquationsOfMotion& equations) {
  const std::string speed = report.index >= 0 && report.index < equations.speed_count()
                                ? equations.u[at(report.index)].name()
                                : std::string("?");
  switch (report.status) {
    case MotionStatus::Ok: return "";
    case MotionStatus::SingularMass:
      return fmt::format("the mass matrix is singular: nothing that has mass resists the speed {}", speed);
    case MotionStatus::SingularBlock:
      return fmt::format("the constraints cannot be solved for the dependent speed {}", speed);
    case MotionStatus::Contradiction: return "the active constraints contradict each other";
    case MotionStatus::NoForce:
      return fmt::format(
          "the loads that depend on {} have no solution here: the forces and the accelerations that they cause do not "
          "agree (a joint that jams by its own friction, for instance)",
          report.index >= 0 ? equations.constraints[at(report.index)].name : "?");
    case MotionStatus::NotFinite: return fmt::format("the derivative of the speed {} is not a finite number", speed);
    case MotionStatus::RateNotFinite:
      return fmt::format("the derivative of the coordinate {} is not a finite number",
                         report.index >= 0 ? equations.q[at(report.index)].name() : "?");
  }
  return "";
}

}  // namespace kane
