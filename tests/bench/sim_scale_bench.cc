// How the simulator scales, one JSON object a line:
//
//   sim_scale_bench sweep [EVENTS]    cost of an event by CPUs and tasks
//   sim_scale_bench memory [TASKS]    bytes of a further task, between a tenth of TASKS and TASKS
//   sim_scale_bench pair [MS]         two runs at once against one after the other

#include <fmt/format.h>
#include <malloc.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <thread>

#include "core/catalog.h"
#include "core/check.h"
#include "sim/run.h"
#include "sim/simulate.h"
#include "tests/support/run_and_sleep.h"
#include "tests/support/topologies.h"

namespace schedlab::sim {
namespace {

const Catalog& ShippedCatalog() {
  static const Catalog kCatalog = ParseCatalog(EmbeddedCatalogFiles()).value();
  return kCatalog;
}

PolicySpec Eevdf() {
  return ResolvePolicy(ShippedCatalog(), "linux-fair-releases@v6.12", {}).value();
}

struct Shape {
  int cpu_count;
  std::string_view text;
};
constexpr std::array kShapes = {
    Shape{2, "package:1 core:2"},
    Shape{16, "package:1 l3:2 core:8"},
    Shape{64, "numa:2 package:1 l3:4 core:8"},
    Shape{256, "numa:2 package:1 l3:16 core:8"},
    Shape{1024, "numa:8 package:1 l3:16 core:8"},
};
constexpr std::array kTaskCounts = {100, 1'000, 10'000, 100'000};

// With the costs of a server of today: caches of eight cores.
Topology ServerOf(std::string_view shape) {
  Topology topology = testing::FreeTopology(shape);
  const Topology& server = *ShippedCatalog().FindTopology("epyc-2s").value();
  topology.costs = server.costs;
  topology.housekeeping_period_ns = server.housekeeping_period_ns;
  return topology;
}

// Notes what is allocated when the run has ended, with everything in place.
class MeasuredTasks final : public RunAndSleep {
 public:
  using RunAndSleep::RunAndSleep;
  void AddMetrics(const Kernel& /*kernel*/, std::map<std::string, double>& /*metrics*/) override {
    const struct mallinfo2 heap = mallinfo2();
    allocated_bytes_ = static_cast<double>(heap.uordblks) + static_cast<double>(heap.hblkhd);
  }
  double allocated_bytes() const { return allocated_bytes_; }

 private:
  double allocated_bytes_ = 0;
};

RunResult RunUntil(std::int64_t event_limit, const Topology& topology, Workload& workload) {
  return Run({.topology = topology,
              .policy = Eevdf(),
              .duration = SimDuration(600'000'000'000),
              .event_limit = event_limit},
             workload, {})
      .value();
}

void Sweep(std::int64_t event_limit) {
  for (const Shape& shape : kShapes) {
    const Topology topology = ServerOf(shape.text);
    for (const int task_count : kTaskCounts) {
      RunAndSleep workload(task_count);
      const std::clock_t begin = std::clock();
      const RunResult result = RunUntil(event_limit, topology, workload);
      const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      fmt::print("{{\"cpus\": {}, \"tasks\": {}, \"ns_per_event\": {:.1f}}}\n", shape.cpu_count,
                 task_count, seconds * 1e9 / static_cast<double>(result.event_count));
    }
  }
}

double BytesWith(std::int64_t task_count, const Topology& topology) {
  MeasuredTasks workload(task_count);
  RunUntil(3 * task_count, topology, workload);
  return workload.allocated_bytes();
}

void Memory(std::int64_t task_count) {
  const Topology topology = ServerOf(kShapes.back().text);
  const double few = BytesWith(task_count / 10, topology);
  const double many = BytesWith(task_count, topology);
  const auto more = static_cast<double>(task_count - task_count / 10);
  fmt::print("{{\"bytes_per_task\": {:.0f}}}\n", (many - few) / more);
}

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::uint64_t DigestOf(const Scenario& scenario, std::uint64_t seed) {
  return Simulate(scenario, Eevdf(), seed, {}).value().digest;
}

void Pair(std::int64_t simulated_ms) {
  Scenario scenario;
  scenario.topology = *ShippedCatalog().FindTopology("kvm-16x1").value();
  scenario.workload =
      ResolveWorkload(ShippedCatalog(), "hackbench", {{"loops_count", 100'000}}).value();
  scenario.duration_ns = simulated_ms * 1'000'000;

  auto begin = std::chrono::steady_clock::now();
  const std::array<std::uint64_t, 2> alone = {DigestOf(scenario, 1), DigestOf(scenario, 2)};
  const double alone_sec = SecondsSince(begin);
  std::array<std::uint64_t, 2> together{};
  begin = std::chrono::steady_clock::now();
  {
    const std::jthread first([&] { together[0] = DigestOf(scenario, 1); });
    const std::jthread second([&] { together[1] = DigestOf(scenario, 2); });
  }
  const double together_sec = SecondsSince(begin);
  SCHEDLAB_CHECK(alone == together);
  fmt::print("{{\"alone_sec\": {:.4f}, \"together_sec\": {:.4f}}}\n", alone_sec, together_sec);
}

int Main(std::string_view what, std::int64_t size) {
  if (what == "sweep") {
    Sweep(size > 0 ? size : 1'000'000);
  } else if (what == "memory") {
    Memory(size > 0 ? size : 100'000);
  } else if (what == "pair") {
    Pair(size > 0 ? size : 2'000);
  } else {
    fmt::print(stderr, "usage: sim_scale_bench sweep|memory|pair [SIZE]\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace schedlab::sim

int main(int argc, char** argv) {
  return schedlab::sim::Main(argc > 1 ? argv[1] : "", argc > 2 ? std::atoll(argv[2]) : 0);
}
