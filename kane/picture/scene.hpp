#pragma once
// The visible parts of a mechanism: bodies with their shapes or stand-ins, particles, springs and rods between points,
// arrows for loads and reactions. Everything that moves refers to places in the outputs of the report kernel
// (CompiledSystem::report_items()), so that one row of those is one picture.

#include <optional>
#include <string>
#include <vector>

#include "kane/mechanism/mechanism.hpp"
#include "kane/picture/shape_mesh.hpp"
#include "kane/simulate/system/compiled_system.hpp"

namespace kane {

/// A point is given by its place in the reports or, from kFirstAnchor on, by its index in Scene::anchors.
inline constexpr std::size_t kFirstAnchor = std::size_t{1} << 40;

/// Index of a body in Scene::bodies; empty: the ground.
using SceneBodyIndex = std::optional<std::size_t>;

/// A point fixed in a body or in the ground that the reports do not have.
struct SceneAnchor {
  SceneBodyIndex body;
  Vec3 at;
};

struct SceneBody {
  std::string name;
  std::size_t origin;    ///< place of its position (3 numbers) in the reports
  std::size_t rotation;  ///< 9 numbers, by rows
};

/// Triangles fixed in a body or in the ground.
struct ScenePart {
  std::string name;
  SceneBodyIndex body;
  std::string color;
  Mesh mesh;
};

/// A particle, drawn as a ball.
struct SceneBall {
  std::string name;
  std::size_t point;
  double radius;
  std::string color;
};

/// A spring, rope or rod between two points.
struct SceneLine {
  std::string name;
  std::size_t from, to;
  bool spring;
};

struct SceneArrow {
  std::string name;
  bool torque = false;
  bool reaction = false;   ///< of a joint; otherwise a load
  std::size_t point = 0;   ///< where it acts
  std::size_t vector = 0;  ///< place of its three components in the reports
  SceneBodyIndex frame;    ///< in whose axes they are
  double sign = 1;         ///< -1: the opposite, on the other body
  bool contact = false;    ///< of a contact, in the ground's axes
};

struct ScenePoint {
  std::string name;
  std::size_t point;
  bool trail;  ///< its trail is shown from the beginning
};

/// The plane of a contact with the ground: all points p with n . p = h.
struct ScenePlane {
  std::string name;
  std::size_t normal;  ///< place of the components of n in the reports
  std::size_t height;  ///< place of h
};

struct Scene {
  std::vector<SceneBody> bodies;
  std::vector<SceneAnchor> anchors;
  std::vector<ScenePart> parts;
  std::vector<SceneBall> balls;
  std::vector<SceneLine> lines;
  std::vector<SceneArrow> arrows;
  std::vector<ScenePoint> points;
  std::vector<ScenePlane> planes;
  std::optional<std::size_t> gravity;  ///< place of its components in the reports
  double size = 1;                     ///< size of the mechanism, m
};

/// Adds the outputs that a picture needs and a model does not have: the components of its forces and torques, and its
/// inputs. Call it before the equations are formed; is_scene_output() distinguishes them from the user's own outputs.
void add_scene_outputs(Mechanism& mechanism);
/// The same for arrows at the contacts of runs: where each of them acts, and its force. Programs that are written out know no
/// contacts.
void add_contact_outputs(Mechanism& mechanism);
[[nodiscard]] bool is_scene_output(const std::string& name);
/// The input whose value such an output is; "" for the others.
[[nodiscard]] std::string input_of_scene_output(const std::string& name);

/// `parameters`: the values of all parameters.
[[nodiscard]] Scene make_scene(const Mechanism& mechanism, const CompiledSystem& system, const Values& parameters);

}  // namespace kane
