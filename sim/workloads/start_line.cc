#include "sim/workloads/start_line.h"

#include "core/check.h"

namespace schedlab::sim {

void StartLine::AddParent(Kernel& kernel, std::int32_t role) {
  parent_ = &kernel.AddTask("parent", role, 0);
}

void StartLine::Start(Kernel& kernel) {
  SCHEDLAB_CHECK(parent_ != nullptr && !children_.empty());
  kernel.StartOn(*parent_, 0);
}

Step StartLine::NextOfParent(Kernel& kernel) {
  const Context here{.cpu = parent_->cpu, .task = parent_};
  if (forked_count_ < children_.size()) {
    if (has_begun_) kernel.Fork(*children_[forked_count_++], here);
    has_begun_ = true;
    return Step::Run(fork_work_);
  }
  if (waiting_count_ < children_.size() || is_open_) return Step::Block();
  is_open_ = true;
  opened_at_ = kernel.now();
  for (Task* child : children_) kernel.Wake(*child, here);
  return Step::Block();
}

Step StartLine::Wait(Kernel& kernel, const Task& child) {
  if (++waiting_count_ == children_.size()) {
    kernel.Wake(*parent_, {.cpu = child.cpu, .task = &child});
  }
  return Step::Block();
}

}  // namespace schedlab::sim
