#include "kane/analysis/force_history.hpp"

#include <algorithm>
#include <cmath>

#include "kane/analysis/evaluation.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"

namespace kane {

std::string_view to_string(ForceKind kind) {
  switch (kind) {
    case ForceKind::Reaction: return "reaction";
    case ForceKind::Auxiliary: return "auxiliary";
    case ForceKind::Multiplier: return "multiplier";
    case ForceKind::Contact: return "contact";
  }
  return "";
}

std::size_t ForceHistory::width(ForceKind kind) {
  switch (kind) {
    case ForceKind::Reaction: return 6;
    case ForceKind::Contact: return 2;
    default: return 1;
  }
}

void ForceHistory::fill_contact(std::size_t record, std::span<double> to) const {
  const ContactTotal total = total_of(simulation_.simulator().contact_forces(), records_[record].name);
  to[0] = total.normal, to[1] = total.friction;
}

ForceHistory::ForceHistory(Simulation& simulation, const std::vector<std::string>& only) : simulation_(simulation) {
  collect();
  choose(only);
  name_columns();
}

void ForceHistory::collect() {
  const EquationsOfMotion& e = simulation_.equations();
  std::size_t reaction = 0;
  const auto add = [&](ForceRecord record, std::size_t place) {
    records_.push_back(std::move(record));
    places_.push_back(place);
  };
  for (const ReportItem& item : simulation_.model().system()->report_items()) {
    if (item.kind == ReportItem::Kind::Reaction) {
      const ReactionOutput& r = e.reactions[reaction++];
      add({.name = item.name, .kind = ForceKind::Reaction, .frame = r.frame, .point = r.point}, item.first);
    } else if (item.kind == ReportItem::Kind::Auxiliary) {
      add({.name = item.name, .kind = ForceKind::Auxiliary, .frame = {}, .point = {}}, item.first);
    }
  }
  for (std::size_t k = 0; k < e.constraints.size(); ++k)
    if (!e.constraints[k].given)
      add({.name = e.constraints[k].name, .kind = ForceKind::Multiplier, .frame = {}, .point = {}}, k);
  for (std::size_t k = 0; k < e.contact_pairs.size(); ++k)
    add({.name = e.contact_pairs[k].name, .kind = ForceKind::Contact, .frame = {}, .point = {}}, k);
  if (std::string unlocated = describe_unlocated(e); !unlocated.empty()) warnings_.push_back(std::move(unlocated));
  require(!records_.empty(), "'{}' has no joints with reactions, no auxiliary forces and no constraints", e.name);
}

void ForceHistory::choose(const std::vector<std::string>& only) {
  if (only.empty()) return;
  std::vector<std::string> known;
  for (const ForceRecord& record : records_) known.push_back(record.name);
  for (const auto& name : only)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw ModelError(
          fmt::format("there is no joint, auxiliary force or constraint '{}'{}", name, suggestion(name, known)));
  std::size_t to = 0;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (std::find(only.begin(), only.end(), records_[i].name) == only.end()) continue;
    if (to != i) records_[to] = std::move(records_[i]), places_[to] = places_[i];
    ++to;
  }
  records_.resize(to), places_.resize(to);
}

void ForceHistory::name_columns() {
  columns_.push_back(simulation_.equations().t.name());
  for (const ForceRecord& record : records_) {
    if (record.kind == ForceKind::Contact)
      for (const char* part : {"normal", "friction"}) columns_.push_back(record.name + "." + part);
    else if (record.kind == ForceKind::Reaction)
      for (const char* part : {"Fx", "Fy", "Fz", "Tx", "Ty", "Tz"}) columns_.push_back(record.name + "." + part);
    else
      columns_.push_back(record.kind == ForceKind::Multiplier ? "lambda." + record.name : record.name);
  }
  row_.resize(columns_.size());
}

std::span<const double> ForceHistory::row(const State& sample) {
  const auto reports = simulation_.simulator().calc_reports(sample);
  const auto multipliers = simulation_.simulator().multipliers();
  const auto keep = [&](double size, double& largest, double& time) {
    if (size > largest) largest = size, time = sample.t;
  };
  auto to = row_.begin();
  *to++ = sample.t;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    ForceRecord& record = records_[i];
    const std::size_t count = width(record.kind);
    const auto first = to;
    to += static_cast<std::ptrdiff_t>(count);
    if (reports.empty())
      std::fill(first, to, std::nan(""));
    else if (record.kind == ForceKind::Contact)
      fill_contact(i, {&*first, count});
    else if (record.kind == ForceKind::Multiplier)
      *first = multipliers[places_[i]];
    else
      std::ranges::copy(reports.subspan(places_[i], count), first);
    if (record.kind == ForceKind::Reaction) {
      keep(std::hypot(first[0], first[1], first[2]), record.largest, record.largest_time);
      keep(std::hypot(first[3], first[4], first[5]), record.largest_torque, record.torque_time);
    } else {
      keep(std::abs(*first), record.largest, record.largest_time);
    }
  }
  return row_;
}

}  // namespace kane
