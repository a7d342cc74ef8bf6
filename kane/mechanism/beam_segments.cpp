#include "kane/mechanism/beam_segments.hpp"

#include <algorithm>
#include <cmath>

#include "kane/expr/evaluate.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanism/check_values.hpp"
#include "kane/mechanism/placed.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {
namespace {

class BeamCut {
 public:
  BeamCut(Mechanism& m, const std::string& body, int count) : m_(m), body_(body), count_(count) {}

  void run() {
    const auto found =
        std::find_if(m_.bodies.begin(), m_.bodies.end(), [&](const MechanismBody& b) { return b.name == body_; });
    require(found != m_.bodies.end() && found->flexible && !found->flexible->part,
            "'{}' is not a beam, so it cannot be cut into segments", body_);
    where_ = found->flexible->where;
    require_at(where_, count_ >= 1 && count_ <= kMostBeamSegments,
               "the beam '{}' is to have {} segments; 1 to {} are possible", body_, count_, kMostBeamSegments);
    const BeamShapes shapes = found->flexible->shapes;
    require_at(where_, count_ == 1 || shapes == BeamShapes::Polynomial || shapes == BeamShapes::Cantilever,
               "the beam '{}' is cut into segments, each clamped to the one before; its shapes must be polynomial (or "
               "cantilever), not {}",
               body_, to_string(shapes));
    if (count_ == 1) return;
    require_at(where_, found->flexible->elements == 0,
               "the beam '{}' has both segments and elements; segments are for large deflections, elements for "
               "supports between the ends: choose one",
               body_);
    piece_ = found->flexible->length / m_.graph->number(count_);
    move_attachments();
    add_segments(static_cast<std::size_t>(found - m_.bodies.begin()));
  }

 private:
  /// The segment of a place, and the place on it.
  void move(std::string& body, Expr3& at, const std::string& what) {
    if (body != body_) return;
    const Expr x = m_.graph->bind(at[0]) / piece_;
    for (const Expr& symbol : symbols_of({&x, 1}))
      require_at(
          where_,
          std::any_of(m_.parameters.begin(), m_.parameters.end(), [&](const auto& p) { return p.symbol == symbol; }),
          "{} slides along the beam '{}' ({}), which is cut into segments; cut it by hand, or leave it whole", what,
          body_, symbol.name());
    const double place = evaluate(x, parameter_values(m_), table_functions(m_));
    constexpr double kSlack = 1e-9;
    const auto before = static_cast<int>(std::ceil(place - kSlack)) - 1;  // the end of a segment belongs to it
    const int k = std::clamp(before, 0, count_ - 1);
    if (k == 0) return;
    body = segment_name(body_, k + 1);
    at[0] = m_.graph->bind(at[0]) - m_.graph->number(k) * piece_;
  }

  void move_attachments() {
    for (Joint& j : m_.joints) {
      const std::string what = fmt::format("the joint '{}'", j.name);
      move(j.parent, j.on_parent.position, what);
      if (j.closing) {
        move(j.child, j.on_child.position, what);
      } else if (j.child == body_) {
        require_at(j.where, j.on_child.position[0].is_zero(),
                   "the joint '{}' places the beam '{}', which is cut into segments; it must hold it at s = 0", j.name,
                   body_);
      }
    }
    for (MechanismParticle& p : m_.particles) move(p.on, p.at, fmt::format("the particle '{}'", p.name));
    for (MechanismPoint& p : m_.points) move(p.on, p.at, fmt::format("the point '{}'", p.name));
    for (MechanismFrame& f : m_.frames) move(f.on, f.place.position, fmt::format("the frame '{}'", f.name));
  }

  /// Properties are functions of s from the beginning of the whole beam.
  void shift(Expr& property, int k) const {
    if (property.graph() == nullptr) return;
    const Expr s = m_.graph->symbol("s");
    Substitution at;
    at.set(s, s + m_.graph->number(k) * piece_);
    property = substitute(m_.graph->bind(property), at);
  }

  void add_segments(std::size_t first) {
    FlexibleBeam& whole = *m_.bodies[first].flexible;
    whole.length = piece_;
    whole.coupled = true;
    const FlexibleBeam beam = whole;
    whole.continued_by = segment_name(body_, 2);
    for (int k = 1; k < count_; ++k) {
      MechanismBody segment;
      segment.name = segment_name(body_, k + 1);
      segment.where = m_.bodies[first].where;
      segment.flexible = beam;
      FlexibleBeam& b = *segment.flexible;
      for (Expr* property :
           {&b.mass_per_length, &b.bending_y, &b.bending_z, &b.shear_y, &b.shear_z, &b.torsion, &b.tension,
            &b.section_inertia[0], &b.section_inertia[1], &b.section_inertia[2], &b.offset[0], &b.offset[1]})
        shift(*property, k);
      name_beam_coordinates(*m_.graph, segment.name, b);
      if (k + 1 < count_) b.continued_by = segment_name(body_, k + 2);
      Joint weld;
      weld.name = segment.name + "_weld";
      weld.kind = "weld";
      weld.parent = segment_name(body_, k);
      weld.child = segment.name;
      weld.on_parent.position[0] = piece_;
      weld.where = where_;
      m_.bodies.push_back(std::move(segment));
      m_.joints.push_back(std::move(weld));
    }
  }

  Mechanism& m_;
  std::string body_;
  int count_;
  Expr piece_;  ///< length of a segment
  Where where_;
};

}  // namespace

std::string segment_name(const std::string& body, int k) { return k == 1 ? body : fmt::format("{}_{}", body, k); }

void cut_into_segments(Mechanism& mechanism, const std::string& body, int count) {
  BeamCut(mechanism, body, count).run();
}

}  // namespace kane
