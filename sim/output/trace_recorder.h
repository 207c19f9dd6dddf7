#pragma once

#include <cstdint>

#include "sim/observer.h"
#include "sim/output/sim_trace.h"

namespace schedlab::sim {

// Writes what it observes into a SimTrace, which must outlive it.
class TraceRecorder final : public Observer {
 public:
  explicit TraceRecorder(SimTrace& trace) : trace_(trace) {}

  void Switched(SimTime at, CpuNumber cpu, const Task* previous, const Task* next) override;
  void Woken(SimTime at, CpuNumber by, const Task* actor, const Task& task) override;
  void Created(SimTime at, CpuNumber by, const Task* actor, const Task& task) override;
  void Migrated(SimTime at, const Task& task, CpuNumber from, CpuNumber to) override;

 private:
  void Know(const Task& task) {
    if (task.index >= known_count_) KnowUpTo(task);
    if (trace_.tasks()[static_cast<std::size_t>(task.index)].name.empty()) Name(task);
  }
  void KnowUpTo(const Task& task);
  void Name(const Task& task);

  SimTrace& trace_;
  std::int32_t known_count_ = 0;
};

}  // namespace schedlab::sim
