#pragma once
// States of rest of a model with contacts, stops and dry friction. At rest all speeds are zero, and forces exist that keep them so:
// contacts push, friction stays inside its cones (found by complementarity, as in a run). Such a state is looked for
//
//   - where the search begins, if that is at rest already;
//   - by letting the model move and taking its speed away whenever the kinetic energy has passed a maximum or something has
//     struck (dynamic relaxation with kinetic damping, Cundall 1976), until it stays where it is.
//
// The second finds places towards which the model falls. What rests by a balance, as on the top of a ball, is found only
// where the search begins.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kane/analysis/force_ranges.hpp"
#include "kane/model/model.hpp"
#include "kane/simulate/switching/contact_forces.hpp"

namespace kane {

class HybridSimulator;

/// A state at rest, with the forces of contacts and friction.
struct RestingState {
  State state;
  std::vector<double> lambda;          ///< multipliers of the constraints
  std::vector<ContactForce> contacts;  ///< those that close, hold or slide first; open ones too
  bool sticks = false;                 ///< some friction holds: neighbouring states rest as well
  bool indeterminate = false;          ///< more than one set of forces holds it; one of them is given
  std::vector<ForceRange> ranges;      ///< ranges of forces that are not unique
  double residual = 0;                 ///< largest acceleration that remains
};

class RestFinder {
 public:
  /// For models that switch.
  RestFinder(const Model& model, const Start& start);
  ~RestFinder();

  /// Whether the model stays at `state` with all speeds zero. False too if contacts overlap there.
  [[nodiscard]] bool rests(const State& state, RestingState& found);
  /// May find the place exactly from one nearby, where these contacts are closed.
  using Polish = std::function<bool(const State& nearby, const std::vector<ContactForce>& contacts)>;
  /// Lets it come to rest, until rests() or polish() is true. False if that does not happen within a bounded number of steps;
  /// message() says why.
  [[nodiscard]] bool settle(const State& state, RestingState& found, const Polish& polish);
  /// No contact overlaps.
  [[nodiscard]] bool is_possible(const State& state);
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  [[nodiscard]] std::unique_ptr<HybridSimulator> make() const;
  void find_ranges(RestingState& found);
  [[nodiscard]] bool rests_in_steps(RestingState& found);

  Model model_;
  Start start_;
  std::unique_ptr<HybridSimulator> probe_, runner_;
  std::unique_ptr<SystemEvaluator> free_;  ///< without contacts
  std::string message_;
};

}  // namespace kane
