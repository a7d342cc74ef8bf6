#pragma once
// A device behind a network that exists in virtual time only: delays, jitter, losses, a mass, and a hand.

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "kane/haptics/device.hpp"
#include "kane/haptics/device_link.hpp"
#include "kane/haptics/loop_link.hpp"

namespace kane::test {

struct NetworkOptions {
  double delay = 0;   ///< s, each way
  double jitter = 0;  ///< part of the delay by which it varies, either way
  double loss = 0;    ///< part of the packets
  unsigned seed = 1;
};

class Channel {
 public:
  explicit Channel(const NetworkOptions& options, unsigned salt) : options_(options), random_(options.seed + salt) {}

  void send(double t, const PacketBuffer& packet, std::size_t size) {
    std::uniform_real_distribution<double> part(0, 1);
    const double lost = part(random_), early = 2 * part(random_) - 1;
    if (size == 0 || lost < options_.loss) return;
    flying_.push_back({t + options_.delay * (1 + options_.jitter * early),
                       {packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(size)}});
  }
  void receive(double t, const std::function<void(PacketBytes, double)>& take) {
    std::ranges::stable_sort(flying_, {}, &Flying::arrival);
    std::size_t n = 0;
    for (; n < flying_.size() && flying_[n].arrival <= t; ++n) take(flying_[n].bytes, flying_[n].arrival);
    flying_.erase(flying_.begin(), flying_.begin() + static_cast<std::ptrdiff_t>(n));
  }

 private:
  struct Flying {
    double arrival;
    std::vector<std::uint8_t> bytes;
  };
  NetworkOptions options_;
  std::mt19937 random_;
  std::vector<Flying> flying_;
};

/// Force of a hand at time t on a device at x with speed v.
using Hand = std::function<double(double t, double x, double v)>;

struct RemoteOptions {
  NetworkOptions network;
  LoopLinkOptions loop;
  DeviceLinkOptions device;
  double damping = 0.1;    ///< of the device
  bool holds_port = true;  ///< false: whatever force comes is displayed
  double period = 1e-3;
};

/// One axis.
class RemoteDevice final : public Device {
 public:
  RemoteDevice(RemoteOptions options, Hand hand)
      : options_(std::move(options)),
        hand_(std::move(hand)),
        loop_(options_.loop),
        device_(options_.device),
        up_(options_.network, 0),
        down_(options_.network, 1000) {}

  [[nodiscard]] std::string name() const override { return "remote"; }
  [[nodiscard]] std::size_t axes() const override { return 1; }
  [[nodiscard]] DeviceAxis axis(std::size_t) const override {
    return {.damping = options_.damping, .mass = options_.device.mass, .max_force = 20};
  }
  void start(std::span<const double> origin) override { loop_.start(origin), x_ = origin[0]; }
  [[nodiscard]] bool read(double t, std::span<double> x, std::span<double> v, std::span<double> f) override {
    while (next_ <= t) device_tick();
    PacketBuffer reply;
    up_.receive(t, [&](PacketBytes packet, double) {
      const LoopLink::Taken taken = loop_.take(packet, t, reply);
      down_.send(t, reply, taken.reply);
    });
    return loop_.read(t, x, v, f);
  }
  void write(double t, std::span<const double> force, std::span<const double> position) override {
    PacketBuffer packet;
    const std::size_t size = loop_.write(t, force, position, packet);
    down_.send(t, packet, size);
  }

  [[nodiscard]] double least_energy() const { return least_; }
  /// Until the last tick of the device.
  [[nodiscard]] double energy() const { return settled_; }
  [[nodiscard]] double largest_shown() const { return largest_; }
  [[nodiscard]] double furthest() const { return furthest_; }
  [[nodiscard]] double position() const { return x_; }
  [[nodiscard]] const DeviceLink& device() const { return device_; }
  [[nodiscard]] const LoopLink& loop() const { return loop_; }

 private:
  void device_tick() {
    settled_ = energy_;
    down_.receive(next_, [&](PacketBytes packet, double arrival) {
      device_.take(packet, arrival);
      if (std::memcmp(packet.data(), "KHF2", 4) == 0) std::memcpy(&raw_, packet.data() + 40, sizeof raw_);
    });
    PacketBuffer packet;
    double shown = 0, place = 0;
    const std::size_t size = device_.tick(next_, {&x_, 1}, {&v_, 1}, {&pull_, 1}, {{&shown, 1}, {&place, 1}}, packet);
    up_.send(next_, packet, size);
    if (!options_.holds_port) shown = raw_;
    largest_ = std::max(largest_, std::abs(shown));
    constexpr int kSteps = 10;
    const double h = options_.period / kSteps, m = options_.device.mass;
    for (int k = 0; k < kSteps; ++k) {
      pull_ = hand_(next_ + k * h, x_, v_);
      v_ += h * (shown + pull_ - options_.damping * v_) / m;
      x_ += h * v_;
      energy_ -= shown * h * v_;  // what the hand and the device give to the port
      least_ = std::min(least_, energy_);
    }
    furthest_ = std::max(furthest_, x_);
    next_ += options_.period;
  }

  RemoteOptions options_;
  Hand hand_;
  LoopLink loop_;
  DeviceLink device_;
  Channel up_, down_;
  double next_ = 0.3e-3;  ///< between two ticks of the loop
  double x_ = 0, v_ = 0, pull_ = 0, raw_ = 0, energy_ = 0, least_ = 0, settled_ = 0, largest_ = 0, furthest_ = 0;
};

}  // namespace kane::test
