#include "kane/mechanism/beam_elements.hpp"

#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/number.hpp"
#include "kane/mechanism/beam_shapes.hpp"

namespace kane {
namespace {

/// Which ends keep their deflection and their slope.
struct FreeEnds {
  bool first_value, first_slope, last_value, last_slope;
};

bool bends(BeamMotion motion) { return motion == BeamMotion::BendY || motion == BeamMotion::BendZ; }

FreeEnds free_ends(BeamShapes shapes, BeamMotion motion) {
  ensure(shapes != BeamShapes::Free && shapes != BeamShapes::Given, "elements have no shapes of this kind");
  const bool held = shapes == BeamShapes::Clamped || shapes == BeamShapes::ClampedPinned;
  const bool pinned = shapes == BeamShapes::Pinned;
  if (bends(motion)) return {false, pinned, !held && !pinned, shapes != BeamShapes::Clamped};
  const bool shear = motion == BeamMotion::ShearY || motion == BeamMotion::ShearZ;
  return {false, false, !held && !(shear && pinned), false};
}

/// One element: t from -1 to 1 and x' = (1 + t)/2 from 0 to 1.
struct Element {
  Expr t, place;
  double size;
};

Element element_of(Graph& graph, double from, double to) {
  const Expr width = graph.number(rational_from_double(to) - rational_from_double(from));
  const Expr place = (beam_place(graph) - graph.number(rational_from_double(from))) / width;
  return {2 * place - 1, place, to - from};
}

/// P_0 to P_n.
std::vector<Expr> legendre_polynomials(Graph& graph, const Expr& t, int n) {
  std::vector<Expr> p{graph.number(1), t};
  for (int k = 1; k < n; ++k)
    p.push_back((graph.number(2 * k + 1, k + 1) * t * p[at(k)]) - graph.number(k, k + 1) * p[at(k - 1)]);
  return p;
}

/// sum_i c_i P_(n_i), divided by the root of its mean square.
Expr normalised(Graph& graph, const std::vector<Expr>& P, std::initializer_list<std::pair<int, double>> terms) {
  double square = 0;
  for (const auto& [n, c] : terms) square += c * c / (2 * n + 1);
  Expr sum;
  for (const auto& [n, c] : terms) sum += graph.number(rational_from_double(c / std::sqrt(square))) * P[at(n)];
  return sum;
}

std::vector<Expr> inner_shapes(Graph& graph, const Element& e, bool bending, int count) {
  const std::vector<Expr> P = legendre_polynomials(graph, e.t, count + 3);
  std::vector<Expr> all;
  for (int i = 0; i < count; ++i) {
    const int k = i + (bending ? 2 : 1);
    const double a = 2 * k - 1, b = 2 * k + 1, c = 2 * k + 3;
    all.push_back(bending ? normalised(graph, P, {{k + 2, 1 / (b * c)}, {k, -2 / (a * c)}, {k - 2, 1 / (a * b)}})
                          : normalised(graph, P, {{k + 1, 1 / b}, {k - 1, -1 / b}}));
  }
  return all;
}

}  // namespace

int count_element_shapes(BeamShapes shapes, BeamMotion motion, int elements, int inner) {
  const FreeEnds ends = free_ends(shapes, motion);
  return elements * inner + (elements - 1) * (bends(motion) ? 2 : 1) + ends.first_value + ends.first_slope +
         ends.last_value + ends.last_slope;
}

std::vector<BeamPieces> beam_element_shapes(Graph& graph, BeamShapes shapes, BeamMotion motion,
                                            const std::vector<double>& ends, int inner) {
  const std::size_t n = ends.size() - 1;
  const FreeEnds keeps = free_ends(shapes, motion);
  const bool bending = bends(motion);
  std::vector<Element> elements;
  for (std::size_t e = 0; e < n; ++e) elements.push_back(element_of(graph, ends[e], ends[e + 1]));
  std::vector<BeamPieces> all;
  const auto add = [&](std::size_t node, auto&& left, auto&& right) {
    BeamPieces pieces(n, graph.number(0));
    if (node > 0) pieces[node - 1] = left(elements[node - 1]);
    if (node < n) pieces[node] = right(elements[node]);
    all.push_back(std::move(pieces));
  };
  for (std::size_t node = 0; node <= n; ++node) {
    if (node == 0 ? keeps.first_value : node == n ? keeps.last_value : true) {
      if (bending)
        add(
            node, [](const Element& e) { return pow(e.place, 2) * (3 - 2 * e.place); },
            [](const Element& e) { return pow(1 - e.place, 2) * (1 + 2 * e.place); });
      else
        add(
            node, [](const Element& e) { return e.place; }, [](const Element& e) { return 1 - e.place; });
    }
    if (bending && (node == 0 ? keeps.first_slope : node == n ? keeps.last_slope : true))
      add(
          node,
          [&](const Element& e) {
            return graph.number(rational_from_double(e.size)) * pow(e.place, 2) * (e.place - 1);
          },
          [&](const Element& e) { return graph.number(rational_from_double(e.size)) * e.place * pow(1 - e.place, 2); });
  }
  for (std::size_t e = 0; e < n; ++e) {
    for (const Expr& shape : inner_shapes(graph, elements[e], bending, inner)) {
      all.emplace_back(n, graph.number(0));
      all.back()[e] = shape;
    }
  }
  return all;
}

Expr join_pieces(Graph& graph, const BeamPieces& pieces, const std::vector<double>& ends) {
  Expr joined = pieces.back();
  for (std::size_t e = pieces.size() - 1; e-- > 0;) {
    if (pieces[e] == joined) continue;
    joined = select(less(beam_place(graph), graph.number(rational_from_double(ends[e + 1]))), pieces[e], joined);
  }
  return joined;
}

}  // namespace kane
