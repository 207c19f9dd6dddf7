#include "server/http_server.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "server/version.h"

namespace schedlab::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;

constexpr std::uint32_t kMaxHeaderBytes = 8 * 1024;
constexpr std::uint64_t kMaxBodyBytes = 1024;
constexpr std::size_t kMaxConnections = 1024;
constexpr std::chrono::seconds kConnectionTimeout{30};
constexpr std::chrono::milliseconds kAcceptRetry{100};

using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

HttpAnswer AnswerOf(const Request& request, const HttpServer::Handler& handler) {
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    return {.status = 405, .body = "only GET and HEAD are served here\n"};
  }
  const beast::string_view target = request.target();
  const std::string_view path(target.data(), target.size());
  return handler(path.substr(0, path.find('?')));
}

Response ToResponse(const Request& request, HttpAnswer answer) {
  Response response(static_cast<http::status>(answer.status), request.version());
  response.set(http::field::server, fmt::format("schedlab-server/{}", kBuildVersion));
  response.set(http::field::content_type, answer.content_type);
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  if (answer.status == 405) response.set(http::field::allow, "GET, HEAD");
  response.keep_alive(request.keep_alive());
  response.body() = std::move(answer.body);
  response.prepare_payload();
  return response;
}

// One client's connection; reads and answers requests one after the other. Kept alive by the
// handler of the operation under way (shared_ptr), and ends with the last of them.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Tcp::socket socket, const HttpServer::Handler& handler, std::size_t& count)
      : stream_(std::move(socket)), handler_(handler), count_(count) {
    ++count_;
  }
  ~Connection() { --count_; }

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Read() {
    parser_.emplace();
    parser_->header_limit(kMaxHeaderBytes);
    parser_->body_limit(kMaxBodyBytes);
    stream_.expires_after(kConnectionTimeout);
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](beast::error_code error, std::size_t) { self->OnRead(error); });
  }

 private:
  void OnRead(beast::error_code error) {
    if (error == http::error::body_limit || error == http::error::header_limit) {
      Request refused;
      refused.version(11);
      refused.keep_alive(false);
      Write(refused, {.status = 413, .body = "the request is too large\n"});
      return;
    }
    if (error) return;  // gone, timed out or not HTTP: the connection closes
    const Request request = parser_->release();
    Write(request, AnswerOf(request, handler_));
  }

  void Write(const Request& request, HttpAnswer answer) {
    response_.emplace(ToResponse(request, std::move(answer)));
    stream_.expires_after(kConnectionTimeout);
    const auto on_written = [self = shared_from_this()](beast::error_code error, std::size_t) {
      self->OnWritten(error);
    };
    if (request.method() == http::verb::head) {
      // The header alone, with the length that the body would have had.
      head_.emplace(*response_);
      http::async_write_header(stream_, *head_, on_written);
    } else {
      http::async_write(stream_, *response_, on_written);
    }
  }

  void OnWritten(beast::error_code error) {
    if (error) return;
    if (response_->keep_alive()) {
      Read();
      return;
    }
    beast::error_code ignored;  // the client may be gone already
    stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
  }

  beast::tcp_stream stream_;
  const HttpServer::Handler& handler_;
  std::size_t& count_;
  beast::flat_buffer buffer_{kMaxHeaderBytes + kMaxBodyBytes};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<Response> response_;
  std::optional<http::response_serializer<http::string_body>> head_;
};

Error CannotBind(const Address& address, const std::string& reason) {
  return {ErrorCode::kUnavailable,
          fmt::format("cannot listen on {} for HTTP: {}; stop the process that uses it, or choose "
                      "another with --http-address (port 0 = any free one)",
                      ToString(address), reason)};
}

class BeastServer final : public HttpServer {
 public:
  explicit BeastServer(Handler handler) : handler_(std::move(handler)) {}

  ~BeastServer() override { context_.stop(); }

  Status Bind(const Address& address) {
    beast::error_code error;
    Tcp::resolver resolver(context_);
    const auto found =
        resolver.resolve(address.host, std::to_string(address.port), Tcp::resolver::passive, error);
    if (error || found.empty()) return Fail(CannotBind(address, error.message()));
    const Tcp::endpoint endpoint = found.begin()->endpoint();
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return Fail(CannotBind(address, error.message()));
    const Tcp::endpoint local = acceptor_.local_endpoint(error);
    if (error) return Fail(CannotBind(address, error.message()));
    bound_ = Address{local.address().to_string(), local.port()};
    return {};
  }

  void Serve() {
    Accept();
    thread_ = std::jthread([this] { context_.run(); });
  }

  Address bound_address() const override { return bound_; }

 private:
  void Accept() {
    acceptor_.async_accept([this](beast::error_code error, Tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {  // out of file descriptors, most likely: not to be asked again at once
        retry_.expires_after(kAcceptRetry);
        retry_.async_wait([this](beast::error_code) { Accept(); });
        return;
      }
      // Beyond the limit the socket closes as it goes out of scope.
      if (connection_count_ < kMaxConnections) {
        std::make_shared<Connection>(std::move(socket), handler_, connection_count_)->Read();
      }
      Accept();
    });
  }

  const Handler handler_;
  std::size_t connection_count_ = 0;  // of the serving thread
  Address bound_;
  asio::io_context context_{1};
  Tcp::acceptor acceptor_{context_};
  asio::steady_timer retry_{context_};
  std::jthread thread_;  // last: it uses the members above
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const Address& address, Handler handler) {
  auto server = std::make_unique<BeastServer>(std::move(handler));
  if (const Status bound = server->Bind(address); !bound) return Fail(bound.error());
  server->Serve();
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace schedlab::server
