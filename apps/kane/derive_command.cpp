// kane derive: the equations of motion as a person would write them.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/output_guard.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/base/output_mark.hpp"
#include "kane/base/suggest.hpp"
#include "kane/mechanics/derivation_page.hpp"
#include "kane/mechanics/equations_page.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/lowering.hpp"
#include "kane/mechanism/part_place.hpp"
#include "kane/mechanism/report.hpp"
#include "kane/mechanism/symbol_units.hpp"

namespace kane {
namespace {

struct DeriveCommandOptions {
  ModelSource source;
  std::string format = "text";
  std::string output;
  std::size_t terms = 40;
  std::vector<int> steps;
  std::vector<std::string> reactions;
  ReactionView view;
  bool compare = false;
  bool json = false, force = false;
};

void print_comparison(const Mechanism& mechanism) {
  fmt::print("Operations for the accelerations at one state, without work that depends on parameters only:\n\n");
  fmt::print("  {:<14} {:>7} {:>7} {:>5} {:>5} {:>8}\n", "formulation", "mul", "add", "div", "func", "total");
  for (const auto& [formulation, count] : compare_formulations(mechanism))
    fmt::print("  {:<14} {:>7} {:>7} {:>5} {:>5} {:>8}\n", to_string(formulation), count.mul, count.add, count.div,
               count.func, count.total());
  if (const std::string reason = why_no_tree(mechanism); !reason.empty())
    fmt::print("\nThe recursive formulations do not apply: {}.\n", reason);
}

nlohmann::ordered_json comparison_json(const Mechanism& mechanism) {
  nlohmann::ordered_json a{{"model", mechanism.name}, {"formulations", nlohmann::ordered_json::array()}};
  for (const auto& [formulation, count] : compare_formulations(mechanism))
    a["formulations"].push_back({{"name", to_string(formulation)},
                                 {"mul", count.mul},
                                 {"add", count.add},
                                 {"div", count.div},
                                 {"func", count.func},
                                 {"total", count.total()}});
  a["why_no_tree"] = why_no_tree(mechanism);
  return a;
}

std::string page_in(const Page& page, const std::string& format) {
  if (format == "text") return write_text(page);
  if (format == "markdown" || format == "md") return write_markdown(page);
  if (format == "latex" || format == "tex") return write_latex(page);
  if (format == "html") return write_html(page);
  throw ModelError(fmt::format("unknown format '{}' (known: text, markdown, latex, html)", format));
}

/// Chosen by the extension of the file, unless --format is given.
std::string format_of(const DeriveCommandOptions& options, bool given) {
  const auto dot = options.output.rfind('.');
  if (given || dot == std::string::npos) return options.format;
  const std::string ending = options.output.substr(dot + 1);
  return ending == "html" || ending == "md" || ending == "tex" ? ending : "text";
}

bool wants_all_reactions(const DeriveCommandOptions& options) {
  return options.reactions == std::vector<std::string>{"all"};
}

void check_reactions(const DeriveCommandOptions& options, const Mechanism& mechanism) {
  std::vector<std::string> known;
  for (const Joint& joint : mechanism.joints) known.push_back(joint.name);
  for (const std::string& name : options.reactions)
    require(wants_all_reactions(options) || mechanism.find_joint(name) != nullptr,
            "--reactions: there is no joint '{}'{}", name, suggestion(name, known));
  require(!options.reactions.empty() || (options.view.frame.empty() && options.view.point.empty()),
          "--frame and --point apply to reactions: add --reactions JOINT or --reactions all");
}

/// The reactions of the joints named (of "all"), in symbols.
std::vector<ReactionOutput> reactions_of(const DeriveCommandOptions& options, const Mechanism& mechanism,
                                         const LoweredMechanism& lowered, const EquationsOfMotion& equations) {
  // Without speeds the balances of the joints are the equations; forces that loads name are shown, too.
  const bool statics = equations.u.empty() && equations.states == 0;
  const auto named = [&](const std::string& joint) {
    return std::any_of(lowered.given.begin(), lowered.given.end(),
                       [&](const GivenForce& g) { return g.name == joint; });
  };
  if (options.reactions.empty() && !statics && lowered.given.empty()) return {};
  const bool all = wants_all_reactions(options) || (options.reactions.empty() && statics);
  auto reactions = form_reactions(mechanism, lowered, equations.constraints, options.view);
  std::erase_if(reactions, [&](const ReactionOutput& r) {
    return !all && !named(r.name) &&
           std::find(options.reactions.begin(), options.reactions.end(), r.name) == options.reactions.end();
  });
  return reactions;
}

/// Rows of contacts, stops and frictions.
std::set<std::string, std::less<>> switched_rows(const LoweredMechanism& lowered) {
  std::set<std::string, std::less<>> rows;
  for (const auto& contact : lowered.switching.contacts) rows.insert(contact.row);
  for (const auto& friction : lowered.switching.frictions) rows.insert(friction.rows.begin(), friction.rows.end());
  return rows;
}

/// By which the file is known as Kane's, in formats that have remarks.
std::string remark_in(const std::string& format) {
  if (format == "latex" || format == "tex") return fmt::format("% {}\n", kOutputWords);
  return format == "text" ? std::string() : fmt::format("<!-- {} -->\n", kOutputWords);
}

void run_derive(const DeriveCommandOptions& options, bool format_given) {
  if (!options.compare) OutputGuard(options.force, {options.source.model}).claim(options.output);
  const Mechanism mechanism = options.source.read();
  if (options.compare && options.json) {
    fmt::print("{}\n", comparison_json(mechanism).dump());
    return;
  }
  if (options.compare) {
    print_comparison(mechanism);
    return;
  }
  check_reactions(options, mechanism);
  const std::string text = with_part_place(mechanism, [&] {
    if (mechanism.equations) {
      for (const int step : options.steps)
        require(step == 8, "--step {}: '{}' is given by its equations, which are step 8; nothing was derived", step,
                mechanism.name);
      return page_in(form_equations_page(form_equations(mechanism), options.terms), format_of(options, format_given));
    }
    const LoweredMechanism lowered = lower_mechanism(mechanism);
    KaneDerivation derivation(lowered.system);
    const Page page = form_derivation_page(
        derivation, {.max_terms = options.terms,
                     .units = symbol_units(mechanism),
                     .steps = options.steps,
                     .joint_reactions = reactions_of(options, mechanism, lowered, derivation.equations()),
                     .switched_rows = switched_rows(lowered)});
    return page_in(page, format_of(options, format_given));
  });
  if (options.output.empty() && options.json) {
    const nlohmann::ordered_json answer{
        {"model", mechanism.name}, {"format", format_of(options, format_given)}, {"page", text}};
    fmt::print("{}\n", answer.dump());
    return;
  }
  if (options.output.empty()) {
    fmt::print("{}", text);
    return;
  }
  write_file(options.output, text + remark_in(format_of(options, format_given)));
  if (options.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"model", mechanism.name}, {"file", options.output}}.dump());
  else
    fmt::print("wrote {}\n", options.output);
}

}  // namespace

void add_derive_command(CLI::App& app) {
  auto options = std::make_shared<DeriveCommandOptions>();
  CLI::App* command = app.add_subcommand("derive", "The eight steps of Kane's method and the equations of motion");
  options->source.add_to(*command);
  auto* format = command->add_option("--format", options->format, "text, markdown, latex or html");
  command->add_option("-o,--output", options->output, "File to write; its extension chooses the format");
  command->add_option("--max-terms", options->terms, "Longer formulas are written with intermediate variables");
  command
      ->add_option("--step", options->steps,
                   "Print only this of the eight steps (8: the equations of motion); repeatable")
      ->check(CLI::Range(1, 8));
  command
      ->add_option("--reactions", options->reactions,
                   "Also print the forces these joints transmit, in symbols; joint names, or 'all'")
      ->delimiter(',');
  command->add_option("--frame", options->view.frame,
                      "Components of the reactions along the axes of this body or frame (default: the child)");
  command->add_option("--point", options->view.point,
                      "Torques of the reactions about this point (default: the joint's point on its child)");
  command->add_flag("--compare", options->compare, "Print only the formulations and their operation counts");
  add_force_option(*command, options->force);
  command->add_flag("--json", options->json, "Print JSON: the page as text, or the table of formulations");
  command->footer(
      "Examples:\n"
      "  kane derive models/planar2r.yaml                  # the eight steps as text\n"
      "  kane derive models/planar2r.yaml -o page.html     # typeset, for a browser\n"
      "  kane derive models/planar2r.yaml --step 8 --reactions all --frame N   # with the forces in the joints\n"
      "  kane derive robot.urdf --compare                  # operation counts of each formulation");
  command->callback([options, format] { run_derive(*options, format->count() > 0); });
}

}  // namespace kane
