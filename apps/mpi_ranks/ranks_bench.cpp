// The queue of a sweep on several processes: what rank 0 spends on a message.
//
//   mpirun -n 2 bench_ranks

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "apps/mpi_ranks/mpi_ranks.hpp"
#include "kane/batch/case_bytes.hpp"
#include "kane/batch/store.hpp"

namespace kane {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// What a message with so many results costs rank 0: to receive, unpack and answer it. Rank 1 keeps several on their way, so that rank
/// 0 always has something to do; the least of many rounds.
void measure_ranks() {
  void* module = dlopen(kRankModule, RTLD_NOW | RTLD_GLOBAL);
  const auto open = module == nullptr ? nullptr : reinterpret_cast<OpenRanks>(dlsym(module, kOpenRanks));
  if (open == nullptr) throw std::runtime_error(fmt::format("{} cannot be loaded", kRankModule));
  RankLink* const link = open();
  constexpr std::size_t kSizes[] = {1, 10, 100, 1000};
  constexpr int kMessages = 200, kRounds = 40, kAhead = 8;
  for (const std::size_t size : kSizes) {
    std::vector<CaseResult> results(size);
    for (CaseResult& r : results) r.ok = true, r.values = {1.5, 2.5}, r.measures = {0.5};
    const CaseRange block{1, 2};
    const std::string answer(reinterpret_cast<const char*>(&block), sizeof block);
    const std::string bytes = std::string(8, 'x') + pack_results(results);
    double best = 1e9;
    for (int round = 0; round < kRounds; ++round) {
      const auto begin = Clock::now();
      int sent = 0, answered = 0;
      for (int done = 0; link->rank() == 0 && done < kMessages;) {
        const auto message = link->receive();
        if (!message) continue;
        const std::vector<CaseResult> found = unpack_results(std::string_view(message->bytes).substr(8));
        link->send(message->from, answer);
        if (found.size() == size) ++done;
      }
      while (link->rank() == 1 && answered < kMessages) {
        if (sent < kMessages && sent < answered + kAhead) link->send(0, bytes), ++sent;
        while (link->receive()) ++answered;
      }
      best = std::min(best, since(begin) / kMessages);
    }
    if (link->rank() == 0)
      fmt::print("message with {} results: {:.2f} us, {:.3f} us per result\n", size, 1e6 * best,
                 1e6 * best / static_cast<double>(size));
  }
}

}  // namespace
}  // namespace kane

int main() {
  kane::measure_ranks();
  return 0;
}
