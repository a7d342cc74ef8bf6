#include "kane/program/hoist.hpp"

namespace kane {

namespace {

/// Sums longer than this are not multiplied through: nested ones would grow as the square of their depth.
constexpr std::size_t kMaxTerms = 8;

bool has_early_factor(const Draft& draft, ValueId product) {
  for (const Factor& f : draft.factors(product))
    if (draft.stage(f.value) < draft.stage(product)) return true;
  return false;
}

/// Shared products whose early factors all users can take over.
std::vector<std::uint8_t> find_split(const Draft& draft, const std::vector<std::uint32_t>& uses) {
  std::vector<std::uint32_t> willing(draft.size(), 0);
  std::vector<std::uint8_t> mixed(draft.size(), 0);
  for (ValueId id = draft.input_count(); id < draft.size(); ++id) {
    if (uses[id] == 0 || !draft.is(id, DraftKind::Product) || !has_early_factor(draft, id)) continue;
    mixed[id] = 1;
    for (const Factor& f : draft.factors(id))
      if ((f.exponent == 1 || f.exponent == -1) && draft.stage(f.value) == draft.stage(id)) ++willing[f.value];
  }
  std::vector<std::uint8_t> split(draft.size(), 0);
  for (ValueId id = draft.input_count(); id < draft.size(); ++id)
    split[id] = mixed[id] != 0 && uses[id] > 1 && willing[id] == uses[id];
  return split;
}

class Hoist {
 public:
  Hoist(const Draft& from, Draft& to)
      : from_(from),
        to_(to),
        uses_(count_uses(from)),
        split_(find_split(from, uses_)),
        taken_(from.size()),
        dissolved_(from.size(), 0),
        now_(from, to) {}

  void run() {
    for (ValueId id = from_.input_count(); id < from_.size(); ++id) {
      if (uses_[id] == 0) continue;
      if (from_.is(id, DraftKind::Product)) {
        hoist_product(id);
      } else if (from_.is(id, DraftKind::Sum)) {
        hoist_sum(id);
      } else {
        now_.copy(id);
      }
      note_uses(id);
    }
    now_.finish();
  }

 private:
  void hoist_product(ValueId id) {
    bool negative = false;
    split_by_stage(id, negative);
    if (early_.empty() || late_.empty()) {
      late_.insert(late_.end(), early_.begin(), early_.end());
      now_.set(id, to_.product(negative, late_));
      return;
    }
    const Ref early = to_.product(false, early_);
    if (split_[id] != 0) {
      taken_[id] = early;
    } else if (!multiply_through(from_.stage(id), early, negative)) {
      late_.push_back({early.value(), 1});
    } else if (late_.size() == 1) {
      dissolved_[id] = 1;
    }
    now_.set(id, to_.product(negative, late_));
  }

  /// The factors of `id` where they went, in early_ and late_; alone_ marks those of late_ with no other use.
  void split_by_stage(ValueId id, bool& negative) {
    early_.clear();
    late_.clear();
    alone_.clear();
    for (const Factor& f : from_.factors(id)) {
      if (from_.stage(f.value) < from_.stage(id)) {
        now_.append(f, negative, early_);
        continue;
      }
      now_.append(f, negative, late_);
      alone_.push_back(f.exponent == 1 && uses_[f.value] == 1);
      if (split_[f.value] != 0) early_.push_back({taken_[f.value].value(), f.exponent});
    }
  }

  /// Multiplies `early` into a sum among late_, if there is one where that costs nothing.
  bool multiply_through(Stage stage, Ref early, bool& negative) {
    for (std::size_t k = 0; k < late_.size(); ++k) {
      if (alone_[k] == 0 || !to_.is(late_[k].value, DraftKind::Sum) || !can_be_scaled(late_[k].value, stage)) continue;
      const Ref scaled = scale(late_[k].value, stage, early);
      late_[k].value = scaled.value();
      negative ^= scaled.negative();
      return true;
    }
    return false;
  }

  [[nodiscard]] bool can_be_scaled(ValueId sum, Stage stage) const {
    if (to_.stage(sum) != stage || to_.refs(sum).size() > kMaxTerms) return false;
    for (const Ref term : to_.refs(sum)) {
      const ValueId t = term.value();
      if (to_.stage(t) < stage) continue;
      if (!to_.is(t, DraftKind::Product) || (t < uses_now_.size() && uses_now_[t] > 1) || !has_early_factor(to_, t))
        return false;
    }
    return true;
  }

  Ref scale(ValueId sum, Stage stage, Ref early) {
    terms_.assign(to_.refs(sum).begin(), to_.refs(sum).end());
    for (Ref& term : terms_) {
      scaled_early_.assign(1, {early.value(), 1});
      scaled_late_.clear();
      if (to_.stage(term.value()) < stage) {
        scaled_early_.push_back({term.value(), 1});
      } else {
        for (const Factor& f : to_.factors(term.value()))
          (to_.stage(f.value) < stage ? scaled_early_ : scaled_late_).push_back(f);
      }
      scaled_late_.push_back({to_.product(false, scaled_early_).value(), 1});
      term = to_.product(term.negative(), scaled_late_);
    }
    return to_.sum(terms_);
  }

  /// A product that was multiplied through is a sum now; its terms join those of the sum that uses it.
  void hoist_sum(ValueId id) {
    terms_.clear();
    for (const Ref r : from_.refs(id)) {
      const Ref now = now_(r);
      if (dissolved_[r.value()] != 0 && uses_[r.value()] == 1 && to_.is(now.value(), DraftKind::Sum)) {
        for (const Ref inner : to_.refs(now.value())) terms_.push_back(inner.negated_if(now.negative()));
      } else {
        terms_.push_back(now);
      }
    }
    now_.set(id, to_.sum(terms_));
  }

  void note_uses(ValueId old) {
    const ValueId now = now_(old).value();
    if (now >= uses_now_.size()) uses_now_.resize(now + now / 2 + 1, 0);
    uses_now_[now] += uses_[old];
  }

  const Draft& from_;
  Draft& to_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::uint32_t> uses_now_;  ///< uses of the new values that stand for old ones, as far as known
  std::vector<std::uint8_t> split_;
  std::vector<Ref> taken_;               ///< the early part of a product that was split
  std::vector<std::uint8_t> dissolved_;  ///< a product that became a sum
  Rewrite now_;
  std::vector<Factor> early_;
  std::vector<Factor> late_;
  std::vector<std::uint8_t> alone_;
  std::vector<Factor> scaled_early_;
  std::vector<Factor> scaled_late_;
  std::vector<Ref> terms_;
};

}  // namespace

bool hoist(const Draft& from, Draft& to) {
  Hoist(from, to).run();
  return true;
}

}  // namespace kane
