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

struct DxfPair {
  int code = 0;
  std::string_view value;
  int line = 0;  ///< of the value
};

/// One entity: its name and its pairs.
struct DxfEntity {
  std::string_view name;
  int line = 0;
  std::vector<DxfPair> pairs;
};

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
        if (section == "ENTITIES") read_entities(), section = {};
      }
    }
    if (!any) throw ModelError({file_, 1, 1}, "the file has no sections; is this a DXF file?");
    std::erase_if(result_.layers, [](const DxfLayer& l) { return l.chains.empty() && l.points.empty(); });
    if (silent_ > 0)
      result_.notes.push_back(fmt::format("{} text{}, dimension{} and hatches are left out", silent_,
                                          silent_ == 1 ? "" : "s", silent_ == 1 ? "" : "s"));
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
    const int unit = static_cast<int>(number(pair_));
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

  void read_entities() {
    std::size_t count = 0;
    while (next()) {
      if (pair_.code != 0) fail(fmt::format("the group code {} stands outside an entity", pair_.code));
      if (pair_.value == "ENDSEC" || pair_.value == "EOF") {
        again_ = pair_.value == "EOF";
        return;
      }
      if (++count > limits_.max_entities)
        throw LimitError(
            {file_, pair_.line, 1},
            fmt::format("the drawing has more than {} entities; this is the limit max_entities", limits_.max_entities));
      add(read_entity());
    }
    throw ModelError({file_, line_, 1}, "the file ends inside its section ENTITIES");
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

  DxfLayer& layer_of(const DxfEntity& e) {
    const auto p = find(e, 8);
    const std::string name(p ? p->value : "0");
    for (DxfLayer& l : result_.layers)
      if (l.name == name) return l;
    if (result_.layers.size() >= limits_.max_layers)
      throw LimitError(
          {file_, e.line, 1},
          fmt::format("the drawing has more than {} layers; this is the limit max_layers", limits_.max_layers));
    result_.layers.push_back({name, {}, {}});
    return result_.layers.back();
  }

  void add(const DxfEntity& e) {
    static constexpr std::string_view kDrawn[] = {"LINE", "ARC", "CIRCLE", "LWPOLYLINE", "POLYLINE", "POINT"};
    static constexpr std::string_view kSilent[] = {"TEXT",     "MTEXT",  "DIMENSION", "LEADER",  "MULTILEADER", "HATCH",
                                                   "VIEWPORT", "ATTDEF", "SEQEND",    "WIPEOUT", "IMAGE"};
    const auto among = [&](std::span<const std::string_view> list) {
      return std::find(list.begin(), list.end(), e.name) != list.end();
    };
    if (!among(kDrawn)) {
      if (e.name == "VERTEX") fail_at(e.line, "a VERTEX stands outside a POLYLINE");
      if (!among(kSilent))
        fail_at(e.line, fmt::format("the entity '{}' is not supported; explode it to LINE, ARC, CIRCLE or LWPOLYLINE",
                                    printable(e.name)));
      if (e.name != "SEQEND") ++silent_;
      return;
    }
    // A drawing seen from below, as mirrored arcs are stored.
    const double up = number_or(e, 230, 1);
    if (std::abs(std::abs(up) - 1) > 1e-9) fail_at(e.line, "the entity is not in a plane parallel to x and y");
    const double mirror = up < 0 ? -1 : 1;
    const Where where{file_, e.line, 1};
    DxfLayer& layer = layer_of(e);
    if (e.name == "POINT") {
      layer.points.push_back({need(e, 10), need(e, 20), where});
      return;
    }
    DxfChain chain;
    chain.where = where;
    if (e.name == "LINE") {
      chain.vertices = {{need(e, 10), need(e, 20), 0}, {need(e, 11), need(e, 21), 0}};
    } else if (e.name == "ARC" || e.name == "CIRCLE") {
      add_arc(e, chain, mirror);
    } else if (e.name == "LWPOLYLINE") {
      chain.closed = (static_cast<int>(number_or(e, 70, 0)) & 1) != 0;
      for (const DxfPair& p : e.pairs) {
        if (p.code == 10) add_vertex(chain, {mirror * number(p), 0, 0}, e.line);
        if (p.code == 20 && !chain.vertices.empty()) chain.vertices.back().y = number(p);
        if (p.code == 42 && !chain.vertices.empty()) chain.vertices.back().bulge = mirror * number(p);
      }
    } else {
      read_old_polyline(e, chain, mirror);
    }
    if (chain.vertices.size() < 2) fail_at(e.line, fmt::format("this {} has fewer than two points", printable(e.name)));
    layer.chains.push_back(std::move(chain));
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
  void read_old_polyline(const DxfEntity& e, DxfChain& chain, double mirror) {
    const int flags = static_cast<int>(number_or(e, 70, 0));
    if ((flags & ~(1 | 128)) != 0) fail_at(e.line, "meshes and curves in space are not supported as POLYLINE");
    chain.closed = (flags & 1) != 0;
    while (next()) {
      if (pair_.value != "VERTEX") {
        again_ = true;
        return;
      }
      const DxfEntity v = read_entity();
      add_vertex(chain, {mirror * need(v, 10), need(v, 20), mirror * number_or(v, 42, 0)}, v.line);
    }
  }

  std::string_view text_;
  std::string file_;
  DxfLimits limits_;
  std::size_t at_ = 0, vertices_ = 0, silent_ = 0;
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
