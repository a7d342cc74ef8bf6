#pragma once
// check_values() for many values of the same few parameters: looks only at what depends on them.

#include <functional>
#include <set>
#include <string>

#include "kane/expr/evaluate.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

class ValueRecheck {
 public:
  /// `names`: the parameters that change, those that follow from others included. The mechanism must outlive it.
  ValueRecheck(const Mechanism& mechanism, const std::set<std::string, std::less<>>& names);
  ValueRecheck(const ValueRecheck&) = delete;
  ValueRecheck& operator=(const ValueRecheck&) = delete;

  /// False: only check_values() can tell (flexible bodies).
  [[nodiscard]] bool possible() const { return static_cast<bool>(check_); }
  /// With numbers of all parameters; throws as check_values() does.
  void check(const Values& parameters) { check_(parameters); }

 private:
  std::function<void(const Values&)> check_;
};

}  // namespace kane
