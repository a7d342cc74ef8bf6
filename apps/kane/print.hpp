#pragma once
// Tables for people, shared by the commands.

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "kane/simulate/switching/contact_forces.hpp"
#include "kane/solve/matrix.hpp"

namespace kane {

/// A number for a table: zero if it is only a rounding error compared with numbers of this size.
[[nodiscard]] inline double shown(double x, double size) { return std::abs(x) <= 1e-13 * size ? 0.0 : x; }

/// A matrix with a label for each row (and each column, if any).
void print_labelled(const std::string& title, ConstMatrixView m, const std::vector<std::string>& rows,
                    const std::vector<std::string>& columns = {});

/// Contacts and frictions with their states and forces.
void print_contacts(std::span<const ContactForce> contacts);

}  // namespace kane
