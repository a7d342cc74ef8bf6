#pragma once
// Equations of motion made ready to run: kernels for a step, an embedding and a report. Constant once it is
// made: any number of threads may use one, as long as nothing is added to the graph of the equations it was given.
// Everything that changes is in a SystemEvaluator, one per thread; expressions and kernels are added in a KernelWorkshop, one per
// thread too.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kane/codegen/kernel.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/mechanics/equations.hpp"
#include "kane/simulate/system/contact_layout.hpp"
#include "kane/simulate/system/extra_kernels.hpp"
#include "kane/simulate/system/kernel_maker.hpp"

namespace kane {

struct CompileOptions {
  /// No contraction: the same bits on every machine.
  bool strict = false;
  /// Never use the JIT.
  bool use_interpreter = false;
  /// Values of external functions (tables, user laws).
  FunctionTable functions{};
  /// Inputs that are given from outside although the model has a law for them.
  std::vector<std::string> driven_inputs{};
  /// Compile the report kernel (points, bodies, reactions, outputs).
  bool reports = true;
  /// Leave out of the report what only a full account needs: bodies, momentum, velocities and accelerations of points.
  bool brief_reports = false;
  /// How many constraints may be written down and held at once while it runs (written_constraint.hpp).
  std::size_t free_rows = 0;
};

/// One row of the report: where a named quantity stands among the report kernel's outputs.
struct ReportItem {
  enum class Kind : std::uint8_t { Kinetic, Potential, Momentum, Point, Body, Reaction, Auxiliary, Output };
  Kind kind;
  std::string name;
  std::size_t first;
  std::size_t count;  ///< Point: 9 (position, velocity, acceleration; 3 if brief), Body: 15 (rotation by rows, omega,
                      ///< alpha), Reaction: 6
};

class CompiledSystem {
 public:
  explicit CompiledSystem(EquationsOfMotion equations, const CompileOptions& options = {});
  ~CompiledSystem();
  CompiledSystem(const CompiledSystem&) = delete;
  CompiledSystem& operator=(const CompiledSystem&) = delete;

  [[nodiscard]] const EquationsOfMotion& equations() const { return equations_; }
  [[nodiscard]] std::size_t coordinate_count() const { return equations_.q.size(); }
  [[nodiscard]] std::size_t speed_count() const { return equations_.u.size(); }
  [[nodiscard]] std::size_t constraint_count() const { return equations_.constraints.size(); }
  /// Rows of shapes that touch come after those of the constraints.
  [[nodiscard]] const ContactLayout& contact_layout() const { return contact_layout_; }
  /// Rows of constraints added while it runs come last.
  [[nodiscard]] std::size_t free_rows() const { return free_rows_; }
  [[nodiscard]] std::size_t first_free_row() const { return constraint_count() + contact_layout_.rows(); }
  [[nodiscard]] std::size_t row_count() const { return first_free_row() + free_rows_; }
  /// Inputs that are given from outside, in order (laws of the model are built in).
  [[nodiscard]] const std::vector<std::string>& inputs() const { return setting_.inputs; }
  [[nodiscard]] const std::vector<double>& default_inputs() const { return default_inputs_; }
  [[nodiscard]] std::vector<std::string> parameters() const;
  /// All parameter values: the given ones, and defaults worked out from them. Throws ModelError for an unknown name.
  [[nodiscard]] std::vector<double> calc_parameters(const Values& given) const;
  [[nodiscard]] bool uses_time() const { return uses_time_; }

  /// qdot, udot: present if the equations are solved in symbols.
  [[nodiscard]] const Kernel* motion() const { return motion_ ? &*motion_ : nullptr; }
  /// M can be had, by its own kernel or by that of the inverse dynamics.
  [[nodiscard]] bool has_mass() const { return mass_ || rates_; }
  /// qdot alone: present if M was not formed, but can be had from the inverse dynamics.
  [[nodiscard]] const Kernel* rates() const { return rates_ ? &*rates_ : nullptr; }
  /// qdot, rhs, then entries of M (all of them if it is not symmetric): present if M was formed.
  [[nodiscard]] const Kernel* mass() const { return mass_ ? &*mass_ : nullptr; }
  /// Where these entries stand if it is symmetric: those of the lower triangle that are not identically zero, by rows.
  /// (All of them if contacts need M and it was not formed.)
  struct MassPlace {
    std::uint32_t row, column;
  };
  [[nodiscard]] const std::vector<MassPlace>& mass_places() const { return mass_places_; }
  /// For every constraint: phi (0 if none), b, gamma, row of A. In switched systems the row has only the entries at
  /// constraint_places(): stops and frictions are many, and their rows short.
  [[nodiscard]] const Kernel* constraints() const { return constraints_ ? &*constraints_ : nullptr; }
  /// Columns at which the row of A of each constraint is not identically zero, ascending.
  [[nodiscard]] const std::vector<std::vector<int>>& constraint_places() const { return constraint_places_; }
  /// Everything reported, as a function of q, u, udot and lambda.
  [[nodiscard]] const Kernel* reports() const { return reports_ ? &*reports_ : nullptr; }
  [[nodiscard]] const std::vector<ReportItem>& report_items() const { return report_items_; }
  /// Generalized forces for given udot (M udot - rhs), as a function of q, u, udot.
  [[nodiscard]] const Kernel* inverse() const { return inverse_ ? &*inverse_ : nullptr; }

  /// Constraints whose multiplier is a force that loads depend on (ConstraintEquation::given).
  [[nodiscard]] const std::vector<std::size_t>& given_rows() const { return given_rows_; }
  /// For these forces X = R, as a function of q, u, udot and lambda: all R; then for each force dR/dudot, dR/dlambda (all
  /// constraints) and d rhs/dX. Present if there are such forces; `mass` and `inverse` then have lambda in their state, too.
  [[nodiscard]] const Kernel* given() const { return given_ ? &*given_ : nullptr; }

  /// Kernels that only some uses need: made on first use (by one thread, while others wait). For kernels of other
  /// expressions, make a KernelWorkshop.
  [[nodiscard]] const ExtraKernels& extra() const { return *extra_; }
  /// The model's own laws of the inputs that are given from outside nevertheless (CompileOptions::driven_inputs), for
  /// sampling them; by position in inputs(). Inputs without a law have a number.
  [[nodiscard]] const std::vector<Expr>& driven_laws() const { return driven_laws_; }
  /// How kernels of this system are made.
  [[nodiscard]] const KernelSetting& setting() const { return setting_; }
  /// The laws that are built in, for messages: input and expression.
  [[nodiscard]] const std::vector<SymbolWithDefault>& laws() const { return laws_; }
  [[nodiscard]] const FunctionTable& functions() const { return functions_; }

 private:
  struct Callbacks;

  void collect_laws(const CompileOptions& options);
  void make_given();

  EquationsOfMotion equations_;
  ContactLayout contact_layout_;
  std::size_t free_rows_;
  FunctionTable functions_;
  std::unique_ptr<Callbacks> callbacks_;
  KernelSetting setting_;
  std::vector<double> default_inputs_;
  std::vector<Expr> driven_laws_;
  std::vector<SymbolWithDefault> laws_;
  bool uses_time_ = false;
  std::vector<MassPlace> mass_places_;
  std::vector<std::vector<int>> constraint_places_;
  std::optional<Kernel> motion_, mass_, rates_, constraints_, reports_, inverse_, given_;
  std::vector<std::size_t> given_rows_;
  std::vector<ReportItem> report_items_;
  std::unique_ptr<ExtraKernels> extra_;
};

}  // namespace kane
