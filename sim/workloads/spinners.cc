#include "sim/workloads/spinners.h"

#include <fmt/format.h>

#include <algorithm>

namespace schedlab::sim {
namespace {

enum Role : std::int32_t { kParent, kSpinner };

// An endless task asks for its next step so seldom that this costs nothing.
constexpr SimDuration kEndlessStep{1'000'000'000};

// Jain's index: 1 where all have the same, 1/n where one has everything.
double Jain(const std::vector<Task*>& tasks) {
  double sum = 0;
  double sum_of_squares = 0;
  for (const Task* task : tasks) {
    const auto share = static_cast<double>(Ns(task->work_done));
    sum += share;
    sum_of_squares += share * share;
  }
  return sum * sum / (static_cast<double>(tasks.size()) * sum_of_squares);
}

}  // namespace

Spinners::Spinners(const Parameters& parameters, std::int32_t cpu_count)
    : task_count_(parameters.GetCount("tasks_count")),
      start_cpu_count_(std::min(parameters.GetCount("start_cpus_count"), cpu_count)),
      work_(parameters.GetTime("work_per_task_ns")),
      fork_work_(parameters.GetTime("fork_work_ns")) {}

TaskDemand Spinners::Demand() const {
  return {.count = std::int64_t{1} + task_count_,
          .reason = fmt::format("a parent and tasks_count {}", task_count_)};
}

void Spinners::Start(Kernel& kernel) {
  for (std::int32_t i = 0; i < task_count_; ++i) {
    tasks_.push_back(&kernel.AddTask(fmt::format("spinner/{}", i), kSpinner, i));
  }
  if (start_cpu_count_ == 0) {
    kernel.StartOn(kernel.AddTask("parent", kParent, 0), 0);
    return;
  }
  for (std::int32_t i = 0; i < task_count_; ++i) {
    kernel.StartOn(*tasks_[static_cast<std::size_t>(i)], i % start_cpu_count_);
  }
}

Step Spinners::Next(Kernel& kernel, Task& task) {
  if (task.role == kParent) return NextOfParent(kernel, task);
  if (work_ == SimDuration{0}) return Step::Run(kEndlessStep);
  if (task.work_done < work_) return Step::Run(work_ - task.work_done);
  if (++exited_count_ == tasks_.size()) kernel.End();
  return Step::Exit();
}

void Spinners::AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) {
  SimDuration done{0};
  for (const Task* task : tasks_) done += task->work_done;
  const auto elapsed = static_cast<double>(Ns(kernel.now()));
  if (elapsed > 0) metrics["work_per_sec"] = static_cast<double>(Ns(done)) / elapsed;
  if (exited_count_ == tasks_.size()) metrics["elapsed_sec"] = elapsed / 1e9;
  if (work_ == SimDuration{0} && done > SimDuration{0}) metrics["fairness"] = Jain(tasks_);
}

Step Spinners::NextOfParent(Kernel& kernel, const Task& parent) {
  const bool has_prepared = parent.work_done > SimDuration{0} || fork_work_ == SimDuration{0};
  if (has_prepared) {
    kernel.Fork(*tasks_[forked_count_++], {.cpu = parent.cpu, .task = &parent});
    if (forked_count_ == tasks_.size()) return Step::Exit();
  }
  return Step::Run(fork_work_);
}

}  // namespace schedlab::sim
