#pragma once
// A device connected by a network. Packets are UDP datagrams of little-endian numbers:
//
//     device to loop   "KHD1"  uint32 number  double t  then per axis: double position, double speed, double force
//     loop to device   "KHF1"  uint32 number  double t  then per axis: double force, double position
//
// number counts the packets of a sender from 1; t is its own clock in seconds. Packets of the wrong length or with the wrong
// first bytes are counted and dropped; so are late ones (number not above the last one). When no packets arrive, positions
// are extrapolated with the last speed for `bridge` seconds, then held; after `timeout` seconds the force sent is zero
// until packets arrive again. Answers go to the sender of the last valid packet. Bound to the loopback address unless an
// address is given.

#include <netinet/in.h>

#include <array>
#include <cstdint>

#include "kane/haptics/device.hpp"

namespace kane {

struct UdpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  std::size_t axes = 1;
  double bridge = 0.01;
  double timeout = 0.1;
  std::vector<DeviceAxis> data;  ///< of each axis; empty: unknown
};

class UdpDevice final : public Device {
 public:
  static constexpr std::size_t kMostAxes = 16;

  /// Throws ModelError if the port cannot be opened.
  explicit UdpDevice(const UdpOptions& options);
  ~UdpDevice() override;
  UdpDevice(const UdpDevice&) = delete;
  UdpDevice& operator=(const UdpDevice&) = delete;

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::size_t axes() const override { return options_.axes; }
  [[nodiscard]] DeviceAxis axis(std::size_t i) const override {
    return options_.data.empty() ? DeviceAxis{} : options_.data[i];
  }
  void start(std::span<const double> origin) override;
  [[nodiscard]] bool read(double t, std::span<double> position, std::span<double> speed,
                          std::span<double> force) override;
  void write(double t, std::span<const double> force, std::span<const double> position) override;
  /// Sends packets without force; several, since any may be lost.
  void stop(double t) override;
  [[nodiscard]] std::vector<std::string> notes() const override;
  /// The port it is bound to.
  [[nodiscard]] std::uint16_t port() const;

 private:
  struct Axis {
    double position = 0, speed = 0, force = 0;
  };
  [[nodiscard]] bool take(const unsigned char* packet, std::size_t size);

  UdpOptions options_;
  int socket_ = -1;
  std::array<Axis, kMostAxes> axes_{};
  sockaddr_in peer_{};
  bool has_peer_ = false;
  std::uint32_t last_number_ = 0, sent_ = 0;
  double last_arrival_ = -1e300;
  long received_ = 0, lost_ = 0, late_ = 0, wrong_ = 0, bridged_ = 0, silent_ = 0;
};

}  // namespace kane
