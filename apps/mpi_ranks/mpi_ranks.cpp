#include "apps/mpi_ranks/mpi_ranks.hpp"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdlib>
#include <deque>
#include <list>
#include <set>

namespace kane {
namespace {

class MpiLink final : public RankLink {
 public:
  MpiLink() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiLink() override {
    for (Pending& p : pending_) MPI_Wait(&p.request, MPI_STATUS_IGNORE);
    MPI_Finalize();
  }
  MpiLink(const MpiLink&) = delete;
  MpiLink& operator=(const MpiLink&) = delete;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  // The bytes are kept until they have left: a rank that waits for its receiver could be waited for itself.
  void send(int to, const std::string& bytes) override {
    while (!pending_.empty()) {
      int done = 0;
      MPI_Test(&pending_.front().request, &done, MPI_STATUS_IGNORE);
      if (done == 0) break;
      pending_.pop_front();
    }
    Pending& p = pending_.emplace_back();
    p.bytes = bytes;
    MPI_Isend(p.bytes.data(), static_cast<int>(p.bytes.size()), MPI_BYTE, to, kTag, MPI_COMM_WORLD, &p.request);
  }

  [[nodiscard]] std::optional<Message> receive() override {
    accept();
    // Those of one rank in their order, whatever their size.
    std::set<int> waiting;
    for (auto a = arriving_.begin(); a != arriving_.end(); ++a) {
      int done = 0;
      if (!waiting.contains(a->message.from)) MPI_Test(&a->request, &done, MPI_STATUS_IGNORE);
      if (done == 0) {
        waiting.insert(a->message.from);
        continue;
      }
      Message message = std::move(a->message);
      arriving_.erase(a);
      return message;
    }
    return std::nullopt;
  }

  [[noreturn]] void abort(int code) override {
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }

 private:
  /// Begins to receive what was sent. A large message needs its sender's help, which may be busy: nobody waits for that.
  void accept() {
    while (true) {
      int arrived = 0;
      MPI_Status status;
      MPI_Message handle = MPI_MESSAGE_NULL;
      MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &arrived, &handle, &status);
      if (arrived == 0) return;
      int count = 0;
      MPI_Get_count(&status, MPI_BYTE, &count);
      Arriving& a = arriving_.emplace_back();
      a.message = {status.MPI_SOURCE, std::string(static_cast<std::size_t>(count), '\0')};
      MPI_Imrecv(a.message.bytes.data(), count, MPI_BYTE, &handle, &a.request);
    }
  }

  static constexpr int kTag = 1;
  struct Pending {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Arriving {
    Message message{};
    MPI_Request request = MPI_REQUEST_NULL;
  };
  int rank_ = 0, size_ = 1;
  std::deque<Pending> pending_;
  std::list<Arriving> arriving_;
};

}  // namespace
}  // namespace kane

extern "C" kane::RankLink* kane_open_ranks() {
  int initialized = 0, provided = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0 && MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
    return nullptr;
  static kane::MpiLink link;
  return &link;
}
