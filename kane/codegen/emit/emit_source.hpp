#pragma once
// Programs as source code in other languages: self-contained text without any dependency on Kane.
//
// Every language gets the same three functions. set_parameters() computes the values that depend on parameters only,
// set_inputs() those that depend on inputs and time too (call it again after set_parameters()), evaluate() the outputs from
// the state. Results passed from one to the next are in a workspace, one for each thread. Fused multiply-adds are
// written as products and sums; whether they are contracted is up to the compiler.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/program/program.hpp"

namespace kane {

enum class Language : std::uint8_t { C, Cpp, Fortran, Python, Matlab, JavaScript, Rust, Julia, Latex };

struct LanguageInfo {
  Language language;
  std::string_view name;   ///< on the command line: "c", "fortran"
  std::string_view title;  ///< for people: "C99", "Fortran 2008"
};

[[nodiscard]] std::span<const LanguageInfo> languages();
[[nodiscard]] const LanguageInfo& info(Language language);
/// By its name or a common alias ("c++", "octave", "js"), ignoring case.
[[nodiscard]] std::optional<Language> find_language(std::string_view name);

struct EmitOptions {
  /// Name of files, functions and types; if empty, the name of the program. Turned into an identifier in any case.
  std::string name{};
  /// Functions longer than this many instructions are split into several, which compile faster.
  std::uint32_t part_length = 4000;
};

struct SourceFile {
  std::string name;
  std::string text;
};

/// Throws ModelError if the program is not valid.
[[nodiscard]] std::vector<SourceFile> emit_source(const Program& program, Language language,
                                                  const EmitOptions& options = {});

}  // namespace kane
