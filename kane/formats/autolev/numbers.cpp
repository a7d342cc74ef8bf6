// Numbers and units: INPUT, OUTPUT, UNITS, CODE.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>

#include "kane/base/suggest.hpp"
#include "kane/base/units.hpp"
#include "kane/expr/number.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/autolev/files.hpp"
#include "kane/formats/autolev/matrices.hpp"
#include "kane/formats/autolev/session.hpp"

namespace kane::autolev {

namespace {

/// AUTOLEV's spellings, in any case, and ours.
const std::map<std::string, std::string, std::less<>>& unit_spellings() {
  static const std::map<std::string, std::string, std::less<>> table{
      {"KG", "kg"},       {"KILOGRAM", "kg"}, {"KILOGRAMS", "kg"}, {"G", "g"},         {"GRAM", "g"},
      {"GRAMS", "g"},     {"M", "m"},         {"METER", "m"},      {"METERS", "m"},    {"METRE", "m"},
      {"METRES", "m"},    {"CM", "cm"},       {"MM", "mm"},        {"KM", "km"},       {"UM", "um"},
      {"S", "s"},         {"SEC", "s"},       {"SECS", "s"},       {"SECOND", "s"},    {"SECONDS", "s"},
      {"MS", "ms"},       {"MSEC", "ms"},     {"MIN", "min"},      {"MINUTE", "min"},  {"HR", "h"},
      {"HOUR", "h"},      {"H", "h"},         {"RAD", "rad"},      {"RADS", "rad"},    {"RADIAN", "rad"},
      {"RADIANS", "rad"}, {"DEG", "deg"},     {"DEGREE", "deg"},   {"DEGREES", "deg"}, {"REV", "rev"},
      {"RPM", "rpm"},     {"N", "N"},         {"NEWTON", "N"},     {"NEWTONS", "N"},   {"KN", "kN"},
      {"J", "J"},         {"JOULE", "J"},     {"JOULES", "J"},     {"W", "W"},         {"WATT", "W"},
      {"WATTS", "W"},     {"PA", "Pa"},       {"HZ", "Hz"},        {"HERTZ", "Hz"},    {"FT", "ft"},
      {"FEET", "ft"},     {"FOOT", "ft"},     {"IN", "in"},        {"INCH", "in"},     {"INCHES", "in"},
      {"LB", "lb"},       {"LBM", "lb"},      {"LBF", "lbf"},      {"SLUG", "slug"},   {"SLUGS", "slug"},
      {"OZ", "oz"},       {"MILE", "mi"},     {"MPH", "mph"},      {"YD", "yd"},       {"DYNE", "dyn"},
  };
  return table;
}

/// A unit as Kane spells it; "" if a word of it is not known. "KG.M^2/S" has a dot for a product.
std::string kane_unit(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter) {
      if (c == '.' || c == '-')
        out += '*';
      else if (c != ' ' && c != '\t')
        out += c;
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && ((text[end] >= 'a' && text[end] <= 'z') || (text[end] >= 'A' && text[end] <= 'Z')))
      ++end;
    const auto known = unit_spellings().find(folded(text.substr(i, end - i)));
    if (known == unit_spellings().end()) return "";
    out += known->second;
    i = end;
  }
  return out;
}

struct UnitSystem {
  double mass = 1, length = 1, time = 1;  // of the script's units in SI
};

}  // namespace

/// Value of a unit in the script's own units. Without UNITSYSTEM only angles are converted (deg, rpm): other units are
/// labels, and the numbers are as consistent as the script makes them.
double Session::unit_factor(const std::string& text, const Where& where) {
  if (text.empty()) return 1;
  const std::string spelled_unit = kane_unit(text);
  std::optional<Unit> unit;
  if (!spelled_unit.empty()) {
    try {
      unit = parse_unit(spelled_unit);
    } catch (const ModelError&) {
      unit.reset();
    }
  }
  if (!unit) {
    note(fmt::format("the unit '{}' is not known and is taken as a label", text));
    return 1;
  }
  UnitSystem system;
  if (w_.unit_system.empty()) {
    // Angles only: what is left when every other word counts one.
    static const std::map<std::string, double, std::less<>> angles{{"DEG", 3.14159265358979323846 / 180},
                                                                   {"DEGREE", 3.14159265358979323846 / 180},
                                                                   {"DEGREES", 3.14159265358979323846 / 180},
                                                                   {"REV", 2 * 3.14159265358979323846},
                                                                   {"RPM", 2 * 3.14159265358979323846 / 60}};
    double factor = 1;
    double sign = 1;
    std::string word;
    const auto flush = [&] {
      if (const auto a = angles.find(folded(word)); a != angles.end()) factor *= std::pow(a->second, sign);
      word.clear();
    };
    for (const char c : text + " ") {
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        word += c;
        continue;
      }
      flush();
      if (c == '/') sign = -1;
      if (c == '*' || c == '.') sign = 1;
    }
    return factor;
  }
  for (const auto& name : w_.unit_system) {
    const Unit u = parse_unit(kane_unit(name));
    if (u.dimension == kMass) system.mass = u.factor();
    if (u.dimension == kLength) system.length = u.factor();
    if (u.dimension == kTime) system.time = u.factor();
    if (u.dimension == kForce) system.mass = 0;  // by F = m a, below
  }
  if (system.mass == 0)
    for (const auto& name : w_.unit_system)
      if (const Unit u = parse_unit(kane_unit(name)); u.dimension == kForce)
        system.mass = u.factor() * system.time * system.time / system.length;
  (void)where;
  const Dimension d = unit->dimension;
  return unit->factor() / (std::pow(system.mass, d.kg) * std::pow(system.length, d.m) * std::pow(system.time, d.s));
}

/// A unit behind a value: CONSTANTS L=2 m. What cannot be one ends the statement with an error.
std::string Session::read_unit(Reader& in) {
  const std::size_t at = in.position();
  const std::string unit = in.until_comma();
  static constexpr std::string_view kSigns = "*/^.-() ";
  const auto may_be = [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return std::isalnum(u) != 0 || kSigns.find(c) != std::string_view::npos;
  };
  if (unit.empty() ||
      (std::isalpha(static_cast<unsigned char>(unit.front())) != 0 && std::all_of(unit.begin(), unit.end(), may_be)))
    return unit;
  in.go_to(at);
  in.expect_end();
  return "";
}

Expr Session::in_own_units(const Expr& value, const std::string& unit, const Where& where) {
  if (unit.empty()) return value;
  const std::string u = folded(unit);
  if (u == "DEG" || u == "DEGREE" || u == "DEGREES") return value * graph_->pi() / Expr(180);
  const double factor = unit_factor(unit, where);
  return factor == 1 ? value : value * Expr(factor);
}

/// What one `from` is in `to`, for UNITS(from,to).
Expr Session::unit_ratio(const Node& from, const Node& to) const {
  const auto known = [](const Node& node) {
    const std::string spelled = kane_unit(node.text);
    if (spelled.empty()) throw ModelError(node.where, fmt::format("the unit '{}' is not known", node.text));
    return parse_unit(spelled, node.where);
  };
  const Unit a = known(from), b = known(to);
  if (!(a.dimension == b.dimension))
    throw ModelError(from.where, fmt::format("'{}' and '{}' are units of different things", from.text, to.text));
  return graph_->bind(Expr(a.factor() / b.factor()));
}

void Session::state_unit_system(Reader& in) {
  std::vector<std::string> list;
  do {
    const Where place = in.where();
    const std::string unit = in.until_comma();
    const std::string known = kane_unit(unit);
    if (known.empty()) throw ModelError(place, fmt::format("the unit '{}' is not known", unit));
    (void)parse_unit(known, place);
    list.push_back(unit);
  } while (in.accept(','));
  in.expect_end();
  w_.unit_system = std::move(list);
  for (auto& [key, s] : w_.scalars) convert_input(s, in.where());
}

/// The number of INPUT in the script's own units. It is in the unit written behind it, else in that of the name, whether
/// UNITS and UNITSYSTEM come before INPUT or after.
void Session::convert_input(Scalar& s, const Where& where) {
  if (s.stated_input)
    s.input = graph_->bind(in_own_units(*s.stated_input, s.input_unit.empty() ? s.unit : s.input_unit, where));
}

/// Columns that are asked for by name alone have the unit that the name got last, before OUTPUT or after.
void Session::unit_of_columns(const std::string& key, const std::string& unit) {
  const auto state = [&](std::vector<OutputColumn>& columns) {
    for (OutputColumn& c : columns)
      if (c.named == key) c.unit = unit;
  };
  for (auto& columns : w_.outputs) state(columns);
  state(w_.encoded);
}

void Session::state_units(Reader& in) {
  do {
    if (in.done()) break;
    std::vector<Node> names;
    if (in.peek() == '[') {
      const Node list = in.expression();
      for (const Node& row : list.children) names.insert(names.end(), row.children.begin(), row.children.end());
    } else {
      names = in.names();
    }
    in.expect('=', "a name");
    const std::string unit = in.until_comma();
    for (const Node& n : names) {
      const std::string key = n.key();
      // Units of the values that steer a run say nothing new.
      if (key == "TINITIAL" || key == "TFINAL" || key == "INTEGSTP" || key == "PRINTINT" || key == "ABSERR" ||
          key == "RELERR")
        continue;
      const bool matrix = w_.matrices.contains(key);
      if (matrix) w_.matrix_units[key] = unit;
      if (Scalar* s = matrix ? find(key) : &named_scalar(n)) {
        s->unit = unit;
        convert_input(*s, n.where);
      }
      unit_of_columns(key, unit);
    }
  } while (in.accept(','));
  in.expect_end();
}

void Session::state_input(Reader& in) {
  static const std::vector<std::string> run{"TINITIAL", "TFINAL", "INTEGSTP", "PRINTINT", "ABSERR", "RELERR"};
  do {
    if (in.done()) break;
    const std::vector<Node> names = in.names();
    const Node name = names.front();
    in.expect('=', "a name");
    const Node node = in.expression();
    const Where place = in.where();
    const std::string unit = in.until_comma();
    const std::string key = name.key();
    if (std::find(run.begin(), run.end(), key) != run.end()) {
      w_.run_values[key] = number_of(evaluate_scalar(node), key) * (unit.empty() ? 1.0 : unit_factor(unit, place));
      continue;
    }
    if (node.kind == NodeKind::Element && !w_.matrices.contains(folded(node.text))) {
      // An array of the program that will call the code: nothing to know here.
      note(fmt::format("INPUT {}: '{}' is not declared here; the value is left to the program that calls the code",
                       name.spelled(), node.text));
      continue;
    }
    const Expr value = evaluate_scalar(node);
    for (const Node& n : names) {
      Scalar& s = named_scalar(n);
      if (!unit.empty()) {
        s.unit = unit;
        unit_of_columns(n.key(), unit);
      }
      s.stated_input = graph_->bind(value);
      s.input_unit = unit;
      convert_input(s, place);
    }
  } while (in.accept(','));
  in.expect_end();
}

void Session::state_output(Reader& in, bool encode) {
  std::vector<OutputColumn> columns;
  do {
    if (in.done()) break;
    const std::size_t begin = in.position();
    std::vector<Node> items;
    in.argument(items);
    const std::size_t end = in.position();
    const std::string unit = in.until_comma();
    const std::size_t after = in.position();
    in.go_to(begin);
    std::string text = in.until_comma();
    in.go_to(after);
    (void)end;
    for (const Node& item : items) {
      const Value v = evaluate(item);
      std::string name = item.is_name() ? item.spelled() : text.substr(0, text.size() - unit.size());
      while (!name.empty() && (name.back() == ' ' || name.back() == '\t')) name.pop_back();
      std::erase_if(name, [](char c) { return c == ' ' || c == '\t'; });
      const Scalar* s = item.is_name() && item.rank == 0 ? find(item.key()) : nullptr;
      const std::string named = unit.empty() && item.is_name() && item.rank == 0 ? item.key() : "";
      if (const auto* e = std::get_if<Expr>(&v)) {
        const std::string shown = unit.empty() && s != nullptr ? s->unit : unit;
        columns.push_back({name, s != nullptr ? s->symbol : graph_->bind(*e), shown, named});
      } else if (const auto* m = std::get_if<ExprMatrix>(&v)) {
        const auto stated = w_.matrix_units.find(named);
        const std::string shown = unit.empty() && stated != w_.matrix_units.end() ? stated->second : unit;
        for (int i = 0; i < m->rows; ++i)
          for (int j = 0; j < m->columns; ++j)
            columns.push_back(
                {m->columns == 1 ? fmt::format("{}[{}]", name, i + 1) : fmt::format("{}[{},{}]", name, i + 1, j + 1),
                 graph_->bind((*m)(i, j)), shown, named});
      } else {
        throw ModelError(item.where, fmt::format("{} takes scalars and matrices", encode ? "ENCODE" : "OUTPUT"));
      }
    }
  } while (in.accept(','));
  in.expect_end();
  if (columns.empty()) in.fail(encode ? "ENCODE needs names" : "OUTPUT needs names");
  if (encode)
    w_.encoded.insert(w_.encoded.end(), columns.begin(), columns.end());
  else
    w_.outputs.push_back(std::move(columns));
}

void Session::state_code(Reader& in, const std::string& source) {
  (void)source;
  CodeRequest request;
  request.where = in.where();
  request.kind = in.word();
  static const std::vector<std::string> kinds{"DYNAMICS", "ODE", "ALGEBRAIC", "NONLINEAR"};
  if (std::find(kinds.begin(), kinds.end(), request.kind) == kinds.end())
    throw ModelError(request.where,
                     fmt::format("CODE is followed by DYNAMICS(), ODE(), ALGEBRAIC() or NONLINEAR(), not '{}'{}",
                                 request.kind, suggestion(request.kind, kinds)));
  in.expect('(', "CODE " + request.kind);
  const std::vector<Node> arguments = in.arguments(')');
  if (!arguments.empty()) {
    const Value v = evaluate(arguments[0]);
    if (const auto* m = std::get_if<ExprMatrix>(&v))
      request.equations = m->entries;
    else if (const auto* e = std::get_if<Expr>(&v))
      request.equations = {*e};
    else
      throw ModelError(arguments[0].where, "the equations are a matrix");
    // NONLINEAR(EQ,x=1,y=2) gives the values to start from as well.
    std::vector<Node> names;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      const Node& n = arguments[i];
      const bool start = n.kind == NodeKind::Equals && n.children.size() == 2;
      names.push_back(start ? n.children[0] : n);
      if (!start) continue;
      Scalar& unknown = named_scalar(n.children[0]);
      unknown.stated_input.reset();
      unknown.input = graph_->bind(evaluate_scalar(n.children[1]));
    }
    request.unknowns = symbols_named(names, false);
    if (request.unknowns.size() != request.equations.size())
      throw ModelError(arguments[0].where, fmt::format("there are {} equations for {} unknowns",
                                                       request.equations.size(), request.unknowns.size()));
  } else if (request.kind == "ODE" || request.kind == "NONLINEAR") {
    throw ModelError(request.where,
                     fmt::format("CODE {0} needs equations and unknowns: CODE {0}(EQ,X) file.c", request.kind));
  }
  if (in.accept('[')) {
    do {
      CodeRequest::Sweep sweep;
      sweep.symbol = named_scalar(in.names().front()).symbol;
      std::string unit;
      while (!in.done() && in.peek() != '=') unit += in.peek(), (void)in.accept(in.peek());
      sweep.unit = unit;
      in.expect('=', "the name of what is swept");
      const double factor = unit_factor(unit, request.where);
      const auto number = [&] { return number_of(evaluate_scalar(in.expression()), "a sweep") * factor; };
      sweep.from = number();
      in.expect(',', "the first value");
      sweep.to = number();
      in.expect(',', "the last value");
      sweep.step = number();
      if (sweep.step == 0 || (sweep.to - sweep.from) / sweep.step < 0 || (sweep.to - sweep.from) / sweep.step > 1e6)
        throw ModelError(request.where, "a sweep has from 1 to a million steps");
      request.sweeps.push_back(sweep);
    } while (in.accept(',') || in.accept(';'));
    in.expect(']', "a sweep");
  }
  const Where place = in.where();
  const std::string given = in.until_comma();
  if (given.empty()) throw ModelError(place, "CODE needs the name of a file");
  request.file = output_name(given, place);
  if (request.file != given)
    note(fmt::format("'{}' is written as '{}', beneath the present folder", given, request.file));
  if (in.accept(',')) {
    const std::string how = in.word();
    if (how != "SUBS" && how != "NOSUBS") in.fail(fmt::format("expected SUBS or NOSUBS, not '{}'", how));
  }
  in.expect_end();
  if (request.kind == "ODE") solve_equations(column_of(request.equations), request.unknowns, request.where, "CODE ODE");
  w_.codes.push_back(std::move(request));
}

// ---- values ---------------------------------------------------------------------------------------------------------------

std::optional<double> Session::input_value(const Expr& symbol) {
  const Scalar* s = find_symbol(symbol);
  if (s == nullptr || !s->input) return std::nullopt;
  return number_of(*s->input, "the input of " + s->spelled());
}

double Session::number_of(const Expr& e, std::string_view what) {
  Expr value = explicitly(e, {.solutions = true});
  // Inputs may be written with other inputs.
  for (int round = 0; round < 50; ++round) {
    const auto symbols = symbols_of(std::span(&value, 1));
    if (value.graph() == nullptr || symbols.empty()) return kane::evaluate(value, {});
    Substitution map;
    for (const Expr& s : symbols) {
      const Scalar* known = find_symbol(s);
      if (known == nullptr || !known->input)
        throw ModelError(fmt::format("{} needs a value of {}; give one by INPUT", what, s.name()));
      map.set(s, *known->input);
    }
    value = explicitly(substitute(value, map), {.solutions = true});
  }
  throw ModelError(fmt::format("the inputs that {} depends on refer to one another in a circle", what));
}

/// KE minus the work of all forces: constant, if the integration is good. The work is a variable of its own.
Expr Session::energy_check(const Where& where) {
  const FrameId n = newtonian(where);
  Expr power;
  for (const auto& [p, force] : std::map(w_.forces)) power += frames().dot(velocity(p, n), force);
  for (const auto& [f, torque] : std::map(w_.torques)) power += frames().dot(angular_velocity(f, n), torque);
  std::string name = "NIWORK";
  while (find(name) != nullptr) name += "_";
  Scalar& work = add_scalar(name, 0, Role::Variable, 1);
  work.input = graph_->number(0);
  const Expr symbol = work.symbol;
  Scalar& rate_of = add_scalar(name, 1, Role::Variable, 1);
  define(rate_of, power, Origin::Assigned);
  std::vector<int> all;
  for (std::size_t i = 0; i < w_.bodies.size(); ++i)
    if (w_.bodies[i].mass) all.push_back(static_cast<int>(i));
  return kinetic_energy(all) - symbol;
}

}  // namespace kane::autolev
