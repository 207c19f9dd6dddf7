#include "sim/workloads/scripted.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace schedlab::sim {

Scripted::Scripted(std::vector<ScriptedTask> script)
    : script_(std::move(script)), progress_(script_.size()) {
  for (const ScriptedTask& task : script_) {
    const bool can_pause =
        std::any_of(task.steps.begin(), task.steps.end(),
                    [](const ScriptStep& step) { return step.kind != ScriptStep::Kind::kWake; });
    SCHEDLAB_CHECK(can_pause);
    for (const ScriptStep& step : task.steps) SCHEDLAB_CHECK(step.target < script_.size());
  }
}

TaskDemand Scripted::Demand() const {
  return {.count = static_cast<std::int64_t>(script_.size()), .reason = "as the script says"};
}

void Scripted::Start(Kernel& kernel) {
  for (std::size_t i = 0; i < script_.size(); ++i) {
    const ScriptedTask& scripted = script_[i];
    const auto number = static_cast<std::int32_t>(i);
    Task& task = scripted.cpus.empty() ? kernel.AddTask(scripted.name, 0, number)
                                       : kernel.AddTaskOn(scripted.name, scripted.cpus, 0, number);
    kernel.SetNice(task, scripted.nice);
    progress_[i].task = &task;
    // The timer numbers are the tasks'.
    kernel.AddTimer(scripted.start_cpu == kNoCpu ? 0 : scripted.start_cpu);
    if (scripted.arrival > SimDuration{0}) {
      kernel.ArmTimer(number, SimTime(scripted.arrival));
    } else {
      Arrive(kernel, i);
    }
  }
}

Step Scripted::Next(Kernel& kernel, Task& task) {
  Progress& progress = progress_[static_cast<std::size_t>(task.number)];
  const ScriptedTask& scripted = script_[static_cast<std::size_t>(task.number)];
  while (true) {
    if (progress.next_step == scripted.steps.size()) {
      progress.next_step = 0;
      if (++progress.repeats_done == scripted.repeat_count) return Step::Exit();
    }
    const ScriptStep& step = scripted.steps[progress.next_step++];
    switch (step.kind) {
      case ScriptStep::Kind::kRun:
        return Step::Run(step.duration);
      case ScriptStep::Kind::kSleep:
        return Step::Sleep(step.duration);
      case ScriptStep::Kind::kBlock:
        return Step::Block();
      case ScriptStep::Kind::kWake:
        kernel.Wake(*progress_[step.target].task, {.cpu = task.cpu, .task = &task});
        break;
    }
  }
}

void Scripted::TimerFired(Kernel& kernel, std::int32_t timer) {
  Arrive(kernel, static_cast<std::size_t>(timer));
}

// The tasks end with the run, so what they did is read here.
void Scripted::AddMetrics(const Kernel& /*kernel*/, std::map<std::string, double>& /*metrics*/) {
  work_done_.clear();
  for (const Progress& progress : progress_) work_done_.push_back(progress.task->work_done);
}

void Scripted::Arrive(Kernel& kernel, std::size_t number) {
  Task& task = *progress_[number].task;
  const CpuNumber cpu = script_[number].start_cpu;
  if (cpu != kNoCpu) {
    kernel.StartOn(task, cpu);
  } else {
    kernel.Fork(task, {.cpu = 0});
  }
}

}  // namespace schedlab::sim
