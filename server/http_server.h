#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"
#include "server/config.h"

namespace schedlab::server {

struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// A small read-only HTTP/1.1 server on one thread of its own. Connections that idle cost memory
// alone and are closed after a while; requests have limits on their size and their time. The
// handler gets the path of a GET or HEAD without its query, runs on that thread, and must not
// block.
class HttpServer {
 public:
  using Handler = std::function<HttpAnswer(std::string_view path)>;

  // Binds and serves. kUnavailable with what to do, where the address cannot be bound.
  static Result<std::unique_ptr<HttpServer>> Start(const Address& address, Handler handler);
  // Closes every connection.
  virtual ~HttpServer() = default;

  virtual Address bound_address() const = 0;

 protected:
  HttpServer() = default;
};

}  // namespace schedlab::server
