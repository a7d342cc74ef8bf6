#include "kane/program/contract.hpp"

#include <algorithm>

#include "kane/program/reorder.hpp"

namespace kane {

namespace {

std::vector<std::uint32_t> count_uses(const Program& p) {
  std::vector<std::uint32_t> uses(p.value_count(), 0);
  for (const Instruction& i : p.instructions) visit_values(p, i, [&](ValueId id) { ++uses[id]; });
  for (const ProgramOutput& o : p.outputs) ++uses[o.value];
  return uses;
}

class Contraction {
 public:
  explicit Contraction(Program& p) : p_(p), uses_(count_uses(p)), depth_(p.value_count(), 0) {}

  void run() {
    for (const Stage stage : kStages) {
      first_ = p_.first_temporary() + p_.stage_begin(stage);
      for (std::uint32_t i = p_.stage_begin(stage); i < p_.stage_end[stage]; ++i) {
        Instruction& instruction = p_.instructions[i];
        fuse(instruction);
        int depth = 0;
        visit_values(p_, instruction, [&](ValueId id) { depth = std::max(depth, ready(id)); });
        depth_[p_.first_temporary() + i] = depth + info(instruction.code).latency;
      }
    }
  }

 private:
  [[nodiscard]] int ready(ValueId id) const { return id < first_ ? 0 : depth_[id]; }

  /// The instruction of a value of this stage that nothing else uses; null otherwise.
  [[nodiscard]] const Instruction* own(ValueId id) const {
    return id >= first_ && uses_[id] == 1 ? &p_.instructions[id - p_.first_temporary()] : nullptr;
  }

  [[nodiscard]] const Instruction* product(ValueId id) const {
    const Instruction* i = own(id);
    return i != nullptr && i->code == Code::Mul ? i : nullptr;
  }

  void fuse(Instruction& i) const {
    if (i.code == Code::Neg) {
      fuse_negation(i);
      return;
    }
    if (i.code != Code::Add && i.code != Code::Sub) return;
    const Instruction* left = product(i.a);
    const Instruction* right = i.a == i.b ? nullptr : product(i.b);
    if (left != nullptr && right != nullptr) {
      if (ready(i.a) > ready(i.b)) {
        right = nullptr;
      } else {
        left = nullptr;
      }
    }
    if (left != nullptr) {
      i = {i.code == Code::Add ? Code::Fma : Code::Fms, left->a, left->b, i.b};
    } else if (right != nullptr) {
      i = {i.code == Code::Add ? Code::Fma : Code::Fnma, right->a, right->b, i.a};
    }
  }

  void fuse_negation(Instruction& i) const {
    const Instruction* inner = own(i.a);
    if (inner == nullptr || !is_fused(inner->code)) return;
    Code code = Code::Fma;
    switch (inner->code) {
      case Code::Fma: code = Code::Fnms; break;
      case Code::Fms: code = Code::Fnma; break;
      case Code::Fnma: code = Code::Fms; break;
      default: break;
    }
    i = {code, inner->a, inner->b, inner->c};
  }

  Program& p_;
  std::vector<std::uint32_t> uses_;
  std::vector<int> depth_;
  ValueId first_ = 0;  ///< first value of the present stage
};

/// fuse_shared_products() for one stage. `uses`: of every value.
void fuse_shared(Program& p, Stage stage, const std::vector<std::uint32_t>& uses) {
  const std::uint32_t begin = p.stage_begin(stage), end = p.stage_end[stage];
  const ValueId first = p.first_temporary();
  std::vector<std::uint32_t> additions(p.value_count(), 0);  // that use a value
  const auto for_each_addition = [&](auto&& visit) {
    for (std::uint32_t k = begin; k < end; ++k) {
      Instruction& i = p.instructions[k];
      if ((i.code == Code::Add || i.code == Code::Sub) && i.a != i.b) visit(i);
    }
  };
  for_each_addition([&](const Instruction& i) { ++additions[i.a], ++additions[i.b]; });
  const auto is_shared = [&](ValueId id) {
    return id >= first + begin && additions[id] == uses[id] && p.instructions[id - first].code == Code::Mul;
  };
  // An addition has room for one product; of two the one with more uses is computed.
  for_each_addition([&](const Instruction& i) {
    if (is_shared(i.a) && is_shared(i.b)) additions[uses[i.a] > uses[i.b] ? i.a : i.b] = 0;
  });
  for_each_addition([&](Instruction& i) {
    if (is_shared(i.a)) {
      const Instruction& left = p.instructions[i.a - first];
      i = {i.code == Code::Add ? Code::Fma : Code::Fms, left.a, left.b, i.b};
    } else if (is_shared(i.b)) {
      const Instruction& right = p.instructions[i.b - first];
      i = {i.code == Code::Add ? Code::Fma : Code::Fnma, right.a, right.b, i.a};
    }
  });
}

}  // namespace

void contract(Program& program) { Contraction(program).run(); }

void fuse_shared_products(Program& program) {
  const std::vector<std::uint32_t> uses = count_uses(program);
  for (const Stage stage : kStages) fuse_shared(program, stage, uses);
}

}  // namespace kane
