#include "kane/expr/store.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "kane/base/error.hpp"
#include "kane/expr/count.hpp"

namespace kane {

// ---- interning --------------------------------------------------------------------------------------------------------

namespace {

/// The place of a class in the table; the same for a class and its negative. Kept in the slot, so that growing the table
/// reads no nodes.
std::uint32_t table_tag(Fingerprint fp) {
  return static_cast<std::uint32_t>(
      field::scramble(std::min(fp.a, field::P1::neg(fp.a)) ^ (std::min(fp.b, field::P2::neg(fp.b)) << 1)) >> 32);
}

std::uint32_t saturating_sum(std::uint32_t x, std::uint32_t y) { return std::min(x + y, Graph::kMaxCost); }

/// n if the first residue is that of a whole number with |n| < 2^40 (as few are), 0 otherwise.
std::int64_t small_integer(std::uint64_t a) {
  constexpr std::uint64_t kBound = std::uint64_t{1} << 40;
  if (a < kBound) return static_cast<std::int64_t>(a);
  return field::P1::kPrime - a < kBound ? -static_cast<std::int64_t>(field::P1::kPrime - a) : 0;
}

/// Recognises the residues of n/lcm(1..16) and n/10^12 with |n| < 2^40: the numbers that sums and products of other things
/// arrive at when those cancel.
std::optional<Rational> find_small_number(Fingerprint fp) {
  for (const std::int64_t scale : {std::int64_t{720'720}, std::int64_t{1'000'000'000'000}}) {
    const std::int64_t n = small_integer(field::P1::mul(fp.a, static_cast<std::uint64_t>(scale)));
    if (n == 0 || Fingerprint::integer(n) != fp * Fingerprint::integer(scale)) continue;
    return Rational(n, scale);
  }
  return fp.is_zero() ? std::optional(Rational(0)) : std::nullopt;
}

std::size_t bits(const mpz_class& z) { return mpz_sizeinbase(z.get_mpz_t(), 2); }

/// Whether a fraction n/d with |n|, d <= 2^40 has these residues. (By the Chinese remainder theorem they stand for one
/// x modulo m = p1 p2; Euclid's algorithm on m and x meets the smallest n = d x (mod m) on its way.)
bool is_taken_by_small_number(Fingerprint fp) {
  const mpz_class p1(field::P1::kPrime), p2(field::P2::kPrime), m = p1 * p2;
  const mpz_class a(fp.a), b(fp.b);
  mpz_class inverse;
  mpz_invert(inverse.get_mpz_t(), p1.get_mpz_t(), p2.get_mpz_t());
  mpz_class x = (a + p1 * (((b - a) * inverse) % p2)) % m;
  if (x < 0) x += m;
  mpz_class r0 = m, r1 = x, t0 = 0, t1 = 1;
  constexpr std::size_t kSmallBits = 40;
  while (bits(r1) > kSmallBits) {
    const mpz_class quotient = r0 / r1;
    mpz_class r2 = r0 - quotient * r1, t2 = t0 - quotient * t1;
    r0 = r1, r1 = r2, t0 = t1, t1 = t2;
  }
  return bits(t1) <= kSmallBits;
}

/// A number of up to 60 bits above and below has residues of its own. A longer one may have those of a small number: then
/// (and if they are zero) it gets a value that only depends on its digits, which loses identities but invents none.
Fingerprint number_fingerprint(const Rational& value) {
  constexpr std::size_t kOwnBits = 60;
  constexpr long kOwn = 1L << kOwnBits;
  if (value.is_small() && std::abs(value.small_num()) < kOwn && value.small_den() < kOwn) {
    const Fingerprint n = Fingerprint::integer(value.small_num());
    return value.is_whole() ? n : n * Fingerprint::integer(value.small_den()).inverse();
  }
  const mpz_class n = value.get_num(), d = value.get_den();
  const Fingerprint fp = d == 1 ? residues(n) : residues(n) * residues(d).inverse();
  if ((bits(n) <= kOwnBits && bits(d) <= kOwnBits) || !is_taken_by_small_number(fp)) return fp;
  std::uint64_t digest = value < 0 ? 1 : 2;
  for (const mpz_class* part : {&n, &d})
    for (std::size_t i = 0; i < mpz_size(part->get_mpz_t()); ++i)
      digest = field::scramble(digest ^ mpz_getlimbn(part->get_mpz_t(), static_cast<mp_size_t>(i)));
  return fp.opaque(digest);
}

}  // namespace

Store::Found Store::find(Fingerprint fp) const {
  Found found;
  found.tag = table_tag(fp);
  const std::size_t mask = graph_.table_.size() - 1;
  for (std::size_t i = found.tag & mask;; i = (i + 1) & mask) {
    const auto& slot = graph_.table_[i];
    if (slot.id == Graph::kNoNode) {
      found.slot = i;
      return found;
    }
    if (slot.tag != found.tag) continue;
    const Fingerprint known = node(slot.id).fp;
    if (known == fp) {
      found.node = slot.id, found.negative = false;
      return found;
    }
    if (known == -fp) found.node = slot.id, found.negative = true;
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

NodeId Store::append(const Node& form, const Found& place) {
  if (graph_.size_ >= graph_.options_.max_nodes)
    throw LimitError(fmt::format("the graph of expressions has reached its limit of {} nodes (max_nodes)",
                                 graph_.options_.max_nodes));
  const auto id = static_cast<NodeId>(graph_.size_);
  if ((id & (Graph::kBlockSize - 1)) == 0) graph_.blocks_.push_back(std::make_unique<Node[]>(Graph::kBlockSize));
  graph_.node(id) = form;
  ++graph_.size_;
  if (graph_.size_ * 10 > graph_.table_.size() * 7) {
    grow_table();
    insert({place.tag, id});
  } else {
    graph_.table_[place.slot] = {place.tag, id};
  }
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

/// The form has its fingerprint and its cost.
NodeId Store::intern(Node form) {
  const Found found = find(form.fp);
  if (found.exact()) {
    improve(found.node, form);
    return found.node;
  }
  if (const auto value = find_small_number(form.fp); value) return number(*value);
  if (found.node == Graph::kNoNode) return append(form, found);
  // The negative is known. One of the two is computed, the other is its negation: the cheaper one is computed.
  if (graph_.op(found.node) == Op::Number) return number(-graph_.number_value(found.node));
  Node& known = graph_.node(found.node);
  if (form.cost + 1 < known.cost && info(known.op).arity != 0) {
    const NodeId id = append(form, found);
    known.op = Op::Neg, known.a = id, known.b = 0, known.count = 0;
    known.cost = form.cost + 1, known.flags = form.flags;
    return id;
  }
  form.op = Op::Neg, form.a = found.node, form.b = 0, form.count = 0;
  form.flags = known.flags;
  form.cost = form_cost(form);
  return append(form, found);
}

NodeId Store::number(const Rational& value) {
  Node form;
  form.fp = number_fingerprint(value);
  Found found = find(form.fp);
  while (found.exact() && graph_.op(found.node) == Op::Number) {
    if (graph_.number_value(found.node) == value) return found.node;
    form.fp = form.fp.opaque(0);  // another number with the same residues: kept apart by a value of its own
    found = find(form.fp);
  }
  form.a = static_cast<NodeId>(state_.numbers.size());
  const std::size_t size = value.bits() / 8;
  check_number_size(size);
  if (found.exact()) {  // what was known as some expression has turned out to be a number
    Node& known = graph_.node(found.node);
    known.op = Op::Number, known.a = form.a, known.b = 0, known.count = 0, known.cost = 0, known.flags = 0;
  } else {
    found.node = append(form, found);
  }
  state_.numbers.push_back(value);
  state_.number_bytes += size;
  return found.node;
}

/// Digits are memory as nodes are, and follow the same limit.
void Store::check_number_size(std::size_t bytes) const {
  constexpr std::size_t kLongestNumber = 1 << 14;
  if (bytes > kLongestNumber)
    throw LimitError(fmt::format("a number has more than {} bytes of digits", kLongestNumber));
  if ((state_.number_bytes + bytes) / sizeof(Node) > graph_.options_.max_nodes)
    throw LimitError(
        fmt::format("the digits of the numbers need more room than {} nodes (max_nodes)", graph_.options_.max_nodes));
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
  const NodeId id = append(form, find(form.fp));
  state_.symbols.push_back({key, id});
  state_.symbol_index.emplace(std::move(key), id);
  return id;
}

NodeId Store::pi() {
  if (state_.pi == Graph::kNoNode) {
    Node form;
    form.op = Op::Pi;
    form.fp = Fingerprint::integer(static_cast<std::int64_t>(graph_.options_.seed >> 2)).opaque(tag_of(Op::Pi));
    state_.pi = append(form, find(form.fp));
  }
  return state_.pi;
}

std::optional<NodeId> Store::find_form(Op op, NodeId a, NodeId b, int exponent) {
  const Found found = find(value(op, a, b, exponent));
  return found.exact() ? std::optional(found.node) : std::nullopt;
}

NodeId Store::unary(Op op, NodeId a, int exponent) {
  Node form;
  form.fp = value(op, a, 0, exponent);
  form.op = op;
  form.a = a;
  form.b = static_cast<NodeId>(exponent);
  if (op == Op::Neg || op == Op::Pow) form.flags = node(a).flags;
  if (op == Op::Sqrt || op == Op::Root || op == Op::Abs) form.flags = kHasRadical;
  form.cost = form_cost(form);
  return intern(form);
}

NodeId Store::binary(Op op, NodeId a, NodeId b) {
  const Node &x = node(a), &y = node(b);
  Node form;
  switch (op) {  // what nearly all nodes are; the rest is in value()
    case Op::Add: form.fp = x.fp + y.fp; break;
    case Op::Sub: form.fp = x.fp - y.fp; break;
    default: form.fp = value(op, a, b, 0);
  }
  form.op = op;
  form.a = a;
  form.b = b;
  form.cost = saturating_sum(static_cast<std::uint32_t>(info(op).cost), saturating_sum(x.cost, y.cost));
  if (op == Op::Mul || op == Op::Div) form.flags = x.flags | y.flags;
  return intern(form);
}

NodeId Store::select(NodeId condition, NodeId a, NodeId b) {
  Node form;
  form.op = Op::Select;
  form.fp = ((fp(condition).opaque(tag_of(Op::Select)) + fp(a)).opaque(tag_of(Op::Select, 1)) + fp(b))
                .opaque(tag_of(Op::Select, 2));
  if (const Found known = find(form.fp); known.exact()) return known.node;
  form.a = static_cast<NodeId>(state_.lists.size());
  form.count = 3;
  state_.lists.push_back({condition, a, b});
  form.cost = form_cost(form);
  return intern(form);
}

NodeId Store::call(NodeId function, std::span<const NodeId> args) {
  Node form;
  form.op = Op::Call;
  form.fp = Fingerprint::integer(static_cast<std::int64_t>(function) + 1).opaque(tag_of(Op::Call));
  for (const NodeId arg : args) form.fp = (form.fp + fp(arg)).opaque(tag_of(Op::Call, 1));
  if (const Found known = find(form.fp); known.exact()) return known.node;
  form.a = static_cast<NodeId>(state_.lists.size());
  form.b = function;
  form.count = static_cast<std::uint16_t>(args.size());
  state_.lists.emplace_back(args.begin(), args.end());
  form.cost = form_cost(form);
  return intern(form);
}

}  // namespace kane
