#pragma once
// Tables for people, shared by the commands.

#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "kane/simulate/switching/contact_forces.hpp"
#include "kane/solve/matrix.hpp"

namespace kane {

/// A number for a table: zero if it is only a rounding error compared with numbers of this size.
[[nodiscard]] inline double shown(double x, double size) { return std::abs(x) <= 1e-13 * size ? 0.0 : x; }

/// The number with this many digits; never "-0".
[[nodiscard]] std::string number_text(double x, int digits = 7);

/// Rows of cells in columns that are as wide as their longest cell: the first aligned to the left, the others to the right.
class TextTable {
 public:
  /// `first`, `others`: least widths of the first column and of the others.
  explicit TextTable(std::vector<std::string> heads, std::size_t first = 14, std::size_t others = 14)
      : heads_(std::move(heads)), first_(first), others_(others) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void add(const std::string& label, const std::vector<double>& numbers, int digits = 7);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  void print(std::FILE* to = stdout) const;

 private:
  std::vector<std::string> heads_;
  std::vector<std::vector<std::string>> rows_;
  std::size_t first_, others_;
};

/// The longest of the names, at least `least`.
[[nodiscard]] std::size_t longest(const std::vector<std::string>& names, std::size_t least);

/// Every sentence once, each on a separate line.
void print_warnings(std::FILE* to, const std::vector<std::string>& warnings, const char* before = "");

/// A matrix with a label for each row (and each column, if any).
void print_labelled(const std::string& title, ConstMatrixView m, const std::vector<std::string>& rows,
                    const std::vector<std::string>& columns = {});

/// Contacts and frictions with their states and forces.
void print_contacts(std::span<const ContactForce> contacts);

}  // namespace kane
