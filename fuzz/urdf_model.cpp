// Reader of URDF: any bytes give a model or a ModelError, for a fixed and a floating base; a model written as Kane YAML
// is read again.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/read_back.hpp"
#include "kane/formats/urdf/urdf_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 8192) return 0;
  // The first byte chooses the options, the rest is the file.
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  kane::UrdfOptions options;
  options.floating_base = (data[0] & 1U) != 0;
  options.merge_fixed = (data[0] & 2U) == 0;
  options.mimic = (data[0] & 4U) == 0;
  options.actuators = (data[0] & 8U) == 0;
  options.limits.max_links = 100;
  fuzz::read_back([&] { return kane::read_urdf_text(text, "robot.urdf", options); });
  return 0;
}
