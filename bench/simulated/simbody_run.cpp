// Simbody: pins along z between frames turned so that z is the joint's axis; a free mobilizer for the base.

#include <Simbody.h>

#include "bench/simulated/tree_run.hpp"

namespace kane::bench {

namespace {

class SimbodyRun final : public TreeRun {
 public:
  SimbodyRun(const LinkTree& tree, bool adaptive)
      : tree_(tree), matter_(system_), forces_(system_), gravity_(forces_, matter_, -SimTK::ZAxis, 9.81) {
    for (const Link& link : tree_) add(link);
    for (const BallLoop& loop : tree_.loops) add(loop);
    begin_ = system_.realizeTopology();
    for (std::size_t i = 0; i < tree_.size(); ++i)
      if (tree_[i].axis != 'f') bodies_[i].setOneQ(begin_, 0, tree_[i].start);
    integrator_ = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system_);
    if (adaptive)
      integrator_->setAccuracy(1e-6);
    else
      integrator_->setFixedStepSize(1e-3);
    restart();
  }
  void restart() override { integrator_->initialize(begin_); }
  void run(double duration) override {
    const double until = integrator_->getTime() + duration;
    while (integrator_->getTime() < until) (void)integrator_->stepTo(until);
  }
  [[nodiscard]] std::vector<double> angles() const override {
    std::vector<double> r;
    for (std::size_t i = 0; i < tree_.size(); ++i)
      if (tree_[i].axis != 'f') r.push_back(bodies_[i].getOneQ(integrator_->getState(), 0));
    return r;
  }

 private:
  void add(const Link& l) {
    const SimTK::Vec3 com(l.com[0], l.com[1], l.com[2]), at(l.at[0], l.at[1], l.at[2]);
    const SimTK::Inertia central(l.inertia[0], l.inertia[1], l.inertia[2]);
    const SimTK::Body::Rigid body(SimTK::MassProperties(l.mass, com, central.shiftFromMassCenter(com, l.mass)));
    SimTK::MobilizedBody& parent = l.parent < 0 ? static_cast<SimTK::MobilizedBody&>(matter_.updGround())
                                                : bodies_[static_cast<std::size_t>(l.parent)];
    if (l.axis == 'f') {
      bodies_.push_back(SimTK::MobilizedBody::Free(parent, SimTK::Transform(at), body, SimTK::Transform()));
      return;
    }
    const SimTK::UnitVec3 axis(l.axis == 'x' ? 1 : 0, l.axis == 'y' ? 1 : 0, l.axis == 'z' ? 1 : 0);
    const SimTK::Rotation turned(axis, SimTK::ZAxis);
    bodies_.push_back(SimTK::MobilizedBody::Pin(parent, SimTK::Transform(turned, at), body, SimTK::Transform(turned)));
    if (l.stiffness > 0)
      SimTK::Force::MobilityLinearSpring(forces_, bodies_.back(), SimTK::MobilizerQIndex(0), l.stiffness, 0);
    if (l.damping > 0)
      SimTK::Force::MobilityLinearDamper(forces_, bodies_.back(), SimTK::MobilizerUIndex(0), l.damping);
  }

  void add(const BallLoop& l) {
    const SimTK::Vec3 first(l.at_first[0], l.at_first[1], l.at_first[2]),
        second(l.at_second[0], l.at_second[1], l.at_second[2]);
    SimTK::Constraint::Ball(bodies_[static_cast<std::size_t>(l.first)], first,
                            bodies_[static_cast<std::size_t>(l.second)], second);
  }

  LinkTree tree_;
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::Gravity gravity_;
  std::vector<SimTK::MobilizedBody> bodies_;
  SimTK::State begin_;
  std::unique_ptr<SimTK::RungeKuttaMersonIntegrator> integrator_;
};

}  // namespace

std::unique_ptr<TreeRun> make_simbody_run(const LinkTree& tree, bool adaptive) {
  return std::make_unique<SimbodyRun>(tree, adaptive);
}

}  // namespace kane::bench
