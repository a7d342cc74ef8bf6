#include "apps/kane/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kane/base/line_break.hpp"

namespace kane {

std::string number_text(double x, int digits) {
  std::string text = fmt::format("{:.{}g}", x, digits);
  return text == "-0" ? "0" : text;
}

void TextTable::add(const std::string& label, const std::vector<double>& numbers, int digits) {
  std::vector<std::string> cells{label};
  for (const double x : numbers) cells.push_back(std::isnan(x) ? "-" : number_text(x, digits));
  add(std::move(cells));
}

void TextTable::print(std::FILE* to) const {
  std::vector<std::size_t> widths;
  const auto see = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i >= widths.size()) widths.push_back(i == 0 ? first_ : others_);
      widths[i] = std::max(widths[i], text_width(cells[i]));
    }
  };
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = " ";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string blanks(widths[i] - text_width(cells[i]), ' ');
      text += " " + (i == 0 ? cells[i] + blanks : blanks + cells[i]);
    }
    while (text.ends_with(' ')) text.pop_back();
    fmt::print(to, "{}\n", text);
  };
  see(heads_);
  for (const auto& row : rows_) see(row);
  if (!heads_.empty()) line(heads_);
  for (const auto& row : rows_) line(row);
}

std::size_t longest(const std::vector<std::string>& names, std::size_t least) {
  for (const auto& name : names) least = std::max(least, text_width(name));
  return least;
}

void print_warnings(std::FILE* to, const std::vector<std::string>& warnings, const char* before) {
  std::set<std::string> told;
  for (const auto& warning : warnings)
    if (told.insert(warning).second) fmt::print(to, "{}warning: {}\n", before, warning);
}

void print_labelled(const std::string& title, ConstMatrixView m, const std::vector<std::string>& rows,
                    const std::vector<std::string>& columns) {
  if (m.rows == 0 || m.columns == 0) return;
  fmt::print("\n{}\n", title);
  std::vector<std::string> heads;
  if (!columns.empty()) {
    heads = {""};
    heads.insert(heads.end(), columns.begin(), columns.end());
  }
  TextTable table(std::move(heads), 12, 13);
  for (std::size_t i = 0; i < m.rows; ++i) {
    const auto row = m.row_span(i);
    table.add(rows[i], std::vector<double>(row.begin(), row.end()), 6);
  }
  table.print();
}

void print_contacts(std::span<const ContactForce> contacts) {
  std::size_t name = 20;
  for (const ContactForce& c : contacts) name = std::max(name, text_width(c.name));
  fmt::print("  {:<{}} {:<7} {:>14} {:>14} {:>14}\n", "contact, friction", name, "state", "normal", "friction", "");
  for (const ContactForce& c : contacts) {
    fmt::print("  {:<{}} {:<7} {:>14}", c.name, name, to_string(c.state), number_text(c.normal));
    for (std::size_t k = 0; k < c.components; ++k) fmt::print(" {:>14}", number_text(c.friction[k]));
    fmt::print("\n");
  }
}

}  // namespace kane
