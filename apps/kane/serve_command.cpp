// kane serve: the workbench in a browser.

#include "apps/kane/serve_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "apps/kane/interrupt.hpp"
#include "kane/base/error.hpp"
#include "kane/server/server.hpp"

namespace kane {
namespace {

struct ServeCommandOptions {
  ServerOptions server;
  double port = 0;
  std::string token_file;
  bool no_browser = false;
};

/// A file: its folder, opened at that model.
void split_file(ServerOptions& options) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_regular_file(options.folder, error)) return;
  const fs::path file(options.folder);
  options.open = file.filename().string();
  options.folder = file.has_parent_path() ? file.parent_path().string() : ".";
}

/// The token of a file that only its owner may read; a file that is not there gets a new one.
std::string read_token(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr std::size_t kLength = 32;
  std::error_code error;
  if (!fs::exists(path, error)) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    const std::string token = make_server_token();
    const bool written = file >= 0 && ::write(file, token.data(), token.size()) == static_cast<ssize_t>(token.size());
    if (file >= 0) ::close(file);
    require(written, "the token cannot be written to '{}'", path);
    return token;
  }
  require(fs::is_regular_file(path, error), "'{}' is not a file", path);
  std::ifstream in(path);
  std::string token;
  in >> token;
  require(token.size() == kLength && token.find_first_not_of("0123456789abcdef") == std::string::npos,
          "'{}' does not have a token, which is {} hexadecimal digits; name another file for it", path, kLength);
  const fs::perms others = fs::perms::group_all | fs::perms::others_all;
  require((fs::status(path, error).permissions() & others) == fs::perms::none,
          "others may read '{}', which has the token of the address; 'chmod 600' makes it private", path);
  return token;
}

void open_browser(const std::string& url) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  // The address has only letters, digits and punctuation of addresses.
  const std::string command = fmt::format("xdg-open '{}' > /dev/null 2>&1 &", url);
  if (std::system(command.c_str()) != 0) fmt::print(stderr, "no browser could be opened\n");
}

void run_serve(const ServeCommandOptions& options) {
  ServerOptions own = options.server;
  constexpr double kMostPort = 65535;
  require(options.port >= 0 && options.port <= kMostPort && options.port == std::floor(options.port),
          "--port takes a number from 0 (any free one) to {}, not {}", kMostPort, options.port);
  own.port = static_cast<unsigned short>(options.port);
  split_file(own);
  if (!options.token_file.empty()) own.token = read_token(options.token_file);
  Server server(own);
  fmt::print("Kane's workbench: {}\n{}Ctrl-C ends it.\n", server.url(),
             own.write ? "Pages may save models in the folder. " : "");
  if (own.address != "127.0.0.1" && own.address != "::1" && own.address != "localhost")
    fmt::print("Anyone who knows this address can run models here; the connection is not encrypted.\n");
  std::fflush(stdout);
  if (!options.no_browser) open_browser(server.url());
  const InterruptScope scope;
  server.set_keep_going([] { return interrupted_by() == 0; });
  server.run();
  // Nothing is left to write; a model that is being derived just now is not waited for.
  std::fflush(nullptr);
  ::_exit(interrupted_by() == 0 ? 0 : 128 + interrupted_by());
}

}  // namespace

void add_serve_command(CLI::App& app) {
  auto options = std::make_shared<ServeCommandOptions>();
  CLI::App* command = app.add_subcommand("serve", "The workbench: run, pull, edit and read models in a browser");
  command->add_option("folder", options->server.folder, "Folder with models, or one model file (default: this folder)");
  command->add_option("--port", options->port, "Port to listen on (default: the folder's own, or any free one)");
  command->add_option("--bind", options->server.address,
                      "Address to listen on (default: 127.0.0.1, this machine only)");
  command->add_option("--token-file", options->token_file,
                      "Keeps the token of the address in this file, so that open pages find the server when it is "
                      "started again (default: a new token each time)");
  command->add_flag("--write", options->server.write, "Pages may save models in the folder");
  command->add_flag("--no-browser", options->no_browser, "Only print the address");
  command->footer(
      "Examples:\n"
      "  kane serve models/                                # prints an address to open\n"
      "  kane serve models/fourbar.yaml --port 8080 --write --no-browser");
  command->callback([options] { run_serve(*options); });
}

}  // namespace kane
