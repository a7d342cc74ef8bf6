#include "kane/program/flatten.hpp"

namespace kane {

namespace {

/// Nodes that disappear into their only user.
std::vector<std::uint8_t> find_absorbed(const Draft& draft, const std::vector<std::uint32_t>& uses) {
  std::vector<std::uint8_t> absorbed(draft.size(), 0);
  for (ValueId id = draft.input_count(); id < draft.size(); ++id) {
    if (uses[id] == 0) continue;
    if (draft.is(id, DraftKind::Sum)) {
      for (const Ref r : draft.refs(id))
        absorbed[r.value()] = uses[r.value()] == 1 && draft.is(r.value(), DraftKind::Sum);
    } else if (draft.is(id, DraftKind::Product)) {
      // (x y)^2 stays: x^2 y^2 would take one multiplication more.
      for (const Factor& f : draft.factors(id))
        absorbed[f.value] =
            uses[f.value] == 1 && (f.exponent == 1 || f.exponent == -1) && draft.is(f.value, DraftKind::Product);
    }
  }
  return absorbed;
}

class Flatten {
 public:
  Flatten(const Draft& from, Draft& to)
      : from_(from), to_(to), uses_(count_uses(from)), absorbed_(find_absorbed(from, uses_)), now_(from, to) {}

  void run() {
    for (ValueId id = from_.input_count(); id < from_.size(); ++id) {
      if (uses_[id] == 0 || absorbed_[id] != 0) continue;
      if (from_.is(id, DraftKind::Sum)) {
        flatten_sum(id);
      } else if (from_.is(id, DraftKind::Product)) {
        flatten_product(id);
      } else {
        now_.copy(id);
      }
    }
    now_.finish();
  }

 private:
  void flatten_sum(ValueId id) {
    terms_.clear();
    pending_terms_.assign(1, Ref(id));
    while (!pending_terms_.empty()) {
      const Ref r = pending_terms_.back();
      pending_terms_.pop_back();
      if (r.value() == id || absorbed_[r.value()] != 0) {
        for (const Ref inner : from_.refs(r.value())) pending_terms_.push_back(inner.negated_if(r.negative()));
      } else {
        terms_.push_back(now_(r));
      }
    }
    now_.set(id, to_.sum(terms_));
  }

  void flatten_product(ValueId id) {
    factors_.clear();
    bool negative = false;
    pending_factors_.assign(1, Factor{id, 1});
    while (!pending_factors_.empty()) {
      const Factor f = pending_factors_.back();
      pending_factors_.pop_back();
      if (f.value == id || absorbed_[f.value] != 0) {
        for (const Factor& inner : from_.factors(f.value))
          pending_factors_.push_back({inner.value, inner.exponent * f.exponent});
      } else {
        now_.append(f, negative, factors_);
      }
    }
    now_.set(id, to_.product(negative, factors_));
  }

  const Draft& from_;
  Draft& to_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::uint8_t> absorbed_;
  Rewrite now_;
  std::vector<Ref> terms_;
  std::vector<Ref> pending_terms_;
  std::vector<Factor> factors_;
  std::vector<Factor> pending_factors_;
};

}  // namespace

bool flatten(const Draft& from, Draft& to) {
  if (from.is_flat) return false;
  Flatten(from, to).run();
  return true;
}

}  // namespace kane
