// The kane command.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/interrupt.hpp"
#include "apps/kane/serve_command.hpp"
#include "apps/kane/waiting_note.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/base/suggest.hpp"

namespace kane {
namespace {

/// Names in messages may come from anywhere; on a terminal, control characters would act.
std::string printable(std::string text) {
  for (char& c : text)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) c = '?';
  return text;
}

/// Known names that a word on the command line may have been meant as: sub-commands, or options of the sub-command in use.
std::vector<std::string> known_words(const CLI::App& app, bool option) {
  const auto used = app.get_subcommands();
  if (!used.empty()) return known_words(*used.front(), option);
  std::vector<std::string> words;
  if (option) {
    for (const auto* known : app.get_options())
      for (const auto& name : known->get_lnames()) words.push_back("--" + name);
  } else {
    for (const auto* command : app.get_subcommands({})) words.push_back(command->get_name());
  }
  return words;
}

ExitCode report_bad_options(const CLI::App& app, const CLI::ParseError& error) {
  const auto unknown = app.remaining(true);
  if (unknown.empty()) {
    fmt::print(stderr, "kane: error: {}\n", error.what());
  } else {
    const bool option = unknown.front().starts_with('-');
    const bool command = !option && app.get_subcommands().empty();
    fmt::print(stderr, "kane: error: unknown {} '{}'{}\n",
               option    ? "option"
               : command ? "command"
                         : "argument",
               printable(unknown.front()),
               option || command ? suggestion(unknown.front(), known_words(app, option)) : std::string());
  }
  fmt::print(stderr, "Run with --help for usage.\n");
  return ExitCode::InputWrong;
}

void add_commands(CLI::App& app) {
  add_new_command(app);
  add_import_command(app);
  add_check_command(app);
  add_derive_command(app);
  add_evaluate_command(app);
  add_simulate_command(app);
  add_run_command(app);
  add_repl_command(app);
  add_haptics_command(app);
  add_linearize_command(app);
  add_export_command(app);
  add_serve_command(app);
  add_analysis_commands(app);
  add_bench_command(app);
  add_expr_command(app);
  add_completion_command(app);
}

/// The arguments in reverse order, as CLI11 expects them. It takes "-x + 1" for an option; after `expr`, which has no short
/// option but -h, such a word is an expression, and a leading blank makes CLI11 see it so.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool expression_follows = !arguments.empty() && arguments.front() == "expr";
  for (auto& word : arguments)
    if (expression_follows && word.size() > 1 && word[0] == '-' && word[1] != '-' && word != "-h") word = ' ' + word;
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

/// An option that takes several words takes the model too where it follows (`--columns inputs model.yaml --set m=2`). Moves the
/// first word that is a file, and not the first after an option, behind the command. False if there is none.
bool bring_model_forward(std::vector<std::string>& reversed) {
  std::error_code ignored;
  for (std::size_t i = reversed.size(); i-- > 0;) {  // the first word is the last of them
    const bool first_words = i + 2 >= reversed.size();
    if (first_words || reversed[i].starts_with('-') || reversed[i + 1].starts_with('-')) continue;
    if (!std::filesystem::is_regular_file(reversed[i], ignored)) continue;
    std::rotate(reversed.begin() + static_cast<std::ptrdiff_t>(i),
                reversed.begin() + static_cast<std::ptrdiff_t>(i) + 1, reversed.end() - 1);
    return true;
  }
  return false;
}

void parse(CLI::App& app, std::vector<std::string> reversed) {
  try {
    app.parse(std::vector<std::string>(reversed));
  } catch (const CLI::RequiredError& error) {
    if (std::string_view(error.what()) != "model is required" || !bring_model_forward(reversed)) throw;
    app.parse(std::move(reversed));
  }
}

ExitCode run(CLI::App& app, int argc, char** argv) {
  if (argc <= 1) {
    fmt::print("{}", app.help());
    return ExitCode::InputWrong;
  }
  try {
    parse(app, arguments_of(argc, argv));
    return ExitCode::Done;
  } catch (const CLI::Success& request) {  // --help, --version
    app.exit(request);
    return ExitCode::Done;
  } catch (const CLI::ParseError& error) {
    return report_bad_options(app, error);
  }
}

/// A closed descriptor would be given to the next file that is opened, and messages would end in it. Standard output that was
/// closed stays an error for those who print.
void open_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0) {
      const int opened = ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
      if (opened >= 0 && opened != descriptor) (void)::dup2(opened, descriptor), (void)::close(opened);
    }
}

/// Whether a line about the present activity may be printed.
bool wants_notes(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + std::min(1, argc), argv + argc);
  const auto has = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  return !has("--json") && !has("--quiet") &&
         !(words.size() > 0 && (words.front() == "haptics" || words.front() == "serve"));
}

/// Exit code after standard output could not be written. A reader that has seen enough (`| head`) is not reported as an error.
int report_lost_output(int code) {
  if (code == EPIPE) return 128 + SIGPIPE;
  fmt::print(stderr, "kane: error: standard output could not be written: {}\n", std::strerror(code));
  return static_cast<int>(ExitCode::RunFailed);
}

/// Turns everything that can be thrown into a message and an exit code.
int guarded_run(CLI::App& app, int argc, char** argv) {
  ExitCode code = ExitCode::RunFailed;
  try {
    code = run(app, argc, argv);
  } catch (const OutputError& error) {
    if (error.code() == EPIPE) return 128 + SIGPIPE;
    fmt::print(stderr, "kane: error: {}\n", printable(error.what()));
  } catch (const ModelError& error) {
    const bool has_place = !error.where().to_string().empty();
    fmt::print(stderr, "{}{}\n", has_place ? "" : "kane: error: ", printable(error.what()));
    code = ExitCode::InputWrong;
  } catch (const RunFailed& error) {
    fmt::print(stderr, "kane: error: {}\n", printable(error.what()));
  } catch (const Interrupted& error) {
    return error.exit_code();
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "kane: error: not enough memory\n");
  } catch (const std::system_error& error) {  // what fmt throws if it cannot print
    if (std::ferror(stdout) != 0) return report_lost_output(error.code().value());
    fmt::print(stderr, "kane: error: {}\n", printable(error.what()));
  } catch (const std::exception& error) {
    fmt::print(stderr, "kane: {}\nThis is a bug in Kane; please report it with the command and its input.\n",
               printable(error.what()));
  }
  return static_cast<int>(code);
}

}  // namespace

std::string read_standard_input() {
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

}  // namespace kane

int main(int argc, char** argv) {
  kane::open_standard_streams();
  kane::watch_messages(kane::wants_notes(argc, argv));
  kane::install_signal_handlers();
  CLI::App app("Multibody dynamics by Kane's method: from a description of a mechanism to equations and motion.",
               "kane");
  app.set_version_flag("--version", "kane " KANE_VERSION);
  app.footer(
      "Exit codes: 0 success, 1 the run failed, 2 the input was wrong, 130 interrupted (Ctrl-C), 143 terminated.");
  app.require_subcommand(1);
  kane::add_commands(app);
  const int code = kane::guarded_run(app, argc, argv);
  kane::stop_watching();
  errno = 0;
  if (std::fflush(stdout) != 0) return kane::report_lost_output(errno);
  return code;
}
