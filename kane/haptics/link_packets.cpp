#include "kane/haptics/link_packets.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "kane/base/error.hpp"

namespace kane {

LinkSession agree_session(const Hmac& key, const Nonce& device, const Nonce& loop) {
  const auto derive = [&](std::string_view label) {
    std::array<std::uint8_t, 7 + 32> message{};
    std::ranges::copy(label, message.begin());
    std::ranges::copy(device, message.begin() + static_cast<std::ptrdiff_t>(label.size()));
    std::ranges::copy(loop, message.begin() + static_cast<std::ptrdiff_t>(label.size() + device.size()));
    return key.sign({message.data(), label.size() + 32});
  };
  LinkSession session;
  const Digest id = derive("session");
  std::memcpy(&session.id, id.data(), sizeof session.id);
  session.device = Hmac(derive("device"));
  session.loop = Hmac(derive("loop"));
  return session;
}

Nonce draw_nonce() {
  Nonce nonce{};
  const ssize_t got = ::getrandom(nonce.data(), nonce.size(), 0);
  require(got == static_cast<ssize_t>(nonce.size()), "the system gave no random numbers: {}", std::strerror(errno));
  return nonce;
}

}  // namespace kane
