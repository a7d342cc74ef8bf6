#pragma once
// Rows of constraints from shapes that touch, made while the system runs (Gillespie, section 4, block 1: "composed by
// indexing a pre-arranged matrix of variables"). Compiled once for a model are the positions, velocities, partial velocities
// and accelerations of all bodies that have shapes; whatever touches then is a combination of these,
//
//     row of A = d^T (J1 - J2)        d: normal, or across it
//
// so that a new set of contacts needs no new derivation and no compiler, and is ready within the tick that finds it.
//
// Rows come after those of EquationsOfMotion::constraints. Slot s has, in this order: the normal, two sliding speeds, and
// where a pair resists them two rolling speeds and the spinning speed.

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kane/contact/contact_scene.hpp"
#include "kane/simulate/system/compiled_system.hpp"
#include "kane/simulate/system/kernel_runner.hpp"

namespace kane {

/// Properties of a pair at the present parameters, inputs and state.
struct PairValues {
  double restitution, kinetic, stiction, rolling, spinning, stiffness, dissipation, damping, adhesion = 0;
  RestitutionLaw law = RestitutionLaw::Newton;
  bool linear = false, phases = false;

  /// The force of a compliant pair at a depth and a rate of the gap; only adhesion pulls. Linear: N = k d + c d'; else that of
  /// Hunt and Crossley (1975): N = k d^(3/2) (1 + 3/2 c d').
  [[nodiscard]] double calc_force(double depth, double gap_rate) const {
    if (!(depth > 0)) return 0;
    if (linear) return std::max(0.0, stiffness * depth - damping * gap_rate) - adhesion;
    return std::max(0.0, stiffness * depth * std::sqrt(depth) * (1 - 1.5 * dissipation * gap_rate)) - adhesion;
  }
};

class ContactRows {
 public:
  ContactRows(const CompiledSystem& system, const RunContext& context);

  [[nodiscard]] const ContactLayout& layout() const { return layout_; }
  [[nodiscard]] ContactScene& scene() { return scene_; }
  [[nodiscard]] const ContactScene& scene() const { return scene_; }

  /// Motion of all bodies at a state.
  void calc_bodies(std::span<const double> q, std::span<const double> u);
  /// phi, b, gamma and A of all slots, at the state of calc_bodies(), to the places behind the system's own rows (always the
  /// same ones: nothing is written again as long as nothing has changed).
  void calc(std::span<double> phi, std::span<double> b, std::span<double> gamma, MatrixView jacobian);
  /// Forces and torques (about their origins) on the bodies by forces along the rows of the system, 6 numbers for each body.
  void calc_wrenches(const std::function<double(std::size_t row)>& force, std::span<double> wrenches) const;
  [[nodiscard]] PairValues pair_values(std::size_t pair) const;
  void calc_pairs(std::span<const double> q, std::span<const double> u);
  /// dq/dt = Q u + ...: the rows of Q, for moving coordinates along speeds.
  [[nodiscard]] ConstMatrixView calc_rates(std::span<const double> q, std::span<const double> u);

  /// First row of a slot.
  [[nodiscard]] std::size_t first_row(std::size_t slot) const {
    return system_.constraint_count() + slot * layout_.rows_per_slot();
  }
  /// "table" for the first feature of the pair `table`, "table.2" for the second, ...; "" if the slot is empty.
  [[nodiscard]] std::string slot_name(std::size_t slot) const;
  /// Writes the name into a string, which does not allocate if it has the capacity.
  void write_slot_name(std::size_t slot, std::string& name) const;
  [[nodiscard]] std::string row_name(std::size_t row) const;

 private:
  void update_shapes();
  void orient_frictions(std::span<const double> q, std::span<const double> u);
  /// Kind of row `k` of a slot.
  [[nodiscard]] ContactScene::Row row_kind(std::size_t k) const;

  const CompiledSystem& system_;
  const RunContext& context_;
  KernelRunner bodies_, laws_, shapes_, rates_;
  std::vector<std::vector<Vec3>> hull_points_;
  long parameters_seen_ = 0, calculated_at_ = -1, calculated_with_ = -1;
  std::size_t n_;
  bool oriented_ = false;  ///< some friction depends on the direction
  ContactScene scene_;
  ContactLayout layout_;
  std::vector<double> body_values_, law_values_;
  Matrix rate_matrix_;
};

}  // namespace kane
