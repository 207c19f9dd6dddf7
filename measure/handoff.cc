#include "measure/handoff.h"

#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "measure/channel.h"
#include "measure/place.h"
#include "measure/stopwatch.h"

namespace schedlab::measure {
namespace {

constexpr std::int64_t kRoundTrips = 5'000;
constexpr std::int64_t kHandoffsPerTrip = 2;

struct Channels {
  const Channel& there;
  const Channel& back;
};

void Answer(const Channels& channels, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (!channels.there.Read(1) || !channels.back.Write(1)) return;
  }
}

std::vector<double> Ask(const Channels& channels, std::int64_t rounds, std::int64_t trips) {
  std::vector<double> results;
  for (std::int64_t round = 0; round < rounds; ++round) {
    bool is_whole = true;
    const double trip_ns = NsPerCall(
        trips, [&] { is_whole = is_whole && channels.there.Write(1) && channels.back.Read(1); });
    if (is_whole) results.push_back(trip_ns / kHandoffsPerTrip);
  }
  return results;
}

std::vector<double> AskThread(const Channels& channels, std::int64_t rounds, std::int64_t trips) {
  const std::jthread answering([&] { Answer(channels, rounds * trips); });
  return Ask(channels, rounds, trips);
}

// The child does nothing but system calls: this process may have other threads.
std::vector<double> AskProcess(const Channels& channels, std::int64_t rounds, std::int64_t trips) {
  const pid_t child = fork();
  if (child == 0) {
    Answer(channels, rounds * trips);
    _exit(0);
  }
  if (child < 0) return {};
  std::vector<double> results = Ask(channels, rounds, trips);
  waitpid(child, nullptr, 0);
  return results;
}

}  // namespace

Result<Spread> MeasureHandoff(std::int32_t cpu, Sides sides, const Effort& effort) {
  const Result<Channel> there = Channel::Open(ChannelKind::kPipe);
  if (!there) return Fail(there.error());
  const Result<Channel> back = Channel::Open(ChannelKind::kPipe);
  if (!back) return Fail(back.error());
  if (const Status bound = BindThisThread(cpu); !bound) return Fail(bound.error());
  const Channels channels{*there, *back};
  const std::int64_t trips = effort.Operations(kRoundTrips);
  return SpreadOf(sides == Sides::kThreads ? AskThread(channels, effort.round_count, trips)
                                           : AskProcess(channels, effort.round_count, trips));
}

}  // namespace schedlab::measure
