#pragma once
// The state about which small motions are analysed, and the system that is analysed. One convention for all analyses:
//
//   - laws of inputs are part of the system (closed loop); laws that a digital controller samples act continuously;
//   - an input whose loop is opened keeps the value of its law at the state, so that the state remains the same;
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

/// The state that an analysis is made about.
enum class StatePlace : std::uint8_t {
  AsGiven,      ///< the state as written, not assembled
  Assembled,    ///< the nearest state on the constraints
  Equilibrium,  ///< the equilibrium found from there
  Steady,       ///< the steady motion found from there
};

/// How the state is found, and which laws of inputs act.
struct OperatingPointOptions {
  StatePlace place = StatePlace::Assembled;  ///< relative to the given state
  /// Leave out the laws of all inputs.
  bool open_loop = false;
  /// Leave out the laws of these inputs.
  std::vector<std::string> open{};
};

/// Inputs that have laws.
struct ControlLoop {
  std::vector<std::string> closed;  ///< inputs that follow their laws
  std::vector<std::string> open;    ///< inputs held constant
};

/// "closed loop: laws of F, T", "open loop: laws of F, T left out"; empty if no input has a law.
[[nodiscard]] std::string describe_loop(const ControlLoop& loop);

/// The state that a report holds for.
struct PointSummary {
  std::string model;                     ///< name of the model
  double t = 0;                          ///< time, s
  std::vector<std::string> coordinates;  ///< names of all coordinates
  std::vector<std::string> speeds;       ///< names of all speeds
  std::vector<std::string> inputs;       ///< names of the inputs that follow no law
  std::vector<double> q;                 ///< values of the coordinates
  std::vector<double> u;                 ///< values of the speeds
  std::vector<double> input_values;      ///< values of the inputs
  ControlLoop loop;                      ///< inputs that have laws
  std::string assembled;                 ///< values that assembly changed, one per line
  std::vector<std::string> notes;        ///< notes on the model for the user
  std::vector<std::string> warnings;     ///< warnings for the user
};

/// A model at the state of an analysis.
class OperatingPoint {
 public:
  /// Throws ModelError if the state cannot be assembled, or an input is unknown.
  OperatingPoint(const Model& model, const StartState& state, const OperatingPointOptions& options = {});
  OperatingPoint(OperatingPoint&&) noexcept;             ///< moves
  OperatingPoint& operator=(OperatingPoint&&) noexcept;  ///< moves
  ~OperatingPoint();                                     ///< releases the model

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
  /// An evaluator with all laws in force, for finding states.
  [[nodiscard]] SystemEvaluator& closed_evaluator();
  /// The state that was found.
  [[nodiscard]] const State& state() const { return state_; }
  /// The summary printed in reports.
  [[nodiscard]] const PointSummary& summary() const { return summary_; }

  /// Replaces the parameters of the given state, for sweeps.
  void set_parameters(std::span<const double> parameters);
  /// Moves to another state; inputs whose loops are opened take the values of their laws there.
  void move_to(const State& state);

  /// Adds a sentence if the equations depend on time, so that results hold at the time of the state only.
  void warn_of_time(std::vector<std::string>& warnings) const;
  /// The largest rate that should vanish at an equilibrium: that of any speed, or of one of the coordinates named; in a
  /// steady motion, coordinates that the motion does not depend on may change.
  struct Rate {
    std::string name;  ///< name of the rate, with a prime
    double value = 0;  ///< value with its sign
  };
  /// Calculates the largest rate.
  [[nodiscard]] Rate calc_largest_rate(const std::vector<std::string>& coordinates, bool steady);
  /// Adds a sentence if the state is not at rest: a verdict on stability from A means little there. Rates that a
  /// displacement of a millionth of a unit would cause count as rounding.
  static void warn_of_motion(const Rate& rate, bool steady, ConstMatrixView a, std::vector<std::string>& warnings);

 private:
  void find_state(StatePlace place);
  void open_inputs(const StartState& state, const std::vector<std::string>& names);
  void summarize();
  [[nodiscard]] std::vector<double> calc_laws();

  std::unique_ptr<Situation> closed_;
  std::unique_ptr<Situation> opened_;      ///< none: no loop is opened
  std::vector<std::string> open_;          ///< inputs whose loops are opened
  std::unique_ptr<SignalEvaluator> laws_;  ///< their laws
  State state_;
  PointSummary summary_;
  std::string failure_;
};

/// Adds a sentence for each function in the equations (sign, abs, max ...) that jumps or has a corner at the state.
void warn_of_jumps(const SystemEvaluator& evaluator, const State& state, std::vector<std::string>& warnings);

}  // namespace kane
