// Reader of Kane YAML: any bytes give a model or a ModelError; a model is written out, read again, and written out the
// same; and a small one is lowered to Kane's method, which may refuse it but not fail.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "kane/base/error.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/mechanism/lowering.hpp"

namespace {

constexpr std::size_t kMaxBytes = 8192;

void check_round_trip(const kane::Mechanism& mechanism) {
  const std::string text = kane::write_yaml(mechanism);
  std::string problem;
  try {
    if (kane::write_yaml(kane::read_yaml_text(text)) == text) return;
    problem = "it is written differently the second time";
  } catch (const kane::LimitError&) {
    return;  // longer written out than it was
  } catch (const kane::ModelError& error) {
    problem = error.what();
  }
  fmt::print(stderr, "{}\n{}\n", text, problem);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMaxBytes) return 0;
  kane::YamlLimits limits;
  limits.max_nodes = 4000;
  try {
    const kane::Mechanism mechanism =
        kane::read_yaml_text({reinterpret_cast<const char*>(data), size}, "model.yaml", limits);
    check_round_trip(mechanism);
    constexpr std::size_t kSmall = 6;
    if (mechanism.joints.size() + mechanism.constraints.size() + mechanism.loads.size() <= kSmall)
      (void)kane::lower_mechanism(mechanism);
  } catch (const kane::ModelError&) {
    return 0;
  }
  return 0;
}
