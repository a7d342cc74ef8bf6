#pragma once
// The results of a sweep in one SQLite file. Every batch of results is one transaction of a write-ahead log: a process that is
// killed loses only the results it has not yet handed over.
//
//   study     key, value        the study as text, hash of the model, version, names of the columns
//   runs      k, status, seconds, one column for each variable and each measure      status 0: done, 1: failed
//   failures  k, reason
//   sessions  started, updated, begun (runs that were there before), pid: who has worked on it, for --status
//
// While a sweep writes, it holds a lock on the file (flock) that ends with the process; a second sweep is refused. Others may read.

#include <cstdint>
#include <map>
#include <memory>
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

}  // namespace kane
