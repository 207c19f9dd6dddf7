#include "sim/workloads/mmap_pread_seq.h"

#include <fmt/format.h>

namespace schedlab::sim {
namespace {

enum Role : std::int32_t { kParent, kReader };

}  // namespace

MmapPreadSeq::MmapPreadSeq(const Parameters& parameters, std::uint64_t seed, std::int32_t cpu_count)
    : reader_count_(parameters.GetCount("readers_count") == 0
                        ? cpu_count
                        : parameters.GetCount("readers_count")),
      window_count_(parameters.Get("windows_count")),
      page_count_(parameters.Get("window_pages_count")),
      cached_count_(parameters.Get("cached_windows_count")),
      touch_work_(parameters.GetTime("touch_work_ns")),
      minor_work_(parameters.GetTime("minor_fault_work_ns")),
      major_work_(parameters.GetTime("major_fault_work_ns")),
      contention_permille_(parameters.Get("contention_permille")),
      read_latency_(parameters.GetTime("read_latency_ns")),
      spread_permille_(parameters.Get("work_spread_permille")),
      line_(parameters.GetTime("fork_work_ns")),
      work_stream_(seed, "mmap_pread_seq work"),
      io_stream_(seed, "mmap_pread_seq io"),
      readers_(static_cast<std::size_t>(reader_count_)),
      states_(static_cast<std::size_t>(window_count_)),
      waiting_(static_cast<std::size_t>(window_count_)) {}

TaskDemand MmapPreadSeq::Demand() const {
  return {.count = std::int64_t{1} + reader_count_,
          .reason = fmt::format("a parent and readers_count {}", reader_count_)};
}

void MmapPreadSeq::Start(Kernel& kernel) {
  line_.AddParent(kernel, kParent);
  for (std::int32_t i = 0; i < reader_count_; ++i) {
    line_.AddChild(kernel.AddTask(fmt::format("reader/{}", i), kReader, i));
  }
  line_.Start(kernel);
}

Step MmapPreadSeq::Next(Kernel& kernel, Task& task) {
  return task.role == kParent ? line_.NextOfParent(kernel) : NextOfReader(kernel, task);
}

void MmapPreadSeq::AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) {
  if (!line_.is_open()) return;
  const auto elapsed = static_cast<double>(Ns(kernel.now() - line_.opened_at())) / 1e9;
  if (elapsed <= 0) return;
  const auto per_reader = static_cast<double>(window_count_ * page_count_);
  double rate = 0;
  for (const Reader& reader : readers_) {
    if (reader.window < window_count_) continue;
    rate += per_reader * 1e9 / static_cast<double>(Ns(reader.finished_at - line_.opened_at()));
  }
  if (finished_count_ == reader_count_) {
    metrics["elapsed_sec"] = elapsed;
    metrics["pages_per_sec"] = rate;
  }
  metrics["major_faults"] = static_cast<double>(major_count_);
  metrics["minor_faults"] = static_cast<double>(touched_count_ - major_count_);
  const auto all = static_cast<double>(Ns(user_work_ + system_work_));
  if (all > 0) metrics["system_work_ratio"] = static_cast<double>(Ns(system_work_)) / all;
}

Step MmapPreadSeq::NextOfReader(Kernel& kernel, Task& task) {
  Reader& reader = readers_[static_cast<std::size_t>(task.number)];
  switch (reader.phase) {
    case Phase::kStarting:
      reader.phase = Phase::kArrives;
      return line_.Wait(kernel, task);
    case Phase::kArrives:
      return ArriveAtWindow(task, reader);
    case Phase::kFaults:
      reader.phase = Phase::kReads;
      return Step::Sleep(io_stream_.Around(read_latency_, spread_permille_));
    case Phase::kReads:
      CompleteRead(kernel, task, reader.window);
      return Touch(reader);
    case Phase::kTouches:
      return FinishWindow(kernel, task, reader);
  }
  return Step::Exit();
}

Step MmapPreadSeq::ArriveAtWindow(Task& task, Reader& reader) {
  switch (StateOf(reader.window)) {
    case WindowState::kPresent:
      return Touch(reader);
    case WindowState::kBeingRead:
      // It arrives once more when the pages are there; by then they may be gone again.
      waiting_[static_cast<std::size_t>(reader.window)].push_back(&task);
      return Step::Block();
    case WindowState::kAbsent:
      return StartFault(reader);
  }
  return Step::Exit();
}

// Allocating and reclaiming pages contends with everybody else who does.
Step MmapPreadSeq::StartFault(Reader& reader) {
  ++major_count_;
  StateOf(reader.window) = WindowState::kBeingRead;
  reader.phase = Phase::kFaults;
  const std::int64_t permille = 1'000 + contention_permille_ * faulting_count_;
  ++faulting_count_;
  const SimDuration work = work_stream_.Around(major_work_, spread_permille_) * permille / 1'000;
  system_work_ += work;
  return Step::Run(work);
}

Step MmapPreadSeq::Touch(Reader& reader) {
  reader.phase = Phase::kTouches;
  touched_count_ += page_count_;
  const SimDuration user = touch_work_ * page_count_;
  const SimDuration system = minor_work_ * page_count_;
  user_work_ += user;
  system_work_ += system;
  return Step::Run(work_stream_.Around(user + system, spread_permille_));
}

void MmapPreadSeq::CompleteRead(Kernel& kernel, const Task& task, std::int64_t window) {
  --faulting_count_;
  StateOf(window) = WindowState::kPresent;
  cached_.push_back(window);
  if (static_cast<std::int64_t>(cached_.size()) > cached_count_) {
    StateOf(cached_.front()) = WindowState::kAbsent;
    cached_.pop_front();
  }
  std::vector<Task*> waiting;
  waiting.swap(waiting_[static_cast<std::size_t>(window)]);
  for (Task* other : waiting) kernel.Wake(*other, {.cpu = task.cpu, .task = &task});
}

Step MmapPreadSeq::FinishWindow(Kernel& kernel, Task& task, Reader& reader) {
  reader.phase = Phase::kArrives;
  if (++reader.window == window_count_) {
    reader.finished_at = kernel.now();
    if (++finished_count_ == reader_count_) kernel.End();
    return Step::Exit();
  }
  return ArriveAtWindow(task, reader);
}

}  // namespace schedlab::sim
