// Reader of DXF drawings: any bytes give a model or a ModelError; a model written as Kane YAML is read again.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kane/base/error.hpp"
#include "kane/formats/dxf/dxf_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;
  kane::DxfLimits limits;
  limits.max_layers = 50;
  std::string yaml;
  try {
    yaml = kane::write_yaml(kane::read_dxf_text({reinterpret_cast<const char*>(data), size}, "model.dxf", limits));
  } catch (const kane::ModelError&) {
    return 0;
  }
  try {
    (void)kane::read_yaml_text(yaml);
  } catch (const kane::ModelError& error) {
    fmt::print(stderr, "{}\n{}\n", yaml, error.what());
    std::abort();
  }
  return 0;
}
