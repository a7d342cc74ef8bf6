// Loads: forces and torques, springs, laws along joints, gravity.

#include "kane/base/at.hpp"
#include "kane/base/suggest.hpp"
#include "kane/mechanism/directions.hpp"
#include "kane/mechanism/given_forces.hpp"
#include "kane/mechanism/lowering_parts.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {

Vector unit_along(const System& system, const Vector& v) {
  require(!v.is_zero(), "a direction is the zero vector");
  const Expr square = system.graph().bind(system.dot(v, v));
  return square.is_one() ? v : v / sqrt(square);
}

bool is_empty(const AxisLaw& law) {
  return law.stiffness.is_zero() && law.damping.is_zero() && law.law.empty() && law.actuator.is_zero() &&
         (!law.limited() || law.stop_stiffness.is_zero());
}

// A motor gives no more than F in either direction. It does not speed its joint up beyond V: within the last hundredth
// below V the force that would do so fades to nothing, (V - v)/(V/100) of it at the rate v. (Cut off at V at once, it would
// be switched on and off for ever by a load that needs part of it.) Braking is not affected.
Expr motor_force(const Mechanism& mechanism, const AxisLaw& law, const Expr& force, const Expr& rate) {
  constexpr int kFade = 100;  // of max_speed
  if (!mechanism.motor_limits) return force;
  Expr f = force;
  if (law.max_force) f = max(min(f, *law.max_force), -*law.max_force);
  if (!law.max_speed) return f;
  const Expr& v = *law.max_speed;
  const auto share = [&](const Expr& speed) { return max(min(kFade * (v - speed) / v, Expr(1)), Expr(0)); };
  return max(f, Expr(0)) * share(rate) + min(f, Expr(0)) * share(-rate);
}

// At a depth d > 0 beyond a limit: k d + c d', as long as that pushes back.
Expr stop_force(const Mechanism& mechanism, const AxisLaw& law, const Expr& value, const Expr& rate) {
  if (!mechanism.stops || law.stop_stiffness.is_zero()) return {};
  const Expr &k = law.stop_stiffness, &c = law.stop_damping;
  const auto push = [&](const Expr& depth, const Expr& deeper) {
    if (c.is_zero()) return max(k * depth, Expr(0));
    return select(less(Expr(0), depth), max(k * depth + c * deeper, Expr(0)), Expr(0));
  };
  Expr force;
  if (law.lower) force += push(*law.lower - value, -rate);
  if (law.upper) force -= push(value - *law.upper, rate);
  return force;
}

Expr stop_energy(const Mechanism& mechanism, const AxisLaw& law, const Expr& value) {
  if (!mechanism.stops || law.stop_stiffness.is_zero()) return {};
  const auto energy = [&](const Expr& depth) { return law.stop_stiffness * square(max(depth, Expr(0))) / 2; };
  Expr sum;
  if (law.lower) sum += energy(*law.lower - value);
  if (law.upper) sum += energy(value - *law.upper);
  return sum;
}

namespace {

/// A force (along a translation) or torque (about an axis of rotation) of the given size between the two sides of a motion:
/// positive on the side it leads to. Its power is size times the rate of the coordinate.
void add_along(const LoweringContext& c, const LoweredMotion& motion, const std::string& name, const Expr& size) {
  c.lowered.joint_loads.push_back(name);
  if (motion.kind == MotionKind::Translation)
    c.system.add_force_pair(name, motion.end, motion.start, size * motion.axis);
  else
    c.system.add_torque_pair(name, motion.to, motion.from, size * motion.axis);
}

// A ball has no angle. With Euler parameters e = lambda sin(theta/2), e4 = cos(theta/2) the energy k (1 - cos theta) =
// 2 k e.e stands for the spring; its torque is -k sin(theta) lambda = -2 k e4 e. Damping is -c omega.
void add_ball_law(const LoweringContext& c, const AxisLaw& law, const LoweredMotion& motion, const std::string& name,
                  const Where& where) {
  System& s = c.system;
  require_at(
      where, law.actuator.is_zero() && law.rest.is_zero(),
      "the ball motion of '{}' has no single angle, so it takes neither an actuator nor a rest position; apply a "
      "torque to the body instead",
      name);
  const auto add = [&](const std::string& load, const Vector& torque) {
    c.lowered.joint_loads.push_back(load);
    s.add_torque_pair(load, motion.to, motion.from, torque);
  };
  if (!law.stiffness.is_zero()) {
    const auto& e = std::get<EulerParameters>(s.frames()[motion.to].definition).e;
    s.add_stored_energy(name + ".spring", 2 * law.stiffness * (square(e[0]) + square(e[1]) + square(e[2])));
    const Expr size = -2 * law.stiffness * e[3];
    add(name + ".spring", Vector(motion.to, {size * e[0], size * e[1], size * e[2]}));
  }
  if (!law.damping.is_zero()) add(name + ".damper", -law.damping * s.angular_velocity(motion.to, motion.from));
  GivenForceNames forces(c.mechanism, c.lowered);
  if (!law.law.empty())
    add(name + ".law", read_vector(law.law, c.force_scope(forces), "the torque law of " + name, measure::kTorque));
}

class LoadLowering {
 public:
  explicit LoadLowering(const LoweringContext& context)
      : c_(context),
        m_(context.mechanism),
        s_(context.system),
        names_(context.lowered.names),
        forces_(context.mechanism, context.lowered) {}

  void run() {
    if (!m_.gravity.empty())
      with_place(m_.gravity.where,
                 [&] { s_.add_gravity(read_vector(m_.gravity, c_.scope(), "the gravity", measure::kAcceleration)); });
    for (std::size_t j = 0; j < m_.joints.size(); ++j) {
      const Joint& joint = m_.joints[j];
      if (joint.closing) continue;  // lowering_closing.cpp
      for (std::size_t i = 0; i < joint.motions.size(); ++i)
        lower_joint_law(j, i, joint.motions[i].law, "", joint.where);
    }
    for (std::size_t i = 0; i < m_.loads.size(); ++i) {
      const Load& load = m_.loads[i];
      name_ = load.name.empty() ? fmt::format("load{}", i + 1) : load.name;
      where_ = load.where;
      with_place(load.where, [&] { std::visit([&](const auto& what) { lower(what); }, load.what); });
    }
  }

 private:
  void lower_joint_law(std::size_t j, std::size_t i, const AxisLaw& law, const std::string& name, const Where& where) {
    const LoweredJoint& joint = c_.lowered.joints[j];
    if (is_empty(law) || !joint.motions[i].free) return;
    const std::string own = joint.motions.size() == 1 ? joint.name : fmt::format("{}.{}", joint.name, i + 1);
    with_place(where, [&] { lower_axis_law(c_, law, joint.motions[i], name.empty() ? own : name, where); });
  }

  /// A vector, or a scalar along a direction.
  [[nodiscard]] Vector vector(const Quantity& size, const Quantity& axis, std::string_view what,
                              const Measure& measure) {
    const std::string full = fmt::format("{} '{}'", what, name_);
    if (axis.empty()) return read_vector(size, c_.force_scope(forces_), full, measure);
    const Vector direction = read_vector(axis, c_.scope(), "the axis of " + full);
    require_at(axis.where, !direction.is_zero(), "the axis of {} is the zero vector", full);
    return read_scalar(size, c_.force_scope(forces_), full, measure) * unit_along(s_, direction);
  }

  void lower(const ForceLoad& load) {
    const Vector force = vector(load.force, load.axis, "the force", measure::kForce);
    const PointId at = names_.load_point(load.at);
    if (load.reaction_at.empty())
      s_.add_force(name_, at, force);
    else
      s_.add_force_pair(name_, at, names_.load_point(load.reaction_at), force);
  }

  void lower(const TorqueLoad& load) {
    const Vector torque = vector(load.torque, load.axis, "the torque", measure::kTorque);
    const FrameId on = names_.frame(load.on);
    if (load.reaction.empty()) {
      s_.add_torque(name_, on, torque);
      return;
    }
    const FrameId reaction = names_.frame(load.reaction);
    require(on != reaction, "the torque '{}' and its reaction act on the same body '{}'", name_, load.on);
    s_.add_torque_pair(name_, on, reaction, torque);
    note_parallel(load, torque);
  }

  /// A torque between neighbours counts as part of what their joint transmits.
  void note_parallel(const TorqueLoad& load, const Vector& torque) {
    for (std::size_t j = 0; j < c_.lowered.joints.size(); ++j) {
      const LoweredJoint& joint = c_.lowered.joints[j];
      if (joint.closing) continue;
      if (joint.child == load.on && joint.parent == load.reaction)
        c_.lowered.parallel_torques.push_back({name_, j, torque});
      if (joint.child == load.reaction && joint.parent == load.on)
        c_.lowered.parallel_torques.push_back({name_, j, -torque});
    }
  }

  void lower(const SpringLoad& load) {
    const PointId from = names_.load_point(load.from);
    const PointId to = names_.load_point(load.to);
    require(from != to, "the spring '{}' has both ends at the same point '{}'", name_, load.from);
    const auto scalar = [&](const Expr& e) { return forces_.in_scalar(e); };
    if (!load.stiffness.is_zero()) s_.add_spring(name_, from, to, scalar(load.stiffness), scalar(load.length));
    if (!load.damping.is_zero()) s_.add_damper(name_ + ".damper", from, to, scalar(load.damping));
    if (load.law.empty()) return;
    const Vector span = s_.position(to, from);
    const Expr x = s_.magnitude(span);
    require(!x.is_zero(), "the spring '{}' has both ends at the same place, '{}' and '{}'", name_, load.from, load.to);
    QuantityScope scope = c_.force_scope(forces_);
    const Expr v = s_.dot(span, s_.velocity(to) - s_.velocity(from)) / x;
    scope.scalars["x"] = {x, Dimensional::known(kLength, true)};
    scope.scalars["v"] = {v, Dimensional::known(kVelocity, true)};
    const Expr tension =
        read_scalar(load.law, scope, fmt::format("the law of the spring '{}'", name_), measure::kForce);
    s_.add_force_pair(name_ + ".law", from, to, (tension / x) * span);
  }

  void lower(const JointLoad& load) {
    std::vector<std::string> known;
    for (std::size_t j = 0; j < m_.joints.size(); ++j) {
      const Joint& joint = m_.joints[j];
      known.push_back(joint.name);
      if (joint.name != load.joint) continue;
      const auto count = static_cast<int>(joint.motions.size());
      require(load.motion >= 0 && load.motion < count,
              "the load '{}' acts on motion {} of the joint '{}', which has {}", name_, load.motion + 1, load.joint,
              count);
      const ElementaryMotion& motion = joint.motions[at(load.motion)];
      require(motion.free, "the load '{}' acts along a locked motion of the joint '{}'", name_, load.joint);
      require(!joint.closing, "the load '{}' acts on the closing joint '{}'; write the law at the joint itself", name_,
              load.joint);
      lower_joint_law(j, at(load.motion), load.law, name_, where_);
      return;
    }
    throw ModelError(fmt::format("the load '{}' names the joint '{}', which does not exist{}", name_, load.joint,
                                 suggestion(load.joint, known)));
  }

  void lower(const InverseSquareLoad& load) {
    InverseSquareGravity gravity;
    gravity.centre = names_.point(load.centre.empty() ? m_.ground : load.centre);
    gravity.mu = load.mu;
    gravity.gradient_torque = load.gradient_torque;
    for (const std::string& body : load.bodies) gravity.bodies.push_back(names_.body(body));
    s_.add_gravity(gravity);
  }

  const LoweringContext& c_;
  const Mechanism& m_;
  System& s_;
  const ModelNames& names_;
  GivenForceNames forces_;
  std::string name_;
  Where where_;
};

}  // namespace

void lower_axis_law(const LoweringContext& c, const AxisLaw& given, const LoweredMotion& motion,
                    const std::string& name, const Where& where) {
  GivenForceNames forces(c.mechanism, c.lowered);
  AxisLaw law = given;
  for (Expr* e : {&law.stiffness, &law.rest, &law.damping, &law.actuator}) *e = forces.in_scalar(*e);
  if (motion.kind == MotionKind::Ball) {
    add_ball_law(c, law, motion, name, where);
    return;
  }
  if (!law.stiffness.is_zero()) {
    const Expr stretch = motion.value - law.rest;
    if (is_constant(law.stiffness, c.system))
      c.system.add_stored_energy(name + ".spring", law.stiffness * square(stretch) / 2);
    add_along(c, motion, name + ".spring", -law.stiffness * stretch);
  }
  if (!law.damping.is_zero()) add_along(c, motion, name + ".damper", -law.damping * motion.rate);
  const Measure& measure = motion.kind == MotionKind::Translation ? measure::kForce : measure::kTorque;
  const Expr further =
      law.law.empty() ? Expr() : read_scalar(law.law, c.force_scope(forces), "the law of " + name, measure);
  if (!law.actuator.is_zero() && !further.is_zero() && (law.max_force || law.max_speed)) {
    add_along(c, motion, name + ".motor", motor_force(c.mechanism, law, law.actuator + further, motion.rate));
  } else {
    if (!law.actuator.is_zero())
      add_along(c, motion, name + ".motor", motor_force(c.mechanism, law, law.actuator, motion.rate));
    if (!law.law.empty()) add_along(c, motion, name + ".law", motor_force(c.mechanism, law, further, motion.rate));
  }
  const Expr stop = stop_force(c.mechanism, law, motion.value, motion.rate);
  if (stop.is_zero()) return;
  c.system.add_stored_energy(name + ".stop", stop_energy(c.mechanism, law, motion.value));
  add_along(c, motion, name + ".stop", stop);
}

void lower_loads(const LoweringContext& context) { LoadLowering(context).run(); }

}  // namespace kane
