#include "sim/linux/fair_server.h"

namespace schedlab::sim::linux {

FairServer::FairServer(Machine& machine, FairServerMode mode)
    : machine_(machine), mode_(mode), cpus_(static_cast<std::size_t>(machine.cpu_count())) {
  if (mode_ == FairServerMode::kOff) return;
  for (CpuNumber cpu = 0; cpu < machine.cpu_count(); ++cpu) {
    At(cpu).timer = machine.AddPolicyTimer(cpu);
  }
}

void FairServer::SetNeeded(CpuNumber cpu, bool is_needed) {
  if (mode_ == FairServerMode::kOff) return;
  PerCpu& own = At(cpu);
  if (!is_needed && own.state != State::kStopped) {
    own.state = State::kStopped;
    machine_.DisarmPolicyTimer(own.timer);
  } else if (is_needed && own.state == State::kStopped) {
    Defer(own);
  }
}

// A period begins. The timer is set to when nothing but serving can keep the promise.
void FairServer::Defer(PerCpu& own) {
  own.state = State::kDeferred;
  own.runtime_left = kFairServerRuntime;
  own.deadline = machine_.now() + kFairServerPeriod;
  machine_.ArmPolicyTimer(own.timer, own.deadline - own.runtime_left);
}

void FairServer::Serve(PerCpu& own) {
  own.state = State::kServing;
  ++served_count_;
}

bool FairServer::FairRan(CpuNumber cpu, SimDuration duration) {
  if (mode_ == FairServerMode::kOff || duration <= SimDuration{0}) return false;
  PerCpu& own = At(cpu);
  own.runtime_left -= duration;
  switch (own.state) {
    case State::kStopped:
      return false;
    case State::kDeferred:
      if (own.runtime_left <= SimDuration{0}) Defer(own);
      return false;
    case State::kThrottled:
      // They run without its help: nobody starves any more.
      Defer(own);
      return false;
    case State::kServing:
      break;
  }
  if (own.runtime_left > SimDuration{0}) return false;
  if (own.deadline <= machine_.now()) {
    own.deadline += kFairServerPeriod;
    own.runtime_left += kFairServerRuntime;
    return false;
  }
  own.state = State::kThrottled;
  machine_.ArmPolicyTimer(own.timer, own.deadline);
  return true;
}

bool FairServer::TimerFired(CpuNumber cpu, std::int32_t timer) {
  if (mode_ == FairServerMode::kOff) return false;
  const CpuNumber served = machine_.CpuOfPolicyTimer(timer);
  PerCpu& own = At(served);
  if (own.timer != timer) return false;
  if (own.state == State::kDeferred) {
    const SimTime latest = own.deadline - own.runtime_left;
    if (machine_.now() < latest) {
      machine_.ArmPolicyTimer(timer, latest);
      return true;
    }
    Serve(own);
  } else if (own.state == State::kThrottled) {
    own.deadline += kFairServerPeriod;
    own.runtime_left += kFairServerRuntime;
    Serve(own);
  }
  machine_.RequestReschedule(served, cpu);
  return true;
}

}  // namespace schedlab::sim::linux
