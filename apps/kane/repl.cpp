#include "apps/kane/repl.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>

#include "apps/kane/script_files.hpp"
#include "kane/base/error.hpp"
#include "kane/formats/autolev/prompt.hpp"

namespace kane {
namespace {

autolev::Prompt* completed_prompt = nullptr;  // for the library's callback

/// libedit through its readline interface, loaded if it is installed; plain lines otherwise.
class LineEditor {
 public:
  LineEditor() {
    for (const char* name : {"libedit.so.2", "libedit.so.0", "libedit.so"}) {
      library_ = dlopen(name, RTLD_NOW);
      if (library_ != nullptr) break;
    }
    if (library_ == nullptr) return;
    readline_ = reinterpret_cast<char* (*)(const char*)>(dlsym(library_, "readline"));
    add_history_ = reinterpret_cast<int (*)(const char*)>(dlsym(library_, "add_history"));
    matches_ = reinterpret_cast<char** (*)(const char*, char* (*)(const char*, int))>(
        dlsym(library_, "rl_completion_matches"));
    auto* const hook =
        static_cast<char** (**)(const char*, int, int)>(dlsym(library_, "rl_attempted_completion_function"));
    if (hook != nullptr && matches_ != nullptr)
      *hook = [](const char* text, int, int) { return matches_(text, next_match); };
  }

  /// None at the end of input.
  std::optional<std::string> read(const char* prompt) {
    if (readline_ != nullptr) {
      char* const line = readline_(prompt);
      if (line == nullptr) return std::nullopt;
      std::string text = line;
      std::free(line);
      if (!text.empty() && add_history_ != nullptr) (void)add_history_(text.c_str());
      return text;
    }
    fmt::print("{}", prompt);
    std::fflush(stdout);
    std::string text;
    if (!std::getline(std::cin, text)) return std::nullopt;
    return text;
  }

 private:
  static char* next_match(const char* text, int state) {
    static std::vector<std::string> words;
    static std::size_t next = 0;
    if (state == 0) {
      words = completed_prompt == nullptr ? std::vector<std::string>() : completed_prompt->complete(text);
      next = 0;
    }
    return next < words.size() ? strdup(words[next++].c_str()) : nullptr;
  }

  void* library_ = nullptr;
  char* (*readline_)(const char*) = nullptr;
  int (*add_history_)(const char*) = nullptr;
  static char** (*matches_)(const char*, char* (*)(const char*, int));
};

char** (*LineEditor::matches_)(const char*, char* (*)(const char*, int)) = nullptr;

}  // namespace

void run_repl() {
  const bool terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  autolev::SessionOptions options;
  options.folder = ".";
  options.limits.max_seconds = 1e9;
  autolev::Prompt prompt(options);
  completed_prompt = &prompt;
  std::optional<LineEditor> editor;
  if (terminal) {
    editor.emplace();
    fmt::print("AUTOLEV statements and expressions; help, undo, log, save FILE.al, quit\n");
  }
  bool more = false;
  while (true) {
    std::optional<std::string> line;
    if (terminal) {
      line = editor->read(more ? "... " : "> ");
    } else {
      std::string text;
      if (std::getline(std::cin, text)) line = text;
    }
    if (!line) break;
    const autolev::Answer answer = prompt.enter(*line);
    more = answer.more;
    fmt::print(answer.error ? stderr : stdout, "{}", answer.text);
    std::fflush(stdout);
    try {
      OutputGuard guard(false, {});
      (void)write_script_files(prompt.take_files(), guard);
    } catch (const ModelError& error) {
      fmt::print(stderr, "error: {}\n", error.what());
    }
    if (answer.end) break;
  }
  completed_prompt = nullptr;
}

}  // namespace kane
