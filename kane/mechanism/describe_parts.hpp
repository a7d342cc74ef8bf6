#pragma once
// Shared by the describing functions of Mechanism: places, and positions and orientations resolved to components.

#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// The quantity with a place, unless it has one.
[[nodiscard]] Quantity at(Quantity quantity, const Where& where);
[[nodiscard]] std::vector<Quantity> at(std::vector<Quantity> quantities, const Where& where);

/// Components of a position on the body `on`; `owner` is for messages ("the joint 'elbow'"). Throws ModelError if it names a
/// point that the body does not have.
[[nodiscard]] Expr3 find_position(const Mechanism& mechanism, const Position& position, const BodyRef& on,
                                  std::string_view owner, const Where& where);
/// The matrix that maps components in the turned axes to those of the body `on`.
[[nodiscard]] Expr33 find_rotation(const Mechanism& mechanism, const Turn& turn, const BodyRef& on,
                                   std::string_view owner, const Where& where);
[[nodiscard]] Placement find_placement(const Mechanism& mechanism, const Position& position, const Turn& turn,
                                       const BodyRef& on, std::string_view owner, const Where& where);

/// Throws ModelError if a part of this name exists already. `parts` have a member `name`.
template <class Parts>
void check_new_name(const Parts& parts, std::string_view name, std::string_view what, const Where& where) {
  for (const auto& part : parts)
    if (part.name == name)
      throw ModelError(where, fmt::format("there are two things named '{0}': a {1} and a {1}", name, what));
}

/// Names of references, in order.
template <class Ref>
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Ref>& refs) {
  std::vector<std::string> names;
  for (const Ref& ref : refs) names.push_back(ref.name());
  return names;
}

}  // namespace kane
