#include "kane/analysis/difference_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"

namespace kane {

namespace {

/// h, relative to the parameter. The error of the differences is about h^2 and the tolerance of a run divided by h.
constexpr double kDifferencePart = 1e-5;
constexpr double kRunTolerance = 1e-12;
constexpr std::array<double, 4> kOffsets = {-1, 1, -2, 2};

double scale_of_difference(double value) { return value != 0 ? std::abs(value) : 1.0; }

}  // namespace

DifferenceRuns::DifferenceRuns(const Model& model, const StartState& start, Options options)
    : model_(model), start_(start), options_(std::move(options)) {
  const EquationsOfMotion& e = model_.equations();
  Simulation run(model_, start_, {.inputs = options_.inputs});
  const Values parameters = run.parameters();
  std::vector<std::string> known;
  for (const auto& [name, value] : parameters) known.push_back(name);
  for (const auto* symbols : {&e.q, &e.u})
    for (const auto& s : *symbols) known.push_back(s.name());
  for (const std::string& name : options_.parameters) {
    require(std::count(options_.parameters.begin(), options_.parameters.end(), name) == 1, "'{}' is named twice", name);
    require(std::find(known.begin(), known.end(), name) != known.end(),
            "there is no parameter, coordinate or speed '{}'{}", name, suggestion(name, known));
    const auto found = parameters.find(name);
    values_.push_back(found != parameters.end() ? found->second : run.value(name));
  }
  for (const std::string& name : options_.outputs) {
    const auto column = std::find(run.columns().begin(), run.columns().end(), name);
    require(column != run.columns().end(),
            "'{}' switches during a motion ({} ...): there, derivatives are those of coordinates, speeds and outputs "
            "of the "
            "model, by name; '{}' is none{}",
            e.name,
            e.contacts.empty() ? (e.contact_pairs.empty() ? "events" : e.contact_pairs[0].name) : e.contacts[0].name,
            name, suggestion(name, run.columns()));
    columns_.push_back(static_cast<std::size_t>(column - run.columns().begin()));
  }
}

DifferenceRuns::Track DifferenceRuns::follow(const StartState& start) {
  SimulationOptions options;
  options.tolerance = std::min(options_.tolerance, kRunTolerance);
  options.contacts = ContactScheme::Events;  // steps of fixed length have no derivatives
  options.inputs = options_.inputs;
  Simulation run(model_, start, options);
  Track track;
  const RunReport report = run.run(options_.plan, [&](const State& sample) {
    track.times.push_back(sample.t);
    const std::span<const double> row = run.row(sample);
    for (const std::size_t column : columns_) track.values.push_back(row[column]);
    return true;
  });
  steps_ += report.totals.steps;
  for (const SwitchRecord& record : report.events)
    track.events.push_back({record.t, fmt::format("{}|{}|{}", fmt::join(record.causes, ","),
                                                  fmt::join(record.changes, ","), record.mode)});
  if (report.failure)
    track.failure = fmt::format("the run stopped at t = {:.9g} s: {}: {}", report.failure->t, report.failure->quantity,
                                report.failure->cause);
  return track;
}

StartState DifferenceRuns::moved(std::size_t parameter, double by) const {
  const EquationsOfMotion& e = model_.equations();
  const std::string& name = options_.parameters[parameter];
  StartState start = start_;
  const auto is = [&](const Expr& symbol) { return symbol.name() == name; };
  Values& values = std::any_of(e.q.begin(), e.q.end(), is)   ? start.q
                   : std::any_of(e.u.begin(), e.u.end(), is) ? start.u
                                                             : start.parameters;
  values[name] = values_[parameter] + by;
  return start;
}

void DifferenceRuns::differentiate(std::size_t parameter, std::span<const Track> tracks, double h) {
  const std::size_t outputs = columns_.size(), parameters = options_.parameters.size();
  std::vector<char> good(nominal_.times.size(), 0);
  std::vector<double> largest(outputs, 0.0), differ(outputs, 0.0);
  std::vector<std::size_t> behind(tracks.size(), 0);
  std::size_t own = 0;
  for (std::size_t i = 0; i < good_until_; ++i) {
    const double t = nominal_.times[i];
    while (own < nominal_.events.size() && nominal_.events[own].t <= t) ++own;
    bool same = true;
    for (std::size_t k = 0; k < tracks.size(); ++k) {
      const Track& track = tracks[k];
      std::size_t& number = behind[k];
      while (number < track.events.size() && track.events[number].t <= t) {
        const bool known =
            number >= nominal_.events.size() || track.events[number].what == nominal_.events[number].what;
        if (!known && nominal_.events[number].t <= t) {
          failure_ = fmt::format(
              "the run has no derivative with respect to '{}' from t = {:.9g} s on: other events happen there if it is "
              "{:.9g} instead of {:.9g}",
              options_.parameters[parameter], nominal_.events[number].t, values_[parameter] + kOffsets[k] * h,
              values_[parameter]);
          good_until_ = i;
          break;
        }
        ++number;
      }
      if (good_until_ == i) break;
      same = same && number == own && i < track.times.size();
      if (i >= track.times.size() && !track.failure.empty()) {
        failure_ = fmt::format("with {} = {:.9g}, {}", options_.parameters[parameter],
                               values_[parameter] + kOffsets[k] * h, track.failure);
        good_until_ = i;
        break;
      }
    }
    if (good_until_ == i) break;
    if (!same) continue;
    good[i] = 1;
    for (std::size_t o = 0; o < outputs; ++o) {
      const auto value = [&](std::size_t k) { return tracks[k].values[i * outputs + o]; };
      const double fine = (value(1) - value(0)) / (2 * h), rough = (value(3) - value(2)) / (4 * h);
      derivatives_[(i * outputs + o) * parameters + parameter] = fine;
      largest[o] = std::max(largest[o], std::abs(fine));
      differ[o] = std::max(differ[o], std::abs(fine - rough));
    }
  }
  for (std::size_t o = 0; o < outputs; ++o)
    if (largest[o] > 0) disagreement_ = std::max(disagreement_, differ[o] / largest[o]);
  fill_gaps(parameter, good);
}

/// Near an event: by polynomials through samples that have the same events behind them.
void DifferenceRuns::fill_gaps(std::size_t parameter, const std::vector<char>& good) {
  const std::size_t outputs = columns_.size(), parameters = options_.parameters.size();
  std::vector<std::size_t> behind(good_until_);
  for (std::size_t i = 0, own = 0; i < good_until_; ++i) {
    while (own < nominal_.events.size() && nominal_.events[own].t <= nominal_.times[i]) ++own;
    behind[i] = own;
  }
  constexpr std::size_t kPoints = 4;
  for (std::size_t i = 0; i < good_until_; ++i) {
    if (good[i] != 0) continue;
    ++continued_;
    std::vector<std::size_t> near;
    for (std::size_t k = i; k-- > 0 && behind[k] == behind[i] && near.size() < kPoints;)
      if (good[k] != 0) near.push_back(k);
    for (std::size_t k = i + 1; k < good_until_ && behind[k] == behind[i] && near.size() < 2 * kPoints; ++k)
      if (good[k] != 0) near.push_back(k);
    std::sort(near.begin(), near.end(),
              [&](std::size_t a, std::size_t b) { return (a > i ? a - i : i - a) < (b > i ? b - i : i - b); });
    if (near.size() > kPoints) near.resize(kPoints);
    for (std::size_t o = 0; o < outputs; ++o) {
      double sum = near.empty() ? std::numeric_limits<double>::quiet_NaN() : 0.0;
      for (const std::size_t a : near) {
        double weight = 1;
        for (const std::size_t b : near)
          if (b != a) weight *= (nominal_.times[i] - nominal_.times[b]) / (nominal_.times[a] - nominal_.times[b]);
        sum += weight * derivatives_[(a * outputs + o) * parameters + parameter];
      }
      derivatives_[(i * outputs + o) * parameters + parameter] = sum;
    }
  }
}

std::string DifferenceRuns::run(const std::function<void(const Sample&)>& on_sample) {
  const std::size_t outputs = columns_.size(), parameters = options_.parameters.size();
  steps_ = 0, disagreement_ = 0, continued_ = 0;
  nominal_ = follow(start_);
  failure_ = nominal_.failure;
  good_until_ = nominal_.times.size();
  derivatives_.assign(good_until_ * outputs * parameters, 0.0);
  for (std::size_t p = 0; p < parameters; ++p) {
    const double h = kDifferencePart * scale_of_difference(values_[p]);
    std::array<Track, kOffsets.size()> tracks;
    for (std::size_t k = 0; k < kOffsets.size(); ++k) tracks[k] = follow(moved(p, kOffsets[k] * h));
    differentiate(p, tracks, h);
  }
  for (std::size_t i = 0; i < good_until_; ++i)
    on_sample({nominal_.times[i], std::span(nominal_.values).subspan(i * outputs, outputs),
               std::span(derivatives_).subspan(i * outputs * parameters, outputs * parameters)});
  return failure_;
}

}  // namespace kane
