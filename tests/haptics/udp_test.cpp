// The network device over real sockets: losses, late and wrong packets, silence.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <limits>

#include "kane/base/error.hpp"
#include "kane/haptics/device_link.hpp"
#include "kane/haptics/udp_device.hpp"

namespace kane::test {
namespace {

class Peer {
 public:
  explicit Peer(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_DGRAM, 0)) {
    to_.sin_family = AF_INET;
    to_.sin_port = htons(port);
    ::inet_pton(AF_INET, "127.0.0.1", &to_.sin_addr);
  }
  ~Peer() { ::close(socket_); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void send_raw(std::span<const std::uint8_t> bytes) {
    (void)::sendto(socket_, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&to_), sizeof to_);
  }
  /// Ticks the device's end; sends its packet unless it is lost.
  void tick(double t, double position, double speed, bool lost = false) {
    double force = 0, place = 0;
    const double sensed = 0.5;
    const std::size_t n = link.tick(t, {&position, 1}, {&speed, 1}, {&sensed, 1}, {{&force, 1}, {&place, 1}}, packet);
    last.assign(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(n));
    if (!lost) send_raw(last);
  }
  /// Waits for a packet of the loop; the force in it.
  double receive(double t) {
    std::uint8_t bytes[1024];
    const ssize_t size = ::recv(socket_, bytes, sizeof bytes, 0);
    EXPECT_GT(size, 0);
    link.take({bytes, static_cast<std::size_t>(size)}, t);
    double force = 0;
    std::memcpy(&force, bytes + 40, 8);
    return force;
  }

  DeviceLink link{DeviceLinkOptions{}};
  PacketBuffer packet{};
  std::vector<std::uint8_t> last;

 private:
  int socket_;
  sockaddr_in to_{};
};

TEST(UdpDevice, BridgesLossesDropsWhatIsWrongAndFallsSilentWithItsPeer) {
  UdpOptions options;
  options.link.loan = 100;
  UdpDevice device(options);
  Peer peer(device.port());
  std::vector<double> x(1), v(1), f(1), force{2.5}, image{0.0};
  device.start(image);
  EXPECT_FALSE(device.read(0, x, v, f));
  EXPECT_EQ(x[0], 0.0);
  peer.tick(0, 0, 0);  // a hello
  EXPECT_FALSE(device.read(0, x, v, f));
  (void)peer.receive(0);  // the welcome
  ASSERT_TRUE(peer.link.connected());
  peer.tick(0.001, 0.1, 2.0);
  auto wrong = peer.last;
  wrong[0] = 'X';
  peer.send_raw(wrong);                                 // not ours
  peer.send_raw(std::span(peer.last).first(40));        // cut
  peer.send_raw(std::vector<std::uint8_t>(2000, 'K'));  // too long
  peer.send_raw(std::span<const std::uint8_t>{});       // empty
  wrong = peer.last;
  const double infinite = std::numeric_limits<double>::infinity();
  std::memcpy(wrong.data() + 40, &infinite, 8);
  peer.send_raw(wrong);  // changed
  EXPECT_TRUE(device.read(0.001, x, v, f));
  EXPECT_EQ(x[0], 0.1);
  EXPECT_EQ(f[0], 0.5);
  device.write(0.001, force, image);
  EXPECT_EQ(peer.receive(0.001), 2.5);
  EXPECT_FALSE(device.read(0.004, x, v, f));
  EXPECT_NEAR(x[0], 0.1 + 0.003 * 2, 1e-15);  // continued with its speed
  EXPECT_FALSE(device.read(0.05, x, v, f));
  EXPECT_NEAR(x[0], 0.1 + 0.01 * 2, 1e-15);  // then held
  EXPECT_EQ(v[0], 0.0);
  peer.tick(0.052, 0.3, 0, true), peer.tick(0.053, 0.3, 0, true);
  peer.tick(0.054, 0.3, 0, true);
  const auto late = peer.last;
  peer.tick(0.055, 0.2, 0);  // three are lost
  peer.send_raw(late);
  EXPECT_TRUE(device.read(0.06, x, v, f));
  EXPECT_EQ(x[0], 0.2);
  device.write(0.06, force, image);
  EXPECT_EQ(peer.receive(0.06), 2.5);
  (void)device.read(0.3, x, v, f);
  device.write(0.3, force, image);
  EXPECT_EQ(peer.receive(0.3), 0.0);
  EXPECT_EQ(device.notes()[0], "2 packets received, 3 lost, 1 late, 4 invalid, 1 refused");
  peer.send_raw(std::vector<std::uint8_t>{'K', 'H', 'D', '1', 1, 0, 0, 0});
  (void)device.read(0.301, x, v, f);
  EXPECT_NE(device.notes().back().find("protocol 1"), std::string::npos);
}

// Another sender, however fast, neither gets the answers nor holds up the device.
TEST(UdpDevice, AFloodFromAnotherProgramDoesNotHoldUpTheDevice) {
  UdpDevice device({});
  Peer peer(device.port()), hostile(device.port());
  std::vector<double> x(1), v(1), f(1), force{1.5}, image{0.0};
  device.start(image);
  peer.tick(0, 0, 0);
  (void)device.read(0, x, v, f);
  (void)peer.receive(0);
  long fresh = 0;
  for (int k = 1; k <= 100; ++k) {
    const double t = 1e-3 * k;
    auto garbage = peer.last;
    garbage.resize(LinkSizes::state(1), 0xff);
    for (int n = 0; n < 40; ++n) hostile.send_raw(garbage);
    peer.tick(t, 1e-4 * k, 0.1);
    fresh += device.read(t, x, v, f) ? 1 : 0;
    device.write(t, force, image);
    ASSERT_EQ(peer.receive(t), 1.5) << k;
  }
  EXPECT_EQ(fresh, 100);
  EXPECT_EQ(device.link().counts().lost, 0);
}

TEST(UdpDevice, SaysWhyAPortCannotBeOpened) {
  UdpDevice first({});
  UdpOptions same;
  same.port = first.port();
  EXPECT_THROW(UdpDevice second(same), ModelError);
  UdpOptions nowhere;
  nowhere.address = "not an address";
  EXPECT_THROW(UdpDevice third(nowhere), ModelError);
  nowhere.address = "0.0.0.0";
  EXPECT_THROW(UdpDevice fourth(nowhere), ModelError);  // without a key
  const std::string file = std::string(KANE_BINARY_DIR) + "/link_test.key";
  EXPECT_THROW((void)read_link_key(file + ".missing"), ModelError);
  std::ofstream(file) << "too short\n";
  EXPECT_THROW((void)read_link_key(file), ModelError);
  std::ofstream(file) << "0123456789abcdef0123456789abcdef\r\n";
  nowhere.link.key = read_link_key(file);
  EXPECT_EQ(nowhere.link.key.size(), 32U);
  EXPECT_NO_THROW(UdpDevice fifth(nowhere));
}

}  // namespace
}  // namespace kane::test
