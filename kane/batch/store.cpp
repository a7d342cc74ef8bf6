#include "kane/batch/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <set>
#include <thread>

#include "kane/base/error.hpp"
#include "kane/batch/sqlite_file.hpp"

namespace kane {

namespace {

constexpr int kLayout = 1;  ///< of the tables

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// A list of texts in one text, each with its length in front.
std::string join_list(const std::vector<std::string>& list) {
  std::string text;
  for (const auto& item : list) text += fmt::format("{}:{}", item.size(), item);
  return text;
}

std::vector<std::string> split_joined(std::string_view text) {
  std::vector<std::string> list;
  while (!text.empty()) {
    const auto colon = text.find(':');
    require(colon != std::string_view::npos, "the store has a damaged list of names");
    std::size_t size = 0;
    for (const char c : text.substr(0, colon)) {
      require(c >= '0' && c <= '9' && size < (1U << 28U), "the store has a damaged list of names");
      size = 10 * size + static_cast<std::size_t>(c - '0');
    }
    require(colon + 1 + size <= text.size(), "the store has a damaged list of names");
    list.emplace_back(text.substr(colon + 1, size));
    text.remove_prefix(colon + 1 + size);
  }
  return list;
}

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

/// Names for the columns of `runs`. SQLite does not tell capital letters from small ones.
std::vector<std::string> column_names(const StudyIdentity& identity) {
  std::set<std::string> taken = {"k", "status", "seconds", "rowid", "oid", "_rowid_"};
  std::vector<std::string> names;
  for (const auto* list : {&identity.variables, &identity.measures})
    for (std::string name : *list) {
      const auto small = [&] {
        std::string s = name;
        for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return s;
      };
      while (!taken.insert(small()).second) name += "_";
      names.push_back(name);
    }
  return names;
}

std::map<std::string, std::string> read_keys(sqlite3* db, const std::string& file) {
  Statement query(db, "SELECT key, value FROM study", file);
  std::map<std::string, std::string> keys;
  int code = SQLITE_ROW;
  while ((code = query.step()) == SQLITE_ROW) keys[query.text(0)] = query.text(1);
  require(code == SQLITE_DONE, "'{}' cannot be read: {}", file, sqlite3_errmsg(db));
  require(keys["layout"] == std::to_string(kLayout), "'{}' is a store of another version of Kane ({})", file,
          keys["version"]);
  return keys;
}

StudyIdentity identity_from(std::map<std::string, std::string> keys) {
  StudyIdentity identity;
  identity.model_file = keys["model_file"], identity.model_hash = keys["model_hash"],
  identity.version = keys["version"];
  identity.study = keys["study"], identity.sampling = keys["sampling"];
  identity.arguments = split_joined(keys["arguments"]);
  identity.count = std::strtoull(keys["count"].c_str(), nullptr, 10);
  identity.variables = split_joined(keys["variables"]), identity.measures = split_joined(keys["measures"]);
  for (const auto& list : split_joined(keys["choices"])) identity.choices.push_back(split_joined(list));
  identity.choices.resize(identity.variables.size());
  identity.series = split_joined(keys["series"]);
  return identity;
}

bool has_no_tables(sqlite3* db, const std::string& file) {
  Statement query(db, "SELECT count(*) FROM sqlite_master", file);
  require(query.step() == SQLITE_ROW, "'{}' is not a store of a sweep: {}", file, sqlite3_errmsg(db));
  return query.integer(0) == 0;
}

/// Whether another process works on the store.
bool is_being_written(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0;
  ::close(descriptor);
  return locked;
}

}  // namespace

std::string text_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("{:016x}", hash);
}

struct SweepStore::Data {
  std::string file;
  int lock = -1;
  Database database{};
  std::unique_ptr<Statement> insert{}, complain{}, touch{}, keep{};
  std::vector<std::vector<std::string>> choices{};
  std::uint64_t count = 0;
  std::int64_t session = 0;

  ~Data() {
    insert.reset(), complain.reset(), touch.reset(), keep.reset();
    sqlite3_close(database.db);
    database.db = nullptr;
    if (lock >= 0) ::close(lock);  // after SQLite: closing any descriptor of a file gives up the locks SQLite has on it
  }

  /// Runs a statement; waits for others that hold the file, for a while.
  void execute(const char* sql) {
    for (int tries = 0;; ++tries) {
      const int code = sqlite3_exec(database.db, sql, nullptr, nullptr, nullptr);
      if (code == SQLITE_OK) return;
      complain_about(code, tries);
    }
  }
  void run(Statement& statement) {
    for (int tries = 0;; ++tries) {
      const int code = statement.step();
      statement.reset();
      if (code == SQLITE_DONE || code == SQLITE_ROW) return;
      complain_about(code, tries);
    }
  }
  void complain_about(int code, int tries) {
    constexpr int kMostTries = 10;  // each waits for the patience of open_database()
    if ((code & 0xff) == SQLITE_BUSY && tries < kMostTries) return;
    const std::string text = sqlite3_errmsg(database.db);
    sqlite3_exec(database.db, "ROLLBACK", nullptr, nullptr, nullptr);
    const bool busy = (code & 0xff) == SQLITE_BUSY, full = (code & 0xff) == SQLITE_FULL;
    throw OutputError(
        fmt::format(
            "results could not be written to '{}': {}; those written before are safe, and the same command continues "
            "from there",
            file,
            busy   ? "another process keeps it locked"
            : full ? "the disk is full"
                   : text),
        full ? ENOSPC : 0);
  }
};

SweepStore::SweepStore(const std::string& file, const StudyIdentity& identity, bool fresh)
    : data_(std::make_unique<Data>()) {
  data_->file = file;
  data_->lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  require(data_->lock >= 0, "'{}' cannot be written: {}", file, std::generic_category().message(errno));
  require(::flock(data_->lock, LOCK_EX | LOCK_NB) == 0,
          "another sweep is writing '{}'; wait for it, or give this one another store (--out)", file);
  std::error_code ignored;
  require(std::filesystem::is_regular_file(file, ignored), "'{}' is not a file that a store can be made of", file);
  open_database(data_->database, file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX);
  // A process that was killed while it made the store may have left a database without tables.
  const bool empty = has_no_tables(data_->database.db, file);
  if (!empty && fresh) {
    (void)read_keys(data_->database.db, file);  // only a store may be discarded
    data_->execute(
        "BEGIN IMMEDIATE; DROP TABLE IF EXISTS runs; DROP TABLE IF EXISTS failures; DROP TABLE IF EXISTS sessions; "
        "DROP TABLE IF EXISTS series; DROP TABLE study; COMMIT");
  }
  if (empty || fresh)
    create(identity);
  else
    check_identity(identity);
  data_->choices = identity.choices;
  data_->choices.resize(identity.variables.size());
  data_->count = identity.count;
  std::string places = "?, ?, ?";
  for (std::size_t i = 0; i < identity.variables.size() + identity.measures.size(); ++i) places += ", ?";
  sqlite3* const db = data_->database.db;
  data_->insert = std::make_unique<Statement>(db, "INSERT OR REPLACE INTO runs VALUES (" + places + ")", file);
  data_->complain = std::make_unique<Statement>(db, "INSERT OR REPLACE INTO failures VALUES (?, ?)", file);
  data_->touch = std::make_unique<Statement>(db, "UPDATE sessions SET updated = ?, done = ? WHERE id = ?", file);
  if (!identity.series.empty())
    data_->keep = std::make_unique<Statement>(db, "INSERT OR REPLACE INTO series VALUES (?, ?)", file);
  begin_session();
}

SweepStore::~SweepStore() = default;

void SweepStore::create(const StudyIdentity& identity) {
  constexpr std::size_t kMostColumns = 1900;  // of an SQLite table
  require(identity.variables.size() + identity.measures.size() <= kMostColumns,
          "a store holds at most {} variables and measures together", kMostColumns);
  data_->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  data_->execute("BEGIN IMMEDIATE");
  std::string columns;
  const auto names = column_names(identity);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool words = i < identity.choices.size() && !identity.choices[i].empty();
    columns += fmt::format(", {} {}", quoted(names[i]), words ? "TEXT" : "REAL");
  }
  data_->execute("CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT)");
  data_->execute(("CREATE TABLE runs (k INTEGER PRIMARY KEY, status INTEGER, seconds REAL" + columns + ")").c_str());
  data_->execute("CREATE TABLE failures (k INTEGER PRIMARY KEY, reason TEXT)");
  if (!identity.series.empty()) data_->execute("CREATE TABLE series (k INTEGER PRIMARY KEY, samples BLOB)");
  data_->execute(
      "CREATE TABLE sessions (id INTEGER PRIMARY KEY, started REAL, updated REAL, begun INTEGER, done INTEGER, pid "
      "INTEGER)");
  std::vector<std::string> choices;
  for (const auto& list : identity.choices) choices.push_back(join_list(list));
  Statement put(data_->database.db, "INSERT INTO study VALUES (?, ?)", data_->file);
  const std::pair<const char*, std::string> keys[] = {{"layout", std::to_string(kLayout)},
                                                      {"origin", "written by Kane"},
                                                      {"version", identity.version},
                                                      {"model_file", identity.model_file},
                                                      {"model_hash", identity.model_hash},
                                                      {"study", identity.study},
                                                      {"sampling", identity.sampling},
                                                      {"arguments", join_list(identity.arguments)},
                                                      {"count", std::to_string(identity.count)},
                                                      {"variables", join_list(identity.variables)},
                                                      {"measures", join_list(identity.measures)},
                                                      {"choices", join_list(choices)},
                                                      {"series", join_list(identity.series)}};
  for (const auto& [key, value] : keys) {
    put.bind(1, std::string(key)).bind(2, value);
    data_->run(put);
  }
  data_->execute("COMMIT");
}

void SweepStore::check_identity(const StudyIdentity& identity) {
  sqlite3* const db = data_->database.db;
  const StudyIdentity old = identity_from(read_keys(db, data_->file));
  constexpr const char* kAdvice = "--fresh discards its results and starts again; --out names another store";
  require(old.model_hash == identity.model_hash,
          "'{}' has results of another model, or of this one before it was changed; {}", data_->file, kAdvice);
  require(old.version == identity.version, "'{}' has results of another version of Kane ({}, this is {}); {}",
          data_->file, old.version, identity.version, kAdvice);
  require(old.study == identity.study && old.variables == identity.variables && old.measures == identity.measures &&
              old.series == identity.series,
          "'{}' has results of another study (other variables, measures or options); {}", data_->file, kAdvice);
  require(identity.count >= old.count, "'{}' is for {} runs, more than the {} requested now; {}", data_->file,
          old.count, identity.count, kAdvice);
  data_->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  Statement put(db, "UPDATE study SET value = ? WHERE key = 'count'", data_->file);
  put.bind(1, std::to_string(identity.count));
  data_->run(put);
  Statement counts(db, "SELECT count(*), total(status != 0) FROM runs", data_->file);
  require(counts.step() == SQLITE_ROW, "'{}' cannot be read: {}", data_->file, sqlite3_errmsg(db));
  done_ = static_cast<std::uint64_t>(counts.integer(0)), failed_ = static_cast<std::uint64_t>(counts.number(1));
}

void SweepStore::begin_session() {
  Statement put(data_->database.db, "INSERT INTO sessions (started, updated, begun, done, pid) VALUES (?, ?, ?, ?, ?)",
                data_->file);
  const double now = wall_clock();
  put.bind(1, now).bind(2, now).bind(3, static_cast<std::int64_t>(done_)).bind(4, static_cast<std::int64_t>(done_));
  put.bind(5, static_cast<std::int64_t>(::getpid()));
  data_->run(put);
  data_->session = sqlite3_last_insert_rowid(data_->database.db);
}

std::vector<CaseRange> SweepStore::missing() const {
  std::vector<CaseRange> ranges;
  std::uint64_t next = 0;
  Statement query(data_->database.db, "SELECT k FROM runs ORDER BY k", data_->file);
  while (query.step() == SQLITE_ROW) {
    const auto k = static_cast<std::uint64_t>(query.integer(0));
    if (k > next) ranges.push_back({next, k});
    next = k + 1;
  }
  if (next < data_->count) ranges.push_back({next, data_->count});
  return ranges;
}

void SweepStore::write(std::span<const CaseResult> results) {
  if (results.empty()) return;
  data_->execute("BEGIN IMMEDIATE");
  for (const CaseResult& r : results) {
    Statement& put = *data_->insert;
    int place = 3;
    put.bind(1, static_cast<std::int64_t>(r.k)).bind(2, static_cast<std::int64_t>(r.ok ? 0 : 1)).bind(3, r.seconds);
    for (std::size_t i = 0; i < r.values.size(); ++i) {
      if (data_->choices[i].empty())
        put.bind(++place, r.values[i]);
      else
        put.bind(++place, data_->choices[i][static_cast<std::size_t>(r.values[i])]);
    }
    for (const double m : r.measures) put.bind(++place, m);  // not-a-number is stored as NULL
    data_->run(put);
    if (r.ok && data_->keep && !r.series.empty()) {
      data_->keep->bind(1, static_cast<std::int64_t>(r.k)).bind_numbers(2, r.series);
      data_->run(*data_->keep);
    }
    if (r.ok) continue;
    data_->complain->bind(1, static_cast<std::int64_t>(r.k)).bind(2, r.reason);
    data_->run(*data_->complain);
  }
  const auto total = static_cast<std::int64_t>(done_ + results.size());
  data_->touch->bind(1, wall_clock()).bind(2, total).bind(3, data_->session);
  data_->run(*data_->touch);
  data_->execute("COMMIT");
  done_ += results.size();
  failed_ += static_cast<std::uint64_t>(
      std::count_if(results.begin(), results.end(), [](const CaseResult& r) { return !r.ok; }));
}

StoreStatus read_status(const std::string& file) {
  std::error_code ignored;
  require(std::filesystem::exists(file, ignored), "there is no store '{}'", file);
  StoreStatus status;
  status.running = is_being_written(file);
  Database database;
  open_database(database, file, SQLITE_OPEN_READWRITE);
  const StudyIdentity identity = identity_from(read_keys(database.db, file));
  status.count = identity.count;
  Statement counts(database.db, "SELECT count(*), total(status != 0) FROM runs", file);
  if (counts.step() == SQLITE_ROW)
    status.done = static_cast<std::uint64_t>(counts.integer(0)),
    status.failed = static_cast<std::uint64_t>(counts.number(1));
  Statement session(database.db, "SELECT started, updated, begun, done FROM sessions ORDER BY id DESC LIMIT 1", file);
  if (session.step() == SQLITE_ROW) {
    const double spent = session.number(1) - session.number(0);
    if (spent > 0) status.rate = (session.number(3) - session.number(2)) / spent;
    status.age = std::max(0.0, wall_clock() - session.number(1));
  }
  Statement reasons(database.db, "SELECT k, reason FROM failures ORDER BY k LIMIT 3", file);
  while (reasons.step() == SQLITE_ROW)
    status.reasons.push_back(fmt::format("run {}: {}", reasons.integer(0), reasons.text(1)));
  return status;
}

namespace {

/// Opens a store for reading.
StudyIdentity open_store(Database& database, const std::string& file) {
  std::error_code ignored;
  require(std::filesystem::is_regular_file(file, ignored), "there is no store '{}'", file);
  open_database(database, file, SQLITE_OPEN_READWRITE);
  return identity_from(read_keys(database.db, file));
}

}  // namespace

void read_series(const std::string& file, const OnSeries& on_series, std::optional<std::uint64_t> only) {
  Database database;
  const StudyIdentity identity = open_store(database, file);
  if (identity.series.empty()) return;
  Statement query(database.db,
                  only ? fmt::format("SELECT k, samples FROM series WHERE k = {}", *only)
                       : std::string("SELECT k, samples FROM series ORDER BY k"),
                  file);
  std::vector<double> samples;
  int code = SQLITE_ROW;
  while ((code = query.step()) == SQLITE_ROW) {
    query.numbers(1, samples);
    require(samples.size() % (1 + identity.series.size()) == 0, "'{}' has a damaged series of run {}", file,
            query.integer(0));
    on_series(static_cast<std::uint64_t>(query.integer(0)), samples);
  }
  require(code == SQLITE_DONE, "'{}' cannot be read: {}", file, sqlite3_errmsg(database.db));
}

void scan_store(const std::string& file, const std::function<void(const StoreRow&)>& on_row) {
  Database database;
  const StudyIdentity identity = open_store(database, file);
  Statement query(database.db, "SELECT * FROM runs ORDER BY k", file);
  std::vector<double> measures(identity.measures.size());
  const int first = 3 + static_cast<int>(identity.variables.size());
  int code = SQLITE_ROW;
  while ((code = query.step()) == SQLITE_ROW) {
    for (std::size_t i = 0; i < measures.size(); ++i) measures[i] = query.number(first + static_cast<int>(i));
    on_row({static_cast<std::uint64_t>(query.integer(0)), query.integer(1) == 0, query.number(2), measures});
  }
  require(code == SQLITE_DONE, "'{}' cannot be read: {}", file, sqlite3_errmsg(database.db));
}

StoreTable read_store(const std::string& file) {
  Database database;
  StoreTable table;
  table.identity = open_store(database, file);
  const std::size_t nv = table.identity.variables.size(), nm = table.identity.measures.size();
  table.values.resize(nv), table.measures.resize(nm);
  Statement query(database.db, "SELECT * FROM runs ORDER BY k", file);
  int code = SQLITE_ROW;
  while ((code = query.step()) == SQLITE_ROW) {
    table.k.push_back(static_cast<std::uint64_t>(query.integer(0)));
    table.ok.push_back(query.integer(1) == 0 ? 1 : 0);
    table.seconds.push_back(query.number(2));
    for (std::size_t i = 0; i < nv + nm; ++i) {
      const int column = static_cast<int>(i) + 3;
      if (i >= nv) {
        table.measures[i - nv].push_back(query.number(column));
        continue;
      }
      const auto& choices = table.identity.choices[i];
      if (choices.empty())
        table.values[i].push_back(query.number(column));
      else
        table.values[i].push_back(
            static_cast<double>(std::find(choices.begin(), choices.end(), query.text(column)) - choices.begin()));
    }
  }
  require(code == SQLITE_DONE, "'{}' cannot be read: {}", file, sqlite3_errmsg(database.db));
  Statement reasons(database.db, "SELECT k, reason FROM failures", file);
  while (reasons.step() == SQLITE_ROW) table.reasons[static_cast<std::uint64_t>(reasons.integer(0))] = reasons.text(1);
  return table;
}

}  // namespace kane
