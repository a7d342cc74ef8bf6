#pragma once
// Options of motion with contacts, dry friction and changing constraints.

#include <cstdint>
#include <string_view>

namespace kane {

/// How motion with contacts is followed. Events: each change of a contact is located, and the motion between is smooth. Stepping:
/// steps of fixed length, in which many contacts may change (stepping/contact_stepper.hpp). Automatic: events, and stepping where
/// these become too many.
enum class ContactScheme : std::uint8_t { Automatic, Events, Stepping };

[[nodiscard]] std::string_view to_string(ContactScheme scheme);
/// Throws ModelError for an unknown name.
[[nodiscard]] ContactScheme contact_scheme_from(std::string_view name);

struct SwitchingOptions {
  ContactScheme scheme = ContactScheme::Automatic;
  double contact_step = 0;  ///< of stepping; 0: chosen from the sizes of the shapes and the forces
  /// A run ends where the contacts have no solution, or too many events follow one another, instead of going on by stepping.
  bool strict_contacts = false;
  double touch_gap = 1e-9;    ///< a gap below this touches
  double still_speed = 1e-9;  ///< a speed below this (relative to the fastest, and to 1) is zero
  double rest_speed = 1e-6;   ///< rebounds slower than this fraction of the fastest approach so far end at rest
  double stick_speed = 1e-9;  ///< sliding in a plane slower than this fraction of the fastest may come to hold
  /// Anything that was never faster slides in the direction in which it began, and anything slower may come to hold: below
  /// this, speeds are integration error.
  double turn_speed = 1e-8;
  int cone_turns = 60;   ///< how often friction pyramids may be turned towards the round cone
  int max_rounds = 500;  ///< of impacts that follow one another at one instant
  /// Distances between shapes that are apart: by FCL, which allocates; otherwise a lower bound, with shorter steps near
  /// other shapes.
  bool exact_distances = true;
  bool check_unique = true;  ///< look for other solutions of the complementarity problem after events, and report them

  /// Throws ModelError naming the option that is wrong.
  void check() const;
};

/// How the motion under bilateral constraints is found (mode_equations.hpp).
enum class ConstraintMethod : std::uint8_t { Embedded, Modes, Multipliers };

[[nodiscard]] std::string_view to_string(ConstraintMethod method);
/// Throws ModelError for an unknown name.
[[nodiscard]] ConstraintMethod constraint_method_from(std::string_view name);

}  // namespace kane
