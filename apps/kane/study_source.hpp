#pragma once
// The study that `kane sweep` runs: a model with options, a study file, or both (options on the command line win).

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/kane/model_source.hpp"
#include "kane/batch/store.hpp"
#include "kane/batch/sweep.hpp"
#include "kane/formats/study_file.hpp"

namespace kane {

/// Hash of a model as it is after --set and the like.
[[nodiscard]] std::string hash_of(const ModelSource& source, const Mechanism& mechanism);

class StudySource {
 public:
  void add_to(CLI::App& command);
  /// Reads the study file if there is one, and puts options and file together.
  void read();
  /// Derives the model and makes the sweep; fills in identity(). `fill`: gives every variable a value per case; a search has none.
  [[nodiscard]] std::unique_ptr<Sweep> load();

  [[nodiscard]] const StudyIdentity& identity() const { return identity_; }
  /// Name of the store: as given, else that of the study or the model.
  [[nodiscard]] const std::string& store() const { return out_; }
  [[nodiscard]] const StudyFile& file() const { return file_; }
  [[nodiscard]] bool searches() const { return !file_.minimize.empty() || !file_.maximize.empty(); }
  [[nodiscard]] const ModelSource& model() const { return source_; }

 private:
  [[nodiscard]] StudyOptions study_options() const;
  [[nodiscard]] SweepOptions sweep_options() const;
  void identify(const Sweep& sweep, const Mechanism& mechanism);

  ModelSource source_;
  StudyFile file_;
  std::string given_;  ///< the argument: a model or a study
  std::vector<std::string> vary_, measures_, series_, correlations_, minimize_, maximize_, subject_to_;
  std::optional<double> runs_, seed_, until_, tolerance_, step_, sample_, limit_, evaluations_, series_step_;
  std::string sampling_, method_, cases_, out_, search_;
  StateSource state_;
  int lanes_ = 0;
  bool strict_ = false;
  StudyIdentity identity_;
};

}  // namespace kane
