#include "kane/program/assemble.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "kane/program/code.hpp"
#include "kane/program/instruction_list.hpp"
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
      : draft_(draft), options_(options), signs_(choose_signs(draft)), list_(draft), result_(draft.size()) {}

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
    const auto early = static_cast<std::size_t>(split - items_.begin());
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

  /// Stage by stage: what earlier stages know is one factor of the next. Within a stage (known * numerator) /
  /// denominator.
  Ref assemble_product(ValueId id) {
    const Stage stage = draft_.stage(id);
    Ref known;
    bool has_known = false;
    bool negate = is_unwanted(sign_of_product(id), signs_[id]);
    for (int s = 0; s <= static_cast<int>(stage); ++s) {
      const auto here = static_cast<Stage>(s);
      const bool has_divisor = collect(id, here, true);
      const Ref divisor = has_divisor ? combined_product(here) : Ref();
      const bool has_factors = collect(id, here, false);
      if (!has_divisor && !has_factors) continue;
      if (has_known) items_.push_back(item(known, here));
      if (!items_.empty()) {
        known = combined_product(here);
      } else {
        known = Ref(list_.one());
      }
      if (has_divisor)
        known = Ref(list_.emit(Code::Div, known.value(), divisor.value()), known.negative() != divisor.negative());
      has_known = true;
      // A sign that is wanted costs nothing in an earlier stage.
      if (negate && here < stage && list_.stage(known.value()) < stage) {
        known = Ref(list_.materialise(Ref(known.value(), true)), !known.negative());
        negate = false;
      }
    }
    return known;
  }

  [[nodiscard]] bool sign_of_product(ValueId id) const {
    bool negative = false;
    for (const Factor& f : draft_.factors(id)) negative ^= result_[f.value].negative() && (f.exponent & 1) != 0;
    return negative;
  }

  Ref combined_product(Stage stage) {
    return combine([this](Ref x, Ref y) { return multiply(x, y); }, stage);
  }

  /// Puts the factors of one stage with exponents of one sign into items_, raised to their powers.
  bool collect(ValueId id, Stage stage, bool divisors) {
    items_.clear();
    for (const Factor& f : draft_.factors(id)) {
      if ((f.exponent < 0) != divisors || list_.stage(result_[f.value].value()) != stage) continue;
      const Ref base = result_[f.value];
      const std::int32_t n = std::abs(f.exponent);
      items_.push_back(item(Ref(raise(base.value(), n), base.negative() && n % 2 != 0), stage));
    }
    return !items_.empty();
  }

  ValueId raise(ValueId base, std::int32_t n) {
    if (n == 1) return base;
    const ValueId half = raise(base, n / 2);
    const ValueId even = list_.emit(Code::Mul, half, half);
    return n % 2 == 0 ? even : list_.emit(Code::Mul, even, base);
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
  std::vector<Ref> result_;
  std::vector<Item> items_;
  std::vector<ValueId> arguments_;
  std::vector<ValueId> outputs_;
};

}  // namespace

Program assemble(const Draft& draft, ProgramNames names, const AssembleOptions& options) {
  return Assembler(draft, options).run(std::move(names));
}

}  // namespace kane
