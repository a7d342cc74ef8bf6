#pragma once
// Mechanism to System: the joints become frames and points, the rest follows. Used by the projection formulation and
// for everything that is not the tree's own dynamics (constraints, outputs, reactions, general speeds).
//
// A joint starts from the frame and point of its placement on the parent; each motion leads to the next frame (rotation)
// or point (translation); the child's frame and origin follow from the placement on the child. Names in the System:
//
//   B, B.com           frame, origin and mass centre of the body B; N: the ground and its origin
//   J.f0, J.f1, ...    frames of the joint J: of its placement, and after its motion 1, 2, ... where those are not
//                      the child's frame itself
//   J.in, J            points of the joint J: on its parent, and on its child (where the reaction acts)
//
// complete_equations (report.hpp) then adds the parts that all formulations have in common.

#include "kane/mechanics/system.hpp"
#include "kane/mechanism/beam_field.hpp"
#include "kane/mechanism/mechanism.hpp"
#include "kane/mechanism/model_names.hpp"
#include "kane/mechanism/part_field.hpp"

namespace kane {

/// An elementary motion as represented in the System.
struct LoweredMotion {
  MotionKind kind = MotionKind::Rotation;
  bool free = true;
  FrameId from, to;    ///< the frame it starts from and the one it leads to (the same for a translation)
  PointId start, end;  ///< likewise points (the same for a rotation)
  Vector axis;         ///< unit vector in `from`; zero for a Ball
  Expr value;          ///< the coordinate, or the known value
  Expr rate;           ///< its derivative
};

struct LoweredJoint {
  std::string name;
  std::string parent, child;
  bool closing = false;
  FrameId inner_frame;  ///< frame of the placement on the parent
  FrameId outer_frame;  ///< after all motions: of the placement on the child
  PointId inner;        ///< point on the parent
  PointId outer;        ///< after all motions: point on the child
  PointId acting;       ///< for a closing joint: the point of the child where its forces act
  std::vector<LoweredMotion> motions;
  /// Free motions of a closing joint that carry a law, by their number: measured, since no coordinate belongs to them.
  std::map<std::size_t, LoweredMotion> measured;
};

/// A force or torque that acts between the two bodies of a joint, in addition to the loads along its own motions.
struct ParallelTorque {
  std::string load;
  std::size_t joint;  ///< the torque acts on its child, the opposite on its parent
  Vector torque;
};

/// How the multiplier of a constraint acts on bodies: per unit, a force at `point` with its opposite at `reference`, or a
/// torque on `frame` with its opposite on `other` (none if that is not valid).
struct ConstraintAction {
  std::string row;
  PointId point, reference;
  FrameId frame, other;
  Vector direction;
};

/// An output that needs the energy, which only the equations know. It is written with the symbols below.
struct EnergyOutput {
  std::size_t position;  ///< among all outputs
  std::string name;
  Expr value;
};

/// Contacts, friction, events and modes; rows by name. Expressions may still contain rates.
struct LoweredSwitching {
  struct Contact {
    std::string name, row;
    Expr restitution;
    RestitutionLaw law = RestitutionLaw::Newton;
    std::optional<Expr> stiffness;
    Expr dissipation;
    std::string coordinate{};  ///< for a stop: the coordinate it limits
    bool located = false;      ///< an action says where its forces act, or they act inside a joint
    Expr damping{};
    bool linear = false;
    std::optional<ContactEquation::Place> place{};
    bool phases = false;
    Expr adhesion{};
  };
  struct Friction {
    std::string name;
    std::vector<std::string> rows;
    std::string contact;  ///< "": the values are forces
    Expr kinetic, stiction;
  };
  struct Switch {
    SwitchEquation equation;
    std::string force;  ///< the constraint whose multiplier is part of the guard
    bool squared = false;
  };
  std::vector<Contact> contacts;
  std::vector<Friction> frictions;
  std::vector<Switch> switches;
  struct Handle {
    std::string name, row;
    Expr stiffness, damping;
  };
  std::vector<ModeEquation> modes;
  std::vector<Handle> handles;
  std::string initial_mode;
  std::vector<std::string> contact_bodies;
  std::vector<ContactShapeEquation> contact_shapes;
  std::vector<ContactPairEquation> contact_pairs;
  std::vector<ContactSensorEquation> sensors;
  [[nodiscard]] bool empty() const {
    return contact_pairs.empty() && handles.empty() && contacts.empty() && frictions.empty() && switches.empty() &&
           modes.empty();
  }
};

/// A force that loads or outputs name: they contain its symbol.
struct GivenForce {
  enum class Kind : std::uint8_t { Auxiliary, Force, Torque, Multiplier };
  Kind kind;
  std::string name;  ///< name of the auxiliary speed, the joint or the row
  std::size_t axis;  ///< axis of the ground, for the force and torque of a joint
  Expr symbol;
};

/// A section of a beam that something is attached to.
struct LoweredSection {
  std::string body;
  Expr s;
  PointId centre;
  FrameId frame;
  Expr3 position;  ///< in the frame of the body
  Expr3 angles;    ///< about x, y, z: the section is turned about z, then y, then x
};

/// Something attached to a flexible body at a position: to a section, at an offset in its frame, or to the frame of the body.
struct LoweredAttachment {
  std::string body;
  Expr3 position;
  std::optional<std::size_t> section;
  Expr3 offset;
};

/// Where the parts of the mechanism went.
struct LoweredMechanism {
  explicit LoweredMechanism(System empty) : system(std::move(empty)) {}

  System system;
  std::map<std::string, FrameId> body_frames;  ///< by body name (and ground)
  std::map<std::string, PointId> body_origins;
  std::vector<std::string> warnings;
  std::map<std::string, std::shared_ptr<const BeamField>> beams;  ///< by body
  std::map<std::string, std::shared_ptr<const PartField>> parts;
  std::vector<LoweredSection> sections;
  std::vector<LoweredAttachment> attachments;

  ModelNames names;
  std::vector<LoweredJoint> joints;                       ///< one for each joint of the mechanism, in its order
  std::vector<std::size_t> order;                         ///< joints that place bodies, parents first
  std::map<std::string, std::vector<PointId>> particles;  ///< points of the particles of each body
  std::vector<ParallelTorque> parallel_torques;
  std::vector<ConstraintAction> actions;
  /// Loads that act along motions of joints only: inside a joint, they cancel for everything else. (Not those of closing
  /// joints, whose bodies are not neighbours in the tree.)
  std::vector<std::string> joint_loads;
  std::vector<EnergyOutput> energy_outputs;
  /// Points and frames to report, by the names the user gave them.
  std::vector<std::pair<std::string, PointId>> reported_points;
  std::vector<std::pair<std::string, FrameId>> reported_frames;
  Expr kinetic_symbol, potential_symbol;
  LoweredSwitching switching;
  std::vector<GivenForce> given;
};

/// Checks the mechanism (check_mechanism) and lowers it. Throws ModelError.
[[nodiscard]] LoweredMechanism lower_mechanism(const Mechanism& mechanism);

/// Fills in contacts, frictions, switches and modes of equations formed from lowered.system.
void complete_switching(const LoweredMechanism& lowered, EquationsOfMotion& equations);  // lowering_switching.cpp

}  // namespace kane
