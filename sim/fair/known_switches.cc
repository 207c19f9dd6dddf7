#include "sim/fair/switches.h"

namespace schedlab::sim::fair {
namespace {

template <auto Member>
void Set(Switches& switches, std::size_t value_index) {
  using Value = std::remove_reference_t<decltype(switches.*Member)>;
  switches.*Member = static_cast<Value>(value_index);
}

std::vector<KnownSwitch> TimeAndPicking() {
  return {
      {"tunable_scaling", {"log_cap8", "log_uncapped", "none"}, Set<&Switches::tunable_scaling>},
      {"tunable_base",
       {"from_2_6_36", "from_2_6_31", "from_2_6_32", "from_2_6_35"},
       Set<&Switches::tunable_base>},
      {"sleeper_credit", {"half", "full", "none"}, Set<&Switches::sleeper_credit>},
      {"child_runs_first", {"off", "on"}, Set<&Switches::child_runs_first>},
      {"wakeup_granularity", {"fixed", "adaptive"}, Set<&Switches::wakeup_granularity>},
      {"buddies", {"next_on_preemption", "last_only", "last_always"}, Set<&Switches::buddies>},
      {"pick", {"cfs", "eevdf"}, Set<&Switches::pick>},
      {"run_to_parity", {"on", "off"}, Set<&Switches::run_to_parity>},
      {"place_lag", {"on", "off"}, Set<&Switches::place_lag>},
      {"delay_dequeue", {"off", "on"}, Set<&Switches::delay_dequeue>},
      {"preempt_short", {"off", "on"}, Set<&Switches::preempt_short>},
      {"relative_deadline", {"off", "on"}, Set<&Switches::relative_deadline>},
  };
}

std::vector<KnownSwitch> Placement() {
  return {
      {"wake_affine", {"on", "off"}, Set<&Switches::wake_affine>},
      {"wake_affine_rule",
       {"load_or_less_than_a_task", "overlap_sync", "overlap_sync_loaded", "load", "same_cache",
        "idle_or_weight", "idle_or_weight_or_prev"},
       Set<&Switches::wake_affine_rule>},
      {"wake_wide", {"off", "on", "symmetric"}, Set<&Switches::wake_wide>},
      {"wake_slow_path",
       {"none", "passive_balance", "idlest_walk"},
       Set<&Switches::wake_slow_path>},
      {"prefer_local", {"off", "mc_and_cpu", "node"}, Set<&Switches::prefer_local>},
      {"wake_idle_search",
       {"llc_group_prevfirst", "none", "wake_idle_smt", "wake_idle_all", "prefer_sibling_unmasked",
        "prefer_sibling", "prefer_sibling_climbing", "llc_first", "llc_after_affine",
        "llc_idle_group", "sis_avg_cost", "sis_prop", "sis_one_scan", "sis_one_scan_smt",
        "sis_util"},
       Set<&Switches::wake_idle_search>},
      {"llc_domain_pointer", {"correct", "parent_of_llc"}, Set<&Switches::llc_domain_pointer>},
      {"wake_recent_cpu", {"off", "on"}, Set<&Switches::wake_recent_cpu>},
      {"wake_kthread_stays", {"off", "on"}, Set<&Switches::wake_kthread_stays>},
      {"sched_idle_cpus", {"busy", "idle"}, Set<&Switches::sched_idle_cpus>},
      {"idlest_group_rule",
       {"average_load", "spare_capacity", "group_types"},
       Set<&Switches::idlest_group_rule>},
      {"idlest_cpu_rule", {"least_load", "idle_first"}, Set<&Switches::idlest_cpu_rule>},
      {"remote_wakeup", {"immediate", "wake_list", "source_lock"}, Set<&Switches::remote_wakeup>},
      {"clock_reads_per_wakeup",
       {"one", "two_if_moved", "two"},
       Set<&Switches::clock_reads_per_wakeup>},
  };
}

std::vector<KnownSwitch> Triggers() {
  return {
      {"newidle", {"on", "off"}, Set<&Switches::newidle>},
      {"newidle_levels", {"all", "smt_and_allnodes"}, Set<&Switches::newidle_levels>},
      {"newidle_gate",
       {"avg_idle", "avg_idle_and_domain_cost", "none", "avg_idle_from_zero", "domain_cost"},
       Set<&Switches::newidle_gate>},
      {"newidle_overload_check", {"off", "on"}, Set<&Switches::newidle_overload_check>},
      {"newidle_smt_early_stop", {"off", "on"}, Set<&Switches::newidle_smt_early_stop>},
      {"newidle_failures", {"uncounted", "counted"}, Set<&Switches::newidle_failures>},
      {"newidle_lock", {"dropped", "held"}, Set<&Switches::newidle_lock>},
      {"newidle_interval", {"lengthens", "kept", "untouched"}, Set<&Switches::newidle_interval>},
      {"avg_idle_update",
       {"long_idle_sets_cap", "averaged_then_capped"},
       Set<&Switches::avg_idle_update>},
      {"avg_idle_cap", {"fixed_1ms", "twice_max_newidle_cost"}, Set<&Switches::avg_idle_cap>},
      {"newidle_cost_decay", {"none", "253_of_256_per_second"}, Set<&Switches::newidle_cost_decay>},
      {"nohz_kick", {"on", "off"}, Set<&Switches::nohz_kick>},
      {"nohz_balancer", {"kicked", "owner"}, Set<&Switches::nohz_balancer>},
      {"nohz_busy_count",
       {"every_level", "llc_parent", "first_two_kickers", "llc_shared"},
       Set<&Switches::nohz_busy_count>},
      {"nohz_kick_target", {"first_of_mask", "first_idle"}, Set<&Switches::nohz_kick_target>},
  };
}

std::vector<KnownSwitch> BusiestGroup() {
  return {
      {"domain_constants",
       {"from_3_6", "from_2_6_31", "from_2_6_32", "from_3_16", "from_5_10"},
       Set<&Switches::domain_constants>},
      {"prefer_sibling",
       {"cpu_level", "none", "mc_and_cpu", "smt_and_cpu", "all_but_numa"},
       Set<&Switches::prefer_sibling>},
      {"local_room_rule", {"forces_newidle", "none"}, Set<&Switches::local_room_rule>},
      {"group_capacity",
       {"rounded_power", "capped_by_cores", "utilization", "one_where_shared"},
       Set<&Switches::group_capacity>},
      {"classification",
       {"average_load", "type_then_load", "group_types", "group_types_runnable",
        "group_types_local_average"},
       Set<&Switches::classification>},
      {"numa_imbalance", {"none", "two_tasks", "per_llc"}, Set<&Switches::numa_imbalance>},
      {"asym_capacity", {"ignored", "misfit"}, Set<&Switches::asym_capacity>},
      {"election",
       {"correct", "inverted", "least_loaded", "idle_core_first"},
       Set<&Switches::election>},
      {"idle_rule",
       {"local_le_busiest_plus_1", "local_lt_busiest", "pct_test"},
       Set<&Switches::idle_rule>},
      {"imbalance_amount", {"above_capacity", "above_one_task"}, Set<&Switches::imbalance_amount>},
      {"imbalance_small_rule",
       {"below_average", "at_average_or_local_above"},
       Set<&Switches::imbalance_small_rule>},
      {"small_rule_underflow", {"wraps", "none"}, Set<&Switches::small_rule_underflow>},
      {"group_imb_rule",
       {"spread", "affinity_flag", "power_scaled_spread", "task_spread"},
       Set<&Switches::group_imb_rule>},
  };
}

std::vector<KnownSwitch> Pulling() {
  return {
      {"pull_list",
       {"per_cpu_head", "per_group", "per_cpu_tail", "per_cpu_recent"},
       Set<&Switches::pull_list>},
      {"pull_bound",
       {"min_32_nr_running", "33_per_list", "nr_running"},
       Set<&Switches::pull_bound>},
      {"pull_break", {"continue", "redo", "redo_3_times", "none"}, Set<&Switches::pull_break>},
      {"pull_size_test", {"half_load", "double_load"}, Set<&Switches::pull_size_test>},
      {"small_task_filter", {"off", "on"}, Set<&Switches::small_task_filter>},
      {"abort_as_balanced", {"off", "on"}, Set<&Switches::abort_as_balanced>},
      {"all_pinned_rule", {"affinity_first", "filters_first"}, Set<&Switches::all_pinned_rule>},
      {"pinned_retry", {"group_cpus", "none"}, Set<&Switches::pinned_retry>},
      {"pull_locking", {"both_queues", "detach_attach"}, Set<&Switches::pull_locking>},
      {"cache_hot", {"on", "off"}, Set<&Switches::cache_hot>},
      {"preemption", {"voluntary", "full"}, Set<&Switches::preemption>},
  };
}

std::vector<KnownSwitch> LoadsAndGroups() {
  return {
      {"load_view", {"pelt_runnable", "weight", "pelt_all"}, Set<&Switches::load_view>},
      {"bias_mode", {"history", "none", "pct_on_target", "pct_once"}, Set<&Switches::bias_mode>},
      {"bias_percent", {"of_level", "100", "112", "125", "156"}, Set<&Switches::bias_percent>},
      {"group_task_load", {"zero_in_group", "hierarchical"}, Set<&Switches::group_task_load>},
      {"group_shares", {"pelt", "lazy_10ms", "rate_limited"}, Set<&Switches::group_shares>},
      {"offline_group_load", {"kept", "forgotten"}, Set<&Switches::offline_group_load>},
      {"h_load_refresh",
       {"before_pull", "under_locks", "under_locks_first_visit", "per_task"},
       Set<&Switches::h_load_refresh>},
      {"capacity_model", {"halved_average", "pelt"}, Set<&Switches::capacity_model>},
      {"autogroup", {"off", "on"}, Set<&Switches::autogroup>},
      {"bandwidth", {"expiring_slices", "none", "kept_slices"}, Set<&Switches::bandwidth>},
      {"rt_throttling", {"throttled", "fair_server", "off"}, Set<&Switches::rt_throttling>},
      {"rt_runtime_sharing", {"on", "off"}, Set<&Switches::rt_runtime_sharing>},
      {"deadline_class", {"on", "off"}, Set<&Switches::deadline_class>},
      {"deadline_enforcement", {"tick", "exact"}, Set<&Switches::deadline_enforcement>},
  };
}

std::vector<KnownSwitch> Bugs() {
  return {
      {"group_load_measure", {"average", "minimum"}, Set<&Switches::group_load_measure>},
      {"numa_groups", {"first_cpu", "own_cpu"}, Set<&Switches::numa_groups>},
      {"wakeup_fallback", {"none", "longest_idle"}, Set<&Switches::wakeup_fallback>},
      {"hotplug_domains", {"rebuilt", "without_numa"}, Set<&Switches::hotplug_domains>},
  };
}

std::vector<KnownSwitch> All() {
  std::vector<KnownSwitch> all;
  for (const auto& part : {TimeAndPicking(), Placement(), Triggers(), BusiestGroup(), Pulling(),
                           LoadsAndGroups(), Bugs()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace

std::span<const KnownSwitch> KnownSwitches() {
  static const std::vector<KnownSwitch> kKnown = All();
  return kKnown;
}

}  // namespace schedlab::sim::fair
