#include "kane/formats/mjcf/mjcf_contacts.hpp"

#include <algorithm>
#include <map>

#include "kane/base/suggest.hpp"

namespace kane {

namespace {

using Owners = std::pair<std::size_t, std::size_t>;

Owners in_order(std::size_t a, std::size_t b) { return {std::min(a, b), std::max(a, b)}; }

/// Sliding, spinning and rolling friction as the number of dimensions has it.
struct Friction {
  double sliding = 0, spinning = 0, rolling = 0;
  int priority = 0;

  void widen(const Friction& f) {
    sliding = std::max(sliding, f.sliding), spinning = std::max(spinning, f.spinning);
    rolling = std::max(rolling, f.rolling);
  }
  [[nodiscard]] bool differs(const Friction& f) const {
    return sliding != f.sliding || spinning != f.spinning || rolling != f.rolling;
  }
};

Friction friction_of(const std::array<double, 3>& f, double dimensions) {
  return {dimensions >= 3 ? f[0] : 0, dimensions >= 4 ? f[1] : 0, dimensions >= 6 ? f[2] : 0};
}

std::array<double, 3> friction_numbers(const MjcfElement& geom) {
  std::array<double, 3> f{1, 0.005, 0.0001};
  if (const auto given = geom.numbers("friction", 1, 3)) std::copy(given->begin(), given->end(), f.begin());
  return f;
}

/// The geom of higher priority decides; of equal ones the larger numbers.
Friction pair_friction(const MjcfElement& a, const MjcfElement& b) {
  const double pa = a.number("priority", 0), pb = b.number("priority", 0);
  if (pa != pb) {
    const MjcfElement& chosen = pa > pb ? a : b;
    return friction_of(friction_numbers(chosen), chosen.number("condim", 3));
  }
  std::array<double, 3> f = friction_numbers(a);
  const std::array<double, 3> g = friction_numbers(b);
  for (std::size_t i = 0; i < 3; ++i) f[i] = std::max(f[i], g[i]);
  return friction_of(f, std::max(a.number("condim", 3), b.number("condim", 3)));
}

bool may_touch(const MjcfElement& a, const MjcfElement& b) {
  const auto bits = [](const MjcfElement& e, const char* name) { return static_cast<long>(e.number(name, 1)); };
  return (bits(a, "contype") & bits(b, "conaffinity")) != 0 || (bits(b, "contype") & bits(a, "conaffinity")) != 0;
}

const MjcfTouching& find_geom(const std::vector<MjcfTouching>& shapes, const MjcfElement& pair, const char* attribute) {
  const std::string name = pair.text(attribute);
  std::vector<std::string> known;
  for (const MjcfTouching& s : shapes) {
    if (s.geom->text("name") == name && !name.empty()) return s;
    known.push_back(s.geom->text("name"));
  }
  pair.fail(fmt::format("there is no geom '{}' with a shape that can touch others{}", name, suggestion(name, known)));
}

}  // namespace

std::vector<MjcfContact> find_mjcf_contacts(const std::vector<MjcfTouching>& shapes,
                                            const std::vector<MjcfElement>& pairs,
                                            const std::vector<std::pair<std::size_t, std::size_t>>& excluded,
                                            std::size_t most, MjcfRefusals& refusals) {
  struct Found {
    Friction friction;
    bool mixed = false;
    Where where;
    std::string name;
  };
  std::map<Owners, Found> found;
  const auto add = [&](const Owners& owners, const Friction& friction, const MjcfElement& from) -> Found& {
    const auto [at, first] = found.try_emplace(owners, Found{friction, false, from.where, ""});
    if (first && found.size() > most)
      throw LimitError(from.where,
                       fmt::format("more than {} pairs of bodies may touch; exclude some, or read the model "
                                   "without its contacts",
                                   most));
    at->second.mixed = at->second.mixed || at->second.friction.differs(friction);
    at->second.friction.widen(friction);
    return at->second;
  };
  std::map<Owners, bool> apart;  // pairs of bodies with shapes that pass through each other
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (std::size_t j = i + 1; j < shapes.size(); ++j) {
      const MjcfTouching &a = shapes[i], &b = shapes[j];
      if (a.owner == b.owner) continue;
      const bool neighbours = (a.owner != 0 && b.parent == a.owner) || (b.owner != 0 && a.parent == b.owner);
      const Owners owners = in_order(a.owner, b.owner);
      if (neighbours || std::find(excluded.begin(), excluded.end(), owners) != excluded.end()) continue;
      if (may_touch(*a.geom, *b.geom))
        (void)add(owners, pair_friction(*a.geom, *b.geom), *b.geom);
      else
        apart[owners] = true;
    }
  for (const MjcfElement& pair : pairs) {
    const MjcfTouching& a = find_geom(shapes, pair, "geom1");
    const MjcfTouching& b = find_geom(shapes, pair, "geom2");
    if (a.owner == b.owner) pair.fail("both geoms of the pair are on one body");
    std::array<double, 3> f{1, 0.005, 0.0001};
    if (const auto given = pair.numbers("friction", 1, 5)) {
      f[0] = (*given)[0];
      if (given->size() > 2) f[1] = (*given)[2];
      if (given->size() > 3) f[2] = (*given)[3];
    }
    Found& one = add(in_order(a.owner, b.owner), friction_of(f, pair.number("condim", 3)), pair);
    if (one.name.empty()) one.name = pair.text("name");
  }
  std::vector<MjcfContact> list;
  std::size_t mixed = 0, partly = 0;
  for (const auto& [owners, f] : found) {
    list.push_back(
        {f.name, owners.first, owners.second, f.friction.sliding, f.friction.spinning, f.friction.rolling, f.where});
    mixed += f.mixed ? 1U : 0U;
    partly += apart.contains(owners) ? 1U : 0U;
  }
  if (mixed > 0)
    refusals.note(fmt::format("{} pair{} of bodies touch with several coefficients of friction; the largest counts",
                              mixed, mixed == 1 ? "" : "s"));
  if (partly > 0)
    refusals.note(
        fmt::format("{} pair{} of bodies touch with some of their shapes in the file and with all of them here", partly,
                    partly == 1 ? "" : "s"));
  return list;
}

}  // namespace kane
