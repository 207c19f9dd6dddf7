#include "sim/workloads/barrier.h"

#include <fmt/format.h>

namespace schedlab::sim {
namespace {

enum Role : std::int32_t { kParent, kThread };

}  // namespace

Barrier::Barrier(const Parameters& parameters, std::uint64_t seed, std::int32_t cpu_count)
    : thread_count_(parameters.GetCount("threads_count") == 0
                        ? cpu_count
                        : parameters.GetCount("threads_count")),
      phase_count_(parameters.Get("phases_count")),
      piece_work_(parameters.GetTime("piece_work_ns")),
      spread_permille_(parameters.Get("work_spread_permille")),
      spin_(parameters.GetTime("spin_ns")),
      line_(parameters.GetTime("fork_work_ns")),
      work_stream_(seed, "barrier work"),
      threads_(static_cast<std::size_t>(thread_count_)) {}

TaskDemand Barrier::Demand() const {
  return {.count = std::int64_t{1} + thread_count_,
          .reason = fmt::format("a parent and threads_count {}", thread_count_)};
}

void Barrier::Start(Kernel& kernel) {
  line_.AddParent(kernel, kParent);
  for (std::int32_t i = 0; i < thread_count_; ++i) {
    line_.AddChild(kernel.AddTask(fmt::format("thread/{}", i), kThread, i));
  }
  line_.Start(kernel);
}

Step Barrier::Next(Kernel& kernel, Task& task) {
  return task.role == kParent ? line_.NextOfParent(kernel) : NextOfThread(kernel, task);
}

void Barrier::AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) {
  if (!line_.is_open()) return;
  const auto elapsed = static_cast<double>(Ns(kernel.now() - line_.opened_at())) / 1e9;
  if (elapsed <= 0) return;
  metrics["phases_per_sec"] = static_cast<double>(passed_count_) / elapsed;
  if (has_finished_) metrics["elapsed_sec"] = elapsed;
}

Step Barrier::NextOfThread(Kernel& kernel, Task& task) {
  Thread& thread = threads_[static_cast<std::size_t>(task.number)];
  switch (thread.phase) {
    case Phase::kStarting:
      thread.phase = Phase::kAtLine;
      return line_.Wait(kernel, task);
    case Phase::kAtLine:
      return Compute(thread);
    case Phase::kComputes:
      return Arrive(kernel, task, thread);
    case Phase::kSpins:
      if (thread.released_phase == passed_count_) return Compute(thread);
      thread.phase = Phase::kSleeps;
      return Step::Block();
    case Phase::kSleeps:
      return Compute(thread);
  }
  return Step::Exit();
}

Step Barrier::Arrive(Kernel& kernel, Task& task, Thread& thread) {
  if (waiting_.size() + 1 == threads_.size()) {
    thread.released_phase = ++passed_count_;
    Open(kernel, task);
    has_finished_ = passed_count_ == phase_count_;
    if (has_finished_) kernel.End();
    return has_finished_ ? Step::Exit() : Compute(thread);
  }
  waiting_.push_back(&task);
  thread.phase = spin_ > SimDuration{0} ? Phase::kSpins : Phase::kSleeps;
  return thread.phase == Phase::kSpins ? Step::Spin(spin_) : Step::Block();
}

Step Barrier::Compute(Thread& thread) {
  thread.phase = Phase::kComputes;
  return Step::Run(work_stream_.Around(piece_work_, spread_permille_));
}

void Barrier::Open(Kernel& kernel, const Task& last) {
  for (Task* task : waiting_) {
    threads_[static_cast<std::size_t>(task->number)].released_phase = passed_count_;
    kernel.Release(*task);
    kernel.Wake(*task, {.cpu = last.cpu, .task = &last});
  }
  waiting_.clear();
}

}  // namespace schedlab::sim
