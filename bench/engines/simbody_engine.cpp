// Simbody: pins along z between frames turned so that z is the joint's axis; a free mobilizer for the base.

#include <simbody/Simbody.h>

#include "bench/engines/engine.hpp"

namespace kane::bench {

namespace {

using namespace SimTK;

Vec3 vec(const test::Vec3& v) { return {v[0], v[1], v[2]}; }

class SimbodyEngine final : public Engine {
 public:
  explicit SimbodyEngine(const test::RobotTree& robot)
      : matter_(system_), forces_(system_), gravity_(forces_, matter_, Vec3(0, 0, -9.81)), floating_(robot.floating) {
    for (std::size_t i = 0; i < robot.links.size(); ++i) add_link(robot.links[i], i);
    state_ = system_.realizeTopology();
    if (floating_) matter_.setUseEulerAngles(state_, false);
    system_.realizeModel(state_);
  }

  [[nodiscard]] std::string name() const override { return "Simbody"; }

  void prepare(const std::vector<RobotState>& states) override {
    for (const RobotState& s : states) {
      const std::size_t qb = floating_ ? 7 : 0, ub = floating_ ? 6 : 0;
      if (floating_) {
        const Quaternion orientation(Vec4(s.q[6], s.q[3], s.q[4], s.q[5]));
        const Rotation R(orientation);
        bodies_[0].setQToFitTransform(state_, Transform(R, Vec3(s.q[0], s.q[1], s.q[2])));
        bodies_[0].setUToFitVelocity(state_,
                                     SpatialVec(R * Vec3(s.u[3], s.u[4], s.u[5]), Vec3(s.u[0], s.u[1], s.u[2])));
      }
      for (std::size_t i = 1; i < bodies_.size(); ++i) {
        bodies_[i].setOneQ(state_, 0, s.q[qb + i - 1]);
        bodies_[i].setOneU(state_, 0, s.u[ub + i - 1]);
      }
      states_.emplace_back(state_.getQ(), state_.getU());
    }
  }

  void forward(std::size_t state) override {
    state_.updQ() = states_[state].first;
    state_.updU() = states_[state].second;
    system_.realize(state_, Stage::Acceleration);
  }

  [[nodiscard]] std::vector<double> accelerations() const override {
    std::vector<double> a;
    if (floating_) {
      const SpatialVec A = bodies_[0].getBodyAcceleration(state_);
      const Vec3 w = ~bodies_[0].getBodyRotation(state_) * A[0];  // d/dt of the components of w in the body
      for (int i = 0; i < 3; ++i) a.push_back(A[1][i]);
      for (int i = 0; i < 3; ++i) a.push_back(w[i]);
    }
    for (std::size_t i = 1; i < bodies_.size(); ++i) a.push_back(bodies_[i].getOneUDot(state_, 0));
    return a;
  }

 private:
  void add_link(const test::RobotLink& link, std::size_t i) {
    const auto& I = link.inertia;
    const Inertia about_origin =
        Inertia(I[0], I[1], I[2], I[3], I[5], I[4]).shiftFromMassCenter(vec(link.com), link.mass);
    const Body::Rigid body(MassProperties(link.mass, vec(link.com), about_origin));
    if (i == 0) {
      if (floating_)
        bodies_.push_back(MobilizedBody::Free(matter_.updGround(), body));
      else
        bodies_.push_back(MobilizedBody::Weld(matter_.updGround(), body));
      return;
    }
    const Rotation fixed(BodyOrSpaceType::SpaceRotationSequence, link.rpy[0], XAxis, link.rpy[1], YAxis, link.rpy[2],
                         ZAxis);
    const Rotation to_axis(UnitVec3(vec(link.axis)), ZAxis);
    bodies_.push_back(MobilizedBody::Pin(bodies_[static_cast<std::size_t>(link.parent)],
                                         Transform(fixed * to_axis, vec(link.xyz)), body, Transform(to_axis)));
  }

  MultibodySystem system_;
  SimbodyMatterSubsystem matter_;
  GeneralForceSubsystem forces_;
  Force::UniformGravity gravity_;
  bool floating_;
  State state_;
  std::vector<MobilizedBody> bodies_;
  std::vector<std::pair<Vector, Vector>> states_;
};

}  // namespace

std::unique_ptr<Engine> make_simbody_engine(const test::RobotTree& robot) {
  return std::make_unique<SimbodyEngine>(robot);
}

}  // namespace kane::bench
