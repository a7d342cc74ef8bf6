#include "kane/simulate/motion/run_failure.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

std::string find_not_finite(const SystemEvaluator& evaluator, const State& s) {
  const EquationsOfMotion& equations = evaluator.system().equations();
  constexpr std::size_t kMostNodes = 200'000;
  const KernelWorkshop shop(evaluator.system());
  std::vector<Expr> roots(equations.qdot.begin(), equations.qdot.end());
  roots.insert(roots.end(), equations.rhs.begin(), equations.rhs.end());
  roots.insert(roots.end(), equations.udot_explicit.begin(), equations.udot_explicit.end());
  roots.insert(roots.end(), equations.M.entries.begin(), equations.M.entries.end());
  for (const auto& row : equations.constraints) {
    roots.insert(roots.end(), row.a.begin(), row.a.end());
    roots.insert(roots.end(), {row.b, row.gamma});
  }
  const std::vector<Expr> all = shop.with_laws(roots);
  const std::vector<NodeId> order = topological_order(all);
  if (order.empty() || order.size() > kMostNodes) return "";
  Graph& graph = shop.graph();
  std::vector<Expr> nodes;
  for (const NodeId id : order) nodes.push_back(graph.at(id));
  std::vector<double> values;
  try {
    values = evaluate(nodes, named_values(evaluator, s), evaluator.system().functions());
  } catch (const ModelError&) {
    return "";
  }
  const auto bad = std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
  if (bad == values.end()) return "";
  const Expr& culprit = nodes[static_cast<std::size_t>(bad - values.begin())];
  constexpr std::size_t kLongest = 120;
  const std::string text = culprit.to_string();
  return fmt::format("{}{} is {}", text.substr(0, kLongest), text.size() > kLongest ? " ..." : "",
                     std::isnan(*bad) ? std::abs(*bad) : *bad);
}

namespace {

/// Below this the constraint rows have all but lost their independence: a dead position.
constexpr double kNearlySingular = 1e-5;
constexpr double kRunaway = 1e12;

/// The model's own speeds may lose their meaning in some configurations, which its equations know of.
std::string singular_speeds(const EquationsOfMotion& equations) {
  for (const auto& warning : equations.warnings)
    if (warning.find("generalized speeds is singular") != std::string::npos)
      return fmt::format(
          "{}, and the motion has come there. Nothing is wrong with the mechanism: choose speeds that determine its "
          "motion everywhere (rates of the joints do: leave out 'speeds:'), or end the run before (--until)",
          warning);
  return "";
}

class Explainer {
 public:
  Explainer(const StepReport& report, const State& state, const MotionProblem& problem,
            const ConstraintProjector& projector, SystemEvaluator& evaluator)
      : report_(report),
        problem_(problem),
        projector_(projector),
        evaluator_(evaluator),
        equations_(evaluator.system().equations()),
        failure_{report.status, report.t, state, "", ""} {}

  RunFailure run() {
    switch (report_.status) {
      case StepStatus::NotFinite:
      case StepStatus::RhsFailed: explain_rates(); break;
      case StepStatus::StepUnderflow: explain_underflow(); break;
      case StepStatus::ProjectionFailed: explain_projection(); break;
      case StepStatus::NewtonFailed:
        failure_.quantity = "the equations of an implicit step";
        failure_.cause = "they could not be solved: the step is too long for this motion; give a shorter one (--step)";
        break;
      case StepStatus::TooManySteps:
        failure_.quantity = "the number of steps";
        failure_.cause = "the limit on the number of steps was reached";
        break;
      case StepStatus::Ok: break;
    }
    return failure_;
  }

 private:
  [[nodiscard]] std::string component_name(int k) const {
    const auto i = at(k);
    if (k < 0) return "the state";
    if (i < equations_.q.size()) return equations_.q[i].name();
    return i < equations_.q.size() + equations_.u.size() ? equations_.u[i - equations_.q.size()].name() : "the state";
  }

  /// The first law of an input that is not finite there.
  bool blame_law(const State& s) {
    const Values values = named_values(evaluator_, s);
    for (const auto& law : evaluator_.system().laws()) {
      double value = 0;
      try {
        value = evaluate(law.value, values, evaluator_.system().functions());
      } catch (const ModelError&) {
        continue;
      }
      if (std::isfinite(value)) continue;
      failure_.quantity = fmt::format("the law of the input '{}'", law.symbol.name());
      // The sign of a NaN means nothing.
      failure_.cause = fmt::format("it gives {} at t = {:.6g}: a division by zero, or a function outside its domain",
                                   std::isnan(value) ? std::abs(value) : value, s.t);
      return true;
    }
    const auto& inputs = evaluator_.system().inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (std::isfinite(evaluator_.inputs()[i])) continue;
      failure_.quantity = fmt::format("the input '{}'", inputs[i]);
      failure_.cause = fmt::format("its value is {}", evaluator_.inputs()[i]);
      return true;
    }
    return false;
  }

  void explain_rates() {
    const MotionReport& motion = problem_.last_failure();
    if (motion.status == MotionStatus::SingularMass) {
      const int i = motion.index;
      failure_.quantity = fmt::format("the inertia that resists the speed {}",
                                      i >= 0 ? component_name(static_cast<int>(equations_.q.size()) + i) : "?");
      failure_.cause =
          "the mass matrix is singular: a part without mass or inertia is free to move, or the speeds lose their "
          "meaning "
          "in this configuration";
      note_warnings();
      return;
    }
    if (motion.status == MotionStatus::NoForce) {
      failure_.quantity = motion.index >= 0 ? equations_.constraints[at(motion.index)].name : "the forces in loads";
      failure_.cause = describe(motion, equations_);
      return;
    }
    if (!blame_law(problem_.failed_state())) {
      const bool of_speed = motion.status == MotionStatus::NotFinite && motion.index >= 0;
      const int k = motion.status == MotionStatus::RateNotFinite ? motion.index
                    : of_speed                                   ? static_cast<int>(equations_.q.size()) + motion.index
                                                                 : report_.component;
      failure_.quantity = fmt::format("the derivative of {}", component_name(k));
      const State& failed = problem_.failed_state();
      const double largest = std::max(max_abs(failed.q), max_abs(failed.u));
      const std::string singular = singular_speeds(equations_);
      const std::string culprit = singular.empty() ? find_not_finite(evaluator_, failed) : "";
      failure_.cause =
          !singular.empty() ? singular
          : largest > kRunaway
              ? runaway(largest)
              : fmt::format(
                    "it is not a finite number{}: a division by zero, or a function outside its domain, in the "
                    "kinematics, a load or a constraint",
                    culprit.empty() ? "" : fmt::format(", because {} at t = {:.17g}", culprit, failed.t));
      if (motion.status == MotionStatus::SingularBlock) failure_.cause = "the constraints cannot be solved for it";
    }
    note_dead_position();
    note_warnings();
  }

  [[nodiscard]] static std::string runaway(double largest) {
    return fmt::format(
        "the motion grows without bound (largest value {:.3g}): look for a force with the wrong sign, or a spring or "
        "damper that is negative",
        largest);
  }

  void explain_underflow() {
    const std::string name = component_name(report_.component);
    failure_.quantity = name;
    const double largest = std::max(max_abs(failure_.state.q), max_abs(failure_.state.u));
    const std::string singular = singular_speeds(equations_);
    if (!singular.empty()) {
      failure_.cause = singular;
    } else if (largest > kRunaway) {
      failure_.cause = runaway(largest);
    } else if (!note_dead_position()) {
      failure_.cause =
          "its error cannot be kept below the tolerance with any step: a jump in a force or law, a singularity, or a "
          "tolerance below what rounding allows; try a larger --tolerance, or --method cvode if the motion is stiff";
    }
    note_warnings();
  }

  void explain_projection() {
    const ConstraintResiduals& open = projector_.residuals();
    const bool configuration = open.configuration > std::max(1e-9, open.motion);
    const int row = configuration || open.motion_row < 0 ? open.configuration_row : open.motion_row;
    failure_.quantity = describe_configuration_row(row, equations_);
    failure_.cause = fmt::format(
        "it cannot hold: it stays open by {:.6g} however short the step is. The mechanism has reached the limit of "
        "what its lengths allow, or two constraints contradict each other",
        configuration ? open.configuration : open.motion);
    note_dead_position();
  }

  /// Adds a sentence if the active constraints have almost become dependent.
  bool note_dead_position() {
    if (evaluator_.active_rows().empty() || !all_finite(failure_.state.q)) return false;
    evaluator_.set_time(failure_.state.t);
    evaluator_.calc_constraints(failure_.state.q, failure_.state.u);
    const IndependentReport& choice = evaluator_.choose_independent();
    if (!choice.finite || choice.smallest_row > kNearlySingular) return false;
    failure_.cause += fmt::format(
        "{}the active constraints have become dependent on each other (to {:.2g}): a dead position, where the "
        "mechanism "
        "locks or may continue in two ways",
        failure_.cause.empty() ? "" : "; ", choice.smallest_row);
    return true;
  }

  void note_warnings() {
    for (const auto& warning : equations_.warnings)
      if (failure_.cause.find(warning) == std::string::npos) failure_.cause += fmt::format(" (note: {})", warning);
  }

  const StepReport& report_;
  const MotionProblem& problem_;
  const ConstraintProjector& projector_;
  SystemEvaluator& evaluator_;
  const EquationsOfMotion& equations_;
  RunFailure failure_;
};

void append_values(std::string& text, const std::vector<Expr>& symbols, const std::vector<double>& values) {
  constexpr std::size_t kShown = 12;
  for (std::size_t i = 0; i < std::min(values.size(), kShown); ++i)
    text += fmt::format("{}{} = {:.9g}", i == 0 ? "" : ", ", symbols[i].name(), values[i]);
  if (values.size() > kShown) text += fmt::format(", ... ({} in all)", values.size());
}

}  // namespace

Values named_values(const SystemEvaluator& evaluator, const State& s) {
  const EquationsOfMotion& e = evaluator.system().equations();
  Values values;
  const auto names = evaluator.system().parameters();
  const RunContext& context = evaluator.context();
  for (std::size_t i = 0; i < names.size(); ++i) values[names[i]] = context.parameters[i];
  const auto& inputs = evaluator.system().inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) values[inputs[i]] = context.inputs[i];
  for (std::size_t i = 0; i < s.q.size(); ++i) values[e.q[i].name()] = s.q[i];
  for (std::size_t i = 0; i < s.u.size(); ++i) values[e.u[i].name()] = s.u[i];
  values[e.t.name()] = s.t;
  return values;
}

RunFailure explain_lost_speeds(const State& state, const EquationsOfMotion& equations) {
  RunFailure failure{StepStatus::RhsFailed, state.t, state, "the rates of the coordinates", ""};
  failure.cause = singular_speeds(equations);
  if (failure.cause.empty())
    failure.cause =
        "the generalized speeds do not determine the motion in this configuration; choose other speeds or coordinates";
  return failure;
}

RunFailure explain_failure(const StepReport& report, const State& state, const MotionProblem& problem,
                           const ConstraintProjector& projector, SystemEvaluator& evaluator) {
  return Explainer(report, state, problem, projector, evaluator).run();
}

std::string RunFailure::message(const EquationsOfMotion& equations) const {
  std::string text =
      fmt::format("the simulation stopped at t = {:.9g} s: {}. Quantity: {}. Likely cause: {}.\nState: ", t,
                  to_string(status), quantity, cause);
  append_values(text, equations.q, state.q);
  text += "; ";
  append_values(text, equations.u, state.u);
  return text;
}

}  // namespace kane
