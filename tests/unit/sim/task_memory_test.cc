// How much memory a task costs. Every allocation of this binary is counted.

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "sim/run.h"
#include "tests/support/run_and_sleep.h"
#include "tests/support/topologies.h"
#include "tests/unit/sim/runs.h"

namespace {

std::atomic<std::int64_t> allocated_bytes = 0;

void* Counted(void* memory) {
  if (memory == nullptr) std::abort();
  allocated_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}

void Uncount(void* memory) {
  if (memory != nullptr) allocated_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return Counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  return Counted(std::aligned_alloc(to, (size + to - 1) / to * to));
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return operator new(size);
}
void operator delete(void* memory) noexcept { Uncount(memory); }
void operator delete(void* memory, std::size_t) noexcept { Uncount(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Uncount(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { Uncount(memory); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { Uncount(memory); }

namespace schedlab::sim {
namespace {

constexpr std::int64_t kFewTasks = 2'000;
constexpr std::int64_t kManyTasks = 18'000;
constexpr std::int64_t kMostBytesPerTask = 1'024;

// Notes what is allocated when the run has ended, with everything in place.
class MeasuredRunAndSleep final : public RunAndSleep {
 public:
  using RunAndSleep::RunAndSleep;
  void AddMetrics(const Kernel& /*kernel*/, std::map<std::string, double>& /*metrics*/) override {
    bytes_ = allocated_bytes;
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t bytes_ = 0;
};

std::int64_t BytesWith(std::int64_t task_count, const std::string& shape) {
  const Topology topology = testing::FreeTopology(shape);
  MeasuredRunAndSleep workload(task_count);
  const std::int64_t before = allocated_bytes;
  const Result<RunResult> result = Run({.topology = topology,
                                        .policy = ShippedPolicy("linux-fair-releases@v6.12"),
                                        .duration = SimDuration(60'000'000'000),
                                        .event_limit = 2 * task_count},
                                       workload, {});
  SCHEDLAB_CHECK(result.has_value());
  return workload.bytes() - before;
}

std::int64_t BytesPerTask(const std::string& shape) {
  const std::int64_t few = BytesWith(kFewTasks, shape);
  const std::int64_t many = BytesWith(kManyTasks, shape);
  return (many - few) / (kManyTasks - kFewTasks);
}

TEST(TaskMemoryTest, ATaskOfASmallMachineTakesAtMostAKibibyte) {
  const std::int64_t bytes = BytesPerTask("package:2");

  EXPECT_GE(bytes, static_cast<std::int64_t>(sizeof(Task)));
  EXPECT_LE(bytes, kMostBytesPerTask);
}

TEST(TaskMemoryTest, ATaskOfALargeMachineTakesNoMoreThanOneOfASmallOne) {
  constexpr std::int64_t kSlack = 64;

  EXPECT_LE(BytesPerTask("numa:8 package:1 core:128"), BytesPerTask("package:2") + kSlack);
}

}  // namespace
}  // namespace schedlab::sim
