#pragma once
// The features of shapes that are near each other. A fixed number of slots holds the features that could touch within the
// next step; each slot gives rows of constraints: the gap, two sliding speeds, and on request rolling and spinning.
//
// Slots are assigned and freed between steps only, so that during a step every gap is one continuous function. A feature
// without a slot is too far away to be reached: longest_step() limits the next step (conservative advancement: distance /
// bound on the speed). Distances of shapes that are not near come from FCL, or from a cheaper lower bound where nothing
// may allocate.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kane/contact/touching.hpp"
#include "kane/solve/matrix.hpp"

namespace kane {

struct ContactPair {
  std::string name;
  std::size_t first = 0, second = 0;  ///< shapes
};

/// A body with its partial velocities: velocity = jv u + v_t, angular velocity = jw u + w_t.
struct MovingBody {
  RigidMotion motion;
  Vec3 v_t, w_t;
  std::span<const std::uint32_t> speeds;  ///< those that move it: the columns of jv and jw
  const double* jv = nullptr;             ///< three rows; null for the ground
  const double* jw = nullptr;
};

class FclDistances;

class ContactScene {
 public:
  ContactScene(std::vector<ContactShape> shapes, std::vector<ContactPair> pairs, std::size_t speeds, std::size_t slots);
  ~ContactScene();
  ContactScene(const ContactScene&) = delete;
  ContactScene& operator=(const ContactScene&) = delete;

  [[nodiscard]] std::size_t slot_count() const { return slots_.size(); }
  [[nodiscard]] const std::vector<ContactPair>& pairs() const { return pairs_; }
  [[nodiscard]] const std::vector<ContactShape>& shapes() const { return shapes_; }
  /// Changes the sizes; features keep their numbers.
  void set_shapes(std::vector<ContactShape> shapes);

  /// Motion of a body (kNoIndex: the ground), to be filled in before the rest is called.
  [[nodiscard]] MovingBody& body(std::size_t i) { return i == kNoIndex ? ground_ : bodies_[i]; }
  [[nodiscard]] const MovingBody& body(std::size_t i) const { return i == kNoIndex ? ground_ : bodies_[i]; }
  /// Friction of a pair that depends on the direction: sliding across `along`, fixed in a body (kNoIndex: in the ground), is
  /// measured `ratio` times as fast, which makes the friction cone round (lowering_switching.cpp).
  struct Grain {
    std::size_t body = kNoIndex;
    Vec3 along;
    double ratio = 1;
  };
  void set_grain(std::size_t pair, const Grain& grain);
  /// Null: friction is the same in all directions.
  [[nodiscard]] const Grain* grain(std::size_t pair) const {
    return pair < grains_.size() && grains_[pair].ratio > 0 && norm(grains_[pair].along) > 0 ? &grains_[pair] : nullptr;
  }
  [[nodiscard]] std::size_t body_count() const { return bodies_.size(); }
  /// Grows with every set_shapes().
  [[nodiscard]] long shape_version() const { return shape_version_; }

  /// Frees all slots.
  void clear();
  /// Takes over the slots of another scene of the same shapes.
  void copy_slots(const ContactScene& from);
  /// Saves the slots, and restores them.
  void keep_slots();
  void restore_slots();
  /// The same with memory that the caller owns.
  struct Memory;
  void save(Memory& memory) const;
  void restore(const Memory& memory);
  /// Assigns slots to features that are near and frees those of features that are not; slots that hold are kept. `exact`:
  /// distances by FCL, which allocates. True if any slot changed.
  bool update(bool exact);
  /// Whether more features are near than there are slots.
  [[nodiscard]] bool overflown() const { return overflown_; }
  [[nodiscard]] double longest_step() const { return longest_step_; }
  /// longest_step() knows the speeds at the beginning of the step only. With the bodies at the end of a step of length `h`:
  /// the fraction of it during which no shape can have reached a feature without a slot; 1 for the whole step.
  [[nodiscard]] double safe_part(double h) const;
  /// Grows whenever a slot or a shape changes. While it is constant, equal motions of the bodies give equal rows.
  [[nodiscard]] long version() const { return version_; }

  [[nodiscard]] std::size_t pair_of(std::size_t slot) const { return slots_[slot].pair; }  ///< kNoIndex: empty
  /// While it holds, a feature stays the same even outside its bounds.
  void hold(std::size_t slot, bool holds);
  [[nodiscard]] bool holds(std::size_t slot) const { return slots_[slot].hold.holds; }
  void release(std::size_t slot) { slots_[slot] = {}, ++version_; }

  /// Evaluates all slots.
  void calc();
  [[nodiscard]] const Touch& touch(std::size_t slot) const { return touches_[slot]; }
  /// The form of a row: n^T (J1 - J2), t^T (J1 - J2), or the same of angular velocities.
  enum class Row : std::uint8_t { Normal, Slip1, Slip2, Roll1, Roll2, Spin };
  struct RowValues {
    double phi = 0, b = 0, gamma = 0;
  };
  /// After calc(): writes n coefficients to `a`. Rows across the normal are zero while the gap is far from closing.
  RowValues calc_row(std::size_t slot, Row row, double* a) const;
  /// Where a slot touches, as its pair sees it: the normal points to the first shape, forces along `across` act on it.
  struct Place {
    Vec3 point, normal;
    Vec3 across1, across2;  ///< zero while the gap is far from closing
    double sign = 1;        ///< of the forces of the slot's rows
  };
  /// After calc(); null if the slot is empty or its feature is out of sight.
  [[nodiscard]] std::optional<Place> place(std::size_t slot) const;
  /// Adds what a force along a row exerts on the bodies: for each of them the force, and the torque about its origin.
  void add_wrenches(std::size_t slot, Row row, double force, std::span<double> wrenches) const;

  /// Distance of a pair by FCL (to about 1e-6); if they overlap, minus a bound on the depth. Allocates.
  [[nodiscard]] double calc_distance(std::size_t pair);
  /// The balls around the shapes of a pair do not meet.
  [[nodiscard]] bool clearly_apart(std::size_t pair) const;

 private:
  struct Slot {
    std::size_t pair = kNoIndex;
    bool swapped = false;
    Feature feature;
    Hold hold;
    Vec3 reference{1, 0, 0};  ///< sliding speeds are measured across it
    bool near = false;
  };
  /// Across the normal: two directions with their rates, and the sliding velocity with its rate.
  struct Tangents {
    bool needed = false;
    JetVector first, second, slip;
    double ratio = 1;  ///< of sliding along `second`
  };
  struct Sides {
    const ContactShape *first, *second;
    const MovingBody *b1, *b2;
  };

  [[nodiscard]] const MovingBody& body_of(const ContactShape& shape) const {
    return shape.body == kNoIndex ? ground_ : bodies_[shape.body];
  }
  [[nodiscard]] Sides sides(std::size_t pair, bool swapped) const;
  [[nodiscard]] double margin(const ContactPair& pair) const;
  [[nodiscard]] double speed_bound(const ContactPair& pair) const;
  [[nodiscard]] double distance_bound(const ContactPair& pair) const;
  void add_features(std::size_t pair, double reach);
  void offer(std::size_t pair, bool swapped, const Feature& feature);
  void update_memory();

  std::vector<ContactShape> shapes_;
  std::vector<ContactPair> pairs_;
  std::vector<MovingBody> bodies_;
  MovingBody ground_;
  std::vector<Slot> slots_;
  std::vector<Touch> touches_;
  std::vector<Slot> kept_slots_;
  std::vector<Touch> kept_touches_;
  std::vector<Tangents> tangents_;
  std::vector<Grain> grains_;  ///< of pairs; empty if there are none
  struct Travel {
    double speed = 0, distance = 0;
  };
  std::vector<Travel> travels_;  ///< of pairs at the last update()
  std::vector<double> reaches_, sizes_;
  std::size_t n_;
  bool overflown_ = false, changed_ = false, kept_overflown_ = false;
  double longest_step_ = 0, kept_longest_step_ = 0;
  long version_ = 0, shape_version_ = 0;
  std::unique_ptr<FclDistances> fcl_;
};

struct ContactScene::Memory {
  std::vector<Slot> slots;
  std::vector<Touch> touches;
  std::vector<Travel> travels;
  bool overflown = false;
  double longest_step = 0;
};

/// The number of slots that suffices for these pairs if each of them touches in as many points as it can.
[[nodiscard]] std::size_t find_slot_count(std::span<const ContactShape> shapes, std::span<const ContactPair> pairs);

}  // namespace kane
