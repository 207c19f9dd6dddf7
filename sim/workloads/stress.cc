#include "sim/workloads/stress.h"

#include <fmt/format.h>

namespace schedlab::sim {
namespace {

enum Role : std::int32_t { kCpu, kIo, kVm, kForker, kChild, kYielder };

}  // namespace

Stress::Stress(const Parameters& parameters, std::uint64_t seed)
    : parameters_(parameters),
      spread_permille_(parameters.Get("work_spread_permille")),
      work_stream_(seed, "stress work") {}

TaskDemand Stress::Demand() const {
  const std::int64_t count = parameters_.Get("cpu_count") + parameters_.Get("io_count") +
                             parameters_.Get("vm_count") + 2 * parameters_.Get("fork_count") +
                             parameters_.Get("yield_count");
  return {.count = count,
          .reason = "cpu_count + io_count + vm_count + 2 * fork_count + yield_count"};
}

void Stress::Start(Kernel& kernel) {
  AddStressors(kernel, "cpu", kCpu, parameters_.GetCount("cpu_count"));
  AddStressors(kernel, "io", kIo, parameters_.GetCount("io_count"));
  AddStressors(kernel, "vm", kVm, parameters_.GetCount("vm_count"));
  AddStressors(kernel, "fork", kForker, parameters_.GetCount("fork_count"));
  AddStressors(kernel, "yield", kYielder, parameters_.GetCount("yield_count"));
  for (std::int32_t i = 0; i < parameters_.GetCount("fork_count"); ++i) {
    children_.push_back(&kernel.AddTask(fmt::format("child/{}", i), kChild, i));
  }
  is_running_.resize(static_cast<std::size_t>(Demand().count) +
                     static_cast<std::size_t>(kernel.cpu_count()));
  for (Task* task : starting_) kernel.Fork(*task, {.cpu = 0});
}

void Stress::AddStressors(Kernel& kernel, const char* name, std::int32_t role, std::int32_t count) {
  for (std::int32_t i = 0; i < count; ++i) {
    Task& task = kernel.AddTask(fmt::format("{}/{}", name, i), role, i);
    if (role == kVm) task.footprint_permille = parameters_.Get("vm_footprint_permille");
    if (role == kForker) forkers_.push_back(&task);
    starting_.push_back(&task);
  }
}

Step Stress::Next(Kernel& kernel, Task& task) {
  switch (static_cast<Role>(task.role)) {
    case kCpu:
      operation_count_ += task.work_done > SimDuration{0} ? 1 : 0;
      return Step::Run(Draw(parameters_.GetTime("cpu_piece_ns")));
    case kIo:
      return Alternate(task, parameters_.GetTime("io_piece_ns"),
                       Step::Sleep(Draw(parameters_.GetTime("io_sleep_ns"))));
    case kVm:
      return Alternate(task, parameters_.GetTime("vm_piece_ns"),
                       Step::Sleep(Draw(parameters_.GetTime("vm_sleep_ns"))));
    case kForker:
      return NextOfForker(kernel, task);
    case kChild:
      return NextOfChild(kernel, task);
    case kYielder:
      return Alternate(task, parameters_.GetTime("yield_piece_ns"), Step::Yield());
  }
  return Step::Exit();
}

void Stress::AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) {
  const auto elapsed = static_cast<double>(Ns(kernel.now())) / 1e9;
  if (elapsed <= 0) return;
  metrics["stress_operations_per_sec"] = static_cast<double>(operation_count_) / elapsed;
  SimDuration done{0};
  for (const Task* task : starting_) done += task->work_done;
  metrics["work_per_sec"] = static_cast<double>(Ns(done)) / 1e9 / elapsed;
}

Step Stress::Alternate(Task& task, SimDuration run, const Step& pause) {
  const auto index = static_cast<std::size_t>(task.index);
  is_running_[index] = !is_running_[index];
  if (is_running_[index]) return Step::Run(Draw(run));
  ++operation_count_;
  return pause;
}

// Forks a child and waits for its end, for ever.
Step Stress::NextOfForker(Kernel& kernel, Task& task) {
  const auto index = static_cast<std::size_t>(task.index);
  is_running_[index] = !is_running_[index];
  if (is_running_[index]) return Step::Run(Draw(parameters_.GetTime("fork_work_ns")));
  kernel.Fork(*children_[static_cast<std::size_t>(task.number)], {.cpu = task.cpu, .task = &task});
  return Step::Block();
}

Step Stress::NextOfChild(Kernel& kernel, Task& task) {
  const auto index = static_cast<std::size_t>(task.index);
  is_running_[index] = !is_running_[index];
  if (is_running_[index]) return Step::Run(Draw(parameters_.GetTime("child_work_ns")));
  ++operation_count_;
  kernel.Wake(*forkers_[static_cast<std::size_t>(task.number)], {.cpu = task.cpu, .task = &task});
  return Step::Exit();
}

}  // namespace schedlab::sim
