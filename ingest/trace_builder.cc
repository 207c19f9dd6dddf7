#include "ingest/trace_builder.h"

#include <algorithm>
#include <utility>

namespace schedlab::ingest {
namespace {

constexpr std::int32_t kIdlePid = 0;
constexpr std::string_view kNoName = "<...>";  // as ftrace has it

// Runs that nothing separates become one; runs of no length, which stand for void wakeups too, go.
std::vector<TraceStep> Compacted(const std::vector<TraceStep>& steps) {
  std::vector<TraceStep> kept;
  for (const TraceStep& step : steps) {
    const bool is_run = step.kind == TraceStep::Kind::kRun;
    if (is_run && step.value == 0) continue;
    if (is_run && !kept.empty() && kept.back().kind == TraceStep::Kind::kRun) {
      kept.back().value += step.value;
    } else {
      kept.push_back(step);
    }
  }
  return kept;
}

}  // namespace

void TraceBuilder::Add(const SchedEvent& event) {
  now_ns_ = event.at_ns - begin_ns_;
  CpuView& cpu = cpus_[event.cpu];
  if (event.kind == SchedEvent::Kind::kLoss) {
    Lose(cpu);
    return;
  }
  Observe(event, cpu);
  switch (event.kind) {
    case SchedEvent::Kind::kSwitch:
      Switch(event, cpu);
      break;
    case SchedEvent::Kind::kWake:
      Wake(event, cpu);
      break;
    case SchedEvent::Kind::kBirth:
      lives_[Create(event.subject, State::kBlocked)].is_unborn = true;
      break;
    case SchedEvent::Kind::kStart:
      Start(event, cpu);
      break;
    case SchedEvent::Kind::kInterruptEntry:
      ++cpu.interrupt_depth;
      break;
    case SchedEvent::Kind::kInterruptExit:
      cpu.interrupt_depth = std::max(cpu.interrupt_depth - 1, 0);
      break;
    case SchedEvent::Kind::kOther:
    case SchedEvent::Kind::kLoss:
      break;
  }
  cpu.seen_ns = now_ns_;
}

WorkloadTrace TraceBuilder::Finish() {
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (lives_[i].state == State::kRunning) Credit(i, now_ns_);
    VoidEarly(i);
  }
  WorkloadTrace trace{
      .span_ns = span_ns_, .cpu_count = static_cast<std::int32_t>(cpus_.size()), .tasks = {}};
  std::vector<std::int64_t> new_indices;
  for (TraceTask& task : tasks_) {
    if (task.name.empty()) task.name = kNoName;
    task.steps = Compacted(task.steps);
    new_indices.push_back(static_cast<std::int64_t>(trace.tasks.size()));
    if (!task.steps.empty()) trace.tasks.push_back(std::move(task));
  }
  for (TraceTask& task : trace.tasks) {
    for (TraceStep& step : task.steps) {
      if (step.kind != TraceStep::Kind::kWake) continue;
      step.value = new_indices[static_cast<std::size_t>(step.value)];
    }
  }
  return trace;
}

// The task at the head of every event is who executes, whatever the switches before said.
void TraceBuilder::Observe(const SchedEvent& event, CpuView& cpu) {
  if (cpu.current >= 0) {
    const auto current = static_cast<std::size_t>(cpu.current);
    if (tasks_[current].pid == event.pid && by_pid_[event.pid] == current) return;
  } else if (cpu.current == kIdle && event.pid == kIdlePid) {
    return;
  }
  if (cpu.current != kUnknown) {
    ++counts_.contradiction_count;
    Lose(cpu);
  }
  Adopt(event, cpu);
}

// `cpu` is found to execute a task that no switch has brought there. One that is new and on a CPU
// of which nothing is known yet has executed there since the recording began.
void TraceBuilder::Adopt(const SchedEvent& event, CpuView& cpu) {
  const bool is_first = std::exchange(cpu.is_new, false);
  if (event.pid == kIdlePid) {
    cpu.current = kIdle;
    return;
  }
  const bool is_unseen = !by_pid_.contains(event.pid);
  const std::size_t task = Mentioned({.pid = event.pid, .priority = {}, .name = {}},
                                     is_first ? State::kQueued : State::kBlocked);
  Begin(task, event.cpu);
  if (is_first && is_unseen) lives_[task].since_ns = 0;
  cpu.current = static_cast<std::int64_t>(task);
}

void TraceBuilder::Switch(const SchedEvent& event, CpuView& cpu) {
  if (cpu.current >= 0) {
    const auto previous = static_cast<std::size_t>(cpu.current);
    Describe(previous, event.subject);
    Credit(previous, now_ns_);
    if (event.is_previous_runnable) {
      lives_[previous].state = State::kQueued;
    } else {
      Block(previous, now_ns_);
    }
  }
  if (event.next.pid == kIdlePid) {
    cpu.current = kIdle;
    return;
  }
  const bool is_old = has_births_ || by_pid_.contains(event.next.pid);
  const std::size_t next = Mentioned(event.next, is_old ? State::kQueued : State::kBlocked);
  Describe(next, event.next);
  Begin(next, event.cpu);
  cpu.current = static_cast<std::int64_t>(next);
}

void TraceBuilder::Wake(const SchedEvent& event, const CpuView& cpu) {
  if (event.subject.pid == kIdlePid) return;
  const std::size_t task = Mentioned(event.subject, State::kBlocked);
  const bool is_by_interrupt = event.is_in_interrupt || cpu.interrupt_depth > 0;
  const std::int64_t waker = is_by_interrupt ? kUnknown : cpu.current;
  const bool is_own = waker == static_cast<std::int64_t>(task);
  switch (lives_[task].state) {
    case State::kBlocked:
      VoidEarly(task);
      EndBlock(task, waker);
      return;
    case State::kRunning:
      if (!is_own) {
        GiveEarly(task, waker);
        return;
      }
      [[fallthrough]];
    case State::kQueued:
      ++counts_.void_wakeup_count;
      return;
  }
}

void TraceBuilder::Start(const SchedEvent& event, const CpuView& cpu) {
  const auto known = by_pid_.find(event.subject.pid);
  const bool is_born = known != by_pid_.end() && lives_[known->second].is_unborn;
  // Otherwise the kernel has given an old number to a new task.
  if (!is_born) Create(event.subject, State::kBlocked);
  lives_[by_pid_[event.subject.pid]].is_unborn = false;
  Wake(event, cpu);
}

// What `cpu` did between its last event and now is not known. What it executed is taken to have
// blocked then, without a reason that could be replayed.
void TraceBuilder::Lose(CpuView& cpu) {
  if (cpu.current >= 0) {
    const auto task = static_cast<std::size_t>(cpu.current);
    Credit(task, cpu.seen_ns);
    Block(task, cpu.seen_ns);
  }
  cpu.current = kUnknown;
  cpu.is_new = false;
  cpu.interrupt_depth = 0;
}

std::size_t TraceBuilder::Mentioned(const TaskMention& mention, State state) {
  const auto found = by_pid_.find(mention.pid);
  return found != by_pid_.end() ? found->second : Create(mention, state);
}

std::size_t TraceBuilder::Create(const TaskMention& mention, State state) {
  const std::size_t task = tasks_.size();
  tasks_.push_back({.name = {}, .pid = mention.pid, .steps = {}});
  lives_.push_back({.state = state});
  by_pid_[mention.pid] = task;
  Describe(task, mention);
  return task;
}

// Programs rename themselves, so the last name and priority stay.
void TraceBuilder::Describe(std::size_t task, const TaskMention& mention) {
  if (!mention.name.empty()) tasks_[task].name = mention.name;
  if (mention.priority) tasks_[task].priority = *mention.priority;
}

// The blocked `task` becomes runnable now, by `waker` or, where that is no task, after a sleep.
void TraceBuilder::EndBlock(std::size_t task, std::int64_t waker) {
  if (waker >= 0) {
    AddWake(static_cast<std::size_t>(waker), task);
    tasks_[task].steps.push_back(TraceStep::Wait());
  } else {
    ++counts_.interrupt_wakeup_count;
    AddSleep(task, now_ns_ - lives_[task].since_ns);
  }
  lives_[task].state = State::kQueued;
  span_ns_ = now_ns_;
}

// `task` begins to execute on `cpu`, of which it may be the first news for a while.
void TraceBuilder::Begin(std::size_t task, std::int32_t cpu) {
  Life& life = lives_[task];
  if (life.state == State::kRunning) {
    ++counts_.contradiction_count;
    Lose(cpus_[life.cpu]);
  }
  if (life.state == State::kBlocked) {
    if (life.early != Early::kNone) {
      TakeEarly(task);
    } else if (now_ns_ > life.since_ns) {
      ++counts_.unexplained_wakeup_count;
      AddSleep(task, now_ns_ - life.since_ns);
    }
  }
  life.state = State::kRunning;
  life.since_ns = now_ns_;
  life.cpu = cpu;
  life.is_unborn = false;
}

void TraceBuilder::Credit(std::size_t task, std::int64_t until_ns) {
  Life& life = lives_[task];
  if (until_ns <= life.since_ns) return;
  tasks_[task].steps.push_back(TraceStep::Run(until_ns - life.since_ns));
  life.since_ns = until_ns;
  span_ns_ = std::max(span_ns_, until_ns);
}

void TraceBuilder::Block(std::size_t task, std::int64_t at_ns) {
  lives_[task].state = State::kBlocked;
  lives_[task].since_ns = at_ns;
}

void TraceBuilder::GiveEarly(std::size_t task, std::int64_t waker) {
  VoidEarly(task);
  Life& life = lives_[task];
  if (waker < 0) {
    life.early = Early::kByInterrupt;
    return;
  }
  life.early = Early::kByTask;
  life.early_waker = static_cast<std::size_t>(waker);
  life.early_step = AddWake(life.early_waker, task);
}

void TraceBuilder::VoidEarly(std::size_t task) {
  Life& life = lives_[task];
  if (life.early == Early::kNone) return;
  ++counts_.void_wakeup_count;
  if (life.early == Early::kByTask) {
    tasks_[life.early_waker].steps[life.early_step] = TraceStep::Run(0);
  }
  life.early = Early::kNone;
}

void TraceBuilder::TakeEarly(std::size_t task) {
  Life& life = lives_[task];
  if (life.early == Early::kByTask) {
    tasks_[task].steps.push_back(TraceStep::Wait());
  } else {
    ++counts_.interrupt_wakeup_count;
  }
  life.early = Early::kNone;
}

std::size_t TraceBuilder::AddWake(std::size_t waker, std::size_t task) {
  Credit(waker, now_ns_);
  tasks_[waker].steps.push_back(TraceStep::Wake(static_cast<std::int64_t>(task)));
  return tasks_[waker].steps.size() - 1;
}

void TraceBuilder::AddSleep(std::size_t task, std::int64_t for_ns) {
  if (for_ns > 0) tasks_[task].steps.push_back(TraceStep::Sleep(for_ns));
}

}  // namespace schedlab::ingest
