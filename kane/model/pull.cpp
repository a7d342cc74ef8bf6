#include "kane/model/pull.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kane {

namespace {

constexpr std::string_view kPullMark = "kane_pull_";

std::string pull_input_name(std::size_t body, std::size_t k) {
  static constexpr const char* kParts[] = {"Fx", "Fy", "Fz", "Tx", "Ty", "Tz"};
  return fmt::format("{}{}_{}", kPullMark, body, kParts[k]);
}

}  // namespace

void add_pull_inputs(Mechanism& mechanism) {
  if (mechanism.equations) return;
  for (std::size_t b = 0; b < mechanism.bodies.size(); ++b) {
    const std::string& body = mechanism.bodies[b].name;
    const auto vector = [&](std::size_t first) {
      std::string text;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::string name = pull_input_name(b, first + k);
        mechanism.add_input(name);
        mechanism.units[name] = first == 0 ? "N" : "N*m";
        text += fmt::format("{}{}*{}.{}", k == 0 ? "" : " + ", name, body, "xyz"[k]);
      }
      return Quantity{text, {}};
    };
    mechanism.loads.push_back(
        {fmt::format("{}{}_force", kPullMark, b), ForceLoad{vector(0), {}, body + ".com", {}}, {}});
    mechanism.loads.push_back({fmt::format("{}{}_torque", kPullMark, b), TorqueLoad{vector(3), {}, body, {}}, {}});
  }
}

bool is_pull_input(std::string_view input) { return input.starts_with(kPullMark); }

std::optional<PullPlaces> find_pull_inputs(const CompiledSystem& system, std::size_t body) {
  const auto& inputs = system.inputs();
  PullPlaces places{};
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto found = std::find(inputs.begin(), inputs.end(), pull_input_name(body, k));
    if (found == inputs.end()) return std::nullopt;
    places[k] = static_cast<std::size_t>(found - inputs.begin());
  }
  return places;
}

}  // namespace kane
