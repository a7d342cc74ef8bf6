#pragma once
// The text of a spacecraft file of 42 (SC_*.txt) as plain data.
//
// The file has no keywords: lines have their meaning by their place, with the values first and a comment behind them. Its
// layout has changed several times; it is recognised by the number of lines of a section.

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/base/vec3.hpp"

namespace kane {

struct FortyTwoLimits {
  std::size_t max_bytes = 4U << 20U;
  std::size_t max_bodies = 2000;
};

/// Successive turns about body-fixed axes, in degrees; the sequence may have fewer than three digits.
struct FortyTwoAngles {
  std::array<double, 3> degrees{};
  std::string sequence = "123";
};

struct FortyTwoBody {
  double mass = 0;
  Vec3 moments, products;  ///< products xy, xz, yz as positive integrals
  Vec3 mass_centre, momentum;
  Where where;
};

/// Three rotations or three translations, of which the first `free` may move.
struct FortyTwoAxes {
  int free = 0;
  std::string sequence = "123";
  std::array<bool, 3> locked{};
  std::array<double, 3> value{}, rate{};  ///< degrees or metres, in the order of the sequence
  std::array<double, 3> stiffness{}, damping{};
  Where where;
};

enum class FortyTwoJointType : std::uint8_t { Passive, Actuated, AdHoc };

struct FortyTwoJoint {
  FortyTwoJointType type = FortyTwoJointType::Passive;
  std::size_t inner = 0, outer = 0;
  bool spherical = false;
  FortyTwoAxes rotation, translation;
  FortyTwoAngles inner_to_joint, joint_to_outer;  ///< Bi to Gi, Go to Bo
  Vec3 on_inner, on_outer;
  Where where;
};

struct FortyTwoWheel {
  double momentum = 0, inertia = 0;
  Vec3 axis;
  std::size_t body = 0;
  Where where;
};

struct FortyTwoSpacecraft {
  std::string label, description;
  std::string attitude_code = "NQN";  ///< frame of the rate, Q or A, frame of the attitude
  Vec3 rate;                          ///< deg/s, in axes of body 0
  std::array<double, 4> quaternion{0, 0, 0, 1};
  FortyTwoAngles angles;
  bool about_origin = false;  ///< REFPT_JOINT: moments of inertia are about the origins of the bodies
  std::vector<FortyTwoBody> bodies;
  std::vector<FortyTwoJoint> joints;
  std::vector<FortyTwoWheel> wheels;
  std::vector<std::string> notes;  ///< parts that have no meaning here
};

/// Throws ModelError with the place for text that 42 would refuse or misread, and LimitError. Parameter files of joints lie in
/// `folder` or its folder Model; without a folder there are none. `lenient` leaves out flexible modes and takes a missing
/// line of a body for granted, and says so in the notes.
[[nodiscard]] FortyTwoSpacecraft parse_fortytwo(std::string_view text, const std::string& file_name,
                                                const std::optional<std::filesystem::path>& folder, bool lenient,
                                                const FortyTwoLimits& limits);

}  // namespace kane
