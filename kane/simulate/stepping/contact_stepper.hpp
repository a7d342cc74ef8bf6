#pragma once
// Motion with many contacts, in steps: no events inside a step, all contacts of the step solved together at the level of
// speeds (D. Stewart, J. Trinkle, Int. J. Num. Meth. Eng. 39 (1996); M. Anitescu, F. Potra, Nonlinear Dynamics 14 (1997)). It
// always comes to its end: an inelastic impulse in the cones exists for any set of contacts.
//
// A step of length h is that of Stormer and Verlet, with impulses where forces would drive bodies into each other:
//
//     M (w - u)  = h/2 f(q, u)  + J^T p,     0 <= g/h + J_n w  _|_  p_n >= 0,    friction in the cone of p_n
//     q+         = q + h qdot(q + h/2 qdot(q, w), w),    then pushed apart where they overlap, by the smallest distance
//     M (u+ - w) = h/2 f(q+, w) + J^T p,     0 <= J_n u+ + e v  _|_  p_n >= 0
//
// g are the gaps: a contact acts as soon as it would be passed within the step, and never by more than reaching it. v is the
// speed of approach of a contact that closed in this step (Newton's law, exactly; the instant is off by less than h).
// Without contacts it is the method of Stormer and Verlet, exact for free fall. A body at rest stays where it is, to the last
// bit. Impulses take energy away or leave it: the first half ends with J_n w <= 0 where it presses, friction is opposite to the
// sliding, and rebounds are limited as in ImpactSolver. Islands at rest sleep: as long as nothing that acts on them changes by a
// bit, their impulses are those of the last step. Errors of the smooth motion can add energy; where nothing feeds
// the system, what it has gained in a step is taken from its speeds.

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kane/contact/contact_field.hpp"
#include "kane/simulate/state.hpp"
#include "kane/simulate/stepping/block_inertia.hpp"
#include "kane/simulate/switching/contact_set.hpp"
#include "kane/simulate/system/constraint_projector.hpp"
#include "kane/solve/contact_sweep.hpp"

namespace kane {

/// What was done since start().
struct SteppingWork {
  long steps = 0, sweeps = 0, islands = 0, unconverged = 0, pushes = 0;
  std::size_t most_places = 0;
  double residual = 0;        ///< largest speed by which a solution was left open
  double penetration = 0;     ///< deepest overlap after a step, relative to the smaller shape
  double energy_removed = 0;  ///< that the smooth motion had gained by its error
};

/// A contact in the last step.
struct SteppedContact {
  int contact = -1;      ///< of the model; -1: a place of shapes,
  std::size_t pair = 0;  ///< which has this pair
  int number = 0;        ///< among the places of the pair
  Vec3 point, normal;    ///< of a place
  double gap = 0;
  double normal_impulse = 0;
  Vec3 friction_impulse;  ///< of a place: on the first body of the pair, in the ground
  bool arrived = false;   ///< it closed in this step, faster than things at rest
  bool sticks = false;
};

class ContactStepper {
 public:
  /// `situate`: gives the evaluator time and inputs of an instant.
  ContactStepper(SystemEvaluator& evaluator, ContactSet& set, ConstraintProjector& projector,
                 std::function<void(double)> situate);
  ~ContactStepper();

  /// Begins anew, at any state.
  void start();
  /// A step length that suits the sizes of the shapes and the forces on them.
  [[nodiscard]] double suitable_step(const State& state);
  /// One step of length h. On failure (the equations have no finite values) the state is as it was.
  [[nodiscard]] MotionReport step(State& state, double h);
  /// The longest step from here in which nothing moves past a shape unseen.
  [[nodiscard]] double longest_step(const State& state);

  /// An island that stayed at rest in one half of a step: what its impulses were found from, and what they were.
  struct Rest {
    std::vector<double> problem, impulses;
    double residual = 0;  ///< by which they were left open; 0: solved
    int tries = 0;        ///< 0: none
  };
  /// What one step hands to the next, besides the state.
  struct Memory {
    std::vector<ContactPlace> places;
    std::vector<double> rows;
    std::vector<bool> sticks;
    bool at_rest = false;
    double last_h = 0;
    std::array<std::vector<Rest>, 2> rests{};
    std::vector<int> rest_failures{};
  };
  void save(Memory& memory) const;
  void restore(const Memory& memory);

  /// In the last step, contacts of the model first.
  [[nodiscard]] std::span<const SteppedContact> contacts() const { return contacts_; }
  /// Impulses of the rows of the model (constraints, contacts, frictions) in the last step.
  [[nodiscard]] std::span<const double> row_impulses() const { return row_impulses_; }
  /// A friction of the model did not slide in the last step.
  [[nodiscard]] bool sticks(std::size_t friction) const { return own_sticks_[friction]; }
  [[nodiscard]] double kinetic_before() const { return kinetic_before_; }
  [[nodiscard]] double kinetic_after() const { return kinetic_after_; }
  /// Contacts that closed with more than a resting speed in the last step.
  [[nodiscard]] long arrivals() const { return arrivals_; }
  /// Nothing has moved in the last step.
  [[nodiscard]] bool at_rest() const { return at_rest_; }
  [[nodiscard]] std::size_t place_count() const { return items_.size(); }
  [[nodiscard]] const SteppingWork& work() const { return work_; }
  [[nodiscard]] std::string name_of(const SteppedContact& contact) const;
  /// Shapes, pairs, and the motion of bodies at the end of the last step; only if there are shapes.
  [[nodiscard]] const ContactScene& scene() const { return field_->scene(); }

 private:
  enum class Half : std::uint8_t { First, Second };
  /// What an item of the sweep stands for: a place of shapes, a contact of the model, or a friction of the model.
  struct ItemRef {
    enum class Kind : std::uint8_t { Place, Contact, Friction } kind;
    std::size_t index;
  };
  /// A body in the numbering of its block: six rows (three of velocity, three of angular velocity), and M^-1 of them.
  struct BodyRows {
    bool ready = false;
    std::uint32_t first = 0, count = 0;
    std::vector<double> j, r;
  };

  [[nodiscard]] MotionReport evaluate(const State& state);
  [[nodiscard]] MotionReport calc_free(const State& state);
  void add_known_forces(std::span<const double> u);
  [[nodiscard]] bool pulls(std::size_t contact) const;
  // items (stepping_items.cpp)
  void begin_items();
  void add_closed();
  bool add_speculative(double h, std::span<const double> w);
  void add_place(std::size_t index);
  void add_model_contact(std::size_t k);
  void add_model_friction(std::size_t f);
  void add_model_row(std::size_t row);
  void add_body_row(const MovingBody& b1, const MovingBody& b2, const Vec3& d, const Vec3& point1, const Vec3& point2,
                    bool turning);
  [[nodiscard]] BodyRows& rows_of(const MovingBody& body);
  // solving (stepping_solve.cpp)
  void solve(Half half, double h);
  void note_strongest(double h);
  void prepare_item(std::size_t i, Half half, double h);
  void set_normal(std::size_t row, Half half, double h, double gap, double restitution, double& approach);
  [[nodiscard]] double calc_scale(std::size_t island) const;
  void note(const SweepReport& report);
  void solve_island(std::size_t k, Half half);
  void continue_island(std::size_t k, bool accelerate = true);
  void note_energy(Half half);
  [[nodiscard]] double sum_kinetic(std::size_t k, std::span<const double> w) const;
  [[nodiscard]] double sum_allowed(std::size_t k) const;
  [[nodiscard]] bool gained(std::size_t k) const;
  [[nodiscard]] bool rested(std::size_t k) const;
  bool rest_island(std::size_t k);
  [[nodiscard]] std::size_t first_block(std::size_t k) const;
  [[nodiscard]] bool sleeps(std::size_t k, Half half);
  void remember_rest(std::size_t k, Half half);
  void limit_rebound();
  void keep_impulses(Half half);
  void push_apart(State& state);
  void rescale_impulses(double h);
  [[nodiscard]] double calc_deepest() const;
  void drift(State& state, double h);
  void bring_back(State& state);
  void remove_gain(State& state, double energy_before);
  [[nodiscard]] double calc_energy(const State& state);
  void collect(double h);

  SystemEvaluator& evaluator_;
  ContactSet& set_;
  ConstraintProjector& projector_;
  std::function<void(double)> situate_;
  BlockInertia inertia_;
  std::unique_ptr<ContactField> field_;  ///< null: no shapes
  KernelRunner energy_runner_;
  bool energy_known_ = false;
  ContactSweep sweep_;
  std::vector<ItemRef> items_;
  std::vector<BodyRows> body_rows_;
  std::vector<RigidMotion> ends_;
  State stage_;  ///< where items_ were made
  bool staged_ = false;
  std::vector<double> force_, udot_, u_, w_, free_, inelastic_, elastic_, allowed_, outer_, part_, response_;
  std::vector<double> kept_q_;
  std::vector<bool> known_;
  bool moving_ground_ = false, rebounds_ = false;
  std::size_t solved_items_ = 0;
  std::vector<double> row_memory_, row_impulses_, own_approach_;
  std::vector<bool> own_sticks_, own_arrived_;
  std::vector<SteppedContact> contacts_;
  double strongest_ = 0;  ///< acceleration of a contact without contact forces, in the present step
  double kinetic_before_ = 0, kinetic_after_ = 0;
  long arrivals_ = 0;
  // By the first block of an island.
  std::array<std::vector<Rest>, 2> rests_;  ///< of both halves
  std::vector<int> rest_failures_;          ///< in a row
  std::vector<double> residuals_;           ///< of the last solution; 0: solved
  std::vector<bool> asleep_;
  std::vector<double> problem_;
  bool at_rest_ = false;
  double last_h_ = 0;  ///< of the step that the remembered impulses are of
  SteppingWork work_;
};

}  // namespace kane
