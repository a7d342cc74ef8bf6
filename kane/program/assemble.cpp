#include "kane/program/assemble.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "kane/base/at.hpp"
#include "kane/program/code.hpp"
#include "kane/program/instruction_list.hpp"
#include "kane/program/powers.hpp"
#include "kane/program/signs.hpp"

namespace kane {

namespace {

/// Longer chains are cut into several, to be computed side by side.
constexpr std::size_t kLongChain = 12;

/// Something to be added or multiplied, and when it will be ready.
struct Item {
  Ref ref;
  Stage stage;
  int ready;
};

bool earlier(const Item& a, const Item& b) {
  if (a.stage != b.stage) return a.stage < b.stage;
  if (a.ready != b.ready) return a.ready < b.ready;
  return a.ref.bits() < b.ref.bits();
}

class Assembler {
 public:
  Assembler(const Draft& draft, const AssembleOptions& options)
      : draft_(draft),
        options_(options),
        signs_(choose_signs(draft)),
        list_(draft),
        powers_(draft),
        result_(draft.size()) {}

  Program run(ProgramNames names) {
    for (ValueId id = 0; id < draft_.size(); ++id) {
      if (signs_[id] == WantedSign::Dead) continue;
      switch (draft_.node(id).kind) {
        case DraftKind::Input: result_[id] = Ref(id); break;
        case DraftKind::Constant: result_[id] = Ref(list_.constant(id)); break;
        case DraftKind::Sum: result_[id] = assemble_sum(id); break;
        case DraftKind::Product: result_[id] = assemble_product(id); break;
        case DraftKind::Function: result_[id] = assemble_function(id); break;
      }
    }
    outputs_.clear();
    for (const Ref r : draft_.outputs) outputs_.push_back(list_.materialise(now(r)));
    return list_.finish(std::move(names.program), names.inputs, names.outputs, outputs_);
  }

 private:
  [[nodiscard]] Ref now(Ref r) const { return result_[r.value()].negated_if(r.negative()); }

  [[nodiscard]] Item item(Ref ref, Stage user) const {
    const Stage stage = list_.stage(ref.value());
    return {ref, stage, stage < user ? 0 : list_.depth(ref.value())};
  }

  Ref add(Ref x, Ref y) {
    if (x.negative() == y.negative()) return Ref(list_.emit(Code::Add, x.value(), y.value()), x.negative());
    if (x.negative()) std::swap(x, y);
    return Ref(list_.emit(Code::Sub, x.value(), y.value()));
  }

  Ref multiply(Ref x, Ref y) { return Ref(list_.emit(Code::Mul, x.value(), y.value()), x.negative() != y.negative()); }

  Ref assemble_sum(ValueId id) {
    const Stage stage = draft_.stage(id);
    const bool flip = signs_[id] == WantedSign::Negative;
    items_.clear();
    for (const Ref r : draft_.refs(id)) items_.push_back(item(now(r).negated_if(flip), stage));
    std::sort(items_.begin(), items_.end(), earlier);
    const auto split = std::find_if(items_.begin(), items_.end(), [&](const Item& i) { return i.stage == stage; });
    const std::size_t early = at(split - items_.begin());
    if (early > 0) {
      const Ref known = chain(0, early);
      items_.erase(items_.begin() + 1, split);
      items_.front() = item(known, stage);
    }
    const Ref sum = options_.chains ? chains() : combine([this](Ref x, Ref y) { return add(x, y); }, stage);
    return sum.negated_if(flip);
  }

  /// items_[first] + ... + items_[last - 1], one after the other.
  Ref chain(std::size_t first, std::size_t last) {
    Ref sum = items_[first].ref;
    for (std::size_t i = first + 1; i < last; ++i) sum = add(sum, items_[i].ref);
    return sum;
  }

  Ref chains() {
    const std::size_t n = items_.size();
    if (n <= kLongChain) return chain(0, n);
    const std::size_t count = (n + kLongChain - 1) / kLongChain;
    Ref sum = chain(0, n / count);
    for (std::size_t k = 1; k < count; ++k) sum = add(sum, chain(k * n / count, (k + 1) * n / count));
    return sum;
  }

  /// Combines the items two at a time, always the two that are ready first.
  template <class Combine>
  Ref combine(Combine&& both, Stage stage) {
    if (items_.size() == 1) return items_[0].ref;
    if (items_.size() == 2) return both(items_[0].ref, items_[1].ref);
    const auto later = [](const Item& a, const Item& b) { return earlier(b, a); };
    std::make_heap(items_.begin(), items_.end(), later);
    while (items_.size() > 1) {
      std::pop_heap(items_.begin(), items_.end(), later);
      const Ref x = items_.back().ref;
      items_.pop_back();
      std::pop_heap(items_.begin(), items_.end(), later);
      const Ref y = items_.back().ref;
      items_.back() = item(both(x, y), stage);
      std::push_heap(items_.begin(), items_.end(), later);
    }
    return items_.front().ref;
  }

  Ref combined_product(Stage stage) {
    return combine([this](Ref x, Ref y) { return multiply(x, y); }, stage);
  }

  /// Stage by stage: what earlier stages know is one factor of the next. Within a stage (known * factors) / divisors.
  Ref assemble_product(ValueId id) {
    const Stage stage = draft_.stage(id);
    const bool negative = collect(id);
    bool negate = is_unwanted(negative, signs_[id]);
    Ref known = Ref(list_.one());
    bool has_known = false;
    for (std::size_t f = 0, d = 0; f < factors_.size() || d < divisors_.size();) {
      const Stage here = f == factors_.size()    ? divisors_[d].stage
                         : d == divisors_.size() ? factors_[f].stage
                                                 : std::min(factors_[f].stage, divisors_[d].stage);
      const bool divides = take(divisors_, d, here);
      const Ref divisor = divides ? combined_product(here) : Ref();
      take(factors_, f, here);
      if (has_known) items_.push_back(item(known, here));
      if (!items_.empty()) known = combined_product(here);
      if (divides)
        known = Ref(list_.emit(Code::Div, known.value(), divisor.value()), known.negative() != divisor.negative());
      has_known = true;
      // A sign that is wanted costs nothing in an earlier stage.
      if (negate && here < stage) {
        known = Ref(list_.materialise(Ref(known.value(), true)), !known.negative());
        negate = false;
      }
    }
    return known;
  }

  /// Factors and divisors of a product, raised to their powers, ordered by stage and readiness. Returns the sign of
  /// the product.
  bool collect(ValueId id) {
    factors_.clear();
    divisors_.clear();
    bool negative = false;
    const auto factors = draft_.factors(id);
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const Factor& f = factors[i];
      Ref power = result_[f.value];
      bool divides = f.exponent < 0;
      if (divides && is_shared_divisor(f.value, draft_.stage(id))) {
        power = Ref(list_.emit(Code::Div, list_.one(), power.value()), power.negative());
        power =
            Ref(PowerChains::raise_alone(list_, power.value(), -f.exponent), power.negative() && f.exponent % 2 != 0);
        divides = false;
      } else if (std::abs(f.exponent) > 1) {
        if (!raise(factors, i, power)) continue;
      }
      negative ^= power.negative();
      (divides ? divisors_ : factors_).push_back(item(power, draft_.stage(id)));
    }
    if (factors_.size() > 1) std::sort(factors_.begin(), factors_.end(), earlier);
    if (divisors_.size() > 1) std::sort(divisors_.begin(), divisors_.end(), earlier);
    return negative;
  }

  [[nodiscard]] bool is_shared_divisor(ValueId value, Stage user) const {
    return !draft_.shared_divisors.empty() && draft_.shared_divisors[value] != 0 && draft_.stage(value) == user;
  }

  /// The power of factor i. Lonely powers with the same exponent are raised as one, by the first of them; the others
  /// give false.
  bool raise(std::span<const Factor> factors, std::size_t i, Ref& power) {
    const Factor& f = factors[i];
    const std::int32_t n = std::abs(f.exponent);
    const bool lonely = powers_.is_lonely(f);
    items_.clear();
    for (std::size_t k = 0; lonely && k < factors.size(); ++k) {
      if (factors[k].exponent != f.exponent || draft_.stage(factors[k].value) != draft_.stage(f.value) ||
          !powers_.is_lonely(factors[k]))
        continue;
      if (k < i) return false;
      items_.push_back(item(result_[factors[k].value], draft_.stage(f.value)));
    }
    if (items_.size() > 1) {
      const Ref base = combined_product(draft_.stage(f.value));
      power = Ref(PowerChains::raise_alone(list_, base.value(), n), base.negative() && n % 2 != 0);
    } else {
      power = Ref(powers_.raise(list_, f.value, power.value(), n), power.negative() && n % 2 != 0);
    }
    return true;
  }

  /// Moves the items of one stage to items_.
  bool take(const std::vector<Item>& from, std::size_t& next, Stage stage) {
    items_.clear();
    for (; next < from.size() && from[next].stage == stage; ++next) items_.push_back(from[next]);
    return !items_.empty();
  }

  Ref assemble_function(ValueId id) {
    const DraftNode& node = draft_.node(id);
    arguments_.clear();
    for (const Ref r : draft_.refs(id)) arguments_.push_back(list_.materialise(now(r)));
    if (node.code == Code::Call) return Ref(list_.emit_call(node.extra, arguments_));
    if (node.code == Code::Root) return Ref(list_.emit_root(arguments_[0], node.extra));
    arguments_.resize(3, 0);
    return Ref(list_.emit(node.code, arguments_[0], arguments_[1], arguments_[2]));
  }

  const Draft& draft_;
  AssembleOptions options_;
  std::vector<WantedSign> signs_;
  InstructionList list_;
  PowerChains powers_;
  std::vector<Ref> result_;
  std::vector<Item> items_;
  std::vector<Item> factors_;
  std::vector<Item> divisors_;
  std::vector<ValueId> arguments_;
  std::vector<ValueId> outputs_;
};

}  // namespace

Program assemble(const Draft& draft, ProgramNames names, const AssembleOptions& options) {
  return Assembler(draft, options).run(std::move(names));
}

}  // namespace kane
