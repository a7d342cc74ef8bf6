#include "tests/command/run_command.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace kane::test {
namespace {

/// A nameless file, gone when closed: it cannot fill up as a pipe would.
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File make_file(const std::string& content = {}) {
  File file(std::tmpfile(), &std::fclose);
  if (!file) throw std::runtime_error("cannot make a temporary file");
  std::fwrite(content.data(), 1, content.size(), file.get());
  std::fflush(file.get());
  std::rewind(file.get());
  return file;
}

std::string read_all(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  return text;
}

[[noreturn]] void become(const std::vector<std::string>& arguments, int in, int out, int err,
                         const std::function<void()>& before) {
  std::string program = KANE_COMMAND;
  std::vector<std::string> words(arguments);
  std::vector<char*> argv{program.data()};
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  if (before) before();
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

namespace {

CommandResult run_child(const std::function<void()>& in_child, const std::vector<std::string>& arguments,
                        const std::string& input) {
  const auto in = make_file(input), out = make_file(), err = make_file();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start a process");
  if (child == 0) become(arguments, fileno(in.get()), fileno(out.get()), fileno(err.get()), in_child);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_all(out.get()), read_all(err.get())};
}

}  // namespace

CommandResult run_kane(const std::vector<std::string>& arguments, const std::string& input) {
  return run_child({}, arguments, input);
}

CommandResult run_kane_after(const std::function<void()>& in_child, const std::vector<std::string>& arguments) {
  return run_child(in_child, arguments, {});
}

std::string read_file(const std::string& file) {
  const File opened(std::fopen(file.c_str(), "rb"), &std::fclose);
  return opened ? read_all(opened.get()) : std::string{};
}

}  // namespace kane::test
