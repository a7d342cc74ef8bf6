#pragma once
// The interactive prompt, without its keyboard: a line goes in, what is shown for it comes out. A line that is wrong
// changes nothing.

#include <string>
#include <string_view>
#include <vector>

#include "kane/formats/autolev/session.hpp"

namespace kane::autolev {

struct Answer {
  std::string text;    ///< to be shown; ends with a line feed unless it is empty
  bool error = false;  ///< the line was wrong
  bool more = false;   ///< the line goes on ("&" at its end)
  bool end = false;    ///< the user is done
};

class Prompt {
 public:
  explicit Prompt(SessionOptions options = {});

  /// A statement, an expression, or one of the prompt's own words: help, undo, save FILE, log, list, quit.
  [[nodiscard]] Answer enter(const std::string& line);
  /// Words that can follow what has been typed, for completion.
  [[nodiscard]] std::vector<std::string> complete(std::string_view begun) const;
  /// The statements that stand, as a script.
  [[nodiscard]] std::string script() const;
  /// Files that the user or a statement asked for since the last call.
  [[nodiscard]] std::vector<WrittenFile> take_files();
  [[nodiscard]] Session& session() { return session_; }

 private:
  struct Entry {
    std::string text;
    World before;
    std::size_t log_lines;
  };
  Answer run(const std::string& text);
  [[nodiscard]] Answer help(std::string_view word) const;
  Answer undo();
  Answer save(const std::string& name);

  Session session_;
  std::vector<Entry> entries_;
  std::string begun_;  ///< lines that go on
  std::vector<WrittenFile> files_;
  std::size_t taken_ = 0;
  int line_ = 0;
};

}  // namespace kane::autolev
