#pragma once
// Two functions for two kinds of error. `require`: the caller's model is wrong; the message addresses the user and names
// the objects. `ensure`: Kane itself is wrong. A numerical failure inside a step is neither; it is a returned status.

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace kane {

/// A place in a source text. Line and column count from 1; 0 means "not known".
struct Where {
  std::string file;  ///< "" if not known
  int line = 0;      ///< from 1
  int column = 0;    ///< from 1

  /// "file:line:column", without the parts that are not known.
  [[nodiscard]] std::string to_string() const;
};

/// The part of a model that an error is about, for callers that know where that part was written. A name may be that of
/// one row of a constraint ("loop.x").
struct Subject {
  /// The kind of part.
  enum class Kind : std::uint8_t { None, Constraint, Speed, Load };
  Kind kind = Kind::None;  ///< None: not about one part
  std::string name;        ///< name of the part
};

/// The user's model or input is wrong. what() is a complete sentence; with a place: "file:line:column: error: ...".
class ModelError : public std::runtime_error {
 public:
  /// Without a place.
  explicit ModelError(std::string message);
  /// With the place in the user's file.
  ModelError(Where where, std::string message);
  /// With the part of the model it is about.
  ModelError(Subject subject, std::string message);

  /// The place; empty if not known.
  [[nodiscard]] const Where& where() const { return where_; }
  /// The part of the model; known if there is no place yet.
  [[nodiscard]] const Subject& subject() const { return subject_; }
  /// The sentence without the place.
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  Where where_;
  Subject subject_;
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

/// Throws ModelError with this message unless the condition holds: the caller's model or input is wrong.
template <class... Args>
void require(bool holds, fmt::format_string<Args...> text, Args&&... args) {
  if (!holds) throw ModelError(fmt::format(text, std::forward<Args>(args)...));
}

/// The same, about a part of the model.
template <class... Args>
void require_about(const Subject& subject, bool holds, fmt::format_string<Args...> text, Args&&... args) {
  if (!holds) throw ModelError(subject, fmt::format(text, std::forward<Args>(args)...));
}

/// Runs `work`; an error that knows neither its place nor its subject gets this subject.
template <class Work>
auto with_subject(const Subject& subject, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const LimitError&) {
    throw;
  } catch (const ModelError& error) {
    if (error.where().line != 0 || error.subject().kind != Subject::Kind::None) throw;
    throw ModelError(subject, error.message());
  }
}

/// Throws InternalError with this message unless the condition holds: Kane itself is wrong.
template <class... Args>
void ensure(bool holds, fmt::format_string<Args...> text, Args&&... args) {
  if (!holds) throw InternalError("internal error: " + fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace kane
