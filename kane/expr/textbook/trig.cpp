#include "kane/expr/textbook/trig.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace kane::textbook {

namespace {

constexpr std::size_t kMostWaves = 24;  // longer sums are not searched for a shorter form
constexpr std::size_t kMostAngles = 6;
constexpr std::size_t kFewTerms = 24;  // of a polynomial whose forms are always searched for
constexpr long kMostMultiple = 12;

/// All angles that occur in the waves.
std::vector<NodeId> nodes_of(const Waves& waves) {
  std::set<NodeId> nodes;
  for (const auto& [w, c] : waves)
    for (const auto& [node, k] : w.angle) nodes.insert(node);
  return {nodes.begin(), nodes.end()};
}

/// The coordinates themselves, or the fractions of them of which all waves are multiples.
std::vector<Angle> elementary_basis(const Waves& waves) {
  std::vector<Angle> basis;
  for (const NodeId node : nodes_of(waves)) {
    Rational unit = 1;
    for (const auto& [w, c] : waves)
      for (const auto& [n, k] : w.angle)
        if (n == node) unit = common_measure(unit, k);
    basis.push_back({{node, unit}});
  }
  return basis;
}

Rational coefficient_of(const Angle& angle, NodeId node) {
  for (const auto& [n, k] : angle)
    if (n == node) return k;
  return 0;
}

/// The whole numbers n with angle = sum of n_i basis_i, by elimination; empty if there are none.
std::optional<std::vector<int>> coordinates(const Angle& angle, const std::vector<Angle>& basis,
                                            const std::vector<NodeId>& nodes) {
  const std::size_t columns = basis.size();
  std::vector<std::vector<Rational>> rows;
  for (const NodeId node : nodes) {
    std::vector<Rational> row;
    for (const auto& b : basis) row.push_back(coefficient_of(b, node));
    row.push_back(coefficient_of(angle, node));
    rows.push_back(std::move(row));
  }
  std::size_t rank = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    std::size_t pivot = rank;
    while (pivot < rows.size() && rows[pivot][column] == 0) ++pivot;
    if (pivot == rows.size()) return std::nullopt;  // the basis is not independent
    std::swap(rows[rank], rows[pivot]);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r == rank || rows[r][column] == 0) continue;
      const Rational factor = rows[r][column] / rows[rank][column];
      for (std::size_t k = column; k <= columns; ++k) rows[r][k] -= factor * rows[rank][k];
    }
    ++rank;
  }
  for (std::size_t r = rank; r < rows.size(); ++r)
    if (rows[r][columns] != 0) return std::nullopt;
  std::vector<int> result;
  for (std::size_t i = 0; i < columns; ++i) {
    const Rational n = rows[i][columns] / rows[i][i];
    if (!n.is_whole() || abs(n) > kMostMultiple) return std::nullopt;
    result.push_back(static_cast<int>(n.small_num()));
  }
  return result;
}

/// The common factor of the coefficients, with the sign of the first.
Rational content(const Waves& waves) {
  Rational result;
  for (const auto& [w, c] : waves) result = common_measure(result, c);
  return waves.begin()->second < 0 ? -result : result;
}

Waves scaled(const Waves& waves, const Rational& factor) {
  Waves result;
  for (const auto& [w, c] : waves) result.emplace(w, c * factor);
  return result;
}

}  // namespace

// ---- waves ------------------------------------------------------------------------------------------------------------

void Trigonometry::add_wave(Waves& waves, Angle angle, bool sine, Rational coefficient) const {
  const Graph& graph = atoms_.graph();
  const auto flip = [&] {
    angle = multiple(angle, -1);
    if (sine) coefficient = -coefficient;
  };
  const auto is_pi = [&](const auto& term) { return graph.op(term.first) == Op::Pi; };
  const auto lead = std::find_if_not(angle.begin(), angle.end(), is_pi);
  if (lead != angle.end() && lead->second < 0) flip();
  // Quarter turns: cos(x + pi/2) = -sin(x), sin(x + pi/2) = cos(x).
  const auto turns = std::find_if(angle.begin(), angle.end(), is_pi);
  if (turns != angle.end()) {
    const Rational whole = floor_of(turns->second * 2);
    for (unsigned long i = mpz_fdiv_ui(whole.get_num().get_mpz_t(), 4); i > 0; --i) {
      if (!sine) coefficient = -coefficient;
      sine = !sine;
    }
    turns->second -= whole / 2;
    if (turns->second == 0) angle.erase(turns);
  }
  if (angle.empty() && sine) return;
  Rational& c = waves[{std::move(angle), sine}];
  c += coefficient;
  if (c == 0) std::erase_if(waves, [](const auto& entry) { return entry.second == 0; });
}

Waves Trigonometry::waves_of(const Polynomial& trigonometric) {
  Waves result;
  for (const auto& [m, c] : trigonometric) {
    Waves product{{Wave{}, c}};
    for (const auto& [atom, exponent] : m) {
      const bool sine = atoms_[atom].kind == AtomKind::Sine;
      const Angle b = atoms_[atom].angle;
      for (int i = 0; i < exponent; ++i) {
        Waves next;
        budget_.spend(4 * product.size());
        for (const auto& [w, k] : product) {
          const Rational half = k / 2;
          const Angle up = sum(w.angle, b, 1), down = sum(w.angle, b, -1);
          // cos cos = [cos(-) + cos(+)]/2, sin sin = [cos(-) - cos(+)]/2, sin cos = [sin(+) + sin(-)]/2,
          // cos sin = [sin(+) - sin(-)]/2
          const bool result_is_sine = w.sine != sine;
          add_wave(next, up, result_is_sine, w.sine && sine ? Rational(-half) : half);
          add_wave(next, down, result_is_sine, !w.sine && sine ? Rational(-half) : half);
        }
        product = std::move(next);
      }
    }
    for (const auto& [w, k] : product) add_wave(result, w.angle, w.sine, k);
  }
  return result;
}

/// Empty if there are too many of them.
std::optional<Waves> Trigonometry::find_waves(const Polynomial& trigonometric) {
  try {
    return waves_of(trigonometric);
  } catch (const TooLong&) {
    return std::nullopt;
  }
}

Polynomial Trigonometry::wave(const Angle& angle, bool sine) {
  Waves waves;
  add_wave(waves, angle, sine, 1);
  return polynomial_of(waves);
}

Polynomial Trigonometry::polynomial_of(const Waves& waves) {
  Polynomial p;
  for (const auto& [w, c] : waves) {
    if (w.angle.empty())
      add_term(p, {}, c);
    else
      add_term(p, {{w.sine ? atoms_.sine(w.angle) : atoms_.cosine(w.angle), 1}}, c);
  }
  return p;
}

// ---- other forms --------------------------------------------------------------------------------------------------------

/// cos(n b) = T_n(c) and sin(n b) = s U_(n-1)(c), by the recurrence f_(n+1) = 2 c f_n - f_(n-1).
std::pair<Polynomial, Polynomial> Trigonometry::multiple_angle(const Angle& unit, int n) {
  const Polynomial c = wave(unit, false), s = wave(unit, true);
  if (n < 0) {
    auto [cosine, sine] = multiple_angle(unit, -n);
    return {std::move(cosine), multiply(sine, {}, -1)};
  }
  Polynomial cosine = constant(1), sine, next_cosine = c, next_sine = s;
  const Polynomial twice = multiply(c, {}, 2);
  for (int i = 0; i < n; ++i) {
    Polynomial later_cosine = multiply(twice, next_cosine, budget_), later_sine = multiply(twice, next_sine, budget_);
    add(later_cosine, cosine, -1);
    add(later_sine, sine, -1);
    cosine = std::move(next_cosine), sine = std::move(next_sine);
    next_cosine = std::move(later_cosine), next_sine = std::move(later_sine);
  }
  return {std::move(cosine), std::move(sine)};
}

std::optional<Polynomial> Trigonometry::in_basis(const Waves& waves, const std::vector<Angle>& basis) {
  const auto nodes = nodes_of(waves);
  Polynomial result;
  for (const auto& [w, k] : waves) {
    const auto n = coordinates(w.angle, basis, nodes);
    if (!n) return std::nullopt;
    Polynomial cosine = constant(1), sine;
    for (std::size_t i = 0; i < basis.size(); ++i) {
      if ((*n)[i] == 0) continue;
      const auto [c, s] = multiple_angle(basis[i], (*n)[i]);
      Polynomial next_cosine = multiply(cosine, c, budget_), next_sine = multiply(sine, c, budget_);
      add(next_cosine, multiply(sine, s, budget_), -1);
      add(next_sine, multiply(cosine, s, budget_), 1);
      cosine = std::move(next_cosine), sine = std::move(next_sine);
    }
    add(result, w.sine ? sine : cosine, k);
    budget_.check(result);
  }
  return result;
}

Polynomial Trigonometry::without_squares(const Polynomial& p, int atom, int other) {
  Polynomial result;
  Polynomial square = constant(1);
  add_term(square, {{other, 2}}, -1);
  for (const auto& [m, c] : p) {
    int exponent = 0;
    Monomial rest;
    for (const auto& q : m)
      if (q.atom == atom && q.exponent > 1)
        exponent = q.exponent;
      else
        rest.push_back(q);
    if (exponent % 2 != 0) rest = product(rest, {{atom, 1}});
    add(result, multiply(power(square, exponent / 2, budget_), rest, c), 1);
  }
  return result;
}

/// Starts from s^2 = 1 - c^2 for all angles and turns those around for which that is shorter.
Polynomial Trigonometry::best_directions(Polynomial p, const std::vector<Angle>& basis) {
  for (const auto& unit : basis) {
    const Polynomial turned =
        without_squares(p, wave(unit, false).begin()->first[0].atom, wave(unit, true).begin()->first[0].atom);
    keep_shorter(p, turned);
  }
  return p;
}

std::optional<Polynomial> Trigonometry::elementary(const Waves& waves, bool sines) {
  const auto basis = elementary_basis(waves);
  for (const auto& unit : basis)
    if (!is_free(unit[0].first)) return std::nullopt;
  auto p = in_basis(waves, basis);
  if (!p || !sines) return p;
  for (const auto& unit : basis) p = without_squares(*p, atoms_.cosine(unit), atoms_.sine(unit));
  return p;
}

// ---- search --------------------------------------------------------------------------------------------------------------

int Trigonometry::flat_cost(const Polynomial& p) const {
  int cost = 0;
  for (const auto& [m, c] : p) {
    cost += 1 + (m.empty() || abs(c) == 1 ? 0 : 1) + (c.is_whole() ? 0 : 1);
    for (const auto& q : m) cost += atoms_[q.atom].operations + (q.exponent == 1 ? 1 : 2);
    if (!m.empty()) --cost;
  }
  return cost;
}

void Trigonometry::keep_shorter(Polynomial& best, const Polynomial& other) const {
  const int a = flat_cost(other), b = flat_cost(best);
  if (a < b || (a == b && other.size() < best.size())) best = other;
}

void Trigonometry::try_bases(const Waves& waves, Polynomial& best) {
  const std::vector<Angle> start = elementary_basis(waves);
  // Directions: the waves, their halves, half sums and half differences of two. No angle is halved that the waves have
  // whole: cos(a) + cos(a + b) is easier to read than 2 cos(b/2) cos(a + b/2), though longer.
  std::map<NodeId, Rational> step;
  for (const Angle& unit : start) step.emplace(unit[0].first, unit[0].second);
  std::set<Angle> directions;
  const auto add_direction = [&](Angle angle) {
    for (const auto& [node, k] : angle)
      if (!is_free(node) || !Rational(k / step.at(node)).is_whole()) return;
    if (!angle.empty() && angle[0].second < 0) angle = multiple(angle, -1);
    if (!angle.empty()) directions.insert(std::move(angle));
  };
  for (const auto& [v, c] : waves) {
    add_direction(v.angle);
    add_direction(multiple(v.angle, Rational(1, 2)));
    for (const auto& [w, d] : waves) {
      if (directions.size() > 60) break;
      add_direction(multiple(sum(v.angle, w.angle, 1), Rational(1, 2)));
      add_direction(multiple(sum(v.angle, w.angle, -1), Rational(1, 2)));
    }
  }
  const auto consider = [&](const std::vector<Angle>& basis) {
    if (tries_ <= 0) return false;
    --tries_;
    const auto p = in_basis(waves, basis);
    if (!p) return false;
    const int before = flat_cost(best);
    keep_shorter(best, best_directions(*p, basis));
    return flat_cost(best) < before;
  };
  // One or two angles at a time: all waves may lie in a plane.
  for (const auto& a : directions) consider({a});
  for (const auto& a : directions)
    for (const auto& b : directions)
      if (a < b) consider({a, b});
  if (start.size() < 3 || !std::all_of(start.begin(), start.end(), [&](auto& a) { return is_free(a[0].first); }))
    return;
  // Else exchange the coordinates one by one.
  std::vector<Angle> basis = start;
  consider(basis);
  for (auto& place : basis)
    for (const auto& direction : directions) {
      const Angle old = std::exchange(place, direction);
      if (!consider(basis)) place = old;
    }
}

/// Takes one angle out as a factor and looks for the shortest form of what it multiplies.
void Trigonometry::try_splits(const Waves& waves, Polynomial& best) {
  const auto units = elementary_basis(waves);
  if (units.size() < 2) return;
  for (const auto& unit : units) {
    const NodeId node = unit[0].first;
    if (tries_ <= 0) return;
    if (!is_free(node)) continue;
    --tries_;
    std::map<Monomial, Waves> parts;
    bool small = true;
    for (const auto& [w, k] : waves) {
      const Rational n = coefficient_of(w.angle, node) / unit[0].second;
      const Angle rest = sum(w.angle, unit, -n);
      small = small && abs(n) <= kMostMultiple;
      if (!small) break;
      const auto [c, s] = multiple_angle(unit, static_cast<int>(n.small_num()));
      // cos(n b + r) = cos(n b) cos(r) - sin(n b) sin(r), sin(n b + r) = cos(n b) sin(r) + sin(n b) cos(r)
      for (const auto& [m, q] : c) add_wave(parts[m], rest, w.sine, k * q);
      for (const auto& [m, q] : s) add_wave(parts[m], rest, !w.sine, w.sine ? Rational(k * q) : Rational(-k * q));
    }
    if (!small) continue;
    Polynomial whole;
    for (const auto& [m, part] : parts)
      if (!part.empty()) add(whole, multiply(search(part), m, 1), 1);
    keep_shorter(best, best_directions(std::move(whole), {unit}));
  }
}

Polynomial Trigonometry::search(const Waves& waves) {
  if (const auto known = known_.find(waves); known != known_.end()) return known->second;
  Polynomial best = polynomial_of(waves);
  const std::size_t angles = nodes_of(waves).size();
  if (waves.size() > 1 && waves.size() <= kMostWaves && angles >= 1 && angles <= kMostAngles) {
    try {
      try_splits(waves, best);
      try_bases(waves, best);
    } catch (const TooLong&) {
      tries_ = 0;
    }
  }
  known_.emplace(waves, best);
  return best;
}

Polynomial Trigonometry::shortest(const Waves& waves, const Polynomial& written) {
  Polynomial best = search(waves);
  if (flat_cost(written) <= flat_cost(best)) best = written;  // as the author had it, if nothing is gained
  return best;
}

// ---- all together --------------------------------------------------------------------------------------------------------

Trigonometry::Parts Trigonometry::split(const Polynomial& p) const {
  Parts parts;
  for (const auto& [m, c] : p) {
    Monomial other, trigonometric;
    for (const auto& q : m) (atoms_.is_trigonometric(q.atom) && q.exponent > 0 ? trigonometric : other).push_back(q);
    add_term(parts[other], trigonometric, c);
  }
  return parts;
}

std::optional<Polynomial> Trigonometry::over_common_denominators(const Polynomial& p) {
  Parts parts;
  for (const auto& [m, c] : p) {
    Monomial other, trigonometric;
    for (const auto& q : m) (atoms_.is_trigonometric(q.atom) ? trigonometric : other).push_back(q);
    add_term(parts[other], trigonometric, c);
  }
  bool any = false;
  Polynomial result;
  for (const auto& [other, part] : parts) {
    std::map<int, int> least;
    for (const auto& [m, c] : part)
      for (const auto& q : m)
        if (q.exponent < 0) least[q.atom] = std::min(least[q.atom], q.exponent);
    Monomial below;
    for (const auto& [atom, exponent] : least) below = product(below, {{atom, exponent}});
    Polynomial best = part;
    if (!below.empty() && part.size() > 1) {
      const Polynomial above = multiply(part, power(below, -1), 1);
      if (const auto waves = find_waves(above)) {
        any = true;
        keep_shorter(best, multiply(shortest(*waves, above), below, 1));
      }
    }
    add(result, multiply(best, other, 1), 1);
  }
  return any ? std::optional(result) : std::nullopt;
}

std::vector<Polynomial> Trigonometry::forms(const Polynomial& p) {
  // What cancellation has left of a long expression is short, and is worth steps of its own.
  if (p.size() <= kFewTerms) budget_ = Budget(max_terms_);
  std::map<Monomial, std::pair<Waves, Polynomial>> parts;
  Polynomial untouched;
  for (auto& [m, part] : split(p)) {
    auto waves = part.size() == 1 && part.begin()->first.empty() ? std::nullopt : find_waves(part);
    if (!waves)
      add(untouched, multiply(part, m, 1), 1);
    else if (!waves->empty())
      parts.emplace(m, std::pair(std::move(*waves), part));
  }
  std::optional<Polynomial> over;
  try {
    over = over_common_denominators(p);
  } catch (const TooLong&) {  // one form less
  }
  if (parts.empty()) return over ? std::vector{untouched, *over} : std::vector{untouched};
  // The same form for multiples of the same; the form of each by itself; all waves; all multiplied out.
  std::vector<Polynomial> results(5, untouched);
  bool out_cosines = true, out_sines = true;
  for (const auto& [m, part] : parts) {
    const auto& [waves, written] = part;
    const Rational c = content(waves);
    const Waves primitive = scaled(waves, 1 / c);
    add(results[0], multiply(shortest(primitive, multiply(written, {}, 1 / c)), m, c), 1);
    add(results[1], multiply(shortest(waves, written), m, 1), 1);
    add(results[2], multiply(polynomial_of(waves), m, 1), 1);
    try {
      const auto cosines = elementary(waves, false), sines = elementary(waves, true);
      out_cosines = out_cosines && cosines, out_sines = out_sines && sines;
      if (cosines) add(results[3], multiply(*cosines, m, 1), 1);
      if (sines) add(results[4], multiply(*sines, m, 1), 1);
    } catch (const TooLong&) {
      out_cosines = out_sines = false;
    }
  }
  if (!out_sines) results.erase(results.begin() + 4);
  if (!out_cosines) results.erase(results.begin() + 3);
  if (over) results.push_back(*over);
  return results;
}

}  // namespace kane::textbook
