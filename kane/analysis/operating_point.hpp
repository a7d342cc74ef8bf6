#pragma once
// The state that an analysis of small motions is made about, and the system it is made of. One convention for all of them:
//
//   - laws of inputs are part of the system (closed loop); laws that a digital controller samples act continuously;
//   - an input that is cut open stays at the value of its law at the state, so that the state remains the same one;
//   - the constraints are those active at the state; contacts, friction and events are not part of the equations, and a
//     warning names them.
//
//     OperatingPoint point(model, {.q = {{"q1", 0.3}}}, {.place = StatePlace::Equilibrium});
//     Linearizer(point.evaluator()).calc(point.state());

#include <memory>
#include <string>
#include <vector>

#include "kane/model/model.hpp"

namespace kane {

class Situation;
class SignalEvaluator;

/// Which state an analysis is made about.
enum class StatePlace : std::uint8_t {
  AsGiven,      ///< the state as written, not assembled
  Assembled,    ///< the nearest state on the constraints
  Equilibrium,  ///< the equilibrium found from there
  Steady,       ///< the steady motion found from there
};

/// How the state is found, and which laws of inputs act.
struct OperatingPointOptions {
  StatePlace place = StatePlace::Assembled;  ///< from the state given
  /// Leave the laws of all inputs out.
  bool open_loop = false;
  /// Leave the laws of these inputs out.
  std::vector<std::string> open{};
};

/// Inputs that have laws.
struct ControlLoop {
  std::vector<std::string> closed;  ///< those that follow them
  std::vector<std::string> open;    ///< those that are constant here
};

/// "closed loop: laws of F, T", "open loop: laws of F, T left out"; empty if no input has a law.
[[nodiscard]] std::string describe_loop(const ControlLoop& loop);

/// What reports say about the state they hold for.
struct PointSummary {
  std::string model;                     ///< its name
  double t = 0;                          ///< s
  std::vector<std::string> coordinates;  ///< names of all
  std::vector<std::string> speeds;       ///< names of all
  std::vector<std::string> inputs;       ///< names of those that follow no law
  std::vector<double> q;                 ///< values of the coordinates
  std::vector<double> u;                 ///< values of the speeds
  std::vector<double> input_values;      ///< values of the inputs
  ControlLoop loop;                      ///< inputs that have laws
  std::string assembled;                 ///< values that were moved onto the constraints, one per line
  std::vector<std::string> notes;        ///< what the user may want to know of the model
  std::vector<std::string> warnings;     ///< for the user
};

/// A model at the state of an analysis.
class OperatingPoint {
 public:
  /// Throws ModelError if the state cannot be assembled, or an input is unknown.
  OperatingPoint(const Model& model, const StartState& state, const OperatingPointOptions& options = {});
  OperatingPoint(OperatingPoint&&) noexcept;             ///< takes over
  OperatingPoint& operator=(OperatingPoint&&) noexcept;  ///< takes over
  ~OperatingPoint();                                     ///< ends it

  /// Whether the state was found.
  [[nodiscard]] bool ok() const { return failure_.empty(); }
  /// Why no equilibrium was found.
  [[nodiscard]] const std::string& failure() const { return failure_; }

  /// The system that is analysed.
  [[nodiscard]] const Model& model() const;
  /// Its evaluator, with the parameters, inputs and active constraints of the state.
  [[nodiscard]] SystemEvaluator& evaluator();
  /// The state as it was given, completed.
  [[nodiscard]] const Start& start() const;
  /// With all laws in force: for finding states.
  [[nodiscard]] SystemEvaluator& closed_evaluator();
  /// The state that was found.
  [[nodiscard]] const State& state() const { return state_; }
  /// What reports say about it.
  [[nodiscard]] const PointSummary& summary() const { return summary_; }

  /// For sweeps: other parameters than those of the state given.
  void set_parameters(std::span<const double> parameters);
  /// Moves to another state; inputs that are cut open take the values of their laws there.
  void move_to(const State& state);

  /// Adds a sentence if the equations depend on time, so that what is found holds at that of the state only.
  void warn_of_time(std::vector<std::string>& warnings) const;
  /// The largest rate that ought to vanish at an equilibrium: that of any speed, or of one of the coordinates named; in a
  /// steady motion coordinates may run that the motion does not depend on.
  struct Rate {
    std::string name;  ///< with a prime
    double value = 0;  ///< with its sign
  };
  /// Calculates it.
  [[nodiscard]] Rate calc_largest_rate(const std::vector<std::string>& coordinates, bool steady);
  /// Adds a sentence if the state does not rest: a verdict on stability from A means little there. Rates that a millionth
  /// of a unit of displacement explains are rounding.
  static void warn_of_motion(const Rate& rate, bool steady, ConstMatrixView a, std::vector<std::string>& warnings);

 private:
  void find_state(StatePlace place);
  void open_inputs(const StartState& state, const std::vector<std::string>& names);
  void summarize();
  [[nodiscard]] std::vector<double> calc_laws();

  std::unique_ptr<Situation> closed_;
  std::unique_ptr<Situation> opened_;      ///< none: nothing is cut open
  std::vector<std::string> open_;          ///< the inputs cut open
  std::unique_ptr<SignalEvaluator> laws_;  ///< theirs
  State state_;
  PointSummary summary_;
  std::string failure_;
};

}  // namespace kane
