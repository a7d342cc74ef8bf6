#pragma once
// Collects the outputs of one kernel, puts the laws of the inputs in, and compiles. Private to kane/simulate.

#include <span>
#include <string>
#include <vector>

#include "kane/codegen/kernel.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/mechanics/equations.hpp"
#include "kane/program/lower.hpp"

namespace kane {

/// Settings that all kernels of a system share.
struct KernelSetting {
  const EquationsOfMotion& equations;
  Substitution laws;                ///< inputs that are expressions of the state
  std::vector<std::string> inputs;  ///< those given from outside
  std::vector<NamedFunction> functions;
  bool strict = false;
  bool use_interpreter = false;
};

class KernelMaker {
 public:
  explicit KernelMaker(const KernelSetting& setting);

  /// udot, and lambda, as further arguments after q and u.
  void add_accelerations();
  void add_multipliers();
  /// Further symbols.
  void add_arguments(std::span<const Expr> symbols);
  /// Forces and torques of shapes on bodies.
  void add_contact_wrenches();
  void refuse_contact_sensors(std::span<const Expr> symbols) const;

  void add(const Expr& e) { outputs_.push_back(e); }
  template <class Range>
  void add_all(const Range& range) {
    for (const auto& e : range) add(e);
  }
  void add_all(const Expr33& m) {
    for (const auto& row : m) add_all(row);
  }
  [[nodiscard]] std::size_t size() const { return outputs_.size(); }

  /// Sets `uses_time` if an output depends on time; leaves it alone otherwise.
  [[nodiscard]] Kernel make(const std::string& name, bool& uses_time) const;

 private:
  [[nodiscard]] std::vector<Expr> find_unknowns(std::span<const Expr> symbols) const;

  const KernelSetting& setting_;
  ProgramInputs names_;
  std::vector<Expr> outputs_;
};

}  // namespace kane
