#include "tests/properties/schedstat_identities.h"

#include <fmt/format.h>

#include <string_view>

namespace schedlab::properties {
namespace {

class Check {
 public:
  Check(std::string where, std::vector<std::string>& violated)
      : where_(std::move(where)), violated_(violated) {}

  void Equal(std::string_view left_name, std::int64_t left, std::string_view right_name,
             std::int64_t right) const {
    if (left == right) return;
    violated_.push_back(
        fmt::format("{}: {} {} is not {} {}", where_, left_name, left, right_name, right));
  }
  void AtMost(std::string_view left_name, std::int64_t left, std::string_view right_name,
              std::int64_t right) const {
    if (left <= right && left >= 0) return;
    violated_.push_back(
        fmt::format("{}: {} {} is above {} {}", where_, left_name, left, right_name, right));
  }

 private:
  const std::string where_;
  std::vector<std::string>& violated_;
};

void CheckCpu(const sim::CpuCounters& counters, const RunWatch::CpuLog& log, const Check& check) {
  check.Equal("pcount", counters.timeslices, "starts", log.starts);
  check.Equal("sched_goidle", counters.idle_picks, "times that it went idle", log.idle_starts);
  check.AtMost("switches", counters.timeslices + counters.idle_picks, "sched_count",
               counters.schedules);
  check.Equal("ttwu_count", counters.wakeups, "wakeups", log.wakeups);
  check.AtMost("ttwu_local", counters.wakeups_local, "ttwu_count", counters.wakeups);
  check.Equal("run_delay", counters.run_delay.count(), "waits", log.run_delay.count());
  check.AtMost("rq_cpu_time", counters.run_time.count(), "busy", log.busy.count());
}

// 367456c756a6 calls a pass balanced that has moved tasks; there the parts may exceed the whole.
void CheckPasses(const sim::PassCounters& passes, bool aborts_count_as_balanced,
                 const Check& check) {
  if (!aborts_count_as_balanced) {
    check.Equal("lb_count", passes.count, "balanced + failed + moved",
                passes.balanced + passes.failed + passes.moved_passes);
    check.AtMost("passes that moved", passes.moved_passes, "lb_gained", passes.gained);
  }
  check.AtMost("lb_hot_gained", passes.hot_gained, "lb_gained", passes.gained);
  check.AtMost("lb_nobusyg + lb_nobusyq", passes.no_busy_group + passes.no_busy_queue,
               "lb_balanced", passes.balanced);
}

}  // namespace

void CheckSchedstat(const scenarios::ScenarioFile& file, const sim::Schedstat& schedstat,
                    const RunWatch& watch, std::vector<std::string>& violated) {
  const auto abort = file.policy.switches.find("abort_as_balanced");
  const bool aborts = abort != file.policy.switches.end() && abort->second == "on";
  for (std::size_t cpu = 0; cpu < schedstat.cpus.size(); ++cpu) {
    const sim::CpuCounters& counters = schedstat.cpus[cpu].counters;
    const Check of_cpu(fmt::format("cpu{}", cpu), violated);
    CheckCpu(counters, watch.cpus()[cpu], of_cpu);
    std::int64_t remote = 0;
    for (const sim::DomainReport& domain : schedstat.cpus[cpu].domains) {
      const Check of_domain(fmt::format("cpu{} {}", cpu, domain.name), violated);
      remote += domain.wakeups_remote;
      for (const sim::PassCounters& passes : domain.passes) CheckPasses(passes, aborts, of_domain);
      of_domain.AtMost("alb_failed + alb_pushed", domain.active_failed + domain.active_pushed,
                       "alb_count", domain.active_count);
    }
    // Domains that are built anew after a hotplug begin at 0.
    if (schedstat.cpus[cpu].domains.empty() || !file.hotplug.empty()) continue;
    of_cpu.Equal("ttwu_wake_remote of all domains", remote, "ttwu_count - ttwu_local",
                 counters.wakeups - counters.wakeups_local);
  }
}

}  // namespace schedlab::properties
