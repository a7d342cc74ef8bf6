// AUTOLEV scripts: any bytes give a log or a ModelError, within the limits; no other file is read.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kane/base/error.hpp"
#include "kane/formats/autolev/programs.hpp"
#include "kane/formats/autolev/script_system.hpp"

namespace {

constexpr std::size_t kMaxBytes = 8192;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMaxBytes) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  kane::autolev::SessionOptions options;
  options.limits.max_nodes = 200'000;
  options.limits.max_names = 300;
  options.limits.max_elements = 2000;
  options.limits.max_seconds = 5;
  options.limits.max_log = 1 << 20;
  kane::autolev::Session session(options);
  try {
    session.run_text(text, "fuzz.al");
    (void)kane::autolev::emit_program(kane::autolev::make_system(session, "fuzz"), "fuzz.c");
  } catch (const kane::ModelError&) {
    return 0;
  }
  return 0;
}
