#pragma once
// Programs as compact files.
//
//     "KANEPROG"  version  name  flags  inputs of each stage  constants  functions  stage ends  instructions  outputs
//     checksum
//
// Numbers are unsigned varints (7 bits a byte, low bits first), texts a length and bytes, constants and the checksum
// little-endian. An operand is written as its distance from the instruction that uses it, which usually fits in
// one byte.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "kane/program/program.hpp"

namespace kane {

[[nodiscard]] std::string write_program(const Program& program);

/// Throws ModelError, naming `source` and the place, if the bytes are not a complete and valid program. Whatever they
/// are, memory use stays proportional to their number.
[[nodiscard]] Program read_program(std::string_view bytes, std::string_view source = "program");

void save_program(const Program& program, const std::filesystem::path& file);
[[nodiscard]] Program load_program(const std::filesystem::path& file);

/// CRC-32 (ISO 3309), as at the end of a program file.
[[nodiscard]] std::uint32_t calc_checksum(std::string_view bytes);

}  // namespace kane
