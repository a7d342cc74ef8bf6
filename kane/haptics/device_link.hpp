#pragma once
// The device's end of the link to a haptic loop, for programs that drive a device: it answers with sealed packets, and holds the
// device's port. examples/haptic_device.py is the same in Python.
//
// What the hand may get is decided here, where its motion is known without delay. A force f_k (opposed to the motion) is
// held from tick k to tick k+1, so its work f_k (x_{k+1} - x_k) is known exactly one tick later, whatever the network did. Of all
// forces that are predicted to keep
//
//     E_in - E_out + stored >= 0          no more comes out than went in
//     E_out <= E_in(loop, as received) + loan     and no more than the model gave back
//
// the nearest to the one received is displayed (passivity.hpp). The first holds within the prediction error of one tick, for any
// delay, loss, order or content of packets. The second keeps energy that the model has dissipated from returning as
// vibration.

#include <span>
#include <vector>

#include "kane/haptics/link_packets.hpp"
#include "kane/haptics/passivity.hpp"

namespace kane {

struct DeviceLinkOptions {
  std::size_t axes = 1;
  std::vector<std::uint8_t> key = {};  ///< as that of the loop
  double period = 1e-3;                ///< s, of the device's own ticks
  double mass = 0.2;                   ///< apparent mass of an axis
  double hand_stiffness = 1000;        ///< of the hand that is assumed when motion is displayed
  double hand_damping = 20;            ///< of the same hand
  double timeout = 0.1;                ///< s of silence before the force goes
  double retry = 0.1;                  ///< s between two hellos
  double forget = 1;                   ///< s of silence before it asks for a new session
};

class DeviceLink {
 public:
  /// Throws ModelError for options that make no sense.
  explicit DeviceLink(const DeviceLinkOptions& options);

  /// A packet that arrived at time t. Packets that are not from the loop of this session change nothing.
  void take(PacketBytes packet, double t);
  struct Shown {
    std::span<double> force, position;
  };
  /// Once per tick, with what is sensed. Fills what to display until the next tick, and the packet to send (0 bytes: none).
  [[nodiscard]] std::size_t tick(double t, std::span<const double> position, std::span<const double> speed,
                                 std::span<const double> force, Shown shown, PacketBuffer& packet);

  [[nodiscard]] bool connected() const { return connected_; }
  /// Where the model is held at the start.
  [[nodiscard]] double origin(std::size_t axis) const { return axes_[axis].origin; }
  /// The account of an axis.
  [[nodiscard]] const PassivityController& port(std::size_t axis) const { return ports_[axis]; }
  [[nodiscard]] long refused() const { return refused_; }

 private:
  struct Axis {
    double force = 0, position = 0, returned = 0;  ///< as received
    double origin = 0, max_force = 0, shown = 0;
  };
  void take_welcome(PacketBytes packet, double t);
  void take_force(PacketBytes packet, double t);
  void ask_anew();
  [[nodiscard]] double show_force(std::size_t i, double x, double v, bool heard);
  [[nodiscard]] double show_motion(std::size_t i, double force, bool heard);

  DeviceLinkOptions options_;
  Hmac key_;
  Nonce nonce_{};
  LinkSession session_;
  std::vector<Axis> axes_;
  std::vector<PassivityController> ports_;
  bool connected_ = false, motion_ = false;
  std::uint64_t number_ = 0, heard_ = 0;
  double loan_ = 0, loop_time_ = 0, last_arrival_ = -1e300, last_hello_ = -1e300;
  long refused_ = 0;
};

}  // namespace kane
