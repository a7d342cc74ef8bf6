#include "kane/mechanics/projection_method.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {
namespace {

/// Share of the estimated products of handing down that are really needed: many vectors have zero components, and equal
/// vectors are turned once. Measured on pendulums and serial arms of 3 to 20 links.
constexpr double kTurnsThatCount = 0.4;

int components(const Expr3& c) {
  int n = 0;
  for (const Expr& e : c) n += e.is_zero() ? 0 : 1;
  return n;
}

int shared_components(const Expr3& a, const Expr3& b) {
  int n = 0;
  for (std::size_t i = 0; i < 3; ++i) n += a[i].is_zero() || b[i].is_zero() ? 0 : 1;
  return n;
}

/// Products needed to hand forces and torques down from the given elements to where no wanted column moves anything any
/// more. A turn of a vector by one rotation is four products, an arm crossed with a force two per component of the arm.
class HandDownCost {
 public:
  HandDownCost(Kinematics& k, const std::vector<bool>& wanted)
      : k_(k), wanted_(wanted), points_(k.point_count(), false), frames_(k.system().frames().size(), false) {}

  void add(const InertiaElement& e) {
    if (e.translates) add_point(e.point);
    if (e.rotates) add_frame(e.frame);
  }
  [[nodiscard]] int cost() const { return cost_; }

 private:
  [[nodiscard]] bool moved(const VelocityForm& v) const {
    return std::any_of(v.partials.begin(), v.partials.end(),
                       [&](const PartialVelocity& p) { return wanted_[at(p.column)]; });
  }

  void add_point(PointId p) {
    while (p.valid() && !points_[p.index()] && moved(k_.point(p))) {
      points_[p.index()] = true;
      if (k_.point(p).direct) return;
      const PointRecord& record = k_.record(p);
      const FrameId basis = k_.point(p).basis;
      for (const Vector::Term& t : record.offset.terms()) {
        if (!moved(k_.frame(t.frame))) continue;
        cost_ += 4 * k_.bases().distance(basis, t.frame) + 2 * components(t.c);
        add_frame(t.frame);
      }
      const PointId next = record.carrier.valid() ? k_.anchor(record.carrier) : record.parent;
      if (next.valid() && moved(k_.point(next))) cost_ += 4 * k_.bases().distance(basis, k_.point(next).basis);
      p = next;
    }
  }
  void add_frame(FrameId f) {
    const Frames& frames = k_.system().frames();
    while (f.valid() && f != k_.system().inertial() && !frames_[f.index()] && moved(k_.frame(f))) {
      frames_[f.index()] = true;
      if (k_.frame(f).direct) return;
      const FrameId up = frames[f].parent;
      // Along parallel axes a torque needs no turn.
      const bool parallel = frames[f].axis && (up == k_.system().inertial() || frames[up].axis == frames[f].axis);
      if (!parallel) cost_ += frames[f].axis ? 4 : 9;
      f = up;
    }
  }

  Kinematics& k_;
  const std::vector<bool>& wanted_;
  std::vector<bool> points_, frames_;
  int cost_ = 0;
};

/// Products with W at the end of handing down, F_r = sum_k W_kr Phi_k: none where W is a number, many where constraints
/// are embedded.
int closing_products(const RateModel& model, const std::vector<bool>& wanted) {
  int n = 0;
  for (const SparseRow& row : model.W) {
    for (const auto& [column, w] : row) n += wanted[at(column)] && !w.is_number() ? 1 : 0;
  }
  return n;
}

/// The partial velocities of an element: translational and angular.
std::vector<const VelocityForm*> forms_of(Kinematics& k, const InertiaElement& e) {
  std::vector<const VelocityForm*> r;
  if (e.translates) r.push_back(&k.point(e.point));
  if (e.rotates) r.push_back(&k.frame(e.frame, e.basis));
  return r;
}

}  // namespace

Projection::Method choose_for_mass_matrix(Kinematics& k, const std::vector<InertiaElement>& elements,
                                          const std::vector<int>& columns, std::vector<bool> wanted) {
  long textbook = 0;
  double hand_down = 0;
  for (const InertiaElement& e : elements) {
    for (const VelocityForm* v : forms_of(k, e)) {
      for (std::size_t i = 0; i < v->partials.size(); ++i) {
        for (std::size_t j = i; j < v->partials.size(); ++j) {
          textbook += shared_components(v->partials[i].c, v->partials[j].c);
        }
      }
    }
  }
  for (const int c : columns) {
    HandDownCost cost(k, wanted);
    for (const InertiaElement& e : elements) {
      const auto forms = forms_of(k, e);
      if (std::any_of(forms.begin(), forms.end(), [&](const VelocityForm* v) { return !is_zero(v->partial(c)); })) {
        cost.add(e);
      }
    }
    hand_down += kTurnsThatCount * cost.cost() + closing_products(k.model(), wanted);
    wanted[at(c)] = false;
  }
  return hand_down > static_cast<double>(textbook) ? Projection::Method::Textbook : Projection::Method::HandDown;
}

Projection::Method choose_for_forces(Kinematics& k, const std::vector<InertiaElement>& elements,
                                     const std::vector<bool>& wanted) {
  long textbook = 0;
  HandDownCost hand_down(k, wanted);
  for (const InertiaElement& e : elements) {
    hand_down.add(e);
    for (const VelocityForm* v : forms_of(k, e)) {
      for (const PartialVelocity& p : v->partials) textbook += components(p.c);
    }
  }
  const double cost = kTurnsThatCount * hand_down.cost() + closing_products(k.model(), wanted);
  return cost > static_cast<double>(textbook) ? Projection::Method::Textbook : Projection::Method::HandDown;
}

}  // namespace kane
