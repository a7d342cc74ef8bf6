// Reader of spacecraft files of 42: any bytes give a model or a ModelError; a model written as Kane YAML is read again.

#include <cstddef>
#include <cstdint>

#include "fuzz/read_back.hpp"
#include "kane/formats/fortytwo/fortytwo_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16384) return 0;
  kane::FortyTwoOptions options;
  options.limits.max_bodies = 50;
  options.lenient = size % 2 == 1;
  fuzz::read_back([&] {
    return kane::read_fortytwo_text({reinterpret_cast<const char*>(data), size}, "SC_model.txt", options);
  });
  return 0;
}
