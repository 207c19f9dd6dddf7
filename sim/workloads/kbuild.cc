#include "sim/workloads/kbuild.h"

#include <fmt/format.h>

namespace schedlab::sim {
namespace {

enum Role : std::int32_t { kMake, kDriver, kCompiler };

}  // namespace

Kbuild::Kbuild(const Parameters& parameters, std::uint64_t seed, std::int32_t cpu_count)
    : job_count_(parameters.GetCount("jobs_count") == 0 ? cpu_count
                                                        : parameters.GetCount("jobs_count")),
      unit_count_(parameters.Get("units_count")),
      make_work_(parameters.GetTime("make_work_ns")),
      driver_work_(parameters.GetTime("driver_work_ns")),
      compile_work_(parameters.GetTime("compile_work_ns")),
      spread_permille_(parameters.Get("work_spread_permille")),
      read_latency_(parameters.GetTime("read_latency_ns")),
      assemble_work_(parameters.GetTime("assemble_work_ns")),
      link_work_(parameters.GetTime("link_work_ns")),
      work_stream_(seed, "kbuild work"),
      slots_(static_cast<std::size_t>(job_count_)) {}

TaskDemand Kbuild::Demand() const {
  return {.count = 1 + std::int64_t{2} * job_count_,
          .reason = fmt::format("make and two processes for each of jobs_count {}", job_count_)};
}

void Kbuild::Start(Kernel& kernel) {
  make_ = &kernel.AddTask("make", kMake, 0);
  for (std::int32_t i = 0; i < job_count_; ++i) {
    Slot& slot = slots_[static_cast<std::size_t>(i)];
    slot.driver = &kernel.AddTask(fmt::format("driver/{}", i), kDriver, i);
    slot.compiler = &kernel.AddTask(fmt::format("compiler/{}", i), kCompiler, i);
    free_slots_.push_back(job_count_ - 1 - i);
  }
  kernel.StartOn(*make_, 0);
}

Step Kbuild::Next(Kernel& kernel, Task& task) {
  switch (static_cast<Role>(task.role)) {
    case kMake:
      return NextOfMake(kernel, task);
    case kDriver:
      return NextOfDriver(kernel, task);
    case kCompiler:
      return NextOfCompiler(kernel, task);
  }
  return Step::Exit();
}

void Kbuild::AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) {
  const auto elapsed = static_cast<double>(Ns(kernel.now())) / 1e9;
  if (elapsed <= 0) return;
  metrics["units_per_sec"] = static_cast<double>(done_count_) / elapsed;
  if (has_linked_) metrics["elapsed_sec"] = elapsed;
}

Step Kbuild::NextOfMake(Kernel& kernel, const Task& make) {
  switch (make_phase_) {
    case MakePhase::kForks:
      if (is_about_to_fork_) {
        is_about_to_fork_ = false;
        ++started_count_;
        Slot& slot = slots_[static_cast<std::size_t>(free_slots_.back())];
        free_slots_.pop_back();
        slot.driver_phase = Phase::kStarts;
        slot.compiler_phase = Phase::kStarts;
        kernel.Fork(*slot.driver, {.cpu = make.cpu, .task = &make});
      }
      return ForkOrWait();
    case MakePhase::kWaits:
      if (done_count_ < unit_count_) return ForkOrWait();
      make_phase_ = MakePhase::kLinks;
      return Step::Run(link_work_);
    case MakePhase::kLinks:
      make_phase_ = MakePhase::kDone;
      has_linked_ = true;
      kernel.End();
      return Step::Exit();
    case MakePhase::kDone:
      return Step::Exit();
  }
  return Step::Exit();
}

Step Kbuild::ForkOrWait() {
  const bool forks = started_count_ < unit_count_ && !free_slots_.empty();
  is_about_to_fork_ = forks;
  make_phase_ = forks ? MakePhase::kForks : MakePhase::kWaits;
  return forks ? Step::Run(make_work_) : Step::Block();
}

Step Kbuild::NextOfDriver(Kernel& kernel, Task& task) {
  Slot& slot = slots_[static_cast<std::size_t>(task.number)];
  switch (slot.driver_phase) {
    case Phase::kStarts:
      slot.driver_phase = Phase::kReads;
      return Step::Exec();
    case Phase::kReads:
      slot.driver_phase = Phase::kComputes;
      return Step::Run(driver_work_);
    case Phase::kComputes:
      slot.driver_phase = Phase::kWaitsForChild;
      kernel.Fork(*slot.compiler, {.cpu = task.cpu, .task = &task});
      return Step::Block();
    case Phase::kWaitsForChild:
      slot.driver_phase = Phase::kEnds;
      return Step::Run(assemble_work_);
    case Phase::kEnds:
      ++done_count_;
      free_slots_.push_back(task.number);
      kernel.Wake(*make_, {.cpu = task.cpu, .task = &task});
      return Step::Exit();
  }
  return Step::Exit();
}

Step Kbuild::NextOfCompiler(Kernel& kernel, Task& task) {
  Slot& slot = slots_[static_cast<std::size_t>(task.number)];
  switch (slot.compiler_phase) {
    case Phase::kStarts:
      slot.compiler_phase = Phase::kReads;
      return Step::Exec();
    case Phase::kReads:
      slot.compiler_phase = Phase::kComputes;
      return Step::Sleep(read_latency_);
    case Phase::kComputes:
      slot.compiler_phase = Phase::kEnds;
      return Step::Run(work_stream_.Around(compile_work_, spread_permille_));
    case Phase::kWaitsForChild:
    case Phase::kEnds:
      kernel.Wake(*slot.driver, {.cpu = task.cpu, .task = &task});
      return Step::Exit();
  }
  return Step::Exit();
}

}  // namespace schedlab::sim
