#pragma once
// The loop's end of the link to a device on a network, without the network: packets in, packets out, time given. So it runs
// over UDP (udp_device.hpp) as well as over a channel that a test makes up.
//
// Delay and loss make energy: a force that comes late opposes a motion that is over. Time-domain passivity at both ports
// (after Ryu, Artigas and Preusche, "A passive bilateral control scheme for a teleoperator with time-varying communication
// delay", Mechatronics 20(7), 2010) keeps two growing sums at either end, energy that came in and energy that went out, and
// sends what came in to the other end. Since they only grow, a lost packet is made good by the next. Here, at the
// loop, the motion given to the coupler is what may be changed. The force f_k of tick k is known when the next position is
// chosen, so its work is known too, without prediction:
//
//     W = f_k (x_{k+1} - x_k) <= E_in(device, as received) + loan - E_out(loop)
//
// A step that would take more is shortened; the rest follows as soon as the account allows, so nothing drifts. The
// other end is device_link.hpp; what reaches the hand is decided there.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kane/haptics/link_packets.hpp"

namespace kane {

struct LoopLinkOptions {
  std::size_t axes = 1;
  std::vector<std::uint8_t> key = {};  ///< agreed with the device; empty: none
  double period = 1e-3;                ///< s, of the loop
  double loan = 0.05;                  ///< J per axis by which either end may run ahead of the other's account
  double stored = 0;                   ///< J per axis that the model may release
  double bridge = 0.01;                ///< s to continue with the last speed
  double timeout = 0.1;                ///< s of silence before the force sent is zero
  bool motion = false;                 ///< motion is displayed, force sensed
  std::vector<double> max_force = {};  ///< per axis, told to the device; 0 or missing: unlimited
};

class LoopLink {
 public:
  /// Throws ModelError for options that make no sense.
  explicit LoopLink(const LoopLinkOptions& options);

  /// `origin`: the position of the model's handle.
  void start(std::span<const double> origin);
  struct Taken {
    bool state = false;     ///< it brought a new state of the device
    std::size_t reply = 0;  ///< bytes to send back
  };
  [[nodiscard]] Taken take(PacketBytes packet, double t, PacketBuffer& reply);
  /// Position, speed and force to use at time t; false if nothing new has come since the last call.
  [[nodiscard]] bool read(double t, std::span<double> position, std::span<double> speed, std::span<double> force);
  /// The packet with what is displayed from time t on; 0 bytes while there is no device.
  [[nodiscard]] std::size_t write(double t, std::span<const double> force, std::span<const double> position,
                                  PacketBuffer& packet);
  [[nodiscard]] bool connected() const { return connected_; }
  /// What is wrong with it, and what came through, in sentences.
  [[nodiscard]] std::vector<std::string> notes() const;

  struct Counts {
    long received = 0, lost = 0, late = 0, invalid = 0, refused = 0, old = 0, sessions = 0, bridged = 0, silent = 0,
         shortened = 0;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// Lowest energy at the device's port, as the device says.
  [[nodiscard]] double least_energy() const { return least_energy_; }
  /// Longest and mean time from sending a force until the device's answer to it was here.
  [[nodiscard]] double largest_round_trip() const { return largest_trip_; }
  [[nodiscard]] double mean_round_trip() const { return timed_ > 0 ? trips_ / static_cast<double>(timed_) : 0; }

 private:
  static constexpr std::size_t kPending = 8;
  struct Pending {
    Nonce device{}, loop{};
    LinkSession session;
    bool used = false;
  };
  struct Axis {
    double position = 0, speed = 0, force = 0, in = 0, out = 0;  ///< as the device says
    double used = 0, sent = 0;       ///< position given to the coupler, force that opposes it
    double taken = 0, returned = 0;  ///< E_out and E_in of this port
    double origin = 0;
  };

  [[nodiscard]] std::size_t welcome(PacketBytes packet, PacketBuffer& reply);
  [[nodiscard]] bool take_state(PacketBytes packet, double t);
  [[nodiscard]] bool may_begin(double t) const;
  void begin(const LinkSession& session);
  [[nodiscard]] double shorten(Axis& axis, double step);
  void note_trip(double t, double echo);

  LoopLinkOptions options_;
  Hmac key_;
  std::array<Axis, LinkSizes::axes> axes_{};
  std::array<Pending, kPending> pending_{};
  std::size_t next_pending_ = 0;
  LinkSession session_;
  bool connected_ = false, fresh_ = false, distrusted_ = false;
  std::uint64_t number_ = 0, sent_ = 0;
  double last_arrival_ = -1e300, device_time_ = 0;
  double least_energy_ = 0, largest_trip_ = 0, trips_ = 0;
  long timed_ = 0;
  Counts counts_;
};

}  // namespace kane
