#pragma once
// From expressions to a program: lowering, then one pass after the other. lower.cpp is the list of them.

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
  std::string name;  ///< of the output
  Expr value;        ///< what it is
};

/// Names of the symbols that are given from outside, by binding time. They keep this order even if nothing uses them.
struct ProgramInputs {
  std::vector<std::string> parameters;  ///< change rarely
  std::vector<std::string> inputs;      ///< inputs proper and time
  std::vector<std::string> state;       ///< change with every evaluation
};

/// The same from symbols.
[[nodiscard]] ProgramInputs inputs_of(std::span<const Expr> parameters, std::span<const Expr> inputs,
                                      std::span<const Expr> state);

/// Report on one pass.
struct PassReport {
  std::string_view name;    ///< of the pass
  double microseconds = 0;  ///< time it took
  std::size_t before = 0;   ///< values (draft) or instructions
  std::size_t after = 0;    ///< values or instructions
};

/// Report of a lowering.
struct LowerReport {
  std::vector<PassReport> passes;      ///< in order
  double microseconds = 0;             ///< in total
  PerStage<std::uint32_t> max_live{};  ///< values of each stage that are live at once
};

/// Passes can be left out one by one; the result has the same value.
struct PassChoice {
  bool trigonometry = true;  ///< share sines and cosines of sums
  bool flatten = true;       ///< open nested sums and products
  bool hoist = true;         ///< move work to earlier stages
  bool factor = true;        ///< take common factors out of sums
  bool reciprocals = true;   ///< divide once
  bool powers = true;        ///< share powers
  bool contract = true;      ///< fused multiply-adds; never in a strict program
  bool schedule = true;      ///< order instructions for the processor
};

/// How expressions become a program.
struct LowerOptions {
  /// No contraction: every backend gives the same bits.
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
