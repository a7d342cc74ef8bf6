#include "kane/mechanics/magnitudes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "kane/base/at.hpp"
#include "kane/expr/evaluate_in.hpp"

namespace kane {
namespace {

constexpr int kPlaces = 4;
/// Entries are of order one after scaling; this many units of rounding are noise.
constexpr double kNegligible = 1e-11;

/// The same place for every matrix written with the same symbols: what is derived does not depend on chance.
std::vector<double> values_at(std::span<const Expr> entries, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> anywhere(0.4, 1.6);
  std::map<std::string, double, std::less<>> known;
  const auto symbol = [&](const std::string& name) {
    const auto found = known.find(name);
    return found != known.end() ? found->second : known.emplace(name, anywhere(random)).first->second;
  };
  const auto number = [](const Rational& r) { return to_double(r); };
  const auto call = [&](const std::string&, std::span<const double>) { return anywhere(random); };
  return evaluate_in<double>(entries, symbol, number, call);
}

}  // namespace

Magnitudes::Magnitudes(const ExprMatrix& a)
    : rows_(a.rows), columns_(a.columns), row_left_(at(a.rows), true), column_left_(at(a.columns), true) {
  for (int i = 0; i < kPlaces; ++i) {
    Place p;
    p.values = values_at(a.entries, static_cast<unsigned>(i) + 1);
    // A root or logarithm that does not exist there: nothing is learned at this place.
    if (!std::all_of(p.values.begin(), p.values.end(), [](double v) { return std::isfinite(v); })) continue;
    scale(p);
    find_largest(p);
    places_.push_back(std::move(p));
  }
}

// Ruiz (2001): rows and columns are divided by the roots of their largest entries, again and again; keeps symmetry.
void Magnitudes::scale(Place& p) const {
  for (int sweep = 0; sweep < 6; ++sweep) {
    find_largest(p);
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c < columns_; ++c) {
        const double size = p.row[at(r)] * p.column[at(c)];
        if (size > 0) p.values[place(r, c)] /= std::sqrt(size);
      }
    }
  }
}

void Magnitudes::find_largest(Place& p) const {
  p.row.assign(at(rows_), 0);
  p.column.assign(at(columns_), 0);
  for (int r = 0; r < rows_; ++r) {
    if (!row_left_[at(r)]) continue;
    for (int c = 0; c < columns_; ++c) {
      if (!column_left_[at(c)]) continue;
      const double size = std::abs(p.values[place(r, c)]);
      p.row[at(r)] = std::max(p.row[at(r)], size);
      p.column[at(c)] = std::max(p.column[at(c)], size);
    }
  }
}

double Magnitudes::weight(int row, int column) const {
  double least = 1;
  for (const Place& p : places_) {
    const double largest = std::min(p.row[at(row)], p.column[at(column)]);
    least = std::min(least, largest > 0 ? std::abs(p.values[place(row, column)]) / largest : 0);
  }
  return least;
}

bool Magnitudes::negligible(int row, int column) const {
  return !places_.empty() && std::all_of(places_.begin(), places_.end(), [&](const Place& p) {
    return std::abs(p.values[place(row, column)]) < kNegligible;
  });
}

// Only rows with an entry in the column change, in the columns in which the row has entries; largest entries are found again
// in these alone. (A matrix of many loops has few entries: all of it, again and again, would be most of the derivation.)
void Magnitudes::eliminate(int row, int column) {
  row_left_[at(row)] = false;
  column_left_[at(column)] = false;
  std::vector<int> rows, columns;
  for (Place& p : places_) {
    const double pivot = p.values[place(row, column)];
    rows.clear(), columns.clear();
    for (int c = 0; c < columns_; ++c)
      if (column_left_[at(c)] && p.values[place(row, c)] != 0) columns.push_back(c);
    for (int r = 0; r < rows_; ++r) {
      if (!row_left_[at(r)] || p.values[place(r, column)] == 0) continue;
      rows.push_back(r);
      if (pivot == 0) continue;
      const double factor = p.values[place(r, column)] / pivot;
      for (const int c : columns) p.values[place(r, c)] -= factor * p.values[place(row, c)];
    }
    find_largest_again(p, rows, columns);
  }
}

void Magnitudes::find_largest_again(Place& p, std::span<const int> rows, std::span<const int> columns) const {
  for (const int r : rows) {
    double& largest = p.row[at(r)] = 0;
    for (int c = 0; c < columns_; ++c)
      if (column_left_[at(c)]) largest = std::max(largest, std::abs(p.values[place(r, c)]));
  }
  for (const int c : columns) {
    double& largest = p.column[at(c)] = 0;
    for (int r = 0; r < rows_; ++r)
      if (row_left_[at(r)]) largest = std::max(largest, std::abs(p.values[place(r, c)]));
  }
}

}  // namespace kane
