#include "kane/analysis/equilibria.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kane/analysis/resting.hpp"
#include "kane/base/at.hpp"
#include "kane/base/error.hpp"

namespace kane {

namespace {

constexpr double kSamePlace = 1e-6;

/// Checks equilibria of the smooth equations against contacts, stops and dry friction; adds those that only these hold.
class ContactEquilibria {
 public:
  ContactEquilibria(OperatingPoint& point, const EquilibriumOptions& options, EquilibriumReport& report)
      : point_(point), options_(options), report_(report), rest_(point.model(), point.start()) {}

  void run() {
    judge_smooth();
    RestingState at;
    if (rest_.rests(point_.state(), at)) add_resting(at);
    // Something that would leave its equilibrium is shown where it goes instead.
    const bool stays = std::any_of(report_.found.begin(), report_.found.end(), [](const Equilibrium& found) {
      return !found.modes || found.modes->stability != Stability::Unstable;
    });
    const std::size_t unstable = stays ? 0 : report_.found.size();
    if (options_.held.empty() && (!stays || options_.all)) settle();
    if (!options_.all && report_.found.size() > unstable)
      report_.found.erase(report_.found.begin(), report_.found.begin() + static_cast<std::ptrdiff_t>(unstable));
    std::stable_sort(report_.found.begin(), report_.found.end(),
                     [&](const Equilibrium& a, const Equilibrium& b) { return distance(a) < distance(b); });
    if (!report_.ok()) report_.message += "; nor does it come to rest on its contacts: " + rest_.message();
  }

 private:
  /// Solutions without contacts count where no contact overlaps; friction does no harm to them.
  void judge_smooth() {
    std::size_t inside = 0;
    std::erase_if(report_.found, [&](Equilibrium& found) {
      RestingState at;
      if (!rest_.is_possible(found.state)) return ++inside > 0;
      if (rest_.rests(found.state, at)) take_forces(at, found);
      return false;
    });
    if (inside > 0 && report_.found.empty())
      report_.message =
          "no equilibrium was found: the equations balance only where contacts overlap or stops are passed";
  }

  static void take_forces(const RestingState& at, Equilibrium& found) {
    found.contacts = at.contacts;
    found.indeterminate = at.indeterminate;
    found.ranges = at.ranges;
  }

  void add(Equilibrium found) {
    const auto same = [&](const Equilibrium& other) {
      for (std::size_t k = 0; k < found.state.q.size(); ++k)
        if (std::abs(found.state.q[k] - other.state.q[k]) > kSamePlace * std::max(1.0, std::abs(other.state.q[k])))
          return false;
      return true;
    };
    if (std::none_of(report_.found.begin(), report_.found.end(), same)) report_.found.push_back(std::move(found));
  }

  void add_resting(const RestingState& at) {
    if (!at.sticks && polish(at.state, at.contacts, false)) return;
    Equilibrium found;
    found.state = at.state;
    found.lambda = at.lambda;
    found.inputs.assign(point_.evaluator().inputs().begin(), point_.evaluator().inputs().end());
    found.residual = at.residual;
    found.no_modes = at.sticks ? "at rest: friction holds it, and states nearby as well"
                               : "at rest on its contacts, which have no linear equations";
    take_forces(at, found);
    add(std::move(found));
  }

  /// An equilibrium with these contacts kept closed as constraints, if they push there and nothing else overlaps.
  bool polish(const State& nearby, const std::vector<ContactForce>& contacts, bool only_stable) {
    const EquationsOfMotion& e = point_.model().equations();
    Start start = point_.start();
    std::vector<std::size_t> rows;
    for (const ContactForce& force : contacts) {
      if (force.state == ContactForceState::Slide) return false;
      if (force.state == ContactForceState::Stick) {
        const auto friction = std::find_if(e.frictions.begin(), e.frictions.end(),
                                           [&](const FrictionEquation& f) { return f.name == force.name; });
        if (friction == e.frictions.end()) return false;
        for (const int row : friction->rows) start.active[at(row)] = true;
        continue;
      }
      if (force.state != ContactForceState::Closed) continue;
      const auto contact = std::find_if(e.contacts.begin(), e.contacts.end(),
                                        [&](const ContactEquation& c) { return c.name == force.name; });
      if (contact == e.contacts.end()) return false;  // shapes, whose rows have no symbols
      if (contact->force) continue;                   // compliant
      rows.push_back(static_cast<std::size_t>(contact->normal));
      start.active[rows.back()] = true;
    }
    if (std::any_of(e.contacts.begin(), e.contacts.end(), [](const ContactEquation& c) { return c.force.has_value(); }))
      return false;  // not part of the smooth equations
    if (!finder_) {
      evaluator_ = point_.model().make_evaluator(start);
      EquilibriumOptions options;
      options.starts = 0;
      finder_.emplace(*evaluator_, options);
    }
    evaluator_->set_active(start.active);
    EquilibriumReport report = finder_->find(nearby);
    if (!report.ok()) return false;
    Equilibrium& found = report.found.front();
    for (const std::size_t row : rows)
      if (found.lambda[row] < 0) return false;
    // On its way to rest it may pass near an equilibrium at which it would not stay.
    if (only_stable && found.modes && found.modes->stability == Stability::Unstable) return false;
    RestingState at;
    if (!rest_.rests(found.state, at)) return false;
    take_forces(at, found);
    found.lambda = at.lambda;
    if (!found.modes) found.no_modes = "at rest on its contacts: nothing can move while they are closed";
    add(std::move(found));
    return true;
  }

  void settle() {
    RestingState at;
    const std::size_t before = report_.found.size();
    const bool rests = rest_.settle(
        point_.state(), at,
        [&](const State& state, const std::vector<ContactForce>& contacts) { return polish(state, contacts, true); });
    if (rests && report_.found.size() == before) add_resting(at);
  }

  [[nodiscard]] double distance(const Equilibrium& found) const {
    double sum = 0;
    for (std::size_t k = 0; k < found.state.q.size(); ++k) sum += std::pow(found.state.q[k] - point_.state().q[k], 2);
    return sum;
  }

  OperatingPoint& point_;
  const EquilibriumOptions& options_;
  EquilibriumReport& report_;
  RestFinder rest_;
  std::unique_ptr<SystemEvaluator> evaluator_;
  std::optional<EquilibriumFinder> finder_;
};

}  // namespace

EquilibriaReport find_equilibria(const Model& model, const StartState& start, const EquilibriaOptions& options) {
  options.search.check();
  OperatingPointOptions place;
  place.place = StatePlace::AsGiven;
  place.open_loop = options.open_loop;
  place.open = options.search.free_inputs;  // an input that is to be found follows no law
  OperatingPoint point(model, start, place);
  EquilibriaReport report;
  static_cast<EquilibriumReport&>(report) = EquilibriumFinder(point.evaluator(), options.search).find(point.state());
  report.steady = options.search.steady;
  report.start = start;
  report.summary = point.summary();
  const EquationsOfMotion& e = point.model().equations();
  const bool touches = !e.contacts.empty() || !e.contact_pairs.empty() || !e.frictions.empty();
  if (touches && !options.search.steady && options.search.free_inputs.empty()) {
    report.summary.warnings.clear();  // that contacts are left out
    ContactEquilibria(point, options.search, report).run();
  }
  for (const Equilibrium& found : report.found) {
    point.closed_evaluator().set_time(found.state.t);
    warn_of_jumps(point.closed_evaluator(), found.state, report.warnings);
  }
  const auto& warnings = report.summary.warnings;
  report.warnings.insert(report.warnings.begin(), warnings.begin(), warnings.end());
  for (const auto& c : e.constraints) report.constraints.push_back(c.name);
  return report;
}

}  // namespace kane
