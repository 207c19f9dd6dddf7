#include "sim/fair/run_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace schedlab::sim::fair {
namespace {

class RunQueueTest : public ::testing::Test {
 protected:
  Task& NextTask() { return tasks_.at(used_++); }
  std::vector<Task*> List() const {
    std::vector<Task*> list;
    for (Task* task = queue_.list_head; task != nullptr; task = task->fair.list_next) {
      list.push_back(task);
    }
    return list;
  }

  RunQueue queue_;

 private:
  std::array<Task, 4> tasks_;
  std::size_t used_ = 0;
};

TEST_F(RunQueueTest, NewTasksComeToTheHeadOfTheListAndFailedOnesGoToItsTail) {
  Task& a = NextTask();
  Task& b = NextTask();
  Task& c = NextTask();
  ListPushFront(queue_, a);
  ListPushFront(queue_, b);
  ListPushFront(queue_, c);
  ListMoveToBack(queue_, c);
  EXPECT_EQ(List(), (std::vector<Task*>{&b, &a, &c}));

  ListRemove(queue_, a);

  EXPECT_EQ(List(), (std::vector<Task*>{&b, &c}));
  EXPECT_EQ(queue_.list_tail, &c);
}

}  // namespace
}  // namespace schedlab::sim::fair
