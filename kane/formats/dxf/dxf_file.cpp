#include "kane/formats/dxf/dxf_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <span>

namespace kane {

namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;
constexpr int kPiecesOfSpan = 24;  ///< arcs for each piece of a spline

struct DxfPair {
  int code = 0;
  std::string_view value;
  int line = 0;  ///< of the value
};

/// One entity: its name and its pairs, and the VERTEX entities that follow a POLYLINE.
struct DxfEntity {
  std::string_view name;
  int line = 0;
  std::vector<DxfPair> pairs;
  std::vector<DxfEntity> vertices = {};
};

/// What INSERT places: entities about a base point.
struct DxfBlock {
  double x = 0, y = 0;
  std::vector<DxfEntity> entities;
};

/// Where the inside of a block lies in the drawing: (x, y) goes to (xx x + xy y + x0, yx x + yy y + y0).
struct DxfPlacement {
  double xx = 1, xy = 0, yx = 0, yy = 1, x0 = 0, y0 = 0;
  std::string_view layer = {};  ///< of the INSERT, for entities of the layer "0"
  int depth = 0;                ///< blocks within blocks

  [[nodiscard]] DxfVertex operator()(double x, double y) const {
    return {xx * x + xy * y + x0, yx * x + yy * y + y0, 0};
  }
  [[nodiscard]] double determinant() const { return xx * yy - xy * yx; }
  /// Circles stay circles.
  [[nodiscard]] bool keeps_circles() const {
    const double size = std::abs(determinant());
    return std::abs(std::hypot(xx, yx) - std::hypot(xy, yy)) <= 1e-9 * std::sqrt(size) &&
           std::abs(xx * xy + yx * yy) <= 1e-9 * size;
  }
};

/// The arc from p through m to q turns by twice the angle between its two chords; a bulge is the tangent of a quarter of it.
/// Nothing if the curve turns back, as at a cusp: no arc follows it there.
std::optional<double> bulge_through(const DxfVertex& p, const DxfVertex& m, const DxfVertex& q) {
  const double ax = m.x - p.x, ay = m.y - p.y, bx = q.x - m.x, by = q.y - m.y;
  const double sine = ax * by - ay * bx, cosine = ax * bx + ay * by;
  if (cosine < 0) return {};
  constexpr double kStraight = 1e-13;
  return std::abs(sine) <= kStraight * cosine ? 0.0 : std::tan(std::atan2(sine, cosine) / 2);
}

class DxfParser {
 public:
  DxfParser(std::string_view text, const std::string& file, const DxfLimits& limits)
      : text_(text), file_(file), limits_(limits) {}

  DxfFile read() {
    if (text_.size() > limits_.max_bytes)
      throw LimitError({file_, 0, 0}, fmt::format("the drawing has more than {} bytes; this is the limit max_bytes",
                                                  limits_.max_bytes));
    if (text_.starts_with("AutoCAD Binary DXF"))
      throw ModelError({file_, 1, 1}, "this is a binary DXF file; save the drawing as DXF text");
    std::string_view section;
    std::vector<DxfEntity> drawing;
    bool any = false;
    while (next()) {
      if (pair_.code != 0) {
        if (section == "HEADER") read_header();
        if (!any && pair_.code != 999) fail("a drawing begins with a section; is this a DXF file?");
        continue;
      }
      any = true;
      if (pair_.value == "EOF") break;
      if (pair_.value == "ENDSEC") {
        section = {};
      } else if (pair_.value == "SECTION") {
        if (!next() || pair_.code != 2) fail("a section needs its name (code 2)");
        section = pair_.value;
        if (section == "BLOCKS") read_blocks(), section = {};
        if (section == "ENTITIES") {
          for (DxfEntity& e : read_entities("ENDSEC")) drawing.push_back(std::move(e));
          section = {};
        }
      }
    }
    for (const DxfEntity& e : drawing) add(e, {});
    if (!any) throw ModelError({file_, 1, 1}, "the file has no sections; is this a DXF file?");
    std::erase_if(result_.layers, [](const DxfLayer& l) { return l.chains.empty() && l.points.empty(); });
    std::string left_out;
    for (const auto& [name, count] : silent_)
      left_out += fmt::format("{}{} {}", left_out.empty() ? "" : ", ", count, name);
    if (!left_out.empty()) result_.notes.push_back(fmt::format("left out, since they outline nothing: {}", left_out));
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw ModelError({file_, pair_.line, 1}, message); }
  [[noreturn]] void fail_at(int line, const std::string& message) const { throw ModelError({file_, line, 1}, message); }

  // ---- pairs --------------------------------------------------------------------------------------------------------------
  bool read_line(std::string_view& line) {
    if (at_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    line = text_.substr(at_, end - at_);
    at_ = end + 1, ++line_;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    return true;
  }

  bool next() {
    if (again_) return again_ = false, true;
    std::string_view code;
    if (!read_line(code)) return false;
    if (code.empty() && at_ >= text_.size()) return false;
    pair_.line = line_;
    const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), pair_.code);
    if (error != std::errc() || end != code.data() + code.size())
      fail(fmt::format("'{}' is no group code; is this a DXF file?", printable(code)));
    if (!read_line(pair_.value)) fail(fmt::format("the file ends behind the group code {}", pair_.code));
    pair_.line = line_;
    return true;
  }

  static std::string printable(std::string_view text) {
    std::string r;
    for (const char c : text.substr(0, 40)) r += c >= ' ' && c < 127 ? c : '?';
    return r;
  }

  double number(const DxfPair& pair) const {
    double value = 0;
    std::string_view text = pair.value;
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || std::abs(value) > 1e12)
      fail_at(pair.line, fmt::format("'{}' is no number that a drawing can have", printable(pair.value)));
    return value;
  }

  // ---- header -------------------------------------------------------------------------------------------------------------
  void read_header() {
    if (pair_.code == 9) variable_ = pair_.value;
    if (variable_ != "$INSUNITS" || pair_.code != 70) return;
    static const std::map<int, double> units{{1, 0.0254}, {2, 0.3048},  {4, 1e-3},  {5, 1e-2},
                                             {6, 1.0},    {10, 0.9144}, {13, 1e-6}, {14, 0.1}};
    const double value = number(pair_);
    const int unit = std::abs(value) < 1e6 ? static_cast<int>(value) : -1;
    if (unit == 0) return;
    const auto found = units.find(unit);
    if (found == units.end())
      fail(fmt::format("the unit {} of $INSUNITS is not supported; use 1 (inch), 2 (foot), 4 (mm), 5 (cm) or 6 (m)",
                       unit));
    result_.unit = found->second, result_.unit_given = true;
  }

  // ---- entities -----------------------------------------------------------------------------------------------------------
  /// Pairs up to the next code 0, which stays to be read.
  DxfEntity read_entity() {
    DxfEntity e{pair_.value, pair_.line, {}};
    while (next()) {
      if (pair_.code == 0) {
        again_ = true;
        break;
      }
      e.pairs.push_back(pair_);
    }
    return e;
  }

  /// Entities up to `end` (ENDSEC or ENDBLK), which has been read then.
  std::vector<DxfEntity> read_entities(std::string_view end) {
    std::vector<DxfEntity> list;
    while (next()) {
      if (pair_.code != 0) fail(fmt::format("the group code {} stands outside an entity", pair_.code));
      if (pair_.value == end || (end == "ENDSEC" && pair_.value == "EOF")) {
        again_ = pair_.value == "EOF";
        return list;
      }
      if (pair_.value == "EOF" || pair_.value == "ENDSEC" || pair_.value == "SECTION" || pair_.value == "BLOCK")
        fail(fmt::format("'{}' stands where {} must come first", printable(pair_.value), end));
      DxfEntity e = read_entity();
      if (e.name == "VERTEX" && !list.empty() && list.back().name == "POLYLINE") {
        list.back().vertices.push_back(std::move(e));
        continue;
      }
      count(e.line);
      list.push_back(std::move(e));
    }
    throw ModelError({file_, line_, 1},
                     end == "ENDBLK" ? "the file ends inside a block" : "the file ends inside its section ENTITIES");
  }

  void count(int line) {
    if (++entities_ > limits_.max_entities)
      throw LimitError({file_, line, 1},
                       fmt::format("the drawing has more than {} entities, blocks counted each time they are inserted; "
                                   "this is the limit max_entities",
                                   limits_.max_entities));
  }

  void count_pairs(const DxfEntity& e, int line) {
    pairs_ += e.pairs.size();
    for (const DxfEntity& v : e.vertices) pairs_ += v.pairs.size();
    if (pairs_ > limits_.max_pairs)
      throw LimitError({file_, line, 1},
                       fmt::format("the blocks inserted have more than {} group codes; this is the limit "
                                   "max_pairs",
                                   limits_.max_pairs));
  }

  void read_blocks() {
    while (next()) {
      if (pair_.code != 0) continue;  // the rest of an ENDBLK
      if (pair_.value == "ENDSEC" || pair_.value == "EOF") {
        again_ = pair_.value == "EOF";
        return;
      }
      if (pair_.value != "BLOCK") fail(fmt::format("a BLOCK is expected here, not '{}'", printable(pair_.value)));
      const DxfEntity head = read_entity();
      const auto name = find(head, 2);
      if (!name) fail_at(head.line, "this BLOCK has no name (code 2)");
      DxfBlock block{number_or(head, 10, 0), number_or(head, 20, 0), read_entities("ENDBLK")};
      blocks_.insert_or_assign(name->value, std::move(block));
    }
  }

  static std::optional<DxfPair> find(const DxfEntity& e, int code) {
    for (const DxfPair& p : e.pairs)
      if (p.code == code) return p;
    return {};
  }
  double need(const DxfEntity& e, int code) const {
    const auto p = find(e, code);
    if (!p) fail_at(e.line, fmt::format("this {} lacks the group code {}", printable(e.name), code));
    return number(*p);
  }
  double number_or(const DxfEntity& e, int code, double otherwise) const {
    const auto p = find(e, code);
    return p ? number(*p) : otherwise;
  }

  [[nodiscard]] static std::string_view layer_name(const DxfEntity& e, const DxfPlacement& place) {
    const auto p = find(e, 8);
    const std::string_view own = p ? p->value : "0";
    return own == "0" && place.depth > 0 ? place.layer : own;
  }

  /// Flags and counts.
  [[nodiscard]] int whole_or(const DxfEntity& e, int code, int otherwise) const {
    const double value = number_or(e, code, otherwise);
    if (value != std::floor(value) || std::abs(value) > 1e6)
      fail_at(e.line, fmt::format("the group code {} of this {} is no count or flag", code, printable(e.name)));
    return static_cast<int>(value);
  }

  DxfLayer& layer_of(const DxfEntity& e, const DxfPlacement& place) {
    const std::string name(layer_name(e, place));
    for (DxfLayer& l : result_.layers)
      if (l.name == name) return l;
    if (result_.layers.size() >= limits_.max_layers)
      throw LimitError(
          {file_, e.line, 1},
          fmt::format("the drawing has more than {} layers; this is the limit max_layers", limits_.max_layers));
    result_.layers.push_back({name, {}, {}});
    return result_.layers.back();
  }

  void add(const DxfEntity& e, const DxfPlacement& place) {
    static constexpr std::string_view kDrawn[] = {"LINE",     "ARC",   "CIRCLE",  "LWPOLYLINE",
                                                  "POLYLINE", "POINT", "ELLIPSE", "SPLINE"};
    static constexpr std::string_view kSilent[] = {"TEXT",     "MTEXT",  "DIMENSION", "LEADER",  "MULTILEADER", "HATCH",
                                                   "VIEWPORT", "ATTDEF", "ATTRIB",    "WIPEOUT", "IMAGE"};
    const auto among = [&](std::span<const std::string_view> list) {
      return std::find(list.begin(), list.end(), e.name) != list.end();
    };
    if (e.name == "SEQEND") return;
    if (e.name == "VERTEX") fail_at(e.line, "a VERTEX stands outside a POLYLINE");
    if (among(kSilent)) {
      ++silent_[e.name];
      return;
    }
    if (!among(kDrawn) && e.name != "INSERT")
      fail_at(e.line, fmt::format("the entity '{}' is not supported; explode it to LINE, ARC, CIRCLE or LWPOLYLINE",
                                  printable(e.name)));
    // A drawing seen from below, as mirrored arcs are stored.
    const double up = number_or(e, 230, 1);
    if (std::abs(std::abs(up) - 1) > 1e-9) fail_at(e.line, "the entity is not in a plane parallel to x and y");
    const double mirror = up < 0 ? -1 : 1;
    if (e.name == "INSERT") {
      insert(e, place, mirror);
      return;
    }
    const Where where{file_, e.line, 1};
    DxfLayer& layer = layer_of(e, place);
    if (e.name == "POINT") {
      const DxfVertex p = place(need(e, 10), need(e, 20));
      layer.points.push_back({p.x, p.y, where});
      return;
    }
    DxfChain chain;
    chain.where = where;
    if (e.name == "LINE") {
      chain.vertices = {{need(e, 10), need(e, 20), 0}, {need(e, 11), need(e, 21), 0}};
    } else if (e.name == "ARC" || e.name == "CIRCLE") {
      add_arc(e, chain, mirror);
    } else if (e.name == "ELLIPSE") {
      add_ellipse(e, chain, mirror);
    } else if (e.name == "SPLINE") {
      add_spline(e, chain);
    } else if (e.name == "LWPOLYLINE") {
      chain.closed = (whole_or(e, 70, 0) & 1) != 0;
      for (const DxfPair& p : e.pairs) {
        if (p.code == 10) add_vertex(chain, {mirror * number(p), 0, 0}, e.line);
        if (p.code == 20 && !chain.vertices.empty()) chain.vertices.back().y = number(p);
        if (p.code == 42 && !chain.vertices.empty()) chain.vertices.back().bulge = mirror * number(p);
      }
    } else {
      add_old_polyline(e, chain, mirror);
    }
    if (chain.vertices.size() < 2) fail_at(e.line, fmt::format("this {} has fewer than two points", printable(e.name)));
    put(chain, place, e);
    layer.chains.push_back(std::move(chain));
  }

  void put(DxfChain& chain, const DxfPlacement& place, const DxfEntity& e) const {
    if (place.depth == 0) return;
    const double turn = place.determinant() < 0 ? -1 : 1;
    for (DxfVertex& v : chain.vertices) {
      if (v.bulge != 0 && !place.keeps_circles())
        fail_at(e.line, fmt::format("this {} is in a block that INSERT stretches differently in x and y; explode it",
                                    printable(e.name)));
      const DxfVertex p = place(v.x, v.y);
      v = {p.x, p.y, turn * v.bulge};
    }
  }

  /// A block, once or in rows and columns.
  void insert(const DxfEntity& e, const DxfPlacement& outer, double mirror) {
    const auto name = find(e, 2);
    if (!name) fail_at(e.line, "this INSERT does not name its block (code 2)");
    const auto block = blocks_.find(name->value);
    if (block == blocks_.end()) fail_at(e.line, fmt::format("there is no block '{}'", printable(name->value)));
    if (outer.depth >= limits_.max_depth)
      throw LimitError({file_, e.line, 1},
                       fmt::format("blocks are inserted into blocks more than {} deep; this is the limit max_depth",
                                   limits_.max_depth));
    const double sx = number_or(e, 41, 1), sy = number_or(e, 42, 1), angle = number_or(e, 50, 0) * kDegree;
    if (sx == 0 || sy == 0) fail_at(e.line, "this INSERT has the scale 0");
    const int columns = whole_or(e, 70, 1), rows = whole_or(e, 71, 1);
    const double c = std::cos(angle), s = std::sin(angle), x = need(e, 10), y = need(e, 20);
    for (int i = 0; i < std::max(1, rows); ++i)
      for (int j = 0; j < std::max(1, columns); ++j) {
        // In the frame of the INSERT the base point comes to lie at (dx, dy); then it is turned, moved and mirrored.
        const double dx = j * number_or(e, 44, 0), dy = i * number_or(e, 45, 0);
        const double bx = dx - sx * block->second.x, by = dy - sy * block->second.y;
        DxfPlacement in;
        in.xx = mirror * c * sx, in.xy = -mirror * s * sy, in.x0 = mirror * (c * bx - s * by + x);
        in.yx = s * sx, in.yy = c * sy, in.y0 = s * bx + c * by + y;
        DxfPlacement place;
        place.xx = outer.xx * in.xx + outer.xy * in.yx, place.xy = outer.xx * in.xy + outer.xy * in.yy;
        place.yx = outer.yx * in.xx + outer.yy * in.yx, place.yy = outer.yx * in.xy + outer.yy * in.yy;
        const DxfVertex at = outer(in.x0, in.y0);
        place.x0 = at.x, place.y0 = at.y;
        place.layer = layer_name(e, outer);
        place.depth = outer.depth + 1;
        for (const DxfEntity& part : block->second.entities) {
          count(e.line);
          count_pairs(part, e.line);
          add(part, place);
        }
        count(e.line);
      }
  }

  /// A curve as arcs, each through three of its points: the area that they enclose is right to the fourth power of their size.
  template <typename Curve>
  void add_curve(DxfChain& chain, const Curve& point, double from, double to, int pieces, int line) {
    if (chain.vertices.empty()) add_vertex(chain, point(from), line);
    for (int k = 0; k < pieces; ++k) {
      const double a = from + (to - from) * k / pieces, b = from + (to - from) * (k + 1) / pieces;
      const DxfVertex middle = point((a + b) / 2), end = point(b);
      const std::optional<double> bulge = bulge_through(chain.vertices.back(), middle, end);
      if (bulge)
        chain.vertices.back().bulge = *bulge;
      else
        add_vertex(chain, middle, line);
      add_vertex(chain, end, line);
    }
  }

  static void close_if_it_meets(DxfChain& chain) {
    double size = 0;
    for (const DxfVertex& v : chain.vertices)
      size = std::max({size, std::abs(v.x - chain.vertices[0].x), std::abs(v.y - chain.vertices[0].y)});
    const DxfVertex &a = chain.vertices.front(), &b = chain.vertices.back();
    if (chain.vertices.size() < 3 || std::hypot(a.x - b.x, a.y - b.y) > 1e-9 * size) return;
    chain.vertices.pop_back();
    chain.closed = true;
  }

  /// Centre, half the major axis as a vector, the ratio of the axes, and the parameters of its ends.
  void add_ellipse(const DxfEntity& e, DxfChain& chain, double up) {
    const double x = need(e, 10), y = need(e, 20), ax = need(e, 11), ay = need(e, 21), ratio = need(e, 40);
    if (std::hypot(ax, ay) == 0 || ratio <= 0) fail_at(e.line, "the axes of the ellipse are not positive");
    const double from = number_or(e, 41, 0);
    double angle = std::fmod(number_or(e, 42, 360 * kDegree) - from, 360 * kDegree);
    constexpr double kRounding = 1e-6;  // a whole turn, as rounded decimals write it, may be a little more
    if (angle <= kRounding) angle += 360 * kDegree;
    const auto point = [&](double t) {
      const double c = std::cos(t), s = std::sin(t) * ratio * up;
      return DxfVertex{x + c * ax - s * ay, y + c * ay + s * ax, 0};
    };
    add_curve(chain, point, from, from + angle, std::max(1, static_cast<int>(std::ceil(angle / kDegree / 5))), e.line);
    close_if_it_meets(chain);
  }

  /// A spline by its control points, rational if they have weights, after de Boor.
  void add_spline(const DxfEntity& e, DxfChain& chain) {
    std::vector<double> knots, weights;
    std::vector<DxfVertex> points;
    for (const DxfPair& p : e.pairs) {
      if (p.code == 40) knots.push_back(number(p));
      if (p.code == 41) weights.push_back(number(p));
      if (p.code == 10) points.push_back({number(p), 0, 0});
      if (p.code == 20 && !points.empty()) points.back().y = number(p);
    }
    const auto degree = static_cast<std::size_t>(std::clamp(whole_or(e, 71, 3), 0, 100));
    if (points.empty())
      fail_at(e.line, "this SPLINE gives points that it passes through and no control points; explode it");
    if (degree < 1 || degree > 10) fail_at(e.line, "the degree of a SPLINE is from 1 to 10");
    if (points.size() <= degree || knots.size() != points.size() + degree + 1)
      fail_at(e.line, fmt::format("a SPLINE of degree {} with {} control points needs {} knots, not {}", degree,
                                  points.size(), points.size() + degree + 1, knots.size()));
    if (!std::is_sorted(knots.begin(), knots.end())) fail_at(e.line, "the knots of the SPLINE are not in order");
    if (weights.empty()) weights.assign(points.size(), 1.0);
    if (weights.size() != points.size() || *std::min_element(weights.begin(), weights.end()) <= 0)
      fail_at(e.line, "a SPLINE has one positive weight for each control point, or none");
    for (std::size_t span = degree; span < points.size(); ++span) {
      if (knots[span + 1] <= knots[span]) continue;
      const auto point = [&](double t) {
        double x[11], y[11], w[11];
        for (std::size_t j = 0; j <= degree; ++j) {
          const std::size_t i = span - degree + j;
          w[j] = weights[i], x[j] = points[i].x * w[j], y[j] = points[i].y * w[j];
        }
        for (std::size_t r = 1; r <= degree; ++r)
          for (std::size_t j = degree; j >= r; --j) {
            const std::size_t i = span - degree + j;
            const double a = (t - knots[i]) / (knots[i + degree - r + 1] - knots[i]);
            x[j] = (1 - a) * x[j - 1] + a * x[j], y[j] = (1 - a) * y[j - 1] + a * y[j];
            w[j] = (1 - a) * w[j - 1] + a * w[j];
          }
        return DxfVertex{x[degree] / w[degree], y[degree] / w[degree], 0};
      };
      add_curve(chain, point, knots[span], knots[span + 1], degree == 1 ? 1 : kPiecesOfSpan, e.line);
    }
    if (chain.vertices.empty()) fail_at(e.line, "the knots of the SPLINE are all the same");
    close_if_it_meets(chain);
  }

  void add_arc(const DxfEntity& e, DxfChain& chain, double mirror) {
    const double x = mirror * need(e, 10), y = need(e, 20), r = need(e, 40);
    if (r <= 0) fail_at(e.line, "the radius is not positive");
    if (e.name == "CIRCLE") {
      chain.vertices = {{x + r, y, 1}, {x - r, y, 1}};
      chain.closed = true;
      return;
    }
    const double from = need(e, 50) * kDegree;
    double angle = std::fmod(need(e, 51) * kDegree - from, 2 * 180 * kDegree);
    if (angle <= 0) angle += 360 * kDegree;
    // Two pieces, since the bulge of a full circle would be infinite.
    const double bulge = mirror * std::tan(angle / 8);
    for (int k = 0; k < 3; ++k) {
      const double a = from + angle * k / 2;
      chain.vertices.push_back({x + mirror * r * std::cos(a), y + r * std::sin(a), k < 2 ? bulge : 0});
    }
  }

  void add_vertex(DxfChain& chain, const DxfVertex& vertex, int line) {
    if (++vertices_ > limits_.max_vertices)
      throw LimitError(
          {file_, line, 1},
          fmt::format("the drawing has more than {} vertices; this is the limit max_vertices", limits_.max_vertices));
    chain.vertices.push_back(vertex);
  }

  /// POLYLINE, then a VERTEX for each point, then SEQEND.
  void add_old_polyline(const DxfEntity& e, DxfChain& chain, double mirror) {
    const int flags = whole_or(e, 70, 0);
    if ((flags & ~(1 | 128)) != 0) fail_at(e.line, "meshes and curves in space are not supported as POLYLINE");
    chain.closed = (flags & 1) != 0;
    for (const DxfEntity& v : e.vertices)
      add_vertex(chain, {mirror * need(v, 10), need(v, 20), mirror * number_or(v, 42, 0)}, v.line);
  }

  std::string_view text_;
  std::string file_;
  DxfLimits limits_;
  std::size_t at_ = 0, vertices_ = 0, entities_ = 0, pairs_ = 0;
  std::map<std::string_view, int> silent_;  ///< what is left out, and how often
  std::map<std::string_view, DxfBlock, std::less<>> blocks_;
  int line_ = 0;
  bool again_ = false;
  DxfPair pair_;
  std::string_view variable_;
  DxfFile result_;
};

}  // namespace

DxfFile read_dxf_file(std::string_view text, const std::string& file, const DxfLimits& limits) {
  return DxfParser(text, file, limits).read();
}

}  // namespace kane
