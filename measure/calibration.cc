#include "measure/calibration.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "measure/cache_line.h"
#include "measure/handoff.h"
#include "measure/idle_choice.h"
#include "measure/interrupt.h"
#include "measure/place.h"
#include "measure/processes.h"
#include "measure/queue_move.h"
#include "measure/stream.h"
#include "measure/system_call.h"
#include "measure/tick.h"
#include "measure/timer.h"
#include "measure/wakeup.h"

namespace schedlab::measure {
namespace {

constexpr std::int64_t kMessageBytes = 100;
// Their messages do not fit into the caches of a core.
constexpr std::int64_t kManyChannels = 20;
// More than any cache keeps warm that a switch has to do with; still more are no colder.
constexpr std::int32_t kRingMembers = 16;
constexpr std::int64_t kShortIdleNs = 20'000;
constexpr std::int64_t kLongIdleNs = 1'000'000;
// Long pauses make long rounds.
constexpr std::int64_t kLongIdlePermille = 100;

enum class Nearness { kSameCore, kSameLlc, kSameNode, kRemote };

Nearness NearnessOf(const Cpu& a, const Cpu& b) {
  if (a.core == b.core) return Nearness::kSameCore;
  if (a.llc == b.llc) return Nearness::kSameLlc;
  return a.node == b.node ? Nearness::kSameNode : Nearness::kRemote;
}

// Puts the calling thread back where it was: measurements bind it.
class AffinityKeeper {
 public:
  AffinityKeeper() : cpus_(AllowedCpus()) {}
  AffinityKeeper(const AffinityKeeper&) = delete;
  AffinityKeeper& operator=(const AffinityKeeper&) = delete;
  ~AffinityKeeper() { AllowThisThread(cpus_); }

 private:
  std::vector<std::int32_t> cpus_;
};

class Calibrator {
 public:
  Calibrator(const SysTopology& machine, const Effort& effort, const ProgressFunction& progress)
      : machine_(machine), effort_(effort), progress_(progress) {}

  Result<Measurements> Run() {
    if (Status chosen = ChooseCpus(); !chosen) return Fail(chosen.error());
    MeasureOneCpu();
    MeasurePairs();
    if (!status_) return Fail(status_.error());
    return measured_;
  }

 private:
  Status ChooseCpus() {
    const std::vector<std::int32_t> allowed = AllowedCpus();
    for (std::size_t i = 0; i < machine_.os_indexes.size(); ++i) {
      if (std::binary_search(allowed.begin(), allowed.end(), machine_.os_indexes[i])) {
        usable_.push_back(i);
      }
    }
    if (!usable_.empty()) return {};
    return Fail(ErrorCode::kFailedPrecondition, "this process may run on no CPU of this machine");
  }

  std::int32_t first() const { return machine_.os_indexes[usable_.front()]; }

  std::optional<CpuPair> PairAt(Nearness nearness) const {
    const Cpu& one = machine_.cpus[usable_.front()];
    for (const std::size_t i : usable_) {
      if (i == usable_.front() || NearnessOf(one, machine_.cpus[i]) != nearness) continue;
      return CpuPair{first(), machine_.os_indexes[i]};
    }
    return std::nullopt;
  }

  // The nearest CPU that has a core of its own; a thread of the same core where there is none.
  std::optional<CpuPair> NearestPair() const {
    for (const Nearness nearness :
         {Nearness::kSameLlc, Nearness::kSameNode, Nearness::kRemote, Nearness::kSameCore}) {
      if (const auto pair = PairAt(nearness)) return pair;
    }
    return std::nullopt;
  }

  // Runs a measurement unless one before has failed.
  template <class Measure, class Keep>
  void Take(std::string_view what, Measure measure, Keep keep) {
    if (!status_) return;
    progress_(what);
    const auto result = measure();
    if (result) {
      keep(*result);
    } else {
      status_ = Fail(result.error());
    }
  }
  template <class Measure>
  void Take(std::string_view what, Spread Measurements::*member, Measure measure) {
    Take(what, measure, [&](const Spread& spread) { measured_.*member = spread; });
  }

  void MeasureOneCpu();
  void MeasureProcessors();
  void MeasureChannels(const CpuPair& cpus, bool is_apart);
  void MeasureMessagesOf(const MessageSetting& setting, const CpuPair& cpus,
                         Spread Measurements::*write, Spread Measurements::*read);
  void MeasureChannelsOfBoth(const CpuPair& cpus, Reads reads);
  void MeasurePairs();
  void MeasureDistances();
  void MeasureOtherCpu(const CpuPair& pair);
  void MeasureIdleChoices(const CpuPair& pair);
  void MeasureLatency(const WakeupSetting& setting, const Effort& effort,
                      Spread Measurements::*latency, Spread Measurements::*call);

  const SysTopology& machine_;
  const Effort effort_;
  const ProgressFunction& progress_;
  std::vector<std::size_t> usable_;  // indexes of machine_.cpus
  Measurements measured_;
  Status status_;
};

void Calibrator::MeasureOneCpu() {
  const std::int32_t cpu = first();
  MeasureProcessors();
  Take("hand-over to a thread", &Measurements::handoff_threads,
       [&] { return MeasureHandoff(cpu, {.sides = Sides::kThreads}, effort_); });
  Take("hand-over to a process", &Measurements::handoff_processes,
       [&] { return MeasureHandoff(cpu, {.sides = Sides::kProcesses}, effort_); });
  Take("ring of threads", &Measurements::handoff_ring_threads, [&] {
    return MeasureHandoff(cpu, {Sides::kThreads, kRingMembers}, effort_);
  });
  Take("ring of processes", &Measurements::handoff_ring_processes, [&] {
    return MeasureHandoff(cpu, {Sides::kProcesses, kRingMembers}, effort_);
  });
  Take("wakeup of nobody", &Measurements::wake_nobody,
       [&] { return MeasureEmptyWakeup(cpu, effort_); });
  MeasureLatency({.waker_cpu = cpu, .wakee_cpu = cpu, .wakee_policy = FairPolicy::kBatch}, effort_,
                 nullptr, &Measurements::wake_same_cpu);
  MeasureLatency({.waker_cpu = cpu, .wakee_cpu = cpu, .waker_policy = FairPolicy::kIdle}, effort_,
                 &Measurements::latency_same_cpu, nullptr);
  Take("exchange through a pipe", &Measurements::pipe_exchange_1,
       [&] { return MeasureExchange({.kind = ChannelKind::kPipe, .bytes = 1}, cpu, effort_); });
  Take("exchange through pipes", &Measurements::pipe_exchange_1_ring, [&] {
    return MeasureExchange({.kind = ChannelKind::kPipe, .bytes = 1, .channel_count = kRingMembers},
                           cpu, effort_);
  });
  MeasureChannels({cpu, cpu}, false);
  Take(
      "tick", [&] { return MeasureTick(cpu, effort_); },
      [&](const TickTimes& times) {
        measured_.tick = times.tick;
        measured_.lost_permille = times.lost_permille;
      });
  Take(
      "timers", [&] { return MeasureTimers(cpu, effort_); },
      [&](const TimerTimes& times) {
        measured_.timer_late_default_slack = times.late_by_default;
        measured_.timer_late_least_slack = times.late_at_least;
      });
  Take(
      "processes and threads", [&] { return MeasureProcesses(cpu, effort_); },
      [&](const ProcessTimes& times) {
        measured_.fork = times.fork;
        measured_.process_life = times.life;
        measured_.process_exit = times.exit;
        measured_.thread_create = times.thread_create;
        measured_.thread_life = times.thread_life;
        measured_.thread_exit = times.thread_exit;
      });
}

void Calibrator::MeasureProcessors() {
  const std::int32_t cpu = first();
  Take("clock", &Measurements::clock_read, [&] { return MeasureClockRead(cpu, effort_); });
  Take("system call", &Measurements::system_call, [&] { return MeasureSystemCall(cpu, effort_); });
  Take("yield", &Measurements::yield_alone, [&] { return MeasureYield(cpu, effort_); });
  Take("loop", &Measurements::loop, [&] { return MeasureLoop(cpu, effort_); });
  Take("free lock", &Measurements::lock_free, [&] { return MeasureFreeLock(cpu, effort_); });
}

void Calibrator::MeasureMessagesOf(const MessageSetting& setting, const CpuPair& cpus,
                                   Spread Measurements::*write, Spread Measurements::*read) {
  Take(
      "messages", [&] { return MeasureMessages(setting, cpus, effort_); },
      [&](const MessageTimes& times) {
        measured_.*write = times.write;
        measured_.*read = times.read;
      });
}

void Calibrator::MeasureChannels(const CpuPair& cpus, bool is_apart) {
  using M = Measurements;
  MessageSetting setting{.kind = ChannelKind::kPipe, .bytes = kMessageBytes};
  MeasureMessagesOf(setting, cpus, is_apart ? &M::pipe_write_100_apart : &M::pipe_write_100,
                    is_apart ? &M::pipe_read_100_apart : &M::pipe_read_100);
  setting.channel_count = kManyChannels;
  MeasureMessagesOf(setting, cpus,
                    is_apart ? &M::pipe_write_100_many_apart : &M::pipe_write_100_many,
                    is_apart ? &M::pipe_read_100_many_apart : &M::pipe_read_100_many);
  setting.kind = ChannelKind::kSocket;
  MeasureMessagesOf(setting, cpus,
                    is_apart ? &M::socket_write_100_many_apart : &M::socket_write_100_many,
                    is_apart ? &M::socket_read_100_many_apart : &M::socket_read_100_many);
  setting.channel_count = 1;
  MeasureMessagesOf(setting, cpus, is_apart ? &M::socket_write_100_apart : &M::socket_write_100,
                    is_apart ? &M::socket_read_100_apart : &M::socket_read_100);
}

void Calibrator::MeasureChannelsOfBoth(const CpuPair& cpus, Reads reads) {
  using M = Measurements;
  const bool is_apart = reads == Reads::kOthers;
  const auto measure = [&](ChannelKind kind, Spread M::*write, Spread M::*read) {
    const MessageSetting setting{
        .kind = kind, .bytes = kMessageBytes, .channel_count = kManyChannels};
    Take(
        "messages of both", [&] { return MeasureMessagesAtOnce(setting, reads, cpus, effort_); },
        [&](const MessageTimes& times) {
          measured_.*write = times.write;
          measured_.*read = times.read;
        });
  };
  measure(ChannelKind::kPipe,
          is_apart ? &M::pipe_write_100_many_both_apart : &M::pipe_write_100_many_both,
          is_apart ? &M::pipe_read_100_many_both_apart : &M::pipe_read_100_many_both);
  measure(ChannelKind::kSocket,
          is_apart ? &M::socket_write_100_many_both_apart : &M::socket_write_100_many_both,
          is_apart ? &M::socket_read_100_many_both_apart : &M::socket_read_100_many_both);
}

void Calibrator::MeasurePairs() {
  MeasureDistances();
  if (const auto pair = NearestPair()) MeasureOtherCpu(*pair);
}

void Calibrator::MeasureDistances() {
  using M = Measurements;
  struct Row {
    Nearness nearness;
    Spread M::*line;
    Spread M::*refill;
  };
  for (const Row& row : {Row{Nearness::kSameCore, &M::line_same_core, nullptr},
                         Row{Nearness::kSameLlc, &M::line_same_llc, &M::refill_same_llc},
                         Row{Nearness::kSameNode, &M::line_same_node, &M::refill_same_node},
                         Row{Nearness::kRemote, &M::line_remote, &M::refill_remote}}) {
    const auto pair = PairAt(row.nearness);
    if (!pair) continue;
    Take("cache line", row.line, [&] { return MeasureLineTransfer(*pair, effort_); });
    if (row.refill != nullptr) {
      Take("refill", row.refill, [&] { return MeasureRefill(*pair, effort_); });
    } else {
      Take("sibling", &M::sibling_slowdown_permille,
           [&] { return MeasureSiblingSlowdown(*pair, effort_); });
    }
  }
}

void Calibrator::MeasureOtherCpu(const CpuPair& pair) {
  Take("contended lock", &Measurements::lock_contended,
       [&] { return MeasureContendedLock(pair, effort_); });
  Take("queue move", &Measurements::queue_move, [&] { return MeasureQueueMove(pair, effort_); });
  Take("interrupt", &Measurements::interrupt_taken,
       [&] { return MeasureInterrupt(pair, effort_); });
  MeasureChannels(pair, true);
  MeasureChannelsOfBoth(pair, Reads::kOwn);
  MeasureChannelsOfBoth(pair, Reads::kOthers);
  WakeupSetting setting{.waker_cpu = pair.first, .wakee_cpu = pair.second};
  setting.is_wakee_cpu_busy = true;
  MeasureLatency(setting, effort_, &Measurements::latency_busy_cpu, nullptr);
  setting.is_wakee_cpu_busy = false;
  setting.rest_ns = kShortIdleNs;
  MeasureLatency(setting, effort_, &Measurements::latency_idle_20us, &Measurements::wake_idle_cpu);
  setting.rest_ns = kLongIdleNs;
  Effort fewer = effort_;
  fewer.size_permille = std::max<std::int64_t>(1, effort_.size_permille * kLongIdlePermille / 1000);
  MeasureLatency(setting, fewer, &Measurements::latency_idle_1ms, nullptr);
  MeasureIdleChoices(pair);
}

void Calibrator::MeasureIdleChoices(const CpuPair& pair) {
  using M = Measurements;
  struct Row {
    std::int64_t idle_ns;
    Spread M::*permille;
    std::int64_t size_permille;
  };
  for (const Row& row : {Row{10'000, &M::idle_choice_10us_permille, 1000},
                         Row{100'000, &M::idle_choice_100us_permille, 1000},
                         Row{1'000'000, &M::idle_choice_1ms_permille, 200},
                         Row{10'000'000, &M::idle_choice_10ms_permille, 40}}) {
    Effort effort = effort_;
    effort.size_permille =
        std::max<std::int64_t>(1, effort_.size_permille * row.size_permille / 1000);
    Take("choice of an idle CPU", row.permille,
         [&] { return MeasureIdleChoice(pair, row.idle_ns, effort); });
  }
}

void Calibrator::MeasureLatency(const WakeupSetting& setting, const Effort& effort,
                                Spread Measurements::*latency, Spread Measurements::*call) {
  Take(
      "wakeups", [&] { return MeasureWakeups(setting, effort); },
      [&](const WakeupTimes& times) {
        if (latency != nullptr) measured_.*latency = times.latency;
        if (call != nullptr) measured_.*call = times.call;
      });
}

}  // namespace

Result<Measurements> Calibrate(const SysTopology& machine, const Effort& effort,
                               const ProgressFunction& progress) {
  const AffinityKeeper keeper;
  return Calibrator(machine, effort, progress).Run();
}

}  // namespace schedlab::measure
