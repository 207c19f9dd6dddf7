#pragma once

#include <cstdint>
#include <vector>

#include "sim/kernel.h"

namespace schedlab::sim {

// A parent that forks the tasks of a benchmark one by one and, once all of them wait for it, lets
// them go together.
class StartLine {
 public:
  explicit StartLine(SimDuration fork_work) : fork_work_(fork_work) {}

  // `role` is the workload's role for the parent.
  void AddParent(Kernel& kernel, std::int32_t role);
  void AddChild(Task& child) { children_.push_back(&child); }
  // Starts the parent on CPU 0. Requires: a parent and a child.
  void Start(Kernel& kernel);

  Step NextOfParent(Kernel& kernel);
  // `child` has got to the line and blocks until it opens.
  Step Wait(Kernel& kernel, const Task& child);

  bool is_open() const { return is_open_; }
  SimTime opened_at() const { return opened_at_; }
  const std::vector<Task*>& children() const { return children_; }

 private:
  const SimDuration fork_work_;
  Task* parent_ = nullptr;
  std::vector<Task*> children_;
  std::size_t forked_count_ = 0;
  std::size_t waiting_count_ = 0;
  bool has_begun_ = false;
  bool is_open_ = false;
  SimTime opened_at_;
};

}  // namespace schedlab::sim
