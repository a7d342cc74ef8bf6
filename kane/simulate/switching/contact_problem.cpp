#include "kane/simulate/switching/contact_problem.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

ContactProblem::ContactProblem(ContactSet& set, SwitchingWork& work)
    : set_(set), work_(work), lcp_(set.contacts.size(), set.frictions.size(), set.options.cone_turns) {
  const std::size_t c = set.contacts.size(), f = set.frictions.size(), most = c + 2 * f;
  rows.reserve(most), involved.reserve(c), involved_frictions.reserve(f), terms.reserve(f);
  response_ = Matrix(most, set.n), w = Matrix(most, most);
  v0.resize(most), p.resize(most), zeros_.resize(set.evaluator.system().row_count());
  factors_ = MassFactors(set.n, set.evaluator.system().equations().symmetric);
}

bool ContactProblem::prepare(std::span<const double> q, std::span<const double> u) {
  set_.evaluator.set_active(set_.bilateral);
  set_.evaluator.calc_constraints(q, u);
  massless = -1;
  base_constrained_ = !set_.evaluator.active_rows().empty();
  if (base_constrained_) return set_.evaluator.refresh_embedding().ok();
  const FactorReport factored = factors_.factor(set_.evaluator.mass_matrix());
  if (!factored.ok()) massless = factored.pivot;
  return factored.ok();
}

bool ContactProblem::respond(std::span<const double> rhs, bool with_gamma, std::span<double> out) {
  if (base_constrained_) {
    const std::span<const double> gamma =
        with_gamma ? set_.evaluator.active_gamma()
                   : std::span<const double>(zeros_).first(set_.evaluator.active_rows().size());
    return set_.evaluator.embedding().solve(set_.evaluator.mass_matrix(), rhs, gamma, out).ok();
  }
  std::ranges::copy(rhs, out.begin());
  factors_.solve(out);
  return true;
}

bool ContactProblem::form_response() {
  for (std::size_t j = 0; j < rows.size(); ++j)
    if (!respond({set_.evaluator.jacobian().row(rows[j]), set_.n}, false, response_.view().row_span(j))) return false;
  const MatrixView all = w.packed(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j)
      all(i, j) = dot(set_.evaluator.jacobian().row(rows[i]), response_.view().row(j), set_.n);
  return true;
}

void ContactProblem::apply_impulses(std::span<double> u, std::span<const double> impulses) const {
  for (std::size_t j = 0; j < rows.size(); ++j) add_scaled(u.data(), impulses[j], response_.view().row(j), set_.n);
}

/// Rows of the contacts in involved.
void ContactProblem::collect_rows() {
  rows.clear(), terms.clear(), involved_frictions.clear();
  for (const std::size_t k : involved) rows.push_back(set_.contacts[k].row);
}

/// Frictions that have a say: of involved contacts, and (unless it is an impact) those with forces of their own.
void ContactProblem::add_friction_terms(std::span<const double> u, bool impact) {
  for (std::size_t i = 0; i < set_.frictions.size(); ++i) {
    const SwitchedFriction& f = set_.frictions[i];
    FrictionTerm term;
    if (set_.rigid_contact(f)) {
      const auto found = std::find(involved.begin(), involved.end(), at(f.contact));
      if (found == involved.end()) continue;
      term.contact = static_cast<int>(found - involved.begin());
    } else if (impact || !set_.presses(f)) {
      continue;
    }
    const double speed = set_.friction_speed(f, u);
    const double slow = set_.on_line(f) ? set_.still(u, f.rows[set_.line_row(f)])
                                        : std::max(set_.still(u, f.rows[0]), 1.5 * set_.stop_speed(f));
    if (!impact && speed > slow && !set_.all_slow) {
      term.sliding = true;
      for (std::size_t k = 0; k < f.rows.size(); ++k) term.direction[k] = set_.row_speed(f.rows[k], u) / speed;
    }
    const double coefficient = term.sliding || impact ? set_.kinetic(i) : set_.stiction(i);
    if (f.kind != SwitchedFriction::Kind::Own && coefficient == 0) continue;  // shapes without friction
    term.mu = term.contact >= 0 ? coefficient : 0.0;
    term.limit = set_.known_limit(f, coefficient);
    term.first = rows.size();
    term.rows = f.rows.size();
    rows.insert(rows.end(), f.rows.begin(), f.rows.end());
    terms.push_back(term);
    involved_frictions.push_back(i);
  }
}

/// The complementarity problem of rows, w, v0 and terms.
ContactStatus ContactProblem::solve(std::span<double> impulses, bool check_unique) {
  const std::size_t all = rows.size();
  const ContactReport report =
      lcp_.solve(involved.size(), w.packed(all, all), std::span(v0).first(all), terms, impulses, check_unique);
  ++work_.problems;
  work_.pivots += report.pivots;
  work_.operations += report.operations;
  return report.status;
}

}  // namespace kane
