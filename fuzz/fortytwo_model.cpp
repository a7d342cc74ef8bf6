// Reader of spacecraft files of 42: any bytes give a model or a ModelError; a model written as Kane YAML is read again.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kane/base/error.hpp"
#include "kane/formats/fortytwo/fortytwo_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16384) return 0;
  kane::FortyTwoOptions options;
  options.limits.max_bodies = 50;
  options.lenient = size % 2 == 1;
  std::string yaml;
  try {
    yaml = kane::write_yaml(
        kane::read_fortytwo_text({reinterpret_cast<const char*>(data), size}, "SC_model.txt", options));
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
