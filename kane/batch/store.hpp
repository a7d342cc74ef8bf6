#pragma once
// The results of a sweep in one SQLite file. Every batch of results is one transaction of a write-ahead log: a process that is
// killed loses only the results it has not yet handed over.
//
//   study     key, value        the study as text, hash of the model, version, names of the columns
//   runs      k, status, seconds, one column for each variable and each measure      status 0: done, 1: failed
//   failures  k, reason
//   series    k, samples: a time and a value of each series, one after the other, 8 bytes each; only if series are kept
//   sessions  started, updated, begun (runs that were there before), pid: who has worked on it, for --status
//
// While a sweep writes, it holds a lock on the file (flock) that ends with the process; a second sweep is refused. Others may read.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kane/base/output_file.hpp"
#include "kane/batch/sweep.hpp"

namespace kane {

/// The study that a store belongs to.
struct StudyIdentity {
  std::string model_file;  ///< for replaying cases
  std::string model_hash;
  std::string version;                   ///< version of Kane
  std::string study;                     ///< Sweep::describe(), or that of a search
  std::string sampling;                  ///< name
  std::vector<std::string> arguments{};  ///< options of `kane simulate` that cases are replayed with
  std::uint64_t count = 0;
  std::vector<std::string> variables, measures;
  std::vector<std::vector<std::string>> choices;  ///< choices of each variable; empty: it takes numbers
  std::vector<std::string> series{};              ///< names of the series that are kept
};

/// Hash of a text in 16 hexadecimal digits (FNV-1a).
[[nodiscard]] std::string text_hash(std::string_view text);

/// first .. last - 1.
struct CaseRange {
  std::uint64_t first, last;
};

class SweepStore {
 public:
  /// Opens a store for writing, or makes one. `fresh`: discards its contents. Throws ModelError if it belongs to something
  /// else, is not a store, or is being written by another sweep.
  SweepStore(const std::string& file, const StudyIdentity& identity, bool fresh);
  ~SweepStore();
  SweepStore(const SweepStore&) = delete;
  SweepStore& operator=(const SweepStore&) = delete;

  /// Cases that have no result yet.
  [[nodiscard]] std::vector<CaseRange> missing() const;
  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  /// In one transaction. Throws OutputError if the disk is full, or another process keeps the file locked for long.
  void write(std::span<const CaseResult> results);

 private:
  struct Data;
  void create(const StudyIdentity& identity);
  void check_identity(const StudyIdentity& identity);
  void begin_session();

  std::unique_ptr<Data> data_;
  std::uint64_t done_ = 0, failed_ = 0;
};

/// Progress of a study, as --status shows it.
struct StoreStatus {
  std::uint64_t count = 0, done = 0, failed = 0;
  bool running = false;                ///< a sweep holds the lock
  double rate = 0;                     ///< runs per second of the last session
  double age = 0;                      ///< s since the last results were written
  std::vector<std::string> reasons{};  ///< some of the failures: "run 17: ..."
};
[[nodiscard]] StoreStatus read_status(const std::string& file);

/// All results of a store, in columns.
struct StoreTable {
  StudyIdentity identity;
  std::vector<std::uint64_t> k;  ///< growing
  std::vector<char> ok;
  std::vector<double> seconds;
  std::vector<std::vector<double>> values;    ///< values of the variables; choices by their number
  std::vector<std::vector<double>> measures;  ///< not-a-number where a run failed
  std::map<std::uint64_t, std::string> reasons{};
};
/// Throws ModelError if the file is not a store.
[[nodiscard]] StoreTable read_store(const std::string& file);

/// The series of one run: a time and a value of each series, one after the other.
using OnSeries = std::function<void(std::uint64_t k, std::span<const double> samples)>;
/// The series of all runs that have some, by number; of one run if `only` is given. Throws ModelError if the file is not a store.
void read_series(const std::string& file, const OnSeries& on_series, std::optional<std::uint64_t> only = {});

/// The results of a store one after the other, in the order of the cases, in little memory.
struct StoreRow {
  std::uint64_t k = 0;
  bool ok = false;
  double seconds = 0;
  std::span<const double> measures;
};
void scan_store(const std::string& file, const std::function<void(const StoreRow&)>& on_row);

}  // namespace kane
