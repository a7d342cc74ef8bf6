#include "kane/program/merge_chains.hpp"

#include <numeric>
#include <vector>

#include "kane/program/code.hpp"
#include "kane/program/reorder.hpp"

namespace kane {

namespace {

bool has_negative_product(Code code) { return code == Code::Fnma || code == Code::Fnms; }
bool has_negative_rest(Code code) { return code == Code::Fms || code == Code::Fnms; }

Code fused(bool negative_product, bool negative_rest) {
  if (negative_product) return negative_rest ? Code::Fnms : Code::Fnma;
  return negative_rest ? Code::Fms : Code::Fma;
}

class ChainMerger {
 public:
  explicit ChainMerger(Program& p)
      : p_(p),
        first_(p.first_temporary() + p.stage_begin(Stage::State)),
        uses_(p.value_count(), 0),
        same_as_(p.value_count()) {
    for (const Instruction& i : p.instructions) visit_values(p, i, [&](ValueId id) { ++uses_[id]; });
    for (const ProgramOutput& o : p.outputs) ++uses_[o.value];
    std::iota(same_as_.begin(), same_as_.end(), ValueId{0});
  }

  void run() {
    for (ValueId v = first_; v < p_.value_count(); ++v) {
      Instruction& i = instruction(v);
      if (i.code != Code::Call) visit_operands(i, [&](ValueId& id) { id = same_as_[id]; });
      if ((i.code == Code::Add || i.code == Code::Sub) && i.a != i.b) merge(v);
    }
    for (ValueId& id : p_.call_arguments) id = same_as_[id];
    for (ProgramOutput& o : p_.outputs) o.value = same_as_[o.value];
    std::vector<std::uint32_t> order;
    order.reserve(p_.instructions.size());
    for (std::uint32_t k = 0; k < p_.instructions.size(); ++k)
      if (const ValueId v = p_.first_temporary() + k; same_as_[v] == v) order.push_back(k);
    reorder(p_, order);
  }

 private:
  [[nodiscard]] Instruction& instruction(ValueId v) { return p_.instructions[v - p_.first_temporary()]; }

  /// chain_ = the links from v to a product that comes after x; empty if v is not such a chain, or something else uses it.
  void find_chain(ValueId v, ValueId x) {
    chain_.clear();
    for (; v >= first_ && v > x && uses_[v] == 1; v = instruction(v).c) {
      const Code code = instruction(v).code;
      if (code != Code::Mul && !is_fused(code)) break;
      chain_.push_back(v);
      if (code == Code::Mul) return;
    }
    chain_.clear();
  }

  void merge(ValueId v) {
    const Instruction sum = instruction(v);
    const bool minus = sum.code == Code::Sub;
    find_chain(sum.a, sum.b);
    if (!chain_.empty()) {
      rewrite(false, sum.b, minus);
    } else {
      find_chain(sum.b, sum.a);
      if (chain_.empty()) return;
      rewrite(minus, sum.a, false);
    }
    same_as_[v] = chain_.front();
    uses_[chain_.front()] = uses_[v];
  }

  /// The chain, or minus the chain, plus or minus x.
  void rewrite(bool negative, ValueId x, bool minus_x) {
    for (const ValueId v : chain_) {
      Instruction& i = instruction(v);
      const bool last = i.code == Code::Mul;
      const bool negative_rest = has_negative_rest(i.code);
      i.code = fused(has_negative_product(i.code) != negative, last && minus_x);
      if (last) i.c = x;
      negative = negative != negative_rest;
    }
  }

  Program& p_;
  const ValueId first_;  ///< value of the state stage
  std::vector<std::uint32_t> uses_;
  std::vector<ValueId> same_as_;  ///< the value that has taken the place of a sum
  std::vector<ValueId> chain_;
};

}  // namespace

void merge_chains(Program& program) { ChainMerger(program).run(); }

}  // namespace kane
