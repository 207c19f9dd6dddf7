#include "measure/stream.h"

#include <atomic>
#include <thread>
#include <vector>

#include "measure/place.h"
#include "measure/stopwatch.h"

namespace schedlab::measure {
namespace {

// Fit into the default buffers of both kinds, with the kernel's own part of each message.
constexpr std::int64_t kMessagesOfBatch = 200;
constexpr std::int64_t kBatches = 50;
constexpr std::int64_t kExchanges = 20'000;

struct Rounds {
  std::vector<double> writes;
  std::vector<double> reads;
};

// By turns: each batch is written, then read, and nobody waits in the kernel.
class Batches {
 public:
  Batches(const std::vector<Channel>& channels, std::size_t bytes, const Effort& effort)
      : channels_(channels),
        bytes_(bytes),
        round_count_(effort.round_count),
        batch_count_(effort.Operations(kBatches / std::ssize(channels) + 1)) {}

  void WriteAll(bool yields) {
    for (std::int64_t round = 0; round < round_count_; ++round) {
      double sum = 0;
      for (std::int64_t i = 0; i < batch_count_; ++i) {
        Await(2 * (round * batch_count_ + i), yields);
        sum += NsPerCall(kMessagesOfBatch, [&] {
          for (const Channel& channel : channels_) channel.Write(bytes_);
        });
        turn_.fetch_add(1, std::memory_order_release);
      }
      rounds_.writes.push_back(PerMessage(sum));
    }
  }

  void ReadAll(bool yields) {
    for (std::int64_t round = 0; round < round_count_; ++round) {
      double sum = 0;
      for (std::int64_t i = 0; i < batch_count_; ++i) {
        Await(2 * (round * batch_count_ + i) + 1, yields);
        for (const Channel& channel : channels_) {
          sum += NsPerCall(kMessagesOfBatch, [&] { channel.Read(bytes_); });
        }
        turn_.fetch_add(1, std::memory_order_release);
      }
      rounds_.reads.push_back(PerMessage(sum));
    }
  }

  const Rounds& rounds() const { return rounds_; }

 private:
  double PerMessage(double sum) const {
    return sum / static_cast<double>(batch_count_ * std::ssize(channels_));
  }

  void Await(std::int64_t turn, bool yields) const {
    while (turn_.load(std::memory_order_acquire) != turn) {
      if (yields) std::this_thread::yield();
    }
  }

  const std::vector<Channel>& channels_;
  const std::size_t bytes_;
  const std::int64_t round_count_;
  const std::int64_t batch_count_;
  std::atomic<std::int64_t> turn_{0};
  Rounds rounds_;
};

}  // namespace

Result<MessageTimes> MeasureMessages(const MessageSetting& setting, const CpuPair& cpus,
                                     const Effort& effort) {
  const Result<std::vector<Channel>> channels = OpenChannels(setting.kind, setting.channel_count);
  if (!channels) return Fail(channels.error());
  if (const Status bound = BindThisThread(cpus.first); !bound) return Fail(bound.error());
  Batches batches(*channels, static_cast<std::size_t>(setting.bytes), effort);
  const bool yields = cpus.first == cpus.second;
  Status placed;
  std::jthread reader([&] {
    placed = BindThisThread(cpus.second);
    batches.ReadAll(yields);
  });
  batches.WriteAll(yields);
  reader.join();
  if (!placed) return Fail(placed.error());
  return MessageTimes{.write = SpreadOf(batches.rounds().writes),
                      .read = SpreadOf(batches.rounds().reads)};
}

Result<Spread> MeasureExchange(const MessageSetting& setting, std::int32_t cpu,
                               const Effort& effort) {
  const Result<std::vector<Channel>> channels = OpenChannels(setting.kind, setting.channel_count);
  if (!channels) return Fail(channels.error());
  if (const Status bound = BindThisThread(cpu); !bound) return Fail(bound.error());
  const auto size = static_cast<std::size_t>(setting.bytes);
  const std::int64_t count = effort.Operations(kExchanges / setting.channel_count);
  std::vector<double> rounds;
  for (std::int64_t i = 0; i < effort.round_count; ++i) {
    const double turn_ns = NsPerCall(count, [&] {
      for (const Channel& channel : *channels) {
        channel.Write(size);
        channel.Read(size);
      }
    });
    rounds.push_back(turn_ns / static_cast<double>(setting.channel_count));
  }
  return SpreadOf(rounds);
}

}  // namespace schedlab::measure
