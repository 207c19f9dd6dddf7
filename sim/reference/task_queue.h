#pragma once

#include <cstdint>
#include <vector>

#include "sim/task.h"

namespace schedlab::sim::reference {

// Tasks in the order of their arrival. Every operation takes constant time; a task is in one
// TaskQueue at most.
class TaskQueue {
 public:
  bool empty() const { return first_ == nullptr; }
  std::int32_t size() const { return size_; }

  Task* First() const { return first_; }
  Task* After(const Task& task) const { return LinksOf(task).next; }
  bool Contains(const Task& task) const {
    const auto index = static_cast<std::size_t>(task.index);
    return index < links_.size() && links_[index].is_queued;
  }

  // Requires: !Contains(task).
  void PushBack(Task& task);
  // Requires: Contains(task).
  void Remove(Task& task);

  // The first task that may run on `cpu`; null where there is none.
  Task* FirstFor(CpuNumber cpu) const;

 private:
  struct Links {
    Task* previous = nullptr;
    Task* next = nullptr;
    bool is_queued = false;
  };

  Links& LinksOf(const Task& task) { return links_[static_cast<std::size_t>(task.index)]; }
  const Links& LinksOf(const Task& task) const {
    return links_[static_cast<std::size_t>(task.index)];
  }

  std::vector<Links> links_;  // by the index of the task
  Task* first_ = nullptr;
  Task* last_ = nullptr;
  std::int32_t size_ = 0;
};

}  // namespace schedlab::sim::reference
