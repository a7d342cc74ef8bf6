#pragma once
// Repetition: chains, ladders and grids written once.
//
//   repeat:
//     index: i                       # a name; {i}, {i-1}, {2*i+1} in keys and texts below are replaced by its values
//     from: 1
//     to: 20
//     lists: {m: [1 kg, 2 kg, ...]}  # {m} is the entry for the current value of the index
//     bodies: {"L{i}": {mass: "m{i}"}}
//     joints: {"J{i}": {parent: "L{i-1}", child: "L{i}", axis: z}}
//     first:                         # overrides for the first repetition; `last` likewise
//       joints: {"J{i}": {parent: N}}
//
// `repeat` may be a list of such groups, and a group may contain another `repeat` (with another index).

#include <functional>

#include "kane/formats/yaml/yaml_tree.hpp"

namespace kane {

/// Keys of a repeat group besides the sections it repeats.
[[nodiscard]] const std::vector<std::string>& repeat_keys();

/// Calls `emit` with each section of each repetition, in order; throws ModelError if it is not valid.
/// `is_section` tells which keys are sections that can be repeated.
void expand_repeat(const YamlNode& repeat, YamlPool& pool, const std::vector<std::string>& sections,
                   const std::function<void(YamlEntry&&)>& emit);

}  // namespace kane
