#include "kane/program/draft.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "kane/base/error.hpp"
#include "kane/program/meaning.hpp"

namespace kane {

namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 32U);
}

/// The part of the hash of a node that does not depend on its operands.
std::uint64_t start_of(DraftKind kind, Code code, std::uint32_t extra) {
  return mix(static_cast<std::uint64_t>(kind) << 8U | static_cast<std::uint64_t>(code), extra);
}

/// Most lists have three or four elements.
template <class T, class Before>
void sort_short(std::vector<T>& list, Before before) {
  if (list.size() > 16) {
    std::sort(list.begin(), list.end(), before);
    return;
  }
  for (std::size_t i = 1; i < list.size(); ++i) {
    const T moved = list[i];
    std::size_t place = i;
    for (; place > 0 && before(moved, list[place - 1]); --place) list[place] = list[place - 1];
    list[place] = moved;
  }
}

bool is_odd_function(Code code) {
  switch (code) {
    case Code::Sin:
    case Code::Tan:
    case Code::Asin:
    case Code::Atan:
    case Code::Sinh:
    case Code::Tanh:
    case Code::Sign: return true;
    default: return false;
  }
}

bool is_even_function(Code code) { return code == Code::Cos || code == Code::Cosh || code == Code::Abs; }

double integer_power(double x, std::int32_t n) { return n == 1 ? x : (n == -1 ? 1.0 / x : std::pow(x, n)); }

std::int32_t sum_of_exponents(std::int32_t a, std::int32_t b) {
  const std::int64_t sum = std::int64_t{a} + b;
  if (std::abs(sum) > (std::int64_t{1} << 30U))
    throw LimitError(fmt::format("a product has the power {}, beyond the limit of 2^30", sum));
  return static_cast<std::int32_t>(sum);
}

}  // namespace

Draft::Draft(std::size_t max_nodes) : max_nodes_(max_nodes) { grow_table(1000); }

void Draft::start_like(const Draft& other) {
  nodes_.clear();
  hashes_.clear();
  refs_.clear();
  factors_.clear();
  constants_.clear();
  products_with_powers_.clear();
  outputs.clear();
  shared_divisors.clear();
  powers.clear();
  is_flat = false;
  input_count_ = 0;
  max_nodes_ = other.max_nodes_;
  functions = other.functions;
  std::fill(table_.begin(), table_.end(), 0);
  reserve(other.size() + other.size() / 4);
  for (ValueId id = 0; id < other.input_count_; ++id) add_input(other.stage(id));
}

void Draft::reserve(std::size_t nodes) {
  grow_table(nodes);
  nodes_.reserve(nodes);
  hashes_.reserve(nodes);
  refs_.reserve(nodes);
  factors_.reserve(nodes);
}

void Draft::grow_table(std::size_t nodes) {
  const std::size_t wanted = std::bit_ceil(2 * std::max<std::size_t>(nodes, 512));
  if (wanted <= table_.size()) return;
  table_.assign(wanted, 0);
  for (ValueId id = input_count_; id < nodes_.size(); ++id) {
    std::size_t slot = hashes_[id] & (wanted - 1);
    while (table_[slot] != 0) slot = (slot + 1) & (wanted - 1);
    table_[slot] = id + 1;
  }
}

Ref Draft::add_input(Stage stage) {
  ensure(nodes_.size() == input_count_, "inputs come before all other nodes of a draft");
  nodes_.push_back({DraftKind::Input, Code::Neg, stage, 0, input_count_, 0});
  hashes_.push_back(0);
  return Ref(input_count_++);
}

bool Draft::same(const DraftNode& a, const DraftNode& b) const {
  if (a.kind != b.kind || a.code != b.code || a.extra != b.extra || a.count != b.count) return false;
  if (a.kind == DraftKind::Constant)
    return std::bit_cast<std::uint64_t>(constants_[a.first]) == std::bit_cast<std::uint64_t>(constants_[b.first]);
  if (a.kind == DraftKind::Product)
    return std::equal(factors_.begin() + a.first, factors_.begin() + a.first + a.count, factors_.begin() + b.first);
  return std::equal(refs_.begin() + a.first, refs_.begin() + a.first + a.count, refs_.begin() + b.first);
}

/// The operands of `node` are the last of their list; they are taken off again if the node is known.
Ref Draft::intern(const DraftNode& node, std::uint64_t hash) {
  const auto short_hash = static_cast<std::uint32_t>(hash);
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = short_hash & mask;
  for (; table_[slot] != 0; slot = (slot + 1) & mask) {
    const ValueId id = table_[slot] - 1;
    if (hashes_[id] != short_hash || !same(nodes_[id], node)) continue;
    if (node.kind == DraftKind::Constant) {
      constants_.pop_back();
    } else if (node.kind == DraftKind::Product) {
      factors_.resize(node.first);
    } else {
      refs_.resize(node.first);
    }
    return Ref(id);
  }
  if (nodes_.size() >= max_nodes_)
    throw LimitError(fmt::format("the program needs more than the {} values allowed by max_instructions", max_nodes_));
  const auto id = static_cast<ValueId>(nodes_.size());
  nodes_.push_back(node);
  hashes_.push_back(short_hash);
  table_[slot] = id + 1;
  if (2 * nodes_.size() > table_.size()) grow_table(2 * nodes_.size());
  return Ref(id);
}

Ref Draft::constant(double value) {
  const bool negative = std::signbit(value);
  const auto index = static_cast<std::uint32_t>(constants_.size());
  constants_.push_back(negative ? -value : value);
  const std::uint64_t hash =
      mix(start_of(DraftKind::Constant, Code::Neg, 0), std::bit_cast<std::uint64_t>(constants_.back()));
  return intern({DraftKind::Constant, Code::Neg, Stage::Parameters, 0, index, 0}, hash).negated_if(negative);
}

Ref Draft::sum(std::span<const Ref> terms) {
  // Most sums come in order and without numbers.
  bool in_order = terms.size() > 1 && !is(terms[0].value(), DraftKind::Constant);
  for (std::size_t i = 1; i < terms.size(); ++i)
    in_order &= terms[i - 1].bits() < terms[i].bits() && !is(terms[i].value(), DraftKind::Constant);
  if (!in_order) {
    put_in_order(terms);
    if (term_scratch_.size() == 1) return term_scratch_.front();
    terms = term_scratch_;
  }
  // One of a sum and its negative is kept: the one whose first term is positive.
  const bool negative = terms.front().negative();
  const auto first = static_cast<std::uint32_t>(refs_.size());
  refs_.resize(first + terms.size());
  Ref* next = refs_.data() + first;
  std::uint64_t hash = start_of(DraftKind::Sum, Code::Add, 0);
  Stage stage = Stage::Parameters;
  for (const Ref r : terms) {
    *next = r.negated_if(negative);
    hash = mix(hash, (next++)->bits());
    stage = std::max(stage, nodes_[r.value()].stage);
  }
  return intern({DraftKind::Sum, Code::Add, stage, 0, first, static_cast<std::uint32_t>(terms.size())}, hash)
      .negated_if(negative);
}

/// The terms with their numbers added up, ascending, into term_scratch_.
void Draft::put_in_order(std::span<const Ref> terms) {
  double number = 0;
  std::vector<Ref>& list = term_scratch_;
  list.clear();
  for (const Ref r : terms) {
    if (is(r.value(), DraftKind::Constant)) {
      number += r.negative() ? -constant_value(r.value()) : constant_value(r.value());
    } else {
      list.push_back(r);
    }
  }
  if (number != 0 || list.empty()) list.push_back(constant(number));
  sort_short(list, [](Ref a, Ref b) { return a.bits() < b.bits(); });
}

Ref Draft::product(bool negative, std::span<const Factor> factors) {
  // Most products come in order and without numbers.
  bool in_order = !factors.empty() && !is(factors[0].value, DraftKind::Constant);
  for (std::size_t i = 1; i < factors.size(); ++i)
    in_order &= factors[i - 1].value < factors[i].value && !is(factors[i].value, DraftKind::Constant);
  if (!in_order) {
    put_in_order(factors);
    if (factor_scratch_.empty()) return constant(negative ? -1 : 1);
    factors = factor_scratch_;
  }
  if (factors.size() == 1 && factors[0].exponent == 1) return Ref(factors[0].value, negative);
  const auto first = static_cast<std::uint32_t>(factors_.size());
  factors_.resize(first + factors.size());
  Factor* next = factors_.data() + first;
  std::uint64_t hash = start_of(DraftKind::Product, Code::Mul, 0);
  Stage stage = Stage::Parameters;
  std::int32_t not_one = 0;
  for (const Factor& f : factors) {
    *next++ = f;
    not_one |= f.exponent ^ 1;
    hash = mix(hash, std::uint64_t{f.value} << 32U | static_cast<std::uint32_t>(f.exponent));
    stage = std::max(stage, nodes_[f.value].stage);
  }
  const std::size_t before = nodes_.size();
  const Ref product =
      intern({DraftKind::Product, Code::Mul, stage, 0, first, static_cast<std::uint32_t>(factors.size())}, hash);
  if (not_one != 0 && nodes_.size() > before) products_with_powers_.push_back(product.value());
  return product.negated_if(negative);
}

/// The factors with their numbers multiplied, each value once, ascending, into factor_scratch_.
void Draft::put_in_order(std::span<const Factor> factors) {
  double number = 1;
  std::vector<Factor>& list = factor_scratch_;
  list.clear();
  for (const Factor& f : factors) {
    if (is(f.value, DraftKind::Constant)) {
      number *= integer_power(constant_value(f.value), f.exponent);
    } else {
      list.push_back(f);
    }
  }
  if (number != 1 || list.empty()) list.push_back({constant(number).value(), 1});
  sort_short(list, [](const Factor& a, const Factor& b) { return a.value < b.value; });
  std::size_t kept = 0;
  for (const Factor& f : list) {
    if (kept > 0 && list[kept - 1].value == f.value) {
      list[kept - 1].exponent = sum_of_exponents(list[kept - 1].exponent, f.exponent);
    } else {
      if (kept > 0 && list[kept - 1].exponent == 0) --kept;
      list[kept++] = f;
    }
  }
  if (kept > 0 && list[kept - 1].exponent == 0) --kept;
  list.resize(kept);
}

Ref Draft::function(Code code, std::span<const Ref> arguments, std::uint32_t extra) {
  std::vector<Ref>& list = term_scratch_;
  list.assign(arguments.begin(), arguments.end());
  bool negative = false;
  if (is_odd_function(code)) {
    negative = list[0].negative();
    list[0] = list[0].negated_if(negative);
  } else if (is_even_function(code)) {
    list[0] = list[0].negated_if(list[0].negative());
  } else if (code == Code::Select) {
    list[0] = list[0].negated_if(list[0].negative());
    negative = list[1].negative() && list[2].negative();
    list[1] = list[1].negated_if(negative);
    list[2] = list[2].negated_if(negative);
  } else if ((code == Code::Less || code == Code::LessEqual || code == Code::Equal) && list[0].negative() &&
             list[1].negative()) {
    list[0] = -list[0];
    list[1] = -list[1];
    std::swap(list[0], list[1]);
  }
  return canonical_function(code, extra).negated_if(negative);
}

/// For the arguments in term_scratch_.
Ref Draft::canonical_function(Code code, std::uint32_t extra) {
  const std::vector<Ref>& list = term_scratch_;
  const bool known = code != Code::Call && std::all_of(list.begin(), list.end(),
                                                       [this](Ref r) { return is(r.value(), DraftKind::Constant); });
  if (known) {
    Instruction i{code, 0, 1, 2};
    if (code == Code::Root) i.b = extra;
    return constant(calc_value(i, [&](ValueId k) {
      const double value = constant_value(list[k].value());
      return list[k].negative() ? -value : value;
    }));
  }
  const auto first = static_cast<std::uint32_t>(refs_.size());
  std::uint64_t hash = start_of(DraftKind::Function, code, extra);
  Stage stage = Stage::Parameters;
  for (const Ref r : list) {
    refs_.push_back(r);
    hash = mix(hash, r.bits());
    stage = std::max(stage, nodes_[r.value()].stage);
  }
  return intern({DraftKind::Function, code, stage, extra, first, static_cast<std::uint32_t>(list.size())}, hash);
}

std::vector<std::uint32_t> count_uses(const Draft& draft) {
  std::vector<std::uint32_t> uses(draft.size(), 0);
  for (const Ref r : draft.outputs) ++uses[r.value()];
  for (auto id = static_cast<ValueId>(draft.size()); id-- > draft.input_count();) {
    if (uses[id] == 0) continue;
    switch (draft.node(id).kind) {
      case DraftKind::Sum:
      case DraftKind::Function:
        for (const Ref r : draft.refs(id)) ++uses[r.value()];
        break;
      case DraftKind::Product:
        for (const Factor& f : draft.factors(id)) ++uses[f.value];
        break;
      case DraftKind::Input:
      case DraftKind::Constant: break;
    }
  }
  return uses;
}

Rewrite::Rewrite(const Draft& from, Draft& to) : from_(from), to_(to), map_(from.size()) {
  to.start_like(from);
  for (ValueId id = 0; id < from.input_count(); ++id) map_[id] = Ref(id);
}

void Rewrite::copy(ValueId old) {
  const DraftNode& node = from_.node(old);
  switch (node.kind) {
    case DraftKind::Input: break;
    case DraftKind::Constant: map_[old] = to_.constant(from_.constant_value(old)); break;
    case DraftKind::Product: {
      bool negative = false;
      factors_.clear();
      for (const Factor& f : from_.factors(old)) append(f, negative, factors_);
      map_[old] = to_.product(negative, factors_);
      break;
    }
    case DraftKind::Sum:
    case DraftKind::Function:
      refs_.clear();
      for (const Ref r : from_.refs(old)) refs_.push_back((*this)(r));
      map_[old] = node.kind == DraftKind::Sum ? to_.sum(refs_) : to_.function(node.code, refs_, node.extra);
      break;
  }
}

void Rewrite::finish() {
  for (const Ref r : from_.outputs) to_.outputs.push_back((*this)(r));
}

}  // namespace kane
