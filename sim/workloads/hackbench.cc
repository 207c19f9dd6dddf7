#include "sim/workloads/hackbench.h"

#include <fmt/format.h>

#include "core/check.h"

namespace schedlab::sim {
namespace {

enum Role : std::int32_t { kParent, kSender, kReceiver };

// Senders that found a socket full are woken together, once it has drained to a quarter.
constexpr std::int64_t kSocketWakeFill = 4;
// Linux 2.6.35 and later: a pipe holds 16 pages, and small messages share a page; a writer that
// found it full is woken as soon as a page is free. 40 messages of 100 bytes fit a page.
constexpr std::int64_t kMessagesPerPage = 40;
constexpr std::int64_t kPipeCapacity = 16 * kMessagesPerPage;
constexpr std::int32_t kRtPriority = 10;

// sched(7): the numbers of sched_setscheduler(2). 4 and others that no policy has are the normal
// one.
SchedPolicy PolicyOfNumber(std::int64_t number) {
  switch (number) {
    case 1:
      return SchedPolicy::kFifo;
    case 2:
      return SchedPolicy::kRoundRobin;
    case 3:
      return SchedPolicy::kBatch;
    case 5:
      return SchedPolicy::kIdle;
  }
  return SchedPolicy::kNormal;
}

// Sockets and pipes wake with the hint that the waker is about to sleep, whether it is or not.
Context SyncFrom(const Task& waker) {
  return {.cpu = waker.cpu, .task = &waker, .hint = WakeHint::kSync};
}

}  // namespace

Hackbench::Hackbench(const Parameters& parameters, std::uint64_t seed)
    : group_count_(parameters.GetCount("groups_count")),
      pair_count_(parameters.GetCount("pairs_count")),
      loop_count_(parameters.Get("loops_count")),
      write_work_(parameters.GetTime("write_work_ns")),
      read_work_(parameters.GetTime("read_work_ns")),
      spread_permille_(parameters.Get("work_spread_permille")),
      uses_threads_(parameters.Get("threads_flag") != 0),
      uses_pipes_(parameters.Get("pipes_flag") != 0),
      is_in_task_group_(parameters.Get("task_group_flag") != 0),
      policy_number_(parameters.Get("policy_number")),
      starts_evenly_(parameters.Get("even_start_flag") != 0),
      capacity_(uses_pipes_ ? kPipeCapacity : parameters.Get("socket_capacity_count")),
      wake_fill_(uses_pipes_ ? capacity_ - kMessagesPerPage : capacity_ / kSocketWakeFill),
      fork_work_(parameters.GetTime("fork_work_ns")),
      start_work_(parameters.GetTime("start_work_ns")),
      exit_work_(parameters.GetTime("exit_work_ns")),
      work_stream_(seed, "hackbench work") {}

TaskDemand Hackbench::Demand() const {
  const std::int64_t children = std::int64_t{2} * group_count_ * pair_count_;
  return {.count = 1 + children,
          .reason = fmt::format("a parent and 2 * groups_count {} * pairs_count {}", group_count_,
                                pair_count_)};
}

void Hackbench::Start(Kernel& kernel) {
  parent_ = &kernel.AddTask("parent", kParent, 0);
  SetPolicy(kernel, *parent_);
  if (is_in_task_group_) {
    kernel.SetGroup(*parent_, kernel.AddGroup("hackbench", kernel.root_group(), 1'024));
  }
  for (std::int32_t group = 0; group < group_count_; ++group) {
    for (std::int32_t i = 0; i < pair_count_; ++i) {
      const std::int32_t number = group * pair_count_ + i;
      Task& receiver = kernel.AddTask(fmt::format("receiver/{}", number), kReceiver, number);
      receivers_.emplace_back();
      receivers_.back().task = &receiver;
      receivers_.back().expected_count = pair_count_ * loop_count_;
      AddChild(kernel, receiver);
    }
    for (std::int32_t i = 0; i < pair_count_; ++i) {
      const std::int32_t number = group * pair_count_ + i;
      AddChild(kernel, kernel.AddTask(fmt::format("sender/{}", number), kSender, number));
      senders_.push_back({.group = group, .loops_left = loop_count_});
    }
  }
  kernel.StartOn(*parent_, 0);
  if (starts_evenly_) StartEvenly(kernel);
}

void Hackbench::StartEvenly(Kernel& kernel) {
  CpuNumber cpu = 0;
  for (Task* child : children_) {
    kernel.StartOn(*child, cpu);
    cpu = (cpu + 1) % kernel.cpu_count();
  }
  forked_count_ = children_.size();
}

void Hackbench::AddChild(Kernel& kernel, Task& task) {
  if (is_in_task_group_) kernel.SetGroup(task, *parent_->group);
  if (uses_threads_) task.address_space = parent_->address_space;
  SetPolicy(kernel, task);
  children_.push_back(&task);
}

void Hackbench::SetPolicy(Kernel& kernel, Task& task) const {
  SchedAttributes attributes;
  attributes.policy = PolicyOfNumber(policy_number_);
  if (IsRealTime(attributes.policy)) attributes.rt_priority = kRtPriority;
  SCHEDLAB_CHECK(kernel.SetAttributes(task, attributes).has_value());
}

Step Hackbench::Next(Kernel& kernel, Task& task) {
  switch (static_cast<Role>(task.role)) {
    case kParent:
      return NextOfParent(kernel, task);
    case kSender:
      return NextOfSender(kernel, task);
    case kReceiver:
      return NextOfReceiver(kernel, task);
  }
  return Step::Exit();
}

void Hackbench::AddMetrics(const Kernel& kernel, std::map<std::string, double>& metrics) {
  if (!is_released_) return;
  const auto elapsed = static_cast<double>(Ns(kernel.now() - released_at_));
  if (elapsed <= 0) return;
  metrics["messages_per_sec"] = static_cast<double>(message_count_) * 1e9 / elapsed;
  if (exited_count_ == children_.size()) metrics["elapsed_sec"] = elapsed / 1e9;
  if (message_count_ == 0) return;
  SimDuration busy{0};
  for (CpuNumber cpu = 0; cpu < kernel.cpu_count(); ++cpu) {
    const CpuTimes& times = kernel.machine().times(cpu);
    busy += times.work + times.overhead + times.irq;
  }
  metrics["cpu_time_per_op_ns"] =
      static_cast<double>(Ns(busy)) / static_cast<double>(message_count_);
}

Step Hackbench::NextOfParent(Kernel& kernel, Task& parent) {
  const Context here = SyncFrom(parent);
  if (forked_count_ < children_.size()) {
    if (parent.work_done > SimDuration{0}) kernel.Fork(*children_[forked_count_++], here);
    return Step::Run(fork_work_);
  }
  if (ready_count_ < children_.size()) return Step::Block();
  if (!is_released_) {
    is_released_ = true;
    released_at_ = kernel.now();
    for (Task* child : children_) kernel.Wake(*child, here);
  }
  return Step::Block();
}

void Hackbench::BecomeReady(Kernel& kernel, const Task& task) {
  if (++ready_count_ == children_.size()) {
    kernel.Wake(*parent_, SyncFrom(task));
  }
}

Step Hackbench::NextOfSender(Kernel& kernel, Task& task) {
  Sender& sender = senders_[static_cast<std::size_t>(task.number)];
  switch (sender.phase) {
    case Phase::kStarting:
      sender.phase = Phase::kReady;
      return Step::Run(start_work_);
    case Phase::kReady:
      sender.phase = Phase::kTransfer;
      BecomeReady(kernel, task);
      sender.receiver = -1;
      return Step::Block();
    case Phase::kTransfer:
    case Phase::kStalled:
      if (sender.receiver >= 0 && !Deliver(kernel, task, sender)) {
        sender.phase = Phase::kStalled;
        return Step::Block();
      }
      sender.phase = Phase::kTransfer;
      if (++sender.receiver == pair_count_) {
        sender.receiver = 0;
        if (--sender.loops_left == 0) return Leave(kernel, sender.phase);
      }
      return Step::Run(work_stream_.Around(write_work_, spread_permille_));
    case Phase::kLeaving:
      return Leave(kernel, sender.phase);
  }
  return Step::Exit();
}

bool Hackbench::Deliver(Kernel& kernel, Task& sender_task, const Sender& sender) {
  Receiver& receiver =
      receivers_[static_cast<std::size_t>(sender.group * pair_count_ + sender.receiver)];
  if (receiver.queued_count == capacity_) {
    receiver.stalled_senders.push_back(&sender_task);
    return false;
  }
  ++receiver.queued_count;
  const bool waits = receiver.phase == Phase::kStalled;
  if (waits) kernel.Wake(*receiver.task, SyncFrom(sender_task));
  return true;
}

Step Hackbench::NextOfReceiver(Kernel& kernel, Task& task) {
  Receiver& receiver = receivers_[static_cast<std::size_t>(task.number)];
  switch (receiver.phase) {
    case Phase::kStarting:
      receiver.phase = Phase::kReady;
      return Step::Run(start_work_);
    case Phase::kReady:
      receiver.phase = Phase::kStalled;
      BecomeReady(kernel, task);
      return Step::Block();
    case Phase::kTransfer:
      --receiver.queued_count;
      ++message_count_;
      if (receiver.queued_count <= wake_fill_ && !receiver.stalled_senders.empty()) {
        for (Task* sender : receiver.stalled_senders) kernel.Wake(*sender, SyncFrom(task));
        receiver.stalled_senders.clear();
      }
      if (--receiver.expected_count == 0) return Leave(kernel, receiver.phase);
      break;
    case Phase::kStalled:
      break;
    case Phase::kLeaving:
      return Leave(kernel, receiver.phase);
  }
  if (receiver.queued_count == 0) {
    receiver.phase = Phase::kStalled;
    return Step::Block();
  }
  receiver.phase = Phase::kTransfer;
  return Step::Run(work_stream_.Around(read_work_, spread_permille_));
}

Step Hackbench::Leave(Kernel& kernel, Phase& phase) {
  if (exit_work_ > SimDuration{0} && phase != Phase::kLeaving) {
    phase = Phase::kLeaving;
    return Step::Run(exit_work_);
  }
  if (++exited_count_ == children_.size()) kernel.End();
  return Step::Exit();
}

}  // namespace schedlab::sim
