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

struct NamedExpr {
  std::string name;
  Expr value;
};

/// Names of the symbols that are given from outside, by binding time. They keep this order even if nothing uses them.
struct ProgramInputs {
  std::vector<std::string> parameters;
  std::vector<std::string> inputs;  ///< inputs proper and time
  std::vector<std::string> state;
};

/// The same from symbols.
[[nodiscard]] ProgramInputs inputs_of(std::span<const Expr> parameters, std::span<const Expr> inputs,
                                      std::span<const Expr> state);

/// Report on one pass.
struct PassReport {
  std::string_view name;
  double microseconds = 0;
  std::size_t before = 0;  ///< values (draft) or instructions
  std::size_t after = 0;
};

struct LowerReport {
  std::vector<PassReport> passes;
  double microseconds = 0;             ///< in total
  PerStage<std::uint32_t> max_live{};  ///< values of each stage that are live at once
};

/// Passes can be left out one by one; the result has the same value.
struct PassChoice {
  bool trigonometry = true;
  bool flatten = true;
  bool hoist = true;
  bool factor = true;
  bool reciprocals = true;
  bool powers = true;
  bool contract = true;  ///< fused multiply-adds; never in a strict program
  bool schedule = true;
};

struct LowerOptions {
  /// No contraction: every backend gives the same bits.
  bool strict = false;
  PassChoice passes;
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
