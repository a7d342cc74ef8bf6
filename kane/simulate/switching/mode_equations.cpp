#include "kane/simulate/switching/mode_equations.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"

namespace kane {

namespace {
constexpr std::string_view kMethodNames[] = {"embedded", "modes", "multipliers"};
constexpr std::string_view kSchemeNames[] = {"automatic", "events", "stepping"};
}  // namespace

std::string_view to_string(ContactScheme scheme) { return kSchemeNames[at(scheme)]; }

ContactScheme contact_scheme_from(std::string_view name) {
  const auto found = std::find(std::begin(kSchemeNames), std::end(kSchemeNames), name);
  if (found == std::end(kSchemeNames))
    throw ModelError(fmt::format("unknown scheme of contacts '{}'{} (known: {})", name,
                                 suggestion(std::string(name), {std::begin(kSchemeNames), std::end(kSchemeNames)}),
                                 fmt::join(kSchemeNames, ", ")));
  return static_cast<ContactScheme>(found - std::begin(kSchemeNames));
}

std::string_view to_string(ConstraintMethod method) { return kMethodNames[at(method)]; }

ConstraintMethod constraint_method_from(std::string_view name) {
  const auto found = std::find(std::begin(kMethodNames), std::end(kMethodNames), name);
  if (found == std::end(kMethodNames))
    throw ModelError(fmt::format("unknown way of constraints '{}'{} (known: {})", name,
                                 suggestion(std::string(name), {std::begin(kMethodNames), std::end(kMethodNames)}),
                                 fmt::join(kMethodNames, ", ")));
  return static_cast<ConstraintMethod>(found - std::begin(kMethodNames));
}

ModeEquations::ModeEquations(std::string name, EquationsOfMotion equations, const CompileOptions& options)
    : name_(std::move(name)) {
  CompileOptions lean = options;
  lean.reports = false;
  system_ = std::make_unique<CompiledSystem>(std::move(equations), lean);
  const EquationsOfMotion& e = system_->equations();
  for (const auto& c : e.constraints) active_.push_back(c.active);
  const bool constrained = std::find(active_.begin(), active_.end(), true) != active_.end();
  require(!constrained || e.embedded.has_value(), "the constraints of the mode '{}' were not embedded in symbols",
          name_);
  if (!constrained) return;
  const EmbeddedEquations& m = *e.embedded;
  std::vector<Expr> outputs = e.qdot;
  outputs.insert(outputs.end(), m.rhs.begin(), m.rhs.end());
  for (int i = 0; i < m.M.rows; ++i)
    for (int j = 0; j < (e.symmetric ? i + 1 : m.M.columns); ++j) outputs.push_back(m.M(i, j));
  outputs.insert(outputs.end(), m.g.begin(), m.g.end());
  outputs.insert(outputs.end(), m.D.entries.begin(), m.D.entries.end());
  kernel_ = std::make_unique<Kernel>(KernelWorkshop(*system_).compile_of_state("mode " + name_, outputs));
}

ModeMotion::ModeMotion(std::shared_ptr<const ModeEquations> mode, const RunContext& context,
                       const std::vector<std::string>& parameters)
    : mode_(std::move(mode)),
      source_(&context),
      context_(std::make_unique<RunContext>(context)),
      runner_(mode_->system().equations().embedded ? &mode_->kernel() : nullptr, *context_) {
  const std::vector<std::string> own = mode_->system().parameters();
  context_->parameters = mode_->system().calc_parameters({});
  context_->parameter_changes = 0;  // unlike any the source has: follow() copies
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto known = std::find(parameters.begin(), parameters.end(), own[i]);
    if (parameters.empty())
      shared_.emplace_back(i, i);
    else if (known != parameters.end())
      shared_.emplace_back(i, static_cast<std::size_t>(known - parameters.begin()));
  }
  if (!runner_.present()) return;
  const std::size_t p = mode_->system().equations().embedded->independent.size();
  mass_ = Matrix(p, p);
  factors_ = MassFactors(p, mode_->system().equations().symmetric);
  independent_.resize(p);
}

void ModeMotion::follow() {
  if (context_->parameter_changes != source_->parameter_changes)
    for (const auto& [here, there] : shared_) context_->parameters[here] = source_->parameters[there];
  context_->inputs = source_->inputs;
  context_->parameter_changes = source_->parameter_changes;
  context_->input_changes = source_->input_changes;
  context_->time_changes = source_->time_changes;
}

MotionReport ModeMotion::calc_motion(std::span<const double> q, std::span<const double> u, std::span<double> qdot,
                                     std::span<double> udot) {
  follow();
  const EmbeddedEquations& e = *mode_->system().equations().embedded;
  const std::span<const double> y = runner_.run(q, u);
  const std::size_t p = e.independent.size(), r = e.dependent.size();
  const double* from = y.data();
  std::copy_n(from, qdot.size(), qdot.begin());
  from += qdot.size();
  std::copy_n(from, p, independent_.begin());
  from += p;
  const bool symmetric = mode_->system().equations().symmetric;
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < (symmetric ? i + 1 : p); ++j) (symmetric ? mass_(j, i) : mass_(i, j)) = *from++;
  const FactorReport factored = factors_.factor(mass_.view());
  if (!factored.ok())
    return {factored.status == FactorStatus::NotFinite ? MotionStatus::NotFinite : MotionStatus::SingularMass,
            factored.pivot < 0 ? -1 : e.independent[at(factored.pivot)]};
  factors_.solve(independent_);
  const double* d = from + r;
  for (std::size_t i = 0; i < p; ++i) udot[at(e.independent[i])] = independent_[i];
  for (std::size_t k = 0; k < r; ++k) {
    double sum = from[k];
    for (std::size_t i = 0; i < p; ++i) sum += d[k * p + i] * independent_[i];
    udot[at(e.dependent[k])] = sum;
  }
  return {};
}

MultiplierMotion::MultiplierMotion(SystemEvaluator& evaluator)
    : evaluator_(evaluator),
      lu_(evaluator.system().speed_count() + evaluator.system().constraint_count()),
      x_(evaluator.system().speed_count() + evaluator.system().constraint_count()) {}

MotionReport MultiplierMotion::calc_motion(std::span<const double> q, std::span<const double> u, std::span<double> qdot,
                                           std::span<double> udot, std::span<double> lambda) {
  evaluator_.calc_mass(q, u);
  evaluator_.calc_constraints(q, u);
  std::ranges::copy(evaluator_.qdot(), qdot.begin());
  const CallTimes::Measurement measurement(evaluator_.times().solve);
  std::fill(lambda.begin(), lambda.end(), 0.0);
  const auto& rows = evaluator_.active_rows();
  const std::size_t n = udot.size(), m = rows.size();
  const MatrixView k = lu_.prepare(n + m);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) k(i, j) = evaluator_.mass_matrix()(i, j);
  const ConstMatrixView a = evaluator_.active_jacobian();
  for (std::size_t r = 0; r < m; ++r) {
    for (std::size_t j = 0; j < n; ++j) k(j, n + r) = -a(r, j), k(n + r, j) = a(r, j);
    for (std::size_t s = 0; s < m; ++s) k(n + r, n + s) = 0;
    x_[n + r] = evaluator_.active_gamma()[r];
  }
  std::ranges::copy(evaluator_.rhs(), x_.begin());
  const FactorReport factored = lu_.factor();
  if (!factored.ok()) return {MotionStatus::SingularBlock, factored.pivot};
  const std::span<double> x = std::span(x_).first(n + m);
  lu_.solve(x);
  std::copy_n(x.begin(), n, udot.begin());
  for (std::size_t r = 0; r < m; ++r) lambda[at(rows[r])] = x[n + r];
  return {};
}

}  // namespace kane
