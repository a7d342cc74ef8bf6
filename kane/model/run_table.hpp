#pragma once
// The table of a run: the columns of a Simulation, and on request inputs, prescribed motions, energies, reactions and forces of
// contacts.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/model/simulation.hpp"

namespace kane {

/// Groups of columns, in the order they are written in.
struct TableColumns {
  bool inputs = false;      ///< values of all inputs
  bool prescribed = false;  ///< motions of joints that are functions of time or inputs
  bool energy = false;      ///< kinetic, potential and total energy, J
  bool reactions = false;   ///< reactions of joints (on the outer body, components in its axes), and auxiliary forces
  bool contacts = false;    ///< normal and friction force of each contact, and what shapes exert on each body

  [[nodiscard]] bool any() const { return inputs || prescribed || energy || reactions || contacts; }
};

/// "inputs", "prescribed", "energy", "reactions", "contacts", "all". Throws ModelError for another word.
[[nodiscard]] TableColumns table_columns_from(std::span<const std::string> groups);

/// Adds the outputs that these columns need to the model. Call it before the equations are formed.
void add_table_outputs(Mechanism& mechanism, const TableColumns& columns);

/// The column that such an output is for; "" for an output of the user.
[[nodiscard]] std::string column_of_output(std::string_view output);

class RunTable {
 public:
  RunTable(Simulation& simulation, const TableColumns& columns);

  /// Those of the simulation first.
  [[nodiscard]] const std::vector<std::string>& columns() const { return names_; }
  /// SI units of the columns; "" where none is known.
  [[nodiscard]] const std::vector<std::string>& units() const { return units_; }
  /// Values of the columns at a sample; what cannot be evaluated there is not-a-number.
  [[nodiscard]] std::span<const double> row(const State& sample);

 private:
  /// A column that is reported; `added`: the place of a second number that is added to it.
  struct Source {
    std::size_t place;
    std::optional<std::size_t> added{};
  };
  void add(std::string name, std::string unit, const Source& from);
  void add_energies();
  void add_reactions();
  void add_contacts();
  double* write_contacts(double* to) const;

  Simulation& simulation_;
  std::vector<std::string> names_, units_;
  std::vector<Source> sources_;  ///< of the columns beyond those of the simulation
  std::vector<std::string>
      contacts_;  ///< behind those of sources_: two columns each, then seven; three of each contact body
  std::vector<double> row_;
};

}  // namespace kane
