#include "kane/mechanism/check_values.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "kane/base/suggest.hpp"
#include "kane/base/vec3.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanism/placed.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/mechanism/value_recheck.hpp"

namespace kane {
namespace {

/// The kinds of symbols that a scalar may depend on.
enum class Dependence { Parameters, Known, Anything };

std::string_view sentence(Dependence d) {
  switch (d) {
    case Dependence::Parameters: return "it may depend on parameters only";
    case Dependence::Known: return "it may depend on parameters, inputs and t only";
    default: return "";
  }
}

struct Item {
  Expr value;
  std::string_view what;  ///< "the mass of the body"
  const std::string* owner;
  const Where* where;
};

class ValueCheck {
 public:
  explicit ValueCheck(const Mechanism& mechanism) : m_(mechanism), functions_(table_functions(mechanism)) {}

  std::vector<std::string> run(const Values& given) {
    collect(m_.bodies, bodies_, [this](const MechanismBody& b) { add_body(b); });
    collect(m_.particles, particles_, [this](const MechanismParticle& p) { add_particle(p); });
    for (const MechanismPoint& p : m_.points)
      add(Dependence::Anything, p.at, "the position of the point", p.name, p.where);
    collect(m_.frames, frames_,
            [this](const MechanismFrame& f) { add(f.place, "the place of the frame", f.name, f.where); });
    collect(m_.joints, joints_, [this](const Joint& j) { add_joint(j); });
    collect(m_.loads, loads_, [this](const Load& load) { add_load(load); });
    collect_rest();
    for (const auto& [dependence, items] : items_) check_symbols(dependence, items);
    find_constant_frictions();
    check(parameter_values(m_, given));
    check_moving_mass();
    return std::move(warnings_);
  }

  /// For check(): leaves out what does not depend on these parameters. False: only run() can check them.
  bool restrict_to(const std::set<std::string, std::less<>>& names) {
    only_ = &names;
    collect(m_.bodies, bodies_, [this](const MechanismBody& b) { add_body(b); });
    collect(m_.particles, particles_, [this](const MechanismParticle& p) { add_particle(p); });
    collect(m_.frames, frames_,
            [this](const MechanismFrame& f) { add(f.place, "the place of the frame", f.name, f.where); });
    collect(m_.joints, joints_, [this](const Joint& j) { add_joint(j); });
    collect(m_.loads, loads_, [this](const Load& load) { add_load(load); });
    only_ = nullptr;
    find_constant_frictions();
    return std::none_of(bodies_.begin(), bodies_.end(), [](const MechanismBody* b) { return b->flexible.has_value(); });
  }

  /// With numbers of all parameters. May be repeated.
  void check(const Values& parameters) {
    warnings_.clear();
    evaluate_items(parameters);
    for (const MechanismBody* b : bodies_) check_body(*b);
    for (const MechanismParticle* p : particles_) check_mass(p->mass, "particle", p->name, p->where);
    evaluate_frictions(parameters);
    for (const Joint* j : joints_) check_joint(*j);
    for (const Load* load : loads_)
      if (const auto* along = std::get_if<JointLoad>(&load->what))
        check_friction(along->law.friction, along->joint, load->where);
  }

 private:
  /// The parts of a kind that are looked at: all, or those of which an item depends on the parameters in only_.
  template <class Part, class Add>
  void collect(const std::vector<Part>& parts, std::vector<const Part*>& to, const Add& add_items) {
    for (const Part& part : parts) {
      std::map<Dependence, std::size_t> sizes;
      for (const auto& [dependence, items] : items_) sizes[dependence] = items.size();
      add_items(part);
      bool wanted = only_ == nullptr;
      for (const auto& [dependence, items] : items_)
        for (std::size_t i = sizes[dependence]; i < items.size() && !wanted; ++i) wanted = depends(items[i].value);
      if (wanted) {
        to.push_back(&part);
        continue;
      }
      for (auto& [dependence, items] : items_)
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(sizes[dependence]), items.end());
    }
  }

  [[nodiscard]] bool depends(const Expr& e) const {
    const auto symbols = symbols_of({&e, 1});
    return std::any_of(symbols.begin(), symbols.end(), [&](const Expr& s) { return only_->contains(s.name()); });
  }

  // ---- what there is ----------------------------------------------------------------------------------------------
  void add(Dependence d, const Expr& e, std::string_view what, const std::string& owner, const Where& where) {
    if (e.graph() != nullptr) items_[d].push_back({e, what, &owner, &where});
  }
  void add(Dependence d, const Expr3& v, std::string_view what, const std::string& owner, const Where& where) {
    for (const Expr& e : v) add(d, e, what, owner, where);
  }
  void add(const Placement& p, std::string_view what, const std::string& owner, const Where& where) {
    add(Dependence::Parameters, p.position, what, owner, where);
    for (const auto& row : p.rotation) add(Dependence::Parameters, row, what, owner, where);
  }

  void add_body(const MechanismBody& b) {
    add(Dependence::Parameters, b.mass, "the mass of the body", b.name, b.where);
    add(Dependence::Parameters, b.mass_centre, "the mass centre of the body", b.name, b.where);
    for (const auto& row : b.inertia) add(Dependence::Parameters, row, "the inertia of the body", b.name, b.where);
    for (const Shape& s : b.shapes) {
      for (const Expr& size : s.sizes) add(Dependence::Parameters, size, "a shape of the body", b.name, b.where);
      add(s.place, "the place of a shape of the body", b.name, b.where);
    }
    if (b.flexible) add_beam(b);
  }

  void add_particle(const MechanismParticle& p) {
    add(Dependence::Parameters, p.mass, "the mass of the particle", p.name, p.where);
    add(Dependence::Anything, p.at, "the position of the particle", p.name, p.where);
  }

  /// Where the properties of a beam are checked, as shares of its length: at more places if they vary.
  [[nodiscard]] std::vector<double> checked_places(const FlexibleBeam& beam) const {
    const Expr s = m_.graph->symbol("s");
    for (const Expr* e : beam_properties(beam)) {
      if (!depends_on(m_.graph->bind(*e), s)) continue;
      constexpr int kParts = 40;
      std::vector<double> places;
      for (int k = 0; k <= kParts; ++k) places.push_back(static_cast<double>(k) / kParts);
      return places;
    }
    return {0, 0.5, 1};
  }
  /// Beams may end in a point.
  static bool is_end(double x) { return x == 0 || x == 1; }
  /// Where a property that varies has its value.
  [[nodiscard]] std::string place_words(const Expr& property, double x) const {
    if (!depends_on(m_.graph->bind(property), m_.graph->symbol("s"))) return {};
    return fmt::format(" at s = {:.3g} of its length", x);
  }

  void add_beam(const MechanismBody& b) {
    const FlexibleBeam& beam = *b.flexible;
    const auto item = [&](const Expr& e, std::string_view what) {
      add(Dependence::Parameters, e, what, b.name, beam.where);
    };
    if (!beam.part) item(beam.length, "the length of the beam");
    item(beam.viscosity, "the viscosity of the beam");
    for (const Expr& e : beam.damping) item(e, "the damping of the beam");
    for (const Expr& e : beam.breaks) item(e, "the end of an element of the beam");
    if (beam.part) return;
    for (const double x : checked_places(beam)) {
      Substitution place;
      place.set(m_.graph->symbol("s"), x * m_.graph->bind(beam.length));
      for (const Expr* e : beam_properties(beam))
        item(along_.emplace_back(substitute(m_.graph->bind(*e), place)), "a property of the beam");
    }
  }

  [[nodiscard]] static std::vector<const Expr*> beam_properties(const FlexibleBeam& b) {
    return {&b.mass_per_length,    &b.bending_y,          &b.bending_z, &b.torsion, &b.tension,   &b.section_inertia[0],
            &b.section_inertia[1], &b.section_inertia[2], &b.shear_y,   &b.shear_z, &b.offset[0], &b.offset[1]};
  }

  double beam_number(const FlexibleBeam& beam, const Expr& property, double x) {
    Substitution place;
    place.set(m_.graph->symbol("s"), x * m_.graph->bind(beam.length));
    return number(substitute(m_.graph->bind(property), place));
  }

  void check_beam(const MechanismBody& b) {
    const FlexibleBeam& beam = *b.flexible;
    check_flexible_losses(b);
    if (beam.part) return;
    const bool shears = std::any_of(beam.modes.begin(), beam.modes.end(), [](const BeamModes& m) {
      return m.motion == BeamMotion::ShearY || m.motion == BeamMotion::ShearZ;
    });
    require_at(beam.where, !shears || !beam.exact,
               "the beam '{}' has modes of shear; 'exact' places the sections of beams that are rigid in shear",
               b.name);
    require_at(beam.where, number(beam.length) > 0, "the beam '{}' has the length {}; it must be positive", b.name,
               number(beam.length));
    const bool has_twist = std::any_of(beam.modes.begin(), beam.modes.end(),
                                       [](const BeamModes& m) { return m.motion == BeamMotion::Twist; });
    for (const double x : checked_places(beam)) {
      const double mass = beam_number(beam, beam.mass_per_length, x);
      require_at(beam.where, mass > 0 || (mass == 0 && is_end(x)),
                 "the beam '{}' has the mass per length {} kg/m{}; it must be positive", b.name, mass,
                 place_words(beam.mass_per_length, x));
      for (const Expr& j : beam.section_inertia)
        require_at(beam.where, beam_number(beam, j, x) >= 0,
                   "the beam '{}' has sections with the negative moment of inertia {} kg m", b.name,
                   beam_number(beam, j, x));
      if (has_twist)
        require_at(beam.where, beam_number(beam, beam.section_inertia[0], x) > 0 || is_end(x),
                   "the beam '{}' twists, so its sections need a moment of inertia per length about x ('inertia')",
                   b.name);
      for (const BeamModes& m : beam.modes) check_beam_stiffness(b, m.motion, x);
    }
  }

  void check_flexible_losses(const MechanismBody& b) {
    const FlexibleBeam& beam = *b.flexible;
    const char* what = beam.part ? "part" : "beam";
    require_at(beam.where, number(beam.viscosity) >= 0, "the viscosity of the {} '{}' is negative: {} s", what, b.name,
               number(beam.viscosity));
    for (const Expr& e : beam.damping)
      require_at(beam.where, number(e) >= 0, "a damping ratio of the {} '{}' is negative: {}", what, b.name, number(e));
    if (has_contact(b))
      throw ModelError(b.where,
                       fmt::format("a shape of the flexible body '{}' is to touch others, but shapes do not bend; "
                                   "weld a rigid body with this shape to the beam",
                                   b.name));
  }

  static bool has_contact(const MechanismBody& b) {
    return std::any_of(b.shapes.begin(), b.shapes.end(), [](const Shape& s) { return s.contact; });
  }

  void check_beam_stiffness(const MechanismBody& b, BeamMotion motion, double x) {
    const FlexibleBeam& beam = *b.flexible;
    const Expr& stiffness = motion == BeamMotion::BendY    ? beam.bending_y
                            : motion == BeamMotion::BendZ  ? beam.bending_z
                            : motion == BeamMotion::Twist  ? beam.torsion
                            : motion == BeamMotion::ShearY ? beam.shear_y
                            : motion == BeamMotion::ShearZ ? beam.shear_z
                                                           : beam.tension;
    const bool bends = motion == BeamMotion::BendY || motion == BeamMotion::BendZ;
    const char* key = bends ? "EI" : motion == BeamMotion::Twist ? "GJ" : motion == BeamMotion::Stretch ? "EA" : "GA";
    const double value = beam_number(beam, stiffness, x);
    require_at(beam.where, value > 0 || (value == 0 && is_end(x)),
               "the beam '{}' has modes '{}' and the stiffness {} = {}{}; it must be positive", b.name,
               to_string(motion), key, value, place_words(stiffness, x));
  }

  void add_joint(const Joint& j) {
    add(j.on_parent, "the placement of the joint", j.name, j.where);
    add(j.on_child, "the placement of the joint", j.name, j.where);
    for (const ElementaryMotion& motion : j.motions) {
      add(Dependence::Parameters, motion.axis, "an axis of the joint", j.name, j.where);
      add(Dependence::Parameters, motion.pitch, "the pitch of the joint", j.name, j.where);
      if (!motion.free)
        add(Dependence::Known, motion.value, "the locked or prescribed motion of the joint", j.name, j.where);
      add_law(motion.law, j.name, j.where);
    }
  }

  void add_law(const AxisLaw& law, const std::string& owner, const Where& where) {
    for (const Expr* e : {&law.stiffness, &law.rest, &law.damping, &law.friction, &law.actuator})
      add(Dependence::Anything, *e, "a spring, damper or motor of the joint", owner, where);
    for (const Expr* e : {&law.restitution, &law.stop_stiffness, &law.stop_damping})
      add(Dependence::Parameters, *e, "a stop of the joint", owner, where);
    for (const auto* e : {&law.lower, &law.upper, &law.max_force, &law.max_speed})
      if (*e) add(Dependence::Parameters, **e, "a limit of the joint", owner, where);
  }

  void add_load(const Load& load) {
    if (const auto* s = std::get_if<SpringLoad>(&load.what)) {
      for (const Expr* e : {&s->stiffness, &s->length, &s->damping})
        add(Dependence::Anything, *e, "the spring", load.name, load.where);
    } else if (const auto* joint = std::get_if<JointLoad>(&load.what)) {
      add_law(joint->law, joint->joint, load.where);
    } else if (const auto* g = std::get_if<InverseSquareLoad>(&load.what)) {
      add(Dependence::Anything, g->mu, "the attraction", load.name, load.where);
    }
  }

  void collect_rest() {
    for (const Constraint& c : m_.constraints)
      if (const auto* d = std::get_if<DistanceConstraint>(&c.what))
        add(Dependence::Known, d->length, "the length of the constraint", c.name, c.where);
      else if (const auto* gear = std::get_if<GearConstraint>(&c.what))
        for (const Expr* e : {&gear->first_size, &gear->second_size, &gear->offset})
          add(Dependence::Known, *e, "the gear", c.name, c.where);
    for (const SymbolWithDefault& i : m_.inputs)
      add(Dependence::Anything, i.value, "the value of the input", i.symbol.name(), m_.where);
  }

  // ---- symbols ------------------------------------------------------------------------------------------------------
  [[nodiscard]] std::set<std::string, std::less<>> allowed(Dependence d) const {
    std::set<std::string, std::less<>> names;
    for (const auto& p : m_.parameters) names.insert(p.symbol.name());
    if (d == Dependence::Parameters) return names;
    names.insert("t");
    for (const auto& i : m_.inputs) names.insert(i.symbol.name());
    if (d == Dependence::Known) return names;
    for (const Expr& q : m_.all_coordinates()) names.insert(q.name()), names.insert(q.name() + "'");
    if (m_.speeds.empty())
      for (const Expr& u : m_.joint_speeds()) names.insert(u.name());
    for (const NamedQuantity& u : m_.speeds) names.insert(u.name);
    for (const StateQuantity& x : m_.states) names.insert(x.name);
    return names;
  }

  void check_symbols(Dependence d, const std::vector<Item>& items) {
    const auto names = allowed(d);
    std::vector<Expr> values;
    for (const Item& item : items) values.push_back(item.value);
    bool good = true;
    for (const Expr& s : symbols_of(values)) good = good && names.contains(s.name());
    if (good) return;
    for (const Item& item : items) {
      for (const Expr& s : symbols_of({&item.value, 1})) {
        if (names.contains(s.name())) continue;
        const auto all = allowed(Dependence::Anything);
        if (all.contains(s.name()))
          throw ModelError(*item.where, fmt::format("{} '{}' is written with '{}'; {}", item.what, *item.owner,
                                                    s.name(), sentence(d)));
        throw ModelError(*item.where,
                         fmt::format("{} '{}' is written with the unknown name '{}'{}", item.what, *item.owner,
                                     s.name(), suggestion(s.name(), {all.begin(), all.end()})));
      }
    }
  }

  // ---- numbers ------------------------------------------------------------------------------------------------------
  /// Numbers of everything that depends on parameters only.
  void evaluate_items(const Values& values) {
    const auto& items = items_[Dependence::Parameters];
    std::vector<Expr> es;
    for (const Item& item : items) es.push_back(item.value);
    const std::vector<double> numbers = evaluate(es, values, functions_);
    for (std::size_t i = 0; i < es.size(); ++i) {
      // Printing each value just in case would cost a quarter of the time from a file to its equations.
      if (!std::isfinite(numbers[i]))
        throw ModelError(*items[i].where, fmt::format("{} '{}' is not a finite number: {}", items[i].what,
                                                      *items[i].owner, es[i].to_string()));
      known_.insert_or_assign(es[i].id(), numbers[i]);
    }
  }

  /// Frictions that depend on parameters only.
  void find_constant_frictions() {
    const auto look_at = [&](const Expr& e) {
      if (e.graph() == nullptr || e.is_number()) return;
      const auto symbols = symbols_of({&e, 1});
      const bool constant = std::all_of(symbols.begin(), symbols.end(), [&](const Expr& s) {
        return std::any_of(m_.parameters.begin(), m_.parameters.end(),
                           [&](const SymbolWithDefault& p) { return p.symbol.name() == s.name(); });
      });
      if (constant) frictions_.push_back(e);
    };
    for (const Joint* j : joints_)
      for (const ElementaryMotion& motion : j->motions) look_at(motion.law.friction);
    for (const Load* load : loads_)
      if (const auto* along = std::get_if<JointLoad>(&load->what)) look_at(along->law.friction);
  }

  void evaluate_frictions(const Values& parameters) {
    if (frictions_.empty()) return;
    const std::vector<double> values = evaluate(frictions_, parameters, functions_);
    for (std::size_t i = 0; i < frictions_.size(); ++i)
      constant_friction_.insert_or_assign(frictions_[i].id(), values[i]);
  }

  [[nodiscard]] double number(const Expr& e) const {
    return e.graph() == nullptr ? to_double(e.number()) : known_.at(e.id());
  }

  double check_mass(const Expr& mass, std::string_view what, const std::string& name, const Where& where) {
    const double m = number(mass);
    if (!(m >= 0))
      throw ModelError(where,
                       fmt::format("the mass of the {} '{}' is negative: {} = {} kg", what, name, mass.to_string(), m));
    return m;
  }

  void check_body(const MechanismBody& b) {
    if (b.flexible) check_beam(b);
    check_mass(b.mass, "body", b.name, b.where);
    Mat3 I;
    double scale = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        I[i][j] = number(b.inertia[i][j]);
        scale = std::max(scale, std::abs(I[i][j]));
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      // Programs that compute inertias from meshes write -5.4e-20 where they mean 0.
      const bool rounding = I[i][i] < 0 && I[i][i] >= -std::max(1e-12 * scale, 1e-15);
      if (rounding)
        warnings_.push_back(
            fmt::format("the moment of inertia of body {} about its axis {} is {:.3g} kg m^2: taken for a "
                        "rounding error",
                        b.name, "xyz"[i], I[i][i]));
      require_at(b.where, I[i][i] >= 0 || rounding,
                 "the moment of inertia of the body '{}' about its axis {} is negative: {} kg m^2", b.name, "xyz"[i],
                 I[i][i]);
      const std::size_t j = (i + 1) % 3;
      require_at(b.where, std::abs(I[i][j] - I[j][i]) <= 1e-12 * scale,
                 "the inertia matrix of the body '{}' is not symmetric: I_{}{} = {} but I_{}{} = {}", b.name, "xyz"[i],
                 "xyz"[j], I[i][j], "xyz"[j], "xyz"[i], I[j][i]);
    }
    warn_about_moments(b, principal_values(I));
    for (const Shape& s : b.shapes)
      for (const Expr& size : s.sizes)
        require_at(b.where, s.kind == ShapeKind::Mesh || number(size) >= 0,
                   "a shape of the body '{}' has the negative size {}", b.name, size.to_string());
  }

  /// A body of which only one moment is given moves in a plane; the others do not matter.
  void warn_about_moments(const MechanismBody& b, const Vec3& p) {
    const double slack = 1e-9 * std::abs(p[2]);
    int moments = 0;
    for (std::size_t i = 0; i < 3; ++i) moments += b.inertia[i][i].is_zero() ? 0 : 1;
    if (p[0] < -slack) {
      warnings_.push_back(fmt::format("the inertia of body {} has a negative principal moment ({:.6g})", b.name, p[0]));
    } else if (moments > 1 && p[2] > p[0] + p[1] + slack) {
      warnings_.push_back(
          fmt::format("the inertia of body {} violates the triangle inequality: its largest principal "
                      "moment {:.6g} exceeds the sum of the others, {:.6g} and {:.6g}",
                      b.name, p[2], p[0], p[1]));
    }
  }

  void check_joint(const Joint& j) {
    for (const ElementaryMotion& motion : j.motions) {
      if (motion.kind != MotionKind::Ball) {
        const double length = std::hypot(number(motion.axis[0]), number(motion.axis[1]), number(motion.axis[2]));
        require_at(j.where, length > 0, "an axis of the joint '{}' has length zero", j.name);
      }
      if (motion.kind == MotionKind::Screw && number(motion.pitch) == 0)
        warnings_.push_back(fmt::format("the screw joint '{}' has pitch zero, so it is a revolute joint", j.name));
      const AxisLaw& law = motion.law;
      if (law.lower && law.upper)
        require_at(j.where, number(*law.lower) <= number(*law.upper),
                   "the joint '{}' has the lower limit {} above its upper limit {}", j.name, law.lower->to_string(),
                   law.upper->to_string());
      check_stops(j, motion);
      check_motor(j, law);
      check_friction(law.friction, j.name, j.where);
    }
  }

  /// Friction may depend on the motion; what does not is checked here, and the rest at the start of a run.
  void check_friction(const Expr& friction, const std::string& joint, const Where& where) const {
    std::optional<double> value;
    if (friction.is_number()) {
      value = to_double(friction.number());
    } else if (const auto known = constant_friction_.find(friction.id()); known != constant_friction_.end()) {
      value = known->second;
    }
    require_at(where, !value || *value >= 0, "the friction of the joint '{}' is {}; it must be zero or more", joint,
               value.value_or(0));
  }

  void check_stops(const Joint& j, const ElementaryMotion& motion) const {
    const AxisLaw& law = motion.law;
    const double restitution = number(law.restitution);
    require_at(j.where, restitution >= 0 && restitution <= 1,
               "the restitution of the stops of the joint '{}' is {}; it must lie between 0 and 1", j.name,
               restitution);
    require_at(j.where, law.stop_stiffness.is_zero() || number(law.stop_stiffness) > 0,
               "the stiffness of the stops of the joint '{}' is {}; it must be positive", j.name,
               law.stop_stiffness.is_zero() ? 0.0 : number(law.stop_stiffness));
    require_at(j.where, number(law.stop_damping) >= 0, "the damping of the stops of the joint '{}' is negative: {}",
               j.name, number(law.stop_damping));
    require_at(
        j.where, law.stop_damping.is_zero() || !law.stop_stiffness.is_zero(),
        "the stops of the joint '{}' have a damping but no stiffness; give both, or 'restitution' for rigid ones",
        j.name);
    require_at(
        j.where, law.restitution.is_zero() || law.stop_stiffness.is_zero(),
        "the stops of the joint '{}' have both a restitution (of rigid stops) and a stiffness (of compliant ones)",
        j.name);
    if (motion.free || !law.limited() || !motion.value.is_number()) return;
    const double value = to_double(motion.value.number());
    const bool inside = (!law.lower || value >= number(*law.lower)) && (!law.upper || value <= number(*law.upper));
    require_at(j.where, inside, "the joint '{}' is held at {}, outside its limits", j.name, value);
  }

  void check_motor(const Joint& j, const AxisLaw& law) {
    if (!law.max_force && !law.max_speed) return;
    for (const auto* limit : {&law.max_force, &law.max_speed})
      require_at(j.where, !*limit || number(**limit) > 0, "the {} of the joint '{}' is {}; it must be positive",
                 limit == &law.max_force ? "max_force" : "max_speed", j.name, *limit ? number(**limit) : 0.0);
    if (law.actuator.is_zero() && law.law.empty())
      warnings_.push_back(
          fmt::format("the joint '{}' has {} but no motor that it could limit: no 'actuator' and no 'law'", j.name,
                      law.max_force ? "a max_force" : "a max_speed"));
  }

  /// Warns about free motions that move nothing that has mass.
  void check_moving_mass() {
    std::map<std::string, double> weight;
    for (const MechanismBody& b : m_.bodies) {
      double w = number(b.mass);
      for (std::size_t i = 0; i < 3; ++i) w += number(b.inertia[i][i]);
      if (b.flexible) w += b.flexible->part ? 1 : beam_number(*b.flexible, b.flexible->mass_per_length, 0.5);
      weight[b.name] += w;
    }
    for (const MechanismParticle& p : m_.particles) weight[p.on] += number(p.mass);
    // Each body hands its weight to its parent once all its own children have done so.
    std::map<std::string, int> children;
    std::map<std::string, const Joint*> joint_of;
    for (const Joint& j : m_.joints) {
      if (!j.closing) ++children[j.parent], joint_of[j.child] = &j;
    }
    std::vector<std::string> leaves;
    for (const MechanismBody& b : m_.bodies)
      if (children[b.name] == 0) leaves.push_back(b.name);
    while (!leaves.empty()) {
      const std::string body = leaves.back();
      leaves.pop_back();
      const Joint& j = *joint_of.at(body);
      const bool moves = std::any_of(j.motions.begin(), j.motions.end(), [](const auto& m) { return m.free; });
      if (moves && weight[body] == 0)
        warnings_.push_back(
            fmt::format("the joint '{}' moves nothing that has mass, so its motion is not determined "
                        "unless a constraint does it",
                        j.name));
      weight[j.parent] += weight[body];
      if (--children[j.parent] == 0 && j.parent != m_.ground) leaves.push_back(j.parent);
    }
  }

  const Mechanism& m_;
  const FunctionTable functions_;
  const std::set<std::string, std::less<>>* only_ = nullptr;
  std::vector<const MechanismBody*> bodies_;
  std::vector<const MechanismParticle*> particles_;
  std::vector<const MechanismFrame*> frames_;
  std::vector<const Joint*> joints_;
  std::vector<const Load*> loads_;
  std::vector<Expr> frictions_;
  std::map<Dependence, std::vector<Item>> items_;
  std::map<NodeId, double> known_;
  std::map<NodeId, double> constant_friction_;
  std::vector<std::string> warnings_;
  std::deque<Expr> along_;  ///< properties of beams at places along them
};

}  // namespace

Values parameter_values(const Mechanism& mechanism, const Values& given) {
  Values values;
  const FunctionTable tables = table_functions(mechanism);
  for (const SymbolWithDefault& p : mechanism.parameters) {
    const std::string& name = p.symbol.name();
    if (const auto own = given.find(name); own != given.end()) {
      values[name] = own->second;
      continue;
    }
    if (p.value.is_number()) {
      values[name] = to_double(p.value.number());
      continue;
    }
    for (const Expr& s : symbols_of({&p.value, 1})) {
      if (values.contains(s.name())) continue;
      std::vector<std::string> known;
      for (const auto& [key, value] : values) known.push_back(key);
      throw ModelError(mechanism.where, fmt::format("the parameter '{}' uses '{}', which is not a parameter above it{}",
                                                    name, s.name(), suggestion(s.name(), known)));
    }
    values[name] = evaluate(p.value, values, tables);
    require_at(mechanism.where, std::isfinite(values[name]), "the parameter '{}' = {} is not a finite number", name,
               p.value.to_string());
  }
  return values;
}

std::vector<std::string> check_values(const Mechanism& mechanism, const Values& given) {
  return ValueCheck(mechanism).run(given);
}

ValueRecheck::ValueRecheck(const Mechanism& mechanism, const std::set<std::string, std::less<>>& names) {
  const auto check = std::make_shared<ValueCheck>(mechanism);
  if (check->restrict_to(names)) check_ = [check](const Values& parameters) { check->check(parameters); };
}

}  // namespace kane
