#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/result.h"

namespace schedlab::measure {

enum class ChannelKind { kPipe, kSocket };

// A pipe or a pair of connected stream sockets; owns both ends.
class Channel {
 public:
  static Result<Channel> Open(ChannelKind kind);
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&&) = delete;
  ~Channel();

  // A message of `size` bytes, at most kMaxMessageBytes. False where it failed or was cut.
  bool Write(std::size_t size) const;
  bool Read(std::size_t size) const;

  static constexpr std::size_t kMaxMessageBytes = 4096;

 private:
  Channel(int reading, int writing) : ends_{reading, writing} {}
  std::array<int, 2> ends_;
};

Result<std::vector<Channel>> OpenChannels(ChannelKind kind, std::int64_t count);

}  // namespace schedlab::measure
