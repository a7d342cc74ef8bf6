#include "kane/program/program.hpp"

#include "kane/program/code.hpp"

namespace kane {

namespace {

template <class Named>
std::optional<std::uint32_t> find_by_name(const std::vector<Named>& items, std::string_view name) {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].name == name) return static_cast<std::uint32_t>(i);
  return std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> Program::find_input(std::string_view input) const { return find_by_name(inputs, input); }

std::optional<std::uint32_t> Program::find_output(std::string_view output) const {
  return find_by_name(outputs, output);
}

OperationCount Program::operations(Stage stage) const {
  OperationCount count;
  for (std::uint32_t i = stage_begin(stage); i < stage_end[stage]; ++i) {
    const Code code = instructions[i].code;
    switch (info(code).kind) {
      case OpKind::Add: ++count.add; break;
      case OpKind::Mul: ++count.mul; break;
      case OpKind::Div: ++count.div; break;
      case OpKind::Function: ++count.func; break;
      case OpKind::Leaf:
      case OpKind::Free: break;
    }
    if (is_fused(code)) ++count.add;
  }
  return count;
}

}  // namespace kane
