#pragma once
// Expressions of the columns of a sweep: "peak > 0.3", "2*mass + max(q)". Measures are named as they are in the study, even if
// their name is a text such as max(q).

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/codegen/kernel.hpp"

namespace kane {

class RowExpression {
 public:
  /// Throws ModelError naming an unknown name.
  RowExpression(const std::string& text, const std::vector<std::string>& names, const Where& where = {});
  /// One number for each name.
  [[nodiscard]] double calc(std::span<const double> row);
  /// A condition a < b or a <= b: b - a, which is positive where it holds with room to spare. Empty for others.
  [[nodiscard]] bool is_condition() const { return condition_; }
  [[nodiscard]] double calc_margin(std::span<const double> row);

 private:
  std::unique_ptr<Kernel> kernel_;
  std::unique_ptr<Workspace> work_;
  bool condition_ = false;
};

}  // namespace kane
