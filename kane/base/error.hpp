#pragma once
// Two words for two errors. `require`: the caller's model is wrong, the message addresses the user and names the
// objects. `ensure`: Kane itself is wrong. A numerical failure inside a step is neither; it is a returned status.

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace kane {

/// A place in a source text. Line and column count from 1; 0 means "not known".
struct Where {
  std::string file;
  int line = 0;
  int column = 0;

  /// "file:line:column", leaving out what is not known.
  [[nodiscard]] std::string to_string() const;
};

/// The user's model or input is wrong. what() is a complete sentence; with a place: "file:line:column: error: ...".
class ModelError : public std::runtime_error {
 public:
  explicit ModelError(std::string message);
  ModelError(Where where, std::string message);

  [[nodiscard]] const Where& where() const { return where_; }
  /// The sentence without the place.
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  Where where_;
  std::string message_;
};

/// A limit that protects against unbounded memory or time was reached; the message names the limit.
class LimitError : public ModelError {
 public:
  using ModelError::ModelError;
};

/// An invariant of Kane itself does not hold.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

template <class... Args>
void require(bool holds, fmt::format_string<Args...> text, Args&&... args) {
  if (!holds) throw ModelError(fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
void ensure(bool holds, fmt::format_string<Args...> text, Args&&... args) {
  if (!holds) throw InternalError("internal error: " + fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace kane
