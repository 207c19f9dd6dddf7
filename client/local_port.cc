#include "client/local_port.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "client/file_descriptor.h"

namespace schedlab::client {
namespace {

// The port that was bound, for `port` 0 one of the system's choice; nullopt where it is in use.
std::optional<std::uint16_t> TryBind(std::uint16_t port) {
  const FileDescriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // As servers do: a port whose last connections linger in TIME_WAIT is free.
  const int enabled = 1;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &enabled, sizeof enabled);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener.get(), generic, sizeof address) != 0 || listen(listener.get(), 1) != 0) {
    return std::nullopt;
  }
  socklen_t size = sizeof address;
  if (getsockname(listener.get(), generic, &size) != 0) return std::nullopt;
  return ntohs(address.sin_port);
}

}  // namespace

bool IsPortFree(std::uint16_t port) { return TryBind(port).has_value(); }

Result<std::uint16_t> ChoosePort(std::string_view option, std::optional<std::uint16_t> wanted,
                                 std::uint16_t preferred) {
  if (wanted) {
    if (IsPortFree(*wanted)) return *wanted;
    return Fail(
        ErrorCode::kFailedPrecondition,
        fmt::format("port 127.0.0.1:{} ({}) is in use: stop what listens there (`ss -ltnp`), "
                    "or leave {} out to get a free one",
                    *wanted, option, option));
  }
  if (IsPortFree(preferred)) return preferred;
  const std::optional<std::uint16_t> any = TryBind(0);
  if (any) return *any;
  return Fail(ErrorCode::kFailedPrecondition, "no loopback port is free");
}

}  // namespace schedlab::client
