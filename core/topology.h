#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace schedlab {

// One CPU (hardware thread). Every index counts machine-wide from 0, so that two CPUs share a level
// exactly when that level's index is equal.
struct Cpu {
  std::int32_t node = 0;
  std::int32_t package = 0;
  std::int32_t llc = 0;
  std::int32_t core = 0;
  std::int32_t thread = 0;       // within its core
  std::int32_t capacity = 1024;  // 1024 = the fastest CPU of the machine
  // Of the cores that share a cache or a bus below the LLC; a core that shares none is its own.
  std::int32_t cluster = core;

  friend bool operator==(const Cpu&, const Cpu&) = default;
};

// What the kernel's own work costs on a machine, in whole nanoseconds of CPU time. Costs belong to
// the topology and are part of the model; all of them may be zero. A `remote` cost is that between
// the two nearest nodes; see RemoteCost().
struct CostTable {
  std::int64_t context_switch_ns = 0;        // leaving one task for another
  std::int64_t mm_switch_ns = 0;             // added when the next task is of another process
  std::int64_t wakeup_ns = 0;                // paid by the waker
  std::int64_t clock_read_ns = 0;            // each reading beyond the first of a wakeup
  std::int64_t ipi_ns = 0;                   // until the target CPU notices
  std::int64_t ipi_send_ns = 0;              // paid by the CPU that interrupts another
  std::int64_t idle_exit_ns = 0;             // an idle CPU until it runs its task
  std::int64_t tick_ns = 0;                  // one tick of a busy CPU
  std::int64_t queue_lock_ns = 0;            // taking and releasing a free run queue lock
  std::int64_t queue_lock_contended_ns = 0;  // added when the lock was held
  std::int64_t probe_same_core_ns = 0;       // reading another CPU's run queue, by distance
  std::int64_t probe_same_llc_ns = 0;
  std::int64_t probe_same_node_ns = 0;
  std::int64_t probe_remote_ns = 0;
  std::int64_t balance_pass_ns = 0;      // fixed part of one balancing pass of one domain
  std::int64_t scan_task_ns = 0;         // looking at one task of a victim queue
  std::int64_t move_task_ns = 0;         // moving one task between queues
  std::int64_t refill_same_llc_ns = 0;   // cache refill after a migration, by distance,
  std::int64_t refill_same_node_ns = 0;  //   for the full footprint of a task
  std::int64_t refill_remote_ns = 0;
  std::int64_t smt_slowdown_permille = 0;  // work lost while a sibling thread is busy
  // Of a virtual machine: a CPU that has been idle for so long has been taken off by the host, and
  // wakeups do not look upon it as available (Linux 4.18 and later). 0 = not so.
  std::int64_t idle_preempted_ns = 0;
  // Added at a switch to a task that its CPU's caches have forgotten: it executed there so long ago
  // that others did since, on another CPU, or never. One that comes from another CPU pays its
  // refill or this, whichever is more.
  std::int64_t cold_switch_ns = 0;
  // Added to mm_switch_ns where the CPU has forgotten the translations of that address space. A
  // refill has no part in it.
  std::int64_t cold_mm_switch_ns = 0;
  std::int64_t ipi_receive_ns = 0;  // what an interrupt takes from the CPU that it interrupts

  friend bool operator==(const CostTable&, const CostTable&) = default;
};

struct CostField {
  std::string_view name;
  std::int64_t CostTable::*member;
  // Left out of a scenario's digest where it is 0, so that those from before it stay as they are.
  bool is_added = false;
};

// Every field of CostTable under its name: the only list of them, which TOML, JSON and the wire
// use.
inline constexpr std::array kCostFields = {
    CostField{"context_switch_ns", &CostTable::context_switch_ns},
    CostField{"mm_switch_ns", &CostTable::mm_switch_ns},
    CostField{"wakeup_ns", &CostTable::wakeup_ns},
    CostField{"clock_read_ns", &CostTable::clock_read_ns},
    CostField{"ipi_ns", &CostTable::ipi_ns},
    CostField{"ipi_send_ns", &CostTable::ipi_send_ns},
    CostField{"idle_exit_ns", &CostTable::idle_exit_ns},
    CostField{"tick_ns", &CostTable::tick_ns},
    CostField{"queue_lock_ns", &CostTable::queue_lock_ns},
    CostField{"queue_lock_contended_ns", &CostTable::queue_lock_contended_ns},
    CostField{"probe_same_core_ns", &CostTable::probe_same_core_ns},
    CostField{"probe_same_llc_ns", &CostTable::probe_same_llc_ns},
    CostField{"probe_same_node_ns", &CostTable::probe_same_node_ns},
    CostField{"probe_remote_ns", &CostTable::probe_remote_ns},
    CostField{"balance_pass_ns", &CostTable::balance_pass_ns},
    CostField{"scan_task_ns", &CostTable::scan_task_ns},
    CostField{"move_task_ns", &CostTable::move_task_ns},
    CostField{"refill_same_llc_ns", &CostTable::refill_same_llc_ns},
    CostField{"refill_same_node_ns", &CostTable::refill_same_node_ns},
    CostField{"refill_remote_ns", &CostTable::refill_remote_ns},
    CostField{"smt_slowdown_permille", &CostTable::smt_slowdown_permille},
    CostField{"idle_preempted_ns", &CostTable::idle_preempted_ns},
    CostField{"cold_switch_ns", &CostTable::cold_switch_ns, true},
    CostField{"cold_mm_switch_ns", &CostTable::cold_mm_switch_ns, true},
    CostField{"ipi_receive_ns", &CostTable::ipi_receive_ns, true},
};

// A modelled machine: NUMA nodes > packages > LLCs > clusters > cores > CPUs, its costs and the
// settings of the kernel that runs on it. A package may also hold whole nodes.
struct Topology {
  std::string name;
  std::string description;
  std::vector<Cpu> cpus;                                  // by CPU number
  std::vector<std::vector<std::int32_t>> node_distances;  // SLIT units: 10 = local; square
  std::int32_t tick_hz = 250;                             // CONFIG_HZ
  // How often each CPU is woken by the kernel's own housekeeping (soft-lockup watchdog); 0 = never.
  std::int64_t housekeeping_period_ns = 4'000'000'000;
  CostTable costs;

  friend bool operator==(const Topology&, const Topology&) = default;
};

// The CPUs of a regular machine from a short text: "numa:2 package:1 l3:1 cluster:4 core:2 pu:2",
// outermost first, each word at most once, a missing word counts 1; without "cluster" every core is
// its own. "package" may stand before "numa": then a package holds several nodes. Fails with
// kInvalidArgument on an unknown word, a count below 1 or more than kMaxCpus CPUs.
Result<std::vector<Cpu>> CpusFromShape(std::string_view shape);

// The smallest distance between two nodes of `topology`; 0 where it has one node.
std::int32_t NearestNodeDistance(const Topology& topology);

// A cost between nodes that are `distance` apart (> 10), of which `same_node_ns` is the cost within
// a node and `remote_ns` that between nodes at `nearest` (NearestNodeDistance()): it grows linearly
// with (distance - 10) / (nearest - 10), rounded down. Thus 10 is same_node_ns, `nearest` is
// remote_ns; a cost that is smaller between nodes than within one does not depend on distance.
std::int64_t RemoteCost(std::int64_t same_node_ns, std::int64_t remote_ns, std::int32_t distance,
                        std::int32_t nearest);

// kInvalidArgument unless the indices of `topology` are dense from 0 and nest, its distance matrix
// is square, symmetric and 10 exactly on its diagonal, and every number is within its limits.
Status Validate(const Topology& topology);

}  // namespace schedlab
