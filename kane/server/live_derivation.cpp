#include "kane/server/live_derivation.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kane/base/error.hpp"
#include "kane/base/line_break.hpp"
#include "kane/codegen/emit/emit_source.hpp"
#include "kane/expr/print.hpp"
#include "kane/mechanics/derivation_page.hpp"
#include "kane/mechanics/equations_page.hpp"
#include "kane/mechanism/automatic_speeds.hpp"
#include "kane/mechanism/dof_table.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/lowering.hpp"
#include "kane/mechanism/symbol_units.hpp"
#include "kane/program/lower.hpp"

namespace kane {

namespace {

using PaneJson = nlohmann::ordered_json;

constexpr std::size_t kMostTerms = 60, kMostSpeeds = 10;
constexpr double kPaneWidth = 34;                                     // letters
constexpr std::size_t kMostMassSpeeds = 40, kMostMassText = 200'000;  // characters, of all entries together

PaneJson formula_json(const Formula& f) { return {{"text", f.text}, {"latex", f.latex}}; }

PaneJson rows_json(const Formulas& formulas) {
  PaneJson rows = PaneJson::array();
  for (const Formula& f : formulas.rows) {
    PaneJson row = formula_json(f), lines = PaneJson::array();
    for (const LatexLine& line : break_latex(f.latex, kPaneWidth)) lines.push_back({line.left, line.right});
    if (lines.size() > 1) row["lines"] = std::move(lines);
    rows.push_back(std::move(row));
  }
  return rows;
}

PaneJson block_json(const PageBlock& block) {
  if (const auto* heading = std::get_if<Heading>(&block))
    return {{"kind", "heading"}, {"level", heading->level}, {"text", heading->text}};
  if (const auto* text = std::get_if<Paragraph>(&block))
    return {{"kind", "text"}, {"text", text->text}, {"typeset", text->typeset}};
  if (const auto* formulas = std::get_if<Formulas>(&block))
    return {{"kind", "formulas"},
            {"number", formulas->first_number},
            {"folded", formulas->folded},
            {"rows", rows_json(*formulas)}};
  const auto& table = std::get<PageTable>(block);
  PaneJson header = PaneJson::array(), rows = PaneJson::array();
  for (const Formula& cell : table.header) header.push_back(formula_json(cell));
  for (const auto& row : table.rows) {
    PaneJson cells = PaneJson::array();
    for (const Formula& cell : row) cells.push_back(formula_json(cell));
    rows.push_back(std::move(cells));
  }
  return {{"kind", "table"}, {"header", std::move(header)}, {"rows", std::move(rows)}};
}

PaneJson blocks_json(const Page& page) {
  PaneJson blocks = PaneJson::array();
  for (const PageBlock& block : page.blocks) blocks.push_back(block_json(block));
  return blocks;
}

/// The table of potential degrees of freedom as a page.
Page dof_page(const Mechanism& mechanism, const LoweredMechanism& lowered, const EquationsOfMotion& equations) {
  const DofTable dof = form_dof_table(mechanism, lowered, equations);
  Page page;
  page.add_heading(1, "Potential degrees of freedom");
  page.add_text(fmt::format("{} free and {} constrained: six for each joint that places a body (Stoneking).",
                            dof.free_count, dof.constraint_count));
  PageTable table{{words("joint"), words("axis"), words("coordinate"), words("speed"), words("constraint force")}, {}};
  for (const DofEntry& entry : dof.entries)
    for (const DofAxis& axis : entry.axes) {
      const auto symbol = [](const std::vector<Expr>& list, int at) {
        return at < 0
                   ? words("")
                   : Formula{to_text(list[static_cast<std::size_t>(at)]), to_latex(list[static_cast<std::size_t>(at)])};
      };
      table.rows.push_back({words(entry.joint), words(axis.name), symbol(equations.q, axis.coordinate),
                            symbol(equations.u, axis.speed),
                            axis.free ? words("free") : words(fmt::format("c{}", axis.constraint + 1))});
    }
  page.add_table(std::move(table));
  return page;
}

/// "u1 = q1' + q2'" as a definition.
NamedQuantity read_definition(const std::string& line) {
  const std::size_t equals = line.find('=');
  require(equals != std::string::npos, "'{}' does not define a speed; write u1 = q1', one a line", line);
  const auto trimmed = [](std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return std::string(text);
  };
  const std::string name = trimmed(std::string_view(line).substr(0, equals));
  const std::string value = trimmed(std::string_view(line).substr(equals + 1));
  require(!name.empty() && !value.empty(), "'{}' does not define a speed; write u1 = q1', one a line", line);
  return {name, Quantity(value)};
}

/// The mechanism in the speeds asked for; what was chosen goes to `definitions`.
Mechanism in_speeds(const Mechanism& given, const DerivationRequest& request, PaneJson& definitions) {
  Mechanism mechanism = given;
  if (request.speeds == "model" || mechanism.equations) {
    return mechanism.automatic_speeds ? choose_speeds(mechanism).mechanism : mechanism;
  }
  mechanism.automatic_speeds = false;
  const bool own = !mechanism.speeds.empty();
  if (request.speeds == "own") {
    require(!own, "this model defines its own speeds under 'speeds:'; change them there");
    std::vector<NamedQuantity> speeds;
    for (const std::string& line : request.definitions) speeds.push_back(read_definition(line));
    require(!speeds.empty(), "no speeds are defined; write u1 = q1', one a line");
    mechanism.set_speeds(std::move(speeds));
    return mechanism;
  }
  require(!own,
          "this model defines its own speeds under 'speeds:', in which its loads may be written; other speeds need "
          "that section to be taken out");
  if (request.speeds == "rates") return mechanism;
  require(request.speeds == "auto", "there is no choice of speeds '{}'", request.speeds.substr(0, 40));
  mechanism.automatic_speeds = true;
  AutomaticSpeeds chosen = choose_speeds(mechanism);
  for (const SpeedChoice& choice : chosen.choices)
    for (const auto& [speed, definition] : choice.definitions)
      definitions.push_back(fmt::format("{} = {}", speed, definition));
  return std::move(chosen.mechanism);
}

/// Symbols by their LaTeX, so that a page knows which is which.
PaneJson symbols_json(const EquationsOfMotion& e) {
  PaneJson symbols = PaneJson::object();
  const auto add = [&](const Expr& symbol) { symbols[latex_name(symbol.name())] = symbol.name(); };
  for (const auto* list : {&e.q, &e.u})
    for (const Expr& symbol : *list) add(symbol);
  for (const auto* list : {&e.parameters, &e.inputs})
    for (const SymbolWithDefault& s : *list) add(s.symbol);
  add(e.t);
  return symbols;
}

void add_mass(PaneJson& j, const EquationsOfMotion& e) {
  if (e.M.entries.empty() || e.u.size() > kMostMassSpeeds) return;
  PaneJson entries = PaneJson::array(), speeds = PaneJson::array();
  std::size_t length = 0;
  try {
    for (std::size_t r = 0; r < e.u.size(); ++r) {
      PaneJson row = PaneJson::array();
      for (std::size_t c = 0; c < e.u.size(); ++c) {
        const Expr& entry = e.M(r, c);
        const std::string text = to_text(entry, {.max_nodes = 3000});
        length += text.size();
        if (length > kMostMassText) return;
        row.push_back({{"text", text}, {"latex", to_latex(entry, {.max_nodes = 3000})}});
      }
      entries.push_back(std::move(row));
      speeds.push_back(e.u[r].name());
    }
  } catch (const ModelError&) {  // an entry that is too long to write out
    return;
  }
  j["mass"] = {{"speeds", std::move(speeds)}, {"entries", std::move(entries)}};
}

/// M and rhs in Python.
std::string code_of(const Mechanism& mechanism, const EquationsOfMotion& e) {
  std::vector<NamedExpr> outputs;
  for (std::size_t r = 0; r < static_cast<std::size_t>(e.M.rows); ++r)
    for (std::size_t c = 0; c < e.u.size(); ++c) outputs.push_back({fmt::format("M{}_{}", r + 1, c + 1), e.M(r, c)});
  for (std::size_t r = 0; r < e.rhs.size(); ++r) outputs.push_back({fmt::format("rhs{}", r + 1), e.rhs[r]});
  if (outputs.empty() || !mechanism.tables.empty()) return "";
  ProgramInputs names;
  for (const auto& p : e.parameters) names.parameters.push_back(p.symbol.name());
  for (const auto& p : e.inputs) names.inputs.push_back(p.symbol.name());
  names.inputs.push_back(e.t.name());
  for (const auto* list : {&e.q, &e.u})
    for (const Expr& symbol : *list) names.state.push_back(symbol.name());
  LowerOptions options;
  options.passes.contract = false;
  std::string code;
  for (const SourceFile& file : emit_source(lower(mechanism.name, outputs, names, options), Language::Python))
    code += file.text;
  return code;
}

void derive(PaneJson& j, const Mechanism& given, const DerivationRequest& request) {
  PaneJson definitions = PaneJson::array();
  if (given.equations) {
    const EquationsOfMotion e = form_equations(given);
    const Page page = form_equations_page(e, kMostTerms);
    j["blocks"] = blocks_json(page), j["symbols"] = symbols_json(e);
    j["latex"] = write_latex(page), j["text"] = write_text(page);
    add_mass(j, e);
    return;
  }
  require(given.joint_speeds().size() + given.speeds.size() <= kMostSpeeds || request.steps == std::vector<int>{9},
          "The equations of so many speeds are too long to read here; kane derive writes them.");
  const Mechanism mechanism = in_speeds(given, request, definitions);
  const LoweredMechanism lowered = lower_mechanism(mechanism);
  KaneDerivation derivation(lowered.system);
  const EquationsOfMotion& e = derivation.equations();
  const bool dof = request.steps == std::vector<int>{9};
  const Page page =
      dof ? dof_page(mechanism, lowered, e)
          : form_derivation_page(derivation,
                                 {.max_terms = kMostTerms, .units = symbol_units(mechanism), .steps = request.steps});
  j["blocks"] = blocks_json(page), j["symbols"] = symbols_json(e);
  j["latex"] = write_latex(page), j["text"] = write_text(page);
  const OperationCount count = count_dynamics(e);
  j["operations"] = count.total();
  if (request.speeds != "model") {
    const LoweredMechanism before = lower_mechanism(given.automatic_speeds ? choose_speeds(given).mechanism : given);
    KaneDerivation plain(before.system);
    j["operations_before"] = count_dynamics(plain.equations()).total();
  }
  j["definitions"] = std::move(definitions);
  add_mass(j, e);
  j["code"] = code_of(mechanism, e);
}

}  // namespace

std::string make_live_derivation(const LiveSource& source, std::uint32_t version, const DerivationRequest& request) {
  PaneJson j{{"type", "equations"}, {"version", version}, {"speeds", request.speeds}, {"steps", request.steps}};
  try {
    derive(j, read_live_mechanism(source), request);
  } catch (const ModelError& error) {
    j["message"] = error.message();
  } catch (const std::exception& error) {
    j["message"] = error.what();
  }
  return j.dump(-1, ' ', false, PaneJson::error_handler_t::replace);
}

}  // namespace kane
