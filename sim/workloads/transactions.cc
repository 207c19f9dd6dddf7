#include "sim/workloads/transactions.h"

#include <fmt/format.h>

namespace schedlab::sim {
namespace {

enum Role : std::int32_t { kParent, kThread, kLogWriter };

// What the log writer computes for one flush.
constexpr SimDuration kFlushWork{20'000};

}  // namespace

Transactions::Transactions(const Parameters& parameters, std::uint64_t seed)
    : thread_count_(parameters.GetCount("threads_count")),
      transaction_count_(parameters.Get("transactions_count")),
      statement_count_(parameters.Get("statements_count")),
      statement_work_(parameters.GetTime("statement_work_ns")),
      spread_permille_(parameters.Get("work_spread_permille")),
      locked_permille_(parameters.Get("locked_statements_permille")),
      lock_work_(parameters.GetTime("lock_work_ns")),
      io_permille_(parameters.Get("io_statements_permille")),
      io_latency_(parameters.GetTime("io_latency_ns")),
      commit_latency_(parameters.GetTime("commit_latency_ns")),
      line_(parameters.GetTime("fork_work_ns")),
      work_stream_(seed, "transactions work"),
      lock_stream_(seed, "transactions locks"),
      io_stream_(seed, "transactions io"),
      locks_(static_cast<std::size_t>(parameters.Get("locks_count"))),
      threads_(static_cast<std::size_t>(thread_count_)) {}

TaskDemand Transactions::Demand() const {
  return {.count = std::int64_t{2} + thread_count_,
          .reason = fmt::format("a parent, a log writer and threads_count {}", thread_count_)};
}

void Transactions::Start(Kernel& kernel) {
  line_.AddParent(kernel, kParent);
  for (std::int32_t i = 0; i < thread_count_; ++i) {
    line_.AddChild(kernel.AddTask(fmt::format("thread/{}", i), kThread, i));
    threads_[static_cast<std::size_t>(i)].transactions_left = transaction_count_;
  }
  line_.Start(kernel);
  if (commit_latency_ == SimDuration{0}) return;
  log_writer_ = &kernel.AddTask("log-writer", kLogWriter, 0);
  kernel.StartOn(*log_writer_, 0);
}

Step Transactions::Next(Kernel& kernel, Task& task) {
  switch (static_cast<Role>(task.role)) {
    case kParent:
      return line_.NextOfParent(kernel);
    case kThread:
      return NextOfThread(kernel, task);
    case kLogWriter:
      return NextOfLogWriter(kernel, task);
  }
  return Step::Exit();
}

void Transactions::AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) {
  if (!line_.is_open()) return;
  const auto elapsed = static_cast<double>(Ns(kernel.now() - line_.opened_at())) / 1e9;
  if (elapsed <= 0) return;
  metrics["transactions_per_sec"] = static_cast<double>(done_count_) / elapsed;
  if (finished_count_ == thread_count_) metrics["elapsed_sec"] = elapsed;
  const auto quantile = [&](const char* name, std::int64_t permille) {
    if (const auto value = latencies_.Quantile(permille)) {
      metrics[name] = static_cast<double>(*value);
    }
  };
  quantile("transaction_time_p50_ns", 500);
  quantile("transaction_time_p99_ns", 990);
}

Step Transactions::NextOfThread(Kernel& kernel, Task& task) {
  Thread& thread = threads_[static_cast<std::size_t>(task.number)];
  switch (thread.phase) {
    case Phase::kStarting:
      thread.phase = Phase::kBegins;
      return line_.Wait(kernel, task);
    case Phase::kBegins:
      return Begin(kernel, thread);
    case Phase::kComputes:
      return NextStatement(kernel, task, thread);
    case Phase::kWaitsForLock:
      thread.phase = Phase::kHoldsLock;
      return Step::Run(work_stream_.Around(lock_work_, spread_permille_));
    case Phase::kHoldsLock:
      if (Task* const next = locks_[thread.lock].Give(); next != nullptr) {
        kernel.Wake(*next, {.cpu = task.cpu, .task = &task});
      }
      return EndStatement(kernel, task, thread);
    case Phase::kWaitsForIo:
      return EndStatement(kernel, task, thread);
    case Phase::kCommits:
      return EndTransaction(kernel, thread);
  }
  return Step::Exit();
}

Step Transactions::Begin(const Kernel& kernel, Thread& thread) {
  thread.phase = Phase::kComputes;
  thread.statements_left = statement_count_;
  thread.began_at = kernel.now();
  return Step::Run(work_stream_.Around(statement_work_, spread_permille_));
}

// The computing of a statement is done; it may go on under a lock, or with I/O.
Step Transactions::NextStatement(Kernel& kernel, Task& task, Thread& thread) {
  if (lock_stream_.OneIn1000(locked_permille_)) return TakeLock(task, thread);
  if (io_stream_.OneIn1000(io_permille_)) {
    thread.phase = Phase::kWaitsForIo;
    return Step::Sleep(io_stream_.Around(io_latency_, spread_permille_));
  }
  return EndStatement(kernel, task, thread);
}

Step Transactions::TakeLock(Task& task, Thread& thread) {
  thread.lock =
      static_cast<std::size_t>(lock_stream_.Below(static_cast<std::int64_t>(locks_.size())));
  const bool owns = locks_[thread.lock].Take(task);
  thread.phase = owns ? Phase::kHoldsLock : Phase::kWaitsForLock;
  return owns ? Step::Run(work_stream_.Around(lock_work_, spread_permille_)) : Step::Block();
}

Step Transactions::EndStatement(Kernel& kernel, Task& task, Thread& thread) {
  if (--thread.statements_left > 0) {
    thread.phase = Phase::kComputes;
    return Step::Run(work_stream_.Around(statement_work_, spread_permille_));
  }
  if (log_writer_ == nullptr) return EndTransaction(kernel, thread);
  thread.phase = Phase::kCommits;
  to_commit_.push_back(&task);
  // A flush under way must not be cut short.
  if (committing_.empty()) kernel.Wake(*log_writer_, {.cpu = task.cpu, .task = &task});
  return Step::Block();
}

Step Transactions::EndTransaction(Kernel& kernel, Thread& thread) {
  ++done_count_;
  latencies_.Add(kernel.now() - thread.began_at);
  if (thread.transactions_left > 0 && --thread.transactions_left == 0) {
    if (++finished_count_ == thread_count_) kernel.End();
    return Step::Exit();
  }
  return Begin(kernel, thread);
}

// Whoever comes while a flush is under way waits for the next one.
Step Transactions::NextOfLogWriter(Kernel& kernel, Task& writer) {
  enum Stage : std::int32_t { kIdle, kPrepares, kFlushes };
  if (writer.number == kPrepares) {
    writer.number = kFlushes;
    return Step::Sleep(commit_latency_);
  }
  if (writer.number == kFlushes) {
    for (Task* task : committing_) kernel.Wake(*task, {.cpu = writer.cpu, .task = &writer});
    committing_.clear();
    writer.number = kIdle;
  }
  if (to_commit_.empty()) return Step::Block();
  committing_.swap(to_commit_);
  writer.number = kPrepares;
  return Step::Run(kFlushWork);
}

}  // namespace schedlab::sim
