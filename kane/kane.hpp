#pragma once
// Everything a program needs to use Kane: include this, link Kane::kane. The headers included here are the public
// interface (cmake/public_headers.txt has the same list); the headers they include may change from one version to the next.
//
//     kane::Mechanism m("pendulum");                      describe, or read a file
//     kane::Model model(m);                               derive and compile: constant, shared by threads
//     kane::Simulation run(model, {.q = {{"q", 0.3}}});   run it, or analyse it (evaluate, linearize, balance ...)

// Symbols: expressions, their derivatives, values and printed forms.
#include "kane/base/error.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/print.hpp"

// Mechanisms: bodies, joints, loads, constraints, contacts; reading and writing model files.
#include "kane/formats/model_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/mechanism/describe.hpp"
#include "kane/mechanism/handles.hpp"
#include "kane/mechanism/mechanism.hpp"

// Kane's method by hand: frames, points, partial velocities, equations of motion.
#include "kane/mechanics/kane.hpp"
#include "kane/mechanics/linearize.hpp"
#include "kane/mechanism/formulation.hpp"

// Models and their runs.
#include "kane/model/model.hpp"
#include "kane/model/simulation.hpp"
#include "kane/simulate/tick/tick_simulator.hpp"

// Analyses.
#include "kane/analysis/equilibria.hpp"
#include "kane/analysis/equilibrium.hpp"
#include "kane/analysis/evaluation.hpp"
#include "kane/analysis/frequency.hpp"
#include "kane/analysis/joint_forces.hpp"
#include "kane/analysis/linear_model.hpp"
#include "kane/analysis/linearization.hpp"
#include "kane/analysis/mobility.hpp"
#include "kane/analysis/modes.hpp"
#include "kane/analysis/operating_point.hpp"
#include "kane/analysis/reach.hpp"
#include "kane/analysis/root_locus.hpp"
#include "kane/analysis/situation.hpp"
#include "kane/analysis/task_jacobian.hpp"

// Pictures of a run: report page, frames, video.
#include "kane/picture/run_pictures.hpp"

// Export of models as source code.
#include "kane/export/export_plan.hpp"

// Haptics: a hand on the mechanism.
#include "kane/haptics/haptic_loop.hpp"
#include "kane/haptics/simulated_device.hpp"

// Evaluation of many states at once, by SIMD.
#include "kane/codegen/kernel.hpp"
#include "kane/program/lower.hpp"
