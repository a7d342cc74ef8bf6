#pragma once
// Study files: the variations of a model that `kane sweep` runs, and the measures it keeps.
//
//     study: 1
//     model: ../pendulum.yaml
//     vary:
//       L: normal(0.3, 0.01)
//       m: 1..2:50
//     runs: 1000
//     measures: {period: 4*first(q < 0)}
//     simulate: {until: 2 s}
//
// Everything is read as text with its place; kane/batch knows what it means.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/error.hpp"

namespace kane {

struct StudyFile {
  struct Entry {
    std::string name, text;
    Where where;
  };
  struct Correlation {
    std::string a, b;
    double value = 0;
    Where where;
  };
  std::string model;         ///< path, from the folder of the study; "": not given
  std::string cases, state;  ///< the same for these files
  std::vector<Entry> vary, measures, series;
  std::vector<std::string> set, guess;
  std::vector<Correlation> correlations;
  std::optional<Entry> sampling, method, out;
  std::optional<double> runs, seed, until, tolerance, step, sample, limit, series_step;
  bool strict = false;
  // A search: goals and conditions, which name measures or are expressions of them.
  std::vector<Entry> minimize, maximize, subject_to;
  std::optional<Entry> search;
  std::optional<double> evaluations;
};

/// Whether a text is a study, not a model: it has the key `study`.
[[nodiscard]] bool is_study(std::string_view text);
/// Throws ModelError with file, line and column.
[[nodiscard]] StudyFile parse_study(std::string_view text, const std::string& file);
/// The same for a file; paths in it become paths from the present folder.
[[nodiscard]] StudyFile read_study(const std::filesystem::path& file);

}  // namespace kane
