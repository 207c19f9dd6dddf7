#include "sim/workloads/fs_mark.h"

#include <fmt/format.h>

#include <algorithm>

namespace schedlab::sim {
namespace {

enum Role : std::int32_t { kParent, kWriter, kWorker, kCheckpoint, kDaemon };

constexpr std::int32_t kIoItem = -1;
constexpr std::int32_t kNobody = -1;
// Lengths that the case gives as one number are drawn evenly from half to one and a half of it.
constexpr std::int64_t kHalf = 500;

}  // namespace

FsMark::FsMark(const Parameters& parameters, std::uint64_t seed, std::int32_t cpu_count)
    : parameters_(parameters),
      cpu_count_(cpu_count),
      file_work_(parameters.GetTime("file_work_ns")),
      file_spread_permille_(parameters.Get("file_spread_permille")),
      lock_permille_(parameters.Get("lock_share_permille")),
      read_permille_(parameters.Get("read_share_permille")),
      io_permille_(parameters.Get("io_per_file_permille")),
      checkpoint_files_(parameters.Get("checkpoint_files_count")),
      files_per_writer_(parameters.Get("files_per_writer_count")),
      iteration_count_(parameters.Get("iterations_count")),
      file_stream_(seed, "fs_mark files"),
      lock_stream_(seed, "fs_mark locks"),
      io_stream_(seed, "fs_mark io"),
      sleep_stream_(seed, "fs_mark sleeps"),
      daemon_stream_(seed, "fs_mark daemons"),
      writers_(static_cast<std::size_t>(parameters.Get("writers_count"))),
      locks_(static_cast<std::size_t>(parameters.Get("locks_count"))),
      irq_cpus_(
          static_cast<std::size_t>(std::min(parameters.GetCount("irq_cpus_count"), cpu_count))) {
  // The log is found partly full: else checkpoints would keep step with the iterations.
  if (checkpoint_files_ > 0) {
    checkpoint_.next_at_files = 1 + RandomStream(seed, "fs_mark log").Below(checkpoint_files_);
  }
}

TaskDemand FsMark::Demand() const {
  const std::int64_t daemon_count = parameters_.Get("daemons_count");
  const auto writer_count = static_cast<std::int64_t>(writers_.size());
  const auto irq_count = static_cast<std::int64_t>(irq_cpus_.size());
  return {
      .count = 1 + writer_count + daemon_count + irq_count + cpu_count_,
      .reason = fmt::format("a parent, writers_count {}, daemons_count {}, a worker for each of "
                            "{} CPUs that take interrupts and for each of {} CPUs",
                            writer_count, daemon_count, irq_count, cpu_count_)};
}

void FsMark::Start(Kernel& kernel) {
  parent_ = &kernel.AddTask("fs_mark", kParent, 0);
  for (std::size_t i = 0; i < writers_.size(); ++i) {
    const auto number = static_cast<std::int32_t>(i);
    writers_[i].task = &kernel.AddTask(fmt::format("writer/{}", i), kWriter, number);
    // The timer numbers are the writers': TimerFired() tells them from the I/O's by that.
    writers_[i].sleep_timer = kernel.AddTimer(number % static_cast<std::int32_t>(irq_cpus_.size()));
  }
  for (std::size_t i = 0; i < irq_cpus_.size(); ++i) {
    IrqCpu& irq = irq_cpus_[i];
    irq.cpu = static_cast<CpuNumber>(i);
    irq.worker = &kernel.AddTaskOn(fmt::format("kworker/{}", i), {irq.cpu}, kWorker, irq.cpu);
    irq.timer = kernel.AddTimer(irq.cpu);
    kernel.StartOn(*irq.worker, irq.cpu);
  }
  for (CpuNumber cpu = 0; cpu < kernel.cpu_count(); ++cpu) {
    checkpoint_workers_.push_back(
        &kernel.AddTaskOn(fmt::format("checkpoint/{}", cpu), {cpu}, kCheckpoint, cpu));
    kernel.StartOn(*checkpoint_workers_.back(), cpu);
  }
  for (std::int32_t i = 0; i < parameters_.GetCount("daemons_count"); ++i) {
    kernel.StartOn(kernel.AddTask(fmt::format("daemon/{}", i), kDaemon, 0), i % kernel.cpu_count());
  }
  kernel.StartOn(*parent_, 0);
}

Step FsMark::Next(Kernel& kernel, Task& task) {
  switch (static_cast<Role>(task.role)) {
    case kParent:
      return NextOfParent(kernel, task);
    case kWriter:
      return NextOfWriter(kernel, task);
    case kWorker:
      return NextOfWorker(kernel, task);
    case kCheckpoint:
      return NextOfCheckpoint(kernel, task);
    case kDaemon:
      return NextOfDaemon(task);
  }
  return Step::Exit();
}

void FsMark::TimerFired(Kernel& kernel, std::int32_t timer) {
  const auto number = static_cast<std::size_t>(timer);
  if (number < writers_.size()) {
    EndSleep(kernel, writers_[number]);
  } else {
    CompleteIo(kernel, irq_cpus_[number - writers_.size()]);
  }
}

// fs_mark prints the sum of its children's rates; without a finished iteration there is only the
// mean so far.
void FsMark::AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) {
  const double elapsed = static_cast<double>(Ns(kernel.now())) / 1e9;
  if (file_count_ == 0 || elapsed <= 0) return;
  metrics["files_per_sec"] = iterations_done_ > 0
                                 ? rate_sum_ / static_cast<double>(iterations_done_)
                                 : static_cast<double>(file_count_) / elapsed;
  if (iteration_count_ > 0 && iterations_done_ == iteration_count_) {
    metrics["elapsed_sec"] = elapsed;
  }
  SimDuration busy{0};
  for (CpuNumber cpu = 0; cpu < kernel.cpu_count(); ++cpu) {
    const CpuTimes& times = kernel.machine().times(cpu);
    busy += times.work + times.overhead + times.irq;
  }
  metrics["cpu_time_per_op_ns"] = static_cast<double>(Ns(busy)) / static_cast<double>(file_count_);
}

Step FsMark::NextOfParent(Kernel& kernel, Task& parent) {
  if (forked_count_ < writers_.size()) {
    if (parent.work_done > SimDuration{0}) {
      Writer& writer = writers_[forked_count_++];
      writer.phase = Phase::kStart;
      writer.files_left = files_per_writer_;
      writer.forked_at = kernel.now();
      writer.burst_left = sleep_stream_.Around(parameters_.GetTime("burst_work_ns"), kHalf);
      kernel.Fork(*writer.task, {.cpu = parent.cpu, .task = &parent});
    }
    return forked_count_ < writers_.size() ? Step::Run(parameters_.GetTime("fork_work_ns"))
                                           : Step::Block();
  }
  ++iterations_done_;
  rate_sum_ += iteration_rate_;
  iteration_rate_ = 0;
  exited_count_ = 0;
  forked_count_ = 0;
  if (iterations_done_ == iteration_count_) {
    kernel.End();
    return Step::Exit();
  }
  return Step::Run(parameters_.GetTime("fork_work_ns"));
}

Step FsMark::NextOfWriter(Kernel& kernel, Task& task) {
  Writer& writer = writers_[static_cast<std::size_t>(task.number)];
  switch (writer.phase) {
    case Phase::kStart:
      return StartFile(kernel, writer);
    case Phase::kWantLock:
      return TakeLock(writer, task.number);
    case Phase::kOwnLock:
      writer.phase = Phase::kHoldLock;
      return Step::Run(Share(writer, lock_permille_));
    case Phase::kHoldLock:
      ReleaseLock(kernel, writer);
      return BeginRead(writer);
    case Phase::kWantRead:
      return BeginRead(writer);
    case Phase::kRead:
      EndRead(kernel, writer);
      FinishFile(kernel, writer);
      if (writer.files_left == 0 && files_per_writer_ > 0) return ExitWriter(kernel, writer);
      return StartFile(kernel, writer);
  }
  return Step::Exit();
}

// Between two files the writer sleeps if its burst is over.
Step FsMark::StartFile(Kernel& kernel, Writer& writer) {
  writer.phase = Phase::kStart;
  if (writer.burst_left <= SimDuration{0}) {
    writer.burst_left = sleep_stream_.Around(parameters_.GetTime("burst_work_ns"), kHalf);
    const SimDuration sleep = sleep_stream_.Around(parameters_.GetTime("sleep_ns"), kHalf);
    kernel.ArmTimer(writer.sleep_timer, kernel.now() + sleep);
    return Step::Block();
  }
  writer.file_work = file_stream_.Around(file_work_, file_spread_permille_);
  writer.burst_left -= writer.file_work;
  writer.phase = Phase::kWantLock;
  return Step::Run(writer.file_work - Share(writer, lock_permille_) -
                   Share(writer, read_permille_));
}

Step FsMark::TakeLock(Writer& writer, std::int32_t number) {
  writer.lock =
      static_cast<std::int32_t>(lock_stream_.Below(static_cast<std::int64_t>(locks_.size())));
  Lock& lock = locks_[static_cast<std::size_t>(writer.lock)];
  if (!lock.is_held) {
    lock.is_held = true;
    writer.phase = Phase::kHoldLock;
    return Step::Run(Share(writer, lock_permille_));
  }
  writer.next_waiter = kNobody;
  if (lock.first_waiter == kNobody) {
    lock.first_waiter = number;
  } else {
    writers_[static_cast<std::size_t>(lock.last_waiter)].next_waiter = number;
  }
  lock.last_waiter = number;
  writer.phase = Phase::kOwnLock;
  return Step::Block();
}

// Handed over: the next in line owns the lock from now on, though it may have to wait for a CPU.
void FsMark::ReleaseLock(Kernel& kernel, const Writer& writer) {
  Lock& lock = locks_[static_cast<std::size_t>(writer.lock)];
  if (lock.first_waiter == kNobody) {
    lock.is_held = false;
    return;
  }
  const Writer& next = writers_[static_cast<std::size_t>(lock.first_waiter)];
  lock.first_waiter = next.next_waiter;
  kernel.Wake(*next.task, {.cpu = writer.task->cpu, .task = writer.task});
}

Step FsMark::BeginRead(Writer& writer) {
  if (checkpoint_.is_wanted) {
    writer.phase = Phase::kWantRead;
    checkpoint_.waiting_readers.push_back(writer.task);
    return Step::Block();
  }
  ++checkpoint_.reader_count;
  writer.phase = Phase::kRead;
  return Step::Run(Share(writer, read_permille_));
}

void FsMark::EndRead(Kernel& kernel, const Writer& writer) {
  --checkpoint_.reader_count;
  const bool lets_in = checkpoint_.is_wanted && checkpoint_.reader_count == 0 &&
                       checkpoint_.phase == CheckpointPhase::kExclude;
  if (lets_in) kernel.Wake(*checkpoint_.worker, {.cpu = writer.task->cpu, .task = writer.task});
}

void FsMark::FinishFile(Kernel& kernel, Writer& writer) {
  ++file_count_;
  --writer.files_left;
  if (io_permille_ > 0 && io_stream_.OneIn1000(io_permille_)) SubmitIo(kernel);
  if (checkpoint_files_ > 0 && file_count_ >= checkpoint_.next_at_files &&
      checkpoint_.phase == CheckpointPhase::kNone) {
    checkpoint_.next_at_files = file_count_ + checkpoint_files_;
    StartCheckpoint(kernel, writer);
  }
}

Step FsMark::ExitWriter(Kernel& kernel, Writer& writer) {
  iteration_rate_ += static_cast<double>(files_per_writer_) * 1e9 /
                     static_cast<double>(Ns(kernel.now() - writer.forked_at));
  if (++exited_count_ == writers_.size()) {
    kernel.Wake(*parent_, {.cpu = writer.task->cpu, .task = writer.task});
  }
  return Step::Exit();
}

Step FsMark::NextOfWorker(Kernel& kernel, Task& task) {
  IrqCpu& irq = irq_cpus_[static_cast<std::size_t>(task.number)];
  if (irq.is_working) {
    const std::int32_t item = irq.items.front();
    irq.items.pop_front();
    if (item != kIoItem) {
      kernel.Wake(*writers_[static_cast<std::size_t>(item)].task, {.cpu = task.cpu, .task = &task});
    }
  }
  irq.is_working = !irq.items.empty();
  return irq.is_working ? Step::Run(parameters_.GetTime("io_work_ns")) : Step::Block();
}

Step FsMark::NextOfCheckpoint(Kernel& kernel, Task& task) {
  if (checkpoint_.worker != &task) return Step::Block();
  switch (checkpoint_.phase) {
    case CheckpointPhase::kNone:
      return Step::Block();
    case CheckpointPhase::kExclude:
      checkpoint_.is_wanted = true;
      if (checkpoint_.reader_count > 0) return Step::Block();
      checkpoint_.phase = CheckpointPhase::kExclusive;
      return Step::Run(parameters_.GetTime("checkpoint_exclusive_ns"));
    case CheckpointPhase::kExclusive:
      checkpoint_.is_wanted = false;
      for (Task* reader : checkpoint_.waiting_readers) {
        kernel.Wake(*reader, {.cpu = task.cpu, .task = &task});
      }
      checkpoint_.waiting_readers.clear();
      checkpoint_.phase = CheckpointPhase::kPieces;
      checkpoint_.work_left = parameters_.GetTime("checkpoint_work_ns");
      return NextPiece();
    case CheckpointPhase::kPieces:
      return NextPiece();
  }
  return Step::Block();
}

// Pieces of work with a wait after each.
Step FsMark::NextPiece() {
  if (checkpoint_.is_piece_running) {
    checkpoint_.is_piece_running = false;
    if (checkpoint_.work_left > SimDuration{0}) {
      return Step::Sleep(parameters_.GetTime("checkpoint_wait_ns"));
    }
    checkpoint_.phase = CheckpointPhase::kNone;
    return Step::Block();
  }
  checkpoint_.is_piece_running = true;
  const SimDuration piece =
      std::min(parameters_.GetTime("checkpoint_piece_ns"), checkpoint_.work_left);
  checkpoint_.work_left -= piece;
  return Step::Run(piece);
}

Step FsMark::NextOfDaemon(Task& task) {
  task.number = 1 - task.number;
  const std::int64_t work = parameters_.Get("daemon_work_ns");
  if (task.number == 1) return Step::Run(daemon_stream_.Around(SimDuration(work), kHalf));
  const std::int64_t share = parameters_.Get("daemon_share_permille");
  return Step::Sleep(daemon_stream_.Around(SimDuration(work * (1000 - share) / share), kHalf));
}

void FsMark::StartCheckpoint(Kernel& kernel, const Writer& writer) {
  checkpoint_.phase = CheckpointPhase::kExclude;
  checkpoint_.worker = checkpoint_workers_[static_cast<std::size_t>(writer.task->cpu)];
  kernel.Wake(*checkpoint_.worker, {.cpu = writer.task->cpu, .task = writer.task});
}

void FsMark::SubmitIo(Kernel& kernel) {
  IrqCpu& irq = AnyIrqCpu();
  const SimTime at = kernel.now() + parameters_.GetTime("io_latency_ns");
  if (irq.completions_at.empty()) kernel.ArmTimer(irq.timer, at);
  irq.completions_at.push_back(at);
}

void FsMark::CompleteIo(Kernel& kernel, IrqCpu& irq) {
  irq.completions_at.pop_front();
  if (!irq.completions_at.empty()) kernel.ArmTimer(irq.timer, irq.completions_at.front());
  GiveToWorker(kernel, irq, kIoItem);
}

// What a sleeper waited for has happened: it is woken in the interrupt itself, by the worker of
// that CPU, or by another writer that made it happen.
void FsMark::EndSleep(Kernel& kernel, Writer& writer) {
  IrqCpu& irq = irq_cpus_[static_cast<std::size_t>(writer.task->number) % irq_cpus_.size()];
  if (sleep_stream_.OneIn1000(parameters_.Get("irq_wakeups_permille"))) {
    kernel.Wake(*writer.task, {.cpu = irq.cpu});
    return;
  }
  if (sleep_stream_.OneIn1000(parameters_.Get("worker_wakeups_permille")) ||
      !WakeByOtherWriter(kernel, writer)) {
    GiveToWorker(kernel, irq, writer.task->number);
  }
}

// Some writer that is executing, from a random one on. False where none is.
bool FsMark::WakeByOtherWriter(Kernel& kernel, const Writer& sleeper) {
  const auto first =
      static_cast<std::size_t>(sleep_stream_.Below(static_cast<std::int64_t>(writers_.size())));
  for (std::size_t i = 0; i < writers_.size(); ++i) {
    const Task* const waker = writers_[(first + i) % writers_.size()].task;
    if (waker->state != TaskState::kRunning) continue;
    kernel.Wake(*sleeper.task, {.cpu = waker->cpu, .task = waker});
    return true;
  }
  return false;
}

void FsMark::GiveToWorker(Kernel& kernel, IrqCpu& irq, std::int32_t item) {
  irq.items.push_back(item);
  kernel.Wake(*irq.worker, {.cpu = irq.cpu});
}

FsMark::IrqCpu& FsMark::AnyIrqCpu() {
  if (irq_cpus_.size() == 1) return irq_cpus_.front();
  return irq_cpus_[static_cast<std::size_t>(
      io_stream_.Below(static_cast<std::int64_t>(irq_cpus_.size())))];
}

}  // namespace schedlab::sim
