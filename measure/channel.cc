#include "measure/channel.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace schedlab::measure {
namespace {

// Not on the stack: to clear it would take longer than to send it.
constexpr std::array<char, Channel::kMaxMessageBytes> kMessage{};

}  // namespace

Result<Channel> Channel::Open(ChannelKind kind) {
  std::array<int, 2> ends{};
  const int failed = kind == ChannelKind::kPipe ? pipe(ends.data())
                                                : socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data());
  if (failed == 0) return Channel(ends[0], ends[1]);
  return Fail(ErrorCode::kResourceExhausted,
              fmt::format("no {}: {}", kind == ChannelKind::kPipe ? "pipe" : "pair of sockets",
                          std::strerror(errno)));
}

Channel::Channel(Channel&& other) noexcept : ends_(std::exchange(other.ends_, {-1, -1})) {}

Channel::~Channel() {
  for (const int end : ends_) {
    if (end >= 0) close(end);
  }
}

bool Channel::Write(std::size_t size) const {
  return write(ends_[1], kMessage.data(), size) == static_cast<ssize_t>(size);
}

bool Channel::Read(std::size_t size) const {
  std::array<char, kMaxMessageBytes> message;
  return read(ends_[0], message.data(), size) == static_cast<ssize_t>(size);
}

Result<std::vector<Channel>> OpenChannels(ChannelKind kind, std::int64_t count) {
  std::vector<Channel> channels;
  for (std::int64_t i = 0; i < count; ++i) {
    Result<Channel> channel = Channel::Open(kind);
    if (!channel) return Fail(channel.error());
    channels.push_back(std::move(*channel));
  }
  return channels;
}

}  // namespace schedlab::measure
