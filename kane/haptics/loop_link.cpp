#include "kane/haptics/loop_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"

namespace kane {

LoopLink::LoopLink(const LoopLinkOptions& options) : options_(options), key_(options.key) {
  require(options.axes >= 1 && options.axes <= LinkSizes::axes, "a network device has 1 to {} axes, not {}",
          LinkSizes::axes, options.axes);
  require(options.loan >= 0 && std::isfinite(options.loan) && options.stored >= 0 && std::isfinite(options.stored),
          "the energy lent and the energy stored at the start must be finite and not negative, not {} and {} J",
          options.loan, options.stored);
  options_.max_force.resize(options.axes);
}

void LoopLink::start(std::span<const double> origin) {
  for (std::size_t i = 0; i < options_.axes; ++i) axes_[i].origin = axes_[i].position = axes_[i].used = origin[i];
}

/// A hello may be a recording of an old one. It changes nothing by itself: only a state with a right tag of the new session
/// begins that. The same hello again gets the same answer.
std::size_t LoopLink::welcome(PacketBytes packet, PacketBuffer& reply) {
  const Nonce device = PacketReader(packet).get_nonce();
  auto place = std::ranges::find_if(pending_, [&](const Pending& p) { return p.used && p.device == device; });
  if (place == pending_.end()) {
    place = pending_.begin() + static_cast<std::ptrdiff_t>(next_pending_++ % kPending);
    place->device = device, place->loop = draw_nonce(), place->used = true;
    place->session = agree_session(key_, place->device, place->loop);
  }
  PacketWriter w(reply, "KHW2", options_.axes);
  w.put_bytes(place->device), w.put_bytes(place->loop);
  w.put(std::uint32_t{options_.motion ? 1U : 0U}), w.put(std::uint32_t{0});
  w.put(options_.period), w.put(options_.loan);
  for (std::size_t i = 0; i < options_.axes; ++i)
    w.put(axes_[i].origin), w.put(options_.stored), w.put(options_.max_force[i]);
  return w.seal(key_);
}

/// With a key the other end has proved who it is. Without one, first come, first served, until it falls silent.
bool LoopLink::may_begin(double t) const {
  return !connected_ || !options_.key.empty() || t - last_arrival_ > options_.timeout;
}

void LoopLink::begin(const LinkSession& session) {
  session_ = session;
  connected_ = true, distrusted_ = false;
  number_ = sent_ = 0;
  ++counts_.sessions;
  for (Axis& axis : axes_) axis.sent = axis.taken = axis.returned = axis.in = axis.out = 0;
}

void LoopLink::note_trip(double t, double echo) {
  if (!(echo > 0) || !(t >= echo)) return;
  largest_trip_ = std::max(largest_trip_, t - echo);
  trips_ += t - echo, ++timed_;
}

bool LoopLink::take_state(PacketBytes packet, double t) {
  PacketReader r(packet);
  const auto id = r.get<std::uint64_t>();
  const bool present = connected_ && id == session_.id;
  const auto next =
      std::ranges::find_if(pending_, [&](const Pending& p) { return p.used && !present && p.session.id == id; });
  if (!present && next == pending_.end()) return ++counts_.refused, false;
  if (!is_sealed(packet, present ? session_.device : next->session.device)) return ++counts_.refused, false;
  if (!present && !may_begin(t)) return ++counts_.refused, false;
  const auto number = r.get<std::uint64_t>();
  const double time = r.get<double>(), echo = r.get<double>();
  if (number <= (present ? number_ : 0)) return ++counts_.late, false;
  std::array<Axis, LinkSizes::axes> axes = axes_;
  bool good = std::isfinite(time) && std::isfinite(echo);
  for (std::size_t i = 0; i < options_.axes; ++i) {
    Axis& a = axes[i];
    a.position = r.get<double>(), a.speed = r.get<double>(), a.force = r.get<double>();
    a.in = r.get<double>(), a.out = r.get<double>();
    for (const double value : {a.position, a.speed, a.force, a.in, a.out}) good = good && std::isfinite(value);
    good = good && a.in >= (present ? axes_[i].in : 0) && a.out >= (present ? axes_[i].out : 0);
  }
  if (!good) return ++counts_.invalid, false;
  if (!present) {
    next->used = false;
    begin(next->session);
    for (std::size_t i = 0; i < options_.axes; ++i) axes[i].sent = axes[i].taken = axes[i].returned = 0;
  }
  counts_.lost += static_cast<long>(number - number_ - 1);
  axes_ = axes, number_ = number, device_time_ = time;
  last_arrival_ = t;
  ++counts_.received;
  note_trip(t, echo);
  distrusted_ = false;
  for (std::size_t i = 0; i < options_.axes; ++i) {
    const double energy = axes_[i].in - axes_[i].out;
    least_energy_ = std::min(least_energy_, energy);
    // More than one tick's error: whatever holds that port does not keep the account.
    distrusted_ = distrusted_ || energy < -(options_.stored + std::max(0.05, options_.loan));
  }
  return true;
}

LoopLink::Taken LoopLink::take(PacketBytes packet, double t, PacketBuffer& reply) {
  if (is_packet(packet, "KHD2", options_.axes, LinkSizes::state(options_.axes))) {
    const bool state = take_state(packet, t);
    fresh_ = fresh_ || state;
    return {.state = state};
  }
  if (is_packet(packet, "KHH2", options_.axes, LinkSizes::hello)) {
    if (is_sealed(packet, key_)) return {.reply = welcome(packet, reply)};
    ++counts_.refused;
    return {};
  }
  const bool old = packet.size() >= 4 && std::memcmp(packet.data(), "KHD1", 4) == 0;
  ++(old ? counts_.old : counts_.invalid);
  return {};
}

/// The step that the account allows; the rest waits.
double LoopLink::shorten(Axis& axis, double step) {
  const double budget = std::max(0.0, axis.in + options_.loan - axis.taken);
  double work = axis.sent * step;
  if (work > budget) {
    step *= budget / work;
    work = budget;
    ++counts_.shortened;
  }
  axis.taken += std::max(work, 0.0), axis.returned += std::max(-work, 0.0);
  return step;
}

bool LoopLink::read(double t, std::span<double> position, std::span<double> speed, std::span<double> force) {
  const double age = t - last_arrival_, ahead = connected_ ? std::clamp(age, 0.0, options_.bridge) : 0.0;
  if (!fresh_) ++counts_.bridged;
  for (std::size_t i = 0; i < options_.axes; ++i) {
    Axis& a = axes_[i];
    double now = age <= options_.bridge ? a.speed : 0.0;
    const double wanted = a.position + ahead * a.speed - a.used;
    if (options_.motion) {
      a.used += wanted;
    } else {
      const double step = shorten(a, wanted);
      if (step != wanted) now *= step / wanted;
      a.used = step == wanted ? a.position + ahead * a.speed : a.used + step;
    }
    position[i] = a.used, speed[i] = now;
    force[i] = age <= options_.timeout ? a.force : 0.0;
  }
  return std::exchange(fresh_, false);
}

std::size_t LoopLink::write(double t, std::span<const double> force, std::span<const double> position,
                            PacketBuffer& packet) {
  if (!connected_) return 0;
  const bool silent = distrusted_ || t - last_arrival_ > options_.timeout;
  if (silent) ++counts_.silent;
  PacketWriter w(packet, "KHF2", options_.axes);
  w.put(session_.id), w.put(++sent_), w.put(t), w.put(device_time_);
  for (std::size_t i = 0; i < options_.axes; ++i) {
    Axis& a = axes_[i];
    a.sent = silent ? 0.0 : -force[i];
    w.put(-a.sent), w.put(position[i]), w.put(a.returned);
  }
  return w.seal(session_.loop);
}

std::vector<std::string> LoopLink::notes() const {
  const Counts& c = counts_;
  std::vector<std::string> notes{fmt::format("{} received, {} lost, {} late, {} invalid, {} refused",
                                             counted(c.received, "packet"), c.lost, c.late, c.invalid, c.refused)};
  notes.push_back(fmt::format("{} without new device data bridged; {} without force", counted(c.bridged, "tick"),
                              counted(c.silent, "tick")));
  if (timed_ > 0)
    notes.push_back(fmt::format("round trip {:.3g} ms on average, {:.3g} ms at most", 1e3 * mean_round_trip(),
                                1e3 * largest_trip_));
  if (c.sessions > 0)
    notes.push_back(fmt::format("lowest energy at the device {:.3g} J; motion held back in {}", least_energy_,
                                counted(c.shortened, "tick")));
  if (c.sessions > 1) notes.push_back(fmt::format("the device connected {} times", c.sessions));
  if (distrusted_)
    notes.push_back("no force: the device gives out more energy than it received, so its port is not held");
  if (c.old > 0)
    notes.push_back(
        fmt::format("{} of protocol 1 refused: it has no account of energy at the device; see docs/haptics-link.md",
                    counted(c.old, "packet")));
  return notes;
}

}  // namespace kane
