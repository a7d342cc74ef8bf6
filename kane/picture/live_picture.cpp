#include "kane/picture/live_picture.hpp"

#include <algorithm>
#include <cmath>

#include "kane/expr/traverse.hpp"
#include "kane/mechanism/symbol_units.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/model/pull.hpp"
#include "kane/picture/page_json.hpp"

namespace kane {

namespace {

using LiveJson = nlohmann::ordered_json;
using LiveKind = ReportItem::Kind;

LiveJson vector_json(const Vec3& v) { return {v.x, v.y, v.z}; }

const ReportItem* find_item(const CompiledSystem& system, LiveKind kind, const std::string& name) {
  for (const ReportItem& item : system.report_items())
    if (item.kind == kind && item.name == name) return &item;
  return nullptr;
}

/// Mass of a body with the particles on it; 0 if it is not a number.
double carried_mass(const Mechanism& mechanism, const std::string& body, const Values& values) {
  const FunctionTable functions = table_functions(mechanism);
  const auto number = [&](const Expr& e) {
    try {
      const double value = evaluate(e, values, functions);
      return std::isfinite(value) ? value : 0.0;
    } catch (const ModelError&) {
      return 0.0;
    }
  };
  double mass = 0;
  for (const auto& b : mechanism.bodies)
    if (b.name == body) mass += number(b.mass);
  for (const auto& p : mechanism.particles)
    if (p.on == body) mass += number(p.mass);
  return mass;
}

/// Writes the description; row_place() turns places in the reports into places in a row.
class LiveJsonWriter {
 public:
  LiveJsonWriter(const Mechanism& mechanism, const CompiledSystem& system, const Values& parameters, const Scene& scene,
                 const std::vector<std::size_t>& columns)
      : mechanism_(mechanism), system_(system), parameters_(parameters), scene_(scene), columns_(columns) {}

  LiveJson write() {
    LiveJson j;
    j["size"] = scene_.size;
    j["row"] = columns_.size();
    if (scene_.gravity) j["gravity"] = row_place(*scene_.gravity);
    add_bodies(j);
    add_parts(j);
    add_joints(j);
    j["sources"] = sources_;
    add_signals(j);
    return j;
  }

  /// How vertices, anchors and radii change with a parameter: differences for a small step, which are exact for everything
  /// that is linear in it.
  LiveJson morphs() {
    constexpr std::size_t kMostVertices = 20'000, kMostParameters = 40;
    std::size_t vertices = 0;
    for (const ScenePart& part : scene_.parts) vertices += part.mesh.vertices.size();
    LiveJson list = LiveJson::array();
    if (vertices > kMostVertices || mechanism_.parameters.size() > kMostParameters) return list;
    for (const auto& parameter : system_.equations().parameters) {
      const std::string name = parameter.symbol.name();
      if (!symbols_of({&parameter.value, 1}).empty()) continue;  // it follows others
      const double value = parameters_.at(name), step = value != 0 ? 1e-4 * std::abs(value) : 1e-4;
      Values given;
      for (const auto& p : system_.equations().parameters)
        if (symbols_of({&p.value, 1}).empty()) given[p.symbol.name()] = parameters_.at(p.symbol.name());
      given[name] = value + step;
      LiveJson morph = morph_to(given, step);
      if (!morph.empty()) morph["parameter"] = name, morph["at"] = value, list.push_back(std::move(morph));
    }
    return list;
  }

 private:
  [[nodiscard]] std::size_t row_place(std::size_t report) const {
    return static_cast<std::size_t>(std::lower_bound(columns_.begin(), columns_.end(), report) - columns_.begin());
  }
  /// The index of a point among the sources: a place in the row, or a point fixed in a body.
  std::size_t source(std::size_t point) {
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (points_[i] == point) return i;
    points_.push_back(point);
    if (point < kFirstAnchor) {
      sources_.push_back({{"at", row_place(point)}});
    } else {
      const SceneAnchor& anchor = scene_.anchors[point - kFirstAnchor];
      sources_.push_back(
          {{"body", anchor.body ? LiveJson(*anchor.body) : LiveJson(-1)}, {"fixed", vector_json(anchor.at)}});
    }
    return points_.size() - 1;
  }

  void add_bodies(LiveJson& j) {
    j["bodies"] = LiveJson::array();
    for (const SceneBody& b : scene_.bodies) {
      LiveJson body{{"name", b.name}, {"origin", row_place(b.origin)}, {"rotation", row_place(b.rotation)}};
      if (const auto* com = find_item(system_, LiveKind::Point, b.name + ".com")) body["com"] = row_place(com->first);
      body["mass"] = carried_mass(mechanism_, b.name, parameters_);
      for (std::size_t i = 0; i < mechanism_.bodies.size(); ++i)
        if (mechanism_.bodies[i].name == b.name)
          if (const auto places = find_pull_inputs(system_, i)) body["pull"] = *places;
      j["bodies"].push_back(std::move(body));
    }
  }

  void add_parts(LiveJson& j) {
    for (const char* list : {"parts", "balls", "lines", "arrows", "points", "planes"}) j[list] = LiveJson::array();
    for (const auto& p : scene_.parts) j["parts"].push_back(part_json(p));
    for (const auto& b : scene_.balls) {
      LiveJson ball{
          {"name", b.name}, {"point", source(b.point)}, {"radius", b.radius}, {"color", b.color}, {"body", -1}};
      for (const auto& particle : mechanism_.particles)
        for (std::size_t i = 0; particle.name == b.name && i < scene_.bodies.size(); ++i)
          if (scene_.bodies[i].name == particle.on) ball["body"] = i;
      j["balls"].push_back(std::move(ball));
    }
    for (const auto& l : scene_.lines)
      j["lines"].push_back({{"name", l.name}, {"from", source(l.from)}, {"to", source(l.to)}, {"spring", l.spring}});
    for (const auto& a : scene_.arrows)
      j["arrows"].push_back({{"name", a.name},
                             {"torque", a.torque},
                             {"reaction", a.reaction},
                             {"contact", a.contact},
                             {"point", source(a.point)},
                             {"vector", row_place(a.vector)},
                             {"frame", a.frame ? LiveJson(*a.frame) : LiveJson(-1)},
                             {"sign", a.sign}});
    for (const auto& p : scene_.points)
      j["points"].push_back({{"name", p.name}, {"point", source(p.point)}, {"trail", p.trail}});
    for (const auto& p : scene_.planes)
      j["planes"].push_back({{"name", p.name}, {"normal", row_place(p.normal)}, {"height", row_place(p.height)}});
  }

  /// The symbols of joints: a point of the parent, and an axis of the body from which the joint turns.
  void add_joints(LiveJson& j) {
    j["joints"] = LiveJson::array();
    const FunctionTable functions = table_functions(mechanism_);
    const auto number = [&](const Expr& e) {
      try {
        const double value = evaluate(e, parameters_, functions);
        return std::isfinite(value) ? value : 0.0;
      } catch (const ModelError&) {  // a place that moves
        return 0.0;
      }
    };
    const auto index_of = [&](const std::string& name) {
      for (std::size_t i = 0; i < scene_.bodies.size(); ++i)
        if (scene_.bodies[i].name == name) return LiveJson(i);
      return LiveJson(-1);
    };
    for (const Joint& joint : mechanism_.joints) {
      LiveJson at = LiveJson::array();
      for (const Expr& x : joint.on_parent.position) at.push_back(number(x));
      LiveJson item{{"name", joint.name},
                    {"kind", joint.kind},
                    {"parent", index_of(joint.parent)},
                    {"child", index_of(joint.child)},
                    {"at", std::move(at)},
                    {"lockable", is_lockable(joint) && mechanism_.switching.modes.empty()}};
      if (!joint.motions.empty() && joint.motions.front().kind != MotionKind::Ball) {
        LiveJson axis = LiveJson::array();
        for (const auto& row : joint.on_parent.rotation) {
          double sum = 0;
          for (std::size_t k = 0; k < 3; ++k) sum += number(row[k]) * number(joint.motions.front().axis[k]);
          axis.push_back(sum);
        }
        item["axis"] = std::move(axis);
        item["turns_from"] = index_of(joint.rotation_from.empty() ? joint.parent : joint.rotation_from);
      }
      j["joints"].push_back(std::move(item));
    }
  }

  void add_signals(LiveJson& j) {
    const auto units = known_units(mechanism_, system_.equations());
    const auto unit_of = [&](const std::string& name) {
      const auto found = units.find(name);
      return found == units.end() ? std::string() : found->second;
    };
    const auto add = [&](const char* group, const std::string& name, const std::string& unit, const char* from,
                         std::size_t at) {
      j["signals"].push_back({{"group", group}, {"name", name}, {"unit", unit}, {"from", from}, {"at", at}});
    };
    j["signals"] = LiveJson::array();
    const EquationsOfMotion& e = system_.equations();
    for (std::size_t i = 0; i < e.q.size(); ++i) add("coordinates", e.q[i].name(), unit_of(e.q[i].name()), "q", i);
    for (std::size_t i = 0; i < e.u.size(); ++i) add("speeds", e.u[i].name(), unit_of(e.u[i].name()), "u", i);
    for (const ReportItem& item : system_.report_items()) {
      const std::size_t at = row_place(item.first);
      if (item.kind == LiveKind::Kinetic) j["kinetic"] = at;
      if (item.kind == LiveKind::Potential) j["potential"] = at;
      if (item.kind != LiveKind::Output) continue;
      if (!is_scene_output(item.name)) add("outputs", item.name, unit_of(item.name), "row", at);
      if (const std::string input = input_of_scene_output(item.name); !input.empty())
        add("inputs", input, unit_of(input), "row", at);
    }
  }

  LiveJson morph_to(const Values& given, double step) {
    const std::vector<double> all = system_.calc_parameters(given);
    Values values;
    const auto names = system_.parameters();
    for (std::size_t i = 0; i < names.size(); ++i) values[names[i]] = all[i];
    const Scene other = make_scene(mechanism_, system_, values);
    LiveJson morph = LiveJson::object();
    const double small = 1e-9 * scene_.size;
    for (std::size_t p = 0; p < std::min(scene_.parts.size(), other.parts.size()); ++p) {
      const auto &a = scene_.parts[p].mesh.vertices, &b = other.parts[p].mesh.vertices;
      if (a.size() != b.size()) continue;
      std::vector<float> slopes;
      double largest = 0;
      for (std::size_t v = 0; v < a.size(); ++v)
        for (std::size_t k = 0; k < 3; ++k) {
          const double change = b[v].at[k] - a[v].at[k];
          largest = std::max(largest, std::abs(change));
          slopes.push_back(static_cast<float>(change / step));
        }
      if (largest > small * 1e-3) morph["parts"].push_back({p, base64(slopes)});
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (points_[i] < kFirstAnchor || points_[i] - kFirstAnchor >= other.anchors.size()) continue;
      const Vec3 change = other.anchors[points_[i] - kFirstAnchor].at - scene_.anchors[points_[i] - kFirstAnchor].at;
      if (norm(change) > small * 1e-3)
        morph["sources"].push_back({i, vector_json({change.x / step, change.y / step, change.z / step})});
    }
    return morph;
  }

  const Mechanism& mechanism_;
  const CompiledSystem& system_;
  const Values& parameters_;
  const Scene& scene_;
  const std::vector<std::size_t>& columns_;
  std::vector<std::size_t> points_;
  LiveJson sources_ = LiveJson::array();
};

}  // namespace

bool is_lockable(const Joint& joint) {
  return !joint.closing &&
         std::any_of(joint.motions.begin(), joint.motions.end(), [](const ElementaryMotion& m) { return m.free; });
}

LivePicture::LivePicture(const Mechanism& mechanism, const CompiledSystem& system, const Values& parameters)
    : mechanism_(mechanism),
      system_(system),
      parameters_(parameters),
      scene_(make_scene(mechanism, system, parameters)) {
  const auto need = [&](std::size_t first, std::size_t count) {
    for (std::size_t k = 0; k < count && first < kFirstAnchor; ++k) columns_.push_back(first + k);
  };
  for (const auto& b : scene_.bodies) {
    need(b.origin, 3), need(b.rotation, 9);
    if (const auto* com = find_item(system, LiveKind::Point, b.name + ".com")) need(com->first, 3);
  }
  for (const auto& b : scene_.balls) need(b.point, 3);
  for (const auto& l : scene_.lines) need(l.from, 3), need(l.to, 3);
  for (const auto& a : scene_.arrows) need(a.point, 3), need(a.vector, 3);
  for (const auto& p : scene_.points) need(p.point, 3);
  for (const auto& p : scene_.planes) need(p.normal, 3), need(p.height, 1);
  if (scene_.gravity) need(*scene_.gravity, 3);
  for (const ReportItem& item : system.report_items()) {
    const bool signal =
        item.kind == LiveKind::Output && (!is_scene_output(item.name) || !input_of_scene_output(item.name).empty());
    if (signal || item.kind == LiveKind::Kinetic || item.kind == LiveKind::Potential) need(item.first, 1);
  }
  std::sort(columns_.begin(), columns_.end());
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
}

std::string LivePicture::to_json(bool morphs) const {
  LiveJsonWriter writer(mechanism_, system_, parameters_, scene_, columns_);
  LiveJson j = writer.write();
  j["morphs"] = morphs ? writer.morphs() : LiveJson::array();
  return j.dump(-1, ' ', false, LiveJson::error_handler_t::replace);
}

}  // namespace kane
