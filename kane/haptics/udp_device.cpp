#include "kane/haptics/udp_device.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "kane/base/error.hpp"

namespace kane {

std::vector<std::uint8_t> read_link_key(const std::string& file) {
  constexpr std::size_t kLeast = 16, kMost = 4096;
  std::ifstream in(file, std::ios::binary);
  require(in.good(), "the key '{}' cannot be read", file);
  std::vector<std::uint8_t> key;
  for (char c = 0; key.size() <= kMost && in.get(c);) key.push_back(static_cast<std::uint8_t>(c));
  require(!in.bad() && key.size() <= kMost, "'{}' is no key: it has more than {} bytes, or cannot be read", file,
          kMost);
  while (!key.empty() && (key.back() == ' ' || key.back() == '\t' || key.back() == '\n' || key.back() == '\r'))
    key.pop_back();
  require(key.size() >= kLeast, "the key in '{}' has {} bytes; it needs {} or more (openssl rand -hex 32 > {})", file,
          key.size(), kLeast, file);
  return key;
}

UdpDevice::UdpDevice(const UdpOptions& options) : options_(options), link_(options.link) {
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_port = htons(options.port);
  const bool address = ::inet_pton(AF_INET, options.address.c_str(), &own.sin_addr) == 1;
  require(address, "'{}' is not an IPv4 address", options.address);
  const bool loopback = (ntohl(own.sin_addr.s_addr) >> 24) == 127;
  require(loopback || !options.link.key.empty(),
          "a device at the address {} can be anybody's: give a key that both ends know (--key FILE)", options.address);
  socket_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  require(socket_ >= 0, "cannot create a network socket: {}", std::strerror(errno));
  const bool bound = ::bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0;
  const int reason = errno;
  if (!bound) ::close(socket_);
  require(bound, "port {} of {} cannot be opened: {}", options.port, options.address, std::strerror(reason));
}

UdpDevice::~UdpDevice() { ::close(socket_); }

std::uint16_t UdpDevice::port() const {
  sockaddr_in own{};
  socklen_t size = sizeof own;
  (void)::getsockname(socket_, reinterpret_cast<sockaddr*>(&own), &size);
  return ntohs(own.sin_port);
}

std::string UdpDevice::name() const { return fmt::format("udp {}:{}", options_.address, port()); }

void UdpDevice::send(const PacketBuffer& packet, std::size_t size, const sockaddr_in& to) const {
  if (size == 0) return;
  (void)::sendto(socket_, packet.data(), size, MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

bool UdpDevice::read(double t, std::span<double> position, std::span<double> speed, std::span<double> force) {
  // All packets since the last tick; a flood of packets must not stop the loop, nor one of hellos, which cost most.
  constexpr int kPackets = 128, kHellos = 2;
  PacketBuffer packet, reply;
  for (int i = 0, hellos = 0; i < kPackets && hellos < kHellos; ++i) {
    sockaddr_in from{};
    socklen_t length = sizeof from;
    const ssize_t size = ::recvfrom(socket_, packet.data(), packet.size(), MSG_DONTWAIT | MSG_TRUNC,
                                    reinterpret_cast<sockaddr*>(&from), &length);
    if (size < 0) break;
    // A longer packet is cut off; taken as an empty one it counts as invalid.
    const std::size_t bytes = static_cast<std::size_t>(size) <= packet.size() ? static_cast<std::size_t>(size) : 0;
    const LoopLink::Taken taken = link_.take({packet.data(), bytes}, t, reply);
    if (taken.state) peer_ = from;
    if (taken.reply > 0) ++hellos, send(reply, taken.reply, from);
  }
  return link_.read(t, position, speed, force);
}

void UdpDevice::write(double t, std::span<const double> force, std::span<const double> position) {
  PacketBuffer packet;
  std::ranges::copy(position, last_.begin());
  send(packet, link_.write(t, force, position, packet), peer_);
}

void UdpDevice::stop(double t) {
  constexpr int kPackets = 3;
  const std::array<double, LinkSizes::axes> none{}, position = last_;
  const std::size_t n = options_.link.axes;
  for (int k = 0; k < kPackets; ++k) write(t, {none.data(), n}, {position.data(), n});
}

}  // namespace kane
