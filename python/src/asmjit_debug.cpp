// Debian's libasmjit.a is made for programs, not for modules: one of its files, with the three functions below, refers to
// stderr in a way that a module cannot. Defined here, that file is not linked; the others are fit for a module.

#include <asmjit/core.h>

#include <cstdio>
#include <cstdlib>

namespace asmjit::DebugUtils {

const char* errorAsString(Error error) noexcept {
  return error == kErrorOk ? "ok" : "the assembler refused an instruction";
}

void debugOutput(const char* text) noexcept { std::fputs(text, stderr); }

void assertionFailed(const char* file, int line, const char* text) noexcept {
  std::fprintf(stderr, "%s:%d: %s\n", file, line, text);
  std::abort();
}

}  // namespace asmjit::DebugUtils
