#include "kane/solve/component_modes.hpp"

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>
#include <numeric>

#include "kane/base/error.hpp"

namespace kane {
namespace {

using ComponentSparse = Eigen::SparseMatrix<double>;
using ComponentDense = Eigen::MatrixXd;
using ComponentFactor = Eigen::SimplicialLDLT<ComponentSparse>;

constexpr double kSame = 1e-6;  ///< relative: what matrices printed with few digits still satisfy

Eigen::Index eigen_index(std::size_t i) { return static_cast<Eigen::Index>(i); }

ComponentSparse assemble(const SparseEntries& e, const char* what) {
  std::vector<Eigen::Triplet<double>> list;
  list.reserve(e.value.size());
  for (std::size_t i = 0; i < e.value.size(); ++i) list.emplace_back(e.row[i], e.column[i], e.value[i]);
  ComponentSparse m(eigen_index(e.size), eigen_index(e.size));
  m.setFromTriplets(list.begin(), list.end());
  const ComponentSparse back = m.transpose();
  const ComponentSparse gap = m - back;
  double most = 0, worst = 0;
  int row = 0, column = 0;
  for (Eigen::Index k = 0; k < m.outerSize(); ++k)
    for (ComponentSparse::InnerIterator it(m, k); it; ++it) most = std::max(most, std::abs(it.value()));
  for (Eigen::Index k = 0; k < gap.outerSize(); ++k)
    for (ComponentSparse::InnerIterator it(gap, k); it; ++it)
      if (std::abs(it.value()) > worst)
        worst = std::abs(it.value()), row = static_cast<int>(it.row()) + 1, column = static_cast<int>(it.col()) + 1;
  require(worst <= kSame * most, "the {} matrix is not symmetric: entries ({}, {}) and ({}, {}) differ by {:.3g}", what,
          row, column, column, row, worst);
  return ComponentSparse(0.5 * (m + back));
}

/// Three vectors along x, y, z of the frame at every node.
class Fields {
 public:
  Fields(const ComponentInput& input, int per_node) : input_(input), per_node_(per_node) {}

  [[nodiscard]] Eigen::Index size() const { return eigen_index(input_.nodes.size()) * per_node_; }

  [[nodiscard]] ComponentDense translations() const {
    ComponentDense t = ComponentDense::Zero(size(), 3);
    for (Eigen::Index n = 0; n < eigen_index(input_.nodes.size()); ++n)
      for (int k = 0; k < 3; ++k) t(n * per_node_ + k, k) = 1;
    return t;
  }
  /// e_k x x, which also turns the nodes.
  [[nodiscard]] ComponentDense rotations() const {
    ComponentDense r = ComponentDense::Zero(size(), 3);
    for (std::size_t n = 0; n < input_.nodes.size(); ++n) turn(r, n, input_.nodes[n]);
    for (Eigen::Index n = 0; n < eigen_index(input_.nodes.size()) && per_node_ == 6; ++n)
      for (int k = 0; k < 3; ++k) r(n * 6 + 3 + k, k) = 1;
    return r;
  }
  /// e_k x phi.
  [[nodiscard]] ComponentDense rotations_of(const Eigen::VectorXd& phi) const {
    ComponentDense r = ComponentDense::Zero(size(), 3);
    for (std::size_t n = 0; n < input_.nodes.size(); ++n) turn(r, n, at(phi, n));
    return r;
  }
  [[nodiscard]] Vec3 at(const Eigen::VectorXd& phi, std::size_t node) const {
    const Eigen::Index i = eigen_index(node) * per_node_;
    return {phi(i), phi(i + 1), phi(i + 2)};
  }

 private:
  void turn(ComponentDense& r, std::size_t node, const Vec3& arm) const {
    for (std::size_t k = 0; k < 3; ++k) {
      Vec3 axis;
      axis[k] = 1;
      const Vec3 moved = cross(axis, arm);
      for (std::size_t l = 0; l < 3; ++l) r(eigen_index(node) * per_node_ + eigen_index(l), eigen_index(k)) = moved[l];
    }
  }

  const ComponentInput& input_;
  int per_node_;
};

class ComponentReduction {
 public:
  explicit ComponentReduction(const ComponentInput& input)
      : in_(input), per_node_(degrees_per_node(input)), fields_(input, per_node_) {
    M_ = assemble(input.mass, "mass");
    K_ = assemble(input.stiffness, "stiffness");
    if (input.damping) D_ = assemble(*input.damping, "damping");
  }

  ComponentModes run() {
    check_rigid();
    choose_unknowns();
    const ComponentDense basis = reduced_basis();
    find_modes(basis);
    return integrals();
  }

 private:
  static int degrees_per_node(const ComponentInput& in) {
    require(!in.nodes.empty(), "there are no nodes");
    require(in.mass.size == in.stiffness.size, "the mass matrix has {} rows and the stiffness matrix {}; they must fit",
            in.mass.size, in.stiffness.size);
    require(!in.damping || in.damping->size == in.mass.size,
            "the damping matrix has {} rows and the mass matrix {}; they must fit", in.damping ? in.damping->size : 0,
            in.mass.size);
    const std::size_t n = in.nodes.size();
    require(
        in.mass.size == 3 * n || in.mass.size == 6 * n,
        "the matrices have {} rows for {} nodes; there must be 3 (displacements) or 6 (and rotations) for each node",
        in.mass.size, n);
    return in.mass.size == 3 * n ? 3 : 6;
  }

  /// The matrices must be those of a free part, with rows in the order of the nodes: rigid motions cost nothing.
  void check_rigid() {
    const ComponentDense t = fields_.translations(), r = fields_.rotations();
    double stiffest = 0;
    for (Eigen::Index k = 0; k < K_.outerSize(); ++k) stiffest = std::max(stiffest, std::abs(K_.coeff(k, k)));
    require(stiffest > 0, "the stiffness matrix is zero");
    static constexpr const char* kNames[] = {"moved along x",  "moved along y",  "moved along z",
                                             "turned about x", "turned about y", "turned about z"};
    double size = 0;
    for (const Vec3& x : in_.nodes) size = std::max(size, norm(x));
    for (int k = 0; k < 6; ++k) {
      const Eigen::VectorXd field = k < 3 ? t.col(k) : r.col(k - 3);
      const double force = (K_ * field).cwiseAbs().maxCoeff();
      require(
          force <= 1e-5 * stiffest * (k < 3 || size == 0 ? 1 : size),
          "the stiffness matrix resists when the whole part is {}; it must be that of the part without supports, with "
          "rows in the order of the nodes",
          kNames[k]);
    }
    const Eigen::Matrix3d m = t.transpose() * (M_ * t);
    require(m(0, 0) > 0, "the mass matrix has the total mass {:.6g}; it must be positive", m(0, 0));
    require((m - m(0, 0) * Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() <= 1e-5 * m(0, 0),
            "the mass matrix has the total masses {:.8g}, {:.8g} and {:.8g} along x, y and z; they must be equal",
            m(0, 0), m(1, 1), m(2, 2));
  }

  /// Whether the nodes of an interface determine how it turns.
  [[nodiscard]] bool turns(const ComponentInterface& f) const {
    if (per_node_ == 6 || f.nodes.size() == 1) return per_node_ == 6;
    double most = 0, wide = 0;
    const Vec3& o = in_.nodes[f.nodes.front()];
    for (const std::size_t a : f.nodes) most = std::max(most, norm(in_.nodes[a] - o));
    for (const std::size_t a : f.nodes)
      for (const std::size_t b : f.nodes) wide = std::max(wide, norm(cross(in_.nodes[a] - o, in_.nodes[b] - o)));
    require(
        wide > 1e-9 * most * most && most > 0,
        "the nodes of the interface '{}' lie on one line, so they do not say how it turns; give three or more that do "
        "not, or a single one",
        f.name);
    return true;
  }

  /// T: nodes inside keep their own displacements; interfaces have up to six motions.
  void choose_unknowns() {
    std::vector<int> owner(in_.nodes.size(), -1);
    for (std::size_t f = 0; f < in_.interfaces.size(); ++f) {
      require(!in_.interfaces[f].nodes.empty(), "the interface '{}' has no nodes", in_.interfaces[f].name);
      for (const std::size_t n : in_.interfaces[f].nodes) {
        require(owner[n] < 0 || owner[n] == static_cast<int>(f), "the interfaces '{}' and '{}' share a node",
                in_.interfaces[owner[n] < 0 ? f : static_cast<std::size_t>(owner[n])].name, in_.interfaces[f].name);
        owner[n] = static_cast<int>(f);
      }
      turns_.push_back(turns(in_.interfaces[f]));
    }
    require(!in_.root || turns_[*in_.root],
            "the root '{}' is a single node, about which the part can turn without deforming; give three nodes or more "
            "that "
            "are not on one line",
            in_.root ? in_.interfaces[*in_.root].name : "");
    std::vector<Eigen::Triplet<double>> list;
    Eigen::Index column = 0;
    for (std::size_t n = 0; n < owner.size(); ++n)
      for (int k = 0; k < per_node_ && owner[n] < 0; ++k)
        list.emplace_back(eigen_index(n) * per_node_ + k, column++, 1.0);
    inside_ = column;
    for (std::size_t f = 0; f < in_.interfaces.size(); ++f) {
      first_column_.push_back(column);
      const int count = turns_[f] ? 6 : 3;
      if (in_.root && *in_.root == f) continue;
      for (const std::size_t n : in_.interfaces[f].nodes) add_rigid(list, in_.interfaces[f], n, column, count);
      column += count;
    }
    T_ = ComponentSparse(fields_.size(), column);
    T_.setFromTriplets(list.begin(), list.end());
  }

  void add_rigid(std::vector<Eigen::Triplet<double>>& list, const ComponentInterface& f, std::size_t n,
                 Eigen::Index column, int count) const {
    const Eigen::Index row = eigen_index(n) * per_node_;
    for (int k = 0; k < 3; ++k) list.emplace_back(row + k, column + k, 1.0);
    for (int k = 0; k < 3 && count == 6; ++k) {
      Vec3 axis;
      axis[static_cast<std::size_t>(k)] = 1;
      const Vec3 moved = cross(axis, in_.nodes[n] - f.at);
      for (int l = 0; l < 3; ++l)
        if (moved[static_cast<std::size_t>(l)] != 0)
          list.emplace_back(row + l, column + 3 + k, moved[static_cast<std::size_t>(l)]);
      if (per_node_ == 6) list.emplace_back(row + 3 + k, column + 3 + k, 1.0);
    }
  }

  /// Columns of the nodes' displacements that span the reduced problem.
  ComponentDense reduced_basis() {
    const ComponentSparse K = T_.transpose() * K_ * T_, M = T_.transpose() * M_ * T_;
    const Eigen::Index n = K.rows(), ni = inside_, nb = n - ni;
    const ComponentSparse Kii = K.topLeftCorner(ni, ni), Mii = M.topLeftCorner(ni, ni);
    // A free part without interfaces has rigid modes among those of the inside: moved up by a shift.
    const bool floats = !in_.root && nb == 0;
    double shift = 0;
    if (floats) shift = 1e-4 * Kii.diagonal().sum() / Mii.diagonal().sum();
    const ComponentSparse A = Kii + shift * Mii;
    ComponentFactor factor(A);
    // What elimination leaves of a diagonal entry is what resists with everything before it free to move. Matrices are often
    // printed with ten digits.
    constexpr double kNothing = 1e-9;
    const Eigen::VectorXd before = factor.permutationP() * Eigen::VectorXd(A.diagonal());
    const bool solid = ni == 0 || (factor.info() == Eigen::Success &&
                                   (factor.vectorD().array() > kNothing * before.array().abs()).all());
    require(
        solid,
        "the part can move without deforming although its interfaces are held: they do not hold it (give the root "
        "three nodes or more that are not on one line), a node hangs free, or the stiffness matrix is not positive");
    ComponentDense psi = ComponentDense::Zero(ni, nb);
    if (nb > 0 && ni > 0) psi = -factor.solve(ComponentDense(K.block(0, ni, ni, nb)));
    const std::size_t wanted = in_.modes + (floats ? 6 : 0);
    require(wanted <= static_cast<std::size_t>(ni),
            "{} modes are asked for, but the part has only {} displacements inside", in_.modes, ni);
    const ComponentDense phi = lowest_modes(factor, A, Mii, wanted);
    ComponentDense reduced = ComponentDense::Zero(n, nb + phi.cols());
    reduced.topLeftCorner(ni, nb) = psi;
    reduced.block(ni, 0, nb, nb).setIdentity();
    reduced.topRightCorner(ni, phi.cols()) = phi;
    unknowns_ = reduced;
    return T_ * reduced;
  }

  /// Subspace iteration (Bathe and Wilson): X <- A^-1 M X, then the problem within the span of X.
  static ComponentDense lowest_modes(const ComponentFactor& factor, const ComponentSparse& A, const ComponentSparse& M,
                                     std::size_t count) {
    if (count == 0) return ComponentDense::Zero(A.rows(), 0);
    const Eigen::Index wanted = eigen_index(count);
    const Eigen::Index width = std::min(A.rows(), wanted + std::max<Eigen::Index>(8, wanted / 2));
    ComponentDense X(A.rows(), width);
    unsigned seed = 12345;  // any start will do; the same one every time
    for (Eigen::Index j = 0; j < width; ++j)
      for (Eigen::Index i = 0; i < A.rows(); ++i)
        X(i, j) = static_cast<double>((seed = seed * 1664525u + 1013904223u) >> 8) / 8388608.0 - 1;
    Eigen::VectorXd before = Eigen::VectorXd::Zero(wanted);
    constexpr int kIterations = 200;
    for (int k = 0; k < kIterations; ++k) {
      ComponentDense Y = factor.solve(ComponentDense(M * X));
      Y = Eigen::HouseholderQR<ComponentDense>(Y).householderQ() * ComponentDense::Identity(Y.rows(), width);
      const ComponentDense a = Y.transpose() * (A * Y), m = Y.transpose() * (M * Y);
      // Inverse problem m v = a v / lambda: m may be singular (nodes without mass), a is not.
      const Eigen::GeneralizedSelfAdjointEigenSolver<ComponentDense> within(m, a);
      require(within.info() == Eigen::Success,
              "the modes of the part could not be found: its matrices are not positive");
      X = Y * within.eigenvectors().rowwise().reverse();
      const Eigen::VectorXd now = within.eigenvalues().reverse().head(wanted);
      require(now(wanted - 1) > 0, "only some of the {} modes exist: too few nodes inside have mass", count);
      const bool settled = k > 2 && ((now - before).array().abs() <= 1e-14 * now.array()).all();
      before = now;
      if (settled) break;
    }
    return X.leftCols(wanted);
  }

  void find_modes(const ComponentDense& basis) {
    const ComponentDense k = basis.transpose() * (K_ * basis), m = basis.transpose() * (M_ * basis);
    require(k.rows() > 0, "the part has no modes: give a number of modes, or a second interface");
    const Eigen::GeneralizedSelfAdjointEigenSolver<ComponentDense> solver(k, m);
    require(solver.info() == Eigen::Success,
            "the reduced mass matrix is not positive: an interface other than the root has no mass around it");
    const Eigen::VectorXd values = solver.eigenvalues();
    const double top = values(values.size() - 1);
    Eigen::Index rigid = 0;
    if (!in_.root) {
      // Six values that are zero but for rounding, then the elastic ones.
      require(values.size() > 6, "a free part needs modes besides the six of rigid motion; give a number of modes");
      rigid = 6;
      require(
          values(5) < 1e-3 * values(6),
          "the free part should have six rigid modes; its seven lowest squared frequencies are {:.3g} to {:.3g} and "
          "{:.3g} 1/s^2",
          values(0), values(5), values(6));
    }
    require(values(rigid) > 1e-12 * top && values(rigid) > 0,
            "the part has {} rigid modes where {} are possible: some of it moves without deforming",
            (values.array() <= 1e-12 * top).count(), rigid);
    mass_ = (fields_.translations().transpose() * (M_ * fields_.translations()))(0, 0);
    values_ = values.tail(values.size() - rigid);
    const ComponentDense v = solver.eigenvectors().rightCols(values_.size()) * std::sqrt(mass_);
    shapes_ = basis * v;
    unknowns_ = unknowns_ * v;
  }

  static Mat3 matrix_of(const Eigen::Matrix3d& m) {
    Mat3 r;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) r[i][j] = m(eigen_index(i), eigen_index(j));
    return r;
  }
  static Vec3 vector_of(const Eigen::Vector3d& v) { return {v(0), v(1), v(2)}; }

  [[nodiscard]] ComponentModes integrals() const {
    const ComponentDense t = fields_.translations(), r = fields_.rotations();
    const ComponentDense Mt = M_ * t, Mr = M_ * r, Mphi = M_ * shapes_;
    ComponentModes out;
    out.mass = mass_;
    const Eigen::Matrix3d coupling = t.transpose() * Mr;  // [k][l] = e_k . int e_l x r dm
    out.first_moment = {coupling(1, 2), coupling(2, 0), coupling(0, 1)};
    out.inertia = matrix_of(r.transpose() * Mr);
    const Eigen::Index n = shapes_.cols();
    std::vector<ComponentDense> turned, M_turned;
    for (Eigen::Index i = 0; i < n; ++i) {
      turned.push_back(fields_.rotations_of(shapes_.col(i)));
      M_turned.emplace_back(M_ * turned.back());
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      out.squared_frequency.push_back(values_(i));
      // A free part's modes have no momentum but for rounding.
      out.momentum.push_back(in_.root ? vector_of(t.transpose() * Mphi.col(i)) : Vec3{});
      out.spin.push_back(in_.root ? vector_of(r.transpose() * Mphi.col(i)) : Vec3{});
      const Eigen::Matrix3d half = r.transpose() * M_turned[at];
      out.inertia_rate.push_back(matrix_of(half + half.transpose()));
      out.spin_rate.emplace_back();
      out.inertia_second.emplace_back();
      for (Eigen::Index j = 0; j < n; ++j) {
        const auto other = static_cast<std::size_t>(j);
        // int phi_i x phi_j dm changes its sign with the order.
        const Eigen::Vector3d one = turned[at].transpose() * Mphi.col(j), two = turned[other].transpose() * Mphi.col(i);
        out.spin_rate[at].push_back(vector_of((one - two) / 2));
        out.inertia_second[at].push_back(matrix_of(turned[at].transpose() * M_turned[other]));
      }
      add_motion(out, i);
    }
    if (in_.damping) {
      const ComponentDense d = shapes_.transpose() * (D_ * shapes_);
      for (Eigen::Index i = 0; i < n; ++i) {
        out.losses.emplace_back();
        for (Eigen::Index j = 0; j < n; ++j) out.losses.back().push_back((d(i, j) + d(j, i)) / 2);
      }
    }
    out.turns = turns_;
    return out;
  }

  /// Displacements of the nodes, and how the interfaces move.
  void add_motion(ComponentModes& out, Eigen::Index mode) const {
    out.shape.emplace_back(), out.interface_shift.emplace_back(), out.interface_turn.emplace_back();
    for (std::size_t n = 0; n < in_.nodes.size(); ++n) out.shape.back().push_back(fields_.at(shapes_.col(mode), n));
    for (std::size_t f = 0; f < in_.interfaces.size(); ++f) {
      Vec3 shift, turn;
      const bool held = in_.root && *in_.root == f;
      for (std::size_t k = 0; k < 3 && !held; ++k) {
        shift[k] = unknowns_(first_column_[f] + eigen_index(k), mode);
        if (turns_[f]) turn[k] = unknowns_(first_column_[f] + 3 + eigen_index(k), mode);
      }
      out.interface_shift.back().push_back(shift);
      out.interface_turn.back().push_back(turn);
    }
  }

  const ComponentInput& in_;
  int per_node_;
  Fields fields_;
  ComponentSparse M_, K_, D_, T_;
  Eigen::Index inside_ = 0;
  std::vector<Eigen::Index> first_column_;
  std::vector<bool> turns_;
  ComponentDense unknowns_, shapes_;
  Eigen::VectorXd values_;
  double mass_ = 0;
};

}  // namespace

ComponentModes find_component_modes(const ComponentInput& input) { return ComponentReduction(input).run(); }

}  // namespace kane
