#include "sim/fair/run_queue.h"

namespace schedlab::sim::fair {

void ListPushFront(RunQueue& queue, Task& task) {
  task.fair.list_previous = nullptr;
  task.fair.list_next = queue.list_head;
  if (queue.list_head != nullptr) queue.list_head->fair.list_previous = &task;
  queue.list_head = &task;
  if (queue.list_tail == nullptr) queue.list_tail = &task;
}

void ListRemove(RunQueue& queue, Task& task) {
  Task* const previous = task.fair.list_previous;
  Task* const next = task.fair.list_next;
  (previous != nullptr ? previous->fair.list_next : queue.list_head) = next;
  (next != nullptr ? next->fair.list_previous : queue.list_tail) = previous;
}

void ListPushBack(RunQueue& queue, Task& task) {
  task.fair.list_previous = queue.list_tail;
  task.fair.list_next = nullptr;
  if (queue.list_tail != nullptr) queue.list_tail->fair.list_next = &task;
  queue.list_tail = &task;
  if (queue.list_head == nullptr) queue.list_head = &task;
}

void ListMoveToFront(RunQueue& queue, Task& task) {
  if (queue.list_head == &task) return;
  ListRemove(queue, task);
  ListPushFront(queue, task);
}

void ListMoveToBack(RunQueue& queue, Task& task) {
  if (queue.list_tail == &task) return;
  ListRemove(queue, task);
  ListPushBack(queue, task);
}

}  // namespace schedlab::sim::fair
