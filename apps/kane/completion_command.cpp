// kane completion: scripts that let a shell complete the command. They are generated from the declared options, so
// they are always up to date.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/kane/command.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"

namespace kane {
namespace {

/// The possible values of an option.
struct ValueWords {
  std::string_view option;
  std::string_view words;
};
constexpr ValueWords kValueWords[] = {
    {"--formulation", "automatic projection composite articulated"},
    {"--format", "text markdown latex html"},
    {"--method", "auto rk4 dopri5 dop853 cvode arkode midpoint gauss4 gauss6 verlet verlet4"},
    {"--template", "pendulum cart arm fourbar chain"},
};

struct OptionInfo {
  std::vector<std::string> words;  ///< "--output", "-o"
  std::string description;
  bool takes_value = false;
};

struct CommandInfo {
  std::string name, description;
  std::vector<OptionInfo> options;
  bool takes_shell = false;  ///< its argument is the name of a shell
};

std::vector<CommandInfo> describe(const CLI::App& app) {
  std::vector<CommandInfo> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandInfo info{command->get_name(), command->get_description(), {}, command->get_name() == "completion"};
    for (const CLI::Option* option : command->get_options()) {
      OptionInfo o{{}, option->get_description(), option->get_items_expected_max() > 0};
      for (const auto& name : option->get_lnames()) o.words.push_back("--" + name);
      for (const auto& name : option->get_snames()) o.words.push_back("-" + name);
      if (!o.words.empty()) info.options.push_back(std::move(o));
    }
    commands.push_back(std::move(info));
  }
  return commands;
}

std::string_view value_words(const OptionInfo& option) {
  for (const auto& row : kValueWords)
    if (std::find(option.words.begin(), option.words.end(), row.option) != option.words.end()) return row.words;
  return {};
}

/// Text between single quotation marks; the shells differ in how a quotation mark itself is written.
std::string quoted(std::string text, std::string_view quotation_mark) {
  std::string result;
  for (const char c : text) {
    if (c == '\'')
      result += quotation_mark;
    else
      result += c == '\n' ? ' ' : c;
  }
  return "'" + result + "'";
}

std::string join_words(const CommandInfo& command) {
  std::vector<std::string> all;
  for (const auto& option : command.options) all.insert(all.end(), option.words.begin(), option.words.end());
  return fmt::format("{}", fmt::join(all, " "));
}

std::string bash_script(const std::vector<CommandInfo>& commands) {
  std::vector<std::string> names;
  for (const auto& c : commands) names.push_back(c.name);
  std::string s = fmt::format(R"(# bash completion of kane; made by `kane completion bash`
_kane() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
  fi
  case "$previous" in
)",
                              fmt::join(names, " "));
  for (const auto& row : kValueWords)
    s += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); return ;;\n", row.option, row.words);
  s += "  esac\n  case \"${COMP_WORDS[1]}\" in\n";
  for (const auto& c : commands) s += fmt::format("    {}) words=\"{}\" ;;\n", c.name, join_words(c));
  s += R"(  esac
  if [[ "${COMP_WORDS[1]}" == completion && "$current" != -* ]]; then
    words="bash zsh fish"
  elif [[ "$current" != -* ]]; then
    return  # files
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _kane kane
)";
  return s;
}

std::string zsh_option(const OptionInfo& option) {
  std::string description;
  for (const char c : option.description)
    description += c == '[' || c == ']' || c == ':' ? std::string{'\\', c} : std::string(1, c);
  std::string lines;
  const std::string_view values = value_words(option);
  for (const auto& word : option.words) {
    std::string spec = fmt::format("{}[{}]", word, description);
    if (option.takes_value) spec += values.empty() ? ":value:_files" : fmt::format(":value:({})", values);
    lines += " \\\n        " + quoted("*" + spec, "'\\''");
  }
  return lines;
}

std::string zsh_script(const std::vector<CommandInfo>& commands) {
  std::string s =
      "#compdef kane\n# zsh completion of kane; made by `kane completion zsh`\n_kane() {\n  local -a commands=(\n";
  for (const auto& c : commands) s += fmt::format("    {}\n", quoted(c.name + ":" + c.description, "'\\''"));
  s += "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n";
  s += "  local command=\"$words[2]\"\n  (( CURRENT-- ))\n  shift words\n  case \"$command\" in\n";
  for (const auto& c : commands) {
    s += fmt::format("    {})\n      _arguments", c.name);
    for (const auto& option : c.options) s += zsh_option(option);
    s += c.takes_shell ? " \\\n        '1:shell:(bash zsh fish)' ;;\n" : " \\\n        '*:file:_files' ;;\n";
  }
  return s + "  esac\n}\n_kane \"$@\"\n";
}

std::string fish_script(const std::vector<CommandInfo>& commands) {
  std::string s = "# fish completion of kane; made by `kane completion fish`\n";
  for (const auto& c : commands)
    s +=
        fmt::format("complete -c kane -n __fish_use_subcommand -f -a {} -d {}\n", c.name, quoted(c.description, "\\'"));
  for (const auto& c : commands) {
    for (const auto& option : c.options) {
      s += fmt::format("complete -c kane -n '__fish_seen_subcommand_from {}'", c.name);
      for (const auto& word : option.words)
        s += word.starts_with("--") ? " -l " + word.substr(2) : " -s " + word.substr(1);
      if (option.takes_value) s += " -r";
      if (const auto words = value_words(option); !words.empty()) s += fmt::format(" -f -a '{}'", words);
      s += fmt::format(" -d {}\n", quoted(option.description, "\\'"));
    }
  }
  return s + "complete -c kane -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n";
}

void run_completion(const CLI::App& app, const std::string& shell) {
  const auto commands = describe(app);
  if (shell == "bash")
    fmt::print("{}", bash_script(commands));
  else if (shell == "zsh")
    fmt::print("{}", zsh_script(commands));
  else if (shell == "fish")
    fmt::print("{}", fish_script(commands));
  else
    throw ModelError(fmt::format("there is no completion for the shell '{}'{} (known: bash, zsh, fish)", shell,
                                 suggestion(shell, {"bash", "zsh", "fish"})));
}

}  // namespace

void add_completion_command(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for a shell");
  command->add_option("shell", *shell, "bash, zsh or fish")->required();
  command->footer(
      "Examples:\n"
      "  source <(kane completion bash)          # in ~/.bashrc\n"
      "  kane completion zsh > _kane             # in a folder of $fpath\n"
      "  kane completion fish > kane.fish        # in ~/.config/fish/completions\n"
      "`make install` puts all three where the shells look for them.");
  command->callback([&app, shell] { run_completion(app, *shell); });
}

}  // namespace kane
