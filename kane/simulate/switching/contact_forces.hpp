#pragma once
// The forces of contacts and dry friction at a state, by name: contacts and frictions of the model, friction of joints,
// and the places where shapes touch.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kane {

class SwitchedDynamics;

enum class ContactForceState : std::uint8_t {
  Open,    ///< contact: apart
  Closed,  ///< contact: pressed together
  Idle,    ///< friction: nothing presses, so nothing resists
  Stick,   ///< friction: holds
  Slide,   ///< friction: slides
};

[[nodiscard]] std::string_view to_string(ContactForceState state);

struct ContactForce {
  std::string name;  ///< "" for a place kept for shapes that touch nowhere at present
  bool is_friction = false;
  ContactForceState state = ContactForceState::Open;
  /// Contact: the force along its normal. Friction of a contact: the force that presses it. Friction of a joint: 0.
  double normal = 0;
  /// Friction: the force (or torque) along each of its rows, `components` of them.
  std::array<double, 2> friction{};
  std::size_t components = 0;
};

/// What a contact of the model, or all places where a pair of shapes touches, exert together.
struct ContactTotal {
  double normal = 0, friction = 0;  ///< sums of the sizes of the forces
};

/// Places of a pair are called "pair", "pair.2", ...; their frictions add ".friction".
[[nodiscard]] ContactTotal total_of(std::span<const ContactForce> forces, std::string_view name);

/// A list of all of them, contacts first, that is brought up to date without allocating.
class ContactForceList {
 public:
  explicit ContactForceList(const SwitchedDynamics& dynamics);

  /// To the forces of the last SwitchedDynamics::calc_motion().
  void refresh(const SwitchedDynamics& dynamics);
  [[nodiscard]] std::span<const ContactForce> forces() const { return forces_; }

 private:
  std::vector<ContactForce> forces_;
};

}  // namespace kane
