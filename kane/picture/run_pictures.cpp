#include "kane/picture/run_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "kane/base/output_file.hpp"
#include "kane/mechanism/beam_diagrams.hpp"
#include "kane/mechanism/symbol_units.hpp"
#include "kane/model/run_table.hpp"
#include "kane/picture/video_writer.hpp"

namespace kane {

namespace {

std::string read_text(const std::string& file) {
  constexpr std::uintmax_t kMost = 400'000;
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error || size > kMost) return "";
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool is_input(const Mechanism& mechanism, const std::string& name) {
  return std::any_of(mechanism.inputs.begin(), mechanism.inputs.end(),
                     [&](const auto& input) { return input.symbol.name() == name; });
}

}  // namespace

void PictureOptions::check() const {
  frame.check();
  if (!video.empty()) check_video(video);
  if (!report.empty()) check_writable(report);
}

RunPictures::RunPictures(PictureOptions options, Simulation& simulation)
    : options_(std::move(options)),
      mechanism_(simulation.model().mechanism()),
      simulator_(simulation.simulator()),
      parameters_(simulation.parameters()) {
  options_.check();
  if (!options_.frames.empty()) make_folder(options_.frames);
  add_signals();
  record_.emplace(make_scene(mechanism_, simulator_.system(), parameters_), signals_);
  row_.resize(signals_.size());
}

/// The order is that of fill_row().
void RunPictures::add_signals() {
  const CompiledSystem& system = simulator_.system();
  const EquationsOfMotion& e = system.equations();
  const auto add = [&](const char* group, const std::string& name, const std::string& unit = {}) {
    signals_.push_back({group, name, {}, unit});
  };
  const auto units = known_units(mechanism_, e);
  const auto unit_of = [&](const std::string& name) {
    const auto found = units.find(name);
    return found == units.end() ? std::string() : found->second;
  };
  for (const auto& q : e.q) add("coordinates", q.name(), unit_of(q.name()));
  for (const auto& u : e.u) add("speeds", u.name(), unit_of(u.name()));
  const auto column = [&](const char* group, const std::string& name, std::size_t at, const std::string& unit) {
    add(group, name, unit);
    report_columns_.push_back(at);
  };
  using Kind = ReportItem::Kind;
  std::map<std::string, std::string> beams;  // by outputs that belong to a diagram
  for (const BeamDiagram& d : find_beam_diagrams(mechanism_, parameters_))
    for (const std::string& name : d.outputs) beams.emplace(name, fmt::format("along the beam {}", d.body));
  for (const auto& item : system.report_items()) {
    if (const auto beam = beams.find(item.name); item.kind == Kind::Output && beam != beams.end()) {
      column(beam->second.c_str(), item.name, item.first, unit_of(item.name));
    } else if (item.kind == Kind::Output && !is_scene_output(item.name)) {
      // Inputs are signals of their own below; of the columns of the table only prescribed motions are added here.
      const std::string extra = column_of_output(item.name);
      if (extra.empty())
        column("outputs", item.name, item.first, unit_of(item.name));
      else if (!is_input(mechanism_, extra))
        column("prescribed motions", extra, item.first, unit_of(item.name));
    }
    if (const std::string input(input_of_scene_output(item.name)); item.kind == Kind::Output && !input.empty())
      column("inputs", input, item.first, unit_of(input));
    if (item.kind == Kind::Kinetic) column("energy", "kinetic energy", item.first, "J");
    if (item.kind == Kind::Potential) column("energy", "potential energy", item.first, "J"), potential_ = item.first;
    if (item.kind == Kind::Auxiliary) column("auxiliary forces", item.name, item.first, "");
    static constexpr const char* kComponents[] = {"Fx", "Fy", "Fz", "Tx", "Ty", "Tz"};
    for (std::size_t k = 0; item.kind == Kind::Reaction && k < 6; ++k)
      column("reactions", fmt::format("{} {}", item.name, kComponents[k]), item.first + k, k < 3 ? "N" : "N*m");
  }
  if (potential_) add("energy", "total energy", "J"), add("energy drift", "energy - energy(0)", "J");
  for (const auto& row : e.constraints) add("multipliers", "lambda " + row.name);
  if (!e.constraints.empty() || !e.quaternions.empty())
    add("residuals", "residual of configuration"), add("residuals", "residual of speeds");
}

void RunPictures::fill_row(const State& sample, std::span<const double> reports) {
  const EquationsOfMotion& e = simulator_.system().equations();
  auto to = std::copy(sample.q.begin(), sample.q.end(), row_.begin());
  to = std::copy(sample.u.begin(), sample.u.end(), to);
  const auto value = [&](std::size_t at) { return reports.empty() ? std::nan("") : reports[at]; };
  for (const std::size_t at : report_columns_) *to++ = value(at);
  if (potential_) {
    const double energy = value(simulator_.system().report_items().front().first) + value(*potential_);
    if (!first_energy_) first_energy_ = energy;
    *to++ = energy;
    *to++ = energy - *first_energy_;
  }
  const std::span<const double> lambda = simulator_.multipliers();
  for (std::size_t i = 0; i < e.constraints.size(); ++i) *to++ = lambda[i];
}

void RunPictures::add(const State& sample) {
  const auto reports = simulator_.calc_reports(sample);
  fill_row(sample, reports);
  const EquationsOfMotion& e = simulator_.system().equations();
  if (!e.constraints.empty() || !e.quaternions.empty()) {
    const ConstraintResiduals open = simulator_.calc_residuals(sample);
    row_[row_.size() - 2] = open.configuration;
    row_[row_.size() - 1] = open.motion;
  }
  record_->add(sample.t, row_, reports);
}

std::vector<PageRow> RunPictures::checks(const RunReport& r) const {
  std::vector<PageRow> rows;
  const auto state = [](bool ok) { return ok ? CheckState::Ok : CheckState::Warning; };
  if (r.energy.known && r.energy.conservative)
    rows.push_back({"energy",
                    fmt::format("{:.9g} J, conserved up to {:.2e} J ({:.2e} of the energy exchanged)", r.energy.start,
                                r.energy.largest_drift, r.energy.relative_drift()),
                    state(r.energy.relative_drift() <= simulator_.options().energy_warning)});
  else if (r.energy.known)
    rows.push_back(
        {"energy", fmt::format("{:.9g} J at the start, {:.9g} J at the end; loads or moving constraints do work",
                               r.energy.start, r.energy.end)});
  else
    rows.push_back({"energy", "unknown: a load has no potential"});
  const EquationsOfMotion& e = simulator_.system().equations();
  if (!e.constraints.empty() || !e.quaternions.empty()) {
    rows.push_back({"configuration", fmt::format("largest residual {:.2e}", r.constraints.configuration),
                    state(r.constraints.configuration <= simulator_.options().constraint_warning)});
    double scale = 1;
    for (const double u : simulator_.state().u) scale = std::max(scale, std::abs(u));
    rows.push_back({"speeds", fmt::format("largest residual {:.2e}", r.constraints.motion),
                    state(r.constraints.motion <= simulator_.options().constraint_warning * scale)});
    rows.push_back({"independent speeds", fmt::format("chosen {} time{}", r.choices, r.choices == 1 ? "" : "s")});
  }
  return rows;
}

std::vector<PageRow> RunPictures::parameter_rows() const {
  std::vector<PageRow> rows;
  for (const auto& p : mechanism_.parameters) {
    const auto value = parameters_.find(p.symbol.name());
    const auto unit = mechanism_.units.find(p.symbol.name());
    if (value != parameters_.end())
      rows.push_back({p.symbol.name(),
                      fmt::format("{:.9g} {}", value->second, unit == mechanism_.units.end() ? "" : unit->second)});
  }
  return rows;
}

ReportText RunPictures::page_text(const RunReport& report, std::vector<PageRow> options) const {
  ReportText text;
  text.title = mechanism_.name;
  text.description = mechanism_.description;
  text.options = std::move(options);
  text.checks = checks(report);
  text.parameters = parameter_rows();
  text.warnings = report.warnings;
  for (BeamDiagram& d : find_beam_diagrams(mechanism_, parameters_))
    text.diagrams.push_back({d.body + ": " + d.what, d.unit, std::move(d.s), std::move(d.outputs)});
  constexpr std::size_t kMostEvents = 2000;
  for (std::size_t i = 0; i < std::min(report.events.size(), kMostEvents); ++i)
    text.events.push_back({report.events[i].t, describe(report.events[i])});
  if (report.failure) text.failure = report.failure->message(simulator_.system().equations());
  return text;
}

std::string RunPictures::page_data(const RunReport& report, std::vector<PageRow> options) const {
  return make_report_data(*record_, page_text(report, std::move(options)));
}

void RunPictures::finish(const RunReport& report, const std::string& model_file, std::vector<PageRow> options,
                         const std::string& interruption) {
  if (!options_.report.empty()) {
    ReportText text = page_text(report, std::move(options));
    text.model_file = model_file == "-" ? "model" : model_file;
    text.model = model_file == "-" ? "" : read_text(model_file);
    text.interruption = interruption;
    write_report_page(*record_, text, options_.report);
    written_ = options_.report;
  }
  const auto add_written = [&](std::size_t count, const std::string& place) {
    written_ += fmt::format("{}{} pictures in {}", written_.empty() ? "" : ", ", count, place);
  };
  if (!options_.frames.empty()) add_written(write_frames(*record_, options_.frames, options_.frame), options_.frames);
  if (!options_.video.empty()) add_written(write_video(*record_, options_.video, options_.frame), options_.video);
}

}  // namespace kane
