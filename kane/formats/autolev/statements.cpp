// Statements: the words that begin a line, and settings.

#include <algorithm>
#include <array>

#include "kane/base/suggest.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/autolev/commands.hpp"
#include "kane/formats/autolev/files.hpp"
#include "kane/formats/autolev/session.hpp"

namespace kane::autolev {

Session::Session(SessionOptions options)
    : options_(std::move(options)),
      graph_(std::make_shared<Graph>(GraphOptions{.max_nodes = options_.limits.max_nodes})),
      file_folder_(options_.folder) {
  w_.frames.emplace(*graph_, "(space)");
  Scalar& t = add_scalar("T", 0, Role::Time, 0);
  t.unit = "";
}

void Session::run_file(const std::filesystem::path& file) {
  run_text(read_script(file, options_.limits.max_bytes), file.string());
}

void Session::run_text(std::string_view text, const std::string& name) {
  for (const Statement& statement : split_statements(text, name, options_.limits)) {
    if (w_.ended) return;
    execute(statement, name);
  }
}

void Session::execute(const Statement& statement, const std::string& file) {
  if (!statement.source.empty()) log_input(statement.source);
  Reader in(statement, file, options_.limits);
  if (in.done()) return;
  const Where begin = in.where();
  if (++executed_ > options_.limits.max_statements)
    throw LimitError(begin, fmt::format("more than {} statements were executed", options_.limits.max_statements));
  check_time(begin);
  try {
    run_statement(in, statement);
  } catch (const LimitError& error) {
    if (error.where().line != 0) throw;
    throw LimitError(begin, error.message());
  } catch (const ModelError& error) {
    if (error.where().line != 0) throw;
    throw ModelError(begin, error.message());
  }
}

// ---- which statement ------------------------------------------------------------------------------------------------------

namespace {

enum class Word : std::uint8_t {
  Declare,
  Mass,
  Inertia,
  Units,
  UnitSystem,
  Input,
  Output,
  Encode,
  Code,
  Run,
  Save,
  End,
  Setting,
  Quiet,
};

struct WordRow {
  std::string_view text;
  Word word;
};
constexpr WordRow kWords[] = {
    {"NEWTONIAN", Word::Declare},
    {"FRAMES", Word::Declare},
    {"FRAME", Word::Declare},
    {"BODIES", Word::Declare},
    {"BODY", Word::Declare},
    {"PARTICLES", Word::Declare},
    {"PARTICLE", Word::Declare},
    {"POINTS", Word::Declare},
    {"POINT", Word::Declare},
    {"CONSTANTS", Word::Declare},
    {"CONSTANT", Word::Declare},
    {"VARIABLES", Word::Declare},
    {"VARIABLE", Word::Declare},
    {"MOTIONVARIABLES", Word::Declare},
    {"MOTIONVARIABLE", Word::Declare},
    {"SPECIFIED", Word::Declare},
    {"IMAGINARY", Word::Declare},
    {"MASS", Word::Mass},
    {"INERTIA", Word::Inertia},
    {"UNITS", Word::Units},
    {"UNITSYSTEM", Word::UnitSystem},
    {"INPUT", Word::Input},
    {"OUTPUT", Word::Output},
    {"ENCODE", Word::Encode},
    {"CODE", Word::Code},
    {"RUN", Word::Run},
    {"SAVE", Word::Save},
    {"EXIT", Word::End},
    {"QUIT", Word::End},
    {"STOP", Word::End},
    {"AUTOZ", Word::Setting},
    {"AUTORHS", Word::Setting},
    {"DEGREES", Word::Setting},
    {"COMPLEX", Word::Setting},
    {"FACTORING", Word::Setting},
    {"AUTOEXPRESS", Word::Setting},
    {"AUTOEPSILON", Word::Setting},
    {"DIGITS", Word::Setting},
    {"OVERWRITE", Word::Setting},
    {"PAUSE", Word::Quiet},
    {"BEEPSOUND", Word::Quiet},
    {"AUTOSTORE", Word::Quiet},
    {"LOGFILE", Word::Quiet},
};

}  // namespace

std::vector<std::string> statement_words() {
  std::vector<std::string> words = function_words();
  for (const auto& row : kWords) words.emplace_back(row.text);
  for (const auto& [name, f] : command_table()) words.push_back(name);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

void Session::run_statement(Reader& in, const Statement& statement) {
  const std::size_t begin = in.position();
  const std::string word = in.word();
  if (!word.empty() && run_keyword(word, in, statement)) return;
  in.go_to(begin);
  assign_or_evaluate(in);
}

bool Session::run_keyword(const std::string& word, Reader& in, const Statement& statement) {
  const auto row = std::find_if(std::begin(kWords), std::end(kWords), [&](const WordRow& r) { return r.text == word; });
  if (row == std::end(kWords)) return false;
  const std::size_t after = in.position();
  const char next = in.peek();
  // "MASS = ..." assigns, "INERTIA(O)" calls.
  if (next == '=' || next == '(' || next == '>') return false;
  if (next == '[' && row->word != Word::Units) return false;                        // UNITS [A,B]=M is a statement
  const bool signs = word.starts_with("CONSTANT") && (next == '+' || next == '-');  // CONSTANTS+ M,K: all are positive
  if (!signs && next == '+') return false;
  const bool path = row->word == Word::Run || row->word == Word::Save;  // RUN /a.al names a file
  if (next == ':' || next == '*' || (next == '/' && !path) || next == '^') return false;
  in.go_to(after);
  switch (row->word) {
    case Word::Declare: declare(word, in); break;
    case Word::Mass: state_mass(in); break;
    case Word::Inertia: state_inertia(in); break;
    case Word::Units: state_units(in); break;
    case Word::UnitSystem: state_unit_system(in); break;
    case Word::Input: state_input(in); break;
    case Word::Output: state_output(in, false); break;
    case Word::Encode: state_output(in, true); break;
    case Word::Code: state_code(in, statement.source); break;
    case Word::Run: run_nested(in); break;
    case Word::Save: save_log(in); break;
    case Word::End:
      in.expect_end();
      w_.ended = true;
      break;
    case Word::Setting: state_setting(word, in); break;
    case Word::Quiet: (void)in.rest(); break;  // of AUTOLEV's own screen, not of results
  }
  return true;
}

void Session::state_setting(const std::string& word, Reader& in) {
  Settings& s = w_.settings;
  note_setting(word);
  if (word == "AUTOEPSILON" || word == "DIGITS") {
    const Where place = in.where();
    const double value = evaluate_text_number(evaluate_scalar(in.expression()), place);
    in.expect_end();
    if (word == "DIGITS") {
      if (value < 1 || value > 30) throw ModelError(place, "DIGITS is from 1 to 30");
      s.digits = static_cast<int>(value);
    } else {
      s.epsilon = value;
    }
    return;
  }
  (void)in.peek();
  const Where place = in.where();
  const std::string value = in.word();
  in.expect_end();
  struct Choice {
    std::string_view word;
    std::vector<std::string> values;
  };
  static const std::vector<Choice> choices{{"AUTOZ", {"ON", "OFF"}},           {"AUTORHS", {"ON", "OFF", "ALL"}},
                                           {"DEGREES", {"ON", "OFF"}},         {"COMPLEX", {"ON", "OFF", "AUTO"}},
                                           {"FACTORING", {"ON", "OFF"}},       {"AUTOEXPRESS", {"ON", "OFF"}},
                                           {"OVERWRITE", {"ON", "OFF", "ALL"}}};
  for (const auto& choice : choices) {
    if (choice.word != word) continue;
    if (std::find(choice.values.begin(), choice.values.end(), value) == choice.values.end())
      throw ModelError(place, fmt::format("{} is {}, not '{}'", word, fmt::join(choice.values, " or "), value));
  }
  const bool on = value != "OFF";
  if (word == "AUTOZ") s.autoz = on;
  if (word == "DEGREES") s.degrees = on;
  if (word == "FACTORING") s.factoring = on;
  if (word == "AUTOEXPRESS") s.autoexpress = on;
  if (word == "AUTORHS") s.autorhs = value;
  if (word == "COMPLEX") s.complex = value;
  if (word == "OVERWRITE") s.overwrite = value;
}

/// Those that concern how AUTOLEV writes or rounds its results, and change nothing here.
void Session::note_setting(const std::string& word) {
  static const std::map<std::string_view, std::string_view> why{
      {"AUTOEPSILON", "numbers are exact until a program is written"},
      {"DIGITS", "numbers are printed with all their digits"},
      {"FACTORING", "equal expressions are one, however they are written"},
      {"AUTOEXPRESS", "vectors keep the frames in which they are written"},
      {"COMPLEX", "complex numbers appear where IMAGINARY, ROOTS or EIG bring them in"},
      {"OVERWRITE", "the last definition of a name counts"},
  };
  if (const auto row = why.find(word); row != why.end()) note(fmt::format("{} has no effect: {}", word, row->second));
}

void Session::run_nested(Reader& in) {
  const Where place = in.where();
  std::string name = in.rest();
  if (name.empty()) throw ModelError(place, "RUN needs the name of a script");
  if (nested_ >= options_.limits.max_runs)
    throw LimitError(place, fmt::format("scripts run one another more than {} deep", options_.limits.max_runs));
  const auto file = file_beneath(options_.folder, file_folder_, name, place);
  const auto before = file_folder_;
  file_folder_ = file.parent_path();
  ++nested_;
  run_file(file);
  w_.ended = false;  // EXIT ends the script that has it
  --nested_;
  file_folder_ = before;
}

void Session::save_log(Reader& in) {
  const Where place = in.where();
  const std::string given = in.rest();
  if (given.empty()) throw ModelError(place, "SAVE needs the name of a file");
  const std::string name = output_name(given, place);
  if (name != given) note(fmt::format("'{}' is written as '{}', beneath the present folder", given, name));
  std::erase_if(files_, [&](const WrittenFile& f) { return f.name == name; });
  files_.push_back({name, log_text()});
}

// ---- a user's own commands ------------------------------------------------------------------------------------------------

/// name(P,Q) runs name.a with #1# and #2# replaced.
bool Session::run_user_command(const Node& call) {
  if (options_.folder.empty()) return false;
  const auto found = find_user_command(options_.folder, file_folder_, call.text);
  if (!found) return false;
  if (nested_ >= options_.limits.max_runs)
    throw LimitError(call.where, fmt::format("scripts run one another more than {} deep", options_.limits.max_runs));
  std::string text = read_script(*found, options_.limits.max_bytes);
  for (std::size_t i = 0; i < call.children.size(); ++i) {
    const std::string mark = fmt::format("#{}#", i + 1);
    const std::string by = call.children[i].spelled();
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size())) {
      text.replace(at, mark.size(), by);
      if (text.size() > options_.limits.max_bytes)
        throw LimitError(call.where, fmt::format("the script has more than {} bytes", options_.limits.max_bytes));
    }
  }
  ++nested_;
  run_text(text, found->string());
  --nested_;
  return true;
}

}  // namespace kane::autolev
