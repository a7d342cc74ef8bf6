#pragma once
// A hand that holds a body of a running simulation: the mouse behind the device interface, a virtual coupler on each axis
// of the ground between the cursor and the point that was caught, and the observer and controller of passivity on the force
// that is displayed (kane/haptics). Ticks of a millisecond.

#include <array>
#include <memory>
#include <vector>

#include "kane/haptics/passivity.hpp"
#include "kane/haptics/virtual_coupler.hpp"
#include "kane/model/pull.hpp"
#include "kane/model/simulation.hpp"
#include "kane/picture/live_picture.hpp"
#include "kane/server/client_message.hpp"
#include "kane/server/mouse_device.hpp"

namespace kane {

class Hand {
 public:
  static constexpr double kTick = 1e-3;  ///< s

  /// Takes hold. Throws ModelError if there is no such body, or it cannot be pulled.
  Hand(Simulation& simulation, const LivePicture& picture, const PullHold& hold);
  /// Lets go.
  ~Hand();
  Hand(const Hand&) = delete;
  Hand& operator=(const Hand&) = delete;

  [[nodiscard]] std::size_t body() const { return hold_.body; }
  void move(const std::array<double, 3>& target) { device_.move(target); }
  /// Before each tick of the simulation: reads the device, couples, and sets the inputs of the body.
  void tick();

  /// Magnitude of the force on the body, N.
  [[nodiscard]] double force() const { return force_; }
  /// Energy that the hand has put in so far minus what came out at the port, J; and its least value.
  [[nodiscard]] double energy() const;
  [[nodiscard]] double least_energy() const;
  /// The energy the passivity controller cannot prevent from leaking (passivity.hpp): the prediction error of one tick.
  [[nodiscard]] double energy_error() const;
  [[nodiscard]] const VirtualCoupler& coupler() const { return coupler_; }
  /// Where the held point is now.
  [[nodiscard]] std::array<double, 3> point();

 private:
  [[nodiscard]] double calc_felt_mass();
  void apply(const std::array<double, 3>& force, std::span<const double> reports, const std::array<double, 3>& at);
  [[nodiscard]] std::array<double, 3> place(std::span<const double> reports) const;

  Simulation& simulation_;
  PullHold hold_;
  SceneBody body_;
  std::size_t centre_;  ///< place of the mass centre in the reports
  PullPlaces inputs_{};
  MouseDevice device_;
  VirtualCoupler coupler_;
  std::vector<PassivityController> passivity_;
  double total_mass_ = 1, force_ = 0, t_ = 0;
  std::array<double, 3> before_{};
  bool started_ = false;
};

}  // namespace kane
