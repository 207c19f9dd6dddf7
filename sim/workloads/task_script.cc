#include "sim/workloads/task_script.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"

namespace schedlab::sim {
namespace {

using Kind = ScriptEvent::Kind;

static_assert(kMaxScriptThreads <= kMaxTasksPerRun);

// After so many actions that take no time a thread gives the kernel its turn, which counts what
// happens at one instant.
constexpr int kMaxActionsAtOnce = 16;
constexpr std::int64_t kNsPerSecPerMega = 1'000;

ScriptEvent OfMutex(Kind kind, std::int32_t mutex) {
  ScriptEvent event;
  event.kind = kind;
  event.target = mutex;
  return event;
}

// A wait ends with the mutex held again, for which its thread has to compete like everybody.
void AddTakenApart(const ScriptEvent& event, std::vector<ScriptEvent>& events) {
  if (event.kind != Kind::kWait && event.kind != Kind::kSync) {
    events.push_back(event);
    return;
  }
  ScriptEvent wait = event;
  wait.kind = Kind::kWait;
  if (event.locks_itself) events.push_back(OfMutex(Kind::kLock, event.mutex));
  if (event.kind == Kind::kSync) {
    ScriptEvent signal = event;
    signal.kind = Kind::kSignal;
    events.push_back(signal);
  }
  events.push_back(wait);
  events.push_back(OfMutex(Kind::kLock, event.mutex));
  if (event.locks_itself) events.push_back(OfMutex(Kind::kUnlock, event.mutex));
}

TaskScript TakenApart(TaskScript script) {
  for (ScriptThread& thread : script.threads) {
    for (ScriptPhase& phase : thread.phases) {
      std::vector<ScriptEvent> events;
      for (const ScriptEvent& event : phase.events) AddTakenApart(event, events);
      phase.events = std::move(events);
    }
  }
  return script;
}

std::string NameAt(const std::vector<std::string>& names, std::int32_t index) {
  const auto at = static_cast<std::size_t>(index);
  return at < names.size() ? fmt::format("'{}'", names[at]) : fmt::format("number {}", index);
}

// Of an event at which a thread may block without an end in time.
std::string TargetOf(const ScriptEvent& event, const ScriptNames& names) {
  switch (event.kind) {
    case Kind::kSuspend:
      return "to be resumed as " + NameAt(names.suspensions, event.target);
    case Kind::kLock:
      return "for mutex " + NameAt(names.mutexes, event.target);
    case Kind::kWait:
      return "for condition " + NameAt(names.conditions, event.target);
    case Kind::kBarrier:
      return "at barrier " + NameAt(names.barriers, event.target);
    case Kind::kSemWait:
      return "for semaphore " + NameAt(names.semaphores, event.target);
    case Kind::kRun:
    case Kind::kRunFor:
    case Kind::kSleep:
    case Kind::kTimer:
    case Kind::kResume:
    case Kind::kUnlock:
    case Kind::kSignal:
    case Kind::kBroadcast:
    case Kind::kSync:
    case Kind::kSemPost:
    case Kind::kYield:
    case Kind::kFork:
    case Kind::kMemory:
    case Kind::kNull:
    case Kind::kDevice:
      return {};
  }
  return {};
}

// The product of numbers of passes, of which any may be without end, up to `limit`.
std::int64_t PassesUpTo(std::int64_t limit, std::int64_t a, std::int64_t b) {
  if (a == kForEver || b == kForEver) return limit;
  return a > limit / b ? limit : a * b;
}

// All threads taken together; what is of one kind is left out.
ScriptThreadReport Total(const std::vector<ScriptThreadReport>& reports) {
  ScriptThreadReport total;
  for (const ScriptThreadReport& report : reports) {
    total.activation_count += report.activation_count;
    total.work_done += report.work_done;
    if (report.slack_count > 0) {
      total.slack_min =
          total.slack_count == 0 ? report.slack_min : std::min(total.slack_min, report.slack_min);
    }
    total.slack_count += report.slack_count;
    total.slack_sum += report.slack_sum;
    total.timer_count += report.timer_count;
    total.missed_count += report.missed_count;
  }
  return total;
}

void AddTimerMetrics(const ScriptThreadReport& total, std::map<std::string, double>& metrics) {
  if (total.slack_count > 0) {
    metrics["slack_mean_ns"] =
        static_cast<double>(Ns(total.slack_sum)) / static_cast<double>(total.slack_count);
    metrics["slack_min_ns"] = static_cast<double>(Ns(total.slack_min));
  }
  if (total.timer_count > 0) {
    metrics["timers_missed_ratio"] =
        static_cast<double>(total.missed_count) / static_cast<double>(total.timer_count);
  }
}

}  // namespace

TaskScriptWorkload::TaskScriptWorkload(const TaskScript& script, const Parameters& parameters)
    : script_(TakenApart(script)),
      memory_mb_per_sec_(parameters.Get("memory_mb_per_sec")),
      device_mb_per_sec_(parameters.Get("device_mb_per_sec")),
      write_call_(parameters.GetTime("write_call_ns")),
      unused_(script.threads.size()),
      mutexes_(script.mutex_count, script.inherits_priority),
      timers_(script.timers.size()),
      suspended_(static_cast<std::size_t>(script.suspension_count)),
      condition_waiters_(static_cast<std::size_t>(script.condition_count)),
      barrier_waiters_(script.barrier_user_counts.size()),
      semaphores_(static_cast<std::size_t>(script.semaphore_count)) {
  for (const ScriptThread& thread : script_.threads) reports_.emplace_back().name = thread.name;
}

TaskDemand TaskScriptWorkload::Demand() const {
  std::int64_t count = 0;
  for (std::size_t kind = 0; kind < script_.threads.size(); ++kind) {
    count += script_.threads[kind].instance_count + ForksOf(kind);
  }
  return {.count = count, .reason = "the threads of the script and room for those it forks"};
}

// Room for the forks of a kind: as many as the script can make, where that is few.
std::int64_t TaskScriptWorkload::ForksOf(std::size_t kind) const {
  if (!script_.threads[kind].is_forked) return 0;
  std::int64_t count = 0;
  for (const ScriptThread& thread : script_.threads) {
    for (const ScriptPhase& phase : thread.phases) {
      const auto forks =
          std::count_if(phase.events.begin(), phase.events.end(), [&](const ScriptEvent& event) {
            return event.kind == Kind::kFork && static_cast<std::size_t>(event.target) == kind;
          });
      if (forks == 0) continue;
      if (thread.is_forked) return kMaxForksAlive;
      const std::int64_t passes = PassesUpTo(kMaxForksAlive, thread.pass_count, phase.pass_count);
      count += std::min<std::int64_t>(passes * forks * thread.instance_count, kMaxForksAlive);
    }
  }
  return std::min<std::int64_t>(count, kMaxForksAlive);
}

void TaskScriptWorkload::Start(Kernel& kernel) {
  AddGroups(kernel);
  for (std::size_t kind = 0; kind < script_.threads.size(); ++kind) {
    const ScriptThread& thread = script_.threads[kind];
    for (std::int32_t i = 0; i < thread.instance_count; ++i) {
      AddThread(kernel, kind, fmt::format("{}-{}", thread.name, threads_.size()));
    }
  }
  const std::size_t started_count = threads_.size();
  for (std::size_t kind = 0; kind < script_.threads.size(); ++kind) {
    for (std::int64_t i = 0; i < ForksOf(kind); ++i) {
      unused_[kind].push_back(threads_.size());
      AddThread(kernel, kind,
                fmt::format("{}-{}-{}", script_.threads[kind].name, threads_.size(), i));
    }
  }
  mutexes_.SetTaskCount(threads_.size());
  for (std::size_t i = 0; i < started_count; ++i) Launch(kernel, threads_[i], {.cpu = 0});
}

void TaskScriptWorkload::AddGroups(Kernel& kernel) {
  constexpr std::int64_t kDefaultShares = 1'024;
  std::map<std::string, TaskGroup*> known;
  for (const std::string& path : script_.groups) {
    TaskGroup* group = &kernel.root_group();
    for (std::size_t end = path.find('/', 1); group != nullptr; end = path.find('/', end + 1)) {
      const std::string prefix = path.substr(0, end);
      TaskGroup*& at = known[prefix];
      if (at == nullptr) at = &kernel.AddGroup(prefix, *group, kDefaultShares);
      group = at;
      if (end == std::string::npos) break;
    }
    groups_.push_back(group);
  }
}

void TaskScriptWorkload::AddThread(Kernel& kernel, std::size_t kind, const std::string& name) {
  Thread& thread = threads_.emplace_back();
  thread.kind = kind;
  thread.task = &kernel.AddTask(name, static_cast<std::int32_t>(kind),
                                static_cast<std::int32_t>(threads_.size() - 1));
}

// It starts where its first phase wants it, rather than anywhere to be moved at once.
void TaskScriptWorkload::Launch(Kernel& kernel, Thread& thread, const Context& context) {
  Task& task = *thread.task;
  const std::size_t kind = thread.kind;
  const ScriptThread& script = script_.threads[kind];
  thread = Thread{};
  thread.task = &task;
  thread.kind = kind;
  thread.is_alive = true;
  thread.timers.resize(script.timers.size());
  ++alive_count_;
  ++ReportOf(thread).started_count;
  mutexes_.SetAttributes(kernel, task, script.attributes);
  kernel.SetAffinity(task, CpusOf(kernel, script.phases.front()));
  kernel.SetGroup(
      task, script.group ? *groups_[static_cast<std::size_t>(*script.group)] : kernel.root_group());
  kernel.Fork(task, context);
}

CpuSet TaskScriptWorkload::CpusOf(const Kernel& kernel, const ScriptPhase& phase) const {
  if (phase.cpus.empty()) return kernel.machine().AllCpus();
  return CpuSet::Of(kernel.cpu_count(), phase.cpus);
}

Step TaskScriptWorkload::Next(Kernel& kernel, Task& task) {
  Thread& thread = ThreadOf(task);
  NoteTimerWake(kernel, thread);
  for (int i = 0; i < kMaxActionsAtOnce; ++i) {
    const std::optional<Step> step = Advance(kernel, thread);
    if (step) return *step;
  }
  return Step::RunFor(SimDuration{0});
}

void TaskScriptWorkload::NoteTimerWake(const Kernel& kernel, Thread& thread) {
  if (thread.awaited_expiry == kNever) return;
  const SimDuration latency = kernel.now() - thread.awaited_expiry;
  thread.awaited_expiry = kNever;
  ScriptThreadReport& report = ReportOf(thread);
  report.timer_latency_sum += latency;
  report.timer_latency_max = std::max(report.timer_latency_max, latency);
  timer_latency_.Add(latency);
}

std::optional<Step> TaskScriptWorkload::Advance(Kernel& kernel, Thread& thread) {
  if (!thread.has_begun) return BeginThread(kernel, thread);
  const ScriptPhase& phase = KindOf(thread).phases[thread.phase];
  if (thread.event == phase.events.size()) return EndPass(kernel, thread);
  if (thread.event == 0) BeginPass(kernel, thread);
  return Do(kernel, thread, phase.events[thread.event++]);
}

std::optional<Step> TaskScriptWorkload::BeginThread(Kernel& kernel, Thread& thread) {
  thread.has_begun = true;
  thread.begun = kernel.now() + SimDuration(KindOf(thread).delay_ns);
  if (thread.begun == kernel.now()) return std::nullopt;
  return Step::SleepUntil(thread.begun);
}

void TaskScriptWorkload::BeginPass(Kernel& kernel, Thread& thread) {
  const ScriptPhase& phase = KindOf(thread).phases[thread.phase];
  Task& task = *thread.task;
  thread.has_slack = false;
  thread.slack = SimDuration{0};
  if (phase.attributes) mutexes_.SetAttributes(kernel, task, *phase.attributes);
  if (phase.group) {
    TaskGroup& group = *groups_[static_cast<std::size_t>(*phase.group)];
    if (task.group != &group) kernel.SetGroup(task, group);
  }
  const CpuSet cpus = CpusOf(kernel, phase);
  if (!(task.allowed == cpus)) kernel.SetAffinity(task, cpus);
}

std::optional<Step> TaskScriptWorkload::EndPass(Kernel& kernel, Thread& thread) {
  ScriptThreadReport& report = ReportOf(thread);
  ++report.activation_count;
  if (thread.has_slack) {
    report.slack_min =
        report.slack_count == 0 ? thread.slack : std::min(report.slack_min, thread.slack);
    ++report.slack_count;
    report.slack_sum += thread.slack;
  }
  const ScriptThread& script = KindOf(thread);
  thread.event = 0;
  if (++thread.phase_passes_done != script.phases[thread.phase].pass_count) return std::nullopt;
  thread.phase_passes_done = 0;
  if (++thread.phase != script.phases.size()) return std::nullopt;
  thread.phase = 0;
  if (++thread.thread_passes_done != script.pass_count) return std::nullopt;
  thread.is_alive = false;
  if (script.is_forked)
    unused_[thread.kind].push_back(static_cast<std::size_t>(thread.task->number));
  if (--alive_count_ == 0) kernel.End();
  return Step::Exit();
}

std::optional<Step> TaskScriptWorkload::Do(Kernel& kernel, Thread& thread,
                                           const ScriptEvent& event) {
  switch (event.kind) {
    case Kind::kRun:
      return Step::Run(SimDuration(event.duration_ns));
    case Kind::kRunFor:
      return Step::RunFor(SimDuration(event.duration_ns));
    case Kind::kSleep:
      return Step::Sleep(SimDuration(event.duration_ns));
    case Kind::kYield:
      return Step::Yield();
    case Kind::kMemory:
      return Step::Run(SimDuration(event.byte_count * kNsPerSecPerMega / memory_mb_per_sec_));
    case Kind::kNull:
      return Step::Run(write_call_ *
                       ((event.byte_count + script_.buffer_bytes - 1) / script_.buffer_bytes));
    case Kind::kDevice:
      return WriteToDevice(kernel, event.byte_count);
    case Kind::kTimer:
      return AwaitTimer(kernel, thread, event);
    case Kind::kFork:
      ForkOne(kernel, *thread.task, static_cast<std::size_t>(event.target));
      return std::nullopt;
    case Kind::kSuspend:
    case Kind::kResume:
    case Kind::kLock:
    case Kind::kUnlock:
    case Kind::kWait:
    case Kind::kSignal:
    case Kind::kBroadcast:
    case Kind::kSync:
    case Kind::kBarrier:
    case Kind::kSemPost:
    case Kind::kSemWait:
      return Synchronize(kernel, thread, event);
  }
  return std::nullopt;
}

std::optional<Step> TaskScriptWorkload::Synchronize(Kernel& kernel, Thread& thread,
                                                    const ScriptEvent& event) {
  Task& task = *thread.task;
  const auto target = static_cast<std::size_t>(event.target);
  if (event.kind == Kind::kSuspend) {
    suspended_[target].push_back(&task);
    return Step::Block();
  }
  if (event.kind == Kind::kLock) {
    if (mutexes_.Lock(kernel, task, event.target)) return std::nullopt;
    return Step::Block();
  }
  if (event.kind == Kind::kWait) {
    condition_waiters_[target].push_back(&task);
    mutexes_.Unlock(kernel, task, event.mutex);
    return Step::Block();
  }
  if (event.kind == Kind::kBarrier) return MeetAtBarrier(kernel, thread, event.target);
  if (event.kind == Kind::kSemWait) return WaitForSemaphore(thread, event.target);
  if (event.kind == Kind::kSemPost) Post(kernel, task, event.target);
  if (event.kind == Kind::kResume) WakeAll(kernel, task, suspended_[target]);
  if (event.kind == Kind::kUnlock) mutexes_.Unlock(kernel, task, event.target);
  if (event.kind == Kind::kSignal) Signal(kernel, task, event.target);
  if (event.kind == Kind::kBroadcast) WakeAll(kernel, task, condition_waiters_[target]);
  return std::nullopt;
}

std::optional<Step> TaskScriptWorkload::AwaitTimer(Kernel& kernel, Thread& thread,
                                                   const ScriptEvent& event) {
  const auto index = static_cast<std::size_t>(event.target);
  Timer& timer = event.is_private ? thread.timers[index] : timers_[index];
  const bool is_absolute =
      (event.is_private ? KindOf(thread).timers[index] : script_.timers[index]).is_absolute;
  if (!timer.is_started) timer = {.is_started = true, .expires = thread.begun};
  timer.expires += SimDuration(event.duration_ns);
  const SimDuration slack = timer.expires - kernel.now();
  thread.slack = script_.adds_slack ? thread.slack + slack : slack;
  thread.has_slack = true;
  ++ReportOf(thread).timer_count;
  if (slack > SimDuration{0}) {
    thread.awaited_expiry = timer.expires;
    return Step::SleepUntil(timer.expires);
  }
  ++ReportOf(thread).missed_count;
  if (!is_absolute) timer.expires = kernel.now();
  return std::nullopt;
}

std::optional<Step> TaskScriptWorkload::MeetAtBarrier(Kernel& kernel, Thread& thread,
                                                      std::int32_t barrier) {
  const auto index = static_cast<std::size_t>(barrier);
  std::deque<Task*>& waiters = barrier_waiters_[index];
  const auto others = static_cast<std::size_t>(script_.barrier_user_counts[index] - 1);
  if (waiters.size() == others) {
    WakeAll(kernel, *thread.task, waiters);
    return std::nullopt;
  }
  waiters.push_back(thread.task);
  return Step::Block();
}

std::optional<Step> TaskScriptWorkload::WaitForSemaphore(Thread& thread, std::int32_t semaphore) {
  Semaphore& waited = semaphores_[static_cast<std::size_t>(semaphore)];
  if (waited.count > 0) {
    --waited.count;
    return std::nullopt;
  }
  waited.waiters.push_back(thread.task);
  return Step::Block();
}

void TaskScriptWorkload::Post(Kernel& kernel, const Task& poster, std::int32_t semaphore) {
  Semaphore& posted = semaphores_[static_cast<std::size_t>(semaphore)];
  if (posted.waiters.empty()) {
    ++posted.count;
    return;
  }
  Task& waiter = *posted.waiters.front();
  posted.waiters.pop_front();
  kernel.Wake(waiter, {.cpu = poster.cpu, .task = &poster});
}

void TaskScriptWorkload::Signal(Kernel& kernel, const Task& signaller, std::int32_t condition) {
  std::deque<Task*>& waiters = condition_waiters_[static_cast<std::size_t>(condition)];
  if (waiters.empty()) return;
  Task& waiter = *waiters.front();
  waiters.pop_front();
  kernel.Wake(waiter, {.cpu = signaller.cpu, .task = &signaller});
}

void TaskScriptWorkload::WakeAll(Kernel& kernel, const Task& waker, std::deque<Task*>& waiters) {
  for (Task* waiter : waiters) kernel.Wake(*waiter, {.cpu = waker.cpu, .task = &waker});
  waiters.clear();
}

void TaskScriptWorkload::ForkOne(Kernel& kernel, const Task& parent, std::size_t kind) {
  if (unused_[kind].empty()) {
    ++refused_fork_count_;
    return;
  }
  Thread& child = threads_[unused_[kind].front()];
  unused_[kind].pop_front();
  Launch(kernel, child, {.cpu = parent.cpu, .task = &parent});
}

std::string TaskScriptWorkload::WaitOf(const Task& task) const {
  const Thread& thread = ThreadOf(task);
  if (thread.event == 0) return {};
  const ScriptPhase& phase = KindOf(thread).phases[thread.phase];
  const ScriptEvent& event = phase.events[thread.event - 1];
  std::string wait = TargetOf(event, script_.names);
  if (wait.empty()) return wait;
  const Task* const holder = event.kind == Kind::kLock ? mutexes_.HolderOf(event.target) : nullptr;
  if (holder != nullptr) wait += fmt::format(", which '{}' holds", holder->name);
  if (!phase.name.empty()) wait += fmt::format(" (phase '{}')", phase.name);
  return wait;
}

// The device serves one request at a time, in the order in which they come.
Step TaskScriptWorkload::WriteToDevice(Kernel& kernel, std::int64_t byte_count) {
  const SimDuration transfer(byte_count * kNsPerSecPerMega / device_mb_per_sec_);
  device_free_at_ = std::max(device_free_at_, kernel.now()) + transfer;
  return Step::SleepUntil(device_free_at_);
}

void TaskScriptWorkload::AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) {
  for (const Thread& thread : threads_) ReportOf(thread).work_done += thread.task->work_done;
  const ScriptThreadReport total = Total(reports_);
  const auto elapsed = static_cast<double>(Ns(kernel.now()));
  if (elapsed <= 0) return;
  metrics["activations_per_sec"] = static_cast<double>(total.activation_count) * 1e9 / elapsed;
  metrics["work_per_sec"] = static_cast<double>(Ns(total.work_done)) / elapsed;
  if (alive_count_ == 0) metrics["elapsed_sec"] = elapsed / 1e9;
  if (refused_fork_count_ > 0) {
    metrics["forks_refused"] = static_cast<double>(refused_fork_count_);
  }
  if (mutexes_.refused_count() > 0) {
    metrics["attribute_changes_refused"] = static_cast<double>(mutexes_.refused_count());
  }
  AddTimerMetrics(total, metrics);
  const std::optional<std::int64_t> latency_p99 = timer_latency_.Quantile(990);
  if (latency_p99) metrics["timer_latency_p99_ns"] = static_cast<double>(*latency_p99);
}

}  // namespace schedlab::sim
