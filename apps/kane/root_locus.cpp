#include "apps/kane/root_locus.hpp"

#include <fmt/format.h>

#include <cmath>

#include "apps/kane/local_analysis.hpp"
#include "apps/kane/trajectory_file.hpp"

namespace kane {

void write_root_locus(const std::string& file, const RootLocus& locus) {
  std::vector<std::string> names{locus.name};
  const std::size_t branches = locus.eigenvalues.empty() ? 0 : locus.eigenvalues.front().size();
  for (std::size_t k = 0; k < branches; ++k)
    names.push_back(fmt::format("re{}", k + 1)), names.push_back(fmt::format("im{}", k + 1));
  TrajectoryFile table(file, names);
  std::vector<double> row;
  for (std::size_t i = 0; i < locus.values.size(); ++i) {
    row.assign(1, locus.values[i]);
    for (const auto& s : locus.eigenvalues[i]) row.push_back(s.real()), row.push_back(s.imag());
    table.write(row);
  }
  table.finish();
}

void print_root_locus(const RootLocus& locus, const Model& model) {
  const auto& [summary, name, values, eigenvalues, modes, failure] = locus;
  print_remarks(model, summary);
  if (values.empty()) return;
  fmt::print("{}: eigenvalues over {}\n", summary.model, name);
  print_loop(summary.loop);
  fmt::print("\n  {:>10}", name);
  for (std::size_t k = 0; k < eigenvalues.front().size(); ++k) fmt::print(" {:>25}", fmt::format("branch {}", k + 1));
  fmt::print("  growing\n");
  for (std::size_t i = 0; i < values.size(); ++i) {
    fmt::print("  {:>10.6g}", values[i]);
    for (const auto& s : eigenvalues[i]) {
      const bool real = std::abs(s.imag()) <= modes[i].tolerance;
      const double re = std::abs(s.real()) <= modes[i].tolerance ? 0.0 : s.real();
      fmt::print(" {:>25}", real ? fmt::format("{:.8f}", re) : fmt::format("{:.8f}{:+.8f}i", re, s.imag()));
    }
    fmt::print("  {:>7}\n", modes[i].growing);
  }
  for (std::size_t i = 1; i < values.size(); ++i)
    if ((modes[i].growing > 0) != (modes[i - 1].growing > 0))
      fmt::print("  becomes {} between {} = {:.6g} and {:.6g}\n", modes[i].growing > 0 ? "unstable" : "stable", name,
                 values[i - 1], values[i]);
}

}  // namespace kane
