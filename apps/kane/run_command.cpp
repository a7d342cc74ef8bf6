// kane run: an AUTOLEV script, executed; its log, the files it writes, and its motion.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/kane/command.hpp"
#include "apps/kane/output_guard.hpp"
#include "apps/kane/repl.hpp"
#include "apps/kane/script_files.hpp"
#include "kane/base/output_file.hpp"
#include "kane/formats/autolev/programs.hpp"
#include "kane/formats/autolev/script_system.hpp"
#include "kane/formats/yaml/yaml_document.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct RunOptions {
  std::string script, out, values;
  bool json = false, quiet = false, simulate = false, no_files = false, force = false;
};

class ScriptCommand {
 public:
  explicit ScriptCommand(const RunOptions& options)
      : options_(options), guard_(options.force, {options.script, options.values}), session_(session_options(options)) {
    guard_.claim(options.out);
  }

  void run() {
    try {
      if (options_.script == "-")
        session_.run_text(read_standard_input(), "standard input");
      else
        session_.run_file(options_.script);
    } catch (const ModelError&) {
      print_log();  // what came before the statement that is wrong
      throw;
    }
    print_log();
    std::vector<autolev::WrittenFile> files = session_.files();
    for (const auto& request : session_.world().codes) add(files, placed_code_files(request));
    if (options_.simulate) add(files, simulate());
    if (!options_.no_files) written_ = write_script_files(files, guard_);
    report();
    if (!failure_.empty()) throw RunFailed(failure_);
  }

 private:
  static autolev::SessionOptions session_options(const RunOptions& options) {
    autolev::SessionOptions o;
    o.folder = options.script == "-" ? std::filesystem::path(".") : std::filesystem::path(options.script).parent_path();
    if (o.folder.empty()) o.folder = ".";
    return o;
  }

  static void add(std::vector<autolev::WrittenFile>& to, std::vector<autolev::WrittenFile> more) {
    for (auto& f : more) {
      std::erase_if(to, [&](const auto& known) { return known.name == f.name; });
      to.push_back(std::move(f));
    }
  }

  void print_log() const {
    if (!options_.out.empty()) {
      write_file(options_.out, session_.log_text());
    } else if (!options_.json && !options_.quiet) {
      fmt::print("{}", session_.log_text());
    }
    std::fflush(stdout);  // notes stand behind the log where both go to one file
    if (!options_.json)
      for (const auto& note : session_.notes()) fmt::print(stderr, "note: {}\n", note);
  }

  /// The system of the script, made once; with the values of a .in file if one is given.
  const autolev::ScriptSystem& system() {
    if (!system_) {
      system_ = autolev::make_system(session_, script_name(options_.script), autolev::WithoutOutput::AllStates);
      if (session_.world().outputs.empty() && !options_.json)
        fmt::print(stderr, "note: the script has no OUTPUT; the tables have the time and all states\n");
      if (!options_.values.empty()) {
        const std::string text = read_file_bytes(options_.values, options_.values, autolev::Limits{}.max_bytes);
        autolev::read_input_file(*system_, text, options_.values);
      }
    }
    return *system_;
  }

  /// Errors carry the place of the CODE statement.
  std::vector<autolev::WrittenFile> placed_code_files(const autolev::CodeRequest& request) {
    try {
      return code_files(request);
    } catch (const LimitError&) {
      throw;
    } catch (const ModelError& error) {
      if (error.where().line != 0) throw;
      throw ModelError(request.where, error.message());
    }
  }

  std::vector<autolev::WrittenFile> code_files(const autolev::CodeRequest& request) {
    if (request.kind == "DYNAMICS" || request.kind == "ODE") return autolev::emit_program(system(), request.file);
    // Algebraic equations are worked out at once as well, if their values are known.
    std::vector<autolev::WrittenFile> files = autolev::emit_algebraic(session_, request);
    const autolev::ScriptRun run = autolev::evaluate_script(session_, request);
    if (!run.failure.empty()) failure_ = run.failure;
    if (!run.missing.empty() && !options_.json)
      fmt::print(stderr, "note: no table for {}, since INPUT gives no values of {}\n", request.file, run.missing);
    add(files, run.files);
    return files;
  }

  std::vector<autolev::WrittenFile> simulate() {
    std::string stem = script_name(options_.script);
    for (const auto& request : session_.world().codes)
      if (request.kind == "DYNAMICS" || request.kind == "ODE")
        stem = std::filesystem::path(request.file).replace_extension().string();
    const autolev::ScriptRun run = autolev::simulate_script(system(), stem);
    if (!run.failure.empty()) failure_ = run.failure;
    samples_ = run.samples;
    return run.files;
  }

  void report() const {
    if (options_.json) {
      Json results = Json::array();
      for (const auto& line : session_.log())
        if (line.kind != autolev::LogLine::Kind::Note)
          results.push_back({{"number", line.number},
                             {"kind", line.kind == autolev::LogLine::Kind::Input ? "input" : "result"},
                             {"text", line.text}});
      Json j{{"script", options_.script},
             {"statements", session_.statements()},
             {"log", results},
             {"notes", session_.notes()},
             {"files", written_}};
      if (system_) {
        Json s;
        for (const Expr& q : system_->equations.q) s["coordinates"].push_back(q.name());
        for (const Expr& u : system_->equations.u) s["speeds"].push_back(u.name());
        for (const auto& [name, value] : system_->constants) s["constants"][name] = value;
        s["missing"] = system_->missing;
        j["system"] = s;
      }
      if (options_.simulate) j["samples"] = samples_;
      fmt::print("{}\n", j.dump());
      return;
    }
    if (options_.quiet) return;
    if (!options_.out.empty()) fmt::print("wrote {}\n", options_.out);
    for (const auto& name : written_) fmt::print("wrote {}\n", name);
  }

  const RunOptions& options_;
  OutputGuard guard_;
  autolev::Session session_;
  std::optional<autolev::ScriptSystem> system_;
  std::vector<std::string> written_;
  std::string failure_;
  std::size_t samples_ = 0;
};

}  // namespace

void add_run_command(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run an AUTOLEV script");
  command
      ->add_option("script", options->script, "Script file; '-' reads standard input, or is the prompt on a terminal")
      ->required();
  command->add_option("--out", options->out, "FILE.all: write the log there instead of printing it");
  command->add_flag("--simulate", options->simulate,
                    "Integrate the equations of motion and write the tables that OUTPUT names: FILE.1, FILE.2, ...");
  command->add_option("--in", options->values, "FILE.in: values instead of those of INPUT");
  add_force_option(*command, options->force);
  command->add_flag("--no-files", options->no_files, "Write none of the files that the script requests");
  command->add_flag("--json", options->json, "Print JSON: the log, the notes, the files");
  command->add_flag("--quiet", options->quiet, "Print notes and errors only");
  command->footer(
      "Examples:\n"
      "  kane run models/autolev/double_pendulum.al --no-files          # the log, with the equations of motion\n"
      "  kane run models/autolev/rolling_disk.al --out disk.all --simulate\n"
      "docs/autolev.md lists the supported statements and their interpretation.");
  command->callback([options] {
    if (options->script == "-" && isatty(STDIN_FILENO) != 0) {
      run_repl();
      return;
    }
    ScriptCommand(*options).run();
  });
}

void add_repl_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("repl", "An interactive prompt for AUTOLEV statements and expressions");
  command->footer(
      "Examples:\n"
      "  kane repl                                                      # type help for help\n"
      "  printf 'CONSTANTS A,B\\nD((A+B)^2,A)\\n' | kane repl            # 2*(A + B)\n"
      "At the prompt: help, help FORCE, undo, history, log, save script.al, quit.");
  command->callback([] { run_repl(); });
}

}  // namespace kane
