#pragma once
// A device connected by a network: UDP datagrams to and from the loop's end of the link (loop_link.hpp; docs/haptics-link.md
// has the protocol). Bound to the loopback address unless an address is given; other addresses need a key. Answers go to
// the sender of the last packet that was accepted.

#include <netinet/in.h>

#include "kane/haptics/device.hpp"
#include "kane/haptics/loop_link.hpp"

namespace kane {

struct UdpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  LoopLinkOptions link = {};
  std::vector<DeviceAxis> data = {};  ///< of each axis; empty: unknown
};

/// The bytes of a key file without blanks and line ends at the end. Throws ModelError if it cannot be read or is too short.
[[nodiscard]] std::vector<std::uint8_t> read_link_key(const std::string& file);

class UdpDevice final : public Device {
 public:
  /// Throws ModelError if the port cannot be opened.
  explicit UdpDevice(const UdpOptions& options);
  ~UdpDevice() override;
  UdpDevice(const UdpDevice&) = delete;
  UdpDevice& operator=(const UdpDevice&) = delete;

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::size_t axes() const override { return options_.link.axes; }
  [[nodiscard]] DeviceAxis axis(std::size_t i) const override {
    return options_.data.empty() ? DeviceAxis{} : options_.data[i];
  }
  void start(std::span<const double> origin) override { link_.start(origin); }
  [[nodiscard]] bool read(double t, std::span<double> position, std::span<double> speed,
                          std::span<double> force) override;
  void write(double t, std::span<const double> force, std::span<const double> position) override;
  /// Sends packets without force; several, since any may be lost.
  void stop(double t) override;
  [[nodiscard]] std::vector<std::string> notes() const override { return link_.notes(); }
  [[nodiscard]] const LoopLink& link() const { return link_; }
  /// The port it is bound to.
  [[nodiscard]] std::uint16_t port() const;

 private:
  void send(const PacketBuffer& packet, std::size_t size, const sockaddr_in& to) const;

  UdpOptions options_;
  LoopLink link_;
  int socket_ = -1;
  sockaddr_in peer_{};
  std::array<double, LinkSizes::axes> last_{};  ///< positions displayed
};

}  // namespace kane
