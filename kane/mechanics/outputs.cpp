// Reports in addition to the equations: motion of points and bodies, energy, momentum, user's outputs; checks of
// inertias.

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/base/vec3.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/derivation_parts.hpp"
#include "kane/mechanics/parameter_values.hpp"

namespace kane {

// Moments of inertia of real bodies: none negative, none larger than the sum of the other two. A body of which only
// some elements matter (a planar one) is often given with the others zero; only principal moments that take part are
// asked for, so a matrix with a single nonzero moment passes.
void KaneDerivation::Parts::check_inertias() {
  const Values values = find_parameter_values(system);
  for (const BodyRecord& b : system.bodies()) {
    if (b.mass && is_evaluable(*b.mass, values) && evaluate(*b.mass, values) < 0) {
      equations.warnings.push_back(fmt::format("the mass of {} is negative", b.name));
    }
    if (b.is_particle() || !b.inertia) continue;
    const Expr33 I = system.frames().express(*b.inertia, b.frame);
    Mat3 a;
    bool known = true;
    int moments = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        known = known && is_evaluable(I[i][j], values);
        if (known) a[i][j] = evaluate(I[i][j], values);
      }
      moments += I[i][i].is_zero() ? 0 : 1;
    }
    if (!known) continue;
    const Vec3 p = principal_values(a);
    const double slack = 1e-9 * std::abs(p[2]);
    if (p[0] < -slack) {
      equations.warnings.push_back(
          fmt::format("the inertia of body {} has a negative principal moment ({:.6g})", b.name, p[0]));
    } else if (moments > 1 && p[2] > p[0] + p[1] + slack) {
      equations.warnings.push_back(
          fmt::format("the inertia of body {} violates the triangle inequality: its largest principal moment {:.6g} "
                      "exceeds the sum of the others, {:.6g} and {:.6g}",
                      b.name, p[2], p[0], p[1]));
    }
  }
}

void KaneDerivation::Parts::form_outputs() {
  EquationsOfMotion& e = equations;
  for (const OutputRecord& o : system.outputs()) {
    system.check_symbols(o.value, "output " + o.name);
    e.outputs.push_back({o.name, substitute(o.value, kinematical.rates_to_speeds)});
  }
  if (options.inverse) {
    Projection projection(complete());
    add_inertia_forces(projection, std::nullopt);
    for (const AppliedLoad& load : weights) add_load(projection, complete(), load);
    for (const AppliedLoad& load : loads) add_load(projection, complete(), load);
    for (std::size_t i = 0; i < rate_forces.size(); ++i) {
      projection.add_rate_force(static_cast<int>(i), rate_forces[i]);
    }
    const std::vector<Expr> f = projection.project(speed_columns());
    for (std::size_t i = 0; i < e.u.size(); ++i) e.inverse.push_back(-f[i]);
  }
  if (!options.outputs) return;

  const FrameId N = system.inertial();
  const auto in_inertial = [&](const Expr3& c, FrameId from) { return bases.express(c, from, N); };
  for (std::size_t i = 0; i < system.points().size(); ++i) {
    const PointId p(i);
    if (!system.located(p, system.origin())) continue;
    const VelocityForm& v = complete().point(p);
    e.points.push_back({system.point(p).name, bases.express(system.position(p), N), in_inertial(v.value, v.basis),
                        in_inertial(v.acceleration, v.basis)});
  }
  const auto report_frame = [&](const std::string& name, FrameId f) {
    for (const BodyOutput& b : e.bodies) {
      if (b.name == name) return;
    }
    Expr33 columns;
    for (std::size_t i = 0; i < 3; ++i) {
      Expr3 unit;
      unit[i] = 1;
      columns[i] = in_inertial(unit, f);
    }
    const VelocityForm& w = complete().frame(f);
    e.bodies.push_back({name, transpose(columns), in_inertial(w.value, f), in_inertial(w.acceleration, f)});
  };
  for (const BodyRecord& b : system.bodies()) {
    if (!b.is_particle()) report_frame(b.name, b.frame);
  }
  for (std::size_t i = 1; i < system.frames().size(); ++i) {
    if (!system.frames()[FrameId(i)].hidden) report_frame(system.frames()[FrameId(i)].name, FrameId(i));
  }
}

}  // namespace kane
