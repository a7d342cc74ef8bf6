#pragma once
// Numbers of a compiled system at one state: rates, mass matrix, constraints, accelerations with the active constraints
// embedded. One per thread; nothing allocates after construction except set_active().

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kane/simulate/system/compiled_system.hpp"
#include "kane/simulate/system/kernel_runner.hpp"
#include "kane/simulate/system/part_times.hpp"
#include "kane/solve/dense.hpp"
#include "kane/solve/embed.hpp"
#include "kane/solve/independent.hpp"
#include "kane/solve/range_space.hpp"

namespace kane {

class ContactRows;
class WrittenRow;

enum class MotionStatus : std::uint8_t {
  Ok,
  SingularMass,   ///< no inertia resists the speed `index`
  SingularBlock,  ///< the dependent speeds cannot be solved for here
  Contradiction,  ///< redundant constraints contradict each other
  NotFinite,      ///< not-a-number or infinity in the quantity `index` of udot
  RateNotFinite,  ///< the same in the quantity `index` of qdot
  NoForce,        ///< the force that the constraint `index` stands for has no solution (ConstraintEquation::given)
};

struct MotionReport {
  MotionStatus status = MotionStatus::Ok;
  int index = -1;

  [[nodiscard]] bool ok() const { return status == MotionStatus::Ok; }
};

class SystemEvaluator {
 public:
  explicit SystemEvaluator(std::shared_ptr<const CompiledSystem> system);
  SystemEvaluator(const SystemEvaluator&) = delete;
  SystemEvaluator& operator=(const SystemEvaluator&) = delete;

  [[nodiscard]] const CompiledSystem& system() const { return *system_; }
  /// For kernels of others that are to run with the same parameters, inputs and time.
  [[nodiscard]] const RunContext& context() const { return context_; }

  void set_parameters(std::span<const double> parameters);
  void set_inputs(std::span<const double> inputs, double t);
  void set_time(double t);
  [[nodiscard]] double time() const { return context_.time(); }
  [[nodiscard]] std::span<const double> inputs() const {
    return std::span(context_.inputs).first(context_.inputs.size() - 1);
  }
  /// Sets the constraints (by index) that are enforced. Initially: those active by default.
  void set_active(const std::vector<bool>& active);
  [[nodiscard]] const std::vector<int>& active_rows() const { return active_; }

  /// qdot and udot with the active constraints enforced.
  [[nodiscard]] MotionReport calc_motion(std::span<const double> q, std::span<const double> u, std::span<double> qdot,
                                         std::span<double> udot);
  [[nodiscard]] EvaluationTimes& times() { return times_; }

  // ---- parts, after calc_motion() or on their own --------------------------------------------------------------------
  /// qdot, M and rhs.
  void calc_mass(std::span<const double> q, std::span<const double> u);
  /// phi, A, b, gamma of all constraints, and of the contacts of shapes if there are any.
  void calc_constraints(std::span<const double> q, std::span<const double> u);
  /// The source of the rows of shapes that touch; null: these are empty. It must outlive the evaluator, or be detached.
  void attach(ContactRows* contacts) { contacts_ = contacts; }
  [[nodiscard]] ContactRows* contacts() const { return contacts_; }
  /// Sets the row at a free place (null: none); it must outlive its use.
  void set_written(std::size_t place, WrittenRow* row) { written_[place] = row; }
  [[nodiscard]] WrittenRow* written(std::size_t place) const { return written_[place]; }
  /// The rows of shapes alone.
  void calc_contacts(std::span<const double> q, std::span<const double> u);
  [[nodiscard]] ConstMatrixView mass_matrix() const { return mass_matrix_.view(); }
  [[nodiscard]] std::span<const double> rhs() const { return rhs_; }
  /// Results of the last calc_mass().
  [[nodiscard]] std::span<const double> qdot() const { return qdot_; }
  [[nodiscard]] std::span<const double> phi() const { return phi_; }
  /// All rows; active ones are those of active_rows().
  [[nodiscard]] ConstMatrixView jacobian() const { return jacobian_.view(); }
  [[nodiscard]] std::span<const double> b() const { return b_; }
  [[nodiscard]] std::span<const double> gamma() const { return gamma_; }

  /// Chooses the independent speeds for the present A (after calc_constraints); keeps a good choice.
  const IndependentReport& choose_independent();
  /// The next evaluation is at a state that satisfies the constraints; choices made elsewhere are forgotten.
  void forget_choice();
  /// Keeps the choice another evaluator of the same system has made for its present set of constraints. When that set
  /// becomes active here, the choice is taken over instead of factorising, and made again only if it turns out to be bad.
  void prepare(const SystemEvaluator& ahead);
  /// So that prepare() does not allocate.
  void reserve_prepared();
  /// The choice made for the present set, to be put back after others were tried and the set was made active again.
  struct SavedChoice {
    IndependentSpeeds choice;
    bool chosen = false, doubtful = false;
    long choices = 0, adopted = 0;
    std::vector<double> row_lengths{};
  };
  void save_choice(SavedChoice& saved) const;
  void restore_choice(const SavedChoice& saved);
  /// How often a prepared choice was taken over.
  [[nodiscard]] long adopted() const { return adopted_; }
  /// To be called where the configuration satisfies the constraints (after calc_constraints). Between such states redundant
  /// rows disagree by the error of integration; whether a row really is independent is decided here only.
  void confirm_rank();
  [[nodiscard]] std::span<const int> independent() const { return choice_.independent(); }
  [[nodiscard]] std::span<const int> dependent() const { return choice_.dependent(); }
  [[nodiscard]] const IndependentSpeeds& choice() const { return choice_; }
  /// How often the independent speeds were chosen again since set_active().
  [[nodiscard]] long choices() const { return choices_; }
  /// D and the factors of A_d for the present A (after calc_constraints), choosing again where necessary.
  [[nodiscard]] EmbedReport refresh_embedding();
  [[nodiscard]] Embedding& embedding() {
    if (embedding_behind_) (void)refresh_embedding();
    return embedding_;
  }
  /// Lets accelerations and speeds of mechanisms with many loops be found by the range of the constraints (range_space.hpp)
  /// where that is shorter than the embedding. Then the embedding is formed when it is asked for.
  void allow_range_space() { range_allowed_ = true; }
  /// Whether the last accelerations were found so.
  [[nodiscard]] bool in_range_space() const { return range_lambda_known_; }
  /// How independent the least independent of the active constraints is, 1 at most (after calc_constraints); 0 where fewer
  /// are independent than `most_rank`, which remembers the most that were.
  [[nodiscard]] double calc_independence(int& most_rank);
  /// Moves u to the speeds nearest in kinetic energy that satisfy the active constraints (after calc_constraints at q).
  /// False if they cannot be found.
  [[nodiscard]] bool impose_speeds(std::span<const double> q, std::span<double> u);
  /// A, b, gamma of the active rows only.
  [[nodiscard]] ConstMatrixView active_jacobian() const {
    return active_jacobian_.packed(active_.size(), system_->speed_count());
  }
  [[nodiscard]] std::span<const double> active_b() const { return {active_b_.data(), active_.size()}; }
  [[nodiscard]] std::span<const double> active_gamma() const { return {active_gamma_.data(), active_.size()}; }

  /// Multipliers of all constraints (zero for inactive ones) for udot of the last calc_motion().
  void calc_multipliers(std::span<const double> udot, std::span<double> lambda);
  /// Forces and torques by which shapes act on the bodies of contacts (contact_wrench_symbol()), for the reports.
  [[nodiscard]] std::span<double> contact_wrenches() { return contact_wrenches_; }
  /// Gaps, points and directions of the contacts of the model (ExtraKernels::contact_places()).
  [[nodiscard]] std::span<const double> calc_contact_places(std::span<const double> q, std::span<const double> u);
  /// Values of the sensors of contacts (contact_sensor_symbol()), for the reports.
  [[nodiscard]] std::span<double> contact_senses() { return contact_senses_; }
  /// Everything reported, in the order of CompiledSystem::report_items().
  [[nodiscard]] std::span<const double> calc_reports(std::span<const double> q, std::span<const double> u,
                                                     std::span<const double> udot, std::span<const double> lambda);
  /// Completes a tangent (udot, lambda) of the equations of motion, found with the forces X that loads depend on held, by
  /// what those forces change: `dr` are the changes of their values R with udot and lambda held, as `dlambda` of all
  /// constraints. After calc_motion() at the same state; nothing happens if there are no such forces.
  [[nodiscard]] bool complete_tangent(std::span<const double> dr, std::span<double> dudot, std::span<double> dlambda);
  /// M udot - rhs for any udot.
  void calc_inverse(std::span<const double> q, std::span<const double> u, std::span<const double> udot,
                    std::span<double> forces);

 private:
  void calc_mass_columns(std::span<const double> q, std::span<const double> u);
  void calc_written(std::span<const double> q, std::span<const double> u);
  void gather_active();
  [[nodiscard]] bool adopt_prepared();
  MotionReport solve_free(std::span<double> udot);
  MotionReport solve_embedded(std::span<double> udot);
  void prepare_range();
  [[nodiscard]] bool factor_range();
  MotionReport solve_given(std::span<const double> q, std::span<const double> u, std::span<double> udot);
  double calc_given(std::span<const double> q, std::span<const double> u, std::span<const double> udot);
  bool factor_given();
  bool respond(std::span<const double> force, std::span<double> udot, std::span<double> lambda);

  std::shared_ptr<const CompiledSystem> system_;
  ContactRows* contacts_ = nullptr;
  std::vector<WrittenRow*> written_;
  RunContext context_;
  KernelRunner motion_, mass_, rates_, constraints_, reports_, inverse_, given_;
  std::vector<int> active_;
  Matrix mass_matrix_, jacobian_, active_jacobian_;
  std::vector<double> column_, rest_, bias_;  ///< of calc_mass_columns()
  std::vector<double> contact_wrenches_, contact_senses_;
  std::unique_ptr<KernelRunner> contact_places_;  ///< made when it is first asked for
  std::vector<double> qdot_, rhs_, phi_, b_, gamma_, active_b_, active_gamma_, active_lambda_;
  IndependentSpeeds choice_;
  bool chosen_ = false;
  bool doubtful_ = false;  ///< a row that was dropped did not agree with the others
  long choices_ = 0, adopted_ = 0;
  struct Prepared {
    std::vector<int> active;
    IndependentSpeeds choice;
    bool used = true;
  };
  static constexpr std::size_t kMostPrepared = 8;
  std::vector<Prepared> prepared_;  ///< the latest few
  std::size_t next_prepared_ = 0;
  Embedding embedding_;
  bool embedding_behind_ = false;  ///< it was not refreshed for the present A
  MassFactors factors_;
  // Mechanisms with many loops. `range_rows_`: the rows are those of the present choice; `range_mass_`, `range_constraints_`:
  // what was factored.
  std::unique_ptr<RangeSpace> range_;
  bool range_allowed_ = false, range_rows_ = false, range_worth_ = false, range_lambda_known_ = false;
  long range_mass_ = -1, range_constraints_ = -1;
  RowGram rows_gram_;  ///< of the kept rows, each divided by its greatest length so far
  std::vector<double> row_lengths_, range_lambda_;
  // Forces X that loads depend on. multipliers_ has X at their rows and zeros elsewhere, given_lambda_ all multipliers.
  std::vector<double> multipliers_, given_lambda_, residual_, change_, before_, zeros_;
  std::span<const double> given_values_;
  Matrix given_udot_, given_multipliers_;  ///< change per unit of each force
  Lu given_factors_;
  EvaluationTimes times_;
};

/// A sentence about a report that is not ok.
[[nodiscard]] std::string describe(const MotionReport& report, const EquationsOfMotion& equations);

}  // namespace kane
