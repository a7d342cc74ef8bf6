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

}  // namespace kane
