#pragma once
// The frame around the statements of a program: types, functions, lists of names. What is the same in all languages is
// code here; what differs is text, in tables that emit_<language>.cpp fills in.
//
// In all texts of a frame, @name is the name of the program, @NAME the same in capitals, @outputs the number of outputs
// and @stored the size of the workspace. Lines are indented as deep as the place they are written at.

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/at.hpp"
#include "kane/codegen/emit/emit_driver.hpp"
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
    return program.first_input(stage) + program.input_count[stage];
  }
  [[nodiscard]] bool calls_functions() const { return !program.functions.empty(); }
};

[[nodiscard]] SourceModel make_model(const Program& program, const Dialect& dialect, const EmitOptions& options);

/// The names of the inputs of a stage, and of the outputs, as they were given.
[[nodiscard]] std::vector<std::string> given_names(const Program& program, Stage stage);
[[nodiscard]] std::vector<std::string> given_outputs(const Program& program);

/// The comment at the beginning of every file: its purpose, and every input and output by name.
void write_heading(SourceText& text, const SourceModel& model, std::string_view what);

/// Lines of a frame, with @name and @NAME filled in. An empty text is no line at all.
void write_lines(SourceText& text, const SourceModel& model, std::string_view lines);

/// A function of the target language that stands for an opcode.
struct HelperRow {
  Code code;
  std::string_view text;
};
/// Those of the helpers that the program needs.
void write_helpers(SourceText& text, const SourceModel& model, std::span<const HelperRow> helpers);

/// A line for each input of a stage: @n its identifier, @g the name as given, @i its place.
void write_fields(SourceText& text, const SourceModel& model, Stage stage, std::string_view line);

/// The four lists of names (parameters, inputs, state, outputs), each quoted and on a separate line.
struct NameLists {
  std::string_view head;  ///< @k is the kind, @c how many names there are
  std::array<std::string_view, kStageCount + 1> kinds;
  std::string_view tail = "";
  char escape = 0;  ///< another character that takes a backslash
};
void write_name_lists(SourceText& text, const SourceModel& model, const NameLists& lists);

/// The function of one stage, and the functions of its parts when it is long enough to be cut. @part is the name of a
/// part.
struct StageFrame {
  std::string_view head = "";
  std::string_view begin = "";      ///< first lines of the body
  std::string_view call_part = "";  ///< instead of the statements, if there are parts
  std::string_view end = "";        ///< last lines of the body
  std::string_view part_head = "";
  /// First lines where the statements are.
  std::string_view open = "";
  /// A line that reads an input of this stage: @n its identifier, @i its place.
  std::string_view read = "";
};

struct FunctionFrame {
  std::array<StageFrame, kStageCount> stages;
  std::string_view part_end = "";            ///< last line of the body of a part
  std::string_view close = "";               ///< after a body
  std::string_view before = "", after = "";  ///< each function: "\n" is a blank line
  bool parts_first = true;                   ///< before the function that calls them
  /// Declarations that a body needs; before its first lines or after them.
  void (*declare)(SourceText& text, const SourceModel& model, const SourcePart& part) = nullptr;
  bool declares_first = false;
};

/// The function of a stage with its parts beside it, or one without the other.
void write_stage(SourceText& text, const SourceModel& model, const FunctionFrame& frame, Stage stage);
void write_function(SourceText& text, const SourceModel& model, const FunctionFrame& frame, Stage stage);
void write_parts(SourceText& text, const SourceModel& model, const FunctionFrame& frame, Stage stage);

/// `item` for each argument of a function, separated by ", "; @i is its number, from 1.
[[nodiscard]] std::string argument_list(const ProgramFunction& function, std::string_view item);

/// One row per language: its name, its code, and a driver for the code.
struct LanguageRow {
  LanguageInfo info;
  std::string_view aliases;    ///< separated by spaces
  std::string_view file_tail;  ///< ending of the last file of emit(), after the name of the program
  const Dialect& (*dialect)();
  std::vector<SourceFile> (*emit)(const SourceModel& model);
  /// Null: there is nothing to run.
  const DriverFrame* driver = nullptr;
  /// For the README: how to build and run, with @name for the name of the files.
  std::string_view how_to_run = "";
};

[[nodiscard]] const LanguageRow& row_of(Language language);

// Defined in emit_<language>.cpp.
[[nodiscard]] const LanguageRow& c_language();
[[nodiscard]] const LanguageRow& cpp_language();
[[nodiscard]] const LanguageRow& fortran_language();
[[nodiscard]] const LanguageRow& python_language();
[[nodiscard]] const LanguageRow& matlab_language();
[[nodiscard]] const LanguageRow& javascript_language();
[[nodiscard]] const LanguageRow& rust_language();
[[nodiscard]] const LanguageRow& julia_language();
[[nodiscard]] const LanguageRow& latex_language();

}  // namespace kane
