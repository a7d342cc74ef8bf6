#include "kane/simulate/system/contact_rows.hpp"

#include <algorithm>
#include <numbers>
#include <utility>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/contact/mesh_file.hpp"

namespace kane {

namespace {

using Solid = ContactShapeEquation::Kind;

/// Per body: position, rotation by rows, velocity, angular velocity, v_t, w_t, a, alpha, then J_v and J_w by rows.
constexpr std::size_t kBodyHead = 3 + 9 + 6 * 3;

double positive(double size, const std::string& what, const std::string& name) {
  require(size > 0 && std::isfinite(size), "{} of the shape of '{}' must be positive, but it is {}", what, name, size);
  return size;
}

std::vector<Vec3> cone_points(double radius, double length) {
  constexpr int kSides = 48;
  std::vector<Vec3> points{{0, 0, length / 2}};
  for (int i = 0; i < kSides; ++i) {
    const double angle = 2 * std::numbers::pi * i / kSides;
    points.push_back({radius * std::cos(angle), radius * std::sin(angle), -length / 2});
  }
  return points;
}

/// `y`: position, rotation, sizes.
ContactShape make_shape(const ContactShapeEquation& s, const double* y, std::span<const Vec3> hull) {
  const Vec3 position{y[0], y[1], y[2]};
  Mat3 turned;
  for (std::size_t i = 0; i < 3; ++i) turned.rows[i] = {y[3 + 3 * i], y[4 + 3 * i], y[5 + 3 * i]};
  const double* size = y + 12;
  ContactShape shape;
  switch (s.kind) {
    case Solid::Box:
      for (std::size_t i = 0; i < 3; ++i) (void)positive(size[i], "an edge", s.name);
      shape = make_box_shape({size[0], size[1], size[2]}, position, turned);
      break;
    case Solid::Ball:
      for (std::size_t i = 0; i < s.sizes.size(); ++i) (void)positive(size[i], "the radius", s.name);
      shape = s.sizes.size() == 3 ? make_ellipsoid_shape({size[0], size[1], size[2]}, position, turned)
                                  : make_ball_shape(size[0], position);
      break;
    case Solid::Capsule:
      shape = make_capsule_shape(positive(size[0], "the radius", s.name), positive(size[1], "the length", s.name),
                                 position, turned);
      break;
    case Solid::Cylinder:
      require(size[1] >= 0, "the length of the shape of '{}' is negative", s.name);
      shape = make_cylinder_shape(positive(size[0], "the radius", s.name), size[1], position, turned);
      break;
    case Solid::Cone: {
      const auto points = cone_points(positive(size[0], "the radius", s.name), positive(size[1], "the length", s.name));
      shape = make_hull_shape(points, position, turned, fmt::format("the cone of '{}'", s.name));
      break;
    }
    case Solid::Plane: shape = make_plane_shape({y[5], y[8], y[11]}, position); break;
    case Solid::Hull: {
      std::vector<Vec3> points(hull.begin(), hull.end());
      for (std::size_t i = 0; i + 2 < s.sizes.size(); i += 3) points.push_back({size[i], size[i + 1], size[i + 2]});
      shape = make_hull_shape(points, position, turned, fmt::format("the mesh of '{}'", s.name));
    }
  }
  shape.name = s.name;
  shape.body = s.body;
  return shape;
}

std::vector<ContactPair> make_contact_pairs(const EquationsOfMotion& e) {
  std::vector<ContactPair> pairs;
  for (const auto& p : e.contact_pairs) pairs.push_back({p.name, p.first, p.second});
  return pairs;
}

}  // namespace

ContactLayout find_contact_layout(const EquationsOfMotion& e) {
  ContactLayout layout;
  if (e.contact_pairs.empty()) return layout;
  // Slots are counted by kinds; sizes do not matter, so shapes of any size stand for those of the model.
  std::vector<ContactShape> shapes;
  for (const auto& s : e.contact_shapes) {
    ContactShape shape;
    if (s.kind == Solid::Plane) shape.kind = ContactShape::Kind::Plane;
    if (s.kind == Solid::Cylinder) shape.kind = ContactShape::Kind::Cylinder;
    shape.core.corners.resize(s.kind == Solid::Ball ? 1 : s.kind == Solid::Capsule ? 2 : s.kind == Solid::Box ? 8 : 16);
    shapes.push_back(std::move(shape));
  }
  layout.slots = find_slot_count(shapes, make_contact_pairs(e));
  for (const auto& p : e.contact_pairs) {
    layout.rolling = layout.rolling || !p.rolling.is_zero();
    layout.spinning = layout.spinning || !p.spinning.is_zero();
  }
  return layout;
}

ContactRows::ContactRows(const CompiledSystem& system, const RunContext& context)
    : system_(system),
      context_(context),
      bodies_(&system.extra().contacts().bodies, context),
      pairs_(&system.extra().contacts().pairs, context),
      shapes_(&system.extra().contacts().shapes, context),
      rates_(&system.extra().contacts().rates, context),
      n_(system.speed_count()),
      scene_({}, make_contact_pairs(system.equations()), n_, system.contact_layout().slots),
      layout_(system.contact_layout()) {
  const EquationsOfMotion& e = system.equations();
  for (const auto& p : e.contact_pairs)
    for (const auto& [one, other] : {std::pair{p.first, p.second}, std::pair{p.second, p.first}}) {
      const auto &a = e.contact_shapes[at(one)], &b = e.contact_shapes[at(other)];
      require(a.kind != Solid::Ball || a.sizes.size() == 1 || b.kind == Solid::Plane,
              "the contact '{}' is between the ellipsoid of '{}' and the shape of '{}'; an ellipsoid can touch planes "
              "only (use a mesh of points, or a ball)",
              p.name, a.name, b.name);
    }
  for (const auto& s : e.contact_shapes)
    hull_points_.push_back(s.file.empty() ? std::vector<Vec3>{} : read_mesh_points(s.file));
  body_values_.resize(e.contact_bodies.size() * (kBodyHead + 6 * n_));
  pair_values_.resize(7 * e.contact_pairs.size());
  rate_matrix_ = Matrix(e.q.size(), n_);
}

/// Sizes depend on parameters only; whatever else stands in their kernel is not read.
void ContactRows::update_shapes() {
  if (parameters_seen_ == context_.parameter_changes) return;
  parameters_seen_ = context_.parameter_changes;
  const EquationsOfMotion& e = system_.equations();
  const std::vector<double> nothing(e.q.size() + e.u.size(), 0.0);
  const auto y = shapes_.run(nothing);
  std::vector<ContactShape> shapes;
  std::size_t first = 0;
  for (std::size_t i = 0; i < e.contact_shapes.size(); ++i) {
    shapes.push_back(make_shape(e.contact_shapes[i], y.data() + first, hull_points_[i]));
    first += 12 + e.contact_shapes[i].sizes.size();
  }
  scene_.set_shapes(std::move(shapes));
}

void ContactRows::calc_bodies(std::span<const double> q, std::span<const double> u) {
  update_shapes();
  const long runs = bodies_.runs();
  const std::span<const double> values = bodies_.run(q, u);
  if (bodies_.runs() == runs) return;
  std::ranges::copy(values, body_values_.begin());
  const double* y = body_values_.data();
  for (std::size_t i = 0; i < system_.equations().contact_bodies.size(); ++i) {
    const auto vector = [&y] {
      const Vec3 v{y[0], y[1], y[2]};
      y += 3;
      return v;
    };
    MovingBody& b = scene_.body(static_cast<int>(i));
    b.motion.p = vector();
    for (Vec3& row : b.motion.R.rows) row = vector();
    b.motion.v = vector(), b.motion.w = vector();
    b.v_t = vector(), b.w_t = vector();
    b.motion.a = vector(), b.motion.alpha = vector();
    b.jv = y, b.jw = y + 3 * n_;
    y += 6 * n_;
  }
}

void ContactRows::calc(std::span<double> phi, std::span<double> b, std::span<double> gamma, MatrixView jacobian) {
  if (calculated_at_ == bodies_.runs() && calculated_with_ == scene_.version()) return;
  calculated_at_ = bodies_.runs(), calculated_with_ = scene_.version();
  scene_.calc();
  using Row = ContactScene::Row;
  static constexpr Row kRows[] = {Row::Normal, Row::Slip1, Row::Slip2, Row::Roll1, Row::Roll2, Row::Spin};
  const std::size_t per_slot = layout_.rows_per_slot();
  for (std::size_t s = 0; s < layout_.slots; ++s)
    for (std::size_t k = 0; k < per_slot; ++k) {
      const Row row = k == 3 && !layout_.rolling ? Row::Spin : kRows[k];
      const std::size_t r = first_row(s) + k;
      const auto values = scene_.calc_row(s, row, jacobian.row(r));
      phi[r] = values.phi, b[r] = values.b, gamma[r] = values.gamma;
    }
}

void ContactRows::calc_pairs(std::span<const double> q, std::span<const double> u) {
  std::ranges::copy(pairs_.run(q, u), pair_values_.begin());
}

PairValues ContactRows::pair_values(std::size_t pair) const {
  const double* v = pair_values_.data() + 7 * pair;
  return {v[0], v[1], v[2], v[3], v[4], v[5], v[6], system_.equations().contact_pairs[pair].poisson};
}

ConstMatrixView ContactRows::calc_rates(std::span<const double> q, std::span<const double> u) {
  const auto y = rates_.run(q, u);
  for (std::size_t i = 0, k = 0; i < q.size(); ++i)
    for (std::size_t j = 0; j < n_; ++j) rate_matrix_(i, j) = y[k++];
  return rate_matrix_.view();
}

std::string ContactRows::slot_name(std::size_t slot) const {
  std::string name;
  write_slot_name(slot, name);
  return name;
}

void ContactRows::write_slot_name(std::size_t slot, std::string& name) const {
  name.clear();
  const int pair = scene_.pair_of(slot);
  if (pair < 0) return;
  int before = 0;
  for (std::size_t s = 0; s < slot; ++s) before += scene_.pair_of(s) == pair ? 1 : 0;
  name = scene_.pairs()[at(pair)].name;
  if (before > 0) fmt::format_to(std::back_inserter(name), ".{}", before + 1);
}

std::string ContactRows::row_name(std::size_t row) const {
  const std::size_t index = row - system_.constraint_count(), k = index % layout_.rows_per_slot();
  static constexpr const char* kSuffixes[] = {"", ".friction1", ".friction2", ".rolling1", ".rolling2", ".spinning"};
  return slot_name(index / layout_.rows_per_slot()) + kSuffixes[k == 3 && !layout_.rolling ? 5 : k];
}

}  // namespace kane
