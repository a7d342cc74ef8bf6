#include "kane/codegen/jit/code_memory.hpp"

#include <sys/mman.h>

#include <cstring>
#include <utility>

namespace kane {

CodeMemory::CodeMemory(CodeMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

CodeMemory& CodeMemory::operator=(CodeMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

CodeMemory::~CodeMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

std::optional<CodeMemory> CodeMemory::find_place_for(std::span<const std::uint8_t> code) {
  if (code.empty()) return CodeMemory();
  void* const place = mmap(nullptr, code.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return std::nullopt;
  CodeMemory memory(static_cast<std::uint8_t*>(place), code.size());
  std::memcpy(place, code.data(), code.size());
  if (mprotect(place, code.size(), PROT_READ | PROT_EXEC) != 0) return std::nullopt;
  __builtin___clear_cache(static_cast<char*>(place), static_cast<char*>(place) + code.size());
  return memory;
}

}  // namespace kane
