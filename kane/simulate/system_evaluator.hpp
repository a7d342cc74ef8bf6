#pragma once
// Numbers of a compiled system at one state: rates, mass matrix, constraints, accelerations with the active constraints
// embedded. One per thread; nothing allocates after construction except set_active().

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kane/simulate/compiled_system.hpp"
#include "kane/solve/dense.hpp"
#include "kane/solve/embed.hpp"
#include "kane/solve/independent.hpp"

namespace kane {

enum class MotionStatus : std::uint8_t {
  Ok,
  SingularMass,   ///< no inertia resists the speed `index`
  SingularBlock,  ///< the dependent speeds cannot be solved for here
  Contradiction,  ///< redundant constraints contradict each other
  NotFinite,      ///< not-a-number or infinity in the quantity `index` of udot
};

struct MotionReport {
  MotionStatus status = MotionStatus::Ok;
  int index = -1;

  [[nodiscard]] bool ok() const { return status == MotionStatus::Ok; }
};

class SystemEvaluator {
 public:
  explicit SystemEvaluator(std::shared_ptr<const CompiledSystem> system);

  [[nodiscard]] const CompiledSystem& system() const { return *system_; }

  void set_parameters(std::span<const double> parameters);
  void set_inputs(std::span<const double> inputs, double t);
  void set_time(double t);
  [[nodiscard]] double time() const { return inputs_.back(); }
  /// Which constraints (by index) are enforced. At first: those active by default.
  void set_active(const std::vector<bool>& active);
  [[nodiscard]] const std::vector<int>& active_rows() const { return active_; }

  /// qdot and udot with the active constraints enforced.
  [[nodiscard]] MotionReport calc_motion(std::span<const double> q, std::span<const double> u, std::span<double> qdot,
                                         std::span<double> udot);

  // ---- parts, after calc_motion() or on their own --------------------------------------------------------------------
  /// qdot, M and rhs.
  void calc_mass(std::span<const double> q, std::span<const double> u);
  /// phi, A, b, gamma of all constraints.
  void calc_constraints(std::span<const double> q, std::span<const double> u);
  [[nodiscard]] ConstMatrixView mass_matrix() const { return mass_matrix_.view(); }
  [[nodiscard]] std::span<const double> rhs() const { return rhs_; }
  [[nodiscard]] std::span<const double> phi() const { return phi_; }
  /// All rows; active ones are those of active_rows().
  [[nodiscard]] ConstMatrixView jacobian() const { return jacobian_.view(); }
  [[nodiscard]] std::span<const double> b() const { return b_; }
  [[nodiscard]] std::span<const double> gamma() const { return gamma_; }

  /// Chooses the independent speeds for the present A (after calc_constraints); keeps a good choice.
  const IndependentReport& choose_independent();
  [[nodiscard]] std::span<const int> independent() const { return choice_.independent(); }
  [[nodiscard]] std::span<const int> dependent() const { return choice_.dependent(); }
  [[nodiscard]] const IndependentSpeeds& choice() const { return choice_; }
  [[nodiscard]] Embedding& embedding() { return embedding_; }
  /// A, b, gamma of the active rows only.
  [[nodiscard]] ConstMatrixView active_jacobian() const {
    return active_jacobian_.packed(active_.size(), system_->speed_count());
  }
  [[nodiscard]] std::span<const double> active_b() const { return {active_b_.data(), active_.size()}; }
  [[nodiscard]] std::span<const double> active_gamma() const { return {active_gamma_.data(), active_.size()}; }

  /// Multipliers of all constraints (zero for inactive ones) for udot of the last calc_motion().
  void calc_multipliers(std::span<const double> udot, std::span<double> lambda);
  /// Everything reported, in the order of CompiledSystem::report_items().
  [[nodiscard]] std::span<const double> calc_reports(std::span<const double> q, std::span<const double> u,
                                                     std::span<const double> udot, std::span<const double> lambda);
  /// M udot - rhs for any udot.
  void calc_inverse(std::span<const double> q, std::span<const double> u, std::span<const double> udot,
                    std::span<double> forces);

 private:
  struct Part {
    const Kernel* kernel = nullptr;
    std::unique_ptr<Workspace> workspace;
    explicit Part(const Kernel* k) : kernel(k), workspace(k == nullptr ? nullptr : std::make_unique<Workspace>(*k)) {}
  };
  template <class Each>
  void each_part(Each each);
  void load_state(Part& part, std::span<const double> q, std::span<const double> u);
  void gather_active();
  MotionReport solve_free(std::span<double> udot);
  MotionReport solve_embedded(std::span<double> udot);

  std::shared_ptr<const CompiledSystem> system_;
  Part motion_, mass_, constraints_, reports_, inverse_;
  std::vector<double> inputs_;  ///< inputs, then t
  std::vector<int> active_;
  Matrix mass_matrix_, jacobian_, active_jacobian_;
  std::vector<double> qdot_, rhs_, phi_, b_, gamma_, active_b_, active_gamma_, active_lambda_;
  IndependentSpeeds choice_;
  bool chosen_ = false;
  Embedding embedding_;
  Matrix factor_;
};

}  // namespace kane
