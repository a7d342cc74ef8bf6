#pragma once
// Messages from a page to the workbench: one JSON object per message (docs/protocol.md). Messages are not trusted:
// anything malformed is refused with a sentence.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kane {

/// A body is held at a point (in its own axes), and pulled to a target (in the ground).
struct PullHold {
  std::size_t body = 0;
  std::array<double, 3> point{}, target{};
};

struct ClientMessage {
  enum class Kind : std::uint8_t {
    Open,
    Edit,
    Play,
    Step,
    Reset,
    Resume,
    Speed,
    Parameter,
    Input,
    Pull,
    Release,
    Save,
    Analyse,
    Derive,
    Lock,
    Impose
  };
  Kind kind = Kind::Step;
  std::string path{};           ///< Open, Save
  std::string text{};           ///< Edit, Save; Open: without a path, a model of this text
  std::string name{};           ///< Parameter, Input; Lock: a joint; Impose: a constraint; Derive: the choice of speeds
  double value = 0;             ///< Speed, Parameter, Input; Resume: the time
  bool on = false;              ///< Play, Lock, Impose; Save: also over a newer file
  std::vector<double> state{};  ///< Resume: coordinates and speeds
  PullHold hold{};              ///< Pull
  std::vector<std::string> definitions{};  ///< Derive: own speeds
  std::vector<int> steps{};                ///< Derive: steps of the derivation
  std::int64_t seen = 0;                   ///< Save: time of the file when it was read, ns
  std::uint32_t mark = 0;                  ///< Reset, Resume: which frames repeat from then on; 0: none
};

/// Marks have the bits of a frame's flags that flags leave free.
inline constexpr std::uint32_t kMarkShift = 8, kLargestMark = (1U << (32 - kMarkShift)) - 1;
inline constexpr std::size_t kMostMessageBytes = 2'000'000;

/// Throws ModelError with a sentence for anything else than a message of the protocol.
[[nodiscard]] ClientMessage parse_client_message(std::string_view text);

}  // namespace kane
