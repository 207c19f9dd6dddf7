#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/policy_spec.h"
#include "core/result.h"
#include "sim/linux/deadline_class.h"
#include "sim/linux/higher_classes.h"
#include "sim/linux/rt_bandwidth.h"

namespace schedlab::sim::fair {

// In each enumeration the first value is the default: the scheduler of Linux 3.11. What every value
// does is in docs/fair-switches.md.
enum class TunableScaling : std::uint8_t { kLogCap8, kLogUncapped, kNone };
enum class TunableBase : std::uint8_t { kFrom2636, kFrom2631, kFrom2632, kFrom2635 };
enum class SleeperCredit : std::uint8_t { kHalf, kFull, kNone };
enum class OffOn : std::uint8_t { kOff, kOn };
enum class WakeupGranularity : std::uint8_t { kFixed, kAdaptive };
enum class Buddies : std::uint8_t { kNextOnPreemption, kLastOnly, kLastAlways };
enum class Pick : std::uint8_t { kCfs, kEevdf };
enum class OnOff : std::uint8_t { kOn, kOff };
enum class WakeAffineRule : std::uint8_t {
  kLoadOrLessThanATask,
  kOverlapSync,
  kOverlapSyncLoaded,
  kLoad,
  kSameCache,
  kIdleOrWeight,
  kIdleOrWeightOrPrev
};
enum class WakeWide : std::uint8_t { kOff, kOn, kSymmetric };
enum class WakeSlowPath : std::uint8_t { kNone, kPassiveBalance, kIdlestWalk };
enum class PreferLocal : std::uint8_t { kOff, kMcAndCpu, kNode };
enum class WakeIdleSearch : std::uint8_t {
  kLlcGroupPrevfirst,
  kNone,
  kWakeIdleSmt,
  kWakeIdleAll,
  kPreferSiblingUnmasked,
  kPreferSibling,
  kPreferSiblingClimbing,
  kLlcFirst,
  kLlcAfterAffine,
  kLlcIdleGroup,
  kSisAvgCost,
  kSisProp,
  kSisOneScan,
  kSisOneScanSmt,
  kSisUtil
};
enum class LlcDomainPointer : std::uint8_t { kCorrect, kParentOfLlc };
enum class SchedIdleCpus : std::uint8_t { kBusy, kIdle };
enum class IdlestGroupRule : std::uint8_t { kAverageLoad, kSpareCapacity, kGroupTypes };
enum class IdlestCpuRule : std::uint8_t { kLeastLoad, kIdleFirst };
enum class RemoteWakeup : std::uint8_t { kImmediate, kWakeList, kSourceLock };
enum class ClockReadsPerWakeup : std::uint8_t { kOne, kTwoIfMoved, kTwo };
enum class NewidleLevels : std::uint8_t { kAll, kSmtAndAllnodes };
enum class NewidleGate : std::uint8_t {
  kAvgIdle,
  kAvgIdleAndDomainCost,
  kNone,
  kAvgIdleFromZero,
  kDomainCost
};
enum class NewidleFailures : std::uint8_t { kUncounted, kCounted };
enum class NewidleLock : std::uint8_t { kDropped, kHeld };
enum class NewidleInterval : std::uint8_t { kLengthens, kKept, kUntouched };
enum class AvgIdleUpdate : std::uint8_t { kLongIdleSetsCap, kAveragedThenCapped };
enum class AvgIdleCap : std::uint8_t { kFixed1ms, kTwiceMaxNewidleCost };
enum class NewidleCostDecay : std::uint8_t { kNone, k253Of256PerSecond };
enum class NohzBalancer : std::uint8_t { kKicked, kOwner };
enum class NohzBusyCount : std::uint8_t { kEveryLevel, kLlcParent, kFirstTwoKickers, kLlcShared };
enum class NohzKickTarget : std::uint8_t { kFirstOfMask, kFirstIdle };
enum class DomainConstants : std::uint8_t { kFrom36, kFrom2631, kFrom2632, kFrom316, kFrom510 };
enum class PreferSibling : std::uint8_t { kCpuLevel, kNone, kMcAndCpu, kSmtAndCpu, kAllButNuma };
enum class LocalRoomRule : std::uint8_t { kForcesNewidle, kNone };
enum class GroupCapacity : std::uint8_t {
  kRoundedPower,
  kCappedByCores,
  kUtilization,
  kOneWhereShared
};
enum class Classification : std::uint8_t {
  kAverageLoad,
  kTypeThenLoad,
  kGroupTypes,
  kGroupTypesRunnable,
  kGroupTypesLocalAverage
};
enum class NumaImbalance : std::uint8_t { kNone, kTwoTasks, kPerLlc };
enum class AsymCapacity : std::uint8_t { kIgnored, kMisfit };
enum class Election : std::uint8_t { kCorrect, kInverted, kLeastLoaded, kIdleCoreFirst };
enum class IdleRule : std::uint8_t { kLocalLeBusiestPlus1, kLocalLtBusiest, kPctTest };
enum class ImbalanceAmount : std::uint8_t { kAboveCapacity, kAboveOneTask };
enum class ImbalanceSmallRule : std::uint8_t { kBelowAverage, kAtAverageOrLocalAbove };
enum class SmallRuleUnderflow : std::uint8_t { kWraps, kNone };
enum class GroupImbRule : std::uint8_t { kSpread, kAffinityFlag, kPowerScaledSpread, kTaskSpread };
enum class PullList : std::uint8_t { kPerCpuHead, kPerGroup, kPerCpuTail, kPerCpuRecent };
enum class PullBound : std::uint8_t { kMin32NrRunning, k33PerList, kNrRunning };
enum class PullBreak : std::uint8_t { kContinue, kRedo, kRedo3Times, kNone };
enum class PullSizeTest : std::uint8_t { kHalfLoad, kDoubleLoad };
enum class AllPinnedRule : std::uint8_t { kAffinityFirst, kFiltersFirst };
enum class PinnedRetry : std::uint8_t { kGroupCpus, kNone };
enum class PullLocking : std::uint8_t { kBothQueues, kDetachAttach };
enum class Preemption : std::uint8_t { kVoluntary, kFull };
enum class LoadView : std::uint8_t { kPeltRunnable, kWeight, kPeltAll };
enum class BiasMode : std::uint8_t { kHistory, kNone, kPctOnTarget, kPctOnce };
enum class BiasPercent : std::uint8_t { kOfLevel, k100, k112, k125, k156 };
enum class GroupTaskLoad : std::uint8_t { kZeroInGroup, kHierarchical };
enum class GroupShares : std::uint8_t { kPelt, kLazy10ms, kRateLimited };
enum class OfflineGroupLoad : std::uint8_t { kKept, kForgotten };
enum class HLoadRefresh : std::uint8_t {
  kBeforePull,
  kUnderLocks,
  kUnderLocksFirstVisit,
  kPerTask
};
enum class Bandwidth : std::uint8_t { kExpiringSlices, kNone, kKeptSlices };
enum class RtThrottling : std::uint8_t { kThrottled, kFairServer, kOff };
enum class GroupLoadMeasure : std::uint8_t { kAverage, kMinimum };
enum class NumaGroups : std::uint8_t { kFirstCpu, kOwnCpu };
enum class WakeupFallback : std::uint8_t { kNone, kLongestIdle };
enum class HotplugDomains : std::uint8_t { kRebuilt, kWithoutNuma };

// What revisions of the Linux fair class differ in, plus what can be taken out to see what it does.
struct Switches {
  // Time and picking.
  TunableScaling tunable_scaling{};
  TunableBase tunable_base{};
  SleeperCredit sleeper_credit{};
  OffOn child_runs_first{};
  WakeupGranularity wakeup_granularity{};
  Buddies buddies{};
  Pick pick{};
  OnOff run_to_parity{};
  OnOff place_lag{};
  OffOn delay_dequeue{};
  OffOn preempt_short{};
  OffOn relative_deadline{};

  // Wakeups and placement.
  OnOff wake_affine{};
  WakeAffineRule wake_affine_rule{};
  WakeWide wake_wide{};
  WakeSlowPath wake_slow_path{};
  PreferLocal prefer_local{};
  WakeIdleSearch wake_idle_search{};
  LlcDomainPointer llc_domain_pointer{};
  OffOn wake_recent_cpu{};
  OffOn wake_kthread_stays{};
  SchedIdleCpus sched_idle_cpus{};
  IdlestGroupRule idlest_group_rule{};
  IdlestCpuRule idlest_cpu_rule{};
  RemoteWakeup remote_wakeup{};
  ClockReadsPerWakeup clock_reads_per_wakeup{};

  // Triggers of balancing.
  OnOff newidle{};
  NewidleLevels newidle_levels{};
  NewidleGate newidle_gate{};
  OffOn newidle_overload_check{};
  OffOn newidle_smt_early_stop{};
  NewidleFailures newidle_failures{};
  NewidleLock newidle_lock{};
  NewidleInterval newidle_interval{};
  AvgIdleUpdate avg_idle_update{};
  AvgIdleCap avg_idle_cap{};
  NewidleCostDecay newidle_cost_decay{};
  OnOff nohz_kick{};
  NohzBalancer nohz_balancer{};
  NohzBusyCount nohz_busy_count{};
  NohzKickTarget nohz_kick_target{};

  // Domains and the busiest group.
  DomainConstants domain_constants{};
  PreferSibling prefer_sibling{};
  LocalRoomRule local_room_rule{};
  GroupCapacity group_capacity{};
  Classification classification{};
  NumaImbalance numa_imbalance{};
  AsymCapacity asym_capacity{};
  Election election{};
  IdleRule idle_rule{};
  ImbalanceAmount imbalance_amount{};
  ImbalanceSmallRule imbalance_small_rule{};
  SmallRuleUnderflow small_rule_underflow{};
  GroupImbRule group_imb_rule{};

  // Pulling.
  PullList pull_list{};
  PullBound pull_bound{};
  PullBreak pull_break{};
  PullSizeTest pull_size_test{};
  OffOn small_task_filter{};
  OffOn abort_as_balanced{};
  AllPinnedRule all_pinned_rule{};
  PinnedRetry pinned_retry{};
  PullLocking pull_locking{};
  OnOff cache_hot{};
  Preemption preemption{};

  // Loads and groups.
  LoadView load_view{};
  BiasMode bias_mode{};
  BiasPercent bias_percent{};
  GroupTaskLoad group_task_load{};
  GroupShares group_shares{};
  OfflineGroupLoad offline_group_load{};
  HLoadRefresh h_load_refresh{};
  linux::CapacityModel capacity_model{};
  OffOn autogroup{};
  Bandwidth bandwidth{};
  RtThrottling rt_throttling{};
  linux::RtRuntimeSharing rt_runtime_sharing{};
  OnOff deadline_class{};
  linux::DeadlineEnforcement deadline_enforcement{};

  // Bugs to see, and what is not of one version.
  GroupLoadMeasure group_load_measure{};
  NumaGroups numa_groups{};
  WakeupFallback wakeup_fallback{};
  HotplugDomains hotplug_domains{};
};

// A switch as a PolicySpec names it. values[0] is the default.
struct KnownSwitch {
  std::string_view name;
  std::vector<std::string_view> values;
  void (*set)(Switches& switches, std::size_t value_index);
};

// Every switch that there is.
std::span<const KnownSwitch> KnownSwitches();

// kInvalidArgument with the known names where a switch or a value is unknown.
Result<Switches> ParseSwitches(const PolicySpec& spec);

}  // namespace schedlab::sim::fair
