#include "kane/server/server.hpp"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "kane/base/error.hpp"
#include "kane/server/live_run.hpp"
#include "kane/server/served_folder.hpp"
#include "kane/server/served_page.hpp"

namespace kane {

// A name instead of none: Server::Data has members of these types.
namespace serving {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using ServerJson = nlohmann::ordered_json;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

constexpr std::size_t kMostHeaderBytes = 16'000, kMostBodyBytes = 1000;
constexpr std::chrono::seconds kPatience{20};

/// The port that a folder gets if it is free, so that browsers, which keep what a page remembers by host and port, find the
/// unsaved edits of the last visit: FNV-1a of the path, below the ports that systems give to outgoing connections.
unsigned short usual_port(const std::string& folder) {
  std::error_code error;
  std::uint32_t hash = 2166136261U;
  for (const char c : std::filesystem::weakly_canonical(folder, error).string())
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  constexpr unsigned kFirst = 20000, kCount = 12000;
  return static_cast<unsigned short>(kFirst + hash % kCount);
}

/// Takes the same time wherever two texts differ.
bool same_text(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i]) ^ static_cast<unsigned>(b[i]);
  return difference == 0;
}

std::string text_json(const ServerJson& j) { return j.dump(-1, ' ', false, ServerJson::error_handler_t::replace); }

class SocketSession;

/// A run and the pages that look at it. Only the network thread touches this.
struct Watched {
  std::unique_ptr<LiveRun> run;
  std::set<SocketSession*> watchers;
  std::atomic<bool> frame_announced{false};
};

}  // namespace serving

using namespace serving;

struct Server::Data {
  explicit Data(const ServerOptions& given)
      : options(given),
        folder(given.folder, given.write),
        token(given.token.empty() ? make_server_token() : given.token) {}

  void listen();
  void accept();
  void look_around();
  [[nodiscard]] bool is_own_host(std::string_view host) const;
  [[nodiscard]] bool is_own_origin(std::string_view origin) const;
  [[nodiscard]] std::string refusal(const Request& request, std::string& rest) const;
  std::shared_ptr<Watched> watch(const ClientMessage& message, SocketSession& session);
  void leave(const std::shared_ptr<Watched>& watched, SocketSession& session);
  void deliver(const std::weak_ptr<Watched>& to, const std::string& message);
  void deliver_frame(const std::weak_ptr<Watched>& to);

  ServerOptions options;
  ServedFolder folder;
  std::string token;
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  asio::steady_timer timer{context};
  std::function<bool()> keep_going;
  std::size_t clients = 0;
  std::map<std::string, std::shared_ptr<Watched>> runs;
  long next_text = 1;  ///< number of the next model without a file
};

namespace serving {

/// One page. The latest frame is sent when the one before has gone; messages wait in a queue of limited size.
class SocketSession : public std::enable_shared_from_this<SocketSession> {
 public:
  SocketSession(beast::tcp_stream stream, Server::Data& server) : socket_(std::move(stream)), server_(server) {
    ++server_.clients;
  }
  ~SocketSession() { --server_.clients; }
  SocketSession(const SocketSession&) = delete;
  SocketSession& operator=(const SocketSession&) = delete;

  void start(const Request& request) {
    beast::get_lowest_layer(socket_).expires_never();
    websocket::stream_base::timeout timeout{kPatience, std::chrono::seconds(30), true};
    socket_.set_option(timeout);
    socket_.read_message_max(kMostMessageBytes);
    socket_.async_accept(request, [self = shared_from_this()](beast::error_code error) {
      if (error) return;
      self->open_ = true;
      self->queue(
          text_json({{"type", "hello"}, {"write", self->server_.options.write}, {"open", self->server_.options.open}}));
      self->read();
    });
  }

  void queue(std::string message) {
    constexpr std::size_t kMostWaiting = 40'000'000;  // bytes
    waiting_ += message.size();
    if (waiting_ > kMostWaiting) return close();
    messages_.push_back(std::make_shared<const std::string>(std::move(message)));
    write();
  }
  void queue_frame(std::shared_ptr<const std::string> frame) {
    frame_ = std::move(frame);
    write();
  }
  void close() {
    if (!open_) return;
    open_ = false;
    leave();
    beast::get_lowest_layer(socket_).close();
  }

 private:
  void read() {
    buffer_.clear();
    socket_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) {
        self->open_ = false;
        return self->leave();
      }
      self->take();
      if (self->open_) self->read();
    });
  }

  void take() {
    try {
      require(socket_.got_text(), "messages to the server are JSON text");
      const ClientMessage message = parse_client_message(beast::buffers_to_string(buffer_.data()));
      using Kind = ClientMessage::Kind;
      if (message.kind == Kind::Open) {
        leave();
        watched_ = server_.watch(message, *this);
      } else if (message.kind == Kind::Save) {
        save(message);
      } else {
        require(watched_ != nullptr, "no model is open");
        watched_->run->send(message);
      }
    } catch (const std::exception& error) {
      queue(text_json({{"type", "note"}, {"message", error.what()}}));
    }
  }

  void save(const ClientMessage& message) {
    try {
      const std::int64_t changed = server_.folder.save(message.path, message.text, message.seen, message.on);
      queue(text_json({{"type", "saved"}, {"path", message.path}, {"seen", std::to_string(changed)}}));
    } catch (const std::exception& error) {
      queue(text_json({{"type", "unsaved"}, {"path", message.path}, {"message", error.what()}}));
    }
  }

  void leave() {
    if (watched_) server_.leave(watched_, *this);
    watched_.reset();
  }

  void write() {
    if (writing_ || !open_ || (messages_.empty() && !frame_)) return;
    std::shared_ptr<const std::string> next;
    const bool text = !messages_.empty();
    if (text)
      next = messages_.front(), messages_.pop_front(), waiting_ -= next->size();
    else
      next = std::move(frame_), frame_.reset();
    writing_ = true;
    socket_.text(text);
    socket_.async_write(asio::buffer(*next), [self = shared_from_this(), next](beast::error_code error, std::size_t) {
      self->writing_ = false;
      if (error) return self->close();
      self->write();
    });
  }

  websocket::stream<beast::tcp_stream> socket_;
  Server::Data& server_;
  beast::flat_buffer buffer_;
  std::shared_ptr<Watched> watched_;
  std::deque<std::shared_ptr<const std::string>> messages_;
  std::size_t waiting_ = 0;
  std::shared_ptr<const std::string> frame_;
  bool writing_ = false, open_ = false;
};

/// One connection until it becomes a WebSocket or ends.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(tcp::socket socket, Server::Data& server) : stream_(std::move(socket)), server_(server) {
    ++server_.clients;
  }
  ~HttpSession() { --server_.clients; }
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  void read() {
    parser_.emplace();
    parser_->header_limit(kMostHeaderBytes);
    parser_->body_limit(kMostBodyBytes);
    stream_.expires_after(kPatience);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (!error) self->handle();
    });
  }

 private:
  void handle() {
    const Request request = parser_->release();
    std::string rest;
    const std::string refused = server_.refusal(request, rest);
    if (server_.clients > kMostClients)
      return answer(request, http::status::service_unavailable, "text/plain",
                    fmt::format("This server has {} clients already, which is its limit.\n", kMostClients));
    if (!refused.empty()) return answer(request, http::status::forbidden, "text/plain", refused + "\n");
    if (websocket::is_upgrade(request)) {
      if (rest != "live") return answer(request, http::status::not_found, "text/plain", "There is no such stream.\n");
      auto session = std::make_shared<SocketSession>(std::move(stream_), server_);
      return session->start(request);
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return answer(request, http::status::method_not_allowed, "text/plain", "Only GET and HEAD are answered.\n");
    if (rest == "files") return answer(request, http::status::ok, "application/json", file_list());
    if (rest.starts_with("file/")) return answer_file(request, rest.substr(5));
    const auto found = find_page_file(rest);
    if (!found) return answer(request, http::status::not_found, "text/plain", "There is no such page.\n");
    answer(request, http::status::ok, found->type, std::string(found->content));
  }

  [[nodiscard]] std::string file_list() const {
    ServerJson j{{"write", server_.options.write}, {"files", ServerJson::array()}};
    for (const ServedModel& model : server_.folder.list())
      j["files"].push_back({{"path", model.path}, {"description", model.description}});
    return text_json(j);
  }

  /// Text and time of a model file.
  void answer_file(const Request& request, const std::string& path) {
    try {
      const auto file = server_.folder.find(path);
      answer(request, http::status::ok, "application/json",
             text_json({{"path", path},
                        {"text", ServedFolder::read(file)},
                        {"seen", std::to_string(ServedFolder::changed(file))}}));
    } catch (const ModelError& error) {
      answer(request, http::status::not_found, "text/plain", error.message() + "\n");
    }
  }

  void answer(const Request& request, http::status status, std::string_view type, std::string body) {
    auto response = std::make_shared<Response>(status, request.version());
    response->set(http::field::content_type, beast::string_view(type.data(), type.size()));
    response->set(http::field::cache_control, "no-store");
    response->set("X-Content-Type-Options", "nosniff");
    response->set("Referrer-Policy", "no-referrer");
    response->set("X-Frame-Options", "DENY");
    response->set("Cross-Origin-Resource-Policy", "same-origin");
    response->set(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; font-src data:; "
        "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    response->keep_alive(request.keep_alive());
    if (request.method() == http::verb::head)
      response->content_length(body.size());
    else
      response->body() = std::move(body), response->prepare_payload();
    http::async_write(stream_, *response, [self = shared_from_this(), response](beast::error_code error, std::size_t) {
      if (error) return;
      if (response->need_eof()) {
        beast::error_code ignored;
        self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        return;
      }
      self->read();
    });
  }

  beast::tcp_stream stream_;
  Server::Data& server_;
  beast::flat_buffer buffer_{kMostHeaderBytes + kMostBodyBytes + 4096};
  std::optional<http::request_parser<http::string_body>> parser_;
};

/// %41 as A; anything malformed stays as it is.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      const char c = at < text.size() ? text[at] : ' ';
      return c >= '0' && c <= '9'   ? c - '0'
             : c >= 'a' && c <= 'f' ? c - 'a' + 10
             : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                    : -1;
    };
    if (text[i] == '%' && digit(i + 1) >= 0 && digit(i + 2) >= 0)
      out += static_cast<char>(16 * digit(i + 1) + digit(i + 2)), i += 2;
    else
      out += text[i];
  }
  return out;
}

}  // namespace serving

bool Server::Data::is_own_host(std::string_view host) const {
  const std::string end = fmt::format(":{}", acceptor.local_endpoint().port());
  for (const std::string& name : {std::string("127.0.0.1"), std::string("localhost"), std::string("[::1]"),
                                  options.address, "[" + options.address + "]"})
    if (host == name + end) return true;
  return false;
}

bool Server::Data::is_own_origin(std::string_view origin) const {
  constexpr std::string_view kScheme = "http://";
  return origin.starts_with(kScheme) && is_own_host(origin.substr(kScheme.size()));
}

/// "" if the request may pass; `rest` is what follows the token.
std::string Server::Data::refusal(const Request& request, std::string& rest) const {
  const auto view = [](beast::string_view text) { return std::string_view(text.data(), text.size()); };
  const bool any_host = options.address == "0.0.0.0" || options.address == "::";
  if (!any_host && !is_own_host(view(request[http::field::host])))
    return "This server answers only under its own address.";
  if (const auto origin = view(request[http::field::origin]); !origin.empty()) {
    const std::string own = "http://" + std::string(view(request[http::field::host]));
    if (any_host ? origin != own : !is_own_origin(origin)) return "This server answers only its own pages.";
  }
  const std::string_view target = view(request.target());
  const std::size_t end = target.find('/', 1);
  if (!target.starts_with('/') || end == std::string_view::npos || !same_text(target.substr(1, end - 1), token))
    return "The address must contain the token that the server printed.";
  rest = unescaped(target.substr(end + 1, target.find('?', end) - end - 1));
  return "";
}

void Server::Data::listen() {
  beast::error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  require(!error, "'{}' is not an address to listen on, such as 127.0.0.1 or 0.0.0.0", options.address);
  const auto take = [&](unsigned short port) {
    const tcp::endpoint endpoint(address, port);
    if (acceptor.is_open()) acceptor.close(error);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    return !error;
  };
  if (options.port != 0 || !take(usual_port(options.folder))) take(options.port);
  require(!error, "the server cannot listen on {}, port {}: {}", options.address, options.port, error.message());
}

void Server::Data::accept() {
  acceptor.async_accept([this](beast::error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    constexpr std::size_t kMostConnections = kMostClients + 64;  // beyond: closed without an answer
    if (error) {  // no more files may be open, say: asking again at once would take a whole processor
      const auto pause = std::make_shared<asio::steady_timer>(context, std::chrono::milliseconds(100));
      pause->async_wait([this, pause](beast::error_code ended) {
        if (!ended) accept();
      });
      return;
    }
    if (clients < kMostConnections) std::make_shared<HttpSession>(std::move(socket), *this)->read();
    accept();
  });
}

void Server::Data::look_around() {
  timer.expires_after(std::chrono::milliseconds(100));
  timer.async_wait([this](beast::error_code error) {
    if (error) return;
    if (keep_going && !keep_going()) return context.stop();
    look_around();
  });
}

std::shared_ptr<Watched> Server::Data::watch(const ClientMessage& message, SocketSession& session) {
  LiveSource source;
  if (message.path.empty()) {
    source.path = fmt::format("untitled-{}.yaml", next_text);
    source.text = message.text;
  } else {
    const auto file = folder.find(message.path);
    source.path = message.path;
    source.text = message.text.empty() ? ServedFolder::read(file) : message.text;
    if (message.text.empty()) source.file = file.string();
  }
  auto found = runs.find(source.path);
  if (found == runs.end()) {
    if (runs.size() >= kMostRuns)
      for (auto at = runs.begin(); at != runs.end(); ++at)
        if (at->second->watchers.empty()) {
          runs.erase(at);
          break;
        }
    require(runs.size() < kMostRuns, "{} models are open already, which is the limit; close one of their pages",
            kMostRuns);
    if (message.path.empty()) ++next_text;
    auto watched = std::make_shared<Watched>();
    const std::weak_ptr<Watched> weak = watched;
    LiveListener listener;
    listener.on_message = [this, weak](std::string text) {
      asio::post(context, [this, weak, text = std::move(text)] { deliver(weak, text); });
    };
    Watched* own = watched.get();
    listener.on_frame = [this, weak, own] {
      // One announcement at a time: the frame that is sent then is the latest.
      if (own->frame_announced.exchange(true)) return;
      asio::post(context, [this, weak] { deliver_frame(weak); });
    };
    watched->run = std::make_unique<LiveRun>(source, std::move(listener));
    found = runs.emplace(source.path, std::move(watched)).first;
  } else if (!message.text.empty()) {
    ClientMessage edit;
    edit.kind = ClientMessage::Kind::Edit, edit.text = message.text;
    found->second->run->send(std::move(edit));
  }
  const std::shared_ptr<Watched> watched = found->second;
  for (std::string& text : watched->run->greeting()) session.queue(std::move(text));
  if (auto frame = watched->run->latest_frame()) session.queue_frame(std::move(frame));
  watched->watchers.insert(&session);
  watched->run->set_watchers(watched->watchers.size());
  return watched;
}

void Server::Data::leave(const std::shared_ptr<Watched>& watched, SocketSession& session) {
  watched->watchers.erase(&session);
  watched->run->set_watchers(watched->watchers.size());
}

void Server::Data::deliver(const std::weak_ptr<Watched>& to, const std::string& message) {
  const auto watched = to.lock();
  if (!watched) return;
  const std::set<SocketSession*> all = watched->watchers;  // one that is too slow is closed on the way
  for (SocketSession* session : all) session->queue(message);
}

void Server::Data::deliver_frame(const std::weak_ptr<Watched>& to) {
  const auto watched = to.lock();
  if (!watched) return;
  watched->frame_announced = false;
  const auto frame = watched->run->latest_frame();
  const std::set<SocketSession*> all = watched->watchers;
  for (SocketSession* session : all) session->queue_frame(frame);
}

std::string make_server_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", static_cast<std::uint32_t>(random()));
  return token;
}

Server::Server(const ServerOptions& options) : data_(std::make_unique<Data>(options)) {
  data_->listen();
  data_->accept();
}

Server::~Server() {
  data_->runs.clear();  // threads end before what they report to
}

std::string Server::url() const {
  const bool any = data_->options.address == "0.0.0.0" || data_->options.address == "::";
  const bool six = data_->options.address.find(':') != std::string::npos && !any;
  const std::string host = any ? "127.0.0.1" : six ? "[" + data_->options.address + "]" : data_->options.address;
  return fmt::format("http://{}:{}/{}/", host, port(), token());
}
unsigned short Server::port() const { return data_->acceptor.local_endpoint().port(); }
const std::string& Server::token() const { return data_->token; }
void Server::set_keep_going(std::function<bool()> keep_going) { data_->keep_going = std::move(keep_going); }

void Server::run() {
  data_->look_around();
  data_->context.run();
}

void Server::stop() { data_->context.stop(); }

}  // namespace kane
