#include "tests/properties/properties.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/run.h"
#include "tests/properties/patience.h"
#include "tests/properties/run_watch.h"
#include "tests/properties/schedstat_identities.h"

namespace schedlab::properties {
namespace {

using scenarios::ScenarioFile;
using sim::SimDuration;
using Violated = std::vector<std::string>;

// Of a sound run: the machines, the scripts and the time are small.
constexpr std::int64_t kEventLimit = 20'000'000;

// A script whose tasks can be looked at when the run is over and they still exist.
class WatchedScript final : public sim::Workload {
 public:
  WatchedScript(const ScenarioFile& file, Kind kind, RunWatch& watch)
      : file_(file), kind_(kind), watch_(watch), script_(file.script) {}

  sim::TaskDemand Demand() const override { return script_.Demand(); }
  void Start(sim::Kernel& kernel) override { script_.Start(kernel); }
  sim::Step Next(sim::Kernel& kernel, sim::Task& task) override {
    return script_.Next(kernel, task);
  }
  void TimerFired(sim::Kernel& kernel, std::int32_t timer) override {
    script_.TimerFired(kernel, timer);
  }
  void AddMetrics(const sim::Kernel& kernel, std::map<std::string, double>& metrics) override {
    script_.AddMetrics(kernel, metrics);
    watch_.End(kernel.now());
    CheckTime(kernel);
    CheckTasks(kernel);
    if (kind_ == Kind::kCalm) CheckWaits(kernel);
  }
  const Violated& violated() const { return violated_; }

 private:
  bool IsOfScript(const sim::Task& task) const { return task.role >= 0; }

  // All of the time of every CPU is somebody's, and tasks got what CPUs gave.
  void CheckTime(const sim::Kernel& kernel) {
    const SimDuration elapsed = kernel.now().time_since_epoch();
    SimDuration busy{0};
    for (sim::CpuNumber cpu = 0; cpu < kernel.cpu_count(); ++cpu) {
      const RunWatch::CpuLog& log = watch_.cpus()[static_cast<std::size_t>(cpu)];
      const sim::CpuTimes& times = kernel.machine().times(cpu);
      busy += log.busy;
      // What a CPU was charged for before it went offline it does first.
      if (log.busy + log.idle + log.offline != elapsed || log.offline < times.offline) {
        violated_.push_back(fmt::format("CPU {} was seen busy {}, idle {} and offline {} of {} ns",
                                        cpu, log.busy.count(), log.idle.count(),
                                        log.offline.count(), elapsed.count()));
      }
      if (times.work > log.busy || times.idle > log.idle) {
        violated_.push_back(fmt::format("CPU {} worked {} of {} ns, was idle {} of {}", cpu,
                                        times.work.count(), log.busy.count(), times.idle.count(),
                                        log.idle.count()));
      }
    }
    SimDuration got{0};
    for (const sim::Task& task : kernel.machine().tasks()) {
      got += task.cpu_time;
      if (task.state == sim::TaskState::kRunning) got += kernel.now() - task.running_since;
    }
    // A task that starts anew begins its account anew; scripts start each task once.
    if (got == busy) return;
    violated_.push_back(
        fmt::format("CPUs were busy for {} ns, tasks got {}", busy.count(), got.count()));
  }

  // Nobody is lost: who is not done is where the run has left him.
  void CheckTasks(const sim::Kernel& kernel) {
    for (const sim::Task& task : kernel.machine().tasks()) {
      if (!IsOfScript(task)) continue;
      const sim::ScriptedTask& scripted = file_.script.tasks[static_cast<std::size_t>(task.number)];
      const bool has_arrived = scripted.arrival <= kernel.now().time_since_epoch();
      if (kind_ != Kind::kFinite || !has_arrived) continue;
      const bool waits_for_others = task.state == sim::TaskState::kBlocked && CanBlock(scripted);
      if (task.state == sim::TaskState::kDormant) {
        CheckWork(task, scripted);
      } else if (!waits_for_others) {
        violated_.push_back(fmt::format("task {} is not done by {} ns: it has state {} on CPU {}",
                                        task.name, kernel.now().time_since_epoch().count(),
                                        static_cast<int>(task.state), task.cpu));
      }
    }
  }

  static bool CanBlock(const sim::ScriptedTask& task) {
    return std::any_of(task.steps.begin(), task.steps.end(), [](const sim::ScriptStep& step) {
      return step.kind == sim::ScriptStep::Kind::kBlock;
    });
  }

  void CheckWork(const sim::Task& task, const sim::ScriptedTask& scripted) {
    SimDuration work{0};
    for (const sim::ScriptStep& step : scripted.steps) {
      const bool is_work = step.kind == sim::ScriptStep::Kind::kRun;
      if (is_work) work += step.duration * scripted.repeat_count;
      if (step.kind == sim::ScriptStep::Kind::kRunFor) return;  // work depends on the CPU
    }
    if (task.work_done == work) return;
    violated_.push_back(fmt::format("task {} has done {} of {} ns of work", task.name,
                                    task.work_done.count(), work.count()));
  }

  void CheckWaits(const sim::Kernel& kernel) {
    const SimDuration patience = Patience(file_);
    for (const RunWatch::TaskLog& log : watch_.tasks()) {
      if (log.task == nullptr || !IsOfScript(*log.task)) continue;
      const auto number = static_cast<std::size_t>(log.task->number);
      const SimDuration bound = PatienceOf(file_, number, patience);
      if (log.longest_wait <= bound) continue;
      violated_.push_back(fmt::format("task {} waited {} ns until {}, more than {}; now {}",
                                      log.task->name, log.longest_wait.count(),
                                      sim::Ns(log.longest_wait_end), bound.count(),
                                      sim::Ns(kernel.now())));
    }
  }

  const ScenarioFile& file_;
  const Kind kind_;
  RunWatch& watch_;
  sim::Scripted script_;
  Violated violated_;
};

sim::RunSetup SetupOf(const ScenarioFile& file) {
  return {.topology = file.topology,
          .policy = file.policy,
          .duration = file.duration,
          .seed = file.seed,
          .event_limit = kEventLimit,
          .hotplug = file.hotplug,
          .irq_sources = file.irq_sources};
}

void CheckVerdict(Kind kind, const RunResult& result, Violated& violated) {
  const bool may_dead_lock = kind != Kind::kCalm || result.verdict != RunVerdict::kDeadlock;
  if (result.verdict != RunVerdict::kEventLimit && may_dead_lock) return;
  if (result.verdict == RunVerdict::kDeadlock) return;
  violated.push_back(fmt::format("verdict {} after {} events at {} ns",
                                 static_cast<int>(result.verdict), result.event_count,
                                 result.simulated_ns));
}

}  // namespace

std::vector<std::string> Violations(const AnyScenario& scenario) {
  const ScenarioFile& file = scenario.file;
  RunWatch watch(static_cast<std::int32_t>(file.topology.cpus.size()));
  WatchedScript watched(file, scenario.kind, watch);
  sim::Schedstat schedstat;
  sim::RunSetup setup = SetupOf(file);
  setup.observer = &watch;
  setup.schedstat = &schedstat;
  const Result<RunResult> first = sim::Run(setup, watched, {});
  if (!first) return {"refused: " + first.error().message};
  Violated violated = watched.violated();
  CheckVerdict(scenario.kind, *first, violated);
  CheckSchedstat(file, schedstat, watch, violated);

  sim::Scripted unwatched(file.script);
  const Result<RunResult> second = sim::Run(SetupOf(file), unwatched, {});
  if (!second || !(*second == *first)) violated.push_back("the second run has another result");
  return violated;
}

std::uint64_t DigestOf(const scenarios::ScenarioFile& scenario) {
  sim::Scripted workload(scenario.script);
  return sim::Run(SetupOf(scenario), workload, {}).value().digest;
}

std::int64_t EventCountOf(const scenarios::ScenarioFile& scenario) {
  sim::Scripted workload(scenario.script);
  return sim::Run(SetupOf(scenario), workload, {}).value().event_count;
}

}  // namespace schedlab::properties
