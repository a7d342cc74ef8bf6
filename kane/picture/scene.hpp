#pragma once
// The visible parts of a mechanism: bodies with their shapes or stand-ins, particles, springs and rods between points,
// arrows for loads and reactions. Everything that moves is told by places in the report kernel's outputs
// (CompiledSystem::report_items()), so one row of those is one picture.

#include <optional>
#include <string>
#include <vector>

#include "kane/picture/shape_mesh.hpp"
#include "kane/simulate/system/compiled_system.hpp"

namespace kane {

/// Points are told by their place in the reports; or, from kFirstAnchor on, by their number among Scene::anchors.
inline constexpr std::size_t kFirstAnchor = std::size_t{1} << 40;

/// A point fixed in a body, or in the ground (body = -1), that the reports do not have.
struct SceneAnchor {
  int body;
  Point3 at;
};

struct SceneBody {
  std::string name;
  std::size_t origin;    ///< place of its position (3 numbers) in the reports
  std::size_t rotation;  ///< 9 numbers, by rows
};

/// Triangles fixed in a body (or in the ground: body = -1).
struct ScenePart {
  std::string name;
  int body = -1;
  std::string color;
  Mesh mesh;
};

/// A particle, or another point worth a mark.
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
  bool reaction = false;   ///< of a joint; else a load
  std::size_t point = 0;   ///< where it acts
  std::size_t vector = 0;  ///< 3 numbers
  int frame = -1;          ///< body in whose axes they are; -1: the ground
  double sign = 1;         ///< -1: the opposite, on the other body
};

struct ScenePoint {
  std::string name;
  std::size_t point;
  bool trail;  ///< worth a trail from the beginning
};

struct Scene {
  std::vector<SceneBody> bodies;
  std::vector<SceneAnchor> anchors;
  std::vector<ScenePart> parts;
  std::vector<SceneBall> balls;
  std::vector<SceneLine> lines;
  std::vector<SceneArrow> arrows;
  std::vector<ScenePoint> points;
  std::optional<std::size_t> gravity;  ///< place of its components in the reports
  double size = 1;                     ///< of the mechanism, m
};

/// Outputs that a picture needs and a model does not have: the components of its forces and torques, and its inputs. To be
/// called before the equations are formed; is_scene_output() tells them from the user's own.
void add_scene_outputs(Mechanism& mechanism);
[[nodiscard]] bool is_scene_output(const std::string& name);
/// The input whose value such an output is; "" for the others.
[[nodiscard]] std::string input_of_scene_output(const std::string& name);

/// `parameters`: values of all of them.
[[nodiscard]] Scene make_scene(const Mechanism& mechanism, const CompiledSystem& system, const Values& parameters);

}  // namespace kane
