#include "kane/picture/frame_writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/base/output_mark.hpp"

namespace kane {

namespace {

constexpr std::size_t kMostFrames = 20000;

struct Pose {
  Mat3 rotation;
  Vec3 position;

  [[nodiscard]] Vec3 at(const Vec3& p) const { return rotation * p + position; }
};

Mat3 rotation_of(double x, double y, double z, double w) {
  return {{Vec3{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
           {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
           {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}

/// Shows everything the run reaches; a plane motion is seen from the front.
class Camera {
 public:
  Camera(const RunRecord& record, const FrameOptions& options) : width_(options.width), height_(options.height) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    Vec3 low{kFar, kFar, kFar}, high = -low;
    const auto include = [&](const std::vector<float>& values, std::size_t width) {
      for (std::size_t i = 0; i + 2 < values.size(); i += width)
        for (std::size_t k = 0; k < 3; ++k)
          if (const auto v = static_cast<double>(values[i + k]); std::isfinite(v))
            low[k] = std::min(low[k], v), high[k] = std::max(high[k], v);
    };
    include(record.positions(), 3);
    include(record.poses(), RunRecord::kPose);
    for (std::size_t k = 0; k < 3; ++k)
      if (!(low[k] <= high[k])) low[k] = high[k] = 0;
    const Vec3 extent = high - low;
    target_ = 0.5 * (low + high);
    radius_ = std::max(0.5 * norm(extent), 0.5 * record.scene().size);
    aim(extent, radius_, normalized(record.up()));
    fit(extent, 0.16 * record.scene().size);
  }

  /// Pixels, and the depth.
  [[nodiscard]] Vec3 project(const Vec3& p) const {
    const Vec3 d = p - target_;
    const double depth = std::max(distance_ - dot(d, back_), 1e-3 * distance_);
    return {0.5 * width_ + scale_ * dot(d, right_) / depth, 0.5 * height_ - scale_ * dot(d, above_) / depth, depth};
  }
  [[nodiscard]] double pixels(double length, double depth) const { return scale_ * length / depth; }
  [[nodiscard]] const Vec3& light() const { return light_; }
  /// Centre and radius of the region that the run reaches.
  [[nodiscard]] const Vec3& target() const { return target_; }
  [[nodiscard]] double radius() const { return radius_; }

 private:
  void aim(const Vec3& extent, double radius, const Vec3& up) {
    Vec3 front = std::abs(up[0]) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    front = normalized(cross(cross(up, front), up));
    double yaw = 0.7, pitch = 0.38;
    for (std::size_t k = 0; k < 3; ++k)
      if (extent[k] < 1e-6 * radius && std::abs(up[k]) < 0.1) {
        front = {};
        front[k] = k == 1 ? -1 : 1;
        yaw = 0.22, pitch = 0.16;
        break;
      }
    const Vec3 side = cross(up, front);
    back_ = std::cos(pitch) * (std::cos(yaw) * front + std::sin(yaw) * side) + std::sin(pitch) * up;
    right_ = normalized(cross(up, back_));
    above_ = cross(back_, right_);
    light_ = normalized(0.8 * up + 0.8 * back_ - 0.5 * right_);
  }

  /// As near as possible with everything in the picture.
  void fit(const Vec3& extent, double margin) {
    const double view = std::tan(0.29), least = std::min(width_, height_);
    scale_ = 0.5 * least / view;
    distance_ = 0;
    for (unsigned corner = 0; corner < 8; ++corner) {
      Vec3 p{};
      for (unsigned k = 0; k < 3; ++k) p[k] = ((corner >> k & 1U) != 0 ? 0.5 : -0.5) * (extent[k] + 2 * margin);
      const double across = std::abs(dot(p, right_)) / width_, along = std::abs(dot(p, above_)) / height_;
      distance_ = std::max(distance_, dot(p, back_) + std::max(across, along) * least / (0.86 * view));
    }
  }

  double width_, height_, scale_ = 1, distance_ = 1, radius_ = 1;
  Vec3 target_{}, back_{}, right_{}, above_{}, light_{};
};

std::string shaded(const std::string& color, double brightness) {
  unsigned rgb = 0x888888;
  if (color.size() == 7 && color[0] == '#') rgb = static_cast<unsigned>(std::strtoul(color.c_str() + 1, nullptr, 16));
  const auto part = [&](unsigned shift) {
    return static_cast<int>(std::clamp(std::lround((rgb >> shift & 255U) * brightness), 0L, 255L));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(16), part(8), part(0));
}

class FramePainter {
 public:
  FramePainter(const RunRecord& record, const FrameOptions& options)
      : record_(record), options_(options), camera_(record, options) {
    for (const RunRecord::Plane& plane : record.planes()) planes_ += draw_plane(plane);
  }

  std::string paint(double t) {
    find(t);
    shapes_.clear();
    for (const auto& part : record_.scene().parts) add_part(part);
    for (const auto& ball : record_.scene().balls) add_ball(ball);
    for (const auto& line : record_.scene().lines) add_line(line);
    for (std::size_t i = 0; i < record_.scene().arrows.size(); ++i) add_arrow(i);
    std::stable_sort(shapes_.begin(), shapes_.end(), [](const auto& a, const auto& b) { return a.depth > b.depth; });
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n<!-- {2} "
        "-->\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#eef3f8\"/>\n",
        options_.width, options_.height, kOutputWords);
    svg += planes_;
    for (const auto& shape : shapes_) svg += shape.text;
    svg += fmt::format(
        "<text x=\"16\" y=\"{}\" font-family=\"sans-serif\" font-size=\"16\" fill=\"#444b54\">t = {:.4f} "
        "s</text>\n</svg>\n",
        options_.height - 16, t);
    return svg;
  }

 private:
  struct Drawn {
    double depth;
    std::string text;
  };

  /// A square of the plane of a contact below the motion, with a grid; behind everything else.
  [[nodiscard]] std::string draw_plane(const RunRecord::Plane& plane) const {
    constexpr int kLines = 8;
    const double length = norm(plane.normal);
    if (!(length > 0)) return {};
    const Vec3 n = (1 / length) * plane.normal, about = camera_.target();
    const Vec3 middle = about - (dot(n, about) - plane.height / length) * n;
    const Vec3 side = normalized(cross(n, std::abs(n[0]) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
    const Vec3 other = cross(n, side);
    const double half = 1.2 * camera_.radius();
    const auto pixel = [&](int i, int k) {
      const double a = half * (2.0 * i / kLines - 1), b = half * (2.0 * k / kLines - 1);
      const Vec3 p = camera_.project(middle + a * side + b * other);
      return fmt::format("{:.1f} {:.1f}", p[0], p[1]);
    };
    std::string path = fmt::format("<path d=\"M{}L{}L{}L{}Z\" fill=\"#dfe6ec\"/>\n<path d=\"", pixel(0, 0),
                                   pixel(kLines, 0), pixel(kLines, kLines), pixel(0, kLines));
    for (int i = 0; i <= kLines; ++i)
      path += fmt::format("M{}L{}M{}L{}", pixel(i, 0), pixel(i, kLines), pixel(0, i), pixel(kLines, i));
    return path + "\" stroke=\"#c3ccd4\" stroke-width=\"1\"/>\n";
  }

  /// The samples before and after t, and the weight of the latter.
  void find(double t) {
    const auto& times = record_.times();
    const auto after = std::upper_bound(times.begin(), times.end(), t);
    next_ = std::min(static_cast<std::size_t>(after - times.begin()), times.size() - 1);
    at_ = next_ == 0 ? 0 : next_ - 1;
    const double gap = times[next_] - times[at_];
    share_ = gap > 0 ? std::clamp((t - times[at_]) / gap, 0.0, 1.0) : 0.0;
  }
  [[nodiscard]] double blend(const std::vector<float>& v, std::size_t width, std::size_t i, double sign = 1) const {
    return (1 - share_) * static_cast<double>(v[at_ * width + i]) +
           share_ * sign * static_cast<double>(v[next_ * width + i]);
  }
  [[nodiscard]] Vec3 position(std::size_t report) const {
    const std::size_t width = 3 * record_.point_count(), i = 3 * record_.point_index(report);
    return {blend(record_.positions(), width, i), blend(record_.positions(), width, i + 1),
            blend(record_.positions(), width, i + 2)};
  }
  [[nodiscard]] Pose pose(SceneBodyIndex body) const {
    if (!body) return {};
    const auto& v = record_.poses();
    const std::size_t width = RunRecord::kPose * record_.scene().bodies.size();
    const std::size_t first = RunRecord::kPose * *body;
    double same = 0;
    for (std::size_t k = 3; k < 7; ++k)
      same += static_cast<double>(v[at_ * width + first + k]) * static_cast<double>(v[next_ * width + first + k]);
    std::array<double, 7> p{};
    for (std::size_t k = 0; k < 7; ++k) p[k] = blend(v, width, first + k, k >= 3 && same < 0 ? -1 : 1);
    const double n = std::sqrt(p[3] * p[3] + p[4] * p[4] + p[5] * p[5] + p[6] * p[6]);
    return {rotation_of(p[3] / n, p[4] / n, p[5] / n, p[6] / n), {p[0], p[1], p[2]}};
  }

  void add_part(const ScenePart& part) {
    const Pose pose = this->pose(part.body);
    const Mesh& mesh = part.mesh;
    for (std::size_t i = 0; i + 2 < mesh.triangles.size(); i += 3) {
      std::array<Vec3, 3> corner{};
      Vec3 normal{};
      for (std::size_t k = 0; k < 3; ++k) {
        const auto& v = mesh.vertices[mesh.triangles[i + k]];
        corner[k] = camera_.project(pose.at(v.at));
        normal += v.normal;
      }
      // On the screen y points down, so that triangles seen from outside have a negative area.
      const double area = (corner[1][0] - corner[0][0]) * (corner[2][1] - corner[0][1]) -
                          (corner[2][0] - corner[0][0]) * (corner[1][1] - corner[0][1]);
      if (!(area < 0)) continue;
      const double brightness = 0.62 + 0.38 * dot(pose.rotation * normalized(normal), camera_.light());
      const std::string color = shaded(part.color, brightness);
      shapes_.push_back(
          {(corner[0][2] + corner[1][2] + corner[2][2]) / 3,
           fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\" fill=\"{}\" stroke=\"{}\" "
                       "stroke-width=\".6\"/>\n",
                       corner[0][0], corner[0][1], corner[1][0], corner[1][1], corner[2][0], corner[2][1], color,
                       color)});
    }
  }
  void add_ball(const SceneBall& ball) {
    const Vec3 at = camera_.project(position(ball.point));
    shapes_.push_back(
        {at[2] - ball.radius, fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\"/>\n", at[0],
                                          at[1], camera_.pixels(ball.radius, at[2]), ball.color)});
  }
  void add_stroke(const Vec3& a, const Vec3& b, const char* color, double width) {
    shapes_.push_back({std::min(a[2], b[2]),
                       fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
                                   a[0], a[1], b[0], b[1], color, width)});
  }
  void add_line(const SceneLine& line) {
    add_stroke(camera_.project(position(line.from)), camera_.project(position(line.to)), "#6b7580", 2);
  }
  void add_arrow(std::size_t i) {
    const SceneArrow& arrow = record_.scene().arrows[i];
    const std::size_t width = 3 * record_.scene().arrows.size();
    const double longest = largest_arrow(arrow.torque);
    Vec3 v{};
    for (std::size_t k = 0; k < 3; ++k) v[k] = blend(record_.arrows(), width, 3 * i + k);
    if (!(longest > 0) || !(norm(v) > 0.01 * longest)) return;
    const Vec3 from = position(arrow.point);
    const Vec3 to = from + (0.5 * record_.scene().size / longest) * v;
    const char* color = arrow.torque ? "#8a4cbf" : arrow.contact ? "#e68c1a" : arrow.reaction ? "#1a8c80" : "#d93333";
    const Vec3 a = camera_.project(from), b = camera_.project(to);
    add_stroke(a, b, color, 2.5);
    const double dx = b[0] - a[0], dy = b[1] - a[1], n = std::hypot(dx, dy);
    if (!(n > 1)) return;
    const double x = 9 * dx / n, y = 9 * dy / n;
    shapes_.push_back(
        {b[2] - 1e-6, fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\" fill=\"{}\"/>\n", b[0] + x,
                                  b[1] + y, b[0] - 0.5 * y, b[1] + 0.5 * x, b[0] + 0.5 * y, b[1] - 0.5 * x, color)});
  }
  double largest_arrow(bool torque) {
    double& largest = largest_[torque ? 1 : 0];
    if (largest >= 0) return largest;
    largest = 0;
    const auto& arrows = record_.scene().arrows;
    for (std::size_t k = 0; 3 * k + 2 < record_.arrows().size(); ++k) {
      if (arrows[k % arrows.size()].torque != torque) continue;
      const double size =
          std::hypot(static_cast<double>(record_.arrows()[3 * k]), static_cast<double>(record_.arrows()[3 * k + 1]),
                     static_cast<double>(record_.arrows()[3 * k + 2]));
      if (std::isfinite(size)) largest = std::max(largest, size);
    }
    return largest;
  }

  const RunRecord& record_;
  FrameOptions options_;
  Camera camera_;
  std::string planes_;  ///< as they are in every frame
  std::vector<Drawn> shapes_;
  std::size_t at_ = 0, next_ = 0;
  double share_ = 0;
  std::array<double, 2> largest_{-1, -1};
};

}  // namespace

void FrameOptions::set_size(const std::string& text) {
  FrameOptions asked = *this;
  int end = 0;
  const bool read = std::sscanf(text.c_str(), "%5dx%5d%n", &asked.width, &asked.height, &end) == 2 &&
                    static_cast<std::size_t>(end) == text.size();
  require(read, "the size of a frame is WIDTHxHEIGHT in pixels, for example 1280x720, not '{}'", text);
  asked.check();
  *this = asked;
}

void FrameOptions::check() const {
  constexpr int kLeast = 16, kMost = 8192;
  require(std::isfinite(rate) && rate > 0, "the frame rate must be positive, but it is {}", rate);
  require(std::min(width, height) >= kLeast && std::max(width, height) <= kMost,
          "the size of a frame is WIDTHxHEIGHT in pixels, each between {} and {}, not {}x{}", kLeast, kMost, width,
          height);
}

namespace {

std::string frame_file(const std::string& folder, std::size_t i) {
  return fmt::format("{}/frame_{:05}.svg", folder, i);
}

/// Those of a longer run that was there before.
void remove_later_frames(const std::string& folder, std::size_t count) {
  std::error_code ignored;
  for (std::size_t i = count; i < kMostFrames; ++i) {
    const std::string file = frame_file(folder, i);
    if (!std::filesystem::exists(file, ignored) || !may_replace(file)) return;
    std::filesystem::remove(file, ignored);
  }
}

}  // namespace

std::size_t write_frames(const RunRecord& record, const std::string& folder, const FrameOptions& options) {
  options.check();
  make_folder(folder);
  if (record.size() == 0) return 0;
  const double begin = record.times().front(), end = record.times().back();
  const double wanted = std::floor((end - begin) * options.rate + 1e-9) + 1;
  require(wanted <= static_cast<double>(kMostFrames),
          "the run would give {:.0f} frames, and at most {} are written; choose a lower frame rate", wanted,
          kMostFrames);
  const auto count = static_cast<std::size_t>(wanted);
  FramePainter painter(record, options);
  for (std::size_t i = 0; i < count; ++i) {
    const double t = begin + static_cast<double>(i) / options.rate;
    write_file(frame_file(folder, i), painter.paint(t));
  }
  remove_later_frames(folder, count);
  return count;
}

}  // namespace kane
