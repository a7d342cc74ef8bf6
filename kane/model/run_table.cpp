#include "kane/model/run_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/print.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanism/symbol_units.hpp"
#include "kane/simulate/switching/contact_forces.hpp"

namespace kane {

namespace {

/// No user can give such a name.
constexpr std::string_view kColumnMark = "kane_table.";

/// Whether it changes during a run.
bool is_moving(const Expr& value, const Mechanism& mechanism) {
  if (value.is_number()) return false;
  const std::vector<Expr> symbols = symbols_of({&value, 1});
  return std::any_of(symbols.begin(), symbols.end(), [&](const Expr& s) {
    return std::none_of(mechanism.parameters.begin(), mechanism.parameters.end(),
                        [&](const auto& p) { return p.symbol.name() == s.name(); });
  });
}

}  // namespace

std::string column_of_output(std::string_view output) {
  return output.starts_with(kColumnMark) ? std::string(output.substr(kColumnMark.size())) : std::string();
}

TableColumns table_columns_from(std::span<const std::string> groups) {
  TableColumns columns;
  for (const std::string& group : groups) {
    const bool all = group == "all";
    const std::array known{std::pair{"inputs", &columns.inputs}, std::pair{"prescribed", &columns.prescribed},
                           std::pair{"energy", &columns.energy}, std::pair{"reactions", &columns.reactions},
                           std::pair{"contacts", &columns.contacts}};
    bool found = all;
    std::vector<std::string> names{"all"};
    for (const auto& [name, wanted] : known) {
      names.emplace_back(name);
      if (all || group == name) *wanted = found = true;
    }
    require(found,
            "--columns: '{}' is not a group of columns (known: inputs, prescribed, energy, reactions, contacts, all){}",
            group, suggestion(group, names));
  }
  return columns;
}

void add_table_outputs(Mechanism& mechanism, const TableColumns& columns) {
  const auto add = [&](const std::string& name, const std::string& value) {
    mechanism.outputs.push_back({fmt::format("{}{}", kColumnMark, name), {value, {}}});
  };
  if (columns.inputs)
    for (const auto& input : mechanism.inputs) add(input.symbol.name(), input.symbol.name());
  if (!columns.prescribed) return;
  for (const Joint& joint : mechanism.joints) {
    for (std::size_t i = 0; i < joint.motions.size(); ++i) {
      const ElementaryMotion& motion = joint.motions[i];
      if (motion.free || !is_moving(motion.value, mechanism)) continue;
      add(joint.motions.size() == 1 ? joint.name : fmt::format("{}.{}", joint.name, i + 1), to_text(motion.value));
    }
  }
}

RunTable::RunTable(Simulation& simulation, const TableColumns& columns)
    : simulation_(simulation), names_(simulation.columns()) {
  const auto units = known_units(simulation.model().mechanism(), simulation.equations());
  const auto unit_of = [&](const std::string& name) {
    const auto found = units.find(name);
    return found == units.end() ? std::string() : found->second;
  };
  units_.emplace_back("s");  // of t
  for (std::size_t i = 1; i < names_.size(); ++i) units_.push_back(unit_of(names_[i]));
  for (const ReportItem& item : simulation.model().system()->report_items()) {
    if (item.kind != ReportItem::Kind::Output) continue;
    const std::string name = column_of_output(item.name);
    if (!name.empty()) add(name, unit_of(name), {item.first});
  }
  if (columns.energy) add_energies();
  if (columns.reactions) add_reactions();
  if (columns.contacts) add_contacts();
  row_.resize(names_.size());
}

void RunTable::add(std::string name, std::string unit, const Source& from) {
  names_.push_back(std::move(name)), units_.push_back(std::move(unit));
  sources_.push_back(from);
}

void RunTable::add_energies() {
  std::optional<std::size_t> kinetic, potential;
  for (const ReportItem& item : simulation_.model().system()->report_items()) {
    if (item.kind == ReportItem::Kind::Kinetic) kinetic = item.first;
    if (item.kind == ReportItem::Kind::Potential) potential = item.first;
  }
  if (kinetic) add("kinetic_energy", "J", {*kinetic});
  if (potential) add("potential_energy", "J", {*potential});
  if (kinetic && potential) add("total_energy", "J", {*kinetic, potential});
}

void RunTable::add_reactions() {
  static constexpr const char* kComponents[] = {"Fx", "Fy", "Fz", "Tx", "Ty", "Tz"};
  for (const ReportItem& item : simulation_.model().system()->report_items()) {
    if (item.kind == ReportItem::Kind::Auxiliary) add(item.name, "", {item.first});
    for (std::size_t k = 0; item.kind == ReportItem::Kind::Reaction && k < std::size(kComponents); ++k)
      add(fmt::format("{}.{}", item.name, kComponents[k]), k < 3 ? "N" : "N*m", {item.first + k});
  }
}

void RunTable::add_contacts() {
  const EquationsOfMotion& e = simulation_.equations();
  for (const auto& contact : e.contacts) contacts_.push_back(contact.name);
  for (const auto& pair : e.contact_pairs) contacts_.push_back(pair.name);
  for (const std::string& name : contacts_) {
    names_.push_back(name + ".normal"), units_.emplace_back("N");
    names_.push_back(name + ".friction"), units_.emplace_back("N");
  }
  for (const std::string& name : contacts_)
    for (const char* part : {".gap", ".x", ".y", ".z", ".Fx", ".Fy", ".Fz"})
      names_.push_back(name + part), units_.emplace_back(part[1] == 'F' ? "N" : "m");
  for (const auto& body : e.contact_bodies)
    for (const char axis : {'x', 'y', 'z'})
      names_.push_back(fmt::format("{}.contact.F{}", body.name, axis)), units_.emplace_back("N");
}

namespace {

/// Gap (the smallest), point (the centre of pressure; zero while nothing presses) and force on the first body of all places
/// of a contact.
double* write_place(std::span<const ContactForce> forces, std::string_view name, double* to) {
  double gap = std::numeric_limits<double>::quiet_NaN(), normal = 0;
  Vec3 point, force;
  for (const ContactForce& f : forces) {
    const std::string_view own = f.name;
    const bool place = own.size() > name.size() && own[name.size()] == '.' &&
                       own.find_first_not_of("0123456789", name.size() + 1) == std::string_view::npos;
    if (f.is_friction || !own.starts_with(name) || (own.size() != name.size() && !place)) continue;
    gap = std::fmin(gap, f.gap);
    if (!f.located) continue;
    normal += f.normal;
    point = point + f.normal * f.point, force = force + f.force();
  }
  if (normal > 0) point = (1 / normal) * point;
  if (std::isinf(gap)) gap = std::numeric_limits<double>::quiet_NaN();  // too far to be measured
  for (const double value : {gap, point.x, point.y, point.z, force.x, force.y, force.z}) *to++ = value;
  return to;
}

}  // namespace

double* RunTable::write_contacts(double* to) const {
  const auto forces = simulation_.simulator().contact_forces();
  for (const std::string& name : contacts_) {
    const ContactTotal total = total_of(forces, name);
    *to++ = total.normal, *to++ = total.friction;
  }
  for (const std::string& name : contacts_) to = write_place(forces, name, to);
  const auto wrenches = simulation_.simulator().evaluator().contact_wrenches();
  for (std::size_t i = 0; i < wrenches.size(); i += 6)
    to = std::copy_n(wrenches.begin() + static_cast<std::ptrdiff_t>(i), 3, to);
  return to;
}

std::span<const double> RunTable::row(const State& sample) {
  const auto own = simulation_.row(sample);
  if (names_.size() == own.size()) return own;
  auto to = std::copy(own.begin(), own.end(), row_.begin());
  const auto reports = simulation_.simulator().calc_reports(sample);
  for (const Source& source : sources_) {
    double value = reports.empty() ? std::nan("") : reports[source.place];
    if (source.added && !reports.empty()) value += reports[*source.added];
    *to++ = value;
  }
  if (to == row_.end()) return row_;
  if (reports.empty())
    std::fill(to, row_.end(), std::nan(""));
  else
    (void)write_contacts(&*to);
  return row_;
}

}  // namespace kane
