#pragma once
// A beam in numbers and expressions: its inertia and stiffness as functions of the amplitudes q, and where its sections go.
//
// The section at arc length s = L x is at
//
//     X = s + sum chi_a q_a - 1/(2 L) sum g_ij(x) q_i q_j,     Y = sum phi_i q_i,     Z = sum psi_k q_k
//     g_ij(x) = int_0^x (phi_i' phi_j' + psi_i' psi_j') dx                         (Buffinton 6.87)
//
// (chi: stretch, phi and psi: bending, and shear if there is any) and turns, by bending alone, by the angles r = Y'/L about z,
// then t = -Z'/L about y, then p about x. The torsion of a beam turned so is p' - r' sin t, and modes of twist are those of
// the torsion. So, to second order,
//
//     p = sum theta_l q_l + int r' t ds
//
// With `coupled`, the strain energy of bending is that of the curvatures along the sections' own axes, which twist has turned
// by p = sum theta_l q_l; with EI_y > EI_z (otherwise y and z are exchanged)
//
//     V = int EI_z (Y''^2 + Z''^2)/2 + (EI_y - EI_z) (Y'' + p Z'')^2/2 ds
//
// to third order, positive, and without effect where both are equal. So blades on edge buckle sideways.
//
// With `exact`, sections are at X = int sqrt(1 - Y'^2 - Z'^2) ds, and sin(angle) is the slope (Buffinton 6.76-6.82); the
// integrals below are the same. X is what the length of an inextensible axis leaves, to second order; without it there is no centrifugal stiffening.
// With these r(q), the integrals of mechanics/flexible.hpp are formed through second order in q and q' together: c and J
// to q^2, H to q, M constant. They are numbers times powers of L and the beam's properties, so that everything that is no
// function of the state is evaluated with the parameters.

#include <functional>
#include <optional>
#include <vector>

#include "kane/mechanics/system.hpp"
#include "kane/mechanism/beam_shapes.hpp"

namespace kane {

/// The value of an expression of parameters.
using ParameterNumber = std::function<double(const Expr&)>;

class BeamField {
 public:
  /// Throws ModelError if the shapes are no functions of s alone, or not independent. `body` is for messages, `breaks`
  /// are the places x where elements meet. Damping ratios of shapes that are not orthogonal need `number`. `knots` are the
  /// places x, ascending, where properties have corners: integrals are formed between them.
  BeamField(Graph& graph, const FlexibleBeam& beam, std::string body, const std::vector<double>& breaks = {},
            const ParameterNumber& number = {}, const std::vector<double>& knots = {});

  [[nodiscard]] const FlexibleBeam& beam() const { return beam_; }

  /// All but the frame and the origin. `complete` adds the terms of third and fourth order without which the mass matrix
  /// of a beam that turns freely loses its sign (beam_completion.cpp).
  [[nodiscard]] FlexibleSpec inertia(bool complete = false) const;
  /// q.K.q/2.
  [[nodiscard]] Expr strain_energy() const;
  [[nodiscard]] const ExprMatrix& stiffness() const { return stiffness_; }
  /// The forces of damping -D q', one per mode; `rates` are the symbols q'.
  [[nodiscard]] std::vector<Expr> damping_forces(const std::vector<Expr>& rates) const;

  /// A section: where its centre is, and by what angles it is turned about z, then y, then x.
  struct Section {
    Expr3 position;
    Expr3 angles;  ///< about x, y, z
    [[nodiscard]] bool at_rest(const Expr& s) const;
  };
  [[nodiscard]] Section section(const Expr& s) const;

  /// Internal forces of the section at s: normal force, torque, bending moments EI Y'' (about z), EI Z'' (about -y), and
  /// shear forces: k GA times the shear, or -(EI Y'')' of a beam that is rigid in shear.
  struct Internal {
    Expr tension, torque, moment_z, moment_y, shear_y, shear_z;
    Expr strain, curvature_y, curvature_z;  ///< X' - 1 of modes of stretch, Y'', Z''
  };
  [[nodiscard]] Internal internal(const Expr& s) const;

 private:
  struct Mode {
    BeamMotion motion;
    Expr shape, slope, curvature;    ///< of x, derivatives by x
    std::vector<Expr> slopes;        ///< the slope in every element; without elements, the slope
    std::vector<double> f, df, ddf;  ///< at the nodes
  };
  /// A property at the nodes: one value if it is the same everywhere.
  using Profile = std::vector<Expr>;

  void read_modes();
  void read_element_modes(const BeamModes& group);
  void add_mode(BeamMotion motion, const Expr& shape);
  void read_breaks(const std::vector<double>& breaks);
  void place_nodes(const std::vector<double>& knots);
  void tabulate(Mode& mode);
  void form_matrices();
  void check_independent(BeamMotion motion);
  [[nodiscard]] Profile profile(const Expr& property) const;
  /// int_0^1 f p dx; what cancels but for rounding is zero.
  [[nodiscard]] Expr integral(const Profile& p, const std::vector<double>& f) const;
  /// int_0^x f at the nodes.
  [[nodiscard]] std::vector<double> running_integral(const std::vector<double>& f) const;
  [[nodiscard]] Expr quadratic(const std::vector<std::size_t>& modes, const ExprMatrix& m) const;
  /// Value of a function of x at s: a number where s/L is one.
  [[nodiscard]] Expr value_at(const Expr& function, const Expr& x) const;
  /// Slope dY/ds (or dZ/ds) at x, which lies in the given element.
  [[nodiscard]] Expr slope_at(BeamMotion motion, const Expr& x, std::size_t element) const;
  [[nodiscard]] Expr slope_at(BeamMotion motion, const Expr& x) const;
  /// Where the part of an element before x ends.
  [[nodiscard]] Expr end_before(const Expr& x, std::size_t element) const;
  void place_exactly(const Expr& x, Section& section) const;
  /// The slopes of all modes at Gauss nodes between the root and a place x that is a number, and the nodes' weights; the
  /// curvatures too if the beam bends in both directions.
  struct SlopesBefore {
    std::vector<double> weights;
    std::vector<std::vector<double>> slopes, curvatures;  ///< by mode
  };
  [[nodiscard]] SlopesBefore slopes_before(double x) const;
  /// int_0^x a' b' dx, where x is a number and where it is an expression.
  [[nodiscard]] Expr foreshortening(std::size_t a, std::size_t b, const SlopesBefore& before) const;
  [[nodiscard]] Expr foreshortening(const Mode& a, const Mode& b, const Expr& x) const;
  /// int_0^x of the product of two functions that are given element by element.
  [[nodiscard]] Expr integral_before(const std::vector<Expr>& f, const std::vector<Expr>& g, const Expr& x) const;
  /// What bending in both directions adds to p.
  [[nodiscard]] Expr turn_by_bending(const Expr& x, const SlopesBefore& before) const;
  [[nodiscard]] bool bends_both_ways() const;
  [[nodiscard]] Expr coupled_energy() const;
  void add_turn(FlexibleSpec& spec) const;
  [[nodiscard]] Expr property_at(const Expr& property, const Expr& s) const;
  void weigh_nodes(const ParameterNumber& number);
  void complete_inertia(FlexibleSpec& spec) const;
  /// What an offset of the mass centres adds (beam_offset.cpp).
  void add_offset(FlexibleSpec& spec) const;
  [[nodiscard]] bool shares_plane(std::size_t a, std::size_t b) const;
  void prepare_bias(const Expr& k, const Expr& f, std::vector<Expr>& bias) const;
  [[nodiscard]] std::vector<std::vector<double>> completion_basis() const;
  void form_damping(const ParameterNumber& number);
  [[nodiscard]] Expr damping_ratio(std::size_t i) const;
  void damp_group(const std::vector<std::size_t>& group, const ParameterNumber& number, std::size_t& next);
  [[nodiscard]] const Expr& q(std::size_t i) const { return beam_.coordinates[i]; }

  Graph& graph_;
  FlexibleBeam beam_;
  std::string body_;
  std::vector<Mode> modes_;
  std::vector<double> x_, w_;                 ///< nodes and weights on [0, 1]
  std::vector<double> panel_x_, panel_w_;     ///< of one panel, on [-1, 1]
  std::vector<std::vector<double>> running_;  ///< integration matrix of a panel from -1 to 1
  std::size_t panels_ = 1;                    ///< of an element, by the waves of the modes
  std::vector<double> half_;                  ///< half the widths of the panels
  std::vector<double> ends_{0, 1};            ///< of the elements
  ExprMatrix mass_, stiffness_, damping_;
  Expr heaviest_;              ///< mass per length at the node where it is greatest
  std::vector<double> share_;  ///< of that, at the nodes; empty: not known
};

/// Gauss and Legendre's nodes and weights on [-1, 1].
void gauss_nodes(std::size_t n, std::vector<double>& x, std::vector<double>& w);

}  // namespace kane
