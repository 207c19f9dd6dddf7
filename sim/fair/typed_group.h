#pragma once

#include <cstdint>
#include <optional>

#include "sim/fair/group_types.h"

namespace schedlab::sim::fair {

// A group as a pass sees it under the rules of group types. What its CPUs were doing on average is
// read only where a rule asks for it: numbers of tasks decide most passes.
class TypedGroup {
 public:
  TypedGroup() = default;  // stands for no group
  TypedGroup(const State& state, const Pass& pass, const Group& group);

  const Group* group() const { return group_; }
  GroupType type() const { return type_; }
  std::int64_t cpu_count() const { return facts_.cpu_count; }
  std::int64_t power() const { return facts_.power; }
  std::int64_t running_count() const { return facts_.running_count; }  // tasks of every class
  std::int64_t task_count() const { return task_count_; }              // of the fair class
  std::int64_t idle_cpus() const { return idle_cpus_; }
  std::int64_t misfit_load() const { return facts_.misfit_load; }

  // Requires: it stands for a group, and nothing has changed since the pass has begun.
  std::int64_t Util(const State& state, const Pass& pass);
  std::int64_t Load(const State& state, const Pass& pass);
  // Scaled to its power.
  std::uint64_t AverageLoad(const State& state, const Pass& pass);

 private:
  void Count(const State& state, const Pass& pass);
  void ReadMisfits(const State& state, const Pass& pass);
  void ReadAverages(const State& state, const Pass& pass);

  const Group* group_ = nullptr;
  GroupFacts facts_;
  bool has_averages_ = false;  // in `facts_`
  GroupType type_ = GroupType::kHasSpare;
  std::int64_t task_count_ = 0;
  std::int64_t idle_cpus_ = 0;
  std::optional<std::int64_t> load_;
};

}  // namespace schedlab::sim::fair
