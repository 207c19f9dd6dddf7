#include "sim/reference/ordered_tasks.h"

#include <algorithm>

#include "core/check.h"

namespace schedlab::sim::reference {

void OrderedTasks::Add(Task& task, std::int64_t rank) {
  const auto index = static_cast<std::size_t>(task.index);
  if (by_task_.size() <= index) by_task_.resize(index + 1);
  SCHEDLAB_CHECK(by_task_[index].task == nullptr);
  by_task_[index] = {.rank = rank, .arrival = ++arrival_count_, .task = &task};
  entries_.insert(by_task_[index]);
}

void OrderedTasks::Remove(const Task& task) {
  SCHEDLAB_CHECK(Contains(task));
  Entry& entry = by_task_[static_cast<std::size_t>(task.index)];
  entries_.erase(entry);
  entry = {};
}

const OrderedTasks::Entry* OrderedTasks::FirstFor(CpuNumber cpu) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [cpu](const Entry& entry) { return entry.task->MayRunOn(cpu); });
  return found == entries_.end() ? nullptr : &*found;
}

}  // namespace schedlab::sim::reference
