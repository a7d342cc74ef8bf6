#pragma once
// The contacts and dry frictions of a system: which contacts are closed and which frictions hold, what they remember of the
// past, and their values at a state (gaps, speeds, coefficients, forces of compliant contacts). What follows from these is
// found by the other parts of SwitchedDynamics, which work on one set.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kane/simulate/switching/switching_options.hpp"
#include "kane/simulate/system/contact_rows.hpp"
#include "kane/simulate/system/system_evaluator.hpp"

namespace kane {

enum class ContactState : std::uint8_t { Open, Closed };
enum class FrictionState : std::uint8_t { Idle, Stick, Slide };

/// Counts of what was done since the construction.
struct SwitchingWork {
  long evaluations = 0;  ///< of motions
  long problems = 0;     ///< of complementarity
  long pivots = 0;
  double operations = 0;  ///< of the pivots
  long impacts = 0;       ///< rounds
};

/// A contact of the model, or a slot of shapes.
struct SwitchedContact {
  std::size_t row;
  bool compliant;
  RestitutionLaw law;
  bool phases;
  ContactState state = ContactState::Open;
  double offset = 0;  ///< keeps a function that begins at zero from firing at once
  double fastest_approach = 0;
  int slot = -1;  ///< of shapes
  double leave_offset = 0;
};

struct SwitchedFriction {
  std::vector<std::size_t> rows;
  int contact;
  FrictionState state = FrictionState::Idle;
  std::array<double, 2> direction = {1, 0};
  std::array<double, 2> kept = {1, 0};  ///< direction where the last step or event ended
  double offset = 0;
  double fastest = 0;
  int line = -1;        ///< the only one of two rows along which anything can move; -1: there is none
  bool rested = false;  ///< did not slide before the last event
  bool leaves = false;  ///< holds no longer: its force is on the cone, going outwards
  enum class Kind : std::uint8_t { Own, Sliding, Rolling, Spinning } kind = Kind::Own;
};

struct ContactSet {
  ContactSet(SystemEvaluator& of, const SwitchingOptions& with);
  ~ContactSet();
  ContactSet(const ContactSet&) = delete;
  ContactSet& operator=(const ContactSet&) = delete;

  SystemEvaluator& evaluator;
  SwitchingOptions options;
  std::size_t n;  ///< speeds
  std::unique_ptr<ContactRows> shapes;
  std::size_t slots;  ///< the last so many of the contacts
  std::vector<SwitchedContact> contacts;
  std::vector<SwitchedFriction> frictions;
  std::vector<double> values;  ///< of the expressions at the present state
  std::vector<bool> bilateral, active, own_row;
  bool any_active = false, any_sliding = false, any_compliant = false;
  bool all_slow = false;  ///< rehearsing: no friction slides too fast to hold

  // ---- states -------------------------------------------------------------------------------------------------------------
  void set_bilateral(const std::vector<bool>& rows);
  void set_written(std::size_t place, bool holds);
  void reset();
  /// Makes the rows active that the present states ask for.
  void apply_active();
  /// Redundant supports: the forces of the present set are not determined by the motion.
  [[nodiscard]] bool hyperstatic() const { return !evaluator.choice().redundant_rows().empty() && any_active; }

  // ---- values at a state ----------------------------------------------------------------------------------------------------
  void evaluate(std::span<const double> q, std::span<const double> u);
  /// Without the mass matrix.
  void evaluate_rows(std::span<const double> q, std::span<const double> u);
  /// A restitution that varies counts as the nearest one between 0 and 1.
  [[nodiscard]] double restitution(std::size_t k) const { return std::clamp(values[2 * k], 0.0, 1.0); }
  [[nodiscard]] double compliant_force(std::size_t k) const { return values[2 * k + 1]; }
  /// What presses the sides of a compliant contact together: its force without adhesion.
  [[nodiscard]] double compliant_press(std::size_t k) const;
  /// Force that holds contact `k` while it is closed; of a compliant one it is part of compliant_force().
  [[nodiscard]] double adhesion(std::size_t k) const { return adhesions_[k]; }
  /// What presses the two sides together, of the forces of all rows: without adhesion, which pulls them.
  [[nodiscard]] double press(std::size_t k, std::span<const double> forces) const {
    return forces[contacts[k].row] + (contacts[k].compliant ? 0.0 : adhesions_[k]);
  }
  [[nodiscard]] double kinetic(std::size_t f) const { return values[2 * contacts.size() + 2 * f]; }
  [[nodiscard]] double stiction(std::size_t f) const { return values[2 * contacts.size() + 2 * f + 1]; }
  /// A u + b of a row.
  [[nodiscard]] double row_speed(std::size_t row, std::span<const double> u) const;
  void add_row(std::size_t row, double factor, std::span<double> force) const;
  [[nodiscard]] double calc_kinetic(std::span<const double> u) const;
  [[nodiscard]] bool touches(const SwitchedContact& c) const;
  /// A speed of a row below this is zero.
  [[nodiscard]] double still(std::span<const double> u, std::size_t row) const;

  // ---- frictions ------------------------------------------------------------------------------------------------------------
  [[nodiscard]] bool presses(const SwitchedFriction& f) const;
  /// Normal force that does not depend on the motion, times `coefficient`: of compliant contacts, or 1.
  [[nodiscard]] double known_limit(const SwitchedFriction& f, double coefficient) const;
  [[nodiscard]] bool rigid_contact(const SwitchedFriction& f) const;
  [[nodiscard]] double friction_speed(const SwitchedFriction& f, std::span<const double> u) const;
  void update_direction(SwitchedFriction& f, std::span<const double> u) const;
  [[nodiscard]] int find_line(const SwitchedFriction& f) const;
  [[nodiscard]] static bool on_line(const SwitchedFriction& f) { return f.rows.size() == 1 || f.line >= 0; }
  [[nodiscard]] static std::size_t line_row(const SwitchedFriction& f) { return f.line > 0 ? 1 : 0; }
  /// Sliding in a plane slower than this may come to hold.
  [[nodiscard]] double stop_speed(const SwitchedFriction& f) const {
    return std::max(options.stick_speed * f.fastest, options.turn_speed);
  }

  // ---- shapes (contact_slots.cpp) -------------------------------------------------------------------------------------------
  bool update_slots(std::span<const double> q, std::span<const double> u);
  void leave_faces(std::span<const double> q, std::span<const double> u);
  [[nodiscard]] double longest_step() const;
  [[nodiscard]] double safe_part(std::span<const double> q, std::span<const double> u, double h);
  [[nodiscard]] bool overflown() const;

  // ---- what a run may begin with, and names (contact_set_names.cpp) -----------------------------------------------------------
  void check_start(std::span<const double> q, std::span<const double> u);
  [[nodiscard]] std::string contact_name(std::size_t k) const;
  [[nodiscard]] std::string friction_name(std::size_t f) const;
  void write_contact_name(std::size_t k, std::string& name) const;
  void write_friction_name(std::size_t f, std::string& name) const;
  [[nodiscard]] std::string row_name(std::size_t row) const;

 private:
  void add_slots();
  void evaluate_slots(std::span<const double> u);
  void check_coefficients() const;
  void check_overlaps();

  KernelRunner values_runner_;
  std::vector<double> adhesions_;  ///< of contacts
};

}  // namespace kane
