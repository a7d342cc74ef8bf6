#include "kane/haptics/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/simulate/record/csv_writer.hpp"
#include "kane/simulate/record/series_file.hpp"

namespace kane {

Recording::Recording(std::size_t axes, std::size_t ticks) : axes_(axes), values_(ticks * (1 + 4 * axes)) {}

void Recording::add(double t, std::span<const double> position, std::span<const double> speed,
                    std::span<const double> force, std::span<const double> shown) {
  if ((used_ + 1) * width() > values_.size()) return;
  double* to = values_.data() + used_++ * width();
  *to++ = t;
  for (std::size_t i = 0; i < axes_; ++i) *to++ = position[i], *to++ = speed[i], *to++ = force[i], *to++ = shown[i];
}

void Recording::write(const std::string& file, const std::vector<std::string>& names) const {
  std::vector<std::string> columns{"t"};
  for (const auto& name : names)
    for (const char* what : {"position", "speed", "force", "shown"}) columns.push_back(name + "." + what);
  CsvWriter writer(file, columns);
  for (std::size_t k = 0; k < used_; ++k) writer.write(row(k));
  writer.finish();
}

Recording Recording::read(const std::string& file) {
  const SeriesTable table = read_series(file);
  require(!table.names.empty() && table.names.size() % 4 == 0,
          "'{}' is not a recording of a haptic run: it has {} columns besides t, not four per axis", file,
          table.names.size());
  Recording r(table.names.size() / 4, table.t.size());
  for (std::size_t k = 0; k < table.t.size(); ++k) {
    r.values_[k * r.width()] = table.t[k];
    for (std::size_t i = 0; i < table.names.size(); ++i) r.values_[k * r.width() + 1 + i] = table.columns[i][k];
  }
  r.used_ = table.t.size();
  return r;
}

bool ReplayDevice::read(double, std::span<double> position, std::span<double> speed, std::span<double> force) {
  const bool fresh = next_ < recording_.size();
  if (!fresh) ++past_end_;
  if (recording_.size() == 0) return false;
  const auto row = recording_.row(fresh ? next_ : recording_.size() - 1);
  for (std::size_t i = 0; i < axes(); ++i)
    position[i] = row[1 + 4 * i], speed[i] = fresh ? row[2 + 4 * i] : 0.0, force[i] = row[3 + 4 * i];
  return fresh;
}

void ReplayDevice::write(double, std::span<const double> force, std::span<const double>) {
  if (next_ >= recording_.size()) return;
  const auto row = recording_.row(next_++);
  for (std::size_t i = 0; i < axes(); ++i)
    largest_difference_ = std::max(largest_difference_, std::abs(row[4 + 4 * i] - force[i]));
}

std::vector<std::string> ReplayDevice::notes() const {
  std::vector<std::string> notes;
  notes.push_back(
      largest_difference_ == 0
          ? std::string("displayed exactly what was recorded")
          : fmt::format("displayed forces differ from the recorded ones by up to {:.3g}", largest_difference_));
  if (past_end_ > 0) notes.push_back(fmt::format("the recording ended {} ticks before the run", past_end_));
  return notes;
}

}  // namespace kane
