// Reader of SD/FAST files: any bytes give a model or a ModelError; a model written as Kane YAML is read again.

#include <cstddef>
#include <cstdint>

#include "fuzz/read_back.hpp"
#include "kane/formats/sdfast/sdfast_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;
  kane::SdfastOptions options;
  options.limits.max_bodies = 100;
  fuzz::read_back([&] {
    return kane::read_sdfast_text({reinterpret_cast<const char*>(data), size}, "model.sd", options);
  });
  return 0;
}
