// Messages of pages to the workbench: any bytes give a message or a sentence.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kane/base/error.hpp"
#include "kane/server/client_message.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    (void)kane::parse_client_message({reinterpret_cast<const char*>(data), size});
  } catch (const kane::ModelError&) {
  }
  return 0;
}
