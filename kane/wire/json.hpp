#pragma once
// Results as JSON, in one place: the command, the server and other programs show the same keys in the same order. Numbers
// round-trip; what is not finite is null.

#include <complex>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "kane/solve/matrix.hpp"

namespace kane {

struct Evaluation;
struct JointForcesReport;

namespace wire {

using Json = nlohmann::ordered_json;

/// null if it is not finite.
[[nodiscard]] Json number(double value);
/// Rows of a matrix.
[[nodiscard]] Json rows(ConstMatrixView m);
/// [[re, im], ...]
[[nodiscard]] Json complex_list(std::span<const std::complex<double>> values);

[[nodiscard]] Json to_json(const Evaluation& evaluation);
[[nodiscard]] Json to_json(const JointForcesReport& report);

}  // namespace wire
}  // namespace kane
