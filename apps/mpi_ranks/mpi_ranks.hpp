#pragma once
// The module kane_mpi_ranks: messages between the processes that mpirun or Slurm has started. The kane command loads it when it
// finds itself among such processes; nothing else needs MPI.

#include <optional>
#include <string>

namespace kane {

/// Messages of bytes between ranks. For one thread of each process.
class RankLink {
 public:
  virtual ~RankLink() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Returns when the bytes are on their way.
  virtual void send(int to, const std::string& bytes) = 0;
  struct Message {
    int from;
    std::string bytes;
  };
  /// A message that has arrived; empty: there is none.
  [[nodiscard]] virtual std::optional<Message> receive() = 0;
  /// Ends all processes of the job.
  [[noreturn]] virtual void abort(int code) = 0;
};

/// The only one; it lives as long as the process. Null if MPI does not work here.
using OpenRanks = RankLink* (*)();

inline constexpr const char* kRankModule = "kane_mpi_ranks.so";
inline constexpr const char* kOpenRanks = "kane_open_ranks";

}  // namespace kane
