// The network device: losses, late and wrong packets, silence.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <limits>

#include "kane/base/error.hpp"
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

  void send(std::uint32_t number, double position, double speed, const char* head = "KHD1", std::size_t cut = 0) {
    unsigned char packet[40];
    const double t = 0, force = 0.5;
    std::memcpy(packet, head, 4);
    std::memcpy(packet + 4, &number, 4);
    std::memcpy(packet + 8, &t, 8);
    std::memcpy(packet + 16, &position, 8);
    std::memcpy(packet + 24, &speed, 8);
    std::memcpy(packet + 32, &force, 8);
    (void)::sendto(socket_, packet, sizeof packet - cut, 0, reinterpret_cast<const sockaddr*>(&to_), sizeof to_);
  }
  double receive_force() {
    unsigned char packet[64];
    EXPECT_EQ(::recv(socket_, packet, sizeof packet, 0), 32);
    EXPECT_EQ(std::memcmp(packet, "KHF1", 4), 0);
    double force = 0;
    std::memcpy(&force, packet + 16, 8);
    return force;
  }

 private:
  int socket_;
  sockaddr_in to_{};
};

TEST(UdpDevice, BridgesLossesDropsWhatIsWrongAndFallsSilentWithItsPeer) {
  UdpDevice device({});
  Peer peer(device.port());
  std::vector<double> x(1), v(1), f(1), force{2.5}, image{0.0};
  device.start(image);
  EXPECT_FALSE(device.read(0, x, v, f));
  EXPECT_EQ(x[0], 0.0);
  peer.send(1, 0.1, 2.0);
  peer.send(2, 9.0, 0, "XXXX");  // not ours
  peer.send(2, 9.0, 0, "KHD1", 8);
  peer.send(2, std::numeric_limits<double>::infinity(), 0);
  EXPECT_TRUE(device.read(0.001, x, v, f));
  EXPECT_EQ(x[0], 0.1);
  device.write(0.001, force, image);
  EXPECT_EQ(peer.receive_force(), 2.5);
  EXPECT_FALSE(device.read(0.004, x, v, f));
  EXPECT_NEAR(x[0], 0.1 + 0.003 * 2, 1e-15);  // continued with its speed
  EXPECT_FALSE(device.read(0.05, x, v, f));
  EXPECT_NEAR(x[0], 0.1 + 0.01 * 2, 1e-15);  // then held
  EXPECT_EQ(v[0], 0.0);
  peer.send(5, 0.2, 0);  // 2, 3 and 4 are lost
  peer.send(4, 0.3, 0);  // too late
  EXPECT_TRUE(device.read(0.06, x, v, f));
  EXPECT_EQ(x[0], 0.2);
  device.write(0.06, force, image);
  EXPECT_EQ(peer.receive_force(), 2.5);
  (void)device.read(0.3, x, v, f);
  device.write(0.3, force, image);
  EXPECT_EQ(peer.receive_force(), 0.0);
  EXPECT_EQ(device.notes()[0], "2 packets received, 3 lost, 1 late, 3 invalid");
}

TEST(UdpDevice, SaysWhyAPortCannotBeOpened) {
  UdpDevice first({});
  UdpOptions same;
  same.port = first.port();
  EXPECT_THROW(UdpDevice second(same), ModelError);
  UdpOptions nowhere;
  nowhere.address = "not an address";
  EXPECT_THROW(UdpDevice third(nowhere), ModelError);
}

}  // namespace
}  // namespace kane::test
