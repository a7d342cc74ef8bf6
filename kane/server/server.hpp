#pragma once
// The workbench over HTTP and WebSocket: the page, the list of models, and runs that pages look at and act on. One thread
// for the network; models are derived, compiled and simulated in separate threads (live_run.hpp).
//
// Access requires the token in the address. Requests must name the host that the server listens on, and come from
// its own pages: another page in the same browser, or a name that was made to point here, gets nothing.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace kane {

struct ServerOptions {
  std::string folder = ".";
  std::string address = "127.0.0.1";
  unsigned short port = 0;  ///< 0: the usual one of the folder, or any free one
  bool write = false;       ///< pages may save models in the folder
  std::string token{};      ///< "": a random one
  std::string open{};       ///< a model of the folder that the page opens first
};

/// 128 unguessable bits, as hexadecimal digits.
[[nodiscard]] std::string make_server_token();

/// Limits of a server; anything beyond is refused with a message.
inline constexpr std::size_t kMostClients = 256, kMostRuns = 16;

class Server {
 public:
  /// Listens. Throws ModelError if the folder or the address cannot be used.
  explicit Server(const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// "http://127.0.0.1:8080/TOKEN/"
  [[nodiscard]] std::string url() const;
  [[nodiscard]] unsigned short port() const;
  [[nodiscard]] const std::string& token() const;
  /// Serves until stop().
  void run();
  /// From any thread, or from a signal handler's flag: see keep_going.
  void stop();
  /// Asked ten times a second while it runs; false ends it.
  void set_keep_going(std::function<bool()> keep_going);

  struct Data;  ///< of server.cpp

 private:
  std::unique_ptr<Data> data_;
};

}  // namespace kane
