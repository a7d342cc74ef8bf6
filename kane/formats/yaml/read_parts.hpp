#pragma once
// Bodies, particles, points, frames, shapes and placements.

#include "kane/formats/yaml/model_context.hpp"

namespace kane {

/// Points, frames and particles written inside bodies; to be read before everything that may name them.
void read_body_parts(ModelContext& context, const YamlNode& section);
void read_bodies(ModelContext& context, const YamlNode& section);
void read_particles(ModelContext& context, const YamlNode& section);
void read_points(ModelContext& context, const YamlNode& section);
void read_frames(ModelContext& context, const YamlNode& section);

/// The keys `position_key` and `orientation_key` of a group: where something sits in the body `on`. The position may be
/// the name of a point of that body, the orientation the name of one of its frames.
[[nodiscard]] Placement read_placement(const ModelContext& context, const Group& group, std::string_view position_key,
                                       std::string_view orientation_key, std::string_view on);

/// A position: three lengths, or a point of the body `on` ("tip" or "A.tip").
[[nodiscard]] Expr3 read_position(const ModelContext& context, const YamlNode& node, std::string_view what,
                                  std::string_view owner, std::string_view on);

/// {axis, angle}, {rpy}, {sequence, angles}, {matrix}, {quaternion}, or the name of a frame of the body `on`.
[[nodiscard]] Expr33 read_orientation(const ModelContext& context, const YamlNode& node, std::string_view owner,
                                      std::string_view on);

/// "x", "y", "z", "-z", or three components.
[[nodiscard]] Expr3 read_axis(const ModelContext& context, const YamlNode& node, std::string_view what,
                              std::string_view owner);

}  // namespace kane
