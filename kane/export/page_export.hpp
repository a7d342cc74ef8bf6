#pragma once
// A model as one page to carry away: view, sliders, pulling, plots and equations, with the equations of motion as
// WebAssembly. It needs no server, no network and no other file.
//
//     Mechanism mechanism = read_mechanism("arm.yaml");
//     const std::string formulas = form_equation_html(mechanism);
//     prepare_page(mechanism);
//     write_file("arm.html", plan_page(Model(std::move(mechanism)), {}, {.equations = formulas}).html);

#include <string>
#include <vector>

#include "kane/model/model.hpp"

namespace kane {

struct PageOptions {
  std::string equations{};        ///< HTML of the equations, from form_equation_html()
  std::string file{};             ///< name of the model file, to be shown
  std::string text{};             ///< and its text
  std::optional<double> until{};  ///< end of the run to compare with, s; only passed to the page
};

struct PageExport {
  std::string title;
  std::string html;
  std::vector<std::string> notes;  ///< without a full stop
};

/// Adds the outputs that the page draws and the inputs by which it pulls. Call it before the mechanism becomes a Model.
void prepare_page(Mechanism& mechanism);

/// The equations of motion, typeset: step 8 of Kane's method. A paragraph instead if they are too long to read.
[[nodiscard]] std::string form_equation_html(const Mechanism& mechanism);

/// Throws ModelError for a model with parts that smooth equations do not contain (contacts, friction, limits, events,
/// modes, sampled laws): their names, and what to do.
[[nodiscard]] PageExport plan_page(const Model& model, const StartState& start = {}, const PageOptions& options = {});

}  // namespace kane
