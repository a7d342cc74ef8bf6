#include "kane/haptics/udp_device.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"

namespace kane {

namespace {

constexpr std::size_t kHead = 16;

template <class T>
T get(const unsigned char* from) {
  static_assert(std::endian::native == std::endian::little, "packets are little-endian");
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void put(unsigned char* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace

UdpDevice::UdpDevice(const UdpOptions& options) : options_(options) {
  require(options.axes >= 1 && options.axes <= kMostAxes, "a network device has 1 to {} axes, not {}", kMostAxes,
          options.axes);
  socket_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  require(socket_ >= 0, "cannot create a network socket: {}", std::strerror(errno));
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_port = htons(options.port);
  const bool address = ::inet_pton(AF_INET, options.address.c_str(), &own.sin_addr) == 1;
  const bool bound = address && ::bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0;
  const int reason = errno;
  if (!bound) ::close(socket_);
  require(address, "'{}' is not an IPv4 address", options.address);
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

void UdpDevice::start(std::span<const double> origin) {
  for (std::size_t i = 0; i < options_.axes; ++i) axes_[i] = {origin[i], 0, 0};
}

bool UdpDevice::take(const unsigned char* packet, std::size_t size) {
  if (size != kHead + 24 * options_.axes || std::memcmp(packet, "KHD1", 4) != 0) {
    ++wrong_;
    return false;
  }
  const auto number = get<std::uint32_t>(packet + 4);
  if (received_ > 0 && static_cast<std::int32_t>(number - last_number_) <= 0) {
    ++late_;
    return false;
  }
  std::array<Axis, kMostAxes> axes{};
  for (std::size_t i = 0; i < options_.axes; ++i) {
    const unsigned char* from = packet + kHead + 24 * i;
    axes[i] = {get<double>(from), get<double>(from + 8), get<double>(from + 16)};
    if (!std::isfinite(axes[i].position) || !std::isfinite(axes[i].speed) || !std::isfinite(axes[i].force)) {
      ++wrong_;
      return false;
    }
  }
  if (received_ > 0) lost_ += static_cast<std::int32_t>(number - last_number_) - 1;
  axes_ = axes;
  last_number_ = number;
  ++received_;
  return true;
}

bool UdpDevice::read(double t, std::span<double> position, std::span<double> speed, std::span<double> force) {
  unsigned char packet[1024];
  bool fresh = false;
  // All packets since the last tick; a flood of packets must not stop the loop.
  for (int i = 0; i < 64; ++i) {
    sockaddr_in from{};
    socklen_t length = sizeof from;
    const ssize_t size =
        ::recvfrom(socket_, packet, sizeof packet, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&from), &length);
    if (size < 0) break;
    if (!take(packet, static_cast<std::size_t>(size))) continue;
    fresh = has_peer_ = true;
    peer_ = from;
    last_arrival_ = t;
  }
  const double age = t - last_arrival_;
  const double ahead = received_ == 0 ? 0.0 : std::clamp(age, 0.0, options_.bridge);
  if (!fresh) ++bridged_;
  for (std::size_t i = 0; i < options_.axes; ++i) {
    position[i] = axes_[i].position + ahead * axes_[i].speed;
    speed[i] = age <= options_.bridge ? axes_[i].speed : 0.0;
    force[i] = age <= options_.timeout ? axes_[i].force : 0.0;
  }
  return fresh;
}

void UdpDevice::write(double t, std::span<const double> force, std::span<const double> position) {
  if (!has_peer_) return;
  const bool silent = t - last_arrival_ > options_.timeout;
  if (silent) ++silent_;
  unsigned char packet[kHead + 16 * kMostAxes];
  std::memcpy(packet, "KHF1", 4);
  put(packet + 4, ++sent_);
  put(packet + 8, t);
  for (std::size_t i = 0; i < options_.axes; ++i) {
    put(packet + kHead + 16 * i, silent ? 0.0 : force[i]);
    put(packet + kHead + 16 * i + 8, position[i]);
  }
  (void)::sendto(socket_, packet, kHead + 16 * options_.axes, MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&peer_),
                 sizeof peer_);
}

void UdpDevice::stop(double t) {
  constexpr int kPackets = 3;
  std::array<double, kMostAxes> none{}, position{};
  for (std::size_t i = 0; i < options_.axes; ++i) position[i] = axes_[i].position;
  for (int k = 0; k < kPackets; ++k) write(t, none, position);
}

std::vector<std::string> UdpDevice::notes() const {
  std::vector<std::string> notes{
      fmt::format("{} received, {} lost, {} late, {} invalid", counted(received_, "packet"), lost_, late_, wrong_)};
  notes.push_back(fmt::format("{} without new device data bridged; {} without force", counted(bridged_, "tick"),
                              counted(silent_, "tick")));
  return notes;
}

}  // namespace kane
