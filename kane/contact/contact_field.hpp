#pragma once
// All places where shapes touch or are about to: as many as there are, found anew for every step of a time stepping scheme.
// (ContactScene has a fixed number of them, held still during the smooth motion between events.) A place that was there
// before keeps what it remembers: the face it lies on, and the impulses of the last step, from which the next solution starts.

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kane/contact/contact_scene.hpp"
#include "kane/contact/near_pairs.hpp"

namespace kane {

struct ContactPlace {
  std::uint32_t pair = 0;
  bool swapped = false;
  Feature feature;
  Hold hold;
  std::uint32_t first = 0, second = 0;  ///< shapes; the normal points from the second to the first
  Vec3 normal, point1, point2;          ///< points of the two surfaces
  double gap = 0;
  bool closed = false;       ///< they touch
  bool speculative = false;  ///< they would overlap at the end of the step
  // what is remembered
  double press = 0;  ///< impulse along the normal
  Vec3 drag, roll;   ///< impulses of sliding and rolling friction, and of spinning friction along the normal
  double spin = 0;
  double sum_press = 0;  ///< of the whole step
  Vec3 sum_drag;
  double approach = 0;  ///< speed of approach before the step in which they met, if they met in the last one
  bool sticks = true;
  bool arrived = false;  ///< in the last step

  Vec3 grain;        ///< along which friction has its first coefficient; zero: it is the same in all directions
  double ratio = 1;  ///< of the second one to it

  /// One of two directions of sliding; the other one is across both.
  [[nodiscard]] Vec3 first_across() const {
    if (ratio != 1) return unit(cross(cross(normal, grain), normal));
    return unit(cross(normal, std::abs(normal.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
  }
};

class ContactField {
 public:
  /// The scene provides shapes, pairs and the motion of bodies.
  explicit ContactField(ContactScene& scene) : scene_(scene) {}

  /// The places that bodies may reach within `h`, at their present motion. They are closed, or near.
  void find(double h);
  /// Marks the places, other than `known` ones, that are near and would overlap if bodies moved to `ends` (by body).
  void speculate(std::span<const RigidMotion> ends, const std::vector<bool>& known);
  /// Gaps, points and normals at the present motion of the bodies, of the places that are known.
  void refresh();
  void forget() { places_.clear(); }

  [[nodiscard]] std::vector<ContactPlace>& places() { return places_; }
  [[nodiscard]] const std::vector<ContactPlace>& places() const { return places_; }
  [[nodiscard]] const ContactScene& scene() const { return scene_; }
  /// A time within which no shape moves through another one unseen, of the pairs that find() looked at.
  [[nodiscard]] double longest_step() const { return longest_step_; }
  /// The smaller shape of a pair; gaps below a millionth of it are closed.
  [[nodiscard]] double size_of_pair(std::size_t pair) const;

 private:
  void prepare();
  void add(std::uint32_t pair, double reach);
  void offer(std::uint32_t pair, const Feature& feature, bool swapped, double reach);
  void read(const Touch& touch, ContactPlace& place) const;
  [[nodiscard]] Touch calc(const ContactPlace& place, const Hold& hold) const;
  void remember_rim(ContactPlace& place) const;
  void find_grain(ContactPlace& place) const;
  [[nodiscard]] const RigidMotion& motion(std::uint32_t shape) const {
    const std::size_t body = scene_.shapes()[shape].body;
    return scene_.body(body).motion;
  }

  ContactScene& scene_;
  long version_ = -1;
  std::unique_ptr<NearPairs> near_;
  std::vector<ShapeBounds> bounds_;
  std::vector<double> travel_, sizes_, depths_;
  double longest_step_ = 0;
  std::vector<ContactPlace> places_, before_;
  std::size_t old_begin_ = 0, old_end_ = 0, pair_begin_ = 0;  ///< places of the present pair: before, and now
};

}  // namespace kane
