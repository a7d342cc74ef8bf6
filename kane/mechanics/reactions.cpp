// Forces that do no work (Kane; Purushotham and Anjeneyulu; Stoneking).
//
// An auxiliary speed s is always zero, but has partial velocities; F_s + F*_s = 0 then holds with the forces that the
// motion would do work against:
//
//     c_s = -(F_s + F*_s)           generalized constraint force, F_s without it                 (Stoneking, last slides)
//
// With unknowns declared, F_s = F_s^known + sum_k B_sk X_k and B X = -(F^known + F*). Unknowns must not appear in the
// equations of motion; if one does, it is not a constraint force and the message says so.
//
// The reaction of a joint is the same device with six auxiliary speeds that move everything beyond the joint as one
// rigid body: three translations and three rotations about the point. Their partial velocities are e and e x (p - P),
// so F_s + F*_s is the balance of forces and of moments about P of everything outboard.

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/affine.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/derivation_parts.hpp"
#include "kane/mechanics/flexible.hpp"
#include "kane/mechanics/rank.hpp"

namespace kane {

namespace {

/// The loads per unit of one unknown.
std::vector<AppliedLoad> unit_loads(const System& s, const Expr& unknown, const Substitution& rates_to_speeds) {
  std::vector<AppliedLoad> r;
  for (const LoadRecord& load : s.loads()) {
    Vector v;
    for (const Vector::Term& t : load.value.terms()) {
      Expr3 c;
      for (std::size_t i = 0; i < 3; ++i) {
        const Affine a = affine_in(t.c[i], s.unknowns(), "load " + load.name);
        const auto place = std::find(s.unknowns().begin(), s.unknowns().end(), unknown) - s.unknowns().begin();
        c[i] = substitute(a.coefficients[at(place)], rates_to_speeds);
      }
      v += Vector(t.frame, c);
    }
    if (!v.is_zero()) r.push_back({load.name, load.kind, load.point, load.frame, v});
  }
  return r;
}

std::vector<bool> everything(const std::vector<bool>& like) { return std::vector<bool>(like.size(), true); }

}  // namespace

void KaneDerivation::Parts::find_auxiliary_forces() {
  const auto& auxiliaries = system.auxiliaries();
  require(auxiliaries.size() >= system.unknowns().size(),
          "{} has {} unknown forces but only {} auxiliary speeds; add an auxiliary speed for each unknown",
          system.name(), system.unknowns().size(), auxiliaries.size());
  if (auxiliaries.empty()) return;
  Projection projection(complete());
  add_inertia_forces(projection, std::nullopt);
  for (const AppliedLoad& load : weights) add_load(projection, complete(), load);
  for (const AppliedLoad& load : loads) add_load(projection, complete(), load);
  const std::vector<Expr> f = projection.project(auxiliary_columns());
  const auto n = at(kinematical.model.speed_count);
  std::vector<Expr> force;
  for (std::size_t i = 0; i < auxiliaries.size(); ++i) {
    Expr sum = f[n + i];
    for (const ConstraintRow& row : rows) {
      if (row.equation.active && !row.equation.redundant) sum += row.auxiliary[i] * row.equation.multiplier;
    }
    force.push_back(-sum);
  }
  const auto unknown_count = system.unknowns().size();
  if (unknown_count == 0) {
    for (std::size_t i = 0; i < auxiliaries.size(); ++i) {
      equations.auxiliary_forces.push_back({auxiliaries[i].name, force[i]});
    }
    return;
  }

  // B: columns of unknowns in the auxiliary equations.
  ExprMatrix B(static_cast<int>(auxiliaries.size()), static_cast<int>(unknown_count));
  for (std::size_t j = 0; j < unknown_count; ++j) {
    const Expr& unknown = system.unknowns()[j];
    Projection unit(complete());
    for (const AppliedLoad& load : unit_loads(system, unknown, kinematical.rates_to_speeds)) {
      add_load(unit, complete(), load);
    }
    const std::vector<Expr> b = unit.project(everything(speed_columns()));
    for (std::size_t r = 0; r < n; ++r) {
      require_about(
          {Subject::Kind::Speed, equations.u[r].name()}, b[r].is_zero(),
          "the unknown {} does work on speed {}, so it is not a constraint force and cannot be found by an auxiliary "
          "speed; make it an input",
          unknown.name(), equations.u[r].name());
    }
    for (std::size_t i = 0; i < auxiliaries.size(); ++i) B(static_cast<int>(i), static_cast<int>(j)) = b[n + i];
  }
  const RankReport rank = find_rank(B);
  require(rank.rank() == B.columns,
          "the unknown forces of {} cannot be told apart by its auxiliary speeds; add an "
          "auxiliary speed that moves the point where each of them acts",
          system.name());
  ExprMatrix square(B.columns, B.columns);
  std::vector<Expr> right;
  for (int i = 0; i < B.columns; ++i) {
    const int row = rank.pivots[at(i)].row;
    for (int j = 0; j < B.columns; ++j) square(i, j) = B(row, j);
    right.push_back(force[at(row)]);
  }
  const std::vector<Expr> solution = LinearSolver(square).solve(right);
  for (std::size_t j = 0; j < unknown_count; ++j) {
    equations.auxiliary_forces.push_back({system.unknowns()[j].name(), solution[j]});
  }
}

namespace {

/// Everything outboard of a joint: located from its point through frames of the outboard side.
class Outboard {
 public:
  Outboard(const System& system, const ReactionRecord& reaction)
      : system_(system), spec_(reaction.spec), name_(reaction.name) {}

  [[nodiscard]] bool moves(const BodyRecord& b) const {
    if (b.mass_centre == spec_.point) return !b.is_particle() && frame_beyond(b.frame);
    return moves(b.mass_centre);
  }

  [[nodiscard]] bool moves(PointId p) const {
    PointId below;
    while (p.valid() && p != spec_.point) {
      if (const FrameId carrier = system_.point(p).carrier; carrier.valid()) return moves(carrier);
      below = p;
      p = system_.point(p).parent;
    }
    if (!p.valid() || !below.valid()) return false;
    int beyond = 0, here = 0;
    for (const Vector::Term& t : system_.point(below).offset.terms()) ++(frame_beyond(t.frame) ? beyond : here);
    require(beyond == 0 || here == 0,
            "the reaction {} cannot be found: point {} is located from {} through frames of both sides of the joint; "
            "introduce a point between them",
            name_, system_.point(below).name, system_.point(spec_.point).name);
    return beyond > 0;
  }

  [[nodiscard]] bool moves(FrameId f) const {
    if (frame_beyond(f)) return true;
    return std::any_of(system_.bodies().begin(), system_.bodies().end(),
                       [&](const BodyRecord& b) { return b.frame == f && moves(b); });
  }

 private:
  [[nodiscard]] bool frame_beyond(FrameId f) const { return system_.frames().descends(f, spec_.outboard); }

  const System& system_;
  const ReactionSpec& spec_;
  const std::string& name_;
};

/// Force and moment about the point, components in the requested frame.
struct Balance {
  Expr3 force, moment;
};

class BalanceSum {
 public:
  BalanceSum(const System& system, const Bases& bases, const ReactionSpec& spec)
      : system_(system), bases_(bases), spec_(spec) {}
  void add_force(PointId at, const Vector& force) {
    const Expr3 f = bases_.express(force, spec_.in);
    sum.force = add(sum.force, f);
    if (!spec_.torque) return;
    const Expr3 arm = bases_.express(system_.position(at, spec_.point), spec_.in);
    sum.moment = add(sum.moment, cross(arm, f));
  }
  void add_torque(const Vector& torque) {
    if (spec_.torque) sum.moment = add(sum.moment, bases_.express(torque, spec_.in));
  }
  Balance sum;

 private:
  const System& system_;
  const Bases& bases_;
  const ReactionSpec& spec_;
};

}  // namespace

void KaneDerivation::Parts::find_reactions() {
  for (const ReactionRecord& reaction : system.reactions()) {
    const ReactionSpec& spec = reaction.spec;
    const Outboard outboard(system, reaction);
    BalanceSum balance(system, bases, spec);
    bool any = false;
    for (const BodyRecord& b : system.bodies()) {
      if (!outboard.moves(b)) continue;
      any = true;
      if (b.mass) {
        const VelocityForm& v = complete().point(b.mass_centre);
        balance.add_force(b.mass_centre, Vector(v.basis, scale(-*b.mass, v.acceleration)));
      }
      if (b.is_particle() || !b.inertia) continue;
      const VelocityForm& w = complete().frame(b.frame);
      const Expr33 I = system.frames().express(*b.inertia, b.frame);
      balance.add_torque(Vector(b.frame, negate(add(multiply(I, w.acceleration), gyroscopic(I, w.value)))));
    }
    for (const DeformingInertia& e : form_deforming_inertias(system)) {
      if (!outboard.moves(system.body(e.body))) continue;
      balance.add_torque(Vector(e.spec.frame, negate(central_torque(e, motion_of(complete(), e)))));
    }
    require(any, "the reaction {} cannot be found: nothing with mass lies beyond point {} in frame {}", reaction.name,
            system.point(spec.point).name, system.frames().name(spec.outboard));
    for (const std::string& name : spec.through) {
      require(std::any_of(loads.begin(), loads.end(), [&](const AppliedLoad& l) { return l.name == name; }),
              "the reaction {} is to contain the load '{}', which does not exist", reaction.name, name);
    }
    for (const AppliedLoad& load : all_loads()) {
      if (std::find(spec.through.begin(), spec.through.end(), load.name) != spec.through.end()) continue;
      if (load.kind == LoadKind::Force && outboard.moves(load.point)) balance.add_force(load.point, load.value);
      if (load.kind == LoadKind::Torque && outboard.moves(load.frame)) balance.add_torque(load.value);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const ConstraintEquation& e = rows[i].equation;
      if (!e.active || e.redundant) continue;
      const ConstraintRecord& c = system.constraints()[i];
      if (!c.between_points()) {
        equations.warnings.push_back(fmt::format(
            "reaction {} leaves out the force of constraint {}, because it is not known where it acts; state "
            "the constraint between points",
            reaction.name, e.name));
        continue;
      }
      if (outboard.moves(c.point)) balance.add_force(c.point, e.multiplier * c.direction);
      if (!outboard.moves(c.reference)) continue;
      // A direction that turns with the reference belongs to a surface there, which is touched at the point.
      const bool turns = std::any_of(c.direction.terms().begin(), c.direction.terms().end(),
                                     [&](const Vector::Term& t) { return outboard.moves(t.frame); });
      balance.add_force(c.configuration && turns ? c.point : c.reference, -e.multiplier * c.direction);
    }
    equations.reactions.push_back({reaction.name, spec.force ? negate(balance.sum.force) : Expr3{},
                                   spec.torque ? negate(balance.sum.moment) : Expr3{}, system.frames().name(spec.in),
                                   system.point(spec.point).name});
  }
}

}  // namespace kane
