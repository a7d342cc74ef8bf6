#include "kane/formats/mjcf/mjcf_tendons.hpp"

#include "kane/formats/yaml/yaml_tree.hpp"

namespace kane {

std::optional<MjcfPath> find_mjcf_path(const MjcfElement& tendon,
                                       const std::function<MjcfPathSite(const MjcfElement&)>& site_of,
                                       MjcfRefusals& refusals) {
  MjcfPath path;
  double fixed = 0, share = 1;
  std::optional<MjcfPathSite> before;
  for (const MjcfElement& e : tendon.children) {
    if (e.name == "geom") {
      refusals.refuse(e,
                      fmt::format("{} wraps around the geom '{}', which is not supported; only sites and pulleys are",
                                  tendon.describe(), shown(e.text("geom"))));
      return {};
    }
    if (e.name == "pulley") {
      const double divisor = e.number("divisor", 1);
      if (divisor <= 0) e.fail("the divisor of a pulley is positive");
      share = 1 / divisor, before.reset();
      continue;
    }
    const MjcfPathSite site = site_of(e);
    if (before) {
      const double now = norm(site.world - before->world);
      path.reference += share * now;
      if (site.owner == before->owner) {
        fixed += share * now;
      } else {
        const bool backwards = site.owner == 0;
        const std::string &from = backwards ? site.point : before->point, &to = backwards ? before->point : site.point;
        path.stretches.push_back({from, to, share});
        const std::string weight = share == 1 ? "" : number_text(share) + "*";
        const std::string plus = path.text.empty() ? "" : " + ";
        path.text += fmt::format("{}{}distance({}, {})", plus, weight, to, from);
        path.rate +=
            fmt::format("{0}{1}dot(velocity({2}) - velocity({3}), unit(position({2}, {3})))", plus, weight, to, from);
      }
    }
    before = site;
  }
  if (path.stretches.empty()) {
    refusals.note(tendon, fmt::format("{} has a constant length and does nothing", tendon.describe()));
    return {};
  }
  if (fixed != 0) path.text += fmt::format(" + {}", number_text(fixed));
  return path;
}

std::string polynomial_text(const std::vector<double>& a, const std::string& x) {
  std::string text;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] == 0) continue;
    if (!text.empty()) text += " + ";
    text += k == 0   ? number_text(a[k])
            : k == 1 ? fmt::format("{}*{}", number_text(a[k]), x)
                     : fmt::format("{}*{}^{}", number_text(a[k]), x, k);
  }
  return text.empty() ? "0" : text;
}

std::string from_reference(const std::string& x, double reference) {
  return reference == 0 ? x : fmt::format("({} - {})", x, number_text(reference));
}

}  // namespace kane
