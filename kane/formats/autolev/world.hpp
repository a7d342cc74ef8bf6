#pragma once
// The state of a script so far, as one copyable value: a copy is a state to return to.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "kane/formats/autolev/syntax.hpp"
#include "kane/mechanics/frames.hpp"

namespace kane::autolev {

/// A matrix of vectors: [V1>; 2*V2>].
struct VectorMatrix {
  int rows = 0;
  int columns = 0;
  std::vector<Vector> entries;  ///< row by row
};

/// The value of an expression.
using Value = std::variant<Expr, ExprMatrix, Vector, Dyadic, VectorMatrix>;

enum class Role : std::uint8_t { Time, Constant, Variable, Motion, Specified, Defined, Imaginary };

/// Where the definition of a scalar comes from.
enum class Origin : std::uint8_t {
  None,
  Assigned,     ///< x = ...
  Solved,       ///< by SOLVE, of something that is not u'
  Constrained,  ///< a dependent speed and its derivative
  Kane,         ///< u' of the equations of motion, or a force found with them
};

/// A scalar, or one of its derivatives: x, x', x'' are three of them.
struct Scalar {
  std::string name;  ///< as declared, without primes
  int primes = 0;
  int order = 0;  ///< highest derivative declared
  Role role = Role::Defined;
  bool dynamic = false;  ///< declared by MOTIONVARIABLES' rather than MOTIONVARIABLES
  int sign = 0;          ///< of a constant: known to be positive or negative
  Expr symbol;
  std::optional<Expr> value;
  Origin origin = Origin::None;
  std::optional<Expr> input;         ///< value by INPUT, in the script's own units
  std::optional<Expr> stated_input;  ///< the number of INPUT as written, in `input_unit` or else in `unit`
  std::string input_unit;
  std::string unit;          ///< as written last
  std::size_t position = 0;  ///< in the order of declaration

  [[nodiscard]] std::string spelled() const { return name + std::string(static_cast<std::size_t>(primes), '\''); }
};

using PointIndex = int;

/// A rigid body, or a particle (without frame).
struct Body {
  std::string name;
  FrameId frame;
  PointIndex centre = -1;
  std::optional<Expr> mass;
  std::optional<Dyadic> inertia;  ///< about `inertia_point`
  PointIndex inertia_point = -1;
  [[nodiscard]] bool is_particle() const { return !frame.valid(); }
};

/// The orientation of one frame in another, as stated.
struct Turn {
  FrameId parent, child;
  Orientation orientation;
  std::optional<RotationSequence> sequence = {};  ///< what direction cosines were made from
};

/// One column of a file that OUTPUT asks for.
struct OutputColumn {
  std::string name;
  Expr value;
  std::string unit;
  std::string named = {};  ///< the name, folded, whose unit it has, if OUTPUT states none: UNITS may come later
};

/// A run of a generated program, as CODE asks for it.
struct CodeRequest {
  std::string kind;  ///< DYNAMICS, ODE, ALGEBRAIC, NONLINEAR
  std::string file;
  std::vector<Expr> equations;
  std::vector<Expr> unknowns;
  /// ALGEBRAIC: a symbol that is swept from, to, by.
  struct Sweep {
    Expr symbol;
    double from = 0, to = 0, step = 1;
    std::string unit;
  };
  std::vector<Sweep> sweeps;
  Where where;
};

/// Eigenvalues that wait for the values of symbols.
struct PendingEigen {
  ExprMatrix matrix;
  std::vector<Expr> real, imaginary;  ///< symbols
  std::vector<Expr> vectors;          ///< symbols of real parts, row by row; empty if not asked for
};

struct Settings {
  bool autoz = false, degrees = true, factoring = false, autoexpress = true;
  std::string autorhs = "OFF", complex = "OFF", overwrite = "OFF";
  int digits = 7;
  double epsilon = 0;
};

struct World {
  // symbols
  std::map<std::string, Scalar, std::less<>> scalars;  ///< by folded name with primes
  std::unordered_map<NodeId, std::string> by_symbol;
  std::size_t declared = 0;
  std::vector<Expr> imaginary;  ///< symbols of the imaginary units
  std::map<std::string, ExprMatrix, std::less<>> matrices;
  std::map<std::string, VectorMatrix, std::less<>> vector_matrices;
  std::map<std::string, Vector, std::less<>> vectors;
  std::map<std::string, Dyadic, std::less<>> dyadics;
  std::map<std::string, std::string, std::less<>> spelling;  ///< of matrices, vectors and dyadics
  std::size_t version = 0;                                   ///< changes with every definition

  // frames and points
  std::optional<Frames> frames;
  std::map<std::string, FrameId, std::less<>> frame_names;
  std::vector<Turn> turns;
  FrameId newtonian;
  std::vector<std::string> points;
  std::map<std::string, PointIndex, std::less<>> point_names;
  std::vector<Body> bodies;
  std::map<std::pair<PointIndex, PointIndex>, Vector> positions;
  std::map<std::pair<PointIndex, FrameId>, Vector> velocities, accelerations;
  std::map<std::pair<FrameId, FrameId>, Vector> omegas, alphas;  ///< of the first in the second
  std::map<PointIndex, Vector> forces;
  std::map<FrameId, Vector> torques;
  std::vector<std::pair<int, Vector>> waiting_gravity;  ///< of bodies whose mass is not stated yet
  std::map<int, int> carriers;                          ///< of the rotors of gyrostats, by rotor

  // motion
  std::vector<Expr> speeds;                 ///< of the last FR or FRSTAR, auxiliary ones included
  std::vector<Expr> auxiliaries;            ///< speeds that CONSTRAIN(AUXILIARY[...]) made zero
  std::map<NodeId, Expr> auxiliary_values;  ///< of those and of their derivatives
  std::vector<Expr> dependents;
  std::vector<std::pair<Expr, Expr>> speed_definitions;  ///< u = expression of rates, not solved for the rates yet
  std::vector<Expr> unknown_forces;                      ///< of KANE(...)
  std::optional<ExprMatrix> dynamics;                    ///< the last FR + FRSTAR that KANE or SOLVE solved

  // numbers
  std::vector<std::vector<OutputColumn>> outputs;
  std::vector<OutputColumn> encoded;
  std::map<std::string, double, std::less<>> run_values;  ///< TINITIAL, TFINAL, ...
  std::vector<std::string> unit_system;
  std::map<std::string, std::string, std::less<>> matrix_units;  ///< by folded name
  std::vector<CodeRequest> codes;
  std::vector<PendingEigen> eigen;
  std::string animation;
  Settings settings;
  bool ended = false;
};

}  // namespace kane::autolev
