// kane derive: the equations of motion as a person would write them.

#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "kane/base/error.hpp"
#include "kane/mechanics/derivation_page.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/lowering.hpp"

namespace kane {
namespace {

struct DeriveCommandOptions {
  ModelSource source;
  std::string format = "text";
  std::string output;
  std::size_t terms = 40;
  std::vector<int> steps;
  bool compare = false;
};

void print_comparison(const Mechanism& mechanism) {
  fmt::print("Operations for the accelerations at one state, work on parameters only set aside:\n\n");
  fmt::print("  {:<14} {:>7} {:>7} {:>5} {:>5} {:>8}\n", "formulation", "mul", "add", "div", "func", "total");
  for (const auto& [formulation, count] : compare_formulations(mechanism))
    fmt::print("  {:<14} {:>7} {:>7} {:>5} {:>5} {:>8}\n", to_string(formulation), count.mul, count.add, count.div,
               count.func, count.total());
  if (const std::string reason = why_no_tree(mechanism); !reason.empty())
    fmt::print("\nThe recursive formulations do not apply: {}.\n", reason);
}

std::string page_in(const Page& page, const std::string& format) {
  if (format == "text") return write_text(page);
  if (format == "markdown" || format == "md") return write_markdown(page);
  if (format == "latex" || format == "tex") return write_latex(page);
  if (format == "html") return write_html(page);
  throw ModelError(fmt::format("unknown format '{}' (known: text, markdown, latex, html)", format));
}

/// By the ending of the file, unless --format says otherwise.
std::string format_of(const DeriveCommandOptions& options, bool given) {
  const auto dot = options.output.rfind('.');
  if (given || dot == std::string::npos) return options.format;
  const std::string ending = options.output.substr(dot + 1);
  return ending == "html" || ending == "md" || ending == "tex" ? ending : "text";
}

void run_derive(const DeriveCommandOptions& options, bool format_given) {
  const Mechanism mechanism = options.source.read();
  if (options.compare) {
    print_comparison(mechanism);
    return;
  }
  const LoweredMechanism lowered = lower_mechanism(mechanism);
  KaneDerivation derivation(lowered.system);
  const Page page = form_derivation_page(derivation, {.max_terms = options.terms, .steps = options.steps});
  const std::string text = page_in(page, format_of(options, format_given));
  if (options.output.empty()) {
    fmt::print("{}", text);
    return;
  }
  std::ofstream file(options.output, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw RunFailed(fmt::format("the file '{}' cannot be written", options.output));
  fmt::print("wrote {}\n", options.output);
}

}  // namespace

void add_derive_command(CLI::App& app) {
  auto options = std::make_shared<DeriveCommandOptions>();
  CLI::App* command = app.add_subcommand("derive", "The eight steps of Kane's method, and the equations of motion");
  options->source.add_to(*command);
  auto* format = command->add_option("--format", options->format, "text, markdown, latex or html");
  command->add_option("-o,--output", options->output, "File to write; its ending chooses the format");
  command->add_option("--max-terms", options->terms, "Longer formulas are written through intermediate variables");
  command->add_option("--step", options->steps, "Only this of the eight steps (8: the equations of motion); repeatable")
      ->check(CLI::Range(1, 8));
  command->add_flag("--compare", options->compare, "Only the table of formulations and their operations");
  command->callback([options, format] { run_derive(*options, format->count() > 0); });
}

}  // namespace kane
