#include "apps/kane/sweep_ranks.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "kane/base/error.hpp"
#include "kane/batch/case_bytes.hpp"

namespace kane {

namespace {

/// Header that a worker sends before its results.
struct RankRequest {
  std::uint64_t wanted;  ///< cases it requests; 0: it only sends results
};
/// Instead of a number of cases: it has sent all it has, and ends.
constexpr std::uint64_t kFarewell = ~std::uint64_t{0};

long environment_number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
}

/// Open MPI, MPICH and Slurm with PMIx say how many processes they have started.
bool has_ranks() {
  return environment_number("OMPI_COMM_WORLD_SIZE") > 1 || environment_number("PMI_SIZE") > 1 ||
         (std::getenv("PMIX_RANK") != nullptr && environment_number("SLURM_NTASKS") > 1);
}

}  // namespace

bool is_spare_rank() {
  if (!has_ranks()) return false;
  const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  return std::any_of(std::begin(names), std::end(names), [](const char* name) { return environment_number(name) > 0; });
}

RankLink* find_ranks() {
  if (!has_ranks()) return nullptr;
  void* module = dlopen(kRankModule, RTLD_NOW | RTLD_GLOBAL);
  const char* reason = module == nullptr ? dlerror() : nullptr;
  require(module != nullptr,
          "this sweep was started on several processes, which needs '{}', which cannot be loaded: {}", kRankModule,
          reason == nullptr ? "" : reason);
  const auto open = reinterpret_cast<OpenRanks>(dlsym(module, kOpenRanks));
  ensure(open != nullptr, "{} has no {}", kRankModule, kOpenRanks);
  RankLink* const link = open();
  require(link != nullptr, "MPI cannot be initialised here");
  return link;
}

void lead_ranks(RankLink* link, const Sweep& sweep, BlockQueue& queue, unsigned threads,
                const std::function<void(std::vector<CaseResult>)>& on_results, const std::function<bool()>& stopping) {
  const int others = link == nullptr ? 0 : link->size() - 1;
  Executor executor(sweep, queue, threads);
  int gone = 0;
  bool stopped = false;
  while (!executor.finished() || gone < others) {
    on_results(executor.collect(std::chrono::milliseconds(others > 0 ? 2 : 100)));
    if (!stopped && stopping()) {
      executor.stop();
      stopped = true;
    }
    if (others == 0) continue;
    if (executor.finished()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    while (auto message = link->receive()) {
      RankRequest request{};
      ensure(message->bytes.size() >= sizeof request, "a message of rank {} is too short", message->from);
      std::memcpy(&request, message->bytes.data(), sizeof request);
      on_results(unpack_results(std::string_view(message->bytes).substr(sizeof request)));
      if (request.wanted == kFarewell) ++gone;
      if (request.wanted == 0 || request.wanted == kFarewell) continue;
      // No rank gets more than its part of one half of the open cases.
      const std::uint64_t share = queue.left() / (2 * static_cast<std::uint64_t>(others + 1)) + 1;
      const auto block = stopped ? std::nullopt : queue.take(std::min(request.wanted, share));
      const CaseRange answer = block.value_or(CaseRange{0, 0});
      link->send(message->from, std::string(reinterpret_cast<const char*>(&answer), sizeof answer));
    }
  }
}

void follow_ranks(RankLink& link, const Sweep& sweep, unsigned threads) {
  using Clock = std::chrono::steady_clock;
  constexpr double kAhead = 0.2;  // s of work that a rank has in hand
  BlockQueue queue({});
  queue.open();
  Executor executor(sweep, queue, threads);
  const auto begin = Clock::now();
  std::uint64_t made = 0;
  bool asked = false, done = false;
  while (!done || !executor.finished()) {
    const std::vector<CaseResult> results = executor.collect(std::chrono::milliseconds(2));
    made += results.size();
    const double rate =
        static_cast<double>(made) / std::max(1e-3, std::chrono::duration<double>(Clock::now() - begin).count());
    // Slow cases are requested only when they can soon begin: other ranks may be faster.
    const double ahead = std::max(2.0 * static_cast<double>(executor.width() * executor.threads()), kAhead * rate);
    RankRequest request{0};
    if (!asked && !done && static_cast<double>(queue.left()) < 0.5 * ahead)
      request.wanted = static_cast<std::uint64_t>(ahead);
    if (request.wanted > 0 || !results.empty()) {
      link.send(0, std::string(reinterpret_cast<const char*>(&request), sizeof request) + pack_results(results));
      asked = asked || request.wanted > 0;
    }
    while (const auto message = link.receive()) {
      CaseRange block{};
      ensure(message->bytes.size() == sizeof block, "an answer of rank 0 has the wrong size");
      std::memcpy(&block, message->bytes.data(), sizeof block);
      asked = false;
      if (block.first == block.last) {
        done = true;
        queue.close();
      } else {
        queue.add(block);
      }
    }
  }
  link.send(0, std::string(reinterpret_cast<const char*>(&kFarewell), sizeof kFarewell));
}

}  // namespace kane
