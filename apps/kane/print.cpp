#include "apps/kane/print.hpp"

#include <fmt/format.h>

namespace kane {

void print_labelled(const std::string& title, ConstMatrixView m, const std::vector<std::string>& rows,
                    const std::vector<std::string>& columns) {
  if (m.rows == 0 || m.columns == 0) return;
  fmt::print("\n{}\n", title);
  if (!columns.empty()) {
    fmt::print("  {:<12}", "");
    for (const auto& name : columns) fmt::print(" {:>13}", name);
    fmt::print("\n");
  }
  for (std::size_t i = 0; i < m.rows; ++i) {
    fmt::print("  {:<12}", rows[i]);
    for (std::size_t j = 0; j < m.columns; ++j) fmt::print(" {:>13.6g}", m(i, j));
    fmt::print("\n");
  }
}

void print_contacts(std::span<const ContactForce> contacts) {
  fmt::print("  {:<20} {:<7} {:>14} {:>14} {:>14}\n", "contact, friction", "state", "normal", "friction", "");
  for (const ContactForce& c : contacts) {
    fmt::print("  {:<20} {:<7} {:>14.7g}", c.name, to_string(c.state), c.normal);
    for (std::size_t k = 0; k < c.components; ++k) fmt::print(" {:>14.7g}", c.friction[k]);
    fmt::print("\n");
  }
}

}  // namespace kane
