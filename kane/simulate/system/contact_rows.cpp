#include "kane/simulate/system/contact_rows.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/contact/mesh_convexity.hpp"
#include "kane/contact/mesh_file.hpp"

namespace kane {

namespace {

/// Per body: position, rotation by rows, velocity, angular velocity, v_t, w_t, a, alpha, then J_v and J_w by rows.
constexpr std::size_t kBodyHead = 3 + 9 + 6 * 3;
/// Per shape: position, rotation by rows; the sizes follow.
constexpr std::size_t kPlaceSize = 3 + 9;
constexpr std::size_t kLawSize = 13;

/// `y`: position, rotation, sizes.
Solid solid_of(const SolidExpr& expr, std::span<const double> y) {
  Solid solid{expr.kind, {}, {y[0], y[1], y[2]}, {}, expr.file, expr.hull};
  for (std::size_t i = 0; i < 3; ++i) solid.rotation[i] = {y[3 + 3 * i], y[4 + 3 * i], y[5 + 3 * i]};
  const auto sizes = y.subspan(kPlaceSize, expr.sizes.size());
  solid.sizes.assign(sizes.begin(), sizes.end());
  return solid;
}

/// Contacts use the hull of a mesh; where that is another solid, the user has to say that it is meant.
void require_convex(const ContactShapeEquation& shape, std::span<const Vec3> points) {
  constexpr double kAllowedDent = 5e-3;  // of the size: meshes are not that accurate
  if (!has_mesh_triangles(shape.solid.file)) return;
  const Polytope hull = make_hull(points, shape.name);
  const double dent = find_deepest_dent(read_mesh_triangles(shape.solid.file), hull), size = hull.reach(hull.middle());
  require(dent <= kAllowedDent * size,
          "the mesh '{}' of '{}' is not convex (its convex hull stands out by up to {:.3g} m). Give the body several "
          "convex shapes instead, or write hull: true next to the mesh if it is the hull that should touch",
          std::filesystem::path(shape.solid.file).filename().string(), shape.name, dent);
}

std::vector<ContactPair> make_contact_pairs(const EquationsOfMotion& e) {
  std::vector<ContactPair> pairs;
  for (const auto& p : e.contact_pairs) pairs.push_back({p.name, at(p.first), at(p.second)});
  return pairs;
}

}  // namespace

ContactLayout find_contact_layout(const EquationsOfMotion& e) {
  ContactLayout layout;
  if (e.contact_pairs.empty()) return layout;
  // Slots are counted by kinds, whatever the sizes.
  std::vector<ContactShape> shapes;
  for (const auto& s : e.contact_shapes) shapes.push_back(make_typical_shape(s.solid.kind));
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
      laws_(&system.extra().contacts().laws, context),
      shapes_(&system.extra().contacts().shapes, context),
      rates_(&system.extra().contacts().rates, context),
      n_(system.speed_count()),
      scene_({}, make_contact_pairs(system.equations()), n_, system.contact_layout().slots),
      layout_(system.contact_layout()) {
  const EquationsOfMotion& e = system.equations();
  for (const auto& p : e.contact_pairs)
    for (const auto& [one, other] : {std::pair{p.first, p.second}, std::pair{p.second, p.first}}) {
      const auto &a = e.contact_shapes[at(one)], &b = e.contact_shapes[at(other)];
      require(a.solid.kind != ShapeKind::Ellipsoid || b.solid.kind == ShapeKind::Plane,
              "the contact '{}' is between the ellipsoid of '{}' and the shape of '{}'; an ellipsoid can touch planes "
              "only (use a mesh of points, or a ball)",
              p.name, a.name, b.name);
    }
  for (const auto& s : e.contact_shapes) {
    hull_points_.push_back(s.solid.file.empty() ? std::vector<Vec3>{} : read_mesh_points(s.solid.file));
    if (!s.solid.file.empty() && !s.solid.hull) require_convex(s, hull_points_.back());
  }
  std::size_t size = 0;
  for (const auto& own : system.extra().contacts().body_speeds) size += kBodyHead + 6 * own.size();
  body_values_.resize(size);
  oriented_ = std::any_of(e.contact_pairs.begin(), e.contact_pairs.end(), [](const auto& p) { return p.oriented; });
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
    const ContactShapeEquation& s = e.contact_shapes[i];
    shapes.push_back(make_contact_shape(solid_of(s.solid, y.subspan(first)), hull_points_[i], s.name));
    shapes.back().body = s.body < 0 ? kNoIndex : at(s.body);
    first += kPlaceSize + s.solid.sizes.size();
  }
  scene_.set_shapes(std::move(shapes));
}

/// The scene measures sliding along and across the directions that frictions have.
void ContactRows::orient_frictions(std::span<const double> q, std::span<const double> u) {
  calc_pairs(q, u);
  const auto& pairs = system_.equations().contact_pairs;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].oriented) continue;
    const double* v = law_values_.data() + kLawSize * system_.extra().contacts().law_of_pair[i];
    scene_.set_grain(i, {.body = pairs[i].grain_body < 0 ? kNoIndex : at(pairs[i].grain_body),
                         .along = {v[10], v[11], v[12]},
                         .ratio = v[9]});
  }
}

void ContactRows::calc_bodies(std::span<const double> q, std::span<const double> u) {
  update_shapes();
  if (oriented_) orient_frictions(q, u);
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
    MovingBody& b = scene_.body(i);
    b.motion.p = vector();
    for (Vec3& row : b.motion.R.rows) row = vector();
    b.motion.v = vector(), b.motion.w = vector();
    b.v_t = vector(), b.w_t = vector();
    b.motion.a = vector(), b.motion.alpha = vector();
    b.speeds = system_.extra().contacts().body_speeds[i];
    b.jv = y, b.jw = y + 3 * b.speeds.size();
    y += 6 * b.speeds.size();
  }
}

ContactScene::Row ContactRows::row_kind(std::size_t k) const {
  using Row = ContactScene::Row;
  static constexpr Row kRows[] = {Row::Normal, Row::Slip1, Row::Slip2, Row::Roll1, Row::Roll2, Row::Spin};
  return k == 3 && !layout_.rolling ? Row::Spin : kRows[k];
}

void ContactRows::calc_wrenches(const std::function<double(std::size_t row)>& force, std::span<double> wrenches) const {
  std::fill(wrenches.begin(), wrenches.end(), 0.0);
  for (std::size_t s = 0; s < layout_.slots; ++s)
    for (std::size_t k = 0; k < layout_.rows_per_slot(); ++k)
      scene_.add_wrenches(s, row_kind(k), force(first_row(s) + k), wrenches);
}

void ContactRows::calc(std::span<double> phi, std::span<double> b, std::span<double> gamma, MatrixView jacobian) {
  if (calculated_at_ == bodies_.runs() && calculated_with_ == scene_.version()) return;
  calculated_at_ = bodies_.runs(), calculated_with_ = scene_.version();
  scene_.calc();
  const std::size_t per_slot = layout_.rows_per_slot();
  for (std::size_t s = 0; s < layout_.slots; ++s)
    for (std::size_t k = 0; k < per_slot; ++k) {
      const std::size_t r = first_row(s) + k;
      const auto values = scene_.calc_row(s, row_kind(k), jacobian.row(r));
      phi[r] = values.phi, b[r] = values.b, gamma[r] = values.gamma;
    }
}

void ContactRows::calc_pairs(std::span<const double> q, std::span<const double> u) {
  const auto values = laws_.run(q, u);
  law_values_.assign(values.begin(), values.end());
}

PairValues ContactRows::pair_values(std::size_t pair) const {
  const double* v = law_values_.data() + kLawSize * system_.extra().contacts().law_of_pair[pair];
  const ContactPairEquation& own = system_.equations().contact_pairs[pair];
  return {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], own.law, own.linear, own.phases};
}

ConstMatrixView ContactRows::calc_rates(std::span<const double> q, std::span<const double> u) {
  const auto y = rates_.run(q, u);
  std::size_t k = 0;
  for (const auto& place : system_.extra().contacts().rate_places) rate_matrix_(place.row, place.column) = y[k++];
  return rate_matrix_.view();
}

std::string ContactRows::slot_name(std::size_t slot) const {
  std::string name;
  write_slot_name(slot, name);
  return name;
}

void ContactRows::write_slot_name(std::size_t slot, std::string& name) const {
  name.clear();
  const std::size_t pair = scene_.pair_of(slot);
  if (pair == kNoIndex) return;
  int before = 0;
  for (std::size_t s = 0; s < slot; ++s) before += scene_.pair_of(s) == pair ? 1 : 0;
  name = scene_.pairs()[pair].name;
  if (before > 0) fmt::format_to(std::back_inserter(name), ".{}", before + 1);
}

std::string ContactRows::row_name(std::size_t row) const {
  const std::size_t index = row - system_.constraint_count(), k = index % layout_.rows_per_slot();
  static constexpr const char* kSuffixes[] = {"", ".friction1", ".friction2", ".rolling1", ".rolling2", ".spinning"};
  return slot_name(index / layout_.rows_per_slot()) + kSuffixes[k == 3 && !layout_.rolling ? 5 : k];
}

}  // namespace kane
