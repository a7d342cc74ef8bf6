#include "kane/expr/store.hpp"

#include <algorithm>
#include <optional>

#include "kane/base/error.hpp"
#include "kane/expr/count.hpp"

namespace kane {

namespace {

// Fractions of an angle are consistent with the whole down to this denominator: the point of q on the circle is the
// kFineness-th power of that of q/kFineness. lcm(1..16).
constexpr std::uint64_t kFineness = 720720;

Fingerprint number_fingerprint(const Rational& value) {
  const auto residues = [](const mpz_class& z) {
    return Fingerprint{mpz_fdiv_ui(z.get_mpz_t(), field::P1::kPrime), mpz_fdiv_ui(z.get_mpz_t(), field::P2::kPrime)};
  };
  const Fingerprint n = residues(value.get_num());
  return value.get_den() == 1 ? n : n * residues(value.get_den()).inverse();
}

std::uint64_t tag_of(Op op, int extra = 0) {
  return (static_cast<std::uint64_t>(op) << 32) | static_cast<std::uint32_t>(extra);
}

CirclePoint circle_power(CirclePoint x, const mpz_class& exponent) {
  if (exponent < 0) return circle_power(x.conjugate(), -exponent);
  CirclePoint result;
  const std::size_t bits = mpz_sizeinbase(exponent.get_mpz_t(), 2);
  for (std::size_t i = 0; i < bits; ++i, x = x * x)
    if (mpz_tstbit(exponent.get_mpz_t(), i)) result = result * x;
  return result;
}

Fingerprint field_power(Fingerprint x, const mpz_class& exponent) {
  if (exponent < 0) return field_power(x.inverse(), -exponent);
  Fingerprint result = Fingerprint::integer(1);
  const std::size_t bits = mpz_sizeinbase(exponent.get_mpz_t(), 2);
  for (std::size_t i = 0; i < bits; ++i, x = x * x)
    if (mpz_tstbit(exponent.get_mpz_t(), i)) result = result * x;
  return result;
}

/// The atom's own random value for multiples by n/d: shared by all d that divide kFineness, apart for others.
/// Gives that value and the integer power to raise it to.
std::pair<Fingerprint, mpz_class> atom_base(Fingerprint atom, Op op, const Rational& coefficient) {
  Rational scaled = coefficient * Rational(mpz_class(static_cast<unsigned long>(kFineness)));
  scaled.canonicalize();
  if (scaled.get_den() == 1) return {atom.opaque(tag_of(op)), scaled.get_num()};
  const Fingerprint denominator = number_fingerprint(Rational(scaled.get_den()));
  return {(atom * denominator).opaque(tag_of(op, 1)), scaled.get_num()};
}

}  // namespace

std::vector<LinearTerm> linear_terms(const Graph& graph, NodeId id, std::size_t max_terms) {
  std::vector<LinearTerm> terms;
  std::vector<LinearTerm> open{{id, Rational(1)}};
  std::size_t visited = 0;
  while (!open.empty()) {
    if (++visited > 4 * max_terms) return {{id, Rational(1)}};
    const LinearTerm term = std::move(open.back());
    open.pop_back();
    const auto args = graph.args(term.atom);
    switch (graph.op(term.atom)) {
      case Op::Neg: open.push_back({args[0], -term.coefficient}); break;
      case Op::Add:
        open.push_back({args[1], term.coefficient});
        open.push_back({args[0], term.coefficient});
        break;
      case Op::Sub:
        open.push_back({args[1], -term.coefficient});
        open.push_back({args[0], term.coefficient});
        break;
      case Op::Number:
        if (term.atom != Graph::kZero) terms.push_back({Graph::kOne, term.coefficient * graph.number_value(term.atom)});
        break;
      case Op::Mul:
        if (graph.op(args[0]) == Op::Number) {
          open.push_back({args[1], term.coefficient * graph.number_value(args[0])});
          break;
        }
        [[fallthrough]];
      default: terms.push_back(term);
    }
  }
  std::stable_sort(terms.begin(), terms.end(), [](const auto& x, const auto& y) { return x.atom < y.atom; });
  std::vector<LinearTerm> merged;
  for (auto& term : terms) {
    if (!merged.empty() && merged.back().atom == term.atom)
      merged.back().coefficient += term.coefficient;
    else
      merged.push_back(std::move(term));
  }
  std::erase_if(merged, [](const auto& term) { return term.coefficient == 0; });
  return merged;
}

// ---- fingerprints -----------------------------------------------------------------------------------------------------

CirclePoint Store::atom_point(NodeId atom, const Rational& coefficient) {
  // Quarter turns are exact; other fractions of pi stay opaque.
  if (graph_.op(atom) == Op::Pi && Rational(coefficient * 2).get_den() == 1) {
    const mpz_class quarters = Rational(coefficient * 2).get_num();
    const Fingerprint zero, one = Fingerprint::integer(1);
    switch (mpz_fdiv_ui(quarters.get_mpz_t(), 4)) {
      case 0: return {one, zero};
      case 1: return {zero, one};
      case 2: return {-one, zero};
      default: return {zero, -one};
    }
  }
  const auto [t, n] = atom_base(fp(atom), Op::Sin, coefficient);
  return circle_power(CirclePoint::from_parameter(t), n);
}

CirclePoint Store::circle_point(NodeId angle) {
  // The points of a sum's operands are known when the sum was built from angles met before: one step then.
  if (const auto known = state_.points.find(angle); known != state_.points.end()) return known->second;
  CirclePoint point;
  const auto args = graph_.args(angle);
  const auto known_point = [&](NodeId id) -> const CirclePoint* {
    const auto found = state_.points.find(id);
    return found == state_.points.end() ? nullptr : &found->second;
  };
  const Op op = graph_.op(angle);
  const CirclePoint* first = args.size() == 2 ? known_point(args[0]) : nullptr;
  const CirclePoint* second = args.size() == 2 ? known_point(args[1]) : nullptr;
  if ((op == Op::Add || op == Op::Sub) && first != nullptr && second != nullptr) {
    point = *first * (op == Op::Add ? *second : second->conjugate());
  } else {
    for (const auto& term : linear_terms(graph_, angle)) point = point * atom_point(term.atom, term.coefficient);
  }
  state_.points.emplace(angle, point);
  return point;
}

Fingerprint Store::exponential(NodeId argument) {
  if (const auto known = state_.exponentials.find(argument); known != state_.exponentials.end()) return known->second;
  Fingerprint result = Fingerprint::integer(1);
  for (const auto& term : linear_terms(graph_, argument)) {
    const auto [x, n] = atom_base(fp(term.atom), Op::Exp, term.coefficient);
    result = result * field_power(x, n);
  }
  state_.exponentials.emplace(argument, result);
  return result;
}

Fingerprint Store::value(Op op, NodeId a, NodeId b, int exponent) {
  const Fingerprint one = Fingerprint::integer(1);
  switch (op) {
    case Op::Neg: return -fp(a);
    case Op::Add: return fp(a) + fp(b);
    case Op::Sub: return fp(a) - fp(b);
    case Op::Mul: return fp(a) * fp(b);
    case Op::Div: return fp(a) * fp(b).inverse();
    case Op::Pow: return power(fp(a), static_cast<std::uint64_t>(exponent));
    case Op::Sin: return circle_point(a).s;
    case Op::Cos: return circle_point(a).c;
    case Op::Tan: {
      const CirclePoint point = circle_point(a);
      return point.s * point.c.inverse();
    }
    case Op::Exp: return exponential(a);
    case Op::Sinh:
    case Op::Cosh:
    case Op::Tanh: {
      // sinh and cosh as halves of e^x -+ e^-x, so that they agree with exp and with each other.
      const Fingerprint up = exponential(a), down = up.inverse();
      if (op == Op::Tanh) return (up - down) * (up + down).inverse();
      return (op == Op::Sinh ? up - down : up + down) * (one + one).inverse();
    }
    case Op::Min:
    case Op::Max:
    case Op::Equal: {  // symmetric in their operands
      const Fingerprint sum = fp(a) + fp(b), product = fp(a) * fp(b);
      return sum.opaque(tag_of(op)) * product.opaque(tag_of(op, 2));
    }
    case Op::Atan2:
    case Op::Mod:
    case Op::Less:
    case Op::LessEqual: return fp(a).opaque(tag_of(op)) * fp(b).opaque(tag_of(op, 2));
    default: return fp(a).opaque(tag_of(op, exponent));  // functions that are not algebraic
  }
}

// ---- interning --------------------------------------------------------------------------------------------------------

namespace {

/// Where a class stands in the table; the same for a class and its negative. Kept in the slot, so that growing the table
/// reads no nodes.
std::uint32_t table_tag(Fingerprint fp) {
  return static_cast<std::uint32_t>(
      field::scramble(std::min(fp.a, field::P1::neg(fp.a)) ^ (std::min(fp.b, field::P2::neg(fp.b)) << 1)) >> 32);
}

std::uint32_t saturating_sum(std::uint32_t x, std::uint32_t y) { return std::min(x + y, Graph::kMaxCost); }

/// Recognises the residues of n/720720 with |n| < 2^40: all the numbers that sums of products arrive at by chance of
/// cancellation rather than by arithmetic on numbers.
std::optional<Rational> find_small_number(Fingerprint fp) {
  constexpr std::int64_t kBound = std::int64_t{1} << 40;
  const Fingerprint scaled = fp * Fingerprint::integer(static_cast<std::int64_t>(kFineness));
  std::int64_t n = 0;
  if (scaled.a < static_cast<std::uint64_t>(kBound))
    n = static_cast<std::int64_t>(scaled.a);
  else if (field::P1::kPrime - scaled.a < static_cast<std::uint64_t>(kBound))
    n = -static_cast<std::int64_t>(field::P1::kPrime - scaled.a);
  else
    return std::nullopt;
  if (Fingerprint::integer(n) != scaled) return std::nullopt;
  Rational value(mpz_class(static_cast<long>(n)), mpz_class(static_cast<unsigned long>(kFineness)));
  value.canonicalize();
  return value;
}

}  // namespace

std::pair<NodeId, bool> Store::find(Fingerprint fp) const {
  const std::uint32_t tag = table_tag(fp);
  const std::size_t mask = graph_.table_.size() - 1;
  std::pair<NodeId, bool> negative{Graph::kNoNode, false};
  for (std::size_t i = tag & mask;; i = (i + 1) & mask) {
    const auto& slot = graph_.table_[i];
    if (slot.id == Graph::kNoNode) return negative;
    if (slot.tag != tag) continue;
    const Fingerprint known = node(slot.id).fp;
    if (known == fp) return {slot.id, false};
    if (known == -fp) negative = {slot.id, true};
  }
}

void Store::insert(Graph::Slot slot) {
  const std::size_t mask = graph_.table_.size() - 1;
  std::size_t i = slot.tag & mask;
  while (graph_.table_[i].id != Graph::kNoNode) i = (i + 1) & mask;
  graph_.table_[i] = slot;
}

void Store::grow_table() {
  std::vector<Graph::Slot> old(graph_.table_.size() * 2);
  old.swap(graph_.table_);
  for (const auto& slot : old)
    if (slot.id != Graph::kNoNode) insert(slot);
}

NodeId Store::append(const Node& form) {
  if (graph_.size_ >= graph_.options_.max_nodes)
    throw LimitError(fmt::format("the graph of expressions has reached its limit of {} nodes (max_nodes)",
                                 graph_.options_.max_nodes));
  const auto id = static_cast<NodeId>(graph_.size_);
  if ((id & (Graph::kBlockSize - 1)) == 0) graph_.blocks_.push_back(std::make_unique<Node[]>(Graph::kBlockSize));
  graph_.node(id) = form;
  ++graph_.size_;
  if (graph_.size_ * 10 > graph_.table_.size() * 7) grow_table();
  insert({table_tag(form.fp), id});
  return id;
}

std::uint32_t Store::form_cost(const Node& form) const {
  auto cost = static_cast<std::uint32_t>(info(form.op).cost);
  if (form.op == Op::Pow) cost *= static_cast<std::uint32_t>(power_chain_length(static_cast<int>(form.b)));
  switch (info(form.op).arity) {
    case 0: return cost;
    case 1: return saturating_sum(cost, node(form.a).cost);
    case 2: return saturating_sum(cost, saturating_sum(node(form.a).cost, node(form.b).cost));
    default:
      for (const NodeId arg : state_.lists[form.a]) cost = saturating_sum(cost, node(arg).cost);
      return cost;
  }
}

/// Replaces the form of a class by a cheaper one (see graph.hpp for why this cannot make a cycle).
void Store::improve(NodeId id, const Node& form) {
  if (form.cost >= Graph::kMaxCost) return;
  Node& known = graph_.node(id);
  if (info(known.op).arity == 0) return;
  const auto replace = [](Node& target, const Node& source) {
    target.a = source.a, target.b = source.b;
    target.cost = source.cost, target.op = source.op, target.flags = source.flags, target.count = source.count;
  };
  if (known.op == Op::Neg) {
    // The opposite class holds the real form: a class and its negative are computed once. Turn the pair around.
    const NodeId opposite_id = known.a;
    Node& opposite = graph_.node(opposite_id);
    if (info(opposite.op).arity == 0 || form.cost + 1 >= opposite.cost) return;
    replace(known, form);
    opposite.op = Op::Neg, opposite.a = id, opposite.b = 0, opposite.count = 0;
    opposite.cost = form.cost + 1, opposite.flags = form.flags;
    return;
  }
  if (form.cost < known.cost) replace(known, form);
}

NodeId Store::intern(Node form) {
  form.cost = form_cost(form);
  const auto [known, negative] = find(form.fp);
  if (known != Graph::kNoNode && !negative) {
    improve(known, form);
    return known;
  }
  if (form.op != Op::Number && form.op != Op::Symbol && form.op != Op::Pi) {
    if (const auto value = find_small_number(form.fp); value) return number(*value);
    if (known != Graph::kNoNode && graph_.op(known) == Op::Number) return number(-graph_.number_value(known));
    if (known != Graph::kNoNode) {
      form.op = Op::Neg, form.a = known, form.b = 0, form.count = 0;
      form.flags = node(known).flags;
      form.cost = form_cost(form);
    }
  }
  return append(form);
}

NodeId Store::number(const Rational& value) {
  Node form;
  form.fp = number_fingerprint(value);
  const auto [known, negative] = find(form.fp);
  if (known != Graph::kNoNode && !negative && graph_.op(known) == Op::Number && graph_.number_value(known) == value)
    return known;
  form.a = static_cast<NodeId>(state_.numbers.size());
  // A number whose residues are those of something else by chance: kept apart by a fingerprint of its own.
  if (known != Graph::kNoNode && !negative) {
    form.fp = form.fp.opaque(tag_of(Op::Number, static_cast<int>(std::hash<std::string>{}(value.get_str()))));
    if (const auto again = find(form.fp); again.first != Graph::kNoNode && !again.second) return again.first;
  }
  state_.numbers.push_back(value);
  return append(form);
}

NodeId Store::symbol(std::string_view name) {
  std::string key(name);
  if (const auto known = state_.symbol_index.find(key); known != state_.symbol_index.end()) return known->second;
  Node form;
  form.op = Op::Symbol;
  form.a = static_cast<NodeId>(state_.symbols.size());
  Fingerprint seed = Fingerprint::integer(static_cast<std::int64_t>(graph_.options_.seed >> 2));
  for (const char c : key) seed = seed.opaque(static_cast<unsigned char>(c));
  form.fp = seed.opaque(tag_of(Op::Symbol));
  const NodeId id = append(form);
  state_.symbols.push_back({key, id});
  state_.symbol_index.emplace(std::move(key), id);
  return id;
}

NodeId Store::pi() {
  if (state_.pi == Graph::kNoNode) {
    Node form;
    form.op = Op::Pi;
    form.fp = Fingerprint::integer(static_cast<std::int64_t>(graph_.options_.seed >> 2)).opaque(tag_of(Op::Pi));
    state_.pi = append(form);
  }
  return state_.pi;
}

NodeId Store::unary(Op op, NodeId a, int exponent) {
  Node form;
  form.fp = value(op, a, 0, exponent);
  form.op = op;
  form.a = a;
  form.b = static_cast<NodeId>(exponent);
  if (op == Op::Neg || op == Op::Pow) form.flags = node(a).flags;
  if (op == Op::Sqrt || op == Op::Root || op == Op::Abs) form.flags = kHasRadical;
  return intern(form);
}

NodeId Store::binary(Op op, NodeId a, NodeId b) {
  Node form;
  form.fp = value(op, a, b, 0);
  form.op = op;
  form.a = a;
  form.b = b;
  if (op == Op::Mul || op == Op::Div) form.flags = node(a).flags | node(b).flags;
  return intern(form);
}

NodeId Store::select(NodeId condition, NodeId a, NodeId b) {
  Node form;
  form.op = Op::Select;
  form.fp = (fp(condition).opaque(tag_of(Op::Select)) + fp(a)).opaque(tag_of(Op::Select, 1)) *
            (fp(condition).opaque(tag_of(Op::Select)) - fp(b)).opaque(tag_of(Op::Select, 2));
  if (const auto [known, negative] = find(form.fp); known != Graph::kNoNode && !negative) return known;
  form.a = static_cast<NodeId>(state_.lists.size());
  form.count = 3;
  state_.lists.push_back({condition, a, b});
  return intern(form);
}

NodeId Store::call(NodeId function, std::span<const NodeId> args) {
  Node form;
  form.op = Op::Call;
  form.fp = Fingerprint::integer(static_cast<std::int64_t>(function) + 1).opaque(tag_of(Op::Call));
  for (const NodeId arg : args) form.fp = (form.fp + fp(arg)).opaque(tag_of(Op::Call, 1));
  if (const auto [known, negative] = find(form.fp); known != Graph::kNoNode && !negative) return known;
  form.a = static_cast<NodeId>(state_.lists.size());
  form.b = function;
  form.count = static_cast<std::uint16_t>(args.size());
  state_.lists.emplace_back(args.begin(), args.end());
  return intern(form);
}

}  // namespace kane
