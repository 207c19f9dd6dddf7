#include "measure/cost_derivation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace schedlab::measure {
namespace {

struct Term {
  std::string_view name;
  Spread Measurements::*member;
  int sign;
};

struct Rule {
  std::int64_t CostTable::*cost;
  std::vector<Term> terms;
};

using C = CostTable;
using M = Measurements;

// A wakeup and a switch each take the queue lock once, which is a cost of its own. What a hand-over
// takes beyond its system calls and the wakeup is the switch. In a ring it is a cold one, and the
// pipes are cold too, which is no part of it. Latencies differ by nothing but where the sleeper is:
// with an interrupt to another CPU, on its way and taken, and with that CPU idle on top.
const std::vector<Rule>& Rules() {
  static const std::vector<Rule> rules = {
      {&C::context_switch_ns,
       {{"handoff_threads", &M::handoff_threads, 1},
        {"pipe_exchange_1", &M::pipe_exchange_1, -1},
        {"wake_same_cpu", &M::wake_same_cpu, -1},
        {"wake_nobody", &M::wake_nobody, 1},
        {"lock_free", &M::lock_free, -1}}},
      {&C::mm_switch_ns,
       {{"handoff_processes", &M::handoff_processes, 1},
        {"handoff_threads", &M::handoff_threads, -1}}},
      {&C::cold_switch_ns,
       {{"handoff_ring_threads", &M::handoff_ring_threads, 1},
        {"handoff_threads", &M::handoff_threads, -1},
        {"pipe_exchange_1_ring", &M::pipe_exchange_1_ring, -1},
        {"pipe_exchange_1", &M::pipe_exchange_1, 1}}},
      {&C::cold_mm_switch_ns,
       {{"handoff_ring_processes", &M::handoff_ring_processes, 1},
        {"handoff_processes", &M::handoff_processes, -1},
        {"handoff_ring_threads", &M::handoff_ring_threads, -1},
        {"handoff_threads", &M::handoff_threads, 1}}},
      {&C::wakeup_ns,
       {{"wake_same_cpu", &M::wake_same_cpu, 1},
        {"wake_nobody", &M::wake_nobody, -1},
        {"lock_free", &M::lock_free, -1}}},
      {&C::clock_read_ns, {{"clock_read", &M::clock_read, 1}}},
      {&C::ipi_ns,
       {{"latency_busy_cpu", &M::latency_busy_cpu, 1},
        {"latency_same_cpu", &M::latency_same_cpu, -1},
        {"interrupt_taken", &M::interrupt_taken, -1}}},
      {&C::ipi_receive_ns, {{"interrupt_taken", &M::interrupt_taken, 1}}},
      {&C::ipi_send_ns,
       {{"wake_idle_cpu", &M::wake_idle_cpu, 1}, {"wake_same_cpu", &M::wake_same_cpu, -1}}},
      {&C::idle_exit_ns,
       {{"latency_idle_20us", &M::latency_idle_20us, 1},
        {"latency_busy_cpu", &M::latency_busy_cpu, -1}}},
      {&C::tick_ns, {{"tick", &M::tick, 1}}},
      {&C::queue_lock_ns, {{"lock_free", &M::lock_free, 1}}},
      {&C::queue_lock_contended_ns,
       {{"lock_contended", &M::lock_contended, 1}, {"lock_free", &M::lock_free, -1}}},
      {&C::probe_same_core_ns, {{"line_same_core", &M::line_same_core, 1}}},
      {&C::probe_same_llc_ns, {{"line_same_llc", &M::line_same_llc, 1}}},
      {&C::probe_same_node_ns, {{"line_same_node", &M::line_same_node, 1}}},
      {&C::probe_remote_ns, {{"line_remote", &M::line_remote, 1}}},
      {&C::move_task_ns, {{"queue_move", &M::queue_move, 1}}},
      {&C::refill_same_llc_ns, {{"refill_same_llc", &M::refill_same_llc, 1}}},
      {&C::refill_same_node_ns, {{"refill_same_node", &M::refill_same_node, 1}}},
      {&C::refill_remote_ns, {{"refill_remote", &M::refill_remote, 1}}},
      {&C::smt_slowdown_permille,
       {{"sibling_slowdown_permille", &M::sibling_slowdown_permille, 1}}},
  };
  return rules;
}

struct Choice {
  Spread Measurements::*permille;
  std::int64_t idle_ns;
};

constexpr std::array kChoices = {
    Choice{&M::idle_choice_10us_permille, 10'000},
    Choice{&M::idle_choice_100us_permille, 100'000},
    Choice{&M::idle_choice_1ms_permille, 1'000'000},
    Choice{&M::idle_choice_10ms_permille, 10'000'000},
};

// The shortest idleness from which on most wakeups leave a CPU alone; 0 where there is none. One
// that longer idleness contradicts says that something else was running.
std::int64_t IdlePreempted(const Measurements& measured) {
  std::int64_t idle_ns = 0;
  for (auto choice = kChoices.rbegin(); choice != kChoices.rend(); ++choice) {
    if ((measured.*choice->permille).median >= 500) break;
    idle_ns = choice->idle_ns;
  }
  return idle_ns;
}

const Rule* RuleOf(const CostField& field) {
  const auto found = std::find_if(Rules().begin(), Rules().end(),
                                  [&](const Rule& rule) { return rule.cost == field.member; });
  return found == Rules().end() ? nullptr : &*found;
}

bool IsMeasured(const Rule& rule, const Measurements& measured) {
  return std::all_of(rule.terms.begin(), rule.terms.end(),
                     [&](const Term& term) { return (measured.*term.member).is_measured(); });
}

std::int64_t ValueOf(const Rule& rule, const Measurements& measured) {
  double sum = 0;
  for (const Term& term : rule.terms) sum += term.sign * (measured.*term.member).median;
  return std::max<std::int64_t>(0, std::llround(sum));
}

std::string FormulaOf(const Rule& rule) {
  std::string text;
  for (const Term& term : rule.terms) {
    if (!text.empty()) text += term.sign > 0 ? " + " : " - ";
    text += term.name;
  }
  return text;
}

}  // namespace

DerivedCosts DeriveCosts(const Measurements& measured, const CostTable& base) {
  DerivedCosts derived{.costs = base, .sources = {}};
  for (const CostField& field : kCostFields) {
    if (field.member == &CostTable::idle_preempted_ns) {
      const bool is_known = measured.idle_choice_10ms_permille.is_measured();
      if (is_known) derived.costs.idle_preempted_ns = IdlePreempted(measured);
      derived.sources.push_back(
          {.name = field.name,
           .formula = is_known ? "the first idle_choice from which on all are below 500" : "",
           .is_measured = is_known});
      continue;
    }
    const Rule* const rule = RuleOf(field);
    const bool is_measured = rule != nullptr && IsMeasured(*rule, measured);
    if (is_measured) derived.costs.*field.member = ValueOf(*rule, measured);
    derived.sources.push_back({.name = field.name,
                               .formula = is_measured ? FormulaOf(*rule) : "",
                               .is_measured = is_measured});
  }
  return derived;
}

}  // namespace schedlab::measure
