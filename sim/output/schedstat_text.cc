#include "sim/output/schedstat_text.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "sim/output/text_writer.h"

namespace schedlab::sim {
namespace {

constexpr std::int32_t kMaskWordBits = 32;

// "ffff,00000000": hexadecimal words of 32 CPUs, the highest first and no longer than needed.
std::string MaskText(const std::vector<CpuNumber>& cpus, std::int32_t cpu_count) {
  const std::int32_t word_count = (cpu_count + kMaskWordBits - 1) / kMaskWordBits;
  std::vector<std::uint32_t> words(static_cast<std::size_t>(word_count));
  for (const CpuNumber cpu : cpus) {
    words[static_cast<std::size_t>(cpu / kMaskWordBits)] |= std::uint32_t{1}
                                                            << (cpu % kMaskWordBits);
  }
  const std::int32_t top_bits = cpu_count - (word_count - 1) * kMaskWordBits;
  std::string text = fmt::format("{:0{}x}", words.back(), (top_bits + 3) / 4);
  for (std::int32_t i = word_count - 2; i >= 0; --i) {
    text += fmt::format(",{:08x}", words[static_cast<std::size_t>(i)]);
  }
  return text;
}

std::array<IdleType, kIdleTypeCount> IdleTypesOf(SchedstatVersion version) {
  switch (version) {
    case SchedstatVersion::k15:
      return {IdleType::kIdle, IdleType::kBusy, IdleType::kNewlyIdle};
    case SchedstatVersion::k16:
    case SchedstatVersion::k17:
      return {IdleType::kBusy, IdleType::kIdle, IdleType::kNewlyIdle};
  }
  return {};
}

std::string ImbalanceText(const PassCounters& passes, SchedstatVersion version) {
  if (version == SchedstatVersion::k17) {
    return fmt::format("{} {} {} {}", passes.imbalance_load, passes.imbalance_util,
                       passes.imbalance_task, passes.imbalance_misfit);
  }
  // Before 6.14 one counter adds up whatever unit a pass had measured in.
  return fmt::format("{}", passes.imbalance_load + passes.imbalance_util + passes.imbalance_task +
                               passes.imbalance_misfit);
}

void WriteDomain(const DomainReport& domain, SchedstatVersion version, TextWriter& writer) {
  for (const IdleType type : IdleTypesOf(version)) {
    const PassCounters& passes = domain.passes[static_cast<std::size_t>(type)];
    writer.Part(" {} {} {} {} {} {} {} {}", passes.count, passes.balanced, passes.failed,
                ImbalanceText(passes, version), passes.gained, passes.hot_gained,
                passes.no_busy_queue, passes.no_busy_group);
  }
  constexpr std::string_view kUnusedBalanceOnExecAndFork = "0 0 0 0 0 0";
  constexpr std::string_view kUnusedPassiveBalance = "0";
  writer.Line(" {} {} {} {} {} {} {}", domain.active_count, domain.active_failed,
              domain.active_pushed, kUnusedBalanceOnExecAndFork, domain.wakeups_remote,
              domain.wakeups_moved_affine, kUnusedPassiveBalance);
}

void WriteCpu(std::size_t cpu, const CpuCounters& counters, TextWriter& writer) {
  constexpr std::string_view kUnusedArraySwitches = "0";
  writer.Line("cpu{} {} {} {} {} {} {} {} {} {}", cpu, counters.yields, kUnusedArraySwitches,
              counters.schedules, counters.idle_picks, counters.wakeups, counters.wakeups_local,
              Ns(counters.run_time), Ns(counters.run_delay), counters.timeslices);
}

}  // namespace

std::string SchedstatText(const Schedstat& schedstat, SchedstatVersion version) {
  std::string text;
  const ByteSink sink = [&text](std::string_view bytes) { text += bytes; };
  TextWriter writer(sink);
  const auto cpu_count = static_cast<std::int32_t>(schedstat.cpus.size());
  const std::int64_t tick_ns = 1'000'000'000 / schedstat.tick_hz;
  writer.Line("version {}", static_cast<std::int32_t>(version));
  writer.Line("timestamp {}", Ns(schedstat.at) / tick_ns);
  for (std::size_t cpu = 0; cpu < schedstat.cpus.size(); ++cpu) {
    const Schedstat::PerCpu& one = schedstat.cpus[cpu];
    WriteCpu(cpu, one.counters, writer);
    for (std::size_t level = 0; level < one.domains.size(); ++level) {
      const DomainReport& domain = one.domains[level];
      writer.Part("domain{}", level);
      if (version == SchedstatVersion::k17) writer.Part(" {}", domain.name);
      writer.Part(" {}", MaskText(domain.span, cpu_count));
      WriteDomain(domain, version, writer);
    }
  }
  writer.Finish();
  return text;
}

}  // namespace schedlab::sim
