#pragma once
// Modes of a part that is given by its mass and stiffness matrices, reduced by the method of Craig and Bampton (1968).
//
// Interfaces are places where the part meets others: sets of nodes that move as rigid bodies, u = u_b + theta_b x (x - x_b).
// With the nodes inside (i) and the motions of the interfaces (b),
//
//     constraint modes  Psi = -K_ii^-1 K_ib,      fixed-interface modes  K_ii Phi = M_ii Phi Omega^2,
//
// and the reduced problem in the basis [Psi 1; Phi 0] is solved once more, so that modes are orthogonal, with
// phi.M.phi = m (the mass of the part, so that amplitudes are lengths). The frame of the part moves with one interface (the
// root), whose motions are left out; or the part is free, and its six rigid modes are left out: the frame then follows
// the mean motion.
//
// The integrals that mechanics/flexible.hpp asks for are products with the mass matrix. With the fields t_k = e_k,
// rho_k(r) = e_k x r of the undeformed part and of each mode,
//
//     P_i[k] = t_k.M.phi_i,  H_i[k] = rho_k(x).M.phi_i + sum_j q_j rho_k(phi_j).M.phi_i,
//     J_kl = rho_k(x + u).M.rho_l(x + u),  u = sum_i phi_i q_i,
//
// so that consistent mass matrices give what the elements mean. Displacements are linear in the amplitudes: there is no
// foreshortening, and no geometric stiffness.

#include <optional>
#include <string>
#include <vector>

#include "kane/base/vec3.hpp"

namespace kane {

/// A square matrix: entries that are named twice are added.
struct SparseEntries {
  std::size_t size = 0;
  std::vector<int> row, column;
  std::vector<double> value;
};

struct ComponentInterface {
  std::string name;
  std::vector<std::size_t> nodes;  ///< indices
  Vec3 at;                         ///< the point whose motion is that of the interface
};

struct ComponentInput {
  SparseEntries mass, stiffness;
  std::optional<SparseEntries> damping{};
  std::vector<Vec3> nodes;  ///< 3 displacements each, or 3 displacements and 3 rotations
  std::vector<ComponentInterface> interfaces;
  std::optional<std::size_t> root{};  ///< the interface that carries the frame; none: free
  std::size_t modes = 0;              ///< fixed-interface modes
};

struct ComponentModes {
  double mass = 0;
  Vec3 first_moment{};
  Mat3 inertia{};                                  ///< about the origin
  std::vector<double> squared_frequency;           ///< ascending
  std::vector<std::vector<double>> losses;         ///< reduced damping matrix; empty if none was given
  std::vector<Vec3> momentum;                      ///< P_i
  std::vector<Vec3> spin;                          ///< H_i at rest
  std::vector<std::vector<Vec3>> spin_rate;        ///< [j][i]: rho_k(phi_j).M.phi_i
  std::vector<Mat3> inertia_rate;                  ///< dJ/dq_i at rest
  std::vector<std::vector<Mat3>> inertia_second;   ///< [i][j]: rho_k(phi_i).M.rho_l(phi_j)
  std::vector<std::vector<Vec3>> shape;            ///< [mode][node]
  std::vector<std::vector<Vec3>> interface_shift;  ///< [mode][interface]
  std::vector<std::vector<Vec3>> interface_turn;
  std::vector<bool> turns;  ///< by interface: whether its nodes determine a rotation
  [[nodiscard]] std::size_t size() const { return squared_frequency.size(); }
};

/// Throws ModelError (without a place) if the matrices do not fit, are not symmetric, hold the part where it should be
/// free, or let it move where it should be held.
[[nodiscard]] ComponentModes find_component_modes(const ComponentInput& input);

}  // namespace kane
