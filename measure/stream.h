#pragma once

#include <cstdint>

#include "core/result.h"
#include "measure/cache_line.h"
#include "measure/channel.h"
#include "measure/effort.h"
#include "measure/spread.h"

namespace schedlab::measure {

struct MessageTimes {
  Spread write;
  Spread read;
};

struct MessageSetting {
  ChannelKind kind = ChannelKind::kPipe;
  std::int64_t bytes = 0;
  std::int64_t channel_count = 1;
};

// Messages without a wakeup or a switch: many are written to each channel, by turns, then all are
// read, channel by channel. By one task where both CPUs are the same; else the first writes, the
// second reads.
Result<MessageTimes> MeasureMessages(const MessageSetting& setting, const CpuPair& cpus,
                                     const Effort& effort);

// The same by two CPUs at once: each writes to channels of its own, then each reads, what it has
// written itself or what the other has. Each value is the mean of both.
enum class Reads : std::uint8_t { kOwn, kOthers };
Result<MessageTimes> MeasureMessagesAtOnce(const MessageSetting& setting, Reads reads,
                                           const CpuPair& cpus, const Effort& effort);

// One message written to a channel and read again by one task, with each channel by turns.
Result<Spread> MeasureExchange(const MessageSetting& setting, std::int32_t cpu,
                               const Effort& effort);

}  // namespace schedlab::measure
