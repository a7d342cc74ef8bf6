#include "kane/mechanics/system.hpp"

#include <algorithm>
#include <cctype>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {

System::System(std::string name, std::shared_ptr<Graph> graph, std::string inertial_name, std::string origin_name)
    : name_(std::move(name)),
      graph_(graph ? std::move(graph) : std::make_shared<Graph>()),
      frames_(*graph_, std::move(inertial_name)) {
  time_ = graph_->symbol("t");
  kinds_["t"] = SymbolKind::Time;
  points_.push_back({std::move(origin_name), {}, {}, {}});
}

// ---- symbols ------------------------------------------------------------------------------------------------------------

void System::check_name(std::string_view name, std::string_view what) const {
  bool good = !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
  for (const char c : name) good = good && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.');
  require(good, "'{}' cannot be the name of a {}: names consist of a letter followed by letters, digits, '_' and '.'",
          name, what);
  require(name != "pi", "'pi' is the number and cannot be the name of a {}", what);
}

Expr System::declare(std::string_view name, SymbolKind kind) {
  const auto known = kinds_.find(name);
  require(known == kinds_.end(), "the name '{}' is already used for another symbol of {}", name, name_);
  kinds_.emplace(std::string(name), kind);
  forget_tangent();
  return graph_->symbol(name);
}

Expr System::add_parameter(std::string_view name, const Expr& value) {
  check_name(name, "parameter");
  const Expr symbol = declare(name, SymbolKind::Parameter);
  parameters_.push_back({symbol, value});
  return symbol;
}

Expr System::add_parameter(std::string_view name) {
  check_name(name, "parameter");
  const Expr symbol = declare(name, SymbolKind::Parameter);
  parameters_.push_back({symbol, symbol});
  return symbol;
}

Expr System::add_input(std::string_view name, const Expr& value) {
  check_name(name, "input");
  const Expr symbol = declare(name, SymbolKind::Input);
  inputs_.push_back({symbol, value});
  return symbol;
}

Expr System::add_specified(std::string_view name, const Expr& value) {
  check_name(name, "specified motion");
  std::string derivative(name);
  Expr first;
  Expr known = graph_->bind(value);
  for (int order = 0; order < 3; ++order) {
    const Expr symbol = declare(derivative, SymbolKind::Specified);
    inputs_.push_back({symbol, known});
    specified_.push_back(symbol);
    if (order == 0) first = symbol;
    derivative += "'";
    known = kane::derivative(known, time_);
  }
  return first;
}

Expr System::add_coordinate(std::string_view name) {
  check_name(name, "coordinate");
  const Expr symbol = declare(name, SymbolKind::Coordinate);
  declare(std::string(name) + "'", SymbolKind::Rate);
  declare(std::string(name) + "''", SymbolKind::SecondRate);
  coordinates_.push_back(symbol);
  return symbol;
}

Expr System::add_state(std::string_view name) {
  check_name(name, "state");
  states_.push_back({declare(name, SymbolKind::State), {}});
  return states_.back().symbol;
}

void System::set_state_rate(const Expr& state, const Expr& rate) {
  const auto found = std::find_if(states_.begin(), states_.end(), [&](auto& s) { return s.symbol == state; });
  require(found != states_.end(), "'{}' is not a state of {}", state.name(), name_);
  found->rate = graph_->bind(rate);
  forget_tangent();
}

Expr System::add_unknown(std::string_view name) {
  check_name(name, "unknown force");
  unknowns_.push_back(declare(name, SymbolKind::Unknown));
  return unknowns_.back();
}

Expr System::rate(const Expr& q) const {
  require(q.is_symbol(), "only a coordinate has a rate, not the expression {}", q.to_string());
  const auto kind = find_kind(q.name());
  require(kind == SymbolKind::Coordinate || kind == SymbolKind::Specified,
          "'{}' is not a coordinate of {}, so it has no rate", q.name(), name_);
  return time_derivative(q);
}

std::optional<SymbolKind> System::find_kind(std::string_view symbol) const {
  const auto at = kinds_.find(symbol);
  return at == kinds_.end() ? std::nullopt : std::optional(at->second);
}

std::vector<std::string> System::symbol_names() const {
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds_) names.push_back(name);
  return names;
}

void System::check_symbols(const Expr& e, std::string_view what) const {
  if (e.graph() == nullptr) return;
  require(e.graph() == graph_.get(), "{} was built in another graph than the system {}", what, name_);
  for (const Expr& s : symbols_of(std::span(&e, 1))) {
    const bool known = kinds_.contains(s.name());
    require(known, "{} contains '{}', which is not a symbol of {}{}", what, s.name(), name_,
            known ? "" : suggestion(s.name(), symbol_names()));
  }
}

void System::check_symbols(const Vector& v, std::string_view what) const {
  for (const Vector::Term& t : v.terms()) {
    for (const Expr& c : t.c) check_symbols(c, what);
  }
}

// ---- rates --------------------------------------------------------------------------------------------------------------

// Parameters of orientation that are coordinates give up their own rates: three angular velocities take their place.
bool System::register_parameters(FrameId child, std::span<const Expr> parameters) {
  std::size_t count = 0;
  for (const Expr& p : parameters) {
    if (p.is_symbol() && find_kind(p.name()) == SymbolKind::Coordinate) ++count;
  }
  if (count == 0) return false;
  require(count == parameters.size(),
          "the parameters that orient frame {} must all be coordinates, or all be known functions of time",
          frames_.name(child));
  for (const Expr& p : parameters) {
    require(!quasi_coordinates_.contains(p.name()), "coordinate {} orients frame {} and another frame already",
            p.name(), frames_.name(child));
    quasi_coordinates_[p.name()] = static_cast<int>(quasi_sets_.size());
  }
  require(std::all_of(parameters.begin(), parameters.end(),
                      [&](const Expr& p) { return std::count(parameters.begin(), parameters.end(), p) == 1; }),
          "the parameters that orient frame {} must be different coordinates", frames_.name(child));
  quasi_sets_.emplace_back(parameters.begin(), parameters.end());
  for (const char axis : {'x', 'y', 'z'}) {
    const std::string rate = fmt::format("{}.w{}'", frames_.name(child), axis);
    declare(rate, SymbolKind::Rate);
    declare(rate + "'", SymbolKind::SecondRate);
  }
  return true;
}

const Frames::Frame& System::quasi_edge(std::size_t set) const {
  const Expr& first = quasi_sets_[set].front();
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const Frames::Frame& f = frames_[FrameId(i)];
    if (!f.quasi) continue;
    if (const auto* e = std::get_if<EulerParameters>(&f.definition); e != nullptr && e->e[0] == first) return f;
    if (const auto* r = std::get_if<RodriguesParameters>(&f.definition); r != nullptr && r->rho[0] == first) return f;
  }
  throw InternalError("parameters of orientation without a frame");
}

std::vector<Expr> System::rates() const {
  std::vector<Expr> r;
  std::vector<bool> done(quasi_sets_.size(), false);
  for (const Expr& q : coordinates_) {
    const auto set = quasi_coordinates_.find(q.name());
    if (set == quasi_coordinates_.end()) {
      r.push_back(graph_->symbol(q.name() + "'"));
    } else if (const auto i = at(set->second); !done[i]) {
      done[i] = true;
      for (const Expr& w : quasi_edge(i).quasi_rates) r.push_back(w);
    }
  }
  return r;
}

std::vector<Expr> System::coordinate_rates() const {
  std::map<std::string, Expr, std::less<>> known;
  for (std::size_t i = 0; i < quasi_sets_.size(); ++i) {
    const Frames::Frame& f = quasi_edge(i);
    if (const auto* e = std::get_if<EulerParameters>(&f.definition)) {
      const auto rates = euler_parameter_rates(e->e, f.quasi_rates);
      for (std::size_t k = 0; k < 4; ++k) known[e->e[k].name()] = rates[k];
    } else if (const auto* r = std::get_if<RodriguesParameters>(&f.definition)) {
      const auto rates = rodrigues_rates(r->rho, f.quasi_rates);
      for (std::size_t k = 0; k < 3; ++k) known[r->rho[k].name()] = rates[k];
    }
  }
  std::vector<Expr> result;
  for (const Expr& q : coordinates_) {
    const auto at = known.find(q.name());
    result.push_back(at == known.end() ? graph_->symbol(q.name() + "'") : at->second);
  }
  return result;
}

std::vector<int> System::quaternions() const {
  std::vector<int> first;
  for (const auto& set : quasi_sets_) {
    if (set.size() != 4) continue;
    std::vector<std::ptrdiff_t> at;
    for (const Expr& e : set)
      at.push_back(std::find(coordinates_.begin(), coordinates_.end(), e) - coordinates_.begin());
    const auto [low, high] = std::minmax_element(at.begin(), at.end());
    require(*high - *low == 3, "the Euler parameters {}, {}, {}, {} must be declared one after the other",
            set[0].name(), set[1].name(), set[2].name(), set[3].name());
    first.push_back(static_cast<int>(*low));
  }
  return first;
}

Tangent& System::tangent() const {
  if (!tangent_) {
    Substitution rates;
    rates.set(time_, 1);
    const std::vector<Expr> coordinate = coordinate_rates();
    for (std::size_t i = 0; i < coordinates_.size(); ++i) rates.set(coordinates_[i], coordinate[i]);
    for (const Expr& w : this->rates()) rates.set(w, graph_->symbol(w.name() + "'"));
    for (const Expr& x : specified_) {
      if (kinds_.contains(x.name() + "'")) rates.set(x, graph_->symbol(x.name() + "'"));
    }
    for (const SpeedRecord& u : speeds_) rates.set(u.symbol, u.derivative);
    for (const StateRecord& x : states_) rates.set(x.symbol, x.rate);
    tangent_ = std::make_unique<Tangent>(std::move(rates));
  }
  return *tangent_;
}

Expr System::time_derivative(const Expr& e) const {
  if (e.graph() == nullptr) return {};
  for (const Expr& s : symbols_of(std::span(&e, 1))) {
    const auto kind = find_kind(s.name());
    const bool last = (kind == SymbolKind::Specified && !kinds_.contains(s.name() + "'"));
    require(kind != SymbolKind::Input && kind != SymbolKind::Unknown && kind != SymbolKind::Multiplier && !last &&
                kind != SymbolKind::SecondRate,
            "the derivative of {} with respect to time is not known, because it is written with '{}'; declare it as a "
            "specified motion, or as a function of t",
            e.to_string(), s.name());
  }
  return tangent()(e);
}

// ---- frames -------------------------------------------------------------------------------------------------------------

void System::check_frame(FrameId f, std::string_view what) const {
  require(f.valid() && f.index() < frames_.size(), "{} needs a frame of {}", what, name_);
}

FrameId System::add_frame(std::string name) {
  check_name(name, "frame");
  return frames_.add_frame(std::move(name));
}

FrameId System::add_frame(std::string name, FrameId parent, const Orientation& orientation) {
  check_frame(parent, "the orientation of frame " + name);
  const FrameId f = add_frame(std::move(name));
  orient(f, parent, orientation);
  return f;
}

void System::orient(FrameId child, FrameId parent, const Orientation& orientation) {
  check_frame(child, "an orientation");
  check_frame(parent, "an orientation");
  bool quasi = false;
  if (!frames_.related(child, parent)) {
    if (const auto* e = std::get_if<EulerParameters>(&orientation)) quasi = register_parameters(child, e->e);
    if (const auto* r = std::get_if<RodriguesParameters>(&orientation)) quasi = register_parameters(child, r->rho);
  }
  frames_.orient(child, parent, orientation, quasi);
  forget_tangent();
}

FrameId System::frame(std::string_view name) const {
  const auto f = frames_.find(name);
  require(f.has_value(), "there is no frame '{}' in {}{}", name, name_, f ? "" : suggestion(name, frames_.names()));
  return *f;
}

Expr System::magnitude(const Vector& v) const { return sqrt(graph_->bind(dot(v, v))); }

// Angular velocity of f in its parent, components in f.
//   rotation about a fixed axis k:  angle' k
//   direction cosines R:            [w x] = R^T R'   (Kane: w = b1 b2'.b3 + b2 b3'.b1 + b3 b1'.b2)
Expr3 System::relative_angular_velocity(FrameId f) const {
  const Frames::Frame& frame = frames_[f];
  if (frame.quasi) {
    return frame.reversed ? negate(multiply(transpose(frame.rotation), frame.quasi_rates)) : frame.quasi_rates;
  }
  if (std::holds_alternative<std::monostate>(frame.definition)) {
    return scale(time_derivative(frame.angle), frame.rotation_axis);
  }
  const Expr33 columns = transpose(frame.rotation);
  Expr33 rates;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) rates[i][j] = time_derivative(columns[i][j]);
  }
  return {kane::dot(columns[2], rates[1]), kane::dot(columns[0], rates[2]), kane::dot(columns[1], rates[0])};
}

Vector System::relative_angular_velocity_vector(FrameId f) const {
  Vector w(f, relative_angular_velocity(f));
  // A rotation axis has the same components in the parent, and in its parent if that turns about the same axis.
  if (frames_[f].axis) {
    FrameId base = frames_[f].parent;
    while (frames_[base].axis == frames_[f].axis) base = frames_[base].parent;
    w = Vector(base, w.in(f));
  }
  for (const AuxiliaryRecord& a : auxiliaries_) {
    if (a.frame == f) w += a.symbol * a.direction;
  }
  return w;
}

Vector System::angular_velocity(FrameId f, FrameId in) const {
  check_frame(f, "an angular velocity");
  check_frame(in, "an angular velocity");
  frames_.check_related(f, in);
  const FrameId top = frames_.common_ancestor(f, in);
  Vector w;
  for (FrameId g = f; g != top; g = frames_[g].parent) w += relative_angular_velocity_vector(g);
  for (FrameId g = in; g != top; g = frames_[g].parent) w -= relative_angular_velocity_vector(g);
  return w;
}

Vector System::derivative(const Vector& v, FrameId in) const {
  check_frame(in, "a derivative");
  Vector sum;
  for (const Vector::Term& t : v.terms()) {
    sum += Vector(t.frame, {time_derivative(t.c[0]), time_derivative(t.c[1]), time_derivative(t.c[2])});
    if (t.frame != in) sum += cross(angular_velocity(t.frame, in), Vector(t.frame, t.c));
  }
  return sum;
}

Vector System::angular_acceleration(FrameId f, FrameId in) const { return derivative(angular_velocity(f, in), in); }

}  // namespace kane
