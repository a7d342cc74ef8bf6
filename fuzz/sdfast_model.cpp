// Reader of SD/FAST files: any bytes give a model or a ModelError; a model written as Kane YAML is read again.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kane/base/error.hpp"
#include "kane/formats/sdfast/sdfast_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;
  kane::SdfastOptions options;
  options.limits.max_bodies = 100;
  std::string yaml;
  try {
    yaml = kane::write_yaml(kane::read_sdfast_text({reinterpret_cast<const char*>(data), size}, "model.sd", options));
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
