// MuJoCo, called stage by stage: what forward dynamics needs, and none of what a simulation step does besides.

#include <algorithm>

#include "bench/engines/engine.hpp"
#include "tests/robots/mujoco_robot.hpp"

namespace kane::bench {

namespace {

class MujocoEngine final : public Engine {
 public:
  explicit MujocoEngine(const test::RobotTree& robot) : robot_(test::write_urdf(robot), robot.floating) {
    if (robot.floating)
      for (int i = 0; i < 6; ++i) dof_.push_back(i);
    for (std::size_t i = 1; i < robot.links.size(); ++i) {
      const std::string joint = "j" + std::to_string(i);
      q_.push_back(robot_.q_index(joint));
      dof_.push_back(robot_.u_index(joint));
    }
    floating_ = robot.floating;
    result_.resize(static_cast<std::size_t>(robot_.nv()));
  }

  [[nodiscard]] std::string name() const override { return "MuJoCo"; }

  void prepare(const std::vector<RobotState>& states) override {
    for (const RobotState& s : states) {
      State own{std::vector<double>(s.q.size()), std::vector<double>(s.u.size())};
      const std::size_t base = floating_ ? 7 : 0;
      if (floating_) {  // the scalar part of the quaternion comes first
        std::copy_n(s.q.begin(), 3, own.q.begin());
        own.q[3] = s.q[6];
        std::copy_n(s.q.begin() + 3, 3, own.q.begin() + 4);
      }
      for (std::size_t i = 0; i < q_.size(); ++i) own.q[static_cast<std::size_t>(q_[i])] = s.q[base + i];
      for (std::size_t i = 0; i < dof_.size(); ++i) own.u[static_cast<std::size_t>(dof_[i])] = s.u[i];
      states_.push_back(std::move(own));
    }
  }

  void forward(std::size_t state) override {
    const mjModel* m = &robot_.model();
    mjData* d = set_positions(state);
    mj_crb(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_passive(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    for (int i = 0; i < m->nv; ++i) d->qfrc_smooth[i] = d->qfrc_passive[i] - d->qfrc_bias[i];
    mj_solveM(m, d, d->qacc, d->qfrc_smooth, 1);
  }

  [[nodiscard]] std::vector<double> accelerations() const override {
    std::vector<double> a;
    for (const int i : dof_) a.push_back(robot_.data().qacc[i]);
    return a;
  }

  [[nodiscard]] bool has_inverse() const override { return true; }
  void inverse(std::size_t state) override {
    const mjModel* m = &robot_.model();
    mjData* d = set_positions(state);
    std::copy_n(states_[state].u.begin(), m->nv, d->qacc);
    mj_comVel(m, d);
    mj_rne(m, d, 1, result_.data());
  }
  void mass_matrix(std::size_t state) override { mj_crb(&robot_.model(), set_positions(state)); }

 private:
  struct State {
    std::vector<double> q, u;
  };

  mjData* set_positions(std::size_t state) {
    const mjModel* m = &robot_.model();
    mjData* d = &robot_.data();
    std::copy(states_[state].q.begin(), states_[state].q.end(), d->qpos);
    std::copy(states_[state].u.begin(), states_[state].u.end(), d->qvel);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    return d;
  }

  test::MujocoRobot robot_;
  bool floating_ = false;
  std::vector<int> q_, dof_;
  std::vector<State> states_;
  std::vector<double> result_;
};

}  // namespace

std::unique_ptr<Engine> make_mujoco_engine(const test::RobotTree& robot) {
  return std::make_unique<MujocoEngine>(robot);
}

}  // namespace kane::bench
