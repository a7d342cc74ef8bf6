// Symbols, bodies, and parts fixed in them.

#include <algorithm>

#include "kane/base/identifier.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/parse.hpp"
#include "kane/mechanism/describe_parts.hpp"
#include "kane/mechanism/inertia_library.hpp"
#include "kane/mechanism/placed.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {
namespace {

bool has_symbol(const std::vector<SymbolWithDefault>& symbols, std::string_view name) {
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const SymbolWithDefault& s) { return s.symbol.name() == name; });
}

void check_new_symbol(const Mechanism& m, std::string_view name, std::string_view what, const Where& where) {
  const char* known = has_symbol(m.parameters, name) ? "parameter" : has_symbol(m.inputs, name) ? "input" : nullptr;
  require_at(where, known == nullptr, "there are two things named '{}': a {} and a {}", name,
             known == nullptr ? "" : known, what);
}

/// Throws ModelError unless the expression is an input of the mechanism; gives its name.
const std::string& input_name(const Mechanism& m, const Expr& input, const Where& where) {
  const bool known = input.is_symbol() && has_symbol(m.inputs, input.name());
  std::vector<std::string> names;
  for (const auto& i : m.inputs) names.push_back(i.symbol.name());
  require_at(where, known, "'{}' is not an input{}", input.to_string(), suggestion(input.to_string(), names));
  return input.name();
}

Shape find_shape(const Mechanism& m, const BodyShape& given, const BodyRef& body, std::string_view owner,
                 const Where& where) {
  const ShapeOptions& o = given.options;
  Shape shape;
  shape.kind = given.kind;
  shape.sizes = given.sizes;
  shape.place = find_placement(m, o.at, o.orientation, body, owner, where);
  shape.file = given.file;
  shape.color = o.color;
  shape.display = o.display;
  shape.contact = o.contact, shape.hull = o.hull;
  return shape;
}

void set_mass_by_shape(const Mechanism& m, MechanismBody& body, const BodyOptions& options, std::string_view owner) {
  if (!options.shape) {
    require_at(body.where, !options.density, "{} has a density but no shape", owner);
    return;
  }
  require_at(body.where, !options.density || options.mass.is_zero(),
             "{} has both a mass and a density; only one of them can be meant", owner);
  const Shape shape = find_shape(m, *options.shape, body.name, owner, body.where);
  body.shapes.push_back(shape);
  if (!options.density && options.mass.is_zero()) return;
  const MassProperties whole = with_place(body.where, [&] {
    return options.density ? mass_from_density(*m.graph, shape, *options.density) : mass_from_total(shape, body.mass);
  });
  body.mass = whole.mass;
  body.mass_centre = whole.mass_centre;
  body.inertia = whole.inertia;
}

}  // namespace

// ---- symbols ----------------------------------------------------------------------------------------------------------

Expr Mechanism::degrees(const Expr& number) { return graph->pi() * number / 180; }

Expr Mechanism::parameter(std::string_view symbol, const Expr& value, std::string_view unit, const Place& place) {
  check_new_symbol(*this, symbol, "parameter", place_of(place));
  if (!unit.empty()) units[std::string(symbol)] = unit;
  return add_parameter(symbol, value);
}

Expr Mechanism::input(std::string_view symbol, const Expr& value, std::string_view unit, const Place& place) {
  check_new_symbol(*this, symbol, "input", place_of(place));
  if (!unit.empty()) units[std::string(symbol)] = unit;
  return add_input(symbol, value);
}

Expr Mechanism::expression(std::string_view text, const Place& place) {
  ParseOptions options;
  options.where = place_of(place);
  for (const auto& p : parameters) options.known_names.push_back(p.symbol.name());
  for (const auto& i : inputs) options.known_names.push_back(i.symbol.name());
  for (const Expr& q : all_coordinates()) options.known_names.push_back(q.name());
  for (const StateQuantity& x : states) options.known_names.push_back(x.name);
  for (const Expr& u : joint_speeds()) options.known_names.push_back(u.name());
  options.known_names.emplace_back("t");
  options.resolve = [&](std::string_view symbol) -> std::optional<Expr> {
    const auto& known = options.known_names;
    if (std::find(known.begin(), known.end(), symbol) == known.end()) return std::nullopt;
    return graph->symbol(symbol);
  };
  return parse(*graph, text, options);
}

void Mechanism::let(std::string_view symbol, Quantity value, const Place& place) {
  const Where here = place_of(place);
  check_new_symbol(*this, symbol, "named expression", here);
  expressions.push_back({std::string(symbol), at(std::move(value), here)});
}

void Mechanism::drive(const Expr& input, Quantity law, const SamplingOptions& sampling, const Place& place) {
  const Where here = place_of(place);
  const std::string& symbol = input_name(*this, input, here);
  for (const NamedQuantity& other : input_laws)
    require_at(here, other.name != symbol, "the input '{}' has two laws", symbol);
  require_at(here, sampling.period >= 0 && sampling.delay >= 0,
             "the period and the delay of the input '{}' cannot be negative", symbol);
  require_at(here, sampling.period > 0 || sampling.delay == 0,
             "the delay of the input '{}' needs the period of its controller", symbol);
  input_laws.push_back({symbol, at(std::move(law), here)});
  if (sampling.period > 0) sampled_inputs.push_back({symbol, sampling.period, sampling.delay});
}

void Mechanism::drive_by_points(const Expr& input, std::vector<double> t, std::vector<double> value, bool hold,
                                const Place& place) {
  const Where here = place_of(place);
  const std::string& symbol = input_name(*this, input, here);
  require_at(here, !t.empty() && t.size() == value.size(), "the input '{}' has {} times but {} values", symbol,
             t.size(), value.size());
  for (std::size_t i = 1; i < t.size(); ++i)
    require_at(here, t[i] > t[i - 1], "the times of the input '{}' must increase, but {} follows {}", symbol, t[i],
               t[i - 1]);
  input_series.push_back({symbol, std::move(t), std::move(value), hold});
}

void Mechanism::drive_by_fmu(const std::string& file, std::vector<std::pair<Expr, std::string>> fed,
                             std::vector<std::pair<std::string, Quantity>> measured, double period,
                             std::vector<std::pair<std::string, double>> start, const Place& place) {
  const Where here = place_of(place);
  require_at(here, !fed.empty(), "the FMU '{}' gives no input a value", file);
  require_at(here, period > 0, "the period of the FMU '{}' must be positive", file);
  FmuController controller{file, file, period, 0};
  for (const auto& [input, output] : fed) controller.outputs.emplace_back(input_name(*this, input, here), output);
  for (auto& [variable, value] : measured) {
    controller.measured.emplace_back(variable,
                                     identifier_of(fmt::format("{}_{}", controller.outputs.front().first, variable)));
    const std::string& symbol = controller.measured.back().second;
    check_new_symbol(*this, symbol, "input", here);
    add_input(symbol);
    input_laws.push_back({symbol, at(std::move(value), here)});
    sampled_inputs.push_back({symbol, period, 0});
  }
  controller.start = std::move(start);
  fmus.push_back(std::move(controller));
}

// ---- bodies -----------------------------------------------------------------------------------------------------------

BodyRef Mechanism::add_body(std::string_view name_of_body, const BodyOptions& options, const Place& place) {
  MechanismBody body;
  body.name = name_of_body;
  body.where = place_of(place);
  body.mass = options.mass;
  const std::string owner = fmt::format("the body '{}'", body.name);
  check_new_name(bodies, body.name, "body", body.where);
  if (options.flexible) {
    require_at(body.where, body.mass.is_zero() && !options.shape && !options.density && !options.inertia.given(),
               "{} is flexible, so its mass is that of the beam; attach particles and further bodies instead", owner);
    body.flexible = options.flexible;
    body.flexible->where = body.where;
    std::vector<std::string> names;
    for (const Expr& q : options.flexible->coordinates) names.push_back(q.name());
    with_place(body.where, [&] { name_beam_coordinates(*graph, body.name, *body.flexible, names); });
  }
  set_mass_by_shape(*this, body, options, owner);
  if (options.centre.given()) body.mass_centre = find_position(*this, options.centre, body.name, owner, body.where);
  if (const Inertia& inertia = options.inertia; inertia.given()) {
    const Expr33 axes = find_rotation(*this, inertia.axes(), body.name, owner, body.where);
    const Expr3 about =
        inertia.point() ? find_position(*this, *inertia.point(), body.name, owner, body.where) : body.mass_centre;
    body.inertia = central_inertia(inertia.matrix(), axes, body.mass, body.mass_centre, about);
  }
  for (const BodyShape& shape : options.geometry)
    body.shapes.push_back(find_shape(*this, shape, body.name, owner, body.where));
  return add_body(std::move(body)).name;
}

PointRef Mechanism::add_particle(std::string_view particle, const ParticleOptions& options, const Place& place) {
  const Where here = place_of(place);
  const std::string owner = fmt::format("the particle '{}'", particle);
  check_new_name(particles, particle, "particle", here);
  particles.push_back({std::string(particle), options.mass, options.on.name(),
                       find_position(*this, options.at, options.on, owner, here), here});
  return particle;
}

PointRef Mechanism::add_point(std::string_view point, const BodyRef& on, const Position& position, const Place& place) {
  const Where here = place_of(place);
  const std::string owner = fmt::format("the point '{}'", point);
  points.push_back({std::string(point), on.name(), find_position(*this, position, on, owner, here), here});
  return on.point(point);
}

FrameRef Mechanism::add_frame(std::string_view frame, const BodyRef& on, const Position& position,
                              const Turn& orientation, const Place& place) {
  const Where here = place_of(place);
  const std::string owner = fmt::format("the frame '{}'", frame);
  frames.push_back(
      {std::string(frame), on.name(), find_placement(*this, position, orientation, on, owner, here), here});
  return on.frame(frame);
}

}  // namespace kane
