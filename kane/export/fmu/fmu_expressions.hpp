#pragma once
// All that an FMU computes, as expressions of the parameters that may be set, the inputs, t and the states.

#include <memory>
#include <string>
#include <vector>

#include "kane/export/export_start.hpp"
#include "kane/program/lower.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"

namespace kane {

struct FmuExpressions {
  std::shared_ptr<KernelWorkshop> shop;  ///< owns the graph
  std::shared_ptr<Graph> written;        ///< owns it instead where tables are written out

  std::vector<std::string> parameters;  ///< that may be set; the others are calculated
  std::vector<std::string> inputs;
  std::vector<std::string> output_names, calculated_names, row_names;
  std::vector<std::size_t> switches;  ///< places of the events in EquationsOfMotion::switches

  std::vector<Expr> rates, outputs, calculated, guards, resets;
  std::vector<Expr> phi, phi_q, motion_rows, a;  ///< phi_q and a by rows
  std::vector<int> phi_rows;                     ///< the constraint of each phi; -1: the length of a quaternion
  /// Derivatives of rates, outputs, calculated, phi, motion_rows along the seeds; of switched models also of
  /// M udot - rhs - A^T lambda, A udot - gamma, and the values of contacts and frictions.
  std::vector<Expr> tangent;
  std::vector<std::string> seeds;  ///< seeds for states, inputs, t, parameters, then for `solved`

  /// With contacts, friction, modes or constraints that change: the motion is solved for in numbers. Rows are all constraints.
  bool switched = false;
  std::vector<std::string> solved;  ///< symbols of accelerations and multipliers
  /// M (rows), rhs, gamma; restitution and force of each contact, kinetic and static coefficient of each friction.
  std::vector<Expr> terms;

  [[nodiscard]] std::vector<NamedExpr> motion_outputs() const;
  [[nodiscard]] std::vector<NamedExpr> closure_outputs() const;
  [[nodiscard]] std::vector<NamedExpr> tangent_outputs() const;
  [[nodiscard]] std::vector<NamedExpr> term_outputs() const;
};

/// `switched`: with contacts, friction, modes and events that change constraints; otherwise these are left out.
[[nodiscard]] FmuExpressions form_fmu_expressions(const ExportStart& from, bool switched);

}  // namespace kane
