#pragma once
// SQLite's handles with owners. Private to kane/batch.

#include <sqlite3.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "kane/base/error.hpp"

namespace kane {

/// A prepared statement.
class Statement {
 public:
  Statement(sqlite3* db, const std::string& sql, const std::string& file) {
    if (sqlite3_prepare_v2(db, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK)
      throw ModelError(fmt::format("'{}' is not a store of a sweep: {}", file, sqlite3_errmsg(db)));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int place, double value) { return sqlite3_bind_double(statement_, place, value), *this; }
  Statement& bind(int place, std::int64_t value) { return sqlite3_bind_int64(statement_, place, value), *this; }
  Statement& bind(int place, const std::string& text) {
    return sqlite3_bind_text(statement_, place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT), *this;
  }
  Statement& bind_numbers(int place, std::span<const double> numbers) {
    return sqlite3_bind_blob64(statement_, place, numbers.data(), numbers.size_bytes(), SQLITE_TRANSIENT), *this;
  }
  /// SQLITE_ROW, SQLITE_DONE or an error.
  int step() { return sqlite3_step(statement_); }
  void reset() { sqlite3_reset(statement_); }
  [[nodiscard]] double number(int column) const {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nan("");
    return sqlite3_column_double(statement_, column);
  }
  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  void numbers(int column, std::vector<double>& to) const {
    const void* const bytes = sqlite3_column_blob(statement_, column);
    to.resize(static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)) / sizeof(double));
    if (bytes != nullptr && !to.empty()) std::memcpy(to.data(), bytes, to.size() * sizeof(double));
  }
  [[nodiscard]] std::string text(int column) const {
    const auto* bytes = sqlite3_column_text(statement_, column);
    return bytes == nullptr ? std::string()
                            : std::string(reinterpret_cast<const char*>(bytes),
                                          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

struct Database {
  sqlite3* db = nullptr;
  ~Database() { sqlite3_close(db); }
};

inline void open_database(Database& database, const std::string& file, int flags) {
  const int code = sqlite3_open_v2(file.c_str(), &database.db, flags, nullptr);
  require(code == SQLITE_OK, "'{}' cannot be opened: {}", file,
          database.db == nullptr ? "no memory" : sqlite3_errmsg(database.db));
  constexpr int kPatience = 2000;  // ms
  sqlite3_busy_timeout(database.db, kPatience);
}

}  // namespace kane
