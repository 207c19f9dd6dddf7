#include "sim/workloads/schbench.h"

#include <fmt/format.h>

#include <algorithm>

namespace schedlab::sim {
namespace {

enum Role : std::int32_t { kMessageThread, kWorker };

// What a message thread computes to hand out one round of work.
constexpr SimDuration kHandOutWork{5'000};

}  // namespace

Schbench::Schbench(const Parameters& parameters, std::uint64_t seed, std::int32_t cpu_count)
    : message_thread_count_(parameters.GetCount("message_threads_count")),
      worker_count_(parameters.GetCount("workers_count") == 0
                        ? std::max(1, cpu_count / message_thread_count_)
                        : parameters.GetCount("workers_count")),
      think_(parameters.GetTime("think_ns")),
      piece_count_(parameters.Get("pieces_count")),
      piece_work_(parameters.GetTime("piece_work_ns")),
      spread_permille_(parameters.Get("work_spread_permille")),
      work_stream_(seed, "schbench work"),
      asking_(static_cast<std::size_t>(message_thread_count_)) {}

TaskDemand Schbench::Demand() const {
  return {.count = message_thread_count_ + std::int64_t{message_thread_count_} * worker_count_,
          .reason = fmt::format("message_threads_count {} with workers_count {} each",
                                message_thread_count_, worker_count_)};
}

void Schbench::Start(Kernel& kernel) {
  for (std::int32_t m = 0; m < message_thread_count_; ++m) {
    message_threads_.push_back(&kernel.AddTask(fmt::format("message/{}", m), kMessageThread, m));
  }
  workers_.resize(static_cast<std::size_t>(message_thread_count_) *
                  static_cast<std::size_t>(worker_count_));
  for (Task* thread : message_threads_) kernel.Fork(*thread, {.cpu = 0});
  for (std::int32_t w = 0; w < message_thread_count_ * worker_count_; ++w) {
    kernel.Fork(kernel.AddTask(fmt::format("worker/{}", w), kWorker, w), {.cpu = 0});
  }
}

Step Schbench::Next(Kernel& kernel, Task& task) {
  return task.role == kMessageThread ? NextOfMessageThread(kernel, task)
                                     : NextOfWorker(kernel, task);
}

void Schbench::AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) {
  const auto elapsed = static_cast<double>(Ns(kernel.now())) / 1e9;
  if (elapsed <= 0) return;
  metrics["requests_per_sec"] = static_cast<double>(request_count_) / elapsed;
  const auto quantile = [&](const char* name, const Histogram& histogram, std::int64_t permille) {
    if (const auto value = histogram.Quantile(permille)) {
      metrics[name] = static_cast<double>(*value);
    }
  };
  quantile("worker_wakeup_p50_ns", wakeup_latencies_, 500);
  quantile("worker_wakeup_p99_ns", wakeup_latencies_, 990);
  quantile("request_time_p50_ns", request_latencies_, 500);
  quantile("request_time_p99_ns", request_latencies_, 990);
}

Step Schbench::NextOfMessageThread(Kernel& kernel, Task& task) {
  std::vector<Task*>& asking = asking_[static_cast<std::size_t>(task.number)];
  for (Task* worker : asking) {
    workers_[static_cast<std::size_t>(worker->number)].woken_at = kernel.now();
    kernel.Wake(*worker, {.cpu = task.cpu, .task = &task});
  }
  const bool handed_out = !asking.empty();
  asking.clear();
  return handed_out ? Step::Run(kHandOutWork) : Step::Block();
}

Step Schbench::NextOfWorker(Kernel& kernel, Task& task) {
  Worker& worker = workers_[static_cast<std::size_t>(task.number)];
  switch (worker.phase) {
    case Phase::kAsks:
      return Ask(kernel, task, worker);
    case Phase::kWaits:
      wakeup_latencies_.Add(kernel.now() - worker.woken_at);
      worker.phase = Phase::kThinks;
      worker.began_at = kernel.now();
      return Step::Sleep(think_);
    case Phase::kThinks:
      worker.phase = Phase::kComputes;
      worker.pieces_left = piece_count_;
      return Step::Run(work_stream_.Around(piece_work_, spread_permille_));
    case Phase::kComputes:
      if (--worker.pieces_left > 0) {
        return Step::Run(work_stream_.Around(piece_work_, spread_permille_));
      }
      ++request_count_;
      request_latencies_.Add(kernel.now() - worker.began_at);
      return Ask(kernel, task, worker);
  }
  return Step::Exit();
}

Step Schbench::Ask(Kernel& kernel, Task& task, Worker& worker) {
  const auto thread = static_cast<std::size_t>(task.number / worker_count_);
  worker.phase = Phase::kWaits;
  asking_[thread].push_back(&task);
  kernel.Wake(*message_threads_[thread], {.cpu = task.cpu, .task = &task});
  return Step::Block();
}

}  // namespace schedlab::sim
