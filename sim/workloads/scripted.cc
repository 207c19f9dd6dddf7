#include "sim/workloads/scripted.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace schedlab::sim {
namespace {

using Kind = ScriptStep::Kind;

void ApplySettings(const Kernel& kernel, const ScriptedGroup& settings, TaskGroup& group) {
  group.shares = settings.shares;
  group.quota = settings.quota;
  group.period = settings.period;
  group.cpus =
      settings.cpus.empty() ? group.parent->cpus : CpuSet::Of(kernel.cpu_count(), settings.cpus);
}

}  // namespace

// A task of other steps only would go through them for ever at one instant.
bool Scripted::CanPause(const ScriptStep& step) {
  switch (step.kind) {
    case Kind::kRun:
    case Kind::kRunFor:
    case Kind::kSpin:
    case Kind::kSleep:
    case Kind::kSleepUntil:
    case Kind::kBlock:
    case Kind::kExit:
      return true;
    case Kind::kYield:
    case Kind::kExec:
    case Kind::kWake:
    case Kind::kWakeSync:
    case Kind::kRelease:
      return false;
  }
  return false;
}

Scripted::Scripted(std::vector<ScriptedTask> tasks)
    : Scripted(Script{.tasks = std::move(tasks), .groups = {}, .changes = {}}) {}

Scripted::Scripted(Script script)
    : script_(std::move(script)),
      progress_(script_.tasks.size()),
      longest_(script_.tasks.size()),
      activations_(script_.tasks.size()) {
  for (const ScriptedTask& task : script_.tasks) {
    SCHEDLAB_CHECK(std::any_of(task.steps.begin(), task.steps.end(), CanPause));
    SCHEDLAB_CHECK(task.group <= script_.groups.size());
    for (const ScriptStep& step : task.steps) SCHEDLAB_CHECK(step.target < script_.tasks.size());
  }
  for (std::size_t i = 0; i < script_.groups.size(); ++i) {
    SCHEDLAB_CHECK(script_.groups[i].parent <= i);
  }
}

TaskDemand Scripted::Demand() const {
  return {.count = static_cast<std::int64_t>(script_.tasks.size()), .reason = "as the script says"};
}

void Scripted::Start(Kernel& kernel) {
  groups_.push_back(&kernel.root_group());
  for (const ScriptedGroup& settings : script_.groups) {
    TaskGroup& group = kernel.AddGroup(settings.name, *groups_[settings.parent], settings.shares);
    groups_.push_back(&group);
    ApplySettings(kernel, settings, group);
    kernel.ChangeGroup(group);
  }
  for (std::size_t i = 0; i < script_.tasks.size(); ++i) {
    const ScriptedTask& scripted = script_.tasks[i];
    const auto number = static_cast<std::int32_t>(i);
    Task& task = scripted.cpus.empty() ? kernel.AddTask(scripted.name, 0, number)
                                       : kernel.AddTaskOn(scripted.name, scripted.cpus, 0, number);
    progress_[i].task = &task;
    if (scripted.group != 0) kernel.SetGroup(task, *groups_[scripted.group]);
    SetAttributes(kernel, i, scripted.attributes);
    // The timer numbers are the tasks', then the changes'.
    kernel.AddTimer(scripted.start_cpu == kNoCpu ? 0 : scripted.start_cpu);
    if (scripted.arrival > SimDuration{0}) {
      kernel.ArmTimer(number, SimTime(scripted.arrival));
    } else {
      Arrive(kernel, i);
    }
  }
  for (const ScriptedChange& change : script_.changes) {
    kernel.ArmTimer(kernel.AddTimer(0), SimTime(change.at));
  }
}

Step Scripted::Next(Kernel& kernel, Task& task) {
  const auto number = static_cast<std::size_t>(task.number);
  Progress& progress = progress_[number];
  const ScriptedTask& scripted = script_.tasks[number];
  while (true) {
    if (progress.next_step == scripted.steps.size()) {
      progress.next_step = 0;
      if (++progress.repeats_done == scripted.repeat_count) {
        NoteRoundDone(kernel, number);
        return Step::Exit();
      }
    }
    const ScriptStep& step = scripted.steps[progress.next_step++];
    Task& target = *progress_[step.target].task;
    const Context context{.cpu = task.cpu, .task = &task};
    switch (step.kind) {
      case Kind::kRun:
        return Step::Run(step.duration);
      case Kind::kRunFor:
        return Step::RunFor(step.duration);
      case Kind::kSpin:
        return Step::Spin();
      case Kind::kYield:
        return Step::Yield();
      case Kind::kExec:
        return Step::Exec();
      case Kind::kSleep:
        return Step::Sleep(step.duration);
      case Kind::kSleepUntil:
        return SleepUntilNext(kernel, number, step.duration);
      case Kind::kBlock:
        return Step::Block();
      case Kind::kExit:
        return Step::Exit();
      case Kind::kWake:
        kernel.Wake(target, context);
        break;
      case Kind::kWakeSync:
        kernel.Wake(target, {.cpu = task.cpu, .task = &task, .hint = WakeHint::kSync});
        break;
      case Kind::kRelease:
        kernel.Release(target);
        break;
    }
  }
}

// An activation that took longer than its period is followed by the next one at once.
Step Scripted::SleepUntilNext(const Kernel& kernel, std::size_t number, SimDuration period) {
  NoteRoundDone(kernel, number);
  progress_[number].due += period;
  return Step::SleepUntil(progress_[number].due);
}

void Scripted::NoteRoundDone(const Kernel& kernel, std::size_t number) {
  longest_[number] = std::max(longest_[number], kernel.now() - progress_[number].due);
  ++activations_[number];
}

void Scripted::TimerFired(Kernel& kernel, std::int32_t timer) {
  const auto number = static_cast<std::size_t>(timer);
  if (number < script_.tasks.size()) {
    Arrive(kernel, number);
  } else {
    Apply(kernel, script_.changes[number - script_.tasks.size()]);
  }
}

// The tasks end with the run, so what they did is read here.
void Scripted::AddMetrics(const Kernel& /*kernel*/, std::map<std::string, double>& /*metrics*/) {
  work_done_.clear();
  for (const Progress& progress : progress_) work_done_.push_back(progress.task->work_done);
}

void Scripted::Arrive(Kernel& kernel, std::size_t number) {
  Task& task = *progress_[number].task;
  progress_[number].due = kernel.now();
  const CpuNumber cpu = script_.tasks[number].start_cpu;
  if (cpu != kNoCpu) {
    kernel.StartOn(task, cpu);
  } else {
    kernel.Fork(task, {.cpu = 0});
  }
}

void Scripted::Apply(Kernel& kernel, const ScriptedChange& change) {
  if (const auto* attributes = std::get_if<AttributesChange>(&change.what)) {
    SetAttributes(kernel, attributes->task, attributes->value);
  } else if (const auto* affinity = std::get_if<AffinityChange>(&change.what)) {
    kernel.SetAffinity(*progress_[affinity->task].task,
                       CpuSet::Of(kernel.cpu_count(), affinity->cpus));
  } else if (const auto* group = std::get_if<GroupChange>(&change.what)) {
    kernel.SetGroup(*progress_[group->task].task, *groups_[group->group]);
  } else if (const auto* settings = std::get_if<SettingsChange>(&change.what)) {
    ApplySettings(kernel, settings->value, *groups_[settings->group]);
    kernel.ChangeGroup(*groups_[settings->group]);
  }
}

void Scripted::SetAttributes(Kernel& kernel, std::size_t number,
                             const SchedAttributes& attributes) {
  const Status set = kernel.SetAttributes(*progress_[number].task, attributes);
  if (!set) refusals_.push_back({kernel.now(), number, set.error().message});
}

}  // namespace schedlab::sim
