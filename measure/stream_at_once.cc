#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "measure/place.h"
#include "measure/stopwatch.h"
#include "measure/stream.h"

namespace schedlab::measure {
namespace {

// As many as by turns, see stream.cc.
constexpr std::int64_t kMessagesOfBatch = 200;
constexpr std::int64_t kBatches = 3;

class BothAtOnce {
 public:
  BothAtOnce(const std::array<std::vector<Channel>, 2>& channels, std::size_t bytes,
             const Effort& effort)
      : channels_(channels),
        bytes_(bytes),
        round_count_(effort.round_count),
        batch_count_(effort.Operations(kBatches)),
        writes_(static_cast<std::size_t>(round_count_)),
        reads_(static_cast<std::size_t>(round_count_)) {}

  // What one of the two threads does, and where it puts its half of each mean.
  void Execute(std::size_t side, Reads reads) {
    const std::vector<Channel>& written = channels_[side];
    const std::vector<Channel>& read = channels_[reads == Reads::kOwn ? side : 1 - side];
    for (std::size_t round = 0; round < writes_.size(); ++round) {
      for (std::int64_t i = 0; i < batch_count_; ++i) {
        Meet();
        const double write_ns = WriteBatch(written);
        Meet();
        const double read_ns = ReadBatch(read);
        Add(writes_[round], write_ns);
        Add(reads_[round], read_ns);
      }
    }
  }

  MessageTimes Times() const {
    return {.write = SpreadOf(Values(writes_)), .read = SpreadOf(Values(reads_))};
  }

 private:
  // Goes on when the other thread has come as far.
  void Meet() {
    const std::int64_t last = (arrived_.fetch_add(1, std::memory_order_acq_rel) | 1) + 1;
    while (arrived_.load(std::memory_order_acquire) < last) {
    }
  }

  double WriteBatch(const std::vector<Channel>& channels) const {
    return NsPerCall(kMessagesOfBatch,
                     [&] {
                       for (const Channel& channel : channels) channel.Write(bytes_);
                     }) /
           static_cast<double>(channels.size());
  }

  double ReadBatch(const std::vector<Channel>& channels) const {
    double sum = 0;
    for (const Channel& channel : channels) {
      sum += NsPerCall(kMessagesOfBatch, [&] { channel.Read(bytes_); });
    }
    return sum / static_cast<double>(channels.size());
  }

  void Add(std::atomic<double>& sum, double value) const {
    sum.fetch_add(value / static_cast<double>(2 * batch_count_), std::memory_order_relaxed);
  }

  static std::vector<double> Values(const std::vector<std::atomic<double>>& sums) {
    return {sums.begin(), sums.end()};
  }

  const std::array<std::vector<Channel>, 2>& channels_;
  const std::size_t bytes_;
  const std::int64_t round_count_;
  const std::int64_t batch_count_;
  std::atomic<std::int64_t> arrived_{0};
  std::vector<std::atomic<double>> writes_;
  std::vector<std::atomic<double>> reads_;
};

}  // namespace

Result<MessageTimes> MeasureMessagesAtOnce(const MessageSetting& setting, Reads reads,
                                           const CpuPair& cpus, const Effort& effort) {
  std::array<std::vector<Channel>, 2> channels;
  for (std::vector<Channel>& side : channels) {
    Result<std::vector<Channel>> opened = OpenChannels(setting.kind, setting.channel_count);
    if (!opened) return Fail(opened.error());
    side = std::move(*opened);
  }
  if (const Status bound = BindThisThread(cpus.first); !bound) return Fail(bound.error());
  BothAtOnce both(channels, static_cast<std::size_t>(setting.bytes), effort);
  Status placed;
  std::jthread other([&] {
    placed = BindThisThread(cpus.second);
    both.Execute(1, reads);
  });
  both.Execute(0, reads);
  other.join();
  if (!placed) return Fail(placed.error());
  return both.Times();
}

}  // namespace schedlab::measure
