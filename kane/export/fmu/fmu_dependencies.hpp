#pragma once
// Dependencies between the variables of an FMU: exact, from the symbols that occur in the expressions.

#include "kane/export/fmu/fmu_expressions.hpp"
#include "kane/export/fmu/fmu_model.hpp"

namespace kane {

/// Fills in outputs, rates, indicators and initial of a model whose variables are there.
void set_dependencies(FmuModel& model, const FmuExpressions& expressions);

}  // namespace kane
