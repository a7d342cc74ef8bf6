#include "kane/mechanism/quantity.hpp"

#include <algorithm>

#include "kane/base/suggest.hpp"
#include "kane/expr/infix.hpp"
#include "kane/expr/parse.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {
namespace {

/// The name of a point, frame or body: nothing to calculate with, but something to speak of.
struct Reference {
  std::string name;
};

using Value = std::variant<Expr, Vector, Dyadic, Reference>;
using Operand = InfixOperand<Value>;

std::string_view kind_name(const Value& v) {
  static constexpr std::string_view kNames[] = {"scalar", "vector", "dyadic", "name of a point or frame"};
  return kNames[v.index()];
}

[[noreturn]] void fail(const Operand& at, std::string_view expected) {
  throw InfixError{at.text, fmt::format("expected {}, but '{}' is a {}", expected, InfixText::printable(at.text),
                                        kind_name(at.value))};
}

bool is_zero_scalar(const Value& v) {
  const Expr* e = std::get_if<Expr>(&v);
  return e != nullptr && e->is_zero();
}

class QuantitySemantics {
 public:
  using Value = kane::Value;

  explicit QuantitySemantics(const QuantityScope& scope)
      : scope_(scope), s_(scope.system), graph_(scope.system.graph()) {}

  Value number(const Rational& value) { return graph_.number(value); }

  // ---- names --------------------------------------------------------------------------------------------------------
  Value name(std::string_view text) {
    if (const auto at = scope_.scalars.find(text); at != scope_.scalars.end()) return graph_.bind(at->second);
    const std::size_t primes = text.size() - (text.find_last_not_of('\'') + 1);
    if (primes > 0) return derivative_of(text.substr(0, text.size() - primes), primes, text);
    if (s_.find_kind(text) == SymbolKind::Auxiliary) {
      if (scope_.forces != nullptr) return scope_.forces->auxiliary(text);
      if (scope_.refuse_auxiliary)
        throw ModelError(
            fmt::format("'{}' is an auxiliary speed; the force it brings into evidence may stand in loads and outputs, "
                        "but not here",
                        text));
    }
    if (s_.find_kind(text)) return graph_.symbol(text);
    if (text == "pi") return graph_.pi();
    if (const auto basis = find_basis_vector(text)) return *basis;
    if (is_reference(text) || (scope_.forces != nullptr && scope_.forces->knows(text)))
      return Reference{std::string(text)};
    throw ModelError(fmt::format("unknown name '{}'{}", InfixText::printable(text), suggestion(text, known_names())));
  }

  Value call(std::string_view function, std::span<const Operand> a) {
    for (const Row& row : rows()) {
      if (row.name != function) continue;
      if (a.size() < row.least || a.size() > row.most)
        throw ModelError(fmt::format("{} takes {}, but {} are given", function, row.usage, a.size()));
      return (this->*row.apply)(a);
    }
    const auto known = known_functions(graph_);
    if (std::find(known.begin(), known.end(), function) == known.end() && function != "root") {
      std::vector<std::string> all = known;
      for (const Row& row : rows()) all.emplace_back(row.name);
      throw ModelError(
          fmt::format("unknown function '{}'{}", InfixText::printable(function), suggestion(function, all)));
    }
    std::vector<Expr> scalars;
    for (const Operand& operand : a) scalars.push_back(scalar(operand));
    return graph_.bind(call_function(graph_, function, scalars));
  }

  // ---- signs --------------------------------------------------------------------------------------------------------
  Value unary(std::string_view sign, const Operand& x) {
    if (const auto* v = std::get_if<Vector>(&x.value); v != nullptr && sign != "not") return sign == "-" ? -*v : *v;
    if (const auto* d = std::get_if<Dyadic>(&x.value); d != nullptr && sign != "not")
      return sign == "-" ? *d * Expr(-1) : *d;
    return graph_.bind(apply_sign(sign, scalar(x)));
  }

  Value binary(std::string_view sign, const Operand& a, const Operand& b) {
    const bool scalars = std::holds_alternative<Expr>(a.value) && std::holds_alternative<Expr>(b.value);
    if (sign == "/") {
      const Expr divisor = scalar(b);
      if (divisor.is_zero()) throw InfixError{b.text, zero_divisor(b.text)};
      if (!scalars) return times(a, 1 / divisor);
    }
    if (scalars) return graph_.bind(apply_sign(sign, std::get<Expr>(a.value), std::get<Expr>(b.value)));
    if (sign == "+" || sign == "-") return sum(a, b, sign == "+" ? 1 : -1);
    if (sign == "*") {
      if (std::holds_alternative<Expr>(a.value)) return times(b, std::get<Expr>(a.value));
      if (std::holds_alternative<Expr>(b.value)) return times(a, std::get<Expr>(b.value));
      if (std::holds_alternative<Vector>(a.value) && std::holds_alternative<Vector>(b.value))
        throw ModelError("two vectors cannot be multiplied by '*'; write dot(a, b) or cross(a, b)");
    }
    if (sign == "^" && std::holds_alternative<Vector>(a.value))
      throw InfixError{a.text, "a vector has no powers; write dot(v, v) for the square of its length"};
    fail(std::holds_alternative<Expr>(a.value) ? b : a, "a scalar");
  }

 private:
  struct Row {
    std::string_view name;
    std::size_t least, most;
    std::string_view usage;
    Value (QuantitySemantics::*apply)(std::span<const Operand>);
  };
  static std::span<const Row> rows();

  // ---- arguments ----------------------------------------------------------------------------------------------------
  [[nodiscard]] static Expr scalar(const Operand& a) {
    if (const auto* e = std::get_if<Expr>(&a.value)) return *e;
    if (std::holds_alternative<Reference>(a.value))
      throw InfixError{a.text, fmt::format("expected a scalar or a vector, but '{}' is the name of a point or frame; "
                                           "write for instance position({}) or {}.x",
                                           InfixText::printable(a.text), a.text, a.text)};
    fail(a, "a scalar");
  }
  [[nodiscard]] static Vector vector(const Operand& a) {
    if (const auto* v = std::get_if<Vector>(&a.value)) return *v;
    if (is_zero_scalar(a.value)) return {};
    fail(a, "a vector");
  }
  /// A name as an argument, also if a symbol is called like that.
  [[nodiscard]] static std::string_view name_of(const Operand& a) {
    const auto* r = std::get_if<Reference>(&a.value);
    return r != nullptr ? std::string_view(r->name) : a.text;
  }
  [[nodiscard]] PointId point(const Operand& a) const {
    return named(a, [&](auto n) { return scope_.names.point(n); });
  }
  [[nodiscard]] FrameId frame(const Operand& a) const {
    return named(a, [&](auto n) { return scope_.names.frame(n); });
  }
  [[nodiscard]] BodyId body(const Operand& a) const {
    return named(a, [&](auto n) { return scope_.names.body(n); });
  }
  template <class Find>
  static auto named(const Operand& a, Find find) -> decltype(find(std::string_view())) {
    try {
      return find(name_of(a));
    } catch (const ModelError& error) {
      throw InfixError{a.text, error.message()};
    }
  }
  [[nodiscard]] FrameId frame_or_ground(std::span<const Operand> a, std::size_t i) const {
    return i < a.size() ? frame(a[i]) : s_.inertial();
  }

  // ---- names --------------------------------------------------------------------------------------------------------
  [[nodiscard]] Value derivative_of(std::string_view base, std::size_t order, std::string_view text) {
    const auto kind = s_.find_kind(base);
    const bool moves = kind == SymbolKind::Coordinate || kind == SymbolKind::Specified || kind == SymbolKind::Speed ||
                       kind == SymbolKind::State;
    if (!moves) {
      if (kind) throw ModelError(fmt::format("'{}' has no rate: only coordinates, speeds and states do", base));
      throw ModelError(fmt::format("unknown name '{}'{}", InfixText::printable(text), suggestion(base, known_names())));
    }
    if (kind == SymbolKind::State) {
      for (const StateRecord& x : s_.states())
        if (x.symbol.name() == base && x.rate.graph() == nullptr)
          throw ModelError(fmt::format("the rate of the state '{}' is not known here; write it out", base));
    }
    if (order > 2) throw ModelError(fmt::format("'{}': there is no third derivative", InfixText::printable(text)));
    Expr e = graph_.symbol(base);
    for (std::size_t i = 0; i < order; ++i) e = s_.time_derivative(e);
    return graph_.bind(e);
  }

  [[nodiscard]] std::optional<Vector> find_basis_vector(std::string_view text) const {
    const std::size_t dot = text.rfind('.');
    if (dot == std::string_view::npos || dot + 2 != text.size() || !scope_.names.has_frame(text.substr(0, dot)))
      return std::nullopt;
    const std::size_t axis = std::string_view("xyz").find(text[dot + 1]);
    if (axis == std::string_view::npos) return std::nullopt;
    return kane::unit(scope_.names.frame(text.substr(0, dot)), static_cast<Axis>(axis));
  }

  [[nodiscard]] bool is_reference(std::string_view text) const {
    return scope_.names.has_point(text) || scope_.names.has_frame(text) || scope_.names.has_body(text);
  }

  [[nodiscard]] std::vector<std::string> known_names() const {
    std::vector<std::string> all = s_.symbol_names();
    std::erase_if(all, [](const std::string& n) { return n.starts_with("lambda."); });
    for (const auto& [name, value] : scope_.scalars) all.push_back(name);
    for (const std::string& f : scope_.names.frame_names())
      for (const char* axis : {".x", ".y", ".z"}) all.push_back(f + axis);
    for (const std::string& p : scope_.names.point_names()) all.push_back(p);
    return all;
  }

  // ---- sums and products --------------------------------------------------------------------------------------------
  static Value sum(const Operand& a, const Operand& b, int sign) {
    if (std::holds_alternative<Vector>(a.value) || std::holds_alternative<Vector>(b.value)) {
      const Vector left = vector(a), right = vector(b);
      return sign > 0 ? left + right : left - right;
    }
    const auto* da = std::get_if<Dyadic>(&a.value);
    const auto* db = std::get_if<Dyadic>(&b.value);
    if (da != nullptr && db != nullptr) return *da + *db * Expr(sign);
    fail(da != nullptr ? b : a, da != nullptr || db != nullptr ? "a dyadic" : "a scalar or a vector");
  }

  static Value times(const Operand& a, const Expr& s) {
    if (const auto* v = std::get_if<Vector>(&a.value)) return *v * s;
    if (const auto* d = std::get_if<Dyadic>(&a.value)) return *d * s;
    return scalar(a) * s;
  }

  // ---- functions ----------------------------------------------------------------------------------------------------
  Value position(std::span<const Operand> a) {
    return s_.position(point(a[0]), a.size() > 1 ? point(a[1]) : s_.origin());
  }
  Value velocity(std::span<const Operand> a) { return s_.velocity(point(a[0]), frame_or_ground(a, 1)); }
  Value acceleration(std::span<const Operand> a) { return s_.acceleration(point(a[0]), frame_or_ground(a, 1)); }
  Value omega(std::span<const Operand> a) { return s_.angular_velocity(frame(a[0]), frame_or_ground(a, 1)); }
  Value alpha(std::span<const Operand> a) { return s_.angular_acceleration(frame(a[0]), frame_or_ground(a, 1)); }
  [[nodiscard]] ForceNames& forces(std::string_view function) const {
    if (scope_.forces == nullptr)
      throw ModelError(fmt::format("{} may stand in loads and outputs, but not here", function));
    return *scope_.forces;
  }
  Value reaction(std::span<const Operand> a) { return forces("reaction").reaction(name_of(a[0]), false); }
  Value reaction_torque(std::span<const Operand> a) { return forces("reaction_torque").reaction(name_of(a[0]), true); }
  Value multiplier(std::span<const Operand> a) { return forces("multiplier").multiplier(name_of(a[0])); }
  Value inertia(std::span<const Operand> a) {
    const BodyRecord& b = s_.body(body(a[0]));
    if (!b.inertia) throw InfixError{a[0].text, fmt::format("the particle '{}' has no inertia", b.name)};
    return *b.inertia;
  }
  Value mass(std::span<const Operand> a) { return graph_.bind(s_.body(body(a[0])).mass.value_or(0)); }
  Value distance(std::span<const Operand> a) {
    return graph_.bind(s_.magnitude(s_.position(point(a[0]), point(a[1]))));
  }
  Value dot(std::span<const Operand> a) {
    if (const auto* d = std::get_if<Dyadic>(&a[0].value)) return s_.dot(*d, vector(a[1]));
    return graph_.bind(s_.dot(vector(a[0]), vector(a[1])));
  }
  Value cross(std::span<const Operand> a) { return s_.cross(vector(a[0]), vector(a[1])); }
  Value magnitude(std::span<const Operand> a) { return graph_.bind(s_.magnitude(vector(a[0]))); }
  Value unit(std::span<const Operand> a) {
    const Vector v = vector(a[0]);
    if (v.is_zero()) throw InfixError{a[0].text, "the zero vector has no direction"};
    return v / s_.magnitude(v);
  }
  Value dt(std::span<const Operand> a) {
    if (const auto* v = std::get_if<Vector>(&a[0].value)) return s_.derivative(*v, frame_or_ground(a, 1));
    if (a.size() > 1) throw InfixError{a[1].text, "the derivative of a scalar is the same in every frame"};
    return graph_.bind(s_.time_derivative(scalar(a[0])));
  }

  const QuantityScope& scope_;
  const System& s_;
  Graph& graph_;
};

std::span<const QuantitySemantics::Row> QuantitySemantics::rows() {
  static constexpr Row kRows[] = {
      {"position", 1, 2, "a point and perhaps the point it is seen from", &QuantitySemantics::position},
      {"velocity", 1, 2, "a point and perhaps a frame", &QuantitySemantics::velocity},
      {"v", 1, 2, "a point and perhaps a frame", &QuantitySemantics::velocity},
      {"acceleration", 1, 2, "a point and perhaps a frame", &QuantitySemantics::acceleration},
      {"a", 1, 2, "a point and perhaps a frame", &QuantitySemantics::acceleration},
      {"omega", 1, 2, "a body and perhaps a frame", &QuantitySemantics::omega},
      {"alpha", 1, 2, "a body and perhaps a frame", &QuantitySemantics::alpha},
      {"reaction", 1, 1, "a joint", &QuantitySemantics::reaction},
      {"reaction_torque", 1, 1, "a joint", &QuantitySemantics::reaction_torque},
      {"multiplier", 1, 1, "a constraint", &QuantitySemantics::multiplier},
      {"inertia", 1, 1, "a body", &QuantitySemantics::inertia},
      {"mass", 1, 1, "a body", &QuantitySemantics::mass},
      {"distance", 2, 2, "two points", &QuantitySemantics::distance},
      {"dot", 2, 2, "two vectors", &QuantitySemantics::dot},
      {"cross", 2, 2, "two vectors", &QuantitySemantics::cross},
      {"magnitude", 1, 1, "a vector", &QuantitySemantics::magnitude},
      {"norm", 1, 1, "a vector", &QuantitySemantics::magnitude},
      {"unit", 1, 1, "a vector", &QuantitySemantics::unit},
      {"dt", 1, 2, "a scalar or a vector and perhaps a frame", &QuantitySemantics::dt},
  };
  return kRows;
}

constexpr int kMaxDepth = 1000;

}  // namespace

QuantityValue read_quantity(const Quantity& quantity, const QuantityScope& scope, std::string_view what) {
  require_at(quantity.where, !quantity.empty(), "{} is empty", what);
  QuantitySemantics semantics(scope);
  const Value value = InfixParser(semantics, quantity.text, quantity.where, kMaxDepth).parse_all();
  if (const auto* e = std::get_if<Expr>(&value)) return *e;
  if (const auto* v = std::get_if<Vector>(&value)) return *v;
  if (const auto* d = std::get_if<Dyadic>(&value)) return *d;
  const std::string& name = std::get<Reference>(value).name;
  throw ModelError(quantity.where, fmt::format("{}: '{}' is the name of a point or frame; write for instance "
                                               "position({}) or {}.x",
                                               what, name, name, name));
}

std::string_view kind_of(const QuantityValue& value) {
  static constexpr std::string_view kNames[] = {"scalar", "vector", "dyadic"};
  return kNames[value.index()];
}

Expr read_scalar(const Quantity& quantity, const QuantityScope& scope, std::string_view what) {
  const QuantityValue value = read_quantity(quantity, scope, what);
  if (const auto* e = std::get_if<Expr>(&value)) return *e;
  throw ModelError(quantity.where,
                   fmt::format("{} must be a scalar, but '{}' is a {}{}", what, InfixText::printable(quantity.text),
                               kind_of(value), value.index() == 1 ? "; take a component, such as dot(..., N.x)" : ""));
}

Vector read_vector(const Quantity& quantity, const QuantityScope& scope, std::string_view what) {
  const QuantityValue value = read_quantity(quantity, scope, what);
  if (const auto* v = std::get_if<Vector>(&value)) return *v;
  if (const auto* e = std::get_if<Expr>(&value); e != nullptr && e->is_zero()) return {};
  throw ModelError(quantity.where,
                   fmt::format("{} must be a vector, but '{}' is a {}{}", what, InfixText::printable(quantity.text),
                               kind_of(value), value.index() == 0 ? "; multiply it by a direction, such as N.x" : ""));
}

}  // namespace kane
