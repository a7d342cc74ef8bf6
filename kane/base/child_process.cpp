#include "kane/base/child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kane/base/error.hpp"

namespace kane {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(std::string_view label) {
  std::error_code error;
  path_ = (fs::temp_directory_path(error) / fmt::format("{}_XXXXXX", label)).string();
  require(!error && mkdtemp(path_.data()) != nullptr,
          "no temporary folder can be made: {}; set the variable TMPDIR to choose another place",
          error ? error.message() : std::strerror(errno));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

int run_program(const std::string& program, std::vector<std::string> arguments, const std::string& log) {
  std::string name = program;
  std::vector<char*> argv{name.data()};
  for (auto& word : arguments) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawn(&child, program.c_str(), &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string read_whole_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace kane
