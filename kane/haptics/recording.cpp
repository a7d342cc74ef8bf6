#include "kane/haptics/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/simulate/record/csv_writer.hpp"
#include "kane/simulate/record/series_file.hpp"

namespace kane {

Recording::Recording(const Shape& shape, std::size_t ticks) : shape_(shape), values_(ticks * width()) {}

void Recording::begin(double t, bool counted) {
  if ((used_ + 1) * width() > values_.size()) return;
  double* to = values_.data() + used_ * width();
  to[0] = t, to[1] = counted ? 1 : 0;
}

void Recording::add_held(std::size_t constraint, bool held) {
  if ((used_ + 1) * width() > values_.size()) return;
  values_[used_ * width() + 2 + constraint] = held ? 1 : 0;
}

void Recording::add(std::span<const double> position, std::span<const double> speed, std::span<const double> force,
                    std::span<const double> shown) {
  if ((used_ + 1) * width() > values_.size()) return;
  double* to = values_.data() + used_++ * width() + 2 + shape_.constraints;
  for (std::size_t i = 0; i < shape_.axes; ++i)
    *to++ = position[i], *to++ = speed[i], *to++ = force[i], *to++ = shown[i];
}

void Recording::write(const std::string& file, const std::vector<std::string>& names) const {
  std::vector<std::string> columns{"t", "counted"};
  for (std::size_t i = 0; i < shape_.constraints; ++i) columns.push_back(fmt::format("held.{}", i + 1));
  for (const auto& name : names)
    for (const char* what : {"position", "speed", "force", shape_.motion ? "moved" : "shown"})
      columns.push_back(name + "." + what);
  CsvWriter writer(file, columns);
  for (std::size_t k = 0; k < used_; ++k) writer.write(row(k));
  writer.finish();
}

/// Files of earlier versions have neither `counted` nor `held`: every sample counts.
Recording Recording::read(const std::string& file) {
  const SeriesTable table = read_series(file);
  const std::size_t first = !table.names.empty() && table.names.front() == "counted" ? 1 : 0;
  Shape shape;
  while (first + shape.constraints < table.names.size() && table.names[first + shape.constraints].starts_with("held."))
    ++shape.constraints;
  const std::size_t rest = table.names.size() - first - shape.constraints;
  require(rest > 0 && rest % 4 == 0,
          "'{}' is not a recording of a haptic run: it has {} columns besides t, not four per axis", file, rest);
  shape.axes = rest / 4, shape.motion = table.names.back().ends_with(".moved");
  Recording r(shape, table.t.size());
  for (std::size_t k = 0; k < table.t.size(); ++k) {
    double* to = r.values_.data() + k * r.width();
    to[0] = table.t[k], to[1] = 1;
    for (std::size_t i = 0; i < table.names.size(); ++i) to[2 - first + i] = table.columns[i][k];
  }
  r.used_ = table.t.size();
  return r;
}

bool ReplayDevice::read(double, std::span<double> position, std::span<double> speed, std::span<double> force) {
  const bool known = next_ < recording_.size();
  if (!known) ++past_end_;
  if (recording_.size() == 0) return false;
  const std::size_t tick = known ? next_ : recording_.size() - 1;
  const auto row = recording_.motion(tick);
  for (std::size_t i = 0; i < axes(); ++i)
    position[i] = row[4 * i], speed[i] = known ? row[1 + 4 * i] : 0.0, force[i] = row[2 + 4 * i];
  return known && recording_.counted(tick);
}

int ReplayDevice::held(std::size_t constraint) const {
  if (constraint >= recording_.shape().constraints || recording_.size() == 0) return -1;
  return recording_.held(std::min(next_, recording_.size() - 1), constraint) ? 1 : 0;
}

void ReplayDevice::write(double, std::span<const double> force, std::span<const double> position) {
  if (next_ >= recording_.size()) return;
  const auto row = recording_.motion(next_++);
  const auto shown = recording_.shape().motion ? position : force;
  for (std::size_t i = 0; i < axes(); ++i)
    largest_difference_ = std::max(largest_difference_, std::abs(row[3 + 4 * i] - shown[i]));
}

std::vector<std::string> ReplayDevice::notes() const {
  std::vector<std::string> notes;
  notes.push_back(largest_difference_ == 0
                      ? std::string("displayed exactly what was recorded")
                      : fmt::format("displayed {} differ from the recorded ones by up to {:.3g}",
                                    recording_.shape().motion ? "positions" : "forces", largest_difference_));
  if (past_end_ > 0) notes.push_back(fmt::format("the recording ended {} ticks before the run", past_end_));
  return notes;
}

}  // namespace kane
