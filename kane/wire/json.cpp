#include "kane/wire/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "kane/simulate/switching/contact_forces.hpp"

namespace kane::wire {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json rows(ConstMatrixView m) {
  Json list = Json::array();
  for (std::size_t i = 0; i < m.rows; ++i) list.push_back(std::vector<double>(m.row(i), m.row(i) + m.columns));
  return list;
}

Json complex_list(std::span<const std::complex<double>> values) {
  Json list = Json::array();
  for (const auto& s : values) list.push_back({s.real(), s.imag()});
  return list;
}

Json contacts_json(std::span<const ContactForce> contacts) {
  Json all = Json::object();
  for (const ContactForce& c : contacts) {
    Json one{{"state", std::string(to_string(c.state))}, {"normal", c.normal}};
    if (c.is_friction) one["friction"] = std::vector<double>(c.friction.begin(), c.friction.begin() + c.components);
    if (!c.is_friction) one["gap"] = number(c.gap);
    if (c.located) {
      const auto list = [](const Vec3& v) { return Json{v.x, v.y, v.z}; };
      one["bodies"] = {c.first, c.second};
      one["point"] = list(c.point), one["direction"] = list(c.direction), one["force"] = list(c.force());
    }
    all[c.name] = one;
  }
  return all;
}

Json values_by_name(const std::vector<std::string>& names, std::span<const double> values) {
  Json object = Json::object();
  // Names are different: an object need not be searched for each of them.
  std::vector<std::pair<const std::string, Json>>& entries = object.get_ref<Json::object_t&>();
  entries.reserve(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) entries.emplace_back(names[k], values[k]);
  return object;
}

}  // namespace kane::wire
