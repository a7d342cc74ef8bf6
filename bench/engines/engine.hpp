#pragma once
// One robot in one engine of dynamics, for the comparison of their speed.
//
// All engines use the same representation of states. Coordinates: for a floating base its position (3) and the quaternion
// x, y, z, w of its orientation, then one per joint in the order of the links. Speeds: for a floating base the velocity
// in the world's axes (3) and the angular velocity in its own axes (3), then one per joint. Accelerations are the
// derivatives of the speeds.

#include <memory>
#include <string>
#include <vector>

#include "tests/robots/robot_tree.hpp"

namespace kane::bench {

struct RobotState {
  std::vector<double> q, u;
};

class Engine {
 public:
  virtual ~Engine() = default;
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Takes over the states in the engine's own form; not timed.
  virtual void prepare(const std::vector<RobotState>& states) = 0;
  /// Everything from a state to the accelerations, for the state of this number. This is the part that is timed.
  virtual void forward(std::size_t state) = 0;
  /// Accelerations found by the last forward(), in the common form.
  [[nodiscard]] virtual std::vector<double> accelerations() const = 0;

  [[nodiscard]] virtual bool has_inverse() const { return false; }
  virtual void inverse(std::size_t) {}
  virtual void mass_matrix(std::size_t) {}
  /// All derivatives of the accelerations by coordinates and speeds; only of robots that are not too large.
  [[nodiscard]] virtual bool has_derivatives() const { return false; }
  virtual void derivatives(std::size_t) {}
  /// States per call of forward_many(); 0 if there is none.
  [[nodiscard]] virtual std::size_t lanes() const { return 0; }
  virtual void forward_many() {}
};

[[nodiscard]] std::unique_ptr<Engine> make_kane_engine(const test::RobotTree& robot);
// Peers, where their packages are present.
[[nodiscard]] std::unique_ptr<Engine> make_mujoco_engine(const test::RobotTree& robot);
[[nodiscard]] std::unique_ptr<Engine> make_simbody_engine(const test::RobotTree& robot);
[[nodiscard]] std::unique_ptr<Engine> make_dart_engine(const test::RobotTree& robot);

}  // namespace kane::bench
