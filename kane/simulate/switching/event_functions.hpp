#pragma once
// The functions that fall through zero where the states of contacts and frictions change:
//
//     open contact            its gap                      impact, or soft landing
//     closed contact          its force lambda_n           opens: the constraint is deleted
//     friction that slides    its speed                    holds, or slides the other way
//     friction that holds     limit - |lambda_t|           slides
//     slot of shapes          how far it is from leaving the face or edge it touches
//
// One for each contact, one for each friction, then one for each slot.

#include <span>
#include <vector>

#include "kane/simulate/switching/contact_set.hpp"
#include "kane/simulate/switching/smooth_motion.hpp"
#include "kane/simulate/switching/state_finder.hpp"

namespace kane {

class EventFunctions {
 public:
  EventFunctions(ContactSet& set, SmoothMotion& smooth, StateFinder& finder);

  [[nodiscard]] std::size_t count() const { return set_.contacts.size() + set_.frictions.size() + set_.slots; }
  void calc(std::span<const double> q, std::span<const double> u, std::span<double> g);
  [[nodiscard]] bool kinematic(std::size_t k) const;
  void calc_kinematic(std::span<const double> q, std::span<const double> u, std::span<double> g);
  /// Keeps functions that begin at zero from firing at once; after a transition.
  void set_offsets(std::span<const double> q, std::span<const double> u);
  /// The functions after set_offsets(), without evaluating anything again.
  void read_settled(std::span<double> g) const;
  [[nodiscard]] std::span<const double> calc_accelerations(std::span<const double> q, std::span<const double> u);
  [[nodiscard]] bool find_motion(std::span<double> qdot, std::span<double> udot) const;
  bool note_step(std::span<const double> q, std::span<const double> u);
  [[nodiscard]] bool missed(std::span<const double> q, std::span<const double> u, double depth);
  /// Marks the frictions that hold no longer.
  void find_leaving(std::span<const double> q, std::span<const double> u);

 private:
  [[nodiscard]] double slide_function(const SwitchedFriction& f, std::span<const double> u) const;
  [[nodiscard]] double leave_function(const SwitchedContact& c) const;

  ContactSet& set_;
  SmoothMotion& smooth_;
  StateFinder& finder_;
  std::vector<double> values_, scratch_qdot_, scratch_udot_;
};

}  // namespace kane
