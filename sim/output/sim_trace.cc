#include "sim/output/sim_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"

namespace schedlab::sim {
namespace {

constexpr std::size_t kMaxCommandLength = 15;
constexpr std::int32_t kFirstThreadId = kTracedProcessId + 1;

bool IsPlain(char letter) { return letter > ' ' && letter <= '~'; }

}  // namespace

TracedTask& SimTrace::Task(std::int32_t index) {
  const auto at = static_cast<std::size_t>(index);
  if (at >= tasks_.size()) tasks_.resize(at + 1);
  return tasks_[at];
}

SimTime SimTrace::end() const {
  if (dropped_count_ == 0) return run_end_;
  return record_count() == 0 ? SimTime() : (next_ - 1)->at;
}

bool SimTrace::Grow() {
  const std::int64_t kept = record_count();
  const std::int64_t room = std::min(kChunkRecords, record_limit_ - kept);
  if (room <= 0) return false;
  full_count_ = kept;
  chunks_.push_back(std::make_unique_for_overwrite<TraceRecord[]>(  // NOLINT(*-avoid-c-arrays)
      static_cast<std::size_t>(room)));
  chunk_begin_ = chunks_.back().get();
  next_ = chunk_begin_;
  chunk_end_ = chunk_begin_ + room;
  return true;
}

std::int32_t ThreadIdOf(std::int32_t task) { return task == kIdleTask ? 0 : kFirstThreadId + task; }

std::string CommandNameOf(const SimTrace& trace, std::int32_t task) {
  SCHEDLAB_CHECK(task >= 0 && static_cast<std::size_t>(task) < trace.tasks().size());
  std::string name =
      trace.tasks()[static_cast<std::size_t>(task)].name.substr(0, kMaxCommandLength);
  std::replace_if(
      name.begin(), name.end(), [](char letter) { return !IsPlain(letter); }, '_');
  return name;
}

std::string CommandNameOn(const SimTrace& trace, std::int32_t task, CpuNumber cpu) {
  return task == kIdleTask ? fmt::format("swapper/{}", cpu) : CommandNameOf(trace, task);
}

char StateLetterOf(LeaveReason reason) {
  switch (reason) {
    case LeaveReason::kPreempted:
      return 'R';
    case LeaveReason::kBlocked:
      return 'S';
    case LeaveReason::kExited:
      return 'X';
  }
  return '?';
}

std::int64_t StateBitsOf(LeaveReason reason) {
  switch (reason) {
    case LeaveReason::kPreempted:
      return 0x00;
    case LeaveReason::kBlocked:
      return 0x01;
    case LeaveReason::kExited:
      return 0x10;
  }
  return 0;
}

}  // namespace schedlab::sim
