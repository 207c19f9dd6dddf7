#include "sim/metrics.h"

#include <string>
#include <string_view>

#include "sim/fairness.h"

namespace schedlab::sim {
namespace {

using Metrics = std::map<std::string, double>;

double Seconds(SimDuration duration) { return static_cast<double>(Ns(duration)) / 1e9; }

// "<name>_p50_ns" to "<name>_p999_ns", and the mean and the maximum.
void AddDistribution(Metrics& metrics, const std::string& name, const Histogram& histogram) {
  if (histogram.count() == 0) return;
  const auto quantile = [&](const char* suffix, std::int64_t permille) {
    metrics[name + suffix] = static_cast<double>(*histogram.Quantile(permille));
  };
  quantile("_p50_ns", 500);
  quantile("_p90_ns", 900);
  quantile("_p99_ns", 990);
  quantile("_p999_ns", 999);
  metrics[name + "_max_ns"] = static_cast<double>(*histogram.Max());
  metrics[name + "_mean_ns"] = *histogram.Mean();
}

void AddTimes(const Machine& machine, Metrics& metrics) {
  CpuTimes total;
  for (CpuNumber cpu = 0; cpu < machine.cpu_count(); ++cpu) {
    total.work += machine.times(cpu).work;
    total.overhead += machine.times(cpu).overhead;
    total.irq += machine.times(cpu).irq;
    total.idle += machine.times(cpu).idle;
    total.offline += machine.times(cpu).offline;
  }
  const double all = Seconds(total.work + total.overhead + total.irq + total.idle);
  if (all <= 0) return;
  metrics["work_ratio"] = Seconds(total.work) / all;
  metrics["irq_ratio"] = Seconds(total.irq) / all;
  metrics["idle_ratio"] = Seconds(total.idle) / all;
  metrics["overhead_ratio"] = Seconds(total.overhead) / all;
  if (total.offline > SimDuration{0}) metrics["offline_cpu_seconds"] = Seconds(total.offline);
  metrics["wasted_cpu_seconds"] = Seconds(machine.wasted());
  metrics["last_wasted_at_sec"] = Seconds(machine.last_wasted_at().time_since_epoch());
}

void AddRates(const Machine& machine, double elapsed, Metrics& metrics) {
  const Counters& counters = machine.counters();
  const auto rate = [&](const char* name, std::int64_t count) {
    metrics[name] = static_cast<double>(count) / elapsed;
  };
  rate("context_switches_per_sec", counters.context_switches);
  rate("goidle_per_sec", counters.goidle_count);
  rate("wakeups_per_sec", counters.wakeups);
  rate("wake_migrations_per_sec", counters.wake_migrations);
  rate("wakeups_moved_affine_per_sec", counters.wakeups_moved_affine);
  rate("migrations_same_core_per_sec",
       counters.migrations[static_cast<std::size_t>(Distance::kSameCore)]);
  rate("migrations_same_llc_per_sec",
       counters.migrations[static_cast<std::size_t>(Distance::kSameLlc)]);
  rate("migrations_same_node_per_sec",
       counters.migrations[static_cast<std::size_t>(Distance::kSameNode)]);
  rate("migrations_remote_per_sec",
       counters.migrations[static_cast<std::size_t>(Distance::kRemote)]);
}

void AddCounts(const Counters& counters, Metrics& metrics) {
  const auto count = [&](const char* name, std::int64_t value) {
    metrics[name] = static_cast<double>(value);
  };
  count("newidle_entries", counters.newidle_entries);
  count("newidle_gated", counters.newidle_gated);
  count("nohz_kicks", counters.nohz_kicks);
  count("nohz_kicks_unanswered", counters.nohz_kicks_unanswered);
  count("alb_count", counters.active_balances);
  count("alb_failed", counters.active_failed);
  count("alb_pushed", counters.active_pushed);
}

}  // namespace

void AddMachineMetrics(const Machine& machine, Metrics& metrics) {
  const double elapsed = Seconds(machine.now().time_since_epoch());
  if (elapsed <= 0) return;
  const Counters& counters = machine.counters();
  AddTimes(machine, metrics);
  AddRates(machine, elapsed, metrics);
  AddCounts(counters, metrics);
  AddDistribution(metrics, "wakeup_latency", counters.wakeup_latency);
  AddDistribution(metrics, "run_delay", counters.run_delay);
  AddDistribution(metrics, "slice", counters.slice);
  if (const auto fairness = AlwaysRunnableFairness(machine)) {
    metrics["fairness_always_runnable"] = *fairness;
  }
  metrics["run_delay_sec"] = Seconds(counters.total_run_delay);
  metrics["lock_wait_sec"] = Seconds(counters.lock_wait);
  metrics["newidle_lock_wait_sec"] = Seconds(counters.newidle_lock_wait);
}

}  // namespace schedlab::sim
