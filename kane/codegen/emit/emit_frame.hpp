#pragma once
// What the frames of all languages have in common, and the list of the languages.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/codegen/emit/emit_export.hpp"
#include "kane/codegen/emit/emit_listing.hpp"
#include "kane/codegen/emit/emit_source.hpp"
#include "kane/codegen/emit/emit_text.hpp"

namespace kane {

/// Everything a frame is written from.
struct SourceModel {
  const Program& program;
  const Dialect& dialect;
  SourceNames names;
  SourceListing listing;

  [[nodiscard]] std::uint32_t inputs_begin(Stage stage) const { return program.first_input(stage); }
  [[nodiscard]] std::uint32_t inputs_end(Stage stage) const {
    return program.first_input(stage) + program.input_count[static_cast<std::size_t>(stage)];
  }
};

[[nodiscard]] SourceModel make_model(const Program& program, const Dialect& dialect, const EmitOptions& options);

/// The names of the inputs of a stage, and of the outputs, as they were given.
[[nodiscard]] std::vector<std::string> given_names(const Program& program, Stage stage);
[[nodiscard]] std::vector<std::string> given_outputs(const Program& program);
/// The comment that every file begins with: what it is, and every input and output by name.
void write_heading(SourceText& text, const SourceModel& model, std::string_view what);
/// A function of the target language that stands for an opcode.
struct HelperRow {
  Code code;
  std::string_view text;
};
/// Those of the helpers that the program needs.
void write_helpers(SourceText& text, const SourceModel& model, std::span<const HelperRow> helpers);

/// Of the function that is a part of a stage: arm_state_part2.
[[nodiscard]] std::string part_name(const SourceModel& model, Stage stage, std::size_t part);

/// One row per language: its code, and a driver for the code.
struct LanguageRow {
  LanguageInfo info;
  std::string_view aliases;    ///< separated by spaces
  std::string_view file_tail;  ///< what the last file of emit() has after the name of the program
  std::vector<SourceFile> (*emit)(const Program& program, const EmitOptions& options);
  /// Null: there is nothing to run.
  std::vector<SourceFile> (*emit_driver)(const ExportModel& model, const EmitOptions& options);
  /// For the README: how to build and run, with @name for the name of the files.
  std::string_view how_to_run;
};

[[nodiscard]] const LanguageRow& row_of(Language language);

// Defined in emit_<language>.cpp.
[[nodiscard]] std::vector<SourceFile> emit_c(const Program& program, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_cpp(const Program& program, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_fortran(const Program& program, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_python(const Program& program, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_matlab(const Program& program, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_javascript(const Program& program, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_rust(const Program& program, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_julia(const Program& program, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_latex(const Program& program, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_c_driver(const ExportModel& model, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_cpp_driver(const ExportModel& model, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_fortran_driver(const ExportModel& model, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_python_driver(const ExportModel& model, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_matlab_driver(const ExportModel& model, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_javascript_driver(const ExportModel& model, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_rust_driver(const ExportModel& model, const EmitOptions& options);
[[nodiscard]] std::vector<SourceFile> emit_julia_driver(const ExportModel& model, const EmitOptions& options);

}  // namespace kane
