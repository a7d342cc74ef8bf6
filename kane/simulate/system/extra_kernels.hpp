#pragma once
// Kernels of a CompiledSystem that only some uses need, each made on first use. The first thread to need one does the
// work while others wait; afterwards they are read without a lock. They are made in a separate workshop, so that the
// graph of the system is never touched.

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "kane/codegen/kernel.hpp"
#include "kane/simulate/system/contact_kernels.hpp"

namespace kane {

class CompiledSystem;
class KernelWorkshop;

/// Derivatives by y = (q, u) with udot and lambda held, as a function of q, u, udot and lambda. Implicit form, rows in
/// this order: qdot, then rhs - M udot + A^T lambda, then gamma - A udot (all constraints). Explicit form (no
/// constraints, and udot was solved for in symbols): qdot, then udot.
struct LinearizationKernel {
  struct Place {
    int row, column;
  };
  Kernel kernel;
  std::vector<Place> places;  ///< places of the kernel's outputs: the entries that are not identically zero
  bool implicit = true;
};

/// Energy as a function of q and u: T, V (0 if none is known), R, u . (rhs without udot).
///
/// R is the power that changes T + V: dT/dt + dV/dt - u . (M udot - rhs), in which udot cancels, since M udot = rhs along
/// the motion. (Constraints that move by themselves add -lambda . b.)
struct EnergyKernel {
  Kernel kernel;
  bool has_potential = false;
  bool has_power = false;  ///< R could be formed
  bool powerless = false;  ///< R is identically zero
};

/// Canonical variables for speeds that are the rates of the coordinates: p = M(q) u, pdot = rhs + Mdot u, which is
/// Hamilton's equation for pdot where the forces have a potential.
struct CanonicalKernels {
  Kernel mass;   ///< lower triangle of M by rows, as a function of q (and u, which it does not use)
  Kernel force;  ///< pdot, as a function of q and u
};

/// For every configuration constraint: phi, then dphi/dq (in switched systems only the entries at `places`).
struct ConfigurationKernel {
  Kernel kernel;
  std::vector<std::vector<int>> places;  ///< of each row of dphi/dq: columns that are not identically zero, ascending
};

class ExtraKernels {
 public:
  explicit ExtraKernels(const CompiledSystem& system) : system_(system) {}
  ExtraKernels(const ExtraKernels&) = delete;
  ExtraKernels& operator=(const ExtraKernels&) = delete;

  /// Null if there are none.
  [[nodiscard]] const ConfigurationKernel* configuration() const;
  /// Null if it would be too long to be worth it.
  [[nodiscard]] const LinearizationKernel* linearization() const;
  [[nodiscard]] const EnergyKernel* energy() const;
  /// Null unless qdot = u, M was formed and depends on q only.
  [[nodiscard]] const CanonicalKernels* canonical() const;
  /// Laws of the driven inputs, all of CompiledSystem::inputs(). Null if there are no inputs.
  [[nodiscard]] const Kernel* laws() const;
  /// d qdot / d u, row by row, where there are as many coordinates as speeds and it depends on the configuration: it has
  /// no finite value where the speeds do not determine the motion. Null otherwise.
  [[nodiscard]] const Kernel* rates() const;
  /// Generalized active forces, as a function of q, u, udot and lambda. Null if they were not formed.
  [[nodiscard]] const Kernel* active() const;
  /// Values, guards and resets of the contacts, frictions and events of the model.
  [[nodiscard]] const SwitchKernels& switching() const;
  /// Gap of each contact of the model, and where its place is known point, normal and directions across it.
  [[nodiscard]] const Kernel& contact_places() const;
  /// Sizes, properties and motion of the shapes that may touch.
  [[nodiscard]] const ContactKernels& contacts() const;
  /// Stiffness and damping of each handle, as a function of q and u.
  [[nodiscard]] const Kernel& handles() const;
  /// qdot depends on u (and t) only, udot on q (and t) only, as the Stormer-Verlet method requires.
  [[nodiscard]] bool separable() const;

 private:
  template <class T>
  struct Lazy {
    mutable std::once_flag once;
    mutable std::optional<T> value;
  };
  template <class T, class Make>
  const T* get(const Lazy<T>& lazy, Make make) const;

  const CompiledSystem& system_;
  Lazy<ConfigurationKernel> configuration_;
  Lazy<Kernel> laws_, rates_, handles_, active_, contact_places_;
  Lazy<SwitchKernels> switching_;
  Lazy<ContactKernels> contacts_;
  Lazy<LinearizationKernel> linearization_;
  Lazy<EnergyKernel> energy_;
  Lazy<CanonicalKernels> canonical_;
  Lazy<bool> separable_;
};

}  // namespace kane
