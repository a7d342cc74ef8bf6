#include "kane/mechanism/quantity.hpp"

#include <algorithm>

#include "kane/base/suggest.hpp"
#include "kane/expr/infix.hpp"
#include "kane/expr/measured.hpp"
#include "kane/expr/parse.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {
namespace {

/// The name of a point, frame or body: not a value to calculate with, but an argument of functions.
struct Reference {
  std::string name;
};

/// contact(A, B) or contact(NAME), of which a part is to be named: torques are about `about` (the first body).
struct ContactCall {
  std::string first, second, about;
};

using AnyForm = std::variant<Expr, Vector, Dyadic, Reference, ContactCall>;

/// A value with its dimension, as far as that is known.
struct Value {
  AnyForm what;
  Dimensional dimension{};

  template <class Form>
  [[nodiscard]] const Form* get() const {
    return std::get_if<Form>(&what);
  }
  [[nodiscard]] bool is_scalar() const { return get<Expr>() != nullptr; }
  [[nodiscard]] bool is_vector() const { return get<Vector>() != nullptr; }
};
using Operand = InfixOperand<Value>;

std::string_view kind_name(const Value& v) {
  static constexpr std::string_view kNames[] = {"scalar", "vector", "dyadic", "name of a point or frame",
                                                "contact; write for instance contact(A, B).force"};
  return kNames[v.what.index()];
}

[[noreturn]] void fail(const Operand& at, std::string_view expected) {
  throw InfixError{at.text, fmt::format("expected {}, but '{}' is a {}", expected, InfixText::printable(at.text),
                                        kind_name(at.value))};
}

DimensionalText measured_text(const Operand& a) { return {a.value.dimension, a.text}; }

constexpr int kMaxDepth = 1000;

bool is_zero_scalar(const Value& v) {
  const Expr* e = v.get<Expr>();
  return e != nullptr && e->is_zero();
}

}  // namespace

/// Reads the quantity behind a name once.
class NamedReader {
 public:
  static const MeasuredQuantity* find(const QuantityScope& scope, std::string_view name, std::string_view what) {
    if (scope.definitions == nullptr) return nullptr;
    const QuantityDefinitions& all = *scope.definitions;
    const auto at = all.named_.find(name);
    if (at == all.named_.end() || at->second.what != what) return nullptr;
    QuantityDefinitions::Named& named = at->second;
    auto& value = scope.forces != nullptr ? named.force_value : named.value;
    if (value) return &*value;
    if (named.reading) {
      const auto first = std::find(all.reading_.begin(), all.reading_.end(), at->first);
      throw ModelError(fmt::format("the {} '{}' depends on itself: {} -> {}", named.what, name,
                                   fmt::join(first, all.reading_.end(), " -> "), name));
    }
    if (all.reading_.size() >= kMaxNamedDepth)
      throw LimitError(fmt::format("named expressions use each other more than {} levels deep", kMaxNamedDepth));
    const Reading reading(all, named, at->first);
    QuantityScope own{scope.system, scope.names, scope.definitions};
    own.forces = scope.forces;
    own.refuse_auxiliary = scope.refuse_auxiliary;
    value = read_quantity(named.quantity, own, fmt::format("the {} '{}'", named.what, name));
    value->dimension.literal = false;
    return &*value;
  }

 private:
  /// While it is being read, also if that fails.
  struct Reading {
    Reading(const QuantityDefinitions& a, QuantityDefinitions::Named& n, const std::string& name) : all(a), named(n) {
      named.reading = true;
      all.reading_.push_back(name);
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading() {
      named.reading = false;
      all.reading_.pop_back();
    }
    const QuantityDefinitions& all;
    QuantityDefinitions::Named& named;
  };
};

namespace {

class QuantitySemantics {
 public:
  using Value = kane::Value;

  explicit QuantitySemantics(const QuantityScope& scope)
      : scope_(scope), s_(scope.system), graph_(scope.system.graph()), is_name_([this](std::string_view n) {
          return s_.find_kind(n).has_value() || scope_.scalars.contains(n) || (definitions() && definitions()->has(n));
        }) {}

  Value number(const Rational& value) { return {graph_.number(value), Dimensional::number(value)}; }

  // ---- units --------------------------------------------------------------------------------------------------------
  static bool is_bare(const Value& x) { return x.is_scalar() && x.dimension.is_number(); }
  std::size_t unit_length(const Operand& number, std::string_view rest, const Where& where) {
    return unit_length_after(number.text, rest, where, is_name_);
  }
  Value with_unit(const Value& number, std::string_view text, const Where& where) {
    const Unit unit = parse_unit(text, where);
    return {graph_.bind(*number.get<Expr>() * unit_factor(graph_, unit)), literal_dimension(unit.dimension)};
  }

  // ---- names --------------------------------------------------------------------------------------------------------
  Value name(std::string_view text) {
    if (const auto at = scope_.scalars.find(text); at != scope_.scalars.end()) return bound(at->second);
    if (definitions())
      if (const auto at = definitions()->values().find(text); at != definitions()->values().end())
        return bound(at->second);
    const std::size_t primes = text.size() - (text.find_last_not_of('\'') + 1);
    if (primes > 0) return derivative_of(text.substr(0, text.size() - primes), primes, text);
    if (s_.find_kind(text) == SymbolKind::Auxiliary) {
      if (scope_.forces != nullptr) return {scope_.forces->auxiliary(text), Dimensional::open(true)};
      if (scope_.refuse_auxiliary)
        throw ModelError(fmt::format(
            "'{}' is an auxiliary speed; the force it brings into evidence may be used in loads and outputs, "
            "but not here",
            text));
    }
    if (s_.find_kind(text)) return {graph_.symbol(text), dimension_of(text)};
    if (text == "pi") return {graph_.pi(), Dimensional::of_pi()};
    if (const auto basis = find_basis_vector(text)) return {*basis, Dimensional::unity()};
    if (is_reference(text)) return {Reference{std::string(text)}};
    if (const auto* named = NamedReader::find(scope_, text, "named expression")) return bound(*named);
    if (scope_.forces != nullptr && scope_.forces->knows(text)) return {Reference{std::string(text)}};
    if (const auto* named = NamedReader::find(scope_, text, "output")) return bound(*named);
    if (auto unit = find_unit_factor(graph_, text)) return {unit->value, unit->dimension};
    if (text == "kinetic" || text == "potential" || text == "energy")
      throw ModelError(fmt::format("'{}' is an energy of the whole system, which only outputs may use", text));
    throw ModelError(unknown_name(text, known_names()) + reaction_instead(text));
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
    std::vector<DimensionalText> dimensions;
    for (const Operand& operand : a) {
      scalars.push_back(scalar(operand));
      dimensions.push_back(measured_text(operand));
    }
    return {graph_.bind(call_function(graph_, function, scalars)), call_dimension(function, dimensions)};
  }

  /// contact(A, B).force and the other parts.
  Value member(const Value& of, std::string_view part) {
    const auto* c = of.get<ContactCall>();
    if (c == nullptr)
      throw ModelError(fmt::format("a {} has no part '{}'; only contact(A, B) has parts", kind_name(of), part));
    namespace p = sensor_part;
    ForceNames& names = forces("contact");
    const auto value = [&](std::size_t k) { return names.contact(c->first, c->second, k); };
    const auto vector = [&](std::size_t k) { return Vector(s_.inertial(), {value(k), value(k + 1), value(k + 2)}); };
    if (part == "force") return {vector(p::kForce), moving(kForce)};
    if (part == "impulse") return {vector(p::kImpulse), moving(kForce * kTime)};
    if (part == "point") return {vector(p::kPoint), moving(kLength)};
    if (part == "direction") return {vector(p::kDirection), Dimensional::ratio(true)};
    if (part == "torque") {
      if (c->about.empty())
        throw ModelError(
            "contact(NAME).torque needs a point: write contact(A, B).torque, about the origin of A, or "
            "contact(A, B, P).torque");
      const Vector about = s_.position(scope_.names.point(c->about));
      return {vector(p::kTorque) - s_.cross(about, vector(p::kForce)), moving(kTorque)};
    }
    if (part == "normal") return {value(p::kNormal), moving(kForce)};
    if (part == "friction") return {value(p::kFriction), moving(kForce)};
    if (part == "gap") return {value(p::kGap), moving(kLength)};
    if (part == "touching") return {value(p::kTouching), Dimensional::ratio(true)};
    static const std::vector<std::string> kParts{"force", "torque",    "normal",  "friction", "gap",
                                                 "point", "direction", "impulse", "touching"};
    throw ModelError(fmt::format("a contact has no part '{}' (it has {}){}", part, fmt::join(kParts, ", "),
                                 suggestion(part, kParts)));
  }

  // ---- signs --------------------------------------------------------------------------------------------------------
  Value unary(std::string_view sign, const Operand& x) {
    if (const auto* v = x.value.get<Vector>(); v != nullptr && sign != "not")
      return {sign == "-" ? -*v : *v, x.value.dimension};
    if (const auto* d = x.value.get<Dyadic>(); d != nullptr && sign != "not")
      return {sign == "-" ? *d * Expr(-1) : *d, x.value.dimension};
    return {graph_.bind(apply_sign(sign, scalar(x))),
            sign == "not" ? Dimensional::ratio(x.value.dimension.moving) : x.value.dimension};
  }

  Value binary(std::string_view sign, const Operand& a, const Operand& b) {
    const bool scalars = a.value.is_scalar() && b.value.is_scalar();
    if (sign == "/") {
      const Expr divisor = scalar(b);
      if (divisor.is_zero()) throw InfixError{b.text, zero_divisor(b.text)};
      if (!scalars) return {times(a, 1 / divisor), quotient(a.value.dimension, b.value.dimension)};
    }
    if (scalars) {
      const Expr& n = *b.value.get<Expr>();
      const auto exponent = n.is_number() ? std::optional(n.number()) : std::nullopt;
      const Dimensional dimension = binary_dimension(sign, measured_text(a), measured_text(b), exponent);
      return {graph_.bind(apply_sign(sign, *a.value.get<Expr>(), n)), dimension};
    }
    if (sign == "+" || sign == "-")
      return {sum(a, b, sign == "+" ? 1 : -1), sum_dimension(sign, measured_text(a), measured_text(b))};
    if (sign == "*") {
      const Dimensional dimension = product(a.value.dimension, b.value.dimension);
      if (a.value.is_scalar()) return {times(b, *a.value.get<Expr>()), dimension};
      if (b.value.is_scalar()) return {times(a, *b.value.get<Expr>()), dimension};
      if (a.value.is_vector() && b.value.is_vector())
        throw ModelError("two vectors cannot be multiplied by '*'; write dot(a, b) or cross(a, b)");
    }
    if (sign == "^" && a.value.is_vector())
      throw InfixError{a.text, "a vector has no powers; write dot(v, v) for the square of its length"};
    fail(a.value.is_scalar() ? b : a, "a scalar");
  }

  struct Row {
    std::string_view name;
    std::size_t least, most;
    std::string_view usage;
    Value (QuantitySemantics::*apply)(std::span<const Operand>);
  };
  static std::span<const Row> rows();

 private:
  // ---- arguments ----------------------------------------------------------------------------------------------------
  [[nodiscard]] static Expr scalar(const Operand& a) {
    if (const auto* e = a.value.get<Expr>()) return *e;
    if (a.value.get<Reference>() != nullptr)
      throw InfixError{a.text, fmt::format("expected a scalar or a vector, but '{}' is the name of a point or frame; "
                                           "write for instance position({}) or {}.x",
                                           InfixText::printable(a.text), a.text, a.text)};
    fail(a, "a scalar");
  }
  [[nodiscard]] static Vector vector(const Operand& a) {
    if (const auto* v = a.value.get<Vector>()) return *v;
    if (is_zero_scalar(a.value)) return {};
    fail(a, "a vector");
  }
  /// A name as an argument, also if a symbol is called like that.
  [[nodiscard]] static std::string_view name_of(const Operand& a) {
    const auto* r = a.value.get<Reference>();
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
    Dimensional dimension = dimension_of(base);
    for (std::size_t i = 0; i < order; ++i) {
      e = s_.time_derivative(e);
      dimension = rate(dimension);
    }
    return {graph_.bind(e), dimension};
  }

  [[nodiscard]] const QuantityDefinitions* definitions() const { return scope_.definitions; }
  [[nodiscard]] Dimensional dimension_of(std::string_view symbol) const {
    return definitions() ? definitions()->dimension(symbol) : Dimensional::open();
  }
  [[nodiscard]] Value bound(const MeasuredQuantity& q) const {
    if (const auto* e = std::get_if<Expr>(&q.value)) return {graph_.bind(*e), q.dimension};
    if (const auto* v = std::get_if<Vector>(&q.value)) return {*v, q.dimension};
    return {std::get<Dyadic>(q.value), q.dimension};
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

  /// What to write for J.Fx, the name that tables give to a component of the reaction of the joint J.
  [[nodiscard]] std::string reaction_instead(std::string_view text) const {
    const std::size_t dot = text.rfind('.');
    if (scope_.forces == nullptr || dot == std::string_view::npos || dot + 3 != text.size()) return "";
    const std::string_view joint = text.substr(0, dot);
    const char kind = text[dot + 1], axis = text[dot + 2];
    if ((kind != 'F' && kind != 'T') || axis < 'x' || axis > 'z' || !scope_.forces->knows(joint)) return "";
    return fmt::format("; the reaction of '{0}' is the vector {1}({0}), and dot({1}({0}), {2}.{3}) a component of it",
                       joint, kind == 'F' ? "reaction" : "reaction_torque", s_.frames().name(s_.inertial()), axis);
  }

  [[nodiscard]] std::vector<std::string> known_names() const {
    std::vector<std::string> all = s_.symbol_names();
    std::erase_if(all, [](const std::string& n) { return n.starts_with("lambda."); });
    for (const auto& [name, value] : scope_.scalars) all.push_back(name);
    if (definitions())
      for (std::string& name : definitions()->names()) all.push_back(std::move(name));
    for (const std::string& f : scope_.names.frame_names())
      for (const char* axis : {".x", ".y", ".z"}) all.push_back(f + axis);
    for (const std::string& p : scope_.names.point_names()) all.push_back(p);
    return all;
  }

  // ---- sums and products --------------------------------------------------------------------------------------------
  using Form = AnyForm;
  static Form sum(const Operand& a, const Operand& b, int sign) {
    if (a.value.is_vector() || b.value.is_vector()) {
      const Vector left = vector(a), right = vector(b);
      return sign > 0 ? left + right : left - right;
    }
    const auto* da = a.value.get<Dyadic>();
    const auto* db = b.value.get<Dyadic>();
    if (da != nullptr && db != nullptr) return *da + *db * Expr(sign);
    fail(da != nullptr ? b : a, da != nullptr || db != nullptr ? "a dyadic" : "a scalar or a vector");
  }

  static Form times(const Operand& a, const Expr& s) {
    if (const auto* v = a.value.get<Vector>()) return *v * s;
    if (const auto* d = a.value.get<Dyadic>()) return *d * s;
    return scalar(a) * s;
  }

  // ---- functions ----------------------------------------------------------------------------------------------------
  static Dimensional moving(Dimension d) { return Dimensional::known(d, true); }
  Value position(std::span<const Operand> a) {
    return {s_.position(point(a[0]), a.size() > 1 ? point(a[1]) : s_.origin()), moving(kLength)};
  }
  Value velocity(std::span<const Operand> a) {
    return {s_.velocity(point(a[0]), frame_or_ground(a, 1)), moving(kVelocity)};
  }
  Value acceleration(std::span<const Operand> a) {
    return {s_.acceleration(point(a[0]), frame_or_ground(a, 1)), moving(kAcceleration)};
  }
  Value omega(std::span<const Operand> a) {
    return {s_.angular_velocity(frame(a[0]), frame_or_ground(a, 1)), moving(kAngularVelocity)};
  }
  Value alpha(std::span<const Operand> a) {
    return {s_.angular_acceleration(frame(a[0]), frame_or_ground(a, 1)), moving(kAngularVelocity / kTime)};
  }
  [[nodiscard]] ForceNames& forces(std::string_view function) const {
    if (scope_.forces == nullptr)
      throw ModelError(fmt::format("{} may be used in {}, but not here", function,
                                   function == "contact" ? "outputs" : "loads and outputs"));
    return *scope_.forces;
  }
  Value reaction(std::span<const Operand> a) {
    return {forces("reaction").reaction(name_of(a[0]), false), moving(kForce)};
  }
  Value reaction_torque(std::span<const Operand> a) {
    return {forces("reaction_torque").reaction(name_of(a[0]), true), moving(kTorque)};
  }
  Value multiplier(std::span<const Operand> a) {
    return {forces("multiplier").multiplier(name_of(a[0])), Dimensional::open(true)};
  }
  Value contact(std::span<const Operand> a) {
    ForceNames& names = forces("contact");
    ContactCall c{std::string(name_of(a[0])), a.size() > 1 ? std::string(name_of(a[1])) : std::string(), {}};
    names.check_contact(c.first, c.second);
    if (a.size() > 1) c.about = c.first;
    if (a.size() > 2) {
      (void)point(a[2]);
      c.about = name_of(a[2]);
    }
    return {c};
  }
  /// The moment that the part of a beam beyond section s exerts on the part before it: GJ psi' along x, and EI times the
  /// curvatures about -y and z.
  Value internal_moment(std::span<const Operand> a) {
    const auto [frame, f] = internal(a);
    return {Vector(frame, {f.torque, -f.moment_y, f.moment_z}), moving(kTorque)};
  }
  /// Likewise the force: tension along x (of modes of stretch), shear along y and z.
  Value internal_force(std::span<const Operand> a) {
    const auto [frame, f] = internal(a);
    return {Vector(frame, {f.tension, f.shear_y, f.shear_z}), moving(kForce)};
  }
  /// Normal stress of a beam at s, in the fibre at y, z of the section: modulus times the strain of modes of stretch, less
  /// y Y'' and z Z''.
  Value stress(std::span<const Operand> a) {
    const BeamField::Internal f = internal(a).second;
    const Expr strain = f.strain - scalar(a[3]) * f.curvature_y - scalar(a[4]) * f.curvature_z;
    return {graph_.bind(scalar(a[2]) * strain), moving(kForce / (kLength * kLength))};
  }
  /// The internal forces of a beam, and the frame of its part there: segments follow one another.
  std::pair<FrameId, BeamField::Internal> internal(std::span<const Operand> a) {
    const BodyRecord* b = &s_.body(body(a[0]));
    const auto* beams = scope_.beams;
    Expr s = graph_.bind(scalar(a[1]));
    constexpr int kMost = 1000;  // segments; there are fewer
    for (int k = 0; k < kMost; ++k) {
      const auto beam = beams == nullptr || !b->flexible ? decltype(beams->begin()){} : beams->find(b->name);
      if (!b->flexible || beams == nullptr || beam == beams->end())
        throw InfixError{a[0].text, fmt::format("the body '{}' is no beam; only beams have internal forces", b->name)};
      const FlexibleBeam& here = beam->second->beam();
      const Expr x = s / here.length;
      if (x.is_number() && (x.number() < 0 || (here.continued_by.empty() && x.number() > 1)))
        throw InfixError{a[1].text,
                         fmt::format("the beam '{}' has no such section; s goes from 0 to its length", b->name)};
      if (here.continued_by.empty() || (x.is_number() && x.number() <= 1)) return {b->frame, beam->second->internal(s)};
      if (!x.is_number())
        throw InfixError{a[1].text,
                         fmt::format("the beam '{}' has segments, so the place on it must be a fixed share of "
                                     "its length",
                                     b->name)};
      s = s - here.length;
      const auto next = std::find_if(s_.bodies().begin(), s_.bodies().end(),
                                     [&](const BodyRecord& r) { return r.name == here.continued_by; });
      if (next == s_.bodies().end() || next->name == b->name)
        throw InfixError{a[0].text, fmt::format("the beam '{}' is continued by '{}', which is not a body beyond it",
                                                b->name, here.continued_by)};
      b = &*next;
    }
    throw InfixError{a[0].text, "the beams that continue one another form a ring"};
  }
  Value inertia(std::span<const Operand> a) {
    const BodyRecord& b = s_.body(body(a[0]));
    if (!b.inertia)
      throw InfixError{a[0].text, b.flexible ? fmt::format("the inertia of the flexible body '{}' changes", b.name)
                                             : fmt::format("the particle '{}' has no inertia", b.name)};
    return {*b.inertia, Dimensional::known(kInertia)};
  }
  Value mass(std::span<const Operand> a) {
    return {graph_.bind(s_.body(body(a[0])).mass.value_or(0)), Dimensional::known(kMass)};
  }
  Value distance(std::span<const Operand> a) {
    return {graph_.bind(s_.magnitude(s_.position(point(a[0]), point(a[1])))), moving(kLength)};
  }
  Value dot(std::span<const Operand> a) {
    const Dimensional dimension = product(a[0].value.dimension, a[1].value.dimension);
    if (const auto* d = a[0].value.get<Dyadic>()) return {s_.dot(*d, vector(a[1])), dimension};
    return {graph_.bind(s_.dot(vector(a[0]), vector(a[1]))), dimension};
  }
  Value cross(std::span<const Operand> a) {
    return {s_.cross(vector(a[0]), vector(a[1])), product(a[0].value.dimension, a[1].value.dimension)};
  }
  Value magnitude(std::span<const Operand> a) {
    return {graph_.bind(s_.magnitude(vector(a[0]))), a[0].value.dimension};
  }
  Value unit(std::span<const Operand> a) {
    const Vector v = vector(a[0]);
    if (v.is_zero()) throw InfixError{a[0].text, "the zero vector has no direction"};
    return {v / s_.magnitude(v), Dimensional::unity()};
  }
  Value dt(std::span<const Operand> a) {
    const Dimensional dimension = rate(a[0].value.dimension);
    if (const auto* v = a[0].value.get<Vector>()) return {s_.derivative(*v, frame_or_ground(a, 1)), dimension};
    if (a.size() > 1) throw InfixError{a[1].text, "the derivative of a scalar is the same in every frame"};
    return {graph_.bind(s_.time_derivative(scalar(a[0]))), dimension};
  }

  const QuantityScope& scope_;
  const System& s_;
  Graph& graph_;
  std::function<bool(std::string_view)> is_name_;
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
      {"contact", 1, 3, "two bodies and perhaps a point, or the name of a contact", &QuantitySemantics::contact},
      {"multiplier", 1, 1, "a constraint", &QuantitySemantics::multiplier},
      {"internal_force", 2, 2, "a flexible body and an arc length", &QuantitySemantics::internal_force},
      {"internal_moment", 2, 2, "a flexible body and an arc length", &QuantitySemantics::internal_moment},
      {"stress", 5, 5, "a flexible body, an arc length, Young's modulus, and y and z of a place in the section",
       &QuantitySemantics::stress},
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

/// Throws unless the dimension of the value can be the one that is expected.
void check_measure(const MeasuredQuantity& q, const Quantity& quantity, std::string_view what, const Measure& measure) {
  if (!measure.dimension || q.dimension.fits(*measure.dimension)) return;
  throw ModelError(quantity.where, fmt::format("{} is given {} ('{}'); {} is expected, such as '{}'", what,
                                               given_words(q.dimension.dimension), InfixText::printable(quantity.text),
                                               measure.name, measure.example));
}

}  // namespace

// ---- definitions ----------------------------------------------------------------------------------------------------------

void QuantityDefinitions::define(const NamedQuantity& quantity, std::string_view what) {
  named_.emplace(quantity.name, Named{quantity.value, what});
}

void QuantityDefinitions::set(const std::string& name, const Expr& value, const Dimensional& dimension) {
  values_.insert_or_assign(name, MeasuredQuantity{value, dimension});
}

Dimensional QuantityDefinitions::dimension(std::string_view symbol) const {
  const auto at = dimensions_.find(symbol);
  return at == dimensions_.end() ? Dimensional::open(true) : at->second;
}

std::vector<std::string> QuantityDefinitions::names() const {
  std::vector<std::string> all;
  for (const auto& [name, value] : values_) all.push_back(name);
  for (const auto& [name, value] : named_) all.push_back(name);
  return all;
}

void QuantityDefinitions::renew() {
  for (auto& [name, named] : named_) named.value.reset(), named.force_value.reset();
}

// ---- reading --------------------------------------------------------------------------------------------------------------

bool is_motion_function(std::string_view name) {
  const auto rows = QuantitySemantics::rows();
  return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
}

MeasuredQuantity read_quantity(const Quantity& quantity, const QuantityScope& scope, std::string_view what) {
  require_at(quantity.where, !quantity.empty(), "{} is empty", what);
  QuantitySemantics semantics(scope);
  const Value value = InfixParser(semantics, quantity.text, quantity.where, kMaxDepth).parse_all();
  if (const auto* e = value.get<Expr>()) return {*e, value.dimension};
  if (const auto* v = value.get<Vector>()) return {*v, value.dimension};
  if (const auto* d = value.get<Dyadic>()) return {*d, value.dimension};
  require_at(quantity.where, value.get<ContactCall>() == nullptr,
             "{}: '{}' is a contact; name a part of it, such as {}.force or {}.normal", what,
             InfixText::printable(quantity.text), InfixText::printable(quantity.text),
             InfixText::printable(quantity.text));
  const std::string& name = value.get<Reference>()->name;
  throw ModelError(quantity.where, fmt::format("{}: '{}' is the name of a point or frame; write for instance "
                                               "position({}) or {}.x",
                                               what, name, name, name));
}

std::string_view kind_of(const QuantityValue& value) {
  static constexpr std::string_view kNames[] = {"scalar", "vector", "dyadic"};
  return kNames[value.index()];
}

Expr read_scalar(const Quantity& quantity, const QuantityScope& scope, std::string_view what, const Measure& measure) {
  const MeasuredQuantity q = read_quantity(quantity, scope, what);
  if (const auto* e = std::get_if<Expr>(&q.value)) {
    check_measure(q, quantity, what, measure);
    return *e;
  }
  throw ModelError(
      quantity.where,
      fmt::format("{} must be a scalar, but '{}' is a {}{}", what, InfixText::printable(quantity.text),
                  kind_of(q.value), q.value.index() == 1 ? "; take a component, such as dot(..., N.x)" : ""));
}

Vector read_vector(const Quantity& quantity, const QuantityScope& scope, std::string_view what,
                   const Measure& measure) {
  const MeasuredQuantity q = read_quantity(quantity, scope, what);
  if (const auto* v = std::get_if<Vector>(&q.value)) {
    check_measure(q, quantity, what, measure);
    return *v;
  }
  if (const auto* e = std::get_if<Expr>(&q.value); e != nullptr && e->is_zero()) return {};
  throw ModelError(
      quantity.where,
      fmt::format("{} must be a vector, but '{}' is a {}{}", what, InfixText::printable(quantity.text),
                  kind_of(q.value), q.value.index() == 0 ? "; multiply it by a direction, such as N.x" : ""));
}

}  // namespace kane
