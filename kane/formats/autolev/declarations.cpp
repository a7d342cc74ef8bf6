// Declarations, masses and inertias.

#include <algorithm>

#include "kane/formats/autolev/session.hpp"

namespace kane::autolev {

void Session::declare(const std::string& word, Reader& in) {
  bool dynamic = false;
  if (word.starts_with("MOTIONVARIABLE")) dynamic = in.accept('\'');
  int sign = 0;
  if (word.starts_with("CONSTANT")) sign = in.accept('+') ? 1 : in.accept('-') ? -1 : 0;
  if (in.done()) {
    // Left over from the form that scripts are written from.
    note(fmt::format("{} names nothing", word));
    return;
  }
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
        if (sign != 0) scalar(folded(n.text)).sign = sign;
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
    if (role == Role::Imaginary && std::find(w_.imaginary.begin(), w_.imaginary.end(), s.symbol) == w_.imaginary.end())
      w_.imaginary.push_back(s.symbol);
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
    const Where place = in.where();
    const std::string unit = read_unit(in);
    Node to = name;
    if (role == Role::Specified) to.primes = 0;
    Value result = evaluate(value);
    if (!unit.empty()) {
      if (const auto* e = std::get_if<Expr>(&result)) result = in_own_units(*e, unit, place);
      base.unit = unit;
    }
    assign_scalar(to, result);
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
      const Expr stated = evaluate_scalar(in.expression());
      const Where place = in.where();
      const std::string unit = read_unit(in);
      Scalar& s = scalar(value.key());
      define(s, in_own_units(stated, unit, place), Origin::Assigned);
      if (!unit.empty()) s.unit = unit;
    }
    w_.bodies[static_cast<std::size_t>(k)].mass = graph_->bind(mass);
    for (const auto& [body, g] : w_.waiting_gravity)
      if (body == k) w_.forces[w_.bodies[static_cast<std::size_t>(k)].centre] += g * mass;
    std::erase_if(w_.waiting_gravity, [&](const auto& waiting) { return waiting.first == k; });
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
      if (item.kind == NodeKind::Equals) {
        const Expr stated = evaluate_scalar(item.children[1]);
        const Where place = in.where();
        define(named_scalar(value), in_own_units(stated, read_unit(in), place), Origin::Assigned);
      }
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

}  // namespace kane::autolev
