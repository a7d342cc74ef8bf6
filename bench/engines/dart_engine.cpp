// DART: a skeleton of revolute joints, on a free joint if the base floats.

#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/math/Geometry.hpp>

#include "bench/engines/engine.hpp"

namespace kane::bench {

namespace {

using namespace dart::dynamics;

Eigen::Vector3d vec(const test::Vec3& v) { return {v[0], v[1], v[2]}; }

class DartEngine final : public Engine {
 public:
  explicit DartEngine(const test::RobotTree& robot) : skeleton_(Skeleton::create("robot")), floating_(robot.floating) {
    skeleton_->setGravity({0, 0, -9.81});
    std::vector<BodyNode*> bodies;
    for (std::size_t i = 0; i < robot.links.size(); ++i) {
      const test::RobotLink& link = robot.links[i];
      BodyNode* body = add_link(link, i, i == 0 ? nullptr : bodies[static_cast<std::size_t>(link.parent)]);
      body->setName("l" + std::to_string(i));
      body->setInertia(dart::dynamics::Inertia(link.mass, vec(link.com), moment(link)));
      bodies.push_back(body);
      if (i > 0) dofs_.push_back(body->getParentJoint()->getIndexInSkeleton(0));
    }
    base_ = bodies[0];
  }

  [[nodiscard]] std::string name() const override { return "DART"; }

  void prepare(const std::vector<RobotState>& states) override {
    for (const RobotState& s : states) {
      const std::size_t qb = floating_ ? 7 : 0, ub = floating_ ? 6 : 0;
      if (floating_) {
        auto* joint = static_cast<FreeJoint*>(base_->getParentJoint());
        Eigen::Isometry3d place = Eigen::Isometry3d::Identity();
        place.linear() = Eigen::Quaterniond(s.q[6], s.q[3], s.q[4], s.q[5]).toRotationMatrix();
        place.translation() = Eigen::Vector3d(s.q[0], s.q[1], s.q[2]);
        joint->setTransform(place);
        joint->setAngularVelocity(place.linear() * Eigen::Vector3d(s.u[3], s.u[4], s.u[5]));
        joint->setLinearVelocity(Eigen::Vector3d(s.u[0], s.u[1], s.u[2]));
      }
      for (std::size_t i = 0; i < dofs_.size(); ++i) {
        skeleton_->setPosition(dofs_[i], s.q[qb + i]);
        skeleton_->setVelocity(dofs_[i], s.u[ub + i]);
      }
      states_.emplace_back(skeleton_->getPositions(), skeleton_->getVelocities());
    }
  }

  void forward(std::size_t state) override {
    skeleton_->setPositions(states_[state].first);
    skeleton_->setVelocities(states_[state].second);
    skeleton_->computeForwardDynamics();
  }

  [[nodiscard]] std::vector<double> accelerations() const override {
    std::vector<double> a;
    if (floating_) {
      const Eigen::Vector3d v = base_->getLinearAcceleration();
      const Eigen::Vector3d w = base_->getWorldTransform().linear().transpose() * base_->getAngularAcceleration();
      a.insert(a.end(), v.data(), v.data() + 3);
      a.insert(a.end(), w.data(), w.data() + 3);
    }
    for (const std::size_t i : dofs_) a.push_back(skeleton_->getAcceleration(i));
    return a;
  }

 private:
  static Eigen::Matrix3d moment(const test::RobotLink& link) {
    const auto& I = link.inertia;
    Eigen::Matrix3d m;
    m << I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2];
    return m;
  }

  BodyNode* add_link(const test::RobotLink& link, std::size_t i, BodyNode* parent) {
    if (i == 0 && floating_) return skeleton_->createJointAndBodyNodePair<FreeJoint>().second;
    if (i == 0) return skeleton_->createJointAndBodyNodePair<WeldJoint>().second;
    RevoluteJoint::Properties properties;
    properties.mName = "j" + std::to_string(i);
    properties.mAxis = vec(link.axis).normalized();
    properties.mT_ParentBodyToJoint.translation() = vec(link.xyz);
    properties.mT_ParentBodyToJoint.linear() = dart::math::eulerZYXToMatrix({link.rpy[2], link.rpy[1], link.rpy[0]});
    return skeleton_->createJointAndBodyNodePair<RevoluteJoint>(parent, properties).second;
  }

  SkeletonPtr skeleton_;
  bool floating_;
  BodyNode* base_ = nullptr;
  std::vector<std::size_t> dofs_;
  std::vector<std::pair<Eigen::VectorXd, Eigen::VectorXd>> states_;
};

}  // namespace

std::unique_ptr<Engine> make_dart_engine(const test::RobotTree& robot) { return std::make_unique<DartEngine>(robot); }

}  // namespace kane::bench
