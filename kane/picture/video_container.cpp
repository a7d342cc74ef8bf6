#include "kane/picture/video_container.hpp"

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace kane {

namespace {

/// Big-endian numbers from a file, with the position.
class ByteReader {
 public:
  explicit ByteReader(const std::string& file) : in_(file, std::ios::binary) {}

  [[nodiscard]] bool good() const { return in_.good(); }
  void go(std::uint64_t to) { in_.seekg(static_cast<std::streamoff>(to)); }
  [[nodiscard]] std::uint64_t position() { return static_cast<std::uint64_t>(in_.tellg()); }
  [[nodiscard]] std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8U | static_cast<unsigned char>(in_.get());
    return value;
  }
  /// A length of EBML: the leading zeros of the first byte say how many bytes follow.
  [[nodiscard]] std::uint64_t length() {
    const auto first = static_cast<std::uint8_t>(number(1));
    const int more = std::countl_zero(first);
    if (first == 0) return 0;
    return (static_cast<std::uint64_t>(first) & (0x7FU >> more)) << static_cast<unsigned>(8 * more) | number(more);
  }

 private:
  std::ifstream in_;
};

constexpr std::uint64_t kFileType = 0x66747970, kMovie = 0x6D6F6F76;  // "ftyp", "moov"
constexpr std::uint64_t kEbml = 0x1A45DFA3, kSegment = 0x18538067;

/// ISO/IEC 14496-12, 4.2: 32 bits of length and a name; length 1: 64 bits more, 0: up to the end.
bool is_whole_mp4(ByteReader& in, std::uint64_t size) {
  bool movie = false;
  constexpr int kMostBoxes = 1'000'000;
  std::uint64_t at = 0;
  for (int k = 0; at < size && k < kMostBoxes; ++k) {
    in.go(at);
    std::uint64_t length = in.number(4);
    movie = in.number(4) == kMovie || movie;
    if (length == 1) length = in.number(8);
    if (length == 0) length = size - at;
    if (!in.good() || length < 8 || length > size - at) return false;
    at += length;
  }
  return movie && at == size;
}

/// RFC 8794: head, then the segment that holds everything; a length of ones means that it was never filled in.
bool is_whole_webm(ByteReader& in, std::uint64_t size) {
  in.go(4);
  const std::uint64_t head = in.length();
  in.go(in.position() + head);
  if (in.number(4) != kSegment) return false;
  const std::uint64_t length = in.length();
  return in.good() && in.position() + length == size;
}

}  // namespace

bool is_whole_video(const std::string& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error || size == 0) return false;
  ByteReader in(file);
  const std::uint64_t first = in.number(4), second = in.number(4);
  in.go(0);
  if (second == kFileType) return is_whole_mp4(in, size);
  if (first == kEbml) return is_whole_webm(in, size);
  return true;
}

}  // namespace kane
