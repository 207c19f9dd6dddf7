#include "sim/fair/run_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace schedlab::sim::fair {
namespace {

class RunQueueTest : public ::testing::Test {
 protected:
  Task& TaskAt(std::int64_t vruntime) {
    Task& task = tasks_.at(used_++);
    task.fair.vruntime = vruntime;
    return task;
  }
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

TEST_F(RunQueueTest, TheLeastVruntimeIsAtTheBack) {
  Task& late = TaskAt(20);
  Task& early = TaskAt(-10);
  InsertWaiting(queue_, early, 0);
  InsertWaiting(queue_, late, 1);

  EXPECT_EQ(queue_.waiting.back().task, &early);
}

TEST_F(RunQueueTest, EqualVruntimesAreFirstInFirstOut) {
  Task& first = TaskAt(5);
  Task& second = TaskAt(5);
  InsertWaiting(queue_, first, 0);
  InsertWaiting(queue_, second, 1);

  EXPECT_EQ(queue_.waiting.back().task, &first);
}

TEST_F(RunQueueTest, RemovalTakesTheRightOneOfEqualTasks) {
  Task& first = TaskAt(5);
  Task& second = TaskAt(5);
  InsertWaiting(queue_, first, 0);
  InsertWaiting(queue_, second, 1);
  RemoveWaiting(queue_, first);

  ASSERT_EQ(queue_.waiting.size(), 1U);
  EXPECT_EQ(queue_.waiting.back().task, &second);
}

TEST_F(RunQueueTest, NewTasksComeToTheHeadOfTheListAndFailedOnesGoToItsTail) {
  Task& a = TaskAt(0);
  Task& b = TaskAt(0);
  Task& c = TaskAt(0);
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
