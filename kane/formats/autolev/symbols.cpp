// Scalars: their declarations, definitions, derivatives, and expressions made explicit.

#include <algorithm>

#include "kane/base/suggest.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/autolev/complex.hpp"
#include "kane/formats/autolev/session.hpp"

namespace kane::autolev {

namespace {

std::string with_primes(std::string_view name, int primes) {
  return folded(name) + std::string(static_cast<std::size_t>(primes), '\'');
}

}  // namespace

Scalar* Session::find(std::string_view key) {
  const auto found = w_.scalars.find(key);
  return found == w_.scalars.end() ? nullptr : &found->second;
}

const Scalar* Session::find_scalar(std::string_view key) const {
  const auto found = w_.scalars.find(folded(key));
  return found == w_.scalars.end() ? nullptr : &found->second;
}

const Scalar* Session::find_symbol(const Expr& symbol) const {
  const auto found = w_.by_symbol.find(symbol.id());
  return found == w_.by_symbol.end() ? nullptr : find_scalar(found->second);
}

std::vector<std::string> Session::known_names() const {
  std::vector<std::string> names;
  for (const auto& [key, s] : w_.scalars) names.push_back(s.spelled());
  for (const auto& [key, name] : w_.spelling) names.push_back(name);
  return names;
}

Scalar& Session::add_scalar(const std::string& name, int primes, Role role, int order) {
  const std::string key = with_primes(name, primes);
  const auto [place, fresh] = w_.scalars.try_emplace(key);
  Scalar& s = place->second;
  if (!fresh) return s;
  s.name = name, s.primes = primes, s.role = role, s.order = order;
  s.symbol = graph_->symbol(s.spelled());
  s.position = w_.declared++;
  w_.by_symbol[s.symbol.id()] = key;
  if (role == Role::Imaginary) w_.imaginary.push_back(s.symbol);
  ++w_.version;
  return s;
}

/// x with `primes` primes. Those that were not declared are added with a note: AUTOLEV asks for a declaration.
Scalar& Session::need_derivative(const Scalar& base, int primes) {
  if (Scalar* known = find(with_primes(base.name, primes))) return *known;
  const std::string name = base.name;
  const Role role = base.role;
  const bool dynamic = base.dynamic;
  if (primes > base.order && base.order >= 0)
    note(fmt::format("{} is used, but declared as {}; it is taken as a further derivative",
                     name + std::string(static_cast<std::size_t>(primes), '\''),
                     name + std::string(static_cast<std::size_t>(base.order), '\'')));
  Scalar& s = add_scalar(name, primes, role, std::max(base.order, primes));
  s.dynamic = dynamic;
  return s;
}

Scalar& Session::named_scalar(const Node& name) {
  if (Scalar* known = find(name.key())) return *known;
  if (name.primes > 0) {
    if (Scalar* base = find(folded(name.text)); base != nullptr && base->role != Role::Constant)
      return need_derivative(*base, name.primes);
  }
  if (w_.matrices.contains(name.key()))
    throw ModelError(name.where, fmt::format("'{}' is a matrix, where a scalar is expected", name.spelled()));
  throw ModelError(name.where,
                   fmt::format("there is no scalar '{}'{}", name.spelled(), suggestion(name.spelled(), known_names())));
}

void Session::define(Scalar& s, const Expr& value, Origin origin) {
  s.value = value.graph() == nullptr ? value : graph_->bind(value);
  s.origin = origin;
  ++w_.version;
}

/// How a scalar is written in results: its name, but a plain q1' = u1 is written u1.
Expr Session::spelled(const Scalar& s) const {
  if (s.value && s.origin != Origin::Kane) {
    if (w_.settings.autorhs != "OFF") return *s.value;
    if (s.primes > 0 && (s.value->is_symbol() || s.value->is_number())) return *s.value;
  }
  return s.symbol;
}

Expr Session::rectangular_form(const Expr& e) const {
  Expr r = e;
  for (const Expr& i : w_.imaginary) r = rectangular(r, i);
  return r;
}

// ---- explicit expressions -------------------------------------------------------------------------------------------------

const Expr* Session::definition_of(NodeId symbol, const Explicitly& how) const {
  for (const Expr& kept : how.keep)
    if (kept.id() == symbol) return nullptr;
  if (how.auxiliaries) {
    const auto value = w_.auxiliary_values.find(symbol);
    if (value != w_.auxiliary_values.end()) return &value->second;
  }
  const auto key = w_.by_symbol.find(symbol);
  if (key == w_.by_symbol.end()) return nullptr;
  const auto found = w_.scalars.find(key->second);
  if (found == w_.scalars.end()) return nullptr;
  const Scalar& s = found->second;
  if (!s.value || (s.origin == Origin::Kane && !how.solutions)) return nullptr;
  return &*s.value;
}

Expr Session::resolve_symbol(const Expr& symbol, const Explicitly& how, std::unordered_map<NodeId, Expr>& known,
                             std::vector<NodeId>& open) {
  const NodeId id = symbol.id();
  if (const auto found = known.find(id); found != known.end()) return found->second;
  const Expr* const definition = definition_of(id, how);
  if (definition == nullptr) return symbol;
  if (std::find(open.begin(), open.end(), id) != open.end()) {
    std::string circle;
    for (const NodeId o : open) circle += graph_->at(o).name() + ", ";
    throw ModelError(fmt::format("the definitions of {}{} refer to one another in a circle", circle, symbol.name()));
  }
  if (open.size() > 2000) throw LimitError("definitions refer to one another more than 2000 deep");
  open.push_back(id);
  const Expr value = *definition;
  Substitution map;
  for (const Expr& s : symbols_of(std::span(&value, 1))) {
    const Expr inner = resolve_symbol(s, how, known, open);
    if (!(inner == s)) map.set(s, inner);
  }
  open.pop_back();
  Expr result = map.empty() ? value : substitute(value, map);
  known.emplace(id, result);
  return result;
}

std::vector<Expr> Session::explicitly(std::span<const Expr> es, const Explicitly& how) {
  std::unordered_map<NodeId, Expr> fresh;
  Remembered& memory = resolved_[how.auxiliaries ? 1 : 0][how.solutions ? 1 : 0];
  if (how.keep.empty() && memory.version != w_.version) memory = {w_.version, {}};
  auto& known = how.keep.empty() ? memory.known : fresh;
  Substitution map;
  std::vector<NodeId> open;
  for (const Expr& s : symbols_of(es)) {
    const Expr value = resolve_symbol(s, how, known, open);
    if (!(value == s)) map.set(s, value);
  }
  if (map.empty()) return {es.begin(), es.end()};
  return substitute(es, map);
}

Expr Session::explicitly(const Expr& e, const Explicitly& how) {
  if (e.graph() == nullptr) return e;
  return explicitly(std::span(&e, 1), how).front();
}

Vector Session::explicitly(const Vector& v, const Explicitly& how) {
  Vector r;
  for (const auto& term : v.terms()) {
    const auto c = explicitly(std::span<const Expr>(term.c), how);
    r += Vector(term.frame, {c[0], c[1], c[2]});
  }
  return r;
}

Value Session::explicitly(const Value& v, const Explicitly& how) {
  if (const auto* e = std::get_if<Expr>(&v)) return explicitly(*e, how);
  if (const auto* m = std::get_if<ExprMatrix>(&v)) {
    ExprMatrix r = *m;
    r.entries = explicitly(std::span<const Expr>(m->entries), how);
    return r;
  }
  if (const auto* a = std::get_if<Vector>(&v)) return explicitly(*a, how);
  if (const auto* d = std::get_if<Dyadic>(&v)) {
    Dyadic r;
    for (const auto& term : d->terms()) {
      Expr33 c = term.c;
      for (auto& row : c)
        for (Expr& e : row) e = explicitly(e, how);
      r += Dyadic(term.frame, c);
    }
    return r;
  }
  VectorMatrix r = std::get<VectorMatrix>(v);
  for (Vector& a : r.entries) a = explicitly(a, how);
  return r;
}

// ---- derivatives ----------------------------------------------------------------------------------------------------------

/// Derivative of a symbol with respect to time. A declared x has x'; what is only defined changes as its definition does.
Expr Session::rate(const Expr& symbol) {
  const auto key = w_.by_symbol.find(symbol.id());
  if (key == w_.by_symbol.end()) return 0;
  const Scalar& s = w_.scalars.find(key->second)->second;
  switch (s.role) {
    case Role::Time: return 1;
    case Role::Imaginary: return 0;
    case Role::Constant:
    case Role::Defined: return s.value ? time_derivative(*s.value) : Expr(0);
    default: break;
  }
  const Scalar* const next = find(with_primes(s.name, s.primes + 1));
  if (next != nullptr && (next->value || !s.value)) return spelled(*next);
  if (s.value && s.origin != Origin::Kane) return time_derivative(*s.value);
  return need_derivative(s, s.primes + 1).symbol;
}

Expr Session::time_derivative(const Expr& e) {
  if (e.graph() == nullptr) return 0;
  if (derivative_depth_ > 500) throw LimitError("definitions refer to one another more than 500 deep");
  struct Level {
    explicit Level(int& level) : depth(level) { ++depth; }
    ~Level() { --depth; }
    int& depth;
  } level(derivative_depth_);
  Substitution rates;
  for (const Expr& s : symbols_of(std::span(&e, 1))) {
    const Expr r = rate(s);
    if (!r.is_zero()) rates.set(s, r);
  }
  return rates.empty() ? Expr(0) : kane::time_derivative(e, rates);
}

/// Partial derivative: what depends on the symbol through definitions depends on it.
Expr Session::partial(const Expr& e, const Expr& symbol) {
  // u1' alone is what KANE or SOLVE found; in an expression it is itself.
  Explicitly how{.auxiliaries = true, .solutions = e.is_symbol()};
  if (definition_of(symbol.id(), how) != nullptr) how.keep = {symbol};
  const Expr value = explicitly(e, how);
  if (value.graph() == nullptr) return 0;
  auto& tangent = tangents_[symbol.id()];
  if (tangent == nullptr) tangent = std::make_unique<Tangent>(Substitution{{symbol, Expr(1)}});
  return (*tangent)(value);
}

}  // namespace kane::autolev
