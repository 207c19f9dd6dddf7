#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/fair/group_load.h"
#include "sim/fair/load.h"

namespace schedlab::sim::fair {

// The family of rules that ranks groups by what they lack: Linux 5.5 and later.

// Ascending: from the higher to the lower one tasks are moved.
enum class GroupType : std::uint8_t { kHasSpare, kFullyBusy, kMisfit, kImbalanced, kOverloaded };

bool HasGroupTypes(Classification classification);

// What the type of a group follows from.
struct GroupFacts {
  std::int64_t cpu_count = 0;
  std::int64_t running_count = 0;  // tasks of every class
  std::int64_t power = 0;          // 1024 = one undisturbed CPU
  std::int64_t util = 0;
  std::int64_t runnable = 0;
  std::int64_t misfit_load = 0;  // of the heaviest task that its CPU is too small for
  bool is_imbalanced = false;
};
GroupType TypeOf(const State& state, const GroupFacts& facts, std::int64_t percent);
// Whether that asks for `util` and `runnable`: with fewer tasks than CPUs nothing does.
inline bool DependsOnAverages(const GroupFacts& facts) {
  return facts.running_count >= facts.cpu_count;
}

// A group with more tasks than CPUs and less capacity than these ask for; one with fewer, or with
// some left.
bool IsOverloaded(const State& state, const GroupFacts& facts, std::int64_t percent);
bool HasSpare(const State& state, const GroupFacts& facts, std::int64_t percent);

// The load of the heaviest such task of `cpu`, 0 where there is none.
std::int64_t MisfitLoad(const State& state, CpuNumber cpu);

// Adds what is queued on CPUs to facts. For scans of many CPUs: the rules are looked up once.
class FactsReader {
 public:
  explicit FactsReader(const State& state);

  void Add(CpuNumber cpu, GroupFacts& facts) const {
    facts.running_count += state_.RunnableCount(cpu);
    AddAverages(cpu, facts);
    AddMisfit(cpu, facts);
  }
  // Parts of Add(), for whoever does not need all of it.
  bool looks_for_misfits() const { return looks_for_misfits_; }
  void AddMisfit(CpuNumber cpu, GroupFacts& facts) const {
    if (!looks_for_misfits_) return;
    facts.misfit_load = std::max(facts.misfit_load, MisfitLoad(state_, cpu));
  }
  QueueAverages AddAverages(CpuNumber cpu, GroupFacts& facts) const {
    const QueueAverages averages = AveragesOf(state_, cpu);
    facts.util += std::min(averages.util, kFullUtil);
    if (counts_runnable_) facts.runnable += averages.runnable;
    return averages;
  }

 private:
  static constexpr std::int32_t kFullUtil = 1024;

  const State& state_;
  const bool counts_runnable_;
  const bool looks_for_misfits_;
};

// Whether this imbalance between two nodes, in tasks, is none yet.
struct NumaView {
  CpuNumber cpu = 0;
  const Domain* domain = nullptr;
  std::int64_t imbalance = 0;
  std::int64_t arriving_count = 0;  // tasks that the local node would have
  std::int64_t busiest_count = 0;   // tasks of the busiest node, of so many CPUs
  std::int64_t busiest_cpu_count = 0;
};
bool NumaAllows(const State& state, const NumaView& view);

// What a pass finds to be done.
struct TypedPlan {
  const Group* busiest = nullptr;  // null: nothing
  std::int64_t imbalance = 0;
  MoveUnit unit = MoveUnit::kLoad;
  bool has_tasks = false;  // any CPU of the domain
};
TypedPlan PlanByTypes(const State& state, const Pass& pass);

// The queue of the busiest group that has most of what the pass is to move, or kNoCpu.
CpuNumber BusiestQueueByUnit(const State& state, const Pass& pass, const Group& group);

// Whether the size of a task keeps it from being moved.
bool IsTooLarge(const State& state, const Pass& pass, const Task& task, std::int64_t load);
// By how much a task brings the pass nearer to its aim.
std::int64_t ShareOfImbalance(const Pass& pass, const Task& task, std::int64_t load);

// Whether a CPU is too small for a task.
bool IsMisfit(const State& state, const Task& task, CpuNumber cpu);

}  // namespace schedlab::sim::fair
