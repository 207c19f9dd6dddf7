#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "sim/task.h"

namespace schedlab::sim::reference {

// Tasks by rank, the least first, and in the order of their arrival where ranks are equal.
class OrderedTasks {
 public:
  struct Entry {
    std::int64_t rank = 0;
    std::int64_t arrival = 0;
    Task* task = nullptr;

    friend bool operator<(const Entry& a, const Entry& b) {
      return std::tie(a.rank, a.arrival) < std::tie(b.rank, b.arrival);
    }
  };

  std::int32_t size() const { return static_cast<std::int32_t>(entries_.size()); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool Contains(const Task& task) const {
    const auto index = static_cast<std::size_t>(task.index);
    return index < by_task_.size() && by_task_[index].task != nullptr;
  }

  // Requires: !Contains(task).
  void Add(Task& task, std::int64_t rank);
  // Requires: Contains(task).
  void Remove(const Task& task);

  // The first that may run on `cpu`; null where there is none.
  const Entry* FirstFor(CpuNumber cpu) const;

 private:
  std::set<Entry> entries_;
  std::vector<Entry> by_task_;  // by the index of the task
  std::int64_t arrival_count_ = 0;
};

}  // namespace schedlab::sim::reference
