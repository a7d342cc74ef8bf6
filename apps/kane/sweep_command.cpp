// kane sweep: many variations of a run.

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/interrupt.hpp"
#include "apps/kane/print.hpp"
#include "apps/kane/study_source.hpp"
#include "apps/kane/sweep_ranks.hpp"
#include "apps/kane/sweep_search.hpp"
#include "kane/batch/executor.hpp"
#include "kane/batch/store_summary.hpp"

namespace kane {
namespace {

struct SweepCommandOptions {
  StudySource source;
  unsigned threads = 0;
  bool fresh = false, status = false, json = false, quiet = false;
};

std::string time_left_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "?";
  const auto s = static_cast<long>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

/// A line on the terminal: share, rate, failures, time left.
class SweepProgress {
 public:
  SweepProgress(std::uint64_t count, std::uint64_t done, bool wanted)
      : count_(count),
        begun_(done),
        drawing_(wanted && ::isatty(STDERR_FILENO) != 0),
        start_(Clock::now()),
        last_(start_) {}
  ~SweepProgress() { clear(); }
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  void show(std::uint64_t done, std::uint64_t failed) {
    if (!drawing_ || Clock::now() - last_ < std::chrono::milliseconds(100)) return;
    last_ = Clock::now();
    const double spent = std::chrono::duration<double>(last_ - start_).count();
    const double rate = static_cast<double>(done - begun_) / spent;
    fmt::print(stderr, "\r\033[K{:3.0f} %  {} of {} runs, {:.4g} /s, {} failed, {} left",
               100.0 * static_cast<double>(done) / static_cast<double>(count_), done, count_, rate, failed,
               time_left_text(static_cast<double>(count_ - done) / rate));
    std::fflush(stderr);
  }
  void clear() {
    if (drawing_) fmt::print(stderr, "\r\033[K");
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t count_, begun_;
  bool drawing_;
  Clock::time_point start_, last_;
};

void print_status(const std::string& file, bool json) {
  const StoreStatus s = read_status(file);
  const double left = s.running && s.rate > 0 ? static_cast<double>(s.count - s.done) / s.rate : std::nan("");
  if (json) {
    nlohmann::json a{{"store", file},        {"runs", s.count}, {"done", s.done},       {"failed", s.failed},
                     {"running", s.running}, {"rate", s.rate},  {"failures", s.reasons}};
    a["seconds_left"] = std::isfinite(left) ? nlohmann::json(left) : nlohmann::json(nullptr);
    fmt::print("{}\n", a.dump());
    return;
  }
  fmt::print("{}: {} of {} runs done ({:.1f} %), {} failed\n", file, s.done, s.count,
             100.0 * static_cast<double>(s.done) / static_cast<double>(std::max<std::uint64_t>(s.count, 1)), s.failed);
  if (s.running)
    fmt::print("a sweep is working on it: {:.4g} runs/s, {} left\n", s.rate,
               std::isfinite(left) ? time_left_text(left) : "?");
  else
    fmt::print("{}\n", s.done == s.count ? "complete" : "not running; the same command continues where it stopped");
  for (const auto& reason : s.reasons) fmt::print("  {}\n", reason);
}

void print_summary(const StudyIdentity& identity, const std::string& file, double seconds, std::uint64_t made,
                   bool json) {
  constexpr double kProbabilities[] = {0.05, 0.5, 0.95};
  const StoreSummary all = summarize_store(file, identity, kProbabilities);
  if (json) {
    nlohmann::json a{
        {"store", file}, {"runs", all.runs}, {"failed", all.failed}, {"made_now", made}, {"seconds", seconds}};
    a["measures"] = nlohmann::json::object();
    for (std::size_t i = 0; i < all.measures.size(); ++i) {
      const NumberSummary& s = all.measures[i];
      const auto number = [](double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(nullptr); };
      nlohmann::json& m = a["measures"][identity.measures[i]];
      m = {{"count", s.count},
           {"mean", number(s.mean)},
           {"deviation", number(s.deviation)},
           {"min", number(s.least)},
           {"max", number(s.most)}};
      for (std::size_t p = 0; p < all.quantiles[i].size(); ++p)
        m["quantiles"][fmt::format("{:g}", kProbabilities[p])] = number(all.quantiles[i][p]);
    }
    fmt::print("{}\n", a.dump());
    return;
  }
  fmt::print("{} runs in {} ({} now, {:.3g} s), {} failed\n\n", all.runs, file, made, seconds, all.failed);
  TextTable shown({"measure", "mean", "deviation", "min", "5 %", "median", "95 %", "max"});
  for (std::size_t i = 0; i < all.measures.size(); ++i) {
    const NumberSummary& s = all.measures[i];
    std::vector<double> row = {s.mean, s.deviation, s.least};
    for (std::size_t p = 0; p < std::size(kProbabilities); ++p)
      row.push_back(p < all.quantiles[i].size() ? all.quantiles[i][p] : std::nan(""));
    row.push_back(s.most);
    shown.add(identity.measures[i], row);
  }
  shown.print();
  const std::vector<std::string> reasons = read_status(file).reasons;
  for (std::size_t i = 0; i < reasons.size(); ++i) fmt::print("{}failed: {}\n", i == 0 ? "\n" : "", reasons[i]);
  if (all.failed > reasons.size()) fmt::print("... and {} more\n", all.failed - reasons.size());
}

/// Threads of this process: all of the machine, shared with the other ranks on it.
unsigned threads_of(unsigned asked, const RankLink* link) {
  if (asked > 0 || link == nullptr) return asked;
  const char* const local = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const long ranks = local == nullptr ? 1 : std::max(1L, std::strtol(local, nullptr, 10));
  return std::max(1U, default_threads() / static_cast<unsigned>(ranks));
}

void run_cases(const SweepCommandOptions& options, RankLink* link, const Sweep& sweep) {
  const StudySource& source = options.source;
  SweepStore store(source.store(), source.identity(), options.fresh);
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t before = store.done();
  {
    BlockQueue queue(store.missing());
    const InterruptScope scope;
    SweepProgress progress(sweep.study().count(), store.done(), !options.quiet && !options.json);
    const auto on_results = [&](std::vector<CaseResult> results) {
      store.write(results);
      progress.show(store.done(), store.failed());
    };
    lead_ranks(link, sweep, queue, threads_of(options.threads, link), on_results, [] { return interrupted_by() != 0; });
  }
  if (interrupted_by() != 0) {
    fmt::print(stderr, "interrupted; {} of {} runs are in {}, and the same command continues from there\n",
               store.done(), sweep.study().count(), source.store());
    throw_if_interrupted();
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  print_summary(source.identity(), source.store(), seconds, store.done() - before, options.json);
  if (store.failed() == store.done()) throw RunFailed("all runs failed");
}

void run_sweep(SweepCommandOptions& options) {
  StudySource& source = options.source;
  source.read();
  const bool alone = options.status || source.searches();
  if (alone && is_spare_rank()) return;  // progress and searches are for one process
  if (options.status) return print_status(source.store(), options.json);
  if (source.searches()) return run_search(source, *source.load(), options.fresh, options.json);
  RankLink* const link = find_ranks();
  if (link == nullptr) return run_cases(options, nullptr, *source.load());
  // An error in one rank ends them all: the others would wait for it.
  try {
    const std::unique_ptr<Sweep> sweep = source.load();
    if (link->rank() == 0)
      run_cases(options, link, *sweep);
    else
      follow_ranks(*link, *sweep, threads_of(options.threads, link));
  } catch (const ModelError& error) {
    if (link->rank() == 0) fmt::print(stderr, "kane: error: {}\n", error.what());
    if (link->rank() != 0) std::this_thread::sleep_for(std::chrono::seconds(2));  // rank 0 has the same to say
    link->abort(static_cast<int>(ExitCode::InputWrong));
  }
}

}  // namespace

void add_sweep_command(CLI::App& app) {
  auto options = std::make_shared<SweepCommandOptions>();
  CLI::App* command = app.add_subcommand("sweep", "Many variations of a run: grids, Monte Carlo, design studies");
  options->source.add_to(*command);
  command->add_option("--threads", options->threads, "Threads (default: all processors)");
  command->add_flag("--fresh", options->fresh, "Discard the results in the store and start again");
  command->add_flag("--status", options->status, "Only show the progress of the sweep, from another terminal");
  command->add_flag("--quiet", options->quiet, "No progress line");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "A sweep that was stopped or killed continues where it stopped when the same command is given again.\n\n"
      "Examples:\n"
      "  kane sweep models/damped_pendulum.yaml --vary l=0.5..1:11 --measure \"first(q < 0)\" --until 2 --out "
      "length.db\n"
      "  kane sweep models/cartpole.yaml --vary \"m~normal(0.3, 0.02)\" --runs 200 --measure \"max(x)\" --until 1 "
      "--out mass.db\n"
      "  kane sweep models/cartpole.yaml --out mass.db --status\n"
      "  kane sweep models/damped_pendulum.yaml --vary l=0.2..1 --measure \"period=4*first(q < 0)\" --until 2 "
      "--minimize \"(period - 1.5)^2\" --evaluations 60 --out design.db");
  command->callback([options] { run_sweep(*options); });
}

}  // namespace kane
