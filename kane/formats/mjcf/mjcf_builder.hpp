#pragma once
// A mechanism from the elements of an MJCF file. Its parts are in files of their own: bodies and shapes, joints, forces
// (actuators, tendons), equalities and keyframes.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/suggest.hpp"
#include "kane/formats/import_names.hpp"
#include "kane/formats/mjcf/mjcf_contacts.hpp"
#include "kane/formats/mjcf/mjcf_forces.hpp"
#include "kane/formats/mjcf/mjcf_reader.hpp"
#include "kane/formats/mjcf/mjcf_tendons.hpp"
#include "kane/formats/yaml/yaml_tree.hpp"

namespace kane {

[[nodiscard]] inline Expr3 mjcf_exprs(const Vec3& v) { return {Expr(v.x), Expr(v.y), Expr(v.z)}; }
[[nodiscard]] inline Expr33 mjcf_exprs(const Mat3& m) { return {mjcf_exprs(m[0]), mjcf_exprs(m[1]), mjcf_exprs(m[2])}; }
[[nodiscard]] inline Placement mjcf_placement(const MjcfPose& pose) {
  return {mjcf_exprs(pose.position), mjcf_exprs(pose.rotation)};
}
/// "x*B.x + y*B.y + z*B.z"
[[nodiscard]] std::string mjcf_vector_text(const Vec3& v, const std::string& frame);

/// A named place in a body.
struct MjcfSite {
  std::string point;
  std::size_t body;
  MjcfPose pose;  ///< in the body that it moves with
};

/// A coordinate with one degree of freedom, and where it is in the file and in the mechanism.
struct MjcfAxisPlace {
  MjcfAxis axis;
  std::size_t body;
  const MjcfJoint* joint;
  std::size_t joint_index, motion;
};

class MjcfBuilder {
 public:
  MjcfBuilder(const MjcfFile& file, const MjcfOptions& options, MjcfRefusals& refusals);

  Mechanism build();

 private:
  [[nodiscard]] bool enabled(std::string_view flag) const { return file_.flags.flag(flag, true); }
  [[nodiscard]] bool passive(std::string_view flag) const { return enabled("passive") && enabled(flag); }

  // ---- bodies -------------------------------------------------------------------------------------------------------------
  void set_gravity();

  void name_bodies();
  [[nodiscard]] const std::string& name_of(std::size_t body) const { return body == 0 ? m_.ground : names_[body - 1]; }
  [[nodiscard]] const std::string& owner_of(std::size_t body) const { return name_of(bodies_[body].owner); }

  void add_body(std::size_t i);

  /// A force against gravity at the body's own mass centre.
  void compensate_gravity(std::size_t i);

  std::string add_point(const std::string& name, std::size_t owner, const Vec3& at, const Where& where);

  void add_sites(std::size_t i);

  // ---- shapes -------------------------------------------------------------------------------------------------------------
  void add_shapes(const MjcfBody& b, std::vector<Shape>& shapes);

  bool set_kind(const MjcfElement& e, const MjcfGeom& geom, Shape& shape);

  bool set_mesh(const MjcfElement& e, Shape& shape);

  static std::string color_of(const MjcfElement& e);

  /// Shapes of the world, and of what is fixed to it, are on a body welded to the ground.
  void add_ground_shapes();

  /// Shapes touch as contype, conaffinity, <exclude> and <pair> say. Contacts are rigid and without rebound: solref, solimp,
  /// margin and gap describe MuJoCo's soft ones.
  void add_contacts();

  // ---- joints -------------------------------------------------------------------------------------------------------------
  /// The joints of a body move it one after another, each about its own point. Those about the same point make one joint of
  /// several motions; between others stands a massless body.
  void add_joints(std::size_t i);

  std::string add_between(std::size_t i);

  void add_group(std::size_t i, std::size_t first, std::size_t end, const Vec3& point, const std::string& from,
                 const std::string& to, const MjcfPose& place);

  void add_motion(const MjcfJoint& j, const std::string& joint_name, Joint& joint,
                  std::vector<std::string>& coordinates, std::vector<std::string>& speeds);

  /// Springs, dampers, friction and limits of one motion; and its place in MuJoCo's lists of coordinates and speeds.
  void remember_axis(std::size_t i, const MjcfJoint& j, ElementaryMotion& motion, std::size_t joint, std::size_t place);

  void remember_ball(std::size_t i, const MjcfJoint& j, const ElementaryMotion& motion);

  void refuse_on_ball(const MjcfElement& e, std::initializer_list<const char*> attributes);

  /// Damping and armature of a joint that turns in all directions: the same for each of its speeds.
  void add_ball_load(const MjcfElement& e, const std::string& joint, const std::string& on, const std::string& reaction,
                     const std::vector<Expr>& w, const std::vector<Expr>& v);

  void add_free_joint(std::size_t i);

  // ---- passive forces -----------------------------------------------------------------------------------------------------
  void add_ball_spring(const MjcfElement& e, const MjcfJoint& j, const std::string& on, const std::string& reaction,
                       const ElementaryMotion& motion);
  void limit_ball(const MjcfElement& e, const MjcfJoint& j, const ElementaryMotion& motion);
  void find_spring_dampers();
  [[nodiscard]] double stiffness_of(const MjcfJoint& j) const;
  [[nodiscard]] double damping_of(const MjcfJoint& j) const;
  void add_fluid();

  // ---- forces -------------------------------------------------------------------------------------------------------------
  /// Diagonal entries of the mass matrix in the described pose: what moves outside of each joint, about its axis.
  void weigh_axes();

  template <class Map>
  [[nodiscard]] static const typename Map::mapped_type& find_part(const Map& map, const std::string& name,
                                                                  const MjcfElement& e, std::string_view what) {
    const auto found = map.find(name);
    if (found != map.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [key, value] : map) known.push_back(key);
    e.fail(fmt::format("there is no {} '{}'{}", what, shown(name), suggestion(name, known)));
  }

  MjcfLength joint_length(const MjcfElement& e, const std::string& joint, double factor) const;

  /// Nothing for a tendon that is not a sum of coordinates.
  std::optional<MjcfLength> tendon_length(const MjcfElement& user, const std::string& name, double factor);

  /// A spatial tendon runs straight from site to site; behind a pulley its parts count divided by the pulley's divisor.
  std::optional<MjcfLength> path_length(const MjcfElement& t, double factor);

  std::optional<MjcfLength> find_path(const MjcfElement& t, const std::string& name);

  /// A force that lengthens the path: along each of its straight parts, on both ends.
  void push_along(const MjcfLength& length, const std::string& force, const std::string& name, const Where& where);

  void add_actuators();

  std::string input_name(ImportNames& inputs, const std::string& name);

  /// The control within its range, or the state that follows it.
  std::string signal_of(const MjcfActuator& a, ImportNames& inputs, const std::string& name);

  static std::string scaled(double factor, const std::string& force);

  /// Damping by a ratio, and a range taken from the joint's.
  void complete(MjcfActuator& a, const MjcfLength& length) const;

  void act_on_site(const MjcfActuator& a, const std::string& input);

  /// A ball: torque in the axes of the body (or of its parent); a free body: force in the axes of the world as well.
  void act_on_body(const MjcfActuator& a, const std::string& input);

  void push(const MjcfActuator& a, const std::string& amount, const std::string& body, const std::string& point,
            const Vec3& force, const std::string& force_axes, const Vec3& torque, const std::string& torque_axes,
            const std::string& reaction = "");

  /// Springs, dampers, friction and limits of tendons.
  void add_tendon_forces();

  /// A range is a pair of stops, friction a dry one.
  void limit_tendon(const MjcfElement& t, const MjcfLength& length);

  /// Writes the collected forces to the joints.
  void finish_laws();

  // ---- equalities ---------------------------------------------------------------------------------------------------------
  void add_equalities();

  static std::vector<double> coefficients(const MjcfElement& e);

  void add_rows(const MjcfElement& e, const std::string& name, const std::string& first, const std::string& second);

  /// q1 - ref1 = a0 + a1 (q2 - ref2) + ...
  void add_coupling(const MjcfElement& e, const std::string& name);

  void add_tendon_coupling(const MjcfElement& e, const std::string& name);

  std::size_t find_body(const MjcfElement& e, const char* attribute) const;

  /// Where the two bodies of an equality meet, each in the body that it moves with.
  struct Meeting {
    std::size_t body1, body2;
    MjcfPose pose1, pose2;
  };

  [[nodiscard]] Meeting find_meeting(const MjcfElement& e) const;

  void add_connection(const MjcfElement& e, const std::string& name);

  void add_weld(const MjcfElement& e, const std::string& name);

  // ---- start and notes ----------------------------------------------------------------------------------------------------
  void use_keyframe();
  void begin_within_ranges();

  template <class Set>
  static void set_values(const MjcfElement& key, const char* attribute, const std::vector<std::string>& names,
                         Set set) {
    const auto values = key.numbers(attribute, names.size(), names.size());
    if (!values) return;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!names[i].empty()) set(names[i], (*values)[i]);
  }

  void add_notes();

  const MjcfFile& file_;
  MjcfOptions options_;
  MjcfRefusals& refusals_;
  MjcfCompiler compiler_;
  std::vector<MjcfBody> bodies_;
  Mechanism m_;
  Graph& graph_;
  ImportNames body_names_, joint_names_, loads_, constraints_;  ///< bodies, frames and points share their names
  std::vector<std::string> names_;                              ///< of the bodies, without the world
  Vec3 gravity_;
  std::string gravity_text_;
  std::map<std::string, MjcfSite, std::less<>> sites_;
  std::map<std::string, MjcfAxisPlace, std::less<>> axes_;        ///< by the joint's name in the file
  std::map<std::string, std::size_t, std::less<>> balls_, free_;  ///< bodies, likewise
  std::map<std::string, std::size_t, std::less<>> body_index_;
  std::map<std::string, std::vector<std::string>, std::less<>> actuation_, forces_;  ///< by coordinate
  std::vector<std::string> activations_;                                             ///< states of actuators, likewise
  std::vector<std::string> qpos_, qvel_, controls_;   ///< in MuJoCo's order; "" for an actuator that was left out
  static constexpr std::size_t kMostContacts = 1000;  ///< pairs of bodies
  std::vector<MjcfTouching> touching_;
  std::string world_shapes_;                                       ///< body with the shapes of the world
  std::map<const MjcfElement*, std::optional<MjcfLength>> paths_;  ///< of spatial tendons
  ImportNames expressions_;
  std::map<const MjcfJoint*, std::pair<double, double>> spring_dampers_;  ///< stiffness and damping
  int site_count_ = 0, equality_count_ = 0;
};

}  // namespace kane
