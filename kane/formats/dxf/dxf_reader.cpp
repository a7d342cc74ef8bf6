#include "kane/formats/dxf/dxf_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kane/formats/import_names.hpp"
#include "kane/formats/yaml/yaml_tree.hpp"
#include "kane/mechanism/joint_library.hpp"

namespace kane {

namespace {

constexpr double kTurn = 2 * 3.14159265358979323846;
constexpr std::size_t kMostShapes = 5000;  ///< straight pieces that are drawn

/// Integrals over what one outline encloses: 1, x, y, x^2, y^2, x y. By Green's theorem each is a sum over the edges; between
/// a chord and its arc lies a segment of a circle, whose integrals are known.
struct OutlineSums {
  double a = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

  void add(const OutlineSums& s, double factor) {
    a += factor * s.a, x += factor * s.x, y += factor * s.y;
    xx += factor * s.xx, yy += factor * s.yy, xy += factor * s.xy;
  }
};

/// The triangle from the origin to the edge.
OutlineSums triangle_sums(const DxfVertex& p, const DxfVertex& q) {
  const double c = p.x * q.y - q.x * p.y;
  return {c / 2,
          c * (p.x + q.x) / 6,
          c * (p.y + q.y) / 6,
          c * (p.x * p.x + p.x * q.x + q.x * q.x) / 12,
          c * (p.y * p.y + p.y * q.y + q.y * q.y) / 12,
          c * (p.x * q.y + 2 * p.x * p.y + 2 * q.x * q.y + q.x * p.y) / 24};
}

struct ArcPiece {
  double cx = 0, cy = 0, r = 0, begin = 0, angle = 0;  ///< angle > 0: counter-clockwise
};

/// bulge b = tan(angle/4); the centre lies on the normal of the chord at (1 - b^2)/(4 b) of its length.
ArcPiece arc_of(const DxfVertex& p, const DxfVertex& q) {
  const double b = p.bulge, dx = q.x - p.x, dy = q.y - p.y;
  const double h = (1 - b * b) / (4 * b);
  ArcPiece arc;
  arc.cx = (p.x + q.x) / 2 - h * dy, arc.cy = (p.y + q.y) / 2 + h * dx;
  arc.r = std::hypot(dx, dy) * (1 + b * b) / (4 * std::abs(b));
  arc.begin = std::atan2(p.y - arc.cy, p.x - arc.cx);
  arc.angle = 4 * std::atan(b);
  return arc;
}

/// Between chord and arc, with the sign of the bulge. In axes u along the middle radius and v across, of a segment of the
/// half angle s: area r^2 (s - sin s cos s), and integrals of u, u^2 and v^2.
OutlineSums segment_sums(const ArcPiece& arc) {
  const double s = std::abs(arc.angle) / 2, r = arc.r, sign = arc.angle > 0 ? 1 : -1;
  const double sn = std::sin(s), cs = std::cos(s), r2 = r * r, r4 = r2 * r2;
  const double a = r2 * (s - sn * cs);
  const double u = 2.0 / 3 * r2 * r * sn * sn * sn;
  const double uu = r4 / 4 * (s - sn * cs + 2 * sn * sn * sn * cs);
  const double vv = r4 / 4 * (s - sn * cs - 2.0 / 3 * sn * sn * sn * cs);
  const double m = arc.begin + arc.angle / 2, cm = std::cos(m), sm = std::sin(m);
  // Turned by m and moved to the centre of the circle.
  const double x0 = u * cm, y0 = u * sm;
  const double xx0 = uu * cm * cm + vv * sm * sm, yy0 = uu * sm * sm + vv * cm * cm, xy0 = (uu - vv) * sm * cm;
  OutlineSums r_;
  r_.add({a, x0 + a * arc.cx, y0 + a * arc.cy, xx0 + 2 * arc.cx * x0 + a * arc.cx * arc.cx,
          yy0 + 2 * arc.cy * y0 + a * arc.cy * arc.cy, xy0 + arc.cx * y0 + arc.cy * x0 + a * arc.cx * arc.cy},
         sign);
  return r_;
}

OutlineSums chain_sums(const DxfChain& chain) {
  OutlineSums sums;
  const std::size_t n = chain.vertices.size();
  for (std::size_t i = 0; i < n; ++i) {
    const DxfVertex &p = chain.vertices[i], &q = chain.vertices[(i + 1) % n];
    sums.add(triangle_sums(p, q), 1);
    if (p.bulge != 0 && std::hypot(q.x - p.x, q.y - p.y) > 0) sums.add(segment_sums(arc_of(p, q)), 1);
  }
  if (sums.a < 0) {
    OutlineSums turned;
    turned.add(sums, -1);
    return turned;
  }
  return sums;
}

/// Straight pieces of a chain; arcs in steps of at most 15 degrees.
std::vector<DxfVertex> straightened(const DxfChain& chain) {
  std::vector<DxfVertex> points;
  const std::size_t n = chain.vertices.size();
  for (std::size_t i = 0; i < n; ++i) {
    const DxfVertex& p = chain.vertices[i];
    points.push_back({p.x, p.y, 0});
    if (p.bulge == 0 || (i + 1 == n && !chain.closed)) continue;
    const DxfVertex& q = chain.vertices[(i + 1) % n];
    if (std::hypot(q.x - p.x, q.y - p.y) == 0) continue;
    const ArcPiece arc = arc_of(p, q);
    const int steps = std::max(2, static_cast<int>(std::ceil(std::abs(arc.angle) / (kTurn / 24))));
    for (int k = 1; k < steps; ++k) {
      const double a = arc.begin + arc.angle * k / steps;
      points.push_back({arc.cx + arc.r * std::cos(a), arc.cy + arc.r * std::sin(a), 0});
    }
  }
  return points;
}

bool encloses(const std::vector<DxfVertex>& outline, const DxfVertex& p) {
  bool inside = false;
  for (std::size_t i = 0, j = outline.size() - 1; i < outline.size(); j = i++) {
    const DxfVertex &a = outline[i], &b = outline[j];
    if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) inside = !inside;
  }
  return inside;
}

bool meet(const DxfVertex& a, const DxfVertex& b, double reach) { return std::hypot(a.x - b.x, a.y - b.y) <= reach; }

DxfChain reversed(const DxfChain& chain) {
  DxfChain r = chain;
  std::reverse(r.vertices.begin(), r.vertices.end());
  for (std::size_t i = 0; i + 1 < r.vertices.size(); ++i) r.vertices[i].bulge = -r.vertices[i + 1].bulge;
  r.vertices.back().bulge = 0;
  return r;
}

/// Lines and arcs that end where others begin become one chain.
void join_chains(std::vector<DxfChain>& chains) {
  double size = 0;
  for (const DxfChain& c : chains)
    for (const DxfVertex& v : c.vertices) size = std::max({size, std::abs(v.x), std::abs(v.y)});
  const double reach = 1e-6 * size;
  for (std::size_t i = 0; i < chains.size();) {
    DxfChain& c = chains[i];
    if (c.closed) {
      ++i;
      continue;
    }
    if (c.vertices.size() > 2 && meet(c.vertices.front(), c.vertices.back(), reach)) {
      c.vertices.pop_back();
      c.closed = true;
      ++i;
      continue;
    }
    bool joined = false;
    for (std::size_t j = i + 1; j < chains.size() && !joined; ++j) {
      if (chains[j].closed) continue;
      DxfChain next = chains[j];
      if (meet(c.vertices.back(), next.vertices.back(), reach) ||
          meet(c.vertices.front(), next.vertices.front(), reach))
        next = reversed(next);
      if (meet(c.vertices.back(), next.vertices.front(), reach)) {
        c.vertices.back().bulge = next.vertices.front().bulge;
        c.vertices.insert(c.vertices.end(), next.vertices.begin() + 1, next.vertices.end());
      } else if (meet(next.vertices.back(), c.vertices.front(), reach)) {
        next.vertices.back().bulge = c.vertices.front().bulge;
        next.vertices.insert(next.vertices.end(), c.vertices.begin() + 1, c.vertices.end());
        c.vertices = std::move(next.vertices);
      } else {
        continue;
      }
      chains.erase(chains.begin() + static_cast<std::ptrdiff_t>(j));
      joined = true;
    }
    if (!joined) ++i;
  }
}

class DxfBuilder {
 public:
  DxfBuilder(DxfFile file, const std::string& name)
      : file_(std::move(file)), m_(plain_name(stem_of(name))), names_({m_.ground}) {
    m_.where = {name, 1, 1};
  }

  Mechanism build() {
    m_.notes = std::move(file_.notes);
    if (!file_.unit_given) m_.notes.emplace_back("the drawing does not state its unit ($INSUNITS); metres are assumed");
    density_ = m_.add_parameter("area_density", Expr(1));
    m_.units["area_density"] = "kg/m^2";
    MechanismBody background;
    for (DxfLayer& layer : file_.layers) {
      scale(layer);
      join_chains(layer.chains);
      add_layer(layer, background);
    }
    if (m_.bodies.empty())
      throw ModelError(m_.where, "no layer of the drawing has a closed outline, so that it has no bodies");
    if (!background.shapes.empty()) add_background(std::move(background));
    m_.notes.emplace_back("bodies move freely in the plane of the drawing; join them by joints or constraints");
    (void)check_mechanism(m_);
    return std::move(m_);
  }

 private:
  static std::string stem_of(const std::string& name) {
    const std::size_t slash = name.find_last_of('/');
    const std::string last = slash == std::string::npos ? name : name.substr(slash + 1);
    return last.substr(0, last.find_last_of('.'));
  }

  void scale(DxfLayer& layer) const {
    for (DxfChain& c : layer.chains)
      for (DxfVertex& v : c.vertices) v.x *= file_.unit, v.y *= file_.unit;
    for (DxfPoint& p : layer.points) p.x *= file_.unit, p.y *= file_.unit;
  }

  void add_layer(const DxfLayer& layer, MechanismBody& background) {
    std::vector<DxfChain> outlines;
    for (const DxfChain& c : layer.chains)
      if (c.closed) outlines.push_back(c);
    if (outlines.empty() || layer.name == "0") {
      for (const DxfChain& c : layer.chains) draw(c, 0, 0, background.shapes);
      if (!layer.points.empty())
        m_.notes.push_back(fmt::format("the points of the layer '{}' are left out: it is no body", shown(layer.name)));
      return;
    }
    const Where& where = outlines.front().where;
    const DxfArea area = dxf_area(outlines);
    if (!(area.area > 0) || !std::isfinite(area.xx + area.yy))
      throw ModelError(where, fmt::format("the outlines of the layer '{}' enclose no area", shown(layer.name)));
    MechanismBody body;
    body.name = names_.add(layer.name, "layer", &m_.notes);
    body.where = where;
    // About the centroid, where the body has its origin. A lamina has Izz = Ixx + Iyy.
    body.mass = area.area * density_;
    body.inertia = {Expr3{area.yy * density_, -area.xy * density_, Expr(0)},
                    Expr3{-area.xy * density_, area.xx * density_, Expr(0)},
                    Expr3{Expr(0), Expr(0), (area.xx + area.yy) * density_}};
    for (const DxfChain& c : layer.chains) draw(c, area.x, area.y, body.shapes);
    const std::string name = body.name;
    m_.add_body(std::move(body));
    int count = 0;
    for (const DxfPoint& p : layer.points)
      m_.points.push_back({names_.add(fmt::format("{}_p{}", name, ++count), "point"), name,
                           Expr3{Expr(p.x - area.x), Expr(p.y - area.y), Expr(0)}, p.where});
    Joint joint;
    joint.name = name + "_plane";
    joint.kind = "planar";
    joint.parent = m_.ground;
    joint.child = name;
    joint.where = where;
    joint.motions = open_joint(joint_kind("planar", where));
    name_motions(*m_.graph, joint, {name + "_x", name + "_y", name + "_turn"},
                 {name + "_vx", name + "_vy", name + "_w"});
    m_.initial[name + "_x"] = area.x, m_.initial[name + "_y"] = area.y;
    m_.add_joint(std::move(joint));
  }

  /// Thin rods along the pieces of a chain.
  void draw(const DxfChain& chain, double x0, double y0, std::vector<Shape>& shapes) {
    const std::vector<DxfVertex> points = straightened(chain);
    const std::size_t n = points.size();
    double length = 0;
    for (std::size_t i = 0; i + (chain.closed ? 0 : 1) < n; ++i)
      length += std::hypot(points[(i + 1) % n].x - points[i].x, points[(i + 1) % n].y - points[i].y);
    for (std::size_t i = 0; i + (chain.closed ? 0 : 1) < n; ++i) {
      const DxfVertex &p = points[i], &q = points[(i + 1) % n];
      const double dx = q.x - p.x, dy = q.y - p.y, l = std::hypot(dx, dy);
      if (l == 0) continue;
      if (++drawn_ > kMostShapes)
        throw LimitError(chain.where,
                         fmt::format("the drawing has more than {} straight pieces; this is the limit", kMostShapes));
      Shape shape;
      shape.kind = ShapeKind::Rod;
      shape.sizes = {length * 2e-3, l};
      shape.place.position = {Expr((p.x + q.x) / 2 - x0), Expr((p.y + q.y) / 2 - y0), Expr(0)};
      // The rod lies along its z axis.
      const double cx = dx / l, cy = dy / l;
      shape.place.rotation = {Expr3{Expr(-cy), Expr(0), Expr(cx)}, Expr3{Expr(cx), Expr(0), Expr(cy)},
                              Expr3{Expr(0), Expr(1), Expr(0)}};
      shapes.push_back(std::move(shape));
    }
  }

  void add_background(MechanismBody body) {
    body.name = names_.add("background", "body");
    body.where = m_.where;
    Joint weld;
    weld.name = body.name;
    weld.kind = "weld";
    weld.parent = m_.ground;
    weld.child = body.name;
    weld.where = m_.where;
    m_.add_body(std::move(body));
    m_.add_joint(std::move(weld));
  }

  DxfFile file_;
  Mechanism m_;
  ImportNames names_;
  Expr density_;
  std::size_t drawn_ = 0;
};

}  // namespace

DxfArea dxf_area(const std::vector<DxfChain>& outlines) {
  std::vector<std::vector<DxfVertex>> straight;
  for (const DxfChain& c : outlines) straight.push_back(straightened(c));
  OutlineSums sums;
  for (std::size_t i = 0; i < outlines.size(); ++i) {
    int depth = 0;
    for (std::size_t j = 0; j < outlines.size(); ++j)
      if (j != i && encloses(straight[j], straight[i].front())) ++depth;
    sums.add(chain_sums(outlines[i]), depth % 2 == 0 ? 1 : -1);
  }
  DxfArea r;
  r.area = sums.a;
  if (sums.a <= 0) return r;
  r.x = sums.x / sums.a, r.y = sums.y / sums.a;
  r.xx = sums.xx - sums.a * r.x * r.x, r.yy = sums.yy - sums.a * r.y * r.y, r.xy = sums.xy - sums.a * r.x * r.y;
  return r;
}

Mechanism read_dxf_text(std::string_view text, const std::string& file_name, const DxfLimits& limits) {
  return DxfBuilder(read_dxf_file(text, file_name, limits), file_name).build();
}

}  // namespace kane
