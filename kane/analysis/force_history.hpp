#pragma once
// Forces along a run: reactions of joints, auxiliary forces, multipliers of constraints, contacts and frictions. One row of
// numbers per sample, and the largest of each.
//
//     Simulation run(model);
//     ForceHistory forces(run);
//     run.run(run.plan(), [&](const State& sample) { file.write(forces.row(sample)); return true; });

#include <span>
#include <string>
#include <vector>

#include "kane/model/simulation.hpp"

namespace kane {

enum class ForceKind : std::uint8_t {
  Reaction,    ///< six components: force and torque on the child of a joint
  Auxiliary,   ///< force brought into evidence by an auxiliary speed
  Multiplier,  ///< of a constraint, the normal of a contact or the direction of a friction
  Contact,     ///< of two shapes: normal and friction force, sums over the places where they touch
};

[[nodiscard]] std::string_view to_string(ForceKind kind);

struct ForceRecord {
  std::string name;
  ForceKind kind = ForceKind::Reaction;
  std::string frame, point;  ///< of a reaction: axes of the components, and the point torques are taken about
  double largest = 0, largest_time = 0;
  double largest_torque = 0, torque_time = 0;  ///< largest torque of a reaction, and its time
};

class ForceHistory {
 public:
  /// `only`: names of joints, auxiliary forces and constraints; empty: all. Throws ModelError for an unknown name, and if
  /// there is nothing that transmits a force. The simulation must outlive it.
  explicit ForceHistory(Simulation& simulation, const std::vector<std::string>& only = {});

  /// t, then the components of each record.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  /// Values at a sample of the run; NaN where the motion cannot be evaluated.
  [[nodiscard]] std::span<const double> row(const State& sample);
  [[nodiscard]] const std::vector<ForceRecord>& records() const { return records_; }
  /// Effects that the numbers leave out.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void collect();
  void choose(const std::vector<std::string>& only);
  void name_columns();
  [[nodiscard]] static std::size_t width(ForceKind kind);
  void fill_contact(std::size_t record, std::span<double> to) const;

  Simulation& simulation_;
  std::vector<ForceRecord> records_;
  std::vector<std::size_t> places_;  ///< of each record: its first report, or its multiplier
  std::vector<std::string> columns_;
  std::vector<double> row_;
  std::vector<std::string> warnings_;
};

}  // namespace kane
