#pragma once
// Internal forces, moments and stresses along a beam as outputs, so that every table, page and program has them. They are
// found again by their names,
//
//     B.tension0, B.tension1, ...   B.torque0, ...   B.shear_y0, B.shear_z0, ...   B.moment_y0, B.moment_z0, ...
//     B.stress1_0, B.stress1_1, ... of fibre 1, ...
//
// at equal distances from s = 0 to the end of the beam, all its segments included.

#include <string>
#include <vector>

#include "kane/expr/evaluate.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// The most sections of a diagram.
constexpr int kMostDiagramSections = 200;

/// A place of the section where the normal stress is of interest.
struct BeamFibre {
  Expr y, z;
};

struct BeamDiagramRequest {
  int sections = 10;  ///< parts of the beam; places are one more
  Expr modulus{};     ///< Young's, for stresses
  std::vector<BeamFibre> fibres{};
  Where where{};
};

/// Adds the outputs, of what the beam's modes can do. After the beam was cut into `segments`; `length` is the whole one.
void add_beam_diagrams(Mechanism& mechanism, const std::string& body, const Expr& length, int segments,
                       const BeamDiagramRequest& request);

struct BeamDiagram {
  std::string body, what;  ///< "bending moment about z"
  std::string unit;
  std::vector<double> s;             ///< by place
  std::vector<std::string> outputs;  ///< by place
};

/// The diagrams whose outputs the mechanism has, for given values of its parameters.
[[nodiscard]] std::vector<BeamDiagram> find_beam_diagrams(const Mechanism& mechanism, const Values& parameters);

}  // namespace kane
