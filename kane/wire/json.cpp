#include "kane/wire/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

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

Json values_by_name(const std::vector<std::string>& names, std::span<const double> values) {
  Json object = Json::object();
  for (std::size_t k = 0; k < names.size(); ++k) object[names[k]] = values[k];
  return object;
}

}  // namespace kane::wire
