#include "sim/fair/typed_group.h"

namespace schedlab::sim::fair {
namespace {

constexpr std::int64_t kFullPower = 1024;

bool IsLocal(const Pass& pass, const Group& group) { return group.set.Contains(pass.cpu); }

// Most rules ask only what an earlier pass has left behind.
bool IsImbalanced(const State& state, const Pass& pass, const Group& group) {
  if (state.switches.group_imb_rule == GroupImbRule::kAffinityFlag) {
    return group.has_affinity_imbalance && pass.candidates.Intersects(group.set);
  }
  return MeasureGroup(state, pass, group, IsLocal(pass, group)).is_imbalanced;
}

}  // namespace

TypedGroup::TypedGroup(const State& state, const Pass& pass, const Group& group) : group_(&group) {
  Count(state, pass);
  ReadMisfits(state, pass);
  facts_.cpu_count = static_cast<std::int64_t>(group.cpus.size());
  facts_.power = group.power;
  facts_.is_imbalanced = IsImbalanced(state, pass, group);
  if (DependsOnAverages(facts_)) ReadAverages(state, pass);
  type_ = TypeOf(state, facts_, DomainOf(state, pass).parameters.imbalance_pct);
}

// Calls nothing in its loop and adds up in variables of its own, so that all of it stays in
// registers.
void TypedGroup::Count(const State& state, const Pass& pass) {
  const CpuSet& candidates = pass.candidates;
  std::int64_t running_count = 0;
  std::int64_t task_count = 0;
  std::int64_t idle_cpus = 0;
  for (const CpuNumber cpu : group_->cpus) {
    if (!candidates.Contains(cpu)) continue;
    const std::int32_t running = state.RunnableCount(cpu);
    running_count += running;
    task_count += state.TaskCount(cpu);
    if (running == 0 && state.IsIdleCpu(cpu)) ++idle_cpus;
  }
  facts_.running_count = running_count;
  task_count_ = task_count;
  idle_cpus_ = idle_cpus;
}

void TypedGroup::ReadMisfits(const State& state, const Pass& pass) {
  const FactsReader reader(state);
  if (!reader.looks_for_misfits()) return;
  for (const CpuNumber cpu : group_->cpus) {
    if (pass.candidates.Contains(cpu)) reader.AddMisfit(cpu, facts_);
  }
}

void TypedGroup::ReadAverages(const State& state, const Pass& pass) {
  const FactsReader reader(state);
  const CpuSet& candidates = pass.candidates;
  GroupFacts facts;
  std::int64_t load = 0;
  for (const CpuNumber cpu : group_->cpus) {
    if (candidates.Contains(cpu)) load += reader.AddAverages(cpu, facts).load;
  }
  facts_.util = facts.util;
  facts_.runnable = facts.runnable;
  if (GroupLoadIsPlain(state)) load_ = load;
  has_averages_ = true;
}

std::int64_t TypedGroup::Util(const State& state, const Pass& pass) {
  if (!has_averages_) ReadAverages(state, pass);
  return facts_.util;
}

std::int64_t TypedGroup::Load(const State& state, const Pass& pass) {
  if (!load_) load_ = GroupLoadSum(state, pass, *group_, IsLocal(pass, *group_));
  return *load_;
}

std::uint64_t TypedGroup::AverageLoad(const State& state, const Pass& pass) {
  return static_cast<std::uint64_t>(Load(state, pass) * kFullPower) /
         static_cast<std::uint64_t>(facts_.power);
}

}  // namespace schedlab::sim::fair
