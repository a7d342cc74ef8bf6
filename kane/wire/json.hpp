#pragma once
// Results as JSON, in one place: the command, the server and other programs show the same keys in the same order. Numbers
// read back exactly; numbers that are not finite are null.

#include <complex>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "kane/solve/matrix.hpp"

namespace kane {

struct AssemblyReport;
struct ContactForce;
struct EquationsOfMotion;
struct EquilibriaReport;
struct Evaluation;
struct FrequencyReport;
struct InverseReport;
struct JacobianReport;
struct JointForcesReport;
struct LinearizationReport;
struct ModelFit;
struct PointSummary;
struct ReachReport;
struct RootLocus;
struct RunReport;
struct SensitivityReport;
struct TrackReport;

namespace wire {

using Json = nlohmann::ordered_json;

/// null if it is not finite.
[[nodiscard]] Json number(double value);
/// Rows of a matrix.
[[nodiscard]] Json rows(ConstMatrixView m);
/// [[re, im], ...]
[[nodiscard]] Json complex_list(std::span<const std::complex<double>> values);

/// {name: {state, normal, friction}, ...}
[[nodiscard]] Json contacts_json(std::span<const ContactForce> contacts);
/// {name: value, ...}
[[nodiscard]] Json values_by_name(const std::vector<std::string>& names, std::span<const double> values);

[[nodiscard]] Json to_json(const Evaluation& evaluation);
[[nodiscard]] Json to_json(const JointForcesReport& report);
/// The summary of a run of these equations.
[[nodiscard]] Json to_json(const RunReport& report, const EquationsOfMotion& equations);
/// The events of a switched run.
[[nodiscard]] Json events(const RunReport& report, const EquationsOfMotion& equations);
/// The values that assembly changed.
[[nodiscard]] Json to_json(const AssemblyReport& report);

[[nodiscard]] Json to_json(const SensitivityReport& report);
[[nodiscard]] Json to_json(const ModelFit& fit);
[[nodiscard]] Json to_json(const InverseReport& report);
[[nodiscard]] Json to_json(const TrackReport& report, const EquationsOfMotion& equations);

// linear_json.cpp. "nominal" has the form of a state file, and so has an element of "found".
[[nodiscard]] Json to_json(const LinearizationReport& report);
[[nodiscard]] Json to_json(const RootLocus& locus);
[[nodiscard]] Json to_json(const FrequencyReport& report);
[[nodiscard]] Json to_json(const EquilibriaReport& report);
/// Adds the state, which loops are closed, notes and warnings.
void add_summary(const PointSummary& summary, Json& to);

// task_json.cpp
[[nodiscard]] Json to_json(const JacobianReport& report);
[[nodiscard]] Json to_json(const ReachReport& report);

}  // namespace wire
}  // namespace kane
