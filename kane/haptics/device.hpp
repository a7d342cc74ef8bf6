#pragma once
// A haptic device: something with axes that a hand holds. Impedance devices sense motion and display force; admittance
// devices sense force and display motion. The loop calls read() and write() once per tick, from its own thread; neither may
// allocate, lock or wait.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kane {

/// The data sheet, per axis; zero: unknown.
struct DeviceAxis {
  double damping = 0;        ///< physical damping b, N*s/m or N*m*s/rad
  double mass = 0;           ///< apparent mass or moment of inertia
  double max_force = 0;      ///< largest force; unknown: HapticSafety::max_force
  double friction = 0;       ///< Coulomb friction of the mechanism
  double max_stiffness = 0;  ///< largest stiffness that the device can display
  double resolution = 0;     ///< resolution of the position sensor
  double max_speed = 0;      ///< faster motion is not believed; unknown: HapticSafety::max_speed
  double travel = 0;         ///< to either side of the start; unknown: HapticSafety::travel
  double wrap = 0;           ///< an angle that begins again after this: 2 pi; zero: it does not
};

class Device {
 public:
  virtual ~Device() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::size_t axes() const = 0;
  [[nodiscard]] virtual DeviceAxis axis(std::size_t i) const = 0;
  /// The position of the model's handle, which becomes the device's zero.
  virtual void start(std::span<const double> origin) = 0;
  /// Motion at time t since the start (and force, for admittance display). Returns false if there is no new data; the values are
  /// then extrapolated.
  [[nodiscard]] virtual bool read(double t, std::span<double> position, std::span<double> speed,
                                  std::span<double> force) = 0;
  /// Displays a force (impedance) or a position (admittance) from time t on.
  virtual void write(double t, std::span<const double> force, std::span<const double> position) = 0;
  /// Whether a constraint that is imposed at run time was in force in the tick that is being replayed: 1 or 0; negative: this
  /// device does not say, and the constraint comes when it is due and compiled.
  [[nodiscard]] virtual int held(std::size_t /*constraint*/) const { return -1; }
  /// The run is over: no force any more.
  virtual void stop(double /*t*/) {}
  /// False if nobody can be hurt: the device is simulated or replayed, and its forces need no limit.
  [[nodiscard]] virtual bool is_real() const { return true; }
  /// Notes for the report, such as lost packets.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

}  // namespace kane
