// kane serve: the workbench in a browser.

#include "apps/kane/serve_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "apps/kane/interrupt.hpp"
#include "kane/base/error.hpp"
#include "kane/server/server.hpp"

namespace kane {
namespace {

struct ServeCommandOptions {
  ServerOptions server;
  double port = 0;
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
  command->add_option("--port", options->port, "Port to listen on (default: any free one)");
  command->add_option("--bind", options->server.address,
                      "Address to listen on (default: 127.0.0.1, this machine only)");
  command->add_flag("--write", options->server.write, "Pages may save models in the folder");
  command->add_flag("--no-browser", options->no_browser, "Only print the address");
  command->footer(
      "Examples:\n"
      "  kane serve models/                                # prints an address to open\n"
      "  kane serve models/fourbar.yaml --port 8080 --write --no-browser");
  command->callback([options] { run_serve(*options); });
}

}  // namespace kane
