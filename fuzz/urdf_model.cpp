// Reader of URDF: any bytes give a model or a ModelError, for a fixed and a floating base; a model written as Kane YAML
// is read again.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kane/base/error.hpp"
#include "kane/formats/urdf/urdf_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"

namespace {

constexpr std::size_t kMaxBytes = 8192;

void check_as_yaml(const kane::Mechanism& mechanism) {
  const std::string text = kane::write_yaml(mechanism);
  try {
    (void)kane::read_yaml_text(text);
  } catch (const kane::ModelError& error) {
    fmt::print(stderr, "{}\n{}\n", text, error.what());
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > kMaxBytes) return 0;
  // The first byte chooses the options, the rest is the file.
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  kane::UrdfOptions options;
  options.floating_base = (data[0] & 1U) != 0;
  options.merge_fixed = (data[0] & 2U) == 0;
  options.mimic = (data[0] & 4U) == 0;
  options.actuators = (data[0] & 8U) == 0;
  options.limits.max_links = 100;
  try {
    check_as_yaml(kane::read_urdf_text(text, "robot.urdf", options));
  } catch (const kane::ModelError&) {
    return 0;
  }
  return 0;
}
