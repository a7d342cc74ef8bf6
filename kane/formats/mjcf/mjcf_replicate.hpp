#pragma once
// <replicate>: copies of what it contains, each moved on from the one before.

#include "kane/formats/mjcf/mjcf_tree.hpp"

namespace kane {

/// Puts a <frame> for each copy in place of every <replicate>; names get the number of the copy. Copy i is where the step
/// (offset, then euler) leads when it is taken i times, each in the axes that the one before has left.
void expand_replicates(MjcfFile& file, const MjcfLimits& limits);

}  // namespace kane
