// Assignments, and statements that are an expression.

#include <algorithm>
#include <array>

#include "kane/base/suggest.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/autolev/commands.hpp"
#include "kane/formats/autolev/matrices.hpp"
#include "kane/formats/autolev/session.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "kane/mechanics/rank.hpp"

namespace kane::autolev {

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

void Session::assign_scalar(const Node& to, const Value& given) {
  const std::string key = to.key();
  Value value = given;
  if (!w_.imaginary.empty()) {
    if (auto* e = std::get_if<Expr>(&value)) *e = rectangular_form(*e);
    if (auto* m = std::get_if<ExprMatrix>(&value))
      for (Expr& e : m->entries) e = rectangular_form(e);
  }
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

}  // namespace kane::autolev
