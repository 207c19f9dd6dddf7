#include "sim/fair/wake_list.h"

#include <algorithm>
#include <utility>

namespace schedlab::sim::fair {
namespace {

bool SharesCache(const State& state, CpuNumber a, CpuNumber b) {
  return state.machine.DistanceBetween(a, b) <= Distance::kSameLlc;
}

std::vector<Task*>& ListOf(State& state, CpuNumber cpu) {
  return state.balance.wake_lists[static_cast<std::size_t>(cpu)];
}

}  // namespace

bool GoesToWakeList(const State& state, CpuNumber by, CpuNumber cpu) {
  switch (state.switches.remote_wakeup) {
    case RemoteWakeup::kWakeList:
      return !SharesCache(state, by, cpu);
    case RemoteWakeup::kImmediate:
    case RemoteWakeup::kSourceLock:
      return false;
  }
  return false;
}

void PutOnWakeList(State& state, CpuNumber cpu, Task& task, CpuNumber by) {
  std::vector<Task*>& list = ListOf(state, cpu);
  task.cpu = cpu;
  list.push_back(&task);
  if (list.size() == 1) state.machine.SendIpi(cpu, by, IpiReason::kWakeups);
}

std::vector<Task*> TakeWakeList(State& state, CpuNumber cpu) {
  std::vector<Task*> tasks = std::exchange(ListOf(state, cpu), {});
  if (!tasks.empty()) state.machine.ChargeLock(cpu, cpu, 0);
  return tasks;
}

bool RemoveFromWakeList(State& state, Task& task) {
  std::vector<Task*>& list = ListOf(state, task.cpu);
  const auto found = std::find(list.begin(), list.end(), &task);
  if (found == list.end()) return false;
  list.erase(found);
  return true;
}

void ChargeWakeupLocks(State& state, CpuNumber by, CpuNumber previous, CpuNumber cpu) {
  switch (state.switches.remote_wakeup) {
    case RemoteWakeup::kImmediate:
    case RemoteWakeup::kWakeList:
      return;
    case RemoteWakeup::kSourceLock:
      state.machine.ChargeLock(by, previous, 0);
      if (!SharesCache(state, by, cpu)) state.machine.ChargeLock(by, cpu, 0);
      return;
  }
}

}  // namespace schedlab::sim::fair
