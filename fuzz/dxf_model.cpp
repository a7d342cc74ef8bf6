// Reader of DXF drawings: any bytes give a model or a ModelError; a model written as Kane YAML is read again.

#include <cstddef>
#include <cstdint>

#include "fuzz/read_back.hpp"
#include "kane/formats/dxf/dxf_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;
  kane::DxfLimits limits;
  limits.max_layers = 50;
  fuzz::read_back([&] {
    return kane::read_dxf_text({reinterpret_cast<const char*>(data), size}, "model.dxf", limits);
  });
  return 0;
}
