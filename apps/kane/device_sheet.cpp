#include "apps/kane/device_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kane/base/suggest.hpp"
#include "kane/formats/yaml/scalar.hpp"
#include "kane/formats/yaml/yaml_document.hpp"
#include "kane/formats/yaml/yaml_tree.hpp"

namespace kane {

namespace {

struct Figure {
  std::string_view key;
  double DeviceAxis::*to;
  bool positive;  ///< zero makes no sense
};

constexpr Figure kFigures[] = {{"mass", &DeviceAxis::mass, true},
                               {"damping", &DeviceAxis::damping, false},
                               {"friction", &DeviceAxis::friction, false},
                               {"max_force", &DeviceAxis::max_force, true},
                               {"max_stiffness", &DeviceAxis::max_stiffness, true},
                               {"resolution", &DeviceAxis::resolution, false},
                               {"max_speed", &DeviceAxis::max_speed, true},
                               {"travel", &DeviceAxis::travel, true},
                               {"wrap", &DeviceAxis::wrap, true}};

/// In SI units. Axes may turn as well as slide, so the dimension is not checked.
double read_number(const YamlNode& node, std::string_view what, bool positive) {
  if (!node.is_scalar())
    node.fail(fmt::format("{} must be a number, such as 0.26 N, but {} is given", what, node.describe()));
  Graph graph;
  const Scalar scalar = parse_scalar(graph, {}, node.text, node.where(), measure::kAny, what, "the device");
  if (!scalar.value.is_number()) node.fail(fmt::format("{} must be a number", what));
  const double value = to_double(scalar.value.number());
  if (value < 0 || (positive && value == 0))
    node.fail(fmt::format("{} must be {}, but it is {}", what, positive ? "positive" : "zero or more", value));
  return value;
}

[[noreturn]] void fail_unknown(const YamlEntry& entry, const std::vector<std::string>& known) {
  fail_at(entry.key_place, fmt::format("a data sheet has no '{}'{}", shown(entry.key), suggestion(entry.key, known)));
}

DeviceAxis read_axis(const YamlNode& node) {
  if (!node.is_map())
    node.fail(fmt::format("an axis is a map such as {{mass: 45 g, friction: 0.26 N}}, not {}", node.describe()));
  DeviceAxis axis;
  std::vector<std::string> known;
  for (const Figure& figure : kFigures) known.emplace_back(figure.key);
  for (const YamlEntry& entry : node.entries) {
    const auto* figure = std::ranges::find(kFigures, entry.key, &Figure::key);
    if (figure == std::end(kFigures)) fail_unknown(entry, known);
    axis.*figure->to = read_number(entry.value, entry.key, figure->positive);
  }
  return axis;
}

}  // namespace

const DeviceAxis& DeviceSheet::axis(std::size_t i) const {
  require(axes.size() == 1 || i < axes.size(), "the data sheet of '{}' has {} axes, but axis {} of the model needs one",
          name, axes.size(), i + 1);
  return axes.size() == 1 ? axes.front() : axes[i];
}

DeviceSheet read_device_sheet(const std::string& file) {
  constexpr std::size_t kMostBytes = 1U << 16U;
  YamlPool pool;
  const YamlNode root = parse_yaml(read_file_bytes(file, file, kMostBytes), file, pool);
  if (!root.is_map()) root.fail("a data sheet is a map with 'device', 'rate' and 'axes'");
  DeviceSheet sheet;
  for (const YamlEntry& entry : root.entries) {
    if (entry.key == "device") {
      if (!entry.value.is_scalar()) entry.value.fail("the name of the device must be text");
      sheet.name = entry.value.text;
    } else if (entry.key == "rate") {
      sheet.rate = read_number(entry.value, "rate", true);
    } else if (entry.key == "axes") {
      if (entry.value.is_list())
        for (const YamlNode& axis : entry.value.items) sheet.axes.push_back(read_axis(axis));
      else
        sheet.axes.push_back(read_axis(entry.value));
    } else {
      fail_unknown(entry, {"device", "rate", "axes"});
    }
  }
  if (sheet.axes.empty()) root.fail("a data sheet needs 'axes'");
  return sheet;
}

}  // namespace kane
