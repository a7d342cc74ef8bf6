// Expressions to values.

#include <algorithm>
#include <cmath>

#include "kane/base/suggest.hpp"
#include "kane/expr/number.hpp"
#include "kane/formats/autolev/matrices.hpp"
#include "kane/formats/autolev/session.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane::autolev {

namespace {

[[noreturn]] void wrong_kind(const Node& node, const char* expected, const Value& value) {
  static constexpr const char* kKinds[] = {"a scalar", "a matrix", "a vector", "a dyadic", "a matrix of vectors"};
  throw ModelError(node.where, fmt::format("expected {}, not {}", expected, kKinds[value.index()]));
}

bool is_single(const ExprMatrix& m) { return m.rows == 1 && m.columns == 1; }

}  // namespace

Value Session::evaluate(const Node& node) {
  switch (node.kind) {
    case NodeKind::Number: {
      if (node.rank == 1) {
        if (find_decimal(node.text).value_or(Rational(1)) == Rational(0)) return Vector();
        throw ModelError(node.where,
                         fmt::format("'{}' is not a vector; the only number that is one is 0>", node.spelled()));
      }
      if (node.rank == 2) {
        const auto number = find_decimal(node.text);
        if (number && *number == Rational(0)) return Dyadic();
        if (!number || !(*number == Rational(1)) || w_.frame_names.empty())
          throw ModelError(node.where, fmt::format("'{}' is not a dyadic; 0>> and 1>> are", node.spelled()));
        const FrameId f = w_.newtonian.valid() ? w_.newtonian : w_.frame_names.begin()->second;
        return Dyadic(f, identity33());
      }
      const auto number = find_decimal(node.text.ends_with('.') ? node.text + "0" : node.text);
      if (!number) throw ModelError(node.where, fmt::format("'{}' is not a number", node.text));
      return graph_->number(*number);
    }
    case NodeKind::Name:
      return node.rank == 0   ? evaluate_name(node)
             : node.rank == 1 ? evaluate_vector_name(node)
                              : evaluate_dyadic_name(node);
    case NodeKind::Call: return call(node);
    case NodeKind::Element: return evaluate_element(node);
    case NodeKind::Negate: {
      Value v = evaluate(node.children[0]);
      if (auto* e = std::get_if<Expr>(&v)) return -*e;
      if (auto* m = std::get_if<ExprMatrix>(&v)) return scaled(std::move(*m), -1);
      if (auto* a = std::get_if<Vector>(&v)) return -*a;
      if (auto* d = std::get_if<Dyadic>(&v)) return *d * Expr(-1);
      VectorMatrix r = std::get<VectorMatrix>(v);
      for (Vector& a : r.entries) a = -a;
      return r;
    }
    case NodeKind::Binary: return evaluate_binary(node);
    case NodeKind::Matrix: return evaluate_matrix(node);
    case NodeKind::Equals: throw ModelError(node.where, "'=' has no place in an expression");
    default: throw ModelError(node.where, fmt::format("'{}' has no place in an expression", node.text));
  }
}

Expr Session::evaluate_scalar(const Node& node) {
  const Value v = evaluate(node);
  if (const auto* e = std::get_if<Expr>(&v)) return *e;
  if (const auto* m = std::get_if<ExprMatrix>(&v); m != nullptr && is_single(*m)) return m->entries.front();
  wrong_kind(node, "a scalar", v);
}

Vector Session::evaluate_vector(const Node& node) {
  const Value v = evaluate(node);
  if (const auto* a = std::get_if<Vector>(&v)) return *a;
  if (const auto* e = std::get_if<Expr>(&v); e != nullptr && e->is_zero()) return {};
  wrong_kind(node, "a vector (its name ends in '>')", v);
}

double Session::evaluate_number(const Node& node) {
  const Expr e = explicitly(evaluate_scalar(node));
  return evaluate_text_number(e, node.where);
}

double Session::evaluate_text_number(const Expr& e, const Where& where) {
  try {
    return kane::evaluate(e, {});
  } catch (const ModelError& error) {
    throw ModelError(where, fmt::format("expected a number: {}", error.message()));
  }
}

int Session::evaluate_whole(const Node& node) {
  const double value = evaluate_number(node);
  if (value != std::floor(value) || std::abs(value) > 1e6)
    throw ModelError(node.where, fmt::format("expected a whole number, not {}", value));
  return static_cast<int>(value);
}

// ---- names ----------------------------------------------------------------------------------------------------------------

Value Session::evaluate_name(const Node& node) {
  const std::string key = node.key();
  if (const Scalar* s = find(key)) return spelled(*s);
  if (const auto m = w_.matrices.find(key); m != w_.matrices.end()) return m->second;
  if (const auto m = w_.vector_matrices.find(key); m != w_.vector_matrices.end()) return m->second;
  if (node.primes > 0) {
    const std::string base = folded(node.text);
    if (const Scalar* s = find(base); s != nullptr && s->role != Role::Constant && s->role != Role::Defined)
      return spelled(need_derivative(*s, node.primes));
    Node stem = node;
    --stem.primes;
    if (find(stem.key()) != nullptr || w_.matrices.contains(base) || base == "U_INDEPENDENT") {
      Value v = evaluate_name(stem);
      if (const auto* e = std::get_if<Expr>(&v)) return time_derivative(*e);
      if (auto* m = std::get_if<ExprMatrix>(&v)) {
        for (Expr& e : m->entries) e = time_derivative(e);
        return *m;
      }
    }
  } else {
    if (key == "PI") return graph_->pi();
    if (const auto named = find_named(key, 0))
      return direction_cosines(FrameId(static_cast<std::size_t>(named->first)),
                               FrameId(static_cast<std::size_t>(named->second)));
    if (key == "U_INDEPENDENT") return column_of(independent_speeds(node.where));
  }
  std::vector<std::string> known = known_names();
  std::string hint = node.text.size() > 1 ? suggestion(node.spelled(), known) : "";
  if (hint.empty() && (find_frame(key) || find_point(key)))
    hint = "; it is a frame or a point, which has no value of its own";
  throw ModelError(node.where, fmt::format("'{}' is not declared{}", node.spelled(), hint));
}

Value Session::evaluate_vector_name(const Node& node) {
  const std::string key = node.key();
  if (node.primes == 0) {
    if (const auto v = w_.vectors.find(key); v != w_.vectors.end()) return v->second;
    // A1>, A2>, A3>
    const std::string stem = folded(node.text);
    if (stem.size() > 1 && stem.back() >= '1' && stem.back() <= '3')
      if (const auto f = find_frame(std::string_view(stem).substr(0, stem.size() - 1)))
        return unit(*f, static_cast<Axis>(stem.back() - '1'));
    if (const auto named = find_named(key, 1)) {
      const auto frame = [](int i) { return FrameId(static_cast<std::size_t>(i)); };
      switch (named->kind) {
        case 'P': return position(named->first, named->second);
        case 'V': return velocity(named->first, frame(named->second));
        case 'A': return acceleration(named->first, frame(named->second));
        case 'W': return angular_velocity(frame(named->first), frame(named->second));
        case 'L': return angular_acceleration(frame(named->first), frame(named->second));
        case 'F': {
          const auto f = w_.forces.find(named->first);
          return f == w_.forces.end() ? Vector() : f->second;
        }
        default: {
          const auto t = w_.torques.find(frame(named->first));
          return t == w_.torques.end() ? Vector() : t->second;
        }
      }
    }
  }
  const std::string part = unknown_part(folded(node.text));
  std::vector<std::string> known;
  for (const auto& [k, v] : w_.vectors) known.push_back(w_.spelling.at(k));
  throw ModelError(node.where, fmt::format("the vector '{}' is not known{}{}", node.spelled(),
                                           part.empty() ? "" : "; " + part, suggestion(node.spelled(), known)));
}

Value Session::evaluate_dyadic_name(const Node& node) {
  const std::string key = node.key();
  if (const auto d = w_.dyadics.find(key); d != w_.dyadics.end()) return d->second;
  if (const auto named = find_named(key, 2)) return inertia_about(named->first, named->second);
  throw ModelError(node.where, fmt::format("the dyadic '{}' is not known", node.spelled()));
}

// ---- matrices -------------------------------------------------------------------------------------------------------------

Value Session::evaluate_element(const Node& node) {
  Node whole = node;
  whole.kind = NodeKind::Name;
  whole.children.clear();
  const Value v = evaluate_name(whole);
  std::vector<int> at;
  for (const Node& n : node.children) at.push_back(evaluate_whole(n));
  const auto fail = [&](int rows, int columns) -> ModelError {
    std::string list;
    for (const int i : at) list += (list.empty() ? "" : ",") + std::to_string(i);
    return {node.where,
            fmt::format("'{}' is a matrix of {} x {} and has no element [{}]", node.spelled(), rows, columns, list)};
  };
  if (const auto* e = std::get_if<Expr>(&v)) {
    // AUTOLEV's one equation may be called ZERO[1] as well.
    if (std::all_of(at.begin(), at.end(), [](int i) { return i == 1; }) && !at.empty()) return *e;
    throw ModelError(node.where, fmt::format("'{}' is a scalar and has no elements", node.spelled()));
  }
  const auto place = [&](int rows, int columns) {
    int i = at.empty() ? 0 : at[0];
    int j = at.size() > 1 ? at[1] : 1;
    if (at.size() == 1 && rows == 1) i = 1, j = at[0];
    if (at.empty() || at.size() > 2 || i < 1 || i > rows || j < 1 || j > columns) throw fail(rows, columns);
    return std::pair{i - 1, j - 1};
  };
  if (const auto* m = std::get_if<ExprMatrix>(&v)) {
    const auto [i, j] = place(m->rows, m->columns);
    if (at.size() == 1 && !is_line(*m)) {
      const int row = i + 1;
      return rows_of(*m, std::span(&row, 1));
    }
    return (*m)(i, j);
  }
  if (const auto* m = std::get_if<VectorMatrix>(&v)) {
    const auto [i, j] = place(m->rows, m->columns);
    return m->entries[static_cast<std::size_t>(i * m->columns + j)];
  }
  throw ModelError(node.where, fmt::format("'{}' has no elements", node.spelled()));
}

/// Rows of blocks: scalars, matrices that fit together, or vectors.
Value Session::evaluate_matrix(const Node& node) {
  ExprMatrix all(0, 0);
  VectorMatrix vectors;
  bool any_vector = false;
  bool any_scalar = false;
  for (const Node& row : node.children) {
    ExprMatrix line(0, 0);
    std::vector<Vector> vector_line;
    for (const Node& item : row.children) {
      const Value v = evaluate(item);
      ExprMatrix block(1, 1);
      if (const auto* e = std::get_if<Expr>(&v)) {
        block.entries[0] = *e, any_scalar = true;
      } else if (const auto* m = std::get_if<ExprMatrix>(&v)) {
        block = *m, any_scalar = true;
      } else if (const auto* a = std::get_if<Vector>(&v)) {
        vector_line.push_back(*a), any_vector = true;
        continue;
      } else {
        wrong_kind(item, "a scalar, a matrix or a vector", v);
      }
      if (line.columns == 0) {
        line = block;
        continue;
      }
      if (block.rows != line.rows)
        throw ModelError(item.where, fmt::format("a block of {} rows stands beside one of {}", block.rows, line.rows));
      ExprMatrix wider(line.rows, line.columns + block.columns);
      for (int i = 0; i < line.rows; ++i) {
        for (int j = 0; j < line.columns; ++j) wider(i, j) = line(i, j);
        for (int j = 0; j < block.columns; ++j) wider(i, line.columns + j) = block(i, j);
      }
      line = std::move(wider);
    }
    if (any_vector && any_scalar) throw ModelError(row.where, "scalars and vectors stand in one matrix");
    if (any_vector) {
      if (vectors.rows > 0 && static_cast<std::size_t>(vectors.columns) != vector_line.size())
        throw ModelError(row.where, "the rows of the matrix differ in length");
      vectors.columns = static_cast<int>(vector_line.size());
      ++vectors.rows;
      vectors.entries.insert(vectors.entries.end(), vector_line.begin(), vector_line.end());
      continue;
    }
    if (all.rows > 0 && all.columns != line.columns)
      throw ModelError(row.where,
                       fmt::format("the rows of the matrix differ in length: {} and {}", all.columns, line.columns));
    if ((all.entries.size() + line.entries.size()) > options_.limits.max_elements)
      throw LimitError(row.where, fmt::format("the matrix has more than {} elements", options_.limits.max_elements));
    all.columns = line.columns;
    all.rows += line.rows;
    all.entries.insert(all.entries.end(), line.entries.begin(), line.entries.end());
  }
  if (any_vector) return vectors;
  return all;
}

// ---- operators ------------------------------------------------------------------------------------------------------------

namespace {

Vector scaled_vector(const Vector& v, const Expr& s) { return v * s; }

/// a b, in the frame of the first.
Dyadic dyadic_product(const Frames& frames, const Vector& a, const Vector& b) {
  Dyadic sum;
  for (const auto& term : a.terms()) {
    const Expr3 c = frames.express(b, term.frame);
    Expr33 d;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) d[i][j] = term.c[i] * c[j];
    sum += Dyadic(term.frame, d);
  }
  return sum;
}

VectorMatrix scaled_vectors(VectorMatrix m, const Expr& s) {
  for (Vector& v : m.entries) v *= s;
  return m;
}

}  // namespace

Value Session::evaluate_binary(const Node& node) {
  const Value left = evaluate(node.children[0]);
  const Value right = evaluate(node.children[1]);
  const char op = node.text[0];
  const auto* a = std::get_if<Expr>(&left);
  const auto* b = std::get_if<Expr>(&right);
  const auto* am = std::get_if<ExprMatrix>(&left);
  const auto* bm = std::get_if<ExprMatrix>(&right);
  const auto* av = std::get_if<Vector>(&left);
  const auto* bv = std::get_if<Vector>(&right);
  const auto* ad = std::get_if<Dyadic>(&left);
  const auto* bd = std::get_if<Dyadic>(&right);
  const auto* avm = std::get_if<VectorMatrix>(&left);
  const auto* bvm = std::get_if<VectorMatrix>(&right);
  try {
    switch (op) {
      case '+':
      case '-': {
        const int sign = op == '+' ? 1 : -1;
        if (a && b) return sign > 0 ? *a + *b : *a - *b;
        if (av && bv) return sign > 0 ? *av + *bv : *av - *bv;
        if (ad && bd) return sign > 0 ? *ad + *bd : *ad + *bd * Expr(-1);
        if (am && bm) return add(*am, *bm, sign);
        if (am && b && is_single(*am)) return am->entries[0] + *b * Expr(sign);
        if (bm && a && is_single(*bm)) return *a + bm->entries[0] * Expr(sign);
        if (am && b && b->is_zero()) return *am;
        if (bm && a && a->is_zero()) return scaled(*bm, sign);
        if (av && b && b->is_zero()) return *av;
        if (bv && a && a->is_zero()) return *bv * Expr(sign);
        if (avm && bvm && avm->rows == bvm->rows && avm->columns == bvm->columns) {
          VectorMatrix r = *avm;
          for (std::size_t i = 0; i < r.entries.size(); ++i) r.entries[i] += bvm->entries[i] * Expr(sign);
          return r;
        }
        break;
      }
      case '*':
        if (a && b) return *a * *b;
        if (a && bm) return scaled(*bm, *a);
        if (am && b) return scaled(*am, *b);
        if (am && bm) {
          if (is_single(*am)) return scaled(*bm, am->entries[0]);
          if (is_single(*bm)) return scaled(*am, bm->entries[0]);
          ExprMatrix product = multiply(*am, *bm);
          if (is_single(product)) return product.entries[0];
          return product;
        }
        if (a && bv) return scaled_vector(*bv, *a);
        if (av && b) return scaled_vector(*av, *b);
        if (av && bv) return dyadic_product(frames(), *av, *bv);
        if (a && bd) return *bd * *a;
        if (ad && b) return *ad * *b;
        if (a && bvm) return scaled_vectors(*bvm, *a);
        if (avm && b) return scaled_vectors(*avm, *b);
        break;
      case '/': {
        Expr divisor;
        if (b)
          divisor = *b;
        else if (bm && is_single(*bm))
          divisor = bm->entries[0];
        else
          break;
        if (divisor.is_zero()) throw ModelError(node.where, "division by what is identically zero");
        if (a) return *a / divisor;
        if (am) return scaled(*am, 1 / divisor);
        if (av) return *av / divisor;
        if (ad) return *ad * (1 / divisor);
        if (avm) return scaled_vectors(*avm, 1 / divisor);
        break;
      }
      default:
        if (a && b) {
          if (a->is_zero() && b->is_number() && b->number() < Rational(0))
            throw ModelError(node.where, "a negative power of what is identically zero");
          return pow(*a, *b);
        }
        if (am && b && b->is_number() && am->rows == am->columns) {
          const int n = evaluate_whole(node.children[1]);
          if (n == -1) return inverted(*am);
          if (n >= 1 && n <= 64) {
            ExprMatrix r = *am;
            for (int i = 1; i < n; ++i) r = multiply(r, *am);
            return r;
          }
        }
        break;
    }
  } catch (const LimitError&) {
    throw;
  } catch (const ModelError& error) {
    if (error.where().line != 0) throw;
    throw ModelError(node.where, error.message());
  }
  static constexpr const char* kKinds[] = {"a scalar", "a matrix", "a vector", "a dyadic", "a matrix of vectors"};
  throw ModelError(node.where, fmt::format("'{}' does not go between {} and {}", node.text, kKinds[left.index()],
                                           kKinds[right.index()]));
}

// ---- symbols as arguments -------------------------------------------------------------------------------------------------

Expr Session::symbol_named(const Node& node, bool declare) {
  if (!node.is_name() || node.rank != 0)
    throw ModelError(node.where, fmt::format("expected the name of a scalar, not '{}'", node.text));
  if (declare && find(node.key()) == nullptr && node.primes == 0 && !w_.matrices.contains(node.key()))
    return add_scalar(node.text, 0, Role::Defined, 0).symbol;
  return named_scalar(node).symbol;
}

std::vector<Expr> Session::symbols_named(std::span<const Node> nodes, bool declare) {
  std::vector<Expr> list;
  for (const Node& n : nodes) {
    if (n.kind == NodeKind::Matrix) {
      for (const Node& row : n.children) {
        const auto inner = symbols_named(row.children, declare);
        list.insert(list.end(), inner.begin(), inner.end());
      }
      continue;
    }
    // A matrix of names, such as X = [q1;q2], u_independent' or TRANSPOSE(X).
    const bool call = n.kind == NodeKind::Call;
    if (call || (n.is_name() && n.rank == 0 && find(n.key()) == nullptr)) {
      Node base = n;
      base.primes = 0;
      if (call || w_.matrices.contains(base.key()) || base.key() == "U_INDEPENDENT" || w_.matrices.contains(n.key())) {
        const Value v = evaluate(n);
        if (const auto* m = std::get_if<ExprMatrix>(&v)) {
          for (const Expr& e : m->entries) {
            if (!e.is_symbol())
              throw ModelError(n.where,
                               fmt::format("'{}' has an element that is no name: {}", n.spelled(), text_of(e, 60)));
            list.push_back(e);
          }
          continue;
        }
      }
    }
    list.push_back(symbol_named(n, declare));
  }
  return list;
}

}  // namespace kane::autolev
