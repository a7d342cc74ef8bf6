// Statements: declarations, assignments, and the words that begin a line.

#include <algorithm>
#include <array>

#include "kane/base/suggest.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/autolev/commands.hpp"
#include "kane/formats/autolev/files.hpp"
#include "kane/formats/autolev/matrices.hpp"
#include "kane/formats/autolev/session.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "kane/mechanics/rank.hpp"

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
  if (next == '[' && row->word != Word::Units) return false;  // UNITS [A,B]=M is a statement
  if (next == ':' || next == '+' || next == '*' || next == '/' || next == '^') return false;
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

// ---- declarations ---------------------------------------------------------------------------------------------------------

void Session::declare(const std::string& word, Reader& in) {
  bool dynamic = false;
  if (word.starts_with("MOTIONVARIABLE")) dynamic = in.accept('\'');
  if (in.done()) in.fail(fmt::format("{} needs names", word));
  do {
    if (in.done()) break;  // a comma at the end
    const Where place = in.where();
    const std::vector<Node> names = in.names();
    const char kind = word[0];
    const bool scalars = kind == 'C' || kind == 'V' || kind == 'M' || kind == 'S' || kind == 'I';
    if (!scalars)
      for (const Node& n : names)
        if (n.primes != 0 || n.rank != 0)
          throw ModelError(place, fmt::format("'{}' is no name for {}", n.spelled(), word));
    for (const Node& n : names)
      if (n.rank != 0)
        throw ModelError(place, fmt::format("vectors such as '{}' are not declared, only assigned", n.spelled()));
    if (word == "NEWTONIAN") {
      for (const Node& n : names) declare_frame(n, true);
    } else if (word.starts_with("FRAME")) {
      for (const Node& n : names) declare_frame(n, false);
    } else if (word.starts_with("BOD")) {
      for (const Node& n : names) declare_body(n);
    } else if (word.starts_with("PARTICLE")) {
      for (const Node& n : names) declare_particle(n);
    } else if (word.starts_with("POINT")) {
      for (const Node& n : names) declare_point(n.text);
    } else {
      const Role role = kind == 'C'   ? Role::Constant
                        : kind == 'V' ? Role::Variable
                        : kind == 'M' ? Role::Motion
                        : kind == 'S' ? Role::Specified
                                      : Role::Imaginary;
      const std::size_t at = in.position();
      for (const Node& n : names) {
        in.go_to(at);
        declare_scalar(n, role, dynamic, in);
      }
    }
  } while (in.accept(','));
  in.expect_end();
}

void Session::declare_scalar(const Node& name, Role role, bool dynamic, Reader& in) {
  if (role == Role::Constant && name.primes > 0)
    throw ModelError(name.where, fmt::format("'{}' cannot be a constant: it is a derivative", name.spelled()));
  const std::string key = folded(name.text);
  if (key == "T" || key == "PI") {
    if (key == "PI" || role != Role::Variable)
      throw ModelError(name.where, fmt::format("'{}' has a meaning of its own and cannot be declared", name.text));
  }
  if (w_.matrices.erase(key) != 0) w_.spelling.erase(key);
  for (int k = 0; k <= name.primes; ++k) {
    Scalar& s = add_scalar(name.text, k, role, name.primes);
    if (s.role == Role::Time) return;
    if (s.role != role && s.role != Role::Defined)
      note(fmt::format("{} is declared again, as something else", s.spelled()));
    s.role = role, s.order = std::max(s.order, name.primes), s.dynamic = dynamic;
  }
  for (int k = 0; k < name.primes; ++k)
    scalar(key + std::string(static_cast<std::size_t>(k), '\'')).order = name.primes;
  Scalar& base = scalar(key);
  const char next = in.peek();
  if ((next == '+' || next == '-') && role == Role::Constant) {
    (void)in.accept(next);
    base.sign = next == '+' ? 1 : -1;
  }
  if (in.accept('=')) {
    const Node value = in.expression();
    assign_scalar(name.primes > 0 && role == Role::Specified ? [&] {
      Node plain = name;
      plain.primes = 0;
      return plain;
    }() : name, evaluate(value));
  }
}

void Session::declare_point(const std::string& name) {
  const std::string key = folded(name);
  if (w_.point_names.contains(key)) return;
  w_.point_names[key] = static_cast<PointIndex>(w_.points.size());
  w_.points.push_back(name);
}

void Session::declare_frame(const Node& name, bool newtonian) {
  const std::string key = folded(name.text);
  if (!w_.frame_names.contains(key)) w_.frame_names[key] = w_.frames->add_frame(name.text);
  declare_point(name.text + "o");
  if (!newtonian) return;
  const FrameId f = w_.frame_names[key];
  if (w_.newtonian.valid() && w_.newtonian != f)
    throw ModelError(name.where,
                     fmt::format("the inertial frame is {} already; there is only one", frame_name(w_.newtonian)));
  w_.newtonian = f;
  w_.velocities.try_emplace({w_.point_names[key + "O"], f}, Vector());
}

void Session::declare_body(const Node& name) {
  declare_frame(name, false);
  for (const Body& b : w_.bodies)
    if (folded(b.name) == folded(name.text)) return;
  Body b;
  b.name = name.text;
  b.frame = w_.frame_names[folded(name.text)];
  b.centre = w_.point_names[folded(name.text) + "O"];
  b.inertia_point = b.centre;
  w_.bodies.push_back(std::move(b));
}

void Session::declare_particle(const Node& name) {
  for (const Body& b : w_.bodies)
    if (folded(b.name) == folded(name.text)) return;
  declare_point(name.text);
  Body b;
  b.name = name.text;
  b.centre = w_.point_names[folded(name.text)];
  w_.bodies.push_back(std::move(b));
}

// ---- mass and inertia -----------------------------------------------------------------------------------------------------

namespace {

bool is_plain_name(const Node& n) { return n.is_name() && n.rank == 0 && n.primes == 0; }

}  // namespace

void Session::state_mass(Reader& in) {
  do {
    const Node name = in.names().front();
    const int k = body_of(name);
    in.expect('=', "the name of a body");
    const Node value = in.expression();
    if (is_plain_name(value) && find(value.key()) == nullptr && folded(value.text) != "PI")
      add_scalar(value.text, 0, Role::Constant, 0);
    const Expr mass = evaluate_scalar(value);
    if (in.accept('=')) {
      if (!is_plain_name(value)) in.fail("'=' twice needs a name in between, as in MASS A=mA=10");
      define(scalar(value.key()), evaluate_scalar(in.expression()), Origin::Assigned);
    }
    w_.bodies[static_cast<std::size_t>(k)].mass = graph_->bind(mass);
    for (const auto& [body, g] : w_.waiting_gravity)
      if (body == k) w_.forces[w_.bodies[static_cast<std::size_t>(k)].centre] += g * mass;
    std::erase_if(w_.waiting_gravity, [&](const auto& waiting) { return waiting.first == k; });
    // A unit may follow: MASS A=mA=10 kg
    (void)in.until_comma();
  } while (in.accept(','));
  in.expect_end();
}

void Session::state_inertia(Reader& in) {
  const Node name = in.names().front();
  // B, or B_P: about the point P.
  Node body_node = name;
  PointIndex about = -1;
  const std::string key = folded(name.text);
  const auto is_body = [&](std::string_view text) {
    return std::any_of(w_.bodies.begin(), w_.bodies.end(), [&](const Body& b) { return folded(b.name) == text; });
  };
  if (!is_body(key))
    for (std::size_t cut = key.find('_'); cut != std::string::npos; cut = key.find('_', cut + 1)) {
      const auto p = find_point(std::string_view(key).substr(cut + 1));
      if (!is_body(key.substr(0, cut)) || !p) continue;
      body_node.text = name.text.substr(0, cut);
      about = *p;
    }
  const int k = body_of(body_node);
  Body& b = w_.bodies[static_cast<std::size_t>(k)];
  if (b.is_particle())
    throw ModelError(name.where, fmt::format("{} is a particle and has no inertia of its own", b.name));
  FrameId basis = b.frame;
  if (in.accept('(')) {
    basis = frame_of(in.names().front());
    in.expect(')', "the frame of the moments of inertia");
  }
  std::vector<Expr> values;
  while (in.accept(',')) {
    std::vector<Node> items;
    in.argument(items);
    for (const Node& item : items) {
      const Node& value = item.kind == NodeKind::Equals ? item.children[0] : item;
      if (is_plain_name(value) && find(value.key()) == nullptr && folded(value.text) != "PI")
        add_scalar(value.text, 0, Role::Constant, 0);
      if (item.kind == NodeKind::Equals)
        define(named_scalar(value), evaluate_scalar(item.children[1]), Origin::Assigned);
      values.push_back(evaluate_scalar(value));
    }
  }
  in.expect_end();
  if (values.size() != 3 && values.size() != 6)
    throw ModelError(
        name.where,
        fmt::format("INERTIA takes three moments and, if there are any, three products; {} were given", values.size()));
  values.resize(6);
  b.inertia = kane::inertia(basis, values[0], values[1], values[2], values[3], values[4], values[5]);
  b.inertia_point = about < 0 ? b.centre : about;
  log_result("I_" + b.name + "_" + w_.points[static_cast<std::size_t>(b.inertia_point)] + ">>", *b.inertia);
}

// ---- assignments ----------------------------------------------------------------------------------------------------------

namespace {

/// The nearest known word, or what to do with statements of AUTOLEV's successor.
std::string hint_for(const std::string& word) {
  static constexpr std::array<std::string_view, 9> kSuccessor{"NEWTONIANFRAME", "RIGIDBODY",           "RIGIDFRAME",
                                                              "SETAUTOEPSILON", "SETAUTORHS",          "SETAUTOZEE",
                                                              "SETDIGITS",      "SETGENERALIZEDSPEED", "SYSTEM"};
  if (std::find(kSuccessor.begin(), kSuccessor.end(), word) != kSuccessor.end())
    return "; it belongs to MotionGenesis, whose scripts are not read";
  return suggestion(word, statement_words());
}

}  // namespace

void Session::assign_or_evaluate(Reader& in) {
  const Where begin = in.where();
  const std::size_t at = in.position();
  const std::string first = in.word();
  const bool range = !first.empty() && in.peek() == '{';
  in.go_to(at);
  if (range) {
    assign_range(in);
    return;
  }
  const Node left = in.expression();
  static constexpr std::array<std::string_view, 7> kSigns{"=", ":=", "+=", "-=", "*=", "/=", "^="};
  std::string sign;
  const char c = in.peek();
  if (c == '=') {
    sign = "=";
    (void)in.accept('=');
  } else if (c != '\0' && std::string_view(":+-*/^").find(c) != std::string_view::npos) {
    (void)in.accept(c);
    if (in.accept('=')) sign = std::string(1, c) + "=";
  }
  if (std::find(kSigns.begin(), kSigns.end(), sign) != kSigns.end()) {
    const Node right = in.expression();
    in.expect_end();
    assign(left, sign, right);
    return;
  }
  if (!in.done() || (left.is_name() && left.rank == 0 && find(left.key()) == nullptr &&
                     !w_.matrices.contains(left.key()) && !w_.vector_matrices.contains(left.key()) &&
                     !find_named(left.key(), 0) && left.key() != "PI" && left.key() != "U_INDEPENDENT"))
    throw ModelError(begin, fmt::format("'{}' begins no statement that is known{}", first.empty() ? left.text : first,
                                        hint_for(first)));
  if (left.kind == NodeKind::Call) {
    const std::string name = folded(left.text);
    if (const auto command = command_table().find(name); command != command_table().end()) {
      command->second(*this, left);
      return;
    }
    static constexpr std::array<std::string_view, 6> kInPlace{"EXPAND",  "FACTOR",   "ARRANGE",
                                                              "EXPRESS", "EXPLICIT", "ZEE"};
    if (std::find(kInPlace.begin(), kInPlace.end(), name) != kInPlace.end() && !left.children.empty() &&
        left.children[0].is_name()) {
      apply_in_place(left);
      return;
    }
    if (!function_table().contains(name) && run_user_command(left)) return;
    const auto words = statement_words();
    if (std::find(words.begin(), words.end(), name) == words.end() && !w_.matrices.contains(name))
      throw ModelError(begin,
                       fmt::format("there is no statement or command '{}'{}", left.text, suggestion(name, words)));
  }
  const Value value = evaluate(left);
  if (left.is_name()) {
    // A name is shown with what it is worth.
    if (const Scalar* s = left.rank == 0 ? find(left.key()) : nullptr; s != nullptr && s->value) {
      log_result(s->spelled(), *s->value);
      return;
    }
    log_result(left.spelled(), value);
    return;
  }
  log_result_text(text_of(value, options_.long_result));
}

/// q{3}' = u{3} assigns name by name, q{3} = 0 the same to each.
void Session::assign_range(Reader& in) {
  const std::vector<Node> to = in.names();
  std::string sign = in.accept(':') ? ":=" : "=";
  in.expect('=', "a range of names");
  const std::size_t at = in.position();
  std::vector<Node> from;
  if (!in.word().empty()) {
    in.go_to(at);
    from = in.names();
  }
  if (from.size() != to.size() || !in.done()) {
    in.go_to(at);
    from = {in.expression()};
  }
  in.expect_end();
  for (std::size_t i = 0; i < to.size(); ++i) assign(to[i], sign, from.size() == 1 ? from.front() : from[i]);
}

void Session::apply_in_place(const Node& call) {
  const Node& name = call.children[0];
  Value value = evaluate(call);
  if (name.rank == 0)
    if (const Scalar* s = find(name.key()); s != nullptr) {
      // The name itself stays; what it is defined as is rewritten.
      if (!s->value) {
        log_result(s->spelled(), s->symbol);
        return;
      }
      const Expr before = *s->value;
      const std::string command = folded(call.text);
      value = command == "EXPLICIT" ? Value(explicitly(before, {})) : Value(before);
      define(scalar(name.key()), std::get<Expr>(value), s->origin);
      log_result(s->spelled(), value);
      return;
    }
  if (const auto* v = std::get_if<Vector>(&value)) {
    assign_vector(name, *v);
  } else if (const auto* d = std::get_if<Dyadic>(&value)) {
    assign_dyadic(name, *d);
  } else {
    assign_scalar(name, value);
  }
}

void Session::assign(const Node& to, const std::string& sign, const Node& from) {
  if (to.kind != NodeKind::Name && to.kind != NodeKind::Element)
    throw ModelError(to.where, "only a name or an element of a matrix can be assigned to");
  const std::string key = to.key();
  if (key == "ZEE_NOT") {  // which symbols stay out of Z's; there are none here that could hide them
    (void)symbols_named(std::span(&from, 1), false);
    return;
  }
  Value value = evaluate(from);
  if (to.kind == NodeKind::Element) {
    assign_element(to, sign, value);
    return;
  }
  if (sign != "=" && sign != ":=") {
    Node operation;
    operation.kind = NodeKind::Binary;
    operation.text = sign.substr(0, 1);
    operation.where = to.where;
    operation.children = {to, from};
    // The definition of a scalar, not its name, is added to.
    if (to.rank == 0)
      if (Scalar* s = find(key)) {
        const auto* e = std::get_if<Expr>(&value);
        if (e == nullptr) throw ModelError(from.where, "expected a scalar");
        if (!s->value)
          throw ModelError(to.where, fmt::format("'{}' has no value yet that '{}' could change", to.spelled(), sign));
        const Expr a = *s->value;
        const Expr b = depends_on(*e, s->symbol) ? substitute(*e, Substitution{{s->symbol, a}}) : *e;
        if (sign == "/=" && b.is_zero()) throw ModelError(from.where, "division by what is identically zero");
        value = sign == "+=" ? a + b : sign == "-=" ? a - b : sign == "*=" ? a * b : sign == "/=" ? a / b : pow(a, b);
        define(*s, std::get<Expr>(value), Origin::Assigned);
        log_result(s->spelled(), value);
        return;
      }
    value = evaluate_binary(operation);
  }
  if (to.rank == 1) {
    if (const auto* e = std::get_if<Expr>(&value); e != nullptr && e->is_zero()) value = Vector();
    const auto* v = std::get_if<Vector>(&value);
    if (v == nullptr)
      throw ModelError(from.where, fmt::format("'{}' is a vector, and what is assigned to it is not", to.spelled()));
    assign_vector(to, *v);
  } else if (to.rank == 2) {
    const auto* d = std::get_if<Dyadic>(&value);
    if (d == nullptr)
      throw ModelError(from.where, fmt::format("'{}' is a dyadic, and what is assigned to it is not", to.spelled()));
    assign_dyadic(to, *d);
  } else {
    assign_scalar(to, value);
  }
}

void Session::assign_vector(const Node& to, const Vector& value) {
  const std::string key = to.key();
  const auto frame = [](int i) { return FrameId(static_cast<std::size_t>(i)); };
  if (const auto named = find_named(key, 1)) {
    switch (named->kind) {
      case 'P':
        if (named->first == named->second) throw ModelError(to.where, "a point has no position relative to itself");
        w_.positions.erase({named->second, named->first});
        w_.positions[{named->first, named->second}] = value;
        break;
      case 'V': w_.velocities[{named->first, frame(named->second)}] = value; break;
      case 'A': w_.accelerations[{named->first, frame(named->second)}] = value; break;
      case 'W':
      case 'L': {
        if (named->first == named->second) throw ModelError(to.where, "a frame does not turn relative to itself");
        auto& map = named->kind == 'W' ? w_.omegas : w_.alphas;
        map.erase({frame(named->second), frame(named->first)});
        map[{frame(named->first), frame(named->second)}] = value;
        break;
      }
      case 'F': w_.forces[named->first] = value; break;
      default: w_.torques[frame(named->first)] = value; break;
    }
  } else {
    const std::string part = unknown_part(folded(to.text));
    if (!part.empty()) note(fmt::format("{} is taken as a vector of its own: {}", to.spelled(), part));
    if (to.primes > 0) throw ModelError(to.where, "the derivative of a vector is written DT(v>,N)");
    w_.vectors[key] = value;
    w_.spelling[key] = to.spelled();
  }
  ++w_.version;
  log_result(to.spelled(), value);
}

void Session::assign_dyadic(const Node& to, const Dyadic& value) {
  const std::string key = to.key();
  if (const auto named = find_named(key, 2)) {
    Body& b = w_.bodies[static_cast<std::size_t>(named->first)];
    if (!b.is_particle()) {
      b.inertia = value;
      b.inertia_point = named->second;
      log_result(to.spelled(), value);
      return;
    }
  }
  w_.dyadics[key] = value;
  w_.spelling[key] = to.spelled();
  log_result(to.spelled(), value);
}

void Session::assign_element(const Node& to, const std::string& sign, const Value& value) {
  const std::string key = to.key();
  const auto* given = std::get_if<Expr>(&value);
  const auto* block = std::get_if<ExprMatrix>(&value);
  if (given == nullptr && block != nullptr && block->entries.size() == 1) given = block->entries.data();
  if (given == nullptr) throw ModelError(to.where, "an element of a matrix is a scalar");
  std::vector<int> at;
  for (const Node& n : to.children) at.push_back(evaluate_whole(n));
  if (at.empty() || at.size() > 2) throw ModelError(to.where, "an element has one or two indices");
  ExprMatrix m(0, 0);
  if (const auto found = w_.matrices.find(key); found != w_.matrices.end()) {
    m = found->second;
  } else if (Scalar* s = find(key); s != nullptr && s->value && s->role == Role::Defined) {
    m = column_of({*s->value});
    w_.by_symbol.erase(s->symbol.id());
    w_.scalars.erase(key);
  }
  int i = at[0];
  int j = at.size() == 2 ? at[1] : 1;
  if (at.size() == 1 && m.rows == 1 && m.columns > 1) std::swap(i, j);
  if (i < 1 || j < 1) throw ModelError(to.where, "indices begin at 1");
  const int rows = std::max(m.rows, i);
  const int columns = std::max(m.columns, j);
  if (static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) > options_.limits.max_elements)
    throw LimitError(to.where, fmt::format("the matrix has more than {} elements", options_.limits.max_elements));
  if (rows != m.rows || columns != m.columns) {
    ExprMatrix larger(rows, columns);
    for (int r = 0; r < m.rows; ++r)
      for (int c = 0; c < m.columns; ++c) larger(r, c) = m(r, c);
    m = std::move(larger);
  }
  Expr& e = m(i - 1, j - 1);
  if (sign == "+=")
    e += *given;
  else if (sign == "-=")
    e -= *given;
  else if (sign == "*=")
    e *= *given;
  else if (sign == "/=")
    e /= *given;
  else if (sign == "^=")
    e = pow(e, *given);
  else
    e = *given;
  const Expr shown = e;
  w_.matrices[key] = std::move(m);
  w_.spelling[key] = to.text;
  std::string place;
  for (const int index : at) place += (place.empty() ? "" : ",") + std::to_string(index);
  log_result(fmt::format("{}[{}]", to.text, place), shown);
}

void Session::assign_scalar(const Node& to, const Value& value) {
  const std::string key = to.key();
  if (const auto* m = std::get_if<ExprMatrix>(&value)) {
    if (const auto named = find_named(key, 0); named && m->rows == 3 && m->columns == 3 && find(key) == nullptr) {
      DirectionCosines c;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) c.c[i][j] = (*m)(i, j);
      orient(FrameId(static_cast<std::size_t>(named->first)), FrameId(static_cast<std::size_t>(named->second)), c);
      log_result(to.spelled(), *m);
      return;
    }
    if (Scalar* s = find(key)) {
      if (s->role == Role::Time) throw ModelError(to.where, "T is the time");
      if (s->role != Role::Defined) note(fmt::format("{} was declared as a scalar and becomes a matrix", s->spelled()));
      w_.by_symbol.erase(s->symbol.id());
      w_.scalars.erase(key);
    }
    w_.matrices[key] = *m;
    w_.spelling[key] = to.spelled();
    ++w_.version;
    log_result(m->entries.size() == 1 ? to.spelled() + "[1]" : to.spelled(),
               m->entries.size() == 1 ? Value(m->entries[0]) : value);
    return;
  }
  if (const auto* m = std::get_if<VectorMatrix>(&value)) {
    w_.vector_matrices[key] = *m;
    w_.spelling[key] = to.spelled();
    log_result(to.spelled(), value);
    return;
  }
  const auto* e = std::get_if<Expr>(&value);
  if (e == nullptr)
    throw ModelError(to.where, fmt::format("'{}' is a scalar; the name of a vector ends in '>'", to.spelled()));
  if (key == "PI") throw ModelError(to.where, "PI has a value already");
  Scalar* s = find(key);
  if (s == nullptr && to.primes > 0) s = &named_scalar(to);
  if (s == nullptr) {
    w_.matrices.erase(key);
    w_.vector_matrices.erase(key);
    w_.spelling.erase(key);
    s = &add_scalar(to.text, 0, Role::Defined, 0);
  }
  if (s->role == Role::Time) throw ModelError(to.where, "T is the time and has no value of its own");
  Expr rhs = *e;
  if (rhs.graph() != nullptr && depends_on(rhs, s->symbol)) {
    if (!s->value) throw ModelError(to.where, fmt::format("'{}' would be defined by itself", to.spelled()));
    rhs = substitute(rhs, Substitution{{s->symbol, *s->value}});
    if (rhs.graph() != nullptr && depends_on(rhs, s->symbol))
      throw ModelError(to.where, fmt::format("'{}' would be defined by itself", to.spelled()));
  }
  // u = expression of rates that nothing gives yet defines a generalized speed: the rates follow from it.
  const bool may_be_speed = s->primes == 0 && s->order >= 1 && (s->role == Role::Motion || s->role == Role::Variable);
  if (may_be_speed && rhs.graph() != nullptr) {
    const Expr full = explicitly(rhs);
    for (const Expr& x : symbols_of(std::span(&full, 1))) {
      const Scalar* r = find_symbol(x);
      if (r == nullptr || r->primes == 0 || r->value || (r->role != Role::Variable && r->role != Role::Motion))
        continue;
      std::erase_if(w_.speed_definitions, [&](const auto& known) { return known.first == s->symbol; });
      w_.speed_definitions.emplace_back(s->symbol, full);
      log_result(to.spelled(), rhs);
      solve_speed_definitions();
      return;
    }
  }
  define(*s, rhs, Origin::Assigned);
  log_result(to.spelled(), rhs);
}

/// u_i = sum a_ij q_j' + b_i, as soon as there are as many of them as rates.
void Session::solve_speed_definitions() {
  std::vector<Expr> rows;
  for (const auto& [u, value] : w_.speed_definitions) rows.push_back(value - u);
  std::vector<Expr> rates;
  for (const Expr& x : symbols_of(rows)) {
    const Scalar* r = find_symbol(x);
    if (r != nullptr && r->primes > 0 && !r->value && (r->role == Role::Variable || r->role == Role::Motion))
      rates.push_back(x);
  }
  if (rates.size() != rows.size()) return;
  ExprMatrix a(rows.size(), rates.size());
  std::vector<Expr> b;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto affine = find_affine(rows[i], rates);
    if (!affine) return;
    for (std::size_t j = 0; j < rates.size(); ++j) a(i, j) = affine->coefficients[j];
    b.push_back(-affine->remainder);
  }
  if (find_rank(a).rank() < a.rows) return;
  const auto values = LinearSolver(a).solve(b);
  for (std::size_t j = 0; j < rates.size(); ++j) {
    Scalar& r = scalar(w_.by_symbol.at(rates[j].id()));
    define(r, values[j], Origin::Assigned);
    log_result(r.spelled(), values[j]);
  }
  w_.speed_definitions.clear();
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
