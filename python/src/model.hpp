#pragma once
// The models of the binding: a kane::Model, and how it was read.

#include "kane/analysis/situation.hpp"
#include "kane/formats/model_reader.hpp"
#include "python/src/binding.hpp"

namespace kane::python {

struct PyModel {
  Model model;
  std::string file;  ///< for messages and pages
};

/// Options of a model by name: set, guess, formulation, strict, interpreter, ignore_limits, floating_base, lenient, keyframe,
/// with_contacts.
[[nodiscard]] ModelOptions model_options(const py::dict& options);
/// A model with more to report, for pages and tables.
[[nodiscard]] Model with_reports(const Model& model, const std::function<void(Mechanism&)>& add);

}  // namespace kane::python
