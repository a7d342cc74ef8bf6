#pragma once
// Drivers: small programs that simulate an exported model. The text of each is a template in emit_<language>.cpp, with
// @words for what differs from model to model.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kane/codegen/emit/emit_dialect.hpp"
#include "kane/codegen/emit/emit_export.hpp"

namespace kane {

/// A template and the texts of its words. These are always there: @name and @NAME (the same in capitals), @state (the
/// numbers, separated by ", "), @start, @step, @steps, @every, and @include (an #include directive that no tool takes
/// for one of Kane's own).
struct DriverFrame {
  std::string_view file;  ///< name of the file
  std::string_view text;
  /// @parameters and @inputs, or both together as @settings: a line for each value, @n its identifier, @e the number.
  std::string_view parameter = "", input = "";
  /// @initial: a line for each number of the state, @e the number, @i its place.
  std::string_view initial = "";
  /// @time: what passes the time @n (the input at place @i) on to the model, or what stands there if there is no time.
  std::string_view time = "", no_time = "";
  /// @heading: a line for each name of the first line to print, @e the name in quotes after a comma.
  std::string_view heading = "";
  std::size_t longest_name = std::string_view::npos;
  /// @functions and @arguments if the model calls functions, and @arguments if it does not.
  std::string_view functions = "", arguments = "", no_arguments = "";
  /// Numbers as in the dialect; false: bare decimals.
  bool as_literals = true;
};

[[nodiscard]] SourceFile emit_driver(const ExportModel& model, const EmitOptions& options, const Dialect& dialect,
                                     const DriverFrame& frame);

}  // namespace kane
