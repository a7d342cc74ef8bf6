#pragma once
// Draft: the form that passes rewrite before a program becomes a list of instructions.
//
// Two things make algebra simple here. Sums and products have any number of operands, so that order and grouping are
// decided once, at the end (assemble.hpp). And a reference to a value carries a sign, so that there are no negations:
// they stay in the references until one meets an operation that cannot absorb it.
//
//     Sum       +-x +-y +-z ...
//     Product   x^i y^j ...        exponents are integers, also negative: a division is an exponent -1
//     Function  any other opcode
//
// Nodes are numbered; operands have smaller numbers than their users; equal nodes are one node. The first nodes are the
// inputs, in order. Constants are never negative; the sign is in the reference.

#include <cstdint>
#include <span>
#include <vector>

#include "kane/program/program.hpp"

namespace kane {

/// A value of a draft, or its negative.
class Ref {
 public:
  constexpr Ref() = default;
  constexpr explicit Ref(ValueId value, bool negative = false) : bits_(value << 1 | (negative ? 1U : 0U)) {}

  [[nodiscard]] constexpr ValueId value() const { return bits_ >> 1; }
  [[nodiscard]] constexpr bool negative() const { return (bits_ & 1U) != 0; }
  [[nodiscard]] constexpr std::uint32_t bits() const { return bits_; }
  [[nodiscard]] constexpr Ref operator-() const { return negated_if(true); }
  [[nodiscard]] constexpr Ref negated_if(bool yes) const {
    Ref other = *this;
    other.bits_ ^= yes ? 1U : 0U;
    return other;
  }
  friend constexpr bool operator==(Ref, Ref) = default;

 private:
  std::uint32_t bits_ = 0;
};

struct Factor {
  ValueId value;
  std::int32_t exponent;
  friend constexpr bool operator==(const Factor&, const Factor&) = default;
};

enum class DraftKind : std::uint8_t { Input, Constant, Sum, Product, Function };

struct DraftNode {
  DraftKind kind;
  Code code;            ///< for a Function
  Stage stage;          ///< the latest of the operands
  std::uint32_t extra;  ///< index of a Root, or of the function of a Call
  std::uint32_t first;  ///< operands are [first, first + count) of the list of their kind; Constant: its index
  std::uint32_t count;
};

/// A power that some product needs (powers.hpp).
struct PlannedPower {
  ValueId base;
  std::int32_t exponent;  ///< > 1
  std::uint32_t uses;     ///< products that need it
};

class Draft {
 public:
  /// More nodes than this are refused (LimitError).
  explicit Draft(std::size_t max_nodes = std::size_t{1} << 29);

  /// Reserves room for about this many nodes.
  void reserve(std::size_t nodes);
  /// Empties this draft and takes over the inputs and functions of `other`; memory is kept.
  void start_like(const Draft& other);

  // ---- building: all of these return the known node if there is an equal one; spans are not those of this draft ---
  Ref add_input(Stage stage);
  Ref constant(double value);
  /// The sum of the terms. Constants are added up, a sum of one term is that term.
  Ref sum(std::span<const Ref> terms);
  /// The product of the factors, or its negative. Equal values join their exponents, constants are multiplied.
  Ref product(bool negative, std::span<const Factor> factors);
  /// Any opcode without sums and products; functions of constants are evaluated, odd and even functions shed
  /// the signs of their arguments.
  Ref function(Code code, std::span<const Ref> arguments, std::uint32_t extra = 0);

  // ---- reading ---------------------------------------------------------------------------------------------------
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] std::uint32_t input_count() const { return input_count_; }
  [[nodiscard]] const DraftNode& node(ValueId id) const { return nodes_[id]; }
  [[nodiscard]] Stage stage(ValueId id) const { return nodes_[id].stage; }
  [[nodiscard]] bool is(ValueId id, DraftKind kind) const { return nodes_[id].kind == kind; }
  [[nodiscard]] double constant_value(ValueId id) const { return constants_[nodes_[id].first]; }
  [[nodiscard]] std::uint32_t constant_count() const { return static_cast<std::uint32_t>(constants_.size()); }
  [[nodiscard]] std::span<const double> constants() const { return constants_; }
  /// Products with an exponent that is not 1, ascending.
  [[nodiscard]] std::span<const ValueId> products_with_powers() const { return products_with_powers_; }
  [[nodiscard]] std::span<const Ref> refs(ValueId id) const {
    return {refs_.data() + nodes_[id].first, nodes_[id].count};
  }
  [[nodiscard]] std::span<const Factor> factors(ValueId id) const {
    return {factors_.data() + nodes_[id].first, nodes_[id].count};
  }

  std::vector<Ref> outputs;
  std::vector<ProgramFunction> functions;
  bool is_flat = false;  ///< flatten() would find nothing to do; no longer known when a pass writes a new draft
  // Left by the last passes for assemble(); lost when a pass writes a new draft.
  std::vector<std::uint8_t> shared_divisors;  ///< one for each value; empty = none
  std::vector<PlannedPower> powers;           ///< bases ascending, exponents of each ascending

 private:
  Ref intern(const DraftNode& node, std::uint64_t hash);
  void put_in_order(std::span<const Ref> terms);
  void put_in_order(std::span<const Factor> factors);
  Ref canonical_function(Code code, std::uint32_t extra);
  [[nodiscard]] bool same(const DraftNode& a, const DraftNode& b) const;
  void grow_table(std::size_t nodes);

  std::size_t max_nodes_;
  std::uint32_t input_count_ = 0;
  std::vector<DraftNode> nodes_;
  std::vector<std::uint32_t> hashes_;
  std::vector<Ref> refs_;
  std::vector<Factor> factors_;
  std::vector<double> constants_;
  std::vector<ValueId> products_with_powers_;
  std::vector<ValueId> table_;  ///< open addressing; id + 1, 0 = free
  std::vector<Ref> term_scratch_;
  std::vector<Factor> factor_scratch_;
};

/// How often each value is used by an output or by a value that an output needs; 0 = dead.
[[nodiscard]] std::vector<std::uint32_t> count_uses(const Draft& draft);

/// The basis of most passes: walks over the nodes of one draft in order and writes another.
class Rewrite {
 public:
  Rewrite(const Draft& from, Draft& to);

  /// The new value of an old one.
  [[nodiscard]] Ref operator()(Ref old) const { return map_[old.value()].negated_if(old.negative()); }
  [[nodiscard]] Ref operator()(ValueId old) const { return map_[old]; }
  void set(ValueId old, Ref now) { map_[old] = now; }
  /// Copies the node with its operands replaced.
  void copy(ValueId old);
  /// Appends a factor of the old draft to a product under construction.
  void append(Factor old, bool& negative, std::vector<Factor>& factors) const {
    const Ref now = map_[old.value];
    negative ^= now.negative() && (old.exponent & 1) != 0;
    factors.push_back({now.value(), old.exponent});
  }
  /// Copies the outputs; the last thing a pass does.
  void finish();

 private:
  const Draft& from_;
  Draft& to_;
  std::vector<Ref> map_;
  std::vector<Ref> refs_;
  std::vector<Factor> factors_;
};

}  // namespace kane
