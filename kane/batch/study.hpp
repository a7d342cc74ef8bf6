#pragma once
// A study: which cases are run. Case k (from 0) is a function of k alone, so that it does not matter who runs it, or when.
//
//     StudyOptions o;
//     o.variables = {parse_study_variable("m", "1..2:50"), parse_study_variable("L", "normal(0.3, 0.01)")};
//     o.runs = 100'000;
//     Study study(o);
//     study.calc_values(k, values);
//
// Variables with given values (ranges with a count, lists, the rows of a file of cases) span a grid of G points; the others have
// distributions. Case k is at point k mod G of the grid, with sample k / G of the distributions: every point of the grid sees
// the same samples.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/base/units.hpp"
#include "kane/batch/distribution.hpp"
#include "kane/batch/unit_points.hpp"

namespace kane {

/// A variable of a study: exactly one of values, distribution and choices is given.
struct StudyVariable {
  std::string name;
  std::vector<double> values{};  ///< SI units
  std::optional<Distribution> distribution{};
  std::vector<std::string> choices{};    ///< words; the value of a case is the number of one (from 0)
  std::optional<Dimension> dimension{};  ///< if it was written with units
  bool range = false;                    ///< written a..b: uniform, and the bounds of a search
  Where where{};
};

/// A grid a..b:n or a..b:n:log, a range a..b, a list {a, b, c}, a distribution normal(a, b), or words {rk4, dopri5}; numbers
/// may have units. Throws ModelError.
[[nodiscard]] StudyVariable parse_study_variable(const std::string& name, const std::string& text,
                                                 const Where& where = {});
/// Between the normal scores of two distributions; for normal ones, their correlation itself.
struct StudyCorrelation {
  std::string a, b;
  double value = 0;
  Where where{};
};

/// Variables that belong together.
struct StudyVariables {
  std::vector<StudyVariable> variables;
  std::vector<StudyCorrelation> correlations{};
};
/// One variable, or several of a joint normal distribution, given by means and a covariance matrix (in SI units):
/// "a, b" and "normal([0.3, 0.5], [[1e-4, 5e-5], [5e-5, 4e-4]])". Throws ModelError.
[[nodiscard]] StudyVariables parse_study_variables(const std::string& names, const std::string& text,
                                                   const Where& where = {});
/// The same from "name=text" or "name~text"; `option` begins messages.
[[nodiscard]] StudyVariables parse_vary_option(const std::string& assignment, const std::string& option);

/// Cases of a file: a line of names, then lines of numbers.
struct StudyCases {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};
/// Throws ModelError with file and line. `file` is for messages only.
[[nodiscard]] StudyCases parse_cases(std::string_view text, const std::string& file);

struct StudyOptions {
  std::vector<StudyVariable> variables{};
  StudyCases cases{};
  std::vector<StudyCorrelation> correlations{};
  Sampling sampling = Sampling::Random;
  std::optional<std::uint64_t> runs{};
  std::uint64_t seed = 1;
};

class Study {
 public:
  /// Throws ModelError if the parts do not fit together.
  explicit Study(StudyOptions options);

  /// Number of cases.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Variables of cases first, then the others as they were given.
  [[nodiscard]] const std::vector<StudyVariable>& variables() const { return variables_; }
  [[nodiscard]] const StudyOptions& options() const { return options_; }
  [[nodiscard]] std::uint64_t grid_points() const { return grid_; }
  /// Variables that have a distribution.
  [[nodiscard]] const std::vector<std::size_t>& random_variables() const { return random_; }
  /// One number for each variable.
  void calc_values(std::uint64_t k, std::span<double> values) const;
  /// A number of (0, 1) for each random variable: where case k is in its distribution, before correlation.
  void calc_units(std::uint64_t k, std::span<double> units) const;
  /// Everything that decides the cases, in one text.
  [[nodiscard]] std::string describe() const;

  static constexpr std::uint64_t kMostCases = 1'000'000'000'000;

 private:
  /// Part of the grid: variables that have their values together.
  struct Axis {
    std::vector<std::size_t> variables;
    std::uint64_t count;
  };
  void add_cases();
  void sort_variables();
  void count_cases();
  void factor_correlations();
  void calc_morris(std::uint64_t k, std::span<double> units) const;

  StudyOptions options_;
  std::vector<StudyVariable> variables_;
  std::vector<Axis> axes_;
  std::vector<std::size_t> random_;
  std::uint64_t grid_ = 1, samples_ = 1, count_ = 0;
  std::optional<UnitPoints> points_;
  std::vector<double> factor_;  ///< of the correlation matrix, lower triangle by rows; empty: independent
};

/// Levels of Morris' grid, equally far apart between two probabilities near 0 and 1; a step goes half of them. It must not be half of
/// the distribution: whatever has half of a variable's range for its period would look as if it did not depend on it.
inline constexpr int kMorrisLevels = 8;
inline constexpr double kMorrisEdge = 0.01;
inline constexpr double kMorrisStep = (1 - 2 * kMorrisEdge) / (kMorrisLevels - 1) * (kMorrisLevels / 2);

}  // namespace kane
