#pragma once
// A program as statements of a language, without the frame around them: names chosen, values used once written where
// they are used, long functions cut into parts.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kane/codegen/emit/emit_dialect.hpp"
#include "kane/program/code.hpp"
#include "kane/program/program.hpp"

namespace kane {

struct SourceNames {
  std::string program;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> functions;
  std::string temporary;  ///< followed by a number
};

/// Identifiers for everything; those of the frame are among the reserved ones of the dialect.
[[nodiscard]] SourceNames choose_names(const Program& program, const Dialect& dialect, std::string_view name);

/// A piece of one stage that becomes one function, or the whole body of the stage's function if it is the only one.
struct SourcePart {
  std::vector<std::string> statements;
  std::vector<std::uint32_t> inputs;     ///< used here, ascending
  std::vector<std::uint32_t> functions;  ///< external ones called here, ascending
  std::vector<std::string> locals;       ///< declared by the statements
};

struct SourceListing {
  PerStage<std::vector<SourcePart>> parts;
  std::uint32_t stored = 0;  ///< elements of the workspace
  PerCode<bool> uses{};
};

[[nodiscard]] SourceListing make_listing(const Program& program, const Dialect& dialect, const SourceNames& names,
                                         std::uint32_t part_length);

}  // namespace kane
