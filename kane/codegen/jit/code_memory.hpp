#pragma once
// Memory with machine code in it. It is never writable and executable at the same time: first it is written, then it is
// made executable.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace kane {

class CodeMemory {
 public:
  CodeMemory() = default;
  CodeMemory(CodeMemory&& other) noexcept;
  CodeMemory& operator=(CodeMemory&& other) noexcept;
  ~CodeMemory();

  /// None if the system refuses executable memory.
  [[nodiscard]] static std::optional<CodeMemory> find_place_for(std::span<const std::uint8_t> code);

  [[nodiscard]] const std::uint8_t* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  CodeMemory(std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kane
