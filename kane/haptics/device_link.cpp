#include "kane/haptics/device_link.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"

namespace kane {

DeviceLink::DeviceLink(const DeviceLinkOptions& options)
    : options_(options), key_(options.key), nonce_(draw_nonce()), axes_(options.axes) {
  require(options.axes >= 1 && options.axes <= LinkSizes::axes, "a network device has 1 to {} axes, not {}",
          LinkSizes::axes, options.axes);
  require(options.period > 0 && options.mass > 0 && options.hand_stiffness > 0 && options.hand_damping >= 0,
          "period and mass of a device and the stiffness of the hand must be positive");
  ports_.assign(options.axes, PassivityController(options.period, 1));
}

void DeviceLink::ask_anew() {
  connected_ = false;
  nonce_ = draw_nonce();
  for (Axis& axis : axes_) axis.force = 0;
}

void DeviceLink::take_welcome(PacketBytes packet, double t) {
  PacketReader r(packet);
  if (connected_ || r.get_nonce() != nonce_ || !is_sealed(packet, key_)) return void(++refused_);
  const Nonce loop = r.get_nonce();
  const bool motion = r.get<std::uint32_t>() == 1;
  r.skip(4 + 8);  // the loop's period
  const double loan = r.get<double>();
  if (!(loan >= 0) || !std::isfinite(loan)) return void(++refused_);
  const double period = options_.period;
  const double give =
      motion ? (options_.hand_stiffness + options_.hand_damping / period) / 2 : period * period / (2 * options_.mass);
  session_ = agree_session(key_, nonce_, loop);
  motion_ = motion, loan_ = loan, connected_ = true;
  number_ = heard_ = 0, loop_time_ = 0, last_arrival_ = t;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const double origin = r.get<double>(), stored = r.get<double>(), max_force = r.get<double>();
    axes_[i] = {0, origin, 0, origin, max_force, origin};
    ports_[i] = PassivityController(period, give, stored >= 0 ? stored : 0);
  }
}

void DeviceLink::take_force(PacketBytes packet, double t) {
  PacketReader r(packet);
  if (!connected_ || r.get<std::uint64_t>() != session_.id || !is_sealed(packet, session_.loop))
    return void(++refused_);
  const auto number = r.get<std::uint64_t>();
  if (number <= heard_) return;  // late, or recorded
  const double time = r.get<double>();
  r.skip(8);  // the echo of our own time
  for (Axis& axis : axes_) {
    const double force = r.get<double>(), position = r.get<double>(), returned = r.get<double>();
    if (!std::isfinite(force) || !std::isfinite(position) || !std::isfinite(returned)) return void(++refused_);
    axis.force = force, axis.position = position, axis.returned = std::max(axis.returned, returned);
  }
  heard_ = number, loop_time_ = time, last_arrival_ = t;
}

void DeviceLink::take(PacketBytes packet, double t) {
  if (is_packet(packet, "KHF2", axes_.size(), LinkSizes::force(axes_.size())))
    take_force(packet, t);
  else if (is_packet(packet, "KHW2", axes_.size(), LinkSizes::welcome(axes_.size())))
    take_welcome(packet, t);
  else
    ++refused_;
}

double DeviceLink::show_force(std::size_t i, double x, double v, bool heard) {
  PassivityController& port = ports_[i];
  const double limit = axes_[i].max_force > 0 ? axes_[i].max_force : HUGE_VAL;
  port.allow(axes_[i].returned + loan_);
  const double resist = port.control_force(heard ? -axes_[i].force : 0.0, x, v);
  return -(std::abs(resist) > limit ? port.limit(std::copysign(limit, resist)) : resist);
}

/// Follows the image as far as energy allows, and catches up within 50 ms.
double DeviceLink::show_motion(std::size_t i, double force, bool heard) {
  PassivityController& port = ports_[i];
  const double share = std::min(1.0, options_.period / 0.05);
  port.note_force(force);
  axes_[i].shown += port.control_motion(heard ? share * (axes_[i].position - axes_[i].shown) : 0.0, force);
  return axes_[i].shown;
}

std::size_t DeviceLink::tick(double t, std::span<const double> position, std::span<const double> speed,
                             std::span<const double> force, Shown shown, PacketBuffer& packet) {
  if (connected_ && t - last_arrival_ > options_.forget) ask_anew();
  if (!connected_) {
    for (std::size_t i = 0; i < axes_.size(); ++i) shown.force[i] = 0, shown.position[i] = axes_[i].shown;
    if (t - last_hello_ < options_.retry) return 0;
    last_hello_ = t;
    PacketWriter hello(packet, "KHH2", axes_.size());
    hello.put_bytes(nonce_);
    return hello.seal(key_);
  }
  const bool heard = t - last_arrival_ <= options_.timeout;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    shown.force[i] = motion_ ? 0.0 : show_force(i, position[i], speed[i], heard);
    shown.position[i] = motion_ ? show_motion(i, force[i], heard) : axes_[i].position;
  }
  PacketWriter w(packet, "KHD2", axes_.size());
  w.put(session_.id), w.put(++number_), w.put(t), w.put(loop_time_);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    w.put(position[i]), w.put(speed[i]), w.put(force[i]);
    w.put(ports_[i].energy_in()), w.put(ports_[i].energy_out());
  }
  return w.seal(session_.device);
}

}  // namespace kane
