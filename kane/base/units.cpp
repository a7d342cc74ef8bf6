#include "kane/base/units.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "kane/base/suggest.hpp"

namespace kane {

namespace {

constexpr Dimension kPower = kForce * kVelocity;
constexpr Dimension kPressure = kForce / pow(kLength, 2);
constexpr Dimension kCurrent{0, 0, 0, 1};
constexpr Dimension kTemperature{0, 0, 0, 0, 1};
constexpr Dimension kVoltage = kPower / kCurrent;

struct UnitRow {
  std::string_view name;
  Dimension dimension;
  std::string_view numerator = "1";
  std::string_view denominator = "1";
  int pi_power = 0;
  bool prefixes = false;  ///< takes k, m, M, ...
};

// Exact by definition: inch and pound (1959), standard gravity (1901), hence pound-force and all that follow.
constexpr UnitRow kUnits[] = {
    {"1", kNone},
    {"%", kNone, "1", "100"},
    // mass
    {"g", kMass, "1", "1000", 0, true},
    {"t", kMass, "1000"},
    {"lb", kMass, "0.45359237"},
    {"lbm", kMass, "0.45359237"},
    {"oz", kMass, "0.028349523125"},
    {"slug", kMass, "4.4482216152605", "0.3048"},
    // length, area, volume
    {"m", kLength, "1", "1", 0, true},
    {"in", kLength, "0.0254"},
    {"inch", kLength, "0.0254"},
    {"ft", kLength, "0.3048"},
    {"yd", kLength, "0.9144"},
    {"mi", kLength, "1609.344"},
    {"L", pow(kLength, 3), "0.001"},
    // time
    {"s", kTime, "1", "1", 0, true},
    {"sec", kTime},
    {"min", kTime, "60"},
    {"h", kTime, "3600"},
    {"hr", kTime, "3600"},
    {"day", kTime, "86400"},
    {"Hz", kAngularVelocity, "1", "1", 0, true},
    // angle
    {"rad", kNone, "1", "1", 0, true},
    {"deg", kNone, "1", "180", 1},
    {"\xC2\xB0", kNone, "1", "180", 1},
    {"arcmin", kNone, "1", "10800", 1},
    {"arcsec", kNone, "1", "648000", 1},
    {"rev", kNone, "2", "1", 1},
    {"turn", kNone, "2", "1", 1},
    {"rpm", kAngularVelocity, "1", "30", 1},
    // speed, acceleration
    {"kn", kVelocity, "1852", "3600"},
    {"mph", kVelocity, "0.44704"},
    {"kph", kVelocity, "1", "3.6"},
    {"gn", kAcceleration, "9.80665"},
    // force, torque
    {"N", kForce, "1", "1", 0, true},
    {"lbf", kForce, "4.4482216152605"},
    {"ozf", kForce, "0.27801385095378125"},
    {"kip", kForce, "4448.2216152605"},
    {"kgf", kForce, "9.80665"},
    {"dyn", kForce, "0.00001"},
    {"Nm", kTorque, "1", "1", 0, true},
    // energy, power, pressure
    {"J", kTorque, "1", "1", 0, true},
    {"W", kPower, "1", "1", 0, true},
    {"hp", kPower, "745.69987158227022"},
    {"Pa", kPressure, "1", "1", 0, true},
    {"bar", kPressure, "100000"},
    {"atm", kPressure, "101325"},
    {"psi", kPressure, "4.4482216152605", "0.00064516"},
    // electricity, temperature: motors and their heat
    {"A", kCurrent, "1", "1", 0, true},
    {"V", kVoltage, "1", "1", 0, true},
    {"ohm", kVoltage / kCurrent, "1", "1", 0, true},
    {"F", kCurrent* kTime / kVoltage, "1", "1", 0, true},
    {"H", kVoltage* kTime / kCurrent, "1", "1", 0, true},
    {"K", kTemperature, "1", "1", 0, true},
};

struct PrefixRow {
  std::string_view name;
  std::string_view numerator;
  std::string_view denominator;
};
constexpr PrefixRow kPrefixes[] = {
    {"p", "1", "1000000000000"},  {"n", "1", "1000000000"}, {"u", "1", "1000000"},    {"\xC2\xB5", "1", "1000000"},
    {"\xCE\xBC", "1", "1000000"}, {"m", "1", "1000"},       {"c", "1", "100"},        {"d", "1", "10"},
    {"k", "1000", "1"},           {"M", "1000000", "1"},    {"G", "1000000000", "1"}, {"T", "1000000000000", "1"},
};

struct NamedDimension {
  Dimension dimension;
  std::string_view unit;
  std::string_view words;
};
constexpr NamedDimension kNamed[] = {
    {kNone, "1", "plain numbers"},
    {kMass, "kg", "kilograms"},
    {kLength, "m", "metres"},
    {kTime, "s", "seconds"},
    {pow(kLength, 2), "m^2", "square metres"},
    {pow(kLength, 3), "m^3", "cubic metres"},
    {kVelocity, "m/s", "metres per second"},
    {kAcceleration, "m/s^2", "metres per second squared"},
    {kAngularVelocity, "1/s", "radians per second"},
    {kAngularVelocity / kTime, "1/s^2", "radians per second squared"},
    {kForce, "N", "newtons"},
    {kTorque, "N*m", "newton metres"},
    {kTorque * kLength, "N*m^2", "newton square metres"},
    {kForce / kLength, "N/m", "newtons per metre"},
    {kForce / kVelocity, "N*s/m", "newton seconds per metre"},
    {kTorque / kAngularVelocity, "N*m*s", "newton metre seconds"},
    {kInertia, "kg*m^2", "kilogram square metres"},
    {kDensity, "kg/m^3", "kilograms per cubic metre"},
    {kPower, "W", "watts"},
    {kPressure, "Pa", "pascals"},
    {kCurrent, "A", "amperes"},
    {kVoltage, "V", "volts"},
    {kTemperature, "K", "kelvins"},
    {kVoltage / kCurrent, "ohm", "ohms"},
    {kCurrent * kTime / kVoltage, "F", "farads"},
    {kVoltage * kTime / kCurrent, "H", "henries"},
    {kTorque / kCurrent, "N*m/A", "newton metres per ampere"},
    {kPressure * kTime, "Pa*s", "pascal seconds"},
};

const UnitRow* find_row(std::string_view name) {
  for (const auto& row : kUnits)
    if (row.name == name) return &row;
  return nullptr;
}

Unit from_row(const UnitRow& row) {
  Unit unit{row.dimension, {}, {}, row.pi_power};
  if (row.numerator != "1") unit.numerators.emplace_back(row.numerator);
  if (row.denominator != "1") unit.denominators.emplace_back(row.denominator);
  return unit;
}

std::optional<Unit> find_unit(std::string_view word) {
  if (const UnitRow* row = find_row(word)) return from_row(*row);
  for (const auto& prefix : kPrefixes) {
    if (!word.starts_with(prefix.name)) continue;
    const UnitRow* row = find_row(word.substr(prefix.name.size()));
    if (row == nullptr || !row->prefixes) continue;
    Unit unit = from_row(*row);
    if (prefix.numerator != "1") unit.numerators.emplace_back(prefix.numerator);
    if (prefix.denominator != "1") unit.denominators.emplace_back(prefix.denominator);
    return unit;
  }
  return std::nullopt;
}

/// A recursive reader of products and quotients of units. Everything is bounded: nesting, factors and exponents.
class UnitParser {
 public:
  UnitParser(std::string_view text, const Where& where) : text_(text), where_(where) {}

  Unit parse_all() {
    skip_spaces();
    if (at_end()) fail("expected a unit");
    const Unit unit = product(0);
    if (!at_end()) fail("expected '*', '/' or the end of the unit");
    return unit;
  }

 private:
  static constexpr int kMaxDepth = 8;
  static constexpr int kMaxFactors = 32;
  static constexpr int kMaxExponent = 12;

  Unit product(int depth) {
    Unit result = factor(depth);
    for (;;) {
      skip_spaces();
      if (at_end() || peek() == ')') return result;
      const bool divide = peek() == '/';
      if (divide || (peek() == '*' && !next_is("**"))) {
        ++position_;
      } else if (next_is("\xC2\xB7")) {  // the middle dot
        position_ += 2;
      } else if (!begins_factor()) {
        return result;
      }
      skip_spaces();
      append(result, factor(depth), divide ? -1 : 1);
    }
  }

  Unit factor(int depth) {
    if (at_end()) fail("expected a unit");
    if (peek() != '(') {
      const Unit unit = name();
      return raised(unit, exponent());
    }
    if (depth >= kMaxDepth) fail(fmt::format("units are nested deeper than {} levels", kMaxDepth));
    ++position_;
    skip_spaces();
    const Unit inner = product(depth + 1);
    if (at_end() || peek() != ')') fail("expected ')'");
    ++position_;
    return raised(inner, exponent());
  }

  [[nodiscard]] bool begins_factor() const {
    const auto c = static_cast<unsigned char>(peek());
    return std::isalpha(c) != 0 || c == '%' || c == '(' || c == '1' || c >= 0x80U;
  }

  Unit name() {
    const std::size_t start = position_;
    if (peek() == '1' || peek() == '%') {
      ++position_;
    } else {
      while (!at_end() && (std::isalpha(static_cast<unsigned char>(peek())) != 0 ||
                           (static_cast<unsigned char>(peek()) >= 0x80U && !next_is("\xC2\xB7") && superscript() == 0)))
        ++position_;
    }
    const std::string_view word = text_.substr(start, position_ - start);
    if (word.empty()) fail("expected a unit");
    if (++factors_ > kMaxFactors) fail(fmt::format("a unit has more than {} factors", kMaxFactors));
    return named(word, start);
  }

  Unit named(std::string_view word, std::size_t start) {
    if (auto unit = find_unit(word)) return *std::move(unit);
    std::vector<std::string> known{"kg", "mm", "cm", "km", "ms", "kN", "mN", "MPa", "GPa"};  // the likeliest first
    for (auto& unit : unit_names()) known.push_back(std::move(unit));
    position_ = start;
    fail(fmt::format("unknown unit '{}'{}", word.substr(0, 40), suggestion(word, known)));
  }

  /// 2 or 3 if the text continues with that superscript, else 0.
  [[nodiscard]] int superscript() const { return next_is("\xC2\xB2") ? 2 : next_is("\xC2\xB3") ? 3 : 0; }

  int exponent() {
    if (const int power = superscript(); power != 0) {
      position_ += 2;
      return power;
    }
    skip_spaces();
    if (next_is("**"))
      position_ += 2;
    else if (!at_end() && peek() == '^')
      ++position_;
    else
      return 1;
    skip_spaces();
    const bool parenthesis = !at_end() && peek() == '(';
    if (parenthesis) ++position_;
    const bool negative = !at_end() && peek() == '-';
    if (negative) ++position_;
    if (at_end() || std::isdigit(static_cast<unsigned char>(peek())) == 0) fail("expected a whole number as exponent");
    int value = 0;
    while (!at_end() && std::isdigit(static_cast<unsigned char>(peek())) != 0) {
      value = value * 10 + (peek() - '0');
      if (value > kMaxExponent) fail(fmt::format("the exponent of a unit is larger than {}", kMaxExponent));
      ++position_;
    }
    if (parenthesis) {
      if (at_end() || peek() != ')') fail("expected ')'");
      ++position_;
    }
    return negative ? -value : value;
  }

  Unit raised(const Unit& unit, int power) {
    Unit result;
    append(result, unit, power);
    return result;
  }

  void append(Unit& to, const Unit& unit, int power) {
    to.dimension = to.dimension * pow(unit.dimension, power);
    to.pi_power += unit.pi_power * power;
    const auto& up = power > 0 ? unit.numerators : unit.denominators;
    const auto& down = power > 0 ? unit.denominators : unit.numerators;
    for (int i = 0; i < std::abs(power); ++i) {
      to.numerators.insert(to.numerators.end(), up.begin(), up.end());
      to.denominators.insert(to.denominators.end(), down.begin(), down.end());
    }
    // Bounded at every step, so that nested powers cannot overflow.
    constexpr std::size_t kMaxDecimals = 4096;
    constexpr int kMaxPower = 1000;
    bool small = to.numerators.size() + to.denominators.size() <= kMaxDecimals && std::abs(to.pi_power) <= kMaxPower;
    for (const int n : {to.dimension.kg, to.dimension.m, to.dimension.s, to.dimension.A, to.dimension.K})
      small = small && std::abs(n) <= kMaxPower;
    if (!small) fail("the unit is too long");
  }

  [[nodiscard]] bool at_end() const { return position_ >= text_.size(); }
  [[nodiscard]] char peek() const { return text_[position_]; }
  [[nodiscard]] bool next_is(std::string_view word) const { return text_.substr(position_).starts_with(word); }
  void skip_spaces() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(peek())) != 0) ++position_;
  }

  [[noreturn]] void fail(const std::string& message) const {
    Where place = where_;
    if (place.line != 0) place.column += static_cast<int>(position_);
    throw ModelError(place, message + (message.starts_with("unknown") ? "" : fmt::format(" in '{}'", shown())));
  }
  [[nodiscard]] std::string shown() const {
    std::string result(text_.substr(0, 40));
    for (char& c : result)
      if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '?';
    return result;
  }

  std::string_view text_;
  Where where_;
  std::size_t position_ = 0;
  int factors_ = 0;
};

const NamedDimension* find_named(Dimension dimension) {
  for (const auto& row : kNamed)
    if (row.dimension == dimension) return &row;
  return nullptr;
}

}  // namespace

double Unit::factor() const {
  const auto number = [](const std::string& text) {
    double x = 0;
    std::from_chars(text.data(), text.data() + text.size(), x);
    return x;
  };
  double value = 1;
  for (const auto& n : numerators) value *= number(n);
  for (const auto& d : denominators) value /= number(d);
  return value * std::pow(3.14159265358979323846, pi_power);
}

std::optional<Dimension> find_unit_dimension(std::string_view word) {
  const auto unit = find_unit(word);
  return unit ? std::optional(unit->dimension) : std::nullopt;
}

Unit parse_unit(std::string_view text, const Where& where) { return UnitParser(text, where).parse_all(); }

std::vector<std::string> unit_names() {
  std::vector<std::string> names;
  for (const auto& row : kUnits) names.emplace_back(row.name);
  return names;
}

std::string si_unit(Dimension dimension) {
  if (const auto* named = find_named(dimension)) return std::string(named->unit);
  std::string above, below;
  const auto add = [&](std::string_view name, int power) {
    if (power == 0) return;
    std::string& side = power > 0 ? above : below;
    if (!side.empty()) side += '*';
    side += std::abs(power) == 1 ? std::string(name) : fmt::format("{}^{}", name, std::abs(power));
  };
  add("kg", dimension.kg);
  add("m", dimension.m);
  add("s", dimension.s);
  add("A", dimension.A);
  add("K", dimension.K);
  if (above.empty()) above = "1";
  if (below.empty()) return above;
  return below.find('*') == std::string::npos ? above + "/" + below : above + "/(" + below + ")";
}

std::string unit_words(Dimension dimension) {
  const auto* named = find_named(dimension);
  return named != nullptr ? std::string(named->words) : si_unit(dimension);
}

}  // namespace kane
