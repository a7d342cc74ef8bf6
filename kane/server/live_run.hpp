#pragma once
// A model that runs for the pages that show it. It has two threads: one simulates, the other derives and compiles edits, so
// that the motion continues meanwhile. Pages get the latest state; a slow one misses some and does not delay the others.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "kane/server/client_message.hpp"
#include "kane/server/hand.hpp"
#include "kane/server/live_derivation.hpp"
#include "kane/server/live_model.hpp"

namespace kane {

/// Callbacks of a run. They are called from the threads of the run, so they must be thread-safe and must not block.
struct LiveListener {
  std::function<void()> on_frame;               ///< latest_frame() has changed
  std::function<void(std::string)> on_message;  ///< JSON for every page
};

class LiveRun {
 public:
  LiveRun(LiveSource source, LiveListener listener);
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Any message but Open and Save. Returns at once.
  void send(ClientMessage message);
  /// A run without viewers is paused.
  void set_watchers(std::size_t count);

  /// JSON of the model as pages get it, empty until there is one; its equations and its last error follow.
  [[nodiscard]] std::vector<std::string> greeting();
  /// The newest state as a binary frame (docs/protocol.md); null before the first.
  [[nodiscard]] std::shared_ptr<const std::string> latest_frame();

 private:
  void build_loop();
  void move_loop();
  void tell(std::string message) { listener_.on_message(std::move(message)); }
  void take_model();
  void build(LiveSource source);
  /// Builds the model anew with a joint or a constraint switched. The text stays.
  void switch_part(const ClientMessage& message);
  [[nodiscard]] std::string locks_json() const;
  void handle(const ClientMessage& message);
  void tell_values();
  void set_parameter(const std::string& name, double value);
  void advance(double until);
  void publish();
  void fail(const std::string& sentence);

  std::string path_;
  LiveListener listener_;

  std::mutex mutex_;  ///< for everything down to the next remark
  std::condition_variable wake_;
  std::deque<ClientMessage> inbox_;
  std::optional<LiveSource> to_build_;
  std::shared_ptr<const LiveModel> built_;  ///< for the moving thread
  bool announcing_ = false;                 ///< pages are told of a model that does not move yet
  std::string equations_, error_;
  std::shared_ptr<const LiveModel> shown_;
  std::shared_ptr<const std::string> frame_;
  std::size_t watchers_ = 0;
  bool to_analyse_ = false;
  std::optional<DerivationRequest> to_derive_;
  LiveSource source_;  ///< of what is shown
  std::uint32_t version_ = 0;
  Values parameters_set_;  ///< for the analysis
  bool end_ = false;

  // The moving thread's own.
  std::shared_ptr<const LiveModel> live_;
  std::unique_ptr<Simulation> simulation_;
  std::unique_ptr<Hand> hand_;
  Values parameters_;
  bool playing_ = true, failed_ = false;
  std::uint32_t mark_ = 0;  ///< of the latest reset or resume that had one
  double speed_ = 1, pace_ = 1, residual_ = 0;
  double stuck_ = 0;  ///< s of the clock since the simulated time got on

  std::thread builder_, mover_;  ///< last: they use everything above
};

}  // namespace kane
