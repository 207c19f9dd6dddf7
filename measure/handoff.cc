#include "measure/handoff.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

#include "measure/channel.h"
#include "measure/place.h"
#include "measure/stopwatch.h"

namespace schedlab::measure {
namespace {

constexpr std::int64_t kHandoffs = 10'000;

// The member with number 0 is the one that measures.
class Ring {
 public:
  Ring(const std::vector<Channel>& channels, const Effort& effort)
      : channels_(channels),
        round_count_(effort.round_count),
        lap_count_(effort.Operations(kHandoffs / std::ssize(channels))) {}

  void PassOn(std::size_t member) const {
    for (std::int64_t lap = 0; lap < round_count_ * lap_count_; ++lap) {
      if (!channels_[member].Read(1) || !Next(member).Write(1)) return;
    }
  }

  std::vector<double> Measure() const {
    std::vector<double> rounds;
    for (std::int64_t round = 0; round < round_count_; ++round) {
      bool is_whole = true;
      const double lap_ns = NsPerCall(
          lap_count_, [&] { is_whole = is_whole && Next(0).Write(1) && channels_[0].Read(1); });
      if (is_whole) rounds.push_back(lap_ns / static_cast<double>(channels_.size()));
    }
    return rounds;
  }

 private:
  const Channel& Next(std::size_t member) const {
    return channels_[(member + 1) % channels_.size()];
  }

  const std::vector<Channel>& channels_;
  const std::int64_t round_count_;
  const std::int64_t lap_count_;
};

std::vector<double> AmongThreads(const Ring& ring, std::size_t member_count) {
  std::vector<std::jthread> threads;
  for (std::size_t member = 1; member < member_count; ++member) {
    threads.emplace_back([&ring, member] { ring.PassOn(member); });
  }
  return ring.Measure();
}

// The children do nothing but system calls: this process may have other threads. Where one cannot
// be created, those before it find the pipes of a broken ring empty and are ended.
std::vector<double> AmongProcesses(const Ring& ring, std::size_t member_count) {
  std::vector<pid_t> children;
  for (std::size_t member = 1; member < member_count; ++member) {
    const pid_t child = fork();
    if (child == 0) {
      ring.PassOn(member);
      _exit(0);
    }
    if (child < 0) break;
    children.push_back(child);
  }
  const bool is_whole = children.size() + 1 == member_count;
  std::vector<double> rounds = is_whole ? ring.Measure() : std::vector<double>{};
  for (const pid_t child : children) {
    if (!is_whole) kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  return rounds;
}

}  // namespace

Result<Spread> MeasureHandoff(std::int32_t cpu, const HandoffSetting& setting,
                              const Effort& effort) {
  const auto member_count = static_cast<std::size_t>(setting.member_count);
  const Result<std::vector<Channel>> channels =
      OpenChannels(ChannelKind::kPipe, setting.member_count);
  if (!channels) return Fail(channels.error());
  if (const Status bound = BindThisThread(cpu); !bound) return Fail(bound.error());
  const Ring ring(*channels, effort);
  return SpreadOf(setting.sides == Sides::kThreads ? AmongThreads(ring, member_count)
                                                   : AmongProcesses(ring, member_count));
}

}  // namespace schedlab::measure
