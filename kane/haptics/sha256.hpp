#pragma once
// SHA-256 (FIPS 180-4) and HMAC (RFC 2104, RFC 4231) for the packets of network devices. Nothing allocates.

#include <array>
#include <cstdint>
#include <span>

namespace kane {

using Digest = std::array<std::uint8_t, 32>;

class Sha256 {
 public:
  void add(std::span<const std::uint8_t> bytes);
  [[nodiscard]] Digest finish();

 private:
  void take_block(const std::uint8_t* block);

  std::array<std::uint32_t, 8> hash_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::uint64_t length_ = 0;  ///< bytes so far
};

/// H((key ^ opad) | H((key ^ ipad) | message)); the two blocks of the key are hashed once only.
class Hmac {
 public:
  Hmac() : Hmac(std::span<const std::uint8_t>{}) {}
  explicit Hmac(std::span<const std::uint8_t> key);
  [[nodiscard]] Digest sign(std::span<const std::uint8_t> message) const;

 private:
  Sha256 inner_, outer_;
};

/// In a time that does not depend on where they differ.
[[nodiscard]] bool same_bytes(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);

}  // namespace kane
