#pragma once
// A robot in MuJoCo, read from the same URDF text by MuJoCo's own reader. Contacts, limits and friction are off, so that
// only the equations of motion remain.

#include <mujoco/mujoco.h>

#include <memory>
#include <string>
#include <vector>

namespace kane::test {

class MujocoRobot {
 public:
  /// With `floating`, a free joint "freebase" carries the link `root`.
  explicit MujocoRobot(std::string urdf, bool floating = false, const std::string& root = "l0");

  [[nodiscard]] int nv() const { return model_->nv; }
  [[nodiscard]] const mjModel& model() const { return *model_; }
  [[nodiscard]] mjData& data() const { return *data_; }
  /// Index of the coordinate or speed of a joint with one degree of freedom; throws if there is none of the name.
  [[nodiscard]] int q_index(const std::string& joint) const;
  [[nodiscard]] int u_index(const std::string& joint) const;
  /// Everything at the state in data().
  void forward() const;
  /// Row by row; forward() first.
  [[nodiscard]] std::vector<double> mass_matrix() const;

 private:
  [[nodiscard]] int joint(const std::string& name) const;

  std::unique_ptr<mjModel, void (*)(mjModel*)> model_;
  std::unique_ptr<mjData, void (*)(mjData*)> data_;
};

}  // namespace kane::test
