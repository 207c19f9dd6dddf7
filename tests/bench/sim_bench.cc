// How fast the simulator is: events per second of whole runs, and its event queue against
// std::priority_queue under the same load.

#include <benchmark/benchmark.h>

#include <functional>
#include <map>
#include <queue>
#include <string>
#include <vector>

#include "core/catalog.h"
#include "core/check.h"
#include "sim/event_queue.h"
#include "sim/output/sim_trace.h"
#include "sim/output/trace_recorder.h"
#include "sim/random_stream.h"
#include "sim/run.h"
#include "sim/simulate.h"
#include "tests/support/run_and_sleep.h"
#include "tests/support/topologies.h"

namespace schedlab::sim {
namespace {

// Whether the binary trace is kept, of all events of a run.
enum class Tracing { kOff, kOn };

Result<RunResult> SimulateOnce(const Scenario& scenario, const PolicySpec& policy,
                               std::uint64_t seed, Tracing tracing) {
  if (tracing == Tracing::kOff) return Simulate(scenario, policy, seed, {});
  SimTrace trace(static_cast<std::int32_t>(scenario.topology.cpus.size()));
  TraceRecorder recorder(trace);
  Result<RunResult> result = Simulate(scenario, policy, seed, {}, {.observer = &recorder});
  SCHEDLAB_CHECK(trace.dropped_count() == 0);
  return result;
}

void BM_Simulate(benchmark::State& state, const std::string& workload, Tracing tracing) {
  const Catalog catalog = ParseCatalog(EmbeddedCatalogFiles()).value();
  Scenario scenario;
  scenario.topology = *catalog.FindTopology("kvm-16x1").value();
  scenario.workload = ResolveWorkload(catalog, workload, {}).value();
  scenario.duration_ns = catalog.FindWorkload(workload).value()->duration_ns;
  const PolicySpec policy = ResolvePolicy(catalog, "linux-fair", {}).value();
  std::int64_t event_count = 0;
  std::int64_t simulated_ns = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    const RunResult result = SimulateOnce(scenario, policy, ++seed, tracing).value();
    event_count += result.event_count;
    simulated_ns += result.simulated_ns;
  }
  state.counters["events_per_sec"] =
      benchmark::Counter(static_cast<double>(event_count), benchmark::Counter::kIsRate);
  state.counters["simulated_sec_per_sec"] =
      benchmark::Counter(static_cast<double>(simulated_ns) / 1e9, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(BM_Simulate, fs_mark, "fs_mark", Tracing::kOff)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Simulate, fs_mark_traced, "fs_mark", Tracing::kOn)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Simulate, hackbench, "hackbench", Tracing::kOff)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Simulate, hackbench_traced, "hackbench", Tracing::kOn)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Simulate, spinners, "spinners", Tracing::kOff)->Unit(benchmark::kMillisecond);

std::string ShapeOf(std::int64_t cpu_count) {
  return cpu_count < 16 ? "package:" + std::to_string(cpu_count)
                        : "numa:2 package:1 core:" + std::to_string(cpu_count / 2);
}

// CPUs and tasks; each run ends after two million events.
void BM_Tasks(benchmark::State& state, const std::map<std::string, std::string>& switches) {
  const Topology topology = testing::FreeTopology(ShapeOf(state.range(0)));
  PolicySpec policy;
  policy.name = "linux-fair";
  policy.switches = switches;
  std::int64_t event_count = 0;
  for (auto _ : state) {
    RunAndSleep workload(state.range(1));
    const RunSetup setup{.topology = topology,
                         .policy = policy,
                         .duration = SimDuration(600'000'000'000),
                         .seed = 1,
                         .event_limit = 2'000'000};
    event_count += Run(setup, workload, {}).value().event_count;
  }
  state.counters["events_per_sec"] =
      benchmark::Counter(static_cast<double>(event_count), benchmark::Counter::kIsRate);
}
const std::map<std::string, std::string> kEevdf = {{"pick", "eevdf"},
                                                   {"delay_dequeue", "on"},
                                                   {"preempt_short", "on"},
                                                   {"relative_deadline", "on"}};
BENCHMARK_CAPTURE(BM_Tasks, cfs, {})->Args({64, 256})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Tasks, eevdf, kEevdf)
    ->Args({64, 256})
    ->Args({2, 100})
    ->Args({2, 1'000})
    ->Args({2, 10'000})
    ->Args({2, 100'000})
    ->Args({1'024, 100'000})
    ->Unit(benchmark::kMillisecond);

// The hold model: take the earliest event, schedule one that is up to 64 us later.
constexpr std::int64_t kSpread = 64'000;

void BM_EventQueue(benchmark::State& state) {
  EventQueue queue;
  RandomStream random(1, "hold");
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    queue.Arm(queue.AddTimer(), SimTime(SimDuration(random.Below(kSpread))));
  }
  for (auto _ : state) {
    const TimerId timer = queue.Fire();
    queue.Arm(timer, queue.now() + SimDuration(random.Below(kSpread)));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_EventQueue)->Arg(64)->Arg(256)->Arg(1024)->Arg(4096);

struct HeapEvent {
  std::int64_t at;
  std::uint64_t sequence;
  std::int32_t timer;
  friend bool operator>(const HeapEvent& a, const HeapEvent& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
};

void BM_PriorityQueue(benchmark::State& state) {
  std::priority_queue<HeapEvent, std::vector<HeapEvent>, std::greater<>> queue;
  RandomStream random(1, "hold");
  std::uint64_t sequence = 0;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    queue.push({random.Below(kSpread), sequence++, static_cast<std::int32_t>(i)});
  }
  for (auto _ : state) {
    const HeapEvent event = queue.top();
    queue.pop();
    queue.push({event.at + random.Below(kSpread), sequence++, event.timer});
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_PriorityQueue)->Arg(64)->Arg(256)->Arg(1024)->Arg(4096);

}  // namespace
}  // namespace schedlab::sim

BENCHMARK_MAIN();
