#include "kane/picture/run_record.hpp"

#include <algorithm>
#include <cmath>

namespace kane {

namespace {

constexpr std::size_t kMostSamples = 4000, kFewestSamples = 250;
constexpr std::size_t kMostBytes = 6'000'000;  ///< of all samples; a page takes four thirds of that

/// Quaternion of a rotation matrix by rows, by the largest of its four components (Shepperd 1978).
std::array<double, 4> quaternion_of(std::span<const double> r) {
  const double trace = r[0] + r[4] + r[8];
  std::array<double, 4> e{r[0], r[4], r[8], trace};
  const auto k = static_cast<std::size_t>(std::max_element(e.begin(), e.end()) - e.begin());
  if (k == 3) {
    e = {r[7] - r[5], r[2] - r[6], r[3] - r[1], 1 + trace};
  } else {
    const std::size_t i = k, j = (k + 1) % 3, l = (k + 2) % 3;
    e[i] = 1 + 2 * r[4 * i] - trace;
    e[j] = r[3 * j + i] + r[3 * i + j];
    e[l] = r[3 * l + i] + r[3 * i + l];
    e[3] = r[3 * l + j] - r[3 * j + l];
  }
  const double norm = std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  for (double& c : e) c /= norm;
  return e;
}

template <class T>
void keep_every_second(std::vector<T>& values, std::size_t width) {
  std::size_t to = 0;
  for (std::size_t row = 0; row * width < values.size(); row += 2)
    for (std::size_t i = 0; i < width; ++i) values[to++] = values[row * width + i];
  values.resize(to);
}

void append(const Vec3& v, std::vector<float>& to) {
  for (std::size_t k = 0; k < 3; ++k) to.push_back(static_cast<float>(v[k]));
}

}  // namespace

RunRecord::RunRecord(Scene scene, std::vector<RecordedSignal> signals)
    : scene_(std::move(scene)), signals_(std::move(signals)) {
  for (const auto& b : scene_.balls) points_.push_back(b.point);
  for (const auto& l : scene_.lines) points_.push_back(l.from), points_.push_back(l.to);
  for (const auto& a : scene_.arrows) points_.push_back(a.point);
  for (const auto& p : scene_.points) points_.push_back(p.point);
  std::sort(points_.begin(), points_.end());
  points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
  const std::size_t numbers = kPose * scene_.bodies.size() + 3 * points_.size() + 3 * scene_.arrows.size();
  const std::size_t bytes = sizeof(double) * (1 + signals_.size()) + sizeof(float) * numbers;
  most_samples_ = std::clamp(kMostBytes / bytes, kFewestSamples, kMostSamples);
}

std::size_t RunRecord::point_index(std::size_t report) const {
  return static_cast<std::size_t>(std::lower_bound(points_.begin(), points_.end(), report) - points_.begin());
}

void RunRecord::add(double t, std::span<const double> row, std::span<const double> reports) {
  if (last_is_extra_) remove_last();
  last_is_extra_ = skipped_ + 1 < stride_;
  skipped_ = last_is_extra_ ? skipped_ + 1 : 0;
  if (times_.empty() && scene_.gravity && !reports.empty()) {
    const auto g = reports.subspan(*scene_.gravity, 3);
    if (g[0] * g[0] + g[1] * g[1] + g[2] * g[2] > 0) up_ = normalized({-g[0], -g[1], -g[2]});
  }
  times_.push_back(t);
  for (std::size_t i = 0; i < signals_.size(); ++i) signals_[i].values.push_back(row[i]);
  append_picture(reports);
  if (!reports.empty()) look_at_planes(reports);
  if (times_.size() > most_samples_ && !last_is_extra_) thin_out();
}

void RunRecord::remove_last() {
  const auto shorten = [](auto& values, std::size_t width) { values.resize(values.size() - width); };
  shorten(times_, 1);
  for (auto& signal : signals_) shorten(signal.values, 1);
  shorten(poses_, kPose * scene_.bodies.size());
  shorten(positions_, 3 * points_.size());
  shorten(arrows_, 3 * scene_.arrows.size());
}

/// A plane that moves with something is not drawn.
void RunRecord::look_at_planes(std::span<const double> reports) {
  const auto read = [&](std::size_t i) {
    const auto n = reports.subspan(scene_.planes[i].normal, 3);
    return Plane{i, {n[0], n[1], n[2]}, reports[scene_.planes[i].height]};
  };
  if (times_.size() == 1) {
    planes_.clear();
    for (std::size_t i = 0; i < scene_.planes.size(); ++i) planes_.push_back(read(i));
  }
  std::erase_if(planes_, [&](const Plane& plane) {
    const Plane now = read(plane.index);
    return !(norm(now.normal - plane.normal) + std::abs(now.height - plane.height) < 1e-9 * (1 + std::abs(now.height)));
  });
}

void RunRecord::append_picture(std::span<const double> reports) {
  const auto again = [](std::vector<float>& values, std::size_t width) {
    const std::size_t before = values.size();
    values.resize(before + width, 0.0F);
    if (before >= width)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(before - width), width,
                  values.begin() + static_cast<std::ptrdiff_t>(before));
  };
  if (reports.empty()) {
    again(poses_, kPose * scene_.bodies.size());
    again(positions_, 3 * points_.size());
    again(arrows_, 3 * scene_.arrows.size());
    return;
  }
  for (const auto& body : scene_.bodies) {
    for (std::size_t k = 0; k < 3; ++k) poses_.push_back(static_cast<float>(reports[body.origin + k]));
    for (const double e : quaternion_of(reports.subspan(body.rotation, 9))) poses_.push_back(static_cast<float>(e));
  }
  for (const std::size_t point : points_) append(find_point(point, reports), positions_);
  // Rounding errors, of the torques of forces or of zero itself, must not become arrows.
  constexpr double kRounding = 1e-10, kNothing = 1e-13;
  double noise = kNothing;
  const auto length = [&](const SceneArrow& arrow) {
    return std::hypot(reports[arrow.vector], reports[arrow.vector + 1], reports[arrow.vector + 2]);
  };
  for (const auto& arrow : scene_.arrows)
    if (!arrow.torque) noise = std::max(noise, kRounding * scene_.size * length(arrow));
  for (const auto& arrow : scene_.arrows) {
    const auto v = reports.subspan(arrow.vector, 3);
    const bool nothing = length(arrow) < (arrow.torque ? noise : kNothing);
    for (std::size_t k = 0; k < 3; ++k) {
      double component = nothing ? 0.0 : v[k];
      if (arrow.frame && !nothing) {
        const auto r = reports.subspan(scene_.bodies[*arrow.frame].rotation + 3 * k, 3);
        component = r[0] * v[0] + r[1] * v[1] + r[2] * v[2];
      }
      arrows_.push_back(static_cast<float>(arrow.sign * component));
    }
  }
}

Vec3 RunRecord::find_point(std::size_t point, std::span<const double> reports) const {
  if (point < kFirstAnchor) return {reports[point], reports[point + 1], reports[point + 2]};
  const SceneAnchor& anchor = scene_.anchors[point - kFirstAnchor];
  if (!anchor.body) return anchor.at;
  const SceneBody& body = scene_.bodies[*anchor.body];
  Vec3 p{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto r = reports.subspan(body.rotation + 3 * k, 3);
    p[k] = reports[body.origin + k] + r[0] * anchor.at[0] + r[1] * anchor.at[1] + r[2] * anchor.at[2];
  }
  return p;
}

Vec3 RunRecord::up() const {
  if (up_) return *up_;
  float low = 0, high = 0, largest = 0;
  const auto look = [&](const std::vector<float>& values, std::size_t width) {
    for (std::size_t i = 0; i + 2 < values.size(); i += width) {
      low = std::min(low, values[i + 2]), high = std::max(high, values[i + 2]);
      largest = std::max({largest, std::abs(values[i]), std::abs(values[i + 1])});
    }
  };
  look(poses_, kPose), look(positions_, 3);
  return high - low <= 1e-6F * largest ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
}

void RunRecord::thin_out() {
  keep_every_second(times_, 1);
  for (auto& signal : signals_) keep_every_second(signal.values, 1);
  keep_every_second(poses_, kPose * scene_.bodies.size());
  keep_every_second(positions_, 3 * points_.size());
  keep_every_second(arrows_, 3 * scene_.arrows.size());
  stride_ *= 2;
}

}  // namespace kane
