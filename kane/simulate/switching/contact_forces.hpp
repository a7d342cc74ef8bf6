#pragma once
// The forces of contacts and dry friction at a state, by name: contacts and frictions of the model, friction of joints,
// and the places where shapes touch.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/vec3.hpp"

namespace kane {

class SwitchedDynamics;
class SystemEvaluator;
class ContactScene;
struct EquationsOfMotion;
struct ContactSensorEquation;

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

  // ---- of a contact whose place is known (not of a friction) ------------------------------------------------------------
  bool located = false;
  std::string first, second;  ///< bodies
  Vec3 point;                 ///< in the ground, as all vectors
  Vec3 direction;             ///< normal, towards the first body
  Vec3 drag;                  ///< sliding friction on the first body
  double gap = 0;             ///< of any contact; that of an empty place is not known

  /// On the first body.
  [[nodiscard]] Vec3 force() const { return normal * direction + drag; }
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
  /// To the impulses of the last SwitchedDynamics::settle() instead.
  void refresh_impulses(const SwitchedDynamics& dynamics);
  /// Places of the contacts of the model at a state. (Those of shapes are found by refresh().)
  void locate(SystemEvaluator& evaluator, std::span<const double> q, std::span<const double> u);
  [[nodiscard]] std::span<const ContactForce> forces() const { return forces_; }

 private:
  void read(const SwitchedDynamics& dynamics, std::span<const double> rows);

  std::vector<ContactForce> forces_;
};

/// Places of the contacts of the model, first in `forces`, at a state: where and between which bodies they act. True if rows of
/// friction were measured in another unit (friction that depends on the direction): their components are now forces.
bool locate_contacts(SystemEvaluator& evaluator, std::span<const double> q, std::span<const double> u,
                     std::span<ContactForce> forces);

/// Values of the sensors of a system (ContactSensorEquation), sensor_part::kCount each; gaps and impulses are left alone.
void sum_sensors(const EquationsOfMotion& equations, std::span<const ContactForce> forces, std::span<double> values);
/// What the reports of an evaluator say of contacts: forces on bodies (SystemEvaluator::contact_wrenches()) and sensors.
/// `forces` are those of the last calc_motion(). Distances of shapes that are not near each other allocate.
void fill_contact_reports(SwitchedDynamics& dynamics, std::span<const ContactForce> forces, SystemEvaluator& evaluator);
/// Gaps of the sensors that ask for them, where no place of shapes is near.
void measure_gaps(const EquationsOfMotion& equations, ContactScene& scene, std::span<double> senses);
/// Whether a sensor means this contact: 1 in its own direction, -1 in the opposite one, 0 not at all.
[[nodiscard]] int find_side(const ContactSensorEquation& sensor, std::string_view contact, std::string_view first,
                            std::string_view second);

}  // namespace kane
