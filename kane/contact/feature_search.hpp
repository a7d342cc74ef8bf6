#pragma once
// The features by which two shapes may touch soon: those that are nearer than a given reach.

#include "kane/contact/touching.hpp"
#include "kane/solve/function_ref.hpp"

namespace kane {

/// Gets each feature. `swapped`: the feature belongs to the second shape, and lies on the first.
using FeatureVisitor = FunctionRef<void(const Feature& feature, bool swapped)>;

/// Visits the features of `a` and `b` that may be nearer than `reach`, always in the same order.
void find_features(const ContactShape& a, const RigidMotion& ma, const ContactShape& b, const RigidMotion& mb,
                   double reach, FeatureVisitor visit);

}  // namespace kane
