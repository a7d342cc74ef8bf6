#pragma once
// Packets between a haptic loop and a device on a network: layout, authentication and session (docs/haptics-link.md).
// Little-endian; every packet begins with four letters and the number of axes, and ends with a tag: the first 16 bytes of
// HMAC-SHA256 over all bytes before it.
//
//     KHH2 hello     device to loop   bytes[16] nonce of the device                                    tag: key
//     KHW2 welcome   loop to device   bytes[16] nonce of the device, bytes[16] nonce of the loop, uint32 display,
//                                     uint32 0, double period, loan; per axis double origin, stored, max_force    tag: key
//     KHD2 state     device to loop   uint64 session, number; double t, echo; per axis double position, speed, force,
//                                     energy_in, energy_out                                            tag: device's key
//     KHF2 force     loop to device   uint64 session, number; double t, echo; per axis double force, position,
//                                     returned                                                         tag: loop's key
//
// The key is agreed beforehand (it may be empty). Both nonces are random, so nobody can have recorded packets of a session
// before it begins, and a sender that has not seen its hello and welcome knows neither its number nor its keys:
//
//     session, device's key, loop's key = HMAC(key, label | nonce of the device | nonce of the loop)
//
// with the labels "session" (first 8 bytes), "device" and "loop". A number must exceed all earlier ones of its session; since only
// packets with a right tag are looked at, nobody else can advance it.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "kane/haptics/sha256.hpp"

namespace kane {

using PacketBytes = std::span<const std::uint8_t>;
using Nonce = std::array<std::uint8_t, 16>;

struct LinkSizes {
  static constexpr std::size_t axes = 16;  ///< at most
  static constexpr std::size_t tag = 16;
  static constexpr std::size_t hello = 8 + 16 + tag;
  static constexpr std::size_t welcome(std::size_t n) { return 8 + 32 + 8 + 16 + 24 * n + tag; }
  static constexpr std::size_t state(std::size_t n) { return 8 + 32 + 40 * n + tag; }
  static constexpr std::size_t force(std::size_t n) { return 8 + 32 + 24 * n + tag; }
  static constexpr std::size_t most = 8 + 32 + 40 * axes + tag;
};

using PacketBuffer = std::array<std::uint8_t, LinkSizes::most>;

/// Puts numbers one after the other.
class PacketWriter {
 public:
  PacketWriter(PacketBuffer& to, const char* kind, std::size_t axes) : to_(to) {
    put_bytes({reinterpret_cast<const std::uint8_t*>(kind), 4});
    put(static_cast<std::uint32_t>(axes));
  }
  template <class T>
  void put(T value) {
    static_assert(std::endian::native == std::endian::little, "packets are little-endian");
    std::memcpy(to_.data() + size_, &value, sizeof value);
    size_ += sizeof value;
  }
  void put_bytes(PacketBytes bytes) {
    std::memcpy(to_.data() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  /// Adds the tag; returns the number of bytes.
  std::size_t seal(const Hmac& key) {
    const Digest tag = key.sign({to_.data(), size_});
    put_bytes({tag.data(), LinkSizes::tag});
    return size_;
  }

 private:
  PacketBuffer& to_;
  std::size_t size_ = 0;
};

/// Takes them out again; the caller has checked the length.
class PacketReader {
 public:
  explicit PacketReader(PacketBytes bytes) : bytes_(bytes) {}
  template <class T>
  [[nodiscard]] T get() {
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  [[nodiscard]] Nonce get_nonce() { return get<Nonce>(); }
  void skip(std::size_t n) { at_ += n; }

 private:
  PacketBytes bytes_;
  std::size_t at_ = 8;  ///< after the letters and the number of axes
};

/// The right letters, number of axes and length.
[[nodiscard]] inline bool is_packet(PacketBytes bytes, const char* kind, std::size_t axes, std::size_t size) {
  if (bytes.size() != size || std::memcmp(bytes.data(), kind, 4) != 0) return false;
  std::uint32_t n = 0;
  std::memcpy(&n, bytes.data() + 4, sizeof n);
  return n == axes;
}

[[nodiscard]] inline bool is_sealed(PacketBytes bytes, const Hmac& key) {
  const Digest tag = key.sign(bytes.first(bytes.size() - LinkSizes::tag));
  return same_bytes({tag.data(), LinkSizes::tag}, bytes.last(LinkSizes::tag));
}

struct LinkSession {
  std::uint64_t id = 0;
  Hmac device, loop;
};

[[nodiscard]] LinkSession agree_session(const Hmac& key, const Nonce& device, const Nonce& loop);
/// From the operating system. Throws ModelError if it has none.
[[nodiscard]] Nonce draw_nonce();

}  // namespace kane
