#pragma once
// Changes while a mechanism runs, as the user writes them: contacts that open and close, dry friction, modes, and rules
// that impose and release constraints. Text only; lower_switching() makes rows and expressions of it.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kane/mechanics/equations.hpp"
#include "kane/mechanism/joint.hpp"

namespace kane {

/// Two things that cannot pass through each other. What touches is said by one of:
///   gap            an expression that is not negative; `slip` then gives the sliding speeds
///   point          the point `at` of the body on a plane through `reference` with the normal `plane`, at `height`
///   sphere         a ball of `body` with centre `at` and `radius` on such a plane
///   disk           the edge of a round disk of `body` with centre `at`, `radius` and `axis` on such a plane
///   box            a box of `body` with centre `at` and edges `size` along the body's axes: its corners on such a plane
///   cylinder       a cylinder with `radius`, `length` and `axis`: the edges of both its ends on such a plane
///   capsule        likewise with half-balls at its ends (length of the straight part)
///   spheres        two balls, of `body` and `other`, with `radius` and `other_radius`
///   joint          the limits of a joint's coordinates
///   between        the shapes of two bodies, wherever they touch; with the ground: the half space below `plane` at `height`
///   all            the shapes of all bodies that are not neighbours in a joint
///   pin            a pin with centre `body` in a hole with centre `other`, which is larger by `clearance` (radial), both
///                  along `axis`; `radius` of the pin
///   slot           a point `body` between two walls, at most `clearance` away from the point `other` along `axis`
///   gear           coordinates q1 = `body` and q2 = `other`: q2 - ratio q1 - offset stays within half of the `clearance`
struct ContactRule {
  enum class Kind : std::uint8_t {
    Gap,
    Point,
    Sphere,
    Disk,
    Box,
    Cylinder,
    Capsule,
    Spheres,
    Joint,
    Between,
    All,
    Pin,
    Slot,
    Gear
  };

  std::string name;
  Kind kind = Kind::Gap;
  Quantity gap;
  std::vector<Quantity> slip;
  std::string body, other;
  std::string at;         ///< point; "" = the body's origin
  std::string reference;  ///< point; "" = the ground's origin
  Quantity plane;         ///< vector
  Quantity height;        ///< "" = 0
  Quantity radius, other_radius, length;
  std::vector<Quantity> size;  ///< three edges of a box
  Quantity axis;               ///< vector
  Quantity clearance;          ///< length; of a gear: its backlash, an angle or a length of the second coordinate
  Quantity ratio, offset;      ///< of a gear
  std::string joint;

  Quantity friction, static_friction;            ///< coefficients; "" = none, and the same
  Quantity rolling_friction, spinning_friction;  ///< lengths: resisting torque per normal force
  Quantity restitution;                          ///< "" = 0
  RestitutionLaw law = RestitutionLaw::Newton;
  bool phases = false;              ///< friction follows the sliding through the phases of an impact
  Quantity friction_across, along;  ///< friction across the vector `along`, of which `friction` is the one along it
  Quantity adhesion;                ///< force that holds it while it is closed
  Quantity stiffness;               ///< compliant by Hunt and Crossley: N = k d^(3/2) (1 + 3/2 c d')
  Quantity dissipation;             ///< c
  Quantity damping;                 ///< instead of c: linear, N = k d + c d'
  std::vector<std::vector<std::string>> except;  ///< of `all`: bodies (or groups) of one list pass through each other
  std::vector<std::pair<std::string, std::string>> ignore;  ///< of `all`: bodies or groups that pass through the others
  Where where;
};

/// Dry friction against a speed, or along all axes of a joint.
struct FrictionRule {
  std::string name;
  std::vector<Quantity> slip;  ///< one or two speeds
  std::string joint;           ///< instead of `slip`
  Quantity limit, stiction;    ///< forces or torques; stiction "" = the same
  Where where;
};

struct SwitchRule {
  struct Reset {
    std::string name;  ///< name of a coordinate or speed
    Quantity value;
  };
  std::string name;
  Quantity when;
  /// The guard is the force of this constraint (its first row) minus `when`; "" = `when` itself.
  std::string force;
  bool squared = false;  ///< the squares of both instead: the force in either direction
  int direction = 0;
  std::vector<std::string> impose, release;
  std::vector<Reset> resets;
  std::string from, to;
  bool stop = false;
  Where where;
};

struct ModeRule {
  std::string name;
  std::vector<std::string> active;
  Where where;
};

/// An axis of the handle by which a device holds the mechanism.
struct HandleRule {
  std::string name;
  Quantity position;            ///< along or about the axis
  Quantity stiffness, damping;  ///< of the virtual coupler
  Where where;
};

/// Bodies that go by one name.
struct ContactGroup {
  std::string name;
  std::vector<std::string> bodies;
  Where where;
};

struct Switching {
  std::vector<ContactRule> contacts;
  std::vector<ContactGroup> groups;     ///< names for several bodies, in rules about shapes
  std::vector<ContactGroup> materials;  ///< and the bodies that are made of them
  std::vector<ContactRule> pair_laws;   ///< laws for shapes of two materials, which are `body` and `other`
  std::string contact_scheme;           ///< how contacts are followed: automatic, events or stepping; "" = automatic
  std::optional<double> contact_step;   ///< step of time stepping, s
  std::vector<FrictionRule> frictions;
  std::vector<SwitchRule> switches;
  std::vector<ModeRule> modes;
  std::vector<HandleRule> handles;
  std::string initial_mode;
};

}  // namespace kane
