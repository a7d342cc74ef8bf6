#pragma once
// From expressions to a program: lowering, then one pass after another. lower.cpp has the list of passes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/expr/expr.hpp"
#include "kane/program/program.hpp"

namespace kane {

/// An output of a program.
struct NamedExpr {
  std::string name;  ///< name of the output
  Expr value;        ///< expression of the output
};

/// Names of the symbols supplied from outside, by binding time. They keep this order even if they are not used.
struct ProgramInputs {
  std::vector<std::string> parameters;  ///< symbols that change rarely
  std::vector<std::string> inputs;      ///< inputs proper, and time
  std::vector<std::string> state;       ///< symbols that change with every evaluation
};

/// The same from symbols.
[[nodiscard]] ProgramInputs inputs_of(std::span<const Expr> parameters, std::span<const Expr> inputs,
                                      std::span<const Expr> state);

/// Report on one pass.
struct PassReport {
  std::string_view name;    ///< name of the pass
  double microseconds = 0;  ///< time it took
  std::size_t before = 0;   ///< values (draft) or instructions before it
  std::size_t after = 0;    ///< values or instructions after it
};

/// Report of a lowering.
struct LowerReport {
  std::vector<PassReport> passes;      ///< reports of the passes, in order
  double microseconds = 0;             ///< total time
  PerStage<std::uint32_t> max_live{};  ///< values of each stage that are live at once
};

/// Passes can be disabled individually; the results have the same values.
struct PassChoice {
  bool trigonometry = true;  ///< share sines and cosines of sums
  bool flatten = true;       ///< flatten nested sums and products
  bool hoist = true;         ///< move work to earlier stages
  bool factor = true;        ///< take common factors out of sums
  bool reciprocals = true;   ///< divide once
  bool powers = true;        ///< share powers
  bool contract = true;      ///< fused multiply-adds; never in a strict program
  bool schedule = true;      ///< order instructions for the processor
};

/// Options of a lowering.
struct LowerOptions {
  /// No contraction, so that every backend gives the same bits.
  bool strict = false;
  PassChoice passes;  ///< which passes run
  /// A program with more values than this is refused (LimitError).
  std::size_t max_instructions = 20'000'000;
  /// Called after each pass.
  std::function<void(const PassReport&)> log;
};

/// The program that computes all outputs together, every common part once. Throws ModelError if a symbol is not among
/// the inputs, or a name occurs twice.
[[nodiscard]] Program lower(std::string name, std::span<const NamedExpr> outputs, const ProgramInputs& inputs,
                            const LowerOptions& options = {}, LowerReport* report = nullptr);

}  // namespace kane
